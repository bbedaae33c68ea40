"""The critic of drafts: what `planoracle.analysis.critique` says of a plan, without what only a solver knows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planoracle.analysis.critique import critique_of
from planoracle.analysis.oracle import Oracle
from planoracle.instances.benchmark import AnyRun
from planoracle.instances.problem import Problem
from planoracle.instances.profiles import Rules
from planoracle.instances.scoring import Best
from planoracle.instances.status import Status

__all__ = ["said_of"]


@dataclass(frozen=True, slots=True)
class _Nothing:
    """What is known about the best plans if nobody has looked for them."""

    status: Status = Status.unknown
    makespan: int | None = None
    lower_bound: int | None = None
    plan: str | None = None


class _Unasked(Oracle):
    """An oracle that tells nothing: how good a plan could be is for the model to find out."""

    def best(self, problem: Problem, rules: Rules) -> Best:
        return _Nothing()


def said_of(run: AnyRun, *, efficiency: bool = False) -> str:
    """Return what a critic says of a plan: all its faults, and, if that is asked for, where time is lost.

    Examples
    --------
    >>> from planoracle.instances import registry
    >>> from planoracle.instances.catalogue import load
    >>> problem = load("recipe2plan/timed/Cobbler_Pancakes")
    >>> run = registry.of(problem).run(problem, "Step(0, Cobbler, 10 min, 0:00) Step(6, Soup, 1 min, 0:10)")
    >>> print(said_of(run).splitlines()[1])
    Unknown steps: Command 2 names the recipe "Soup"; there are Cobbler and Pancakes. Use the recipes and step numbers \
you were given.
    """
    found = critique_of(run, oracle=_Unasked(), regret=False)
    if not efficiency:
        found = replace(found, efficiency=replace(found.efficiency, text=""))
    return found.prose()
