"""What of a long list of cases, or of many drawn ones, the quick suite runs; the rest is left to the slow one."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

from planoracle.instances.files.catalog import bundled


def examples(count: int) -> settings:
    """Return how many examples hypothesis draws: so many in a run of all tests, a tenth in the quick one."""
    return settings(max_examples=max(1, count * settings.default.max_examples // 100))


def sample(cases: Iterable[Any], step: int | None = None, *, several: bool = False) -> list[Any]:
    """Return all cases, for ``pytest.mark.parametrize``: the first of every ``step`` as it is, the others slow.

    Without ``step`` only the first one is quick. ``several``: a case is a tuple of the values of several arguments.
    """
    return [case if number % (step or sys.maxsize) == 0 else _slow(case, several) for number, case in enumerate(cases)]


def _slow(case: Any, several: bool) -> Any:
    if isinstance(case, ParameterSet):
        return pytest.param(*case.values, id=case.id, marks=[*case.marks, pytest.mark.slow])
    return pytest.param(*(case if several else (case,)), marks=pytest.mark.slow)


def some_problems() -> list[str]:
    """Bundled problems, of sets with thousands every fiftieth."""
    found: dict[str, list[str]] = {}
    for name in bundled():
        found.setdefault(name.partition("/")[0], []).append(name)
    return [name for names in found.values() for name in (names if len(names) < 1000 else names[::50])]
