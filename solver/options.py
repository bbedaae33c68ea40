"""What can be asked of a solve, whatever the kind of problem."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from planoracle.instances.deadline import Limit
from planoracle.instances.profiles import Rules

#: Hears how long the best plan is, if there is one yet, and that no plan is shorter than the second number.
Told: TypeAlias = Callable[[int | None, int], None]


class Options(NamedTuple):
    """See `planoracle.solver.solve.solve`."""

    rules: Rules | None = None
    time_limit: Limit = 60.0
    seed: int = 0
    workers: int = 1
    finest: bool = False
    after: tuple[str, ...] = ()
    fewest_pieces: bool = False
    told: Told | None = None
