"""Agent that queries the solver and plays an optimal action at every decision."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from planoracle.analysis.agents.agent import AgentError
from planoracle.analysis.grading.oracle import WORK, optimum
from planoracle.instances.model.limits import Limit
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.environment import AnyEnvironment, Turn
from planoracle.instances.protocol.trajectory import Trajectory
from planoracle.solver.runs import Live, lost_after, run_of, solver_of


class Script:
    """Messages for the turns to come, forgotten as soon as a turn is none of them, or was not carried out."""

    def __init__(self) -> None:
        self._left: deque[str] = deque()
        self._before: Turn | None = None  # the turn after which the last message was said
        self._said: str | None = None
        #: Whether the run has not gone as expected.
        self.broken = False

    def follow(self, messages: Iterable[str]) -> None:
        """Take messages for the turns to come, from now on."""
        self._left = deque(messages)
        self._said = None
        self.broken = False

    def next(self, environment: AnyEnvironment) -> str | None:
        """Say the next message; ``None`` if there is none, or the run has not gone as expected."""
        turn = environment.state.turn
        if self._said is not None and not self._agrees(turn):
            self._left.clear()
            self.broken = True
        if not self._left:
            return None
        self._before, self._said = turn, self._left.popleft()
        return self._said

    def _agrees(self, turn: Turn | None) -> bool:
        """Whether the last turn is what was said last, and went well."""
        if turn is None or turn.before is not self._before or turn.said != self._said:
            return False
        return not any(one.kind == "lost" or one.violation for one in turn.outcomes)


def closing(environment: AnyEnvironment, *kinds: str) -> str | None:
    """Return the first legal command of one of some kinds, such as ``close``."""
    return next((one.text for kind in kinds for one in environment.legal() if one.kind == kind), None)


class Optimal:
    """Goes on as well as possible from whatever state it finds: one search, then its plan as long as the world agrees.

    Where nothing leads to success any more it closes the run, or stops. A plan that is the best one known, but not
    proved to be the best, is followed as well.

    Parameters
    ----------
    limit
        Of one search: counted work, or seconds of wall time.
    """

    name = "optimal"

    def __init__(self, *, limit: Limit = WORK) -> None:
        self._limit = limit
        self._live = Live(limit)
        self._script = Script()

    async def act(self, environment: AnyEnvironment) -> str | None:
        """Say the next command of a best plan; with an open loop all of it.

        Raises
        ------
        AgentError
            If no plan is found within the limit.
        """
        if environment.manner.loop == "open":
            return whole_plan(environment, self._limit)
        said = self._script.next(environment)
        if said is not None:
            return said
        run = run_of(environment)
        known = self._live.known(run, None)
        if run.success or environment.done or lost_after(run, run.stop, known.value):
            return closing(environment, "close")
        commands = self._begin(run) or self._live.commands(run, known)
        if commands is None:
            raise AgentError(f"{environment.problem.name}: no way to go on was found within the limit", "no_plan")
        if not commands:  # all has been started
            return closing(environment, "close", "wait")
        self._script.follow(commands)
        return self._script.next(environment)

    def _begin(self, run: AnyRun) -> list[str] | None:
        """Return the commands of the optimal schedule, if nothing has been done yet."""
        if run.steps or not isinstance(run, Trajectory):
            return None
        found = optimum(run.problem, limit=self._limit).schedule
        return None if found is None else run.commands(run.begin, found)


def whole_plan(environment: AnyEnvironment, limit: Limit) -> str:
    """Say a best plan as a whole.

    Raises
    ------
    AgentError
        If none is found within the limit.
    """
    run = run_of(environment)
    solver = solver_of(run, limit)
    plan = None if run.impossible or solver.value.upper is None else solver.completed(solver.value)
    if plan is None:
        raise AgentError(f"{environment.problem.name}: no plan was found within the limit", "no_plan")
    return plan
