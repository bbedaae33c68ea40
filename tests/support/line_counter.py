"""Counter of executed Python lines, as a measure of work independent of time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def count_lines(work: Callable[[], Any]) -> int:
    """Return the number of lines of planoracle and of tests that a call executes, repetitions included."""
    count = 0

    def within(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal count
        count += event == "line"
        return within

    def enter(frame: FrameType, event: str, arg: Any) -> Any:
        return within if frame.f_globals.get("__name__", "").startswith(("planoracle.", "test_", "tests.")) else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
