"""All that is said to people goes out here: results on standard output, remarks on standard error."""

from __future__ import annotations

import sys
from typing import Any

from planoracle.instances.visible import to_json, visible

__all__ = ["say", "say_json", "tell"]


def say(text: str) -> None:
    """Write lines of text to standard output, made safe by `visible`."""
    print(visible(text, keep="\n"))


def say_json(value: Any, indent: int | None = None) -> None:
    """Write a value to standard output as JSON."""
    print(to_json(value, indent))


def tell(message: object, kind: str = "") -> None:
    """Write a remark to standard error in one line: an ``error``, a ``warning``, a ``note``."""
    print(visible(f"{kind}: {message}" if kind else str(message)), file=sys.stderr)
