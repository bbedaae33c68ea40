"""How many faults the tests in this folder put in, and how many of them cost something: said at the end of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import pytest

FAULTS, WRONG = "faults", "wrong"


@pytest.fixture
def tally(record_property: Callable[[str, object], None]) -> Callable[[str, Counter, Sequence[str]], None]:
    """Take note of faults, counted by where they were, and of all that was wrong after them."""

    def noted(label: str, calls: Counter, wrong: Sequence[str]) -> None:
        record_property(FAULTS, calls.total())
        record_property(WRONG, len(wrong))
        print(f"{label}: {calls.total()} faults, {dict(calls)}")

    return noted


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say the sums of all tests, whether they passed or not."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, ())]
    sums = Counter[str]()
    for name, value in (found for report in reports for found in report.user_properties if report.when == "call"):
        if name in (FAULTS, WRONG):
            sums[name] += value
    if FAULTS in sums:
        said = f"{sums[FAULTS]} faults were put in; bytes, ends or messages that were wrong after them: {sums[WRONG]}"
        terminalreporter.write_line(said)
