"""Tables that people read, as wide as their terminal is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill, wrap
from typing import IO, Any

from planoracle.analysis.cli.fitting import fit, in_words, shorten
from planoracle.instances.visible import visible

__all__ = ["draw", "folded", "human", "room"]

# Where lines go that nobody shows as they come, there is no end.
_ENDLESS = 100_000


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
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # Nothing is coloured; what is bold takes sequences for terminals as well, which some do not want.
    plain = bool(os.environ.get("NO_COLOR"))
    console = Console(file=stream, highlight=False, width=_ENDLESS, color_system=None if plain else "auto")
    mark = "…" if console.encoding.startswith("utf") else "~"
    cells = {column: [human(column, row.get(column)) for row in rows] for column in columns}
    headings = {column: column.replace("_", " ") for column in cells}
    limit = None if wide else room(stream)
    fitted = fit(cells, headings, limit, least, cell_len)
    close = {"show_edge": False, "pad_edge": False, "padding": (0, 1, 0, 0)} if fitted.tight else {}
    table = Table(box=SIMPLE_HEAD, **close)  # type: ignore[arg-type]
    shown = []
    for column, width in fitted.widths.items():
        numeric = all(isinstance(row.get(column), int | float | None) for row in rows)
        table.add_column(headings[column], justify="right" if numeric else "left", overflow="fold", width=width)
        texts = cells[column]
        shown.append(texts if in_words(column, texts) else shorten(texts, width, mark, cell_len))
    for row in zip(*shown, strict=True):
        table.add_row(*map(Text, row))
    with console.capture() as captured:
        if title:
            console.print(title, style="bold")
        console.print(*[""] * fitted.tight, table, sep="\n")
    said = "\n".join(line.rstrip() for line in captured.get().split("\n"))
    if fitted.left_out:
        names = ", ".join(headings[name] for name in fitted.left_out)
        said += fill(f"no room for {names}: --wide shows them", limit or 80) + "\n"
    stream.write(said + "\n" * fitted.tight)


def human(column: str, value: Any) -> str:
    """Return a value as people read it."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{100 * value:+.1f} %" if "gap" in column else f"{value:.3f}"
    return visible(str(value))
