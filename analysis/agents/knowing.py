"""What agents that ask the solver know of a run, and of what a command would make of it."""

from __future__ import annotations

from typing import NamedTuple

from planoracle.analysis.agents.agent import Said
from planoracle.instances.benchmark import AnyRun
from planoracle.instances.deadline import Limit
from planoracle.instances.environment import AnyEnvironment, Command
from planoracle.solver.live import Known, Live, lost_after, run_of

__all__ = ["Knowing", "Situation", "closing"]


class Situation(NamedTuple):
    """Where a run is: what is known of it, and why nothing leads to success any more, if so."""

    run: AnyRun
    known: Known
    lost: str | None

    @property
    def best(self) -> int | None:
        """The best makespan within reach in ticks, if it is proved."""
        return None if self.lost else self.known.value.makespan


class Knowing:
    """Asks one solver about all states of a run; ``limit`` is that of one state."""

    def __init__(self, limit: Limit) -> None:
        self._live = Live(limit)

    def of(self, environment: AnyEnvironment, before: Situation | None = None) -> Situation:
        """Return where a run is; ``before`` is where it was before, if it has gone on from there."""
        run = run_of(environment)
        known = self._live.known(run, before and before.known)
        lost = lost_after(run, run.stop, known.value)
        if environment.done and not run.success:
            return Situation(run, known, "over")
        return Situation(run, known, lost and lost[0])

    def after(self, environment: AnyEnvironment, command: Command, before: Situation) -> Situation:
        """Return where a run would be after a command."""
        return self.of(_tried(environment, command), before)

    def keeps(self, environment: AnyEnvironment, command: Command, before: Situation) -> bool:
        """Whether a command keeps the best makespan of where a run is; quicker than to ask what it would cost."""
        tried = _tried(environment, command)
        run = run_of(tried)
        if tried.done:
            return run.success and run.makespan == before.best
        best = before.best
        return best is not None and run.in_time(best) and self._live.keeps(run, before.known)

    def commands(self, here: Situation) -> list[str] | None:
        """Return the commands of the best way on that is known, ``None`` if none is."""
        return self._live.commands(here.run, here.known)


def _tried(environment: AnyEnvironment, command: Command) -> AnyEnvironment:
    tried = environment.fork()
    tried.reward = None
    tried.step(command.text)
    return tried


def closing(environment: AnyEnvironment, *kinds: str) -> Said | None:
    """Return the first legal command of one of some kinds, such as ``close``."""
    found = (one for kind in kinds for one in environment.legal() if one.kind == kind)
    return next((Said(one.text) for one in found), None)
