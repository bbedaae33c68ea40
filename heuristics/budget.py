"""What every heuristic is given, and what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from planoracle.heuristics.timetable import Timetable
from planoracle.instances.model.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a heuristic that can go on may go on.

    With ``seconds`` the result depends on the machine; without, only on ``seed`` and ``iterations``.
    ``bound`` is a lower bound at which to stop.
    """

    seed: int = 0
    iterations: int = 300
    seconds: float | None = None
    bound: int = 0


DEFAULT = Budget()


class HeuristicOutcome(NamedTuple):
    """A schedule, or ``None`` and the ``reason`` why there is none.

    An algorithm that does not know all the rules says what makespan it expects, its ``claim`` in ticks.
    """

    schedule: Timetable | Schedule | None
    reason: str = ""
    claim: int | None = None
