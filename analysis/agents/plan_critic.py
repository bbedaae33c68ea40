"""Critic of whole plans that models revise: violations and idle time, without a solver's results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from planoracle.analysis.diagnosis.critique import critique_of
from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.instances.errors import PlanError
from planoracle.instances.model.limits import Status
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.feedback import quoted
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.scoring import BestKnown

#: Last line of a message by which a model retains its plan.
_CONTENT = "done"


@dataclass(frozen=True, slots=True)
class _NothingKnown:
    """Best known plan and bound of a problem that nobody has solved."""

    status: Status = Status.unknown
    makespan: int | None = None
    lower_bound: int | None = None
    plan: str | None = None


class _SilentOracle(SolverOracle):
    """Oracle without results: the model finds out itself how good a plan can be."""

    def best(self, problem: Problem, rules: Rules) -> BestKnown:
        return _NothingKnown()


class PlanReport(NamedTuple):
    """Report on a plan: success, and its critique in words."""

    success: bool
    text: str


def report_on_plan(environment: AnyEnvironment, plan: str, goal: str) -> PlanReport:
    """Report on a whole plan for the problem of an environment, which does not change.

    Parameters
    ----------
    goal
        ``fix``: violations only; ``improve``: also idle time.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("recipe2plan/timed/Cobbler_Pancakes"), loop="open")
    >>> report = report_on_plan(run, "Step(0, Cobbler, 10 min, 0:00) Step(6, Soup, 1 min, 0:10)", "fix")
    >>> print(report.text.splitlines()[1])
    Unknown steps: Command 2 names the recipe "Soup"; the recipes are Cobbler and Pancakes. Use only the recipes and \
step numbers of the problem.
    """
    trial = environment.fork()
    trial.reward = None
    trial.step(plan)
    try:
        run = trial.run()
    except PlanError as error:
        return PlanReport(success=False, text=f"The plan cannot be read: {quoted(str(error), 300)}")
    critique = critique_of(run, oracle=_SilentOracle(), regret=False)
    if goal == "fix":
        critique = replace(critique, efficiency=replace(critique.efficiency, text=""))
    return PlanReport(run.success, critique.prose())


def is_content(message: str) -> bool:
    r"""Return True if a model retains its plan.

    >>> is_content("Nothing can be moved.\nAction: **Done**."), is_content("Done with step 1, the rest follows")
    (True, False)
    """
    last_line = message.strip().rpartition("\n")[2]
    words = last_line.strip(" .*`\"'").lower().removeprefix("action:")
    return words.strip(" .*`\"'") == _CONTENT
