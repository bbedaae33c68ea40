"""Help texts: what a call looks like, and boxes of options and verbs as wide as the terminal.

What typer would draw them with takes longer to import than all else.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

from planoracle.analysis.cli.drawing import bold, letters, room

__all__ = ["help_text"]

# What stands before its explanation, and not above it, takes no more than so many cells, or this share of a line.
_LONGEST, _SHARE = 28, 0.4
_LEAST_WIDTH = 40


def help_text(command: Any, context: Any, panels: Mapping[str, Sequence[tuple[str, str]]] | None = None) -> str:
    """Return the help text of a command, with ``panels`` of verbs after the boxes of its arguments and options."""
    width = max(_LEAST_WIDTH, room(sys.stdout) or 80)
    boxes: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
    for one in command.get_params(context):
        if not getattr(one, "hidden", False) and (record := one.get_help_record(context)):
            kind = "Arguments" if one.param_type_name == "argument" else "Options"
            boxes.setdefault(getattr(one, "rich_help_panel", None) or kind, []).append(record)
    lines = ["", *wrap(f"Usage: {command.get_usage(context).partition(' ')[2]}", width - 1, initial_indent=" "), ""]
    for paragraph in (command.help or "").split("\n\n"):
        lines += [*wrap(paragraph, width - 2, initial_indent=" ", subsequent_indent=" "), ""]
    longest = _column((term for listed in (panels or {}).values() for term, _ in listed), width)
    for title, records in boxes.items():
        lines += _box(title, records, width, _column((term for term, _ in records), width))
    for title, listed in (panels or {}).items():
        lines += _box(title, listed, width, longest)
    return "\n".join(lines)


def _column(terms: Iterable[str], width: int) -> int:
    return max((len(term) for term in terms if len(term) <= min(_LONGEST, _SHARE * width)), default=4)


def _box(title: str, listed: Sequence[tuple[str, str]], width: int, column: int) -> list[str]:
    """Return the lines of a box, none if nothing is listed."""
    if not listed:
        return []
    top, left, right, bottom, side, rule = "╭╮╰╯│─" if letters(sys.stdout) else "++++|-"
    inside = width - 4
    texts: list[tuple[str, str]] = []
    for term, meaning in listed:
        first, *more = wrap(meaning, inside - column - 2, break_on_hyphens=False) or [""]
        if len(term) > column:
            above = wrap(term, inside, subsequent_indent=" " * 4, break_on_hyphens=False)
            texts += [(line, "") for line in above]
            term = ""
        texts += [(term, first), *(("", line) for line in more)]
    title = f"{rule} {title if len(title) <= inside - 2 else title.partition(' (')[0]} "
    lines = [f"{top}{title:{rule}<{width - 2}}{left}"]
    for term, meaning in texts:
        line = f"{term:{column}}  {meaning}" if meaning else term
        lines.append(f"{side} {bold(term, sys.stdout) if term else ''}{line[len(term) :]:{inside - len(term)}} {side}")
    return [*lines, f"{right}{rule * (width - 2)}{bottom}"]
