"""Agent that queries the solver and plays an optimal action at every decision."""

from __future__ import annotations

from planoracle.analysis.agents.agent import AgentError
from planoracle.analysis.agents.following import Script
from planoracle.analysis.agents.knowing import Knowing, closing
from planoracle.analysis.optimum import WORK, optimum
from planoracle.instances.benchmark import AnyRun
from planoracle.instances.deadline import Limit
from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.trajectory import Trajectory
from planoracle.solver.live import run_of
from planoracle.solver.runs import solver_of


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
        self._knowing = Knowing(limit)
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
        here = self._knowing.of(environment)
        if here.run.success or here.lost:
            return closing(environment, "close")
        commands = self._begin(here.run) or self._knowing.commands(here)
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
