"""Agents without a solver: schedules of heuristics that are followed, and random commands."""

from __future__ import annotations

import json
from random import Random as Chance
from typing import cast

from planoracle.analysis.agents.agent import AgentError
from planoracle.analysis.agents.solver_agents import Script, closing
from planoracle.analysis.grading.oracle import WORK
from planoracle.heuristics.budget import Budget
from planoracle.heuristics.registry import GREEDY, run
from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun
from planoracle.instances.benchmarks.kitchens.run import KitchenRun
from planoracle.instances.errors import InputError
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.trajectory import Trajectory
from planoracle.solver.grid_kitchens.run_solver import messages
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.runs import run_of


class ScheduleAgent:
    """Follows the schedule that a heuristic makes of a problem, from the beginning.

    Parameters
    ----------
    name
        Of the heuristic, see `planoracle.heuristics.registry`.
    seed
        See `planoracle.heuristics.registry.Budget`.
    """

    def __init__(self, name: str, *, seed: int = 0) -> None:
        self.name = name
        self._budget = Budget(seed)
        self._script = Script()
        self._begun = False

    async def act(self, environment: AnyEnvironment) -> str | None:
        """Say the next command of the schedule; with an open loop the whole plan.

        Raises
        ------
        AgentError
            If the heuristic finds no schedule, or the run has not gone on as the schedule has it.
        """
        if not self._begun:
            self._begun = True
            plan, commands = self._planned(environment)
            if environment.manner.loop == "open":
                return plan
            self._script.follow(commands)
        said = self._script.next(environment)
        if said is not None:
            return said
        if run_of(environment).success or not self._script.broken:
            return closing(environment, "close", "wait")
        raise AgentError(f"the run has left the schedule of {self.name}", "off_plan")

    def _planned(self, environment: AnyEnvironment) -> tuple[str, list[str]]:
        """Return a plan, as text and command by command."""
        return self._scheduled(run_of(environment), self.name)

    def _scheduled(self, begun: AnyRun, heuristic: str) -> tuple[str, list[str]]:
        if begun.steps:
            raise AgentError(f"{heuristic} schedules from the beginning only, and the run has begun", "off_plan")
        try:
            answer = run(begun.problem, heuristic, self._budget)
        except InputError as error:
            raise AgentError(f"{heuristic} {error.message}", "no_plan") from None
        if answer.plan is None:
            raise AgentError(f"{heuristic} finds no schedule: {answer.reason}", "no_plan")
        if isinstance(begun, Trajectory) and answer.schedule is not None:
            return answer.plan, begun.commands(begun.begin, answer.schedule)
        return answer.plan, _on_floor(begun, answer.plan)


class GreedyAgent(ScheduleAgent):
    """Never waits while something can be done.

    The greedy scheduler of the benchmark's paper if it has one and that finds a schedule, else the first of ours that
    does. In kitchens: the plan found by always going on where least seems to be left, from any state.
    """

    def __init__(self, *, seed: int = 0) -> None:
        super().__init__("greedy", seed=seed)

    def _planned(self, environment: AnyEnvironment) -> tuple[str, list[str]]:
        begun = run_of(environment)
        if isinstance(begun, KitchenRun):
            return _in_kitchen(begun)
        failure = None
        ours = ("floor-list",) if begun.problem.kind == "floor" else GREEDY
        for heuristic in (*environment.benchmark.greedy, *ours):
            try:
                return self._scheduled(begun, heuristic)
            except AgentError as error:
                failure = failure or error
        raise failure or AgentError("there is no greedy scheduler", "no_plan")


def _on_floor(begun: AnyRun, plan: str) -> list[str]:
    found = messages(cast("GridKitchenRun", begun), json.loads(plan))
    if found is None:
        raise AgentError("the plan does not hold when it is handed in piece by piece", "no_plan")
    return found


def _in_kitchen(begun: KitchenRun) -> tuple[str, list[str]]:
    found = plan(begun.problem, time_limit=WORK, rules=begun.rules, after=begun.legal, greedy=True)
    if found.plan is None:
        raise AgentError(f"the greedy search finds no plan: {found.proof}", "no_plan")
    return found.plan, list(found.actions)


class Random:
    """Any of the legal commands, each as likely; closes a run only when nothing else is left but to wait.

    Parameters
    ----------
    seed
        The same one, on the same run, says the same.
    """

    name = "random"

    def __init__(self, *, seed: int = 0) -> None:
        self._chance = Chance(seed)

    async def act(self, environment: AnyEnvironment) -> str | None:
        """Draw a command."""
        if environment.manner.loop == "open":
            raise AgentError("random goes command by command, and has no whole plan", "no_plan")
        legal = environment.legal()
        if any(one.kind == "act" for one in legal):
            legal = [one for one in legal if one.kind != "close"]
        return self._chance.choice(legal).text if legal else None
