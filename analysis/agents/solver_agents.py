"""Agent that queries the solver and plays an optimal action at every decision."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeVar

from planoracle.analysis.agents.agent import AgentError
from planoracle.analysis.grading.oracle import WORK, optimum
from planoracle.instances.errors import NoSolverError
from planoracle.instances.model.limits import Limit
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.environment import AnyEnvironment, Turn
from planoracle.instances.protocol.simulator import ScheduleSimulator
from planoracle.solver.kinds.grid_kitchen_kind import bundled_messages, bundled_plan
from planoracle.solver.kinds.registry import kind_of
from planoracle.solver.runs import Live, lost_now, run_of, solver_of
from planoracle.solver.solve import has_bundled_results_only, has_state_values

_T = TypeVar("_T")


class Script:
    """Messages for the next turns, discarded when a turn is another one or was refused."""

    def __init__(self) -> None:
        self._remaining: deque[str] = deque()
        self._before: Turn | None = None  # the turn before the last message
        self._message: str | None = None
        #: True if the run has deviated from the messages.
        self.broken = False

    def follow(self, messages: Iterable[str]) -> None:
        """Set the messages for the next turns."""
        self._remaining = deque(messages)
        self._message = None
        self.broken = False

    def next(self, environment: AnyEnvironment) -> str | None:
        """Return the next message; ``None`` if there is none, or the run has deviated."""
        turn = environment.state.turn
        if self._message is not None and not self._agrees(turn):
            self._remaining.clear()
            self.broken = True
        if not self._remaining:
            return None
        self._before, self._message = turn, self._remaining.popleft()
        return self._message

    def _agrees(self, turn: Turn | None) -> bool:
        """Return True if the last turn has the last message and no violation."""
        if turn is None or turn.before is not self._before or turn.message != self._message:
            return False
        return not any(outcome.kind == "lost" or outcome.violation for outcome in turn.outcomes)


def closing(environment: AnyEnvironment, *kinds: str) -> str | None:
    """Return the first legal command of one of some kinds, such as ``close``."""
    for kind in kinds:
        for command in environment.legal():
            if command.kind == kind:
                return command.text
    return None


class Optimal:
    """Agent that queries the solver and plays an optimal action at every decision.

    It follows the plan of one search until the run deviates from it. Where success is impossible it closes the run, or
    stops. A plan without proof of optimality is followed as well. Of a problem without solver it follows the bundled
    plan, and of a problem whose states have no values the optimal plan, from the start of a run only.

    Parameters
    ----------
    limit
        Limit of one search: counted work, or seconds of wall time.
    """

    name = "optimal"

    def __init__(self, *, limit: Limit = WORK) -> None:
        self._limit = limit
        self._live = Live(limit)
        self._script = Script()

    async def act(self, environment: AnyEnvironment) -> str | None:
        """Return the next command of an optimal plan; with an open loop the whole plan.

        Raises
        ------
        AgentError
            If no plan is found within the limit. Of a problem without solver: if there is no bundled plan, or the run
            has deviated from it.
        """
        if environment.config.loop == "open":
            return whole_plan(environment, self._limit)
        command = self._script.next(environment)
        if command is not None:
            return command
        if has_bundled_results_only(environment.problem):
            return self._follow_bundled(environment)
        if not has_state_values(environment.ruled_problem):
            return self._follow_optimum(environment)
        state = self._live.state_value(environment, None)
        if environment.success or environment.done or lost_now(environment, state.value):
            return closing(environment, "close")
        commands = self._begin(environment) or self._live.commands(environment, state)
        if commands is None:
            raise AgentError(f"{environment.problem.name}: no completion was found within the limit", "no_plan")
        if not commands:  # all actions have started
            return closing(environment, "close", "wait")
        self._script.follow(commands)
        return self._script.next(environment)

    def _follow_bundled(self, environment: AnyEnvironment) -> str | None:
        """Return the first message of the bundled plan, and set the script of the others."""
        run = run_of(environment)
        if run.success or environment.done:
            return closing(environment, "close")
        if run.steps:
            raise AgentError("the run deviates from the bundled plan, and the problem has no solver", "off_plan")
        self._script.follow(_bundled(bundled_messages, run))
        return self._script.next(environment)

    def _follow_optimum(self, environment: AnyEnvironment) -> str | None:
        """Return the first message of the optimal plan of a problem without state values, and set the script."""
        if environment.success or environment.done:
            return closing(environment, "close")
        commands = self._begin(environment)
        if commands is None:
            problem = environment.ruled_problem
            refusal = kind_of(problem).values_refusal(problem)
            raise AgentError(f"{refusal}; no plan is known, or the run deviates from it", "off_plan")
        self._script.follow(commands)
        return self._script.next(environment)

    def _begin(self, environment: AnyEnvironment) -> list[str] | None:
        """Return the commands of the optimal schedule of a scheduling problem at its start, else ``None``."""
        simulator = environment.simulator
        if not isinstance(simulator, ScheduleSimulator):
            return None
        point = simulator.point(environment.state.world)
        if point != simulator.point(simulator.initial()):
            return None
        schedule = optimum(environment.ruled_problem, limit=self._limit).schedule
        return None if schedule is None else simulator.commands(point, schedule)


def _bundled(part_of_plan: Callable[[AnyRun], _T], run: AnyRun) -> _T:
    """Return the bundled plan of a run in some form; raise `AgentError` if there is none."""
    try:
        return part_of_plan(run)
    except NoSolverError as error:
        raise AgentError(str(error), "no_plan") from None


def whole_plan(environment: AnyEnvironment, limit: Limit) -> str:
    """Return the text of an optimal plan; of a problem without solver the bundled plan.

    Raises
    ------
    AgentError
        If no plan is found within the limit, or the problem has neither a solver nor a bundled plan.
    """
    run = run_of(environment)
    if has_bundled_results_only(run.problem):
        return _bundled(bundled_plan, run)
    plan = None
    if not has_state_values(run.problem):
        plan = optimum(run.problem, limit=limit).plan
    elif not run.impossible:
        solver = solver_of(run, limit)
        plan = None if solver.value.upper is None else solver.complete_plan(solver.value)
    if plan is None:
        raise AgentError(f"{environment.problem.name}: no plan was found within the limit", "no_plan")
    return plan
