"""All that is said to people goes out here: results on standard output, remarks on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from planoracle.instances.visible import to_json, visible

#: What takes away that is drawn on the terminal that results go to, a bar of progress say: lines would break it.
drawn: list[Callable[[], None]] = []


def clear() -> None:
    """Have nothing drawn any more on the terminal that results go to."""
    while drawn:
        drawn.pop()()


def say(text: str) -> None:
    """Write lines of text to standard output, made safe by `visible`."""
    clear()
    print(visible(text, keep="\n"))


def say_json(value: Any, indent: int | None = None) -> None:
    """Write a value to standard output as JSON."""
    clear()
    print(to_json(value, indent))


def tell(message: object, kind: str = "") -> None:
    """Write a remark to standard error in one line: an ``error``, a ``warning``, a ``note``."""
    print(visible(f"{kind}: {message}" if kind else str(message)), file=sys.stderr)
