"""State of a live run as the solver sees it."""

from __future__ import annotations

from typing import NamedTuple

from planoracle.instances.benchmark import AnyRun
from planoracle.instances.deadline import Limit
from planoracle.instances.environment import AnyEnvironment
from planoracle.solver.live import Known, Live, lost_after, run_of


class Situation(NamedTuple):
    """A run, what the solver knows of its state, and why nothing leads to success any more, if so."""

    run: AnyRun
    known: Known
    lost: str | None


class Knowing:
    """Asks one solver about all states of a run; ``limit`` is that of one state."""

    def __init__(self, limit: Limit) -> None:
        self._live = Live(limit)

    def of(self, environment: AnyEnvironment) -> Situation:
        """Return where a run is."""
        run = run_of(environment)
        situation = self._live.known(run, None)
        lost = lost_after(run, run.stop, situation.value)
        if environment.done and not run.success:
            return Situation(run, situation, "over")
        return Situation(run, situation, lost and lost[0])

    def commands(self, here: Situation) -> list[str] | None:
        """Return the commands of the best way on that is known, ``None`` if none is."""
        return self._live.commands(here.run, here.known)


def closing(environment: AnyEnvironment, *kinds: str) -> str | None:
    """Return the first legal command of one of some kinds, such as ``close``."""
    return next((one.text for kind in kinds for one in environment.legal() if one.kind == kind), None)
