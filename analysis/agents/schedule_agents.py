"""Agents without a solver: schedules of heuristics that are followed, and random commands."""

from __future__ import annotations

from random import Random as Chance

from planoracle.analysis.agents.agent import AgentError
from planoracle.analysis.agents.solver_agents import Script, closing
from planoracle.analysis.grading.oracle import WORK
from planoracle.heuristics.improve import Budget
from planoracle.heuristics.registry import GREEDY, names
from planoracle.heuristics.registry import run as run_heuristic
from planoracle.instances.benchmarks.kitchens.run import KitchenRun
from planoracle.instances.errors import InputError
from planoracle.instances.protocol.decision_points import DecisionPoint
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.simulator import ScheduleSimulator
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.runs import run_of


class ScheduleAgent:
    """Agent that follows the schedule of a heuristic from the start of a run.

    Parameters
    ----------
    name
        Name of the heuristic, see `planoracle.heuristics.registry`.
    seed
        See `planoracle.heuristics.improve.Budget`.
    """

    def __init__(self, name: str, *, seed: int = 0) -> None:
        self.name = name
        self._budget = Budget(seed)
        self._script = Script()
        self._is_started = False

    async def act(self, environment: AnyEnvironment) -> str | None:
        """Return the next command of the schedule; with an open loop the whole plan.

        Raises
        ------
        AgentError
            If the heuristic finds no schedule, or the run has deviated from its schedule.
        """
        if not self._is_started:
            self._is_started = True
            plan, commands = self._plan(environment)
            if environment.config.loop == "open":
                return plan
            self._script.follow(commands)
        command = self._script.next(environment)
        if command is not None:
            return command
        if run_of(environment).success or not self._script.broken:
            return closing(environment, "close", "wait")
        raise AgentError(f"the run deviates from the schedule of {self.name}", "off_plan")

    def _plan(self, environment: AnyEnvironment) -> tuple[str, list[str]]:
        """Return a plan as text, and its commands."""
        run, heuristic = run_of(environment), self.name
        if run.steps:
            raise AgentError(f"{heuristic} needs a run without commands; this run already has commands", "off_plan")
        try:
            answer = run_heuristic(run.problem, heuristic, self._budget)
        except InputError as error:
            raise AgentError(f"{heuristic} {error.message}", "no_plan") from None
        if answer.plan is None:
            raise AgentError(f"{heuristic} finds no schedule: {answer.reason}", "no_plan")
        simulator = environment.simulator
        if not isinstance(simulator, ScheduleSimulator) or answer.schedule is None:
            raise AgentError(f"{heuristic} gives a schedule, which runs of this problem cannot follow", "no_plan")
        return answer.plan, simulator.commands(DecisionPoint(run.problem), answer.schedule)


class GreedyAgent(ScheduleAgent):
    """Agent that follows the schedule of the heuristic ``greedy``.

    In kitchens the plan is that of a greedy best-first search, from any state.
    """

    def __init__(self, *, seed: int = 0) -> None:
        super().__init__(GREEDY, seed=seed)

    def _plan(self, environment: AnyEnvironment) -> tuple[str, list[str]]:
        run = run_of(environment)
        if isinstance(run, KitchenRun):
            return _in_kitchen(run)
        if not names(run.problem.kind):
            message = f"greedy needs a heuristic, and there is none for {run.problem.name}; use the agent random"
            raise AgentError(message, "no_plan")
        return super()._plan(environment)


def _in_kitchen(run: KitchenRun) -> tuple[str, list[str]]:
    result = plan(run.problem, time_limit=WORK, rules=run.rules, after=run.legal, greedy=True)
    if result.plan is None:
        raise AgentError(f"the greedy search finds no plan: {result.proof}", "no_plan")
    return result.plan, list(result.actions)


class Random:
    """Agent that picks a legal command uniformly at random; it closes a run only instead of waiting.

    Parameters
    ----------
    seed
        Seed of the random choices.
    """

    name = "random"

    def __init__(self, *, seed: int = 0) -> None:
        self._chance = Chance(seed)

    async def act(self, environment: AnyEnvironment) -> str | None:
        """Return a random legal command."""
        if environment.config.loop == "open":
            raise AgentError("random needs a closed loop", "no_plan")
        legal = environment.legal()
        if any(command.kind == "act" for command in legal):
            legal = [command for command in legal if command.kind != "close"]
        return self._chance.choice(legal).text if legal else None
