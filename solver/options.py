"""What can be asked of a solve, whatever the kind of problem."""

from __future__ import annotations

from typing import NamedTuple

from planoracle.instances.deadline import Limit
from planoracle.instances.profiles import Rules

__all__ = ["Options"]


class Options(NamedTuple):
    """See `planoracle.solver.solve.solve`."""

    rules: Rules | None = None
    time_limit: Limit = 60.0
    seed: int = 0
    workers: int = 1
    finest: bool = False
    after: tuple[str, ...] = ()
