"""Which cases of a long list the quick suite runs; the others are marked slow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from planoracle.instances.catalogue import bundled

__all__ = ["sample"]


def sample(cases: Iterable[Any], step: int) -> list[Any]:
    """Return all cases, for ``pytest.mark.parametrize``: the first of every ``step`` as it is, the others slow."""
    return [
        case if number % step == 0 else pytest.param(case, marks=pytest.mark.slow) for number, case in enumerate(cases)
    ]


def some_problems() -> list[str]:
    """Bundled problems, of sets with thousands every fiftieth."""
    found: dict[str, list[str]] = {}
    for name in bundled():
        found.setdefault(name.partition("/")[0], []).append(name)
    return [name for names in found.values() for name in (names if len(names) < 1000 else names[::50])]
