"""Tables that people read, as wide as their terminal is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import IO, Any

from planoracle.analysis.cli.fitting import fit, in_words, shorten
from planoracle.instances.visible import visible

__all__ = ["bold", "draw", "folded", "heading", "human", "letters", "room"]

# Characters of a cell; data are whole in other formats.
_LONGEST = 10_000


def room(stream: IO[str]) -> int | None:
    """Return the cells of a line: what ``COLUMNS`` says, or the terminal; ``None`` where lines may be of any length."""
    given = os.environ.get("COLUMNS", "")
    if given.isascii() and given.isdigit() and int(given[:6]) > 0:
        return int(given[:6])
    try:
        return (os.get_terminal_size(stream.fileno()).columns or 80) if stream.isatty() else None
    except (OSError, ValueError):  # no file behind it, or a closed one
        return None


def folded(text: str, stream: IO[str]) -> str:
    """Return prose with its lines broken between words, where a terminal would break them anywhere."""
    width = room(stream)
    if width is None:
        return text
    lines = (wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""] for line in text.split("\n"))
    return "\n".join(part for parts in lines for part in parts)


def draw(
    rows: Sequence[Mapping[str, Any]],
    columns: Iterable[str],
    stream: IO[str],
    title: str = "",
    least: Sequence[str] = (),
    *,
    wide: bool = False,
) -> None:
    """Write a table; where the terminal is too narrow, columns that it leaves out are named below it.

    Parameters
    ----------
    least
        What is left out first, see `planoracle.analysis.cli.fitting.fit`.
    wide
        Whether everything is shown, however long the lines are.
    """
    mark, rule = ("…", "─") if letters(stream) else ("~", "-")
    cells = {column: [human(column, row.get(column)) for row in rows] for column in columns}
    headings = {column: heading(column) for column in cells}
    limit = None if wide else room(stream)
    fitted = fit(cells, headings, limit, least, _measure)
    margin, between = ("", 2) if fitted.tight else ("  ", 3)
    numeric = [all(isinstance(row.get(column), int | float | None) for row in rows) for column in fitted.widths]
    shown = []
    for column, width in fitted.widths.items():
        texts = cells[column]
        shown.append(texts if in_words(column, texts) else shorten(texts, width, mark, _measure))
    widths = list(fitted.widths.values())

    def lines(texts: Iterable[str], *, top: bool) -> Iterator[str]:
        """Yield the lines that a row takes; its texts begin in the first of them, or end in the last."""
        parts = [_broken(text, width) for text, width in zip(texts, widths, strict=True)]
        high = max(map(len, parts), default=0)
        parts = [[*part, *[""] * (high - len(part))] if top else [*[""] * (high - len(part)), *part] for part in parts]
        for line in zip(*parts, strict=True):
            filled = zip(line, widths, numeric, strict=True)
            yield (margin + (" " * between).join(_filled(*cell) for cell in filled)).rstrip()

    heads = [bold(line, stream) for line in lines([headings[column] for column in fitted.widths], top=False)]
    below = margin[1:] + rule * (sum(widths) + between * (len(widths) - 1) + len(margin))
    body = [line for row in zip(*shown, strict=True) for line in lines(row, top=True)]
    said = [bold(title, stream)] if title else []
    said += ["", *heads, below, *body, *([] if fitted.tight else [""])]
    if fitted.left_out:
        names = ", ".join(headings[name] for name in fitted.left_out)
        said += wrap(f"no room for {names}: --wide shows them", limit or 80)
    stream.write("\n".join([*said, ""]) + "\n" * fitted.tight)


def letters(stream: IO[str]) -> bool:
    """Whether a stream takes every letter, also those that lines are drawn of."""
    return (getattr(stream, "encoding", None) or "utf-8").lower().startswith("utf")


def bold(text: str, stream: IO[str]) -> str:
    """Return a text that stands out, where that is wanted: sequences for terminals are not, elsewhere."""
    terminal = stream.isatty() and os.environ.get("TERM") not in ("dumb", "unknown") and os.name != "nt"
    wanted = not os.environ.get("NO_COLOR") and (terminal or bool(os.environ.get("FORCE_COLOR")))
    return f"\x1b[1m{text}\x1b[0m" if wanted else text


def _measure(text: str) -> int:
    """Return how many cells of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _filled(text: str, width: int, right: bool) -> str:
    """Return a text with spaces before or after it."""
    space = " " * (width - _measure(text))
    return space + text if right else text + space


def _broken(text: str, width: int) -> list[str]:
    """Return the lines of a text: broken between words, and within those that are too long for a line."""
    if _measure(text) <= width:
        return [text]
    lines, line = [], ""
    for word in text.split(" "):
        if line and _measure(f"{line} {word}") <= width:
            line += f" {word}"
            continue
        if line:
            lines.append(line)
        while _measure(word) > width:
            end = next((n for n in range(min(len(word), width), 1, -1) if _measure(word[:n]) <= width), 1)
            lines.append(word[:end])
            word = word[end:]
        line = word
    return [*lines, line]


def heading(column: str) -> str:
    """Return the name of a column as people read it; it may hold the name of somebody's model."""
    return visible(column.replace("_", " "))


def human(column: str, value: Any) -> str:
    """Return a value as people read it."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{100 * value:+.1f} %" if "gap" in column else f"{value:.3f}"
    text = str(value)
    return visible(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")
