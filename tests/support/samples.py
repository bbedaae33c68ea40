"""Selection of the cases and examples that the quick suite runs; the slow suite runs all."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from hypothesis import Phase, settings

from planoracle.instances.files.catalog import bundled


def examples(count: int, *, is_shrunk: bool = True) -> settings:
    """Return settings with ``count`` examples in a run of all tests, and a tenth in a quick run.

    Without ``is_shrunk`` a failure is reported as drawn: to shrink long runs takes minutes.
    """
    slow_phases = () if is_shrunk else (Phase.shrink, Phase.explain)
    phases = [phase for phase in settings.default.phases if phase not in slow_phases]
    return settings(max_examples=max(1, count * settings.default.max_examples // 100), phases=phases)


def sample(cases: Iterable[Any], step: int | None = None, *, several: bool = False) -> list[Any]:
    """Return cases for ``pytest.mark.parametrize``: the first of every ``step`` is quick, the others slow.

    Without ``step`` only the first one is quick. ``several``: a case is a tuple of the values of several arguments.
    """
    return [case if number % (step or sys.maxsize) == 0 else _slow(case, several) for number, case in enumerate(cases)]


def _slow(case: Any, several: bool) -> Any:
    if isinstance(case, ParameterSet):
        return pytest.param(*case.values, id=case.id, marks=[*case.marks, pytest.mark.slow])
    return pytest.param(*(case if several else (case,)), marks=pytest.mark.slow)


def some_problems() -> list[str]:
    """Return the bundled problems, and of benchmarks with a thousand or more every fiftieth."""
    by_benchmark: dict[str, list[str]] = {}
    for name in bundled():
        by_benchmark.setdefault(name.partition("/")[0], []).append(name)
    return [name for names in by_benchmark.values() for name in (names if len(names) < 1000 else names[::50])]
