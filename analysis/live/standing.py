"""How well an agent does so far, for who waits for the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planoracle.analysis.live.playing import Playing
from planoracle.analysis.profiles import profiles
from planoracle.instances import registry
from planoracle.instances.problem import Problem
from planoracle.solver.known import known

__all__ = ["Standing"]


class Standing:
    """Success, and gap of the successes to those proved optima that ship, over the episodes so far.

    Examples
    --------
    >>> from planoracle.instances.catalogue import load
    >>> found = Standing(Playing())
    >>> found.add(load("recipe2plan/timed/Cobbler_Pancakes"), {"success": True, "makespan": 4590})
    >>> found.add(load("recipe2plan/timed/Cobbler_Pancakes"), {"success": False, "makespan": None})
    >>> found.add(load("recipe2plan/timed/Cobbler_Pancakes"), {"success": None, "makespan": None, "failure": "timeout"})
    >>> print(found)
    success 50 %, gap +12.5 %, 1 failed
    """

    def __init__(self, playing: Playing) -> None:
        self._rules = profiles(playing.profile, dict(playing.rules))
        self._judged = self._good = self._failed = 0
        self._gaps: list[float] = []

    def __str__(self) -> str:
        said = [f"success {self._good / self._judged:.0%}".replace("%", " %")] if self._judged else []
        if self._gaps:
            said.append(f"gap {100 * sum(self._gaps) / len(self._gaps):+.1f} %")
        return ", ".join(said + ([f"{self._failed} failed"] if self._failed else []))

    def add(self, problem: Problem, record: Mapping[str, Any]) -> None:
        """Count an episode, see `planoracle.analysis.live.playing.Record`."""
        if "failure" in record:
            self._failed += 1
            return
        self._judged += 1
        if not record["success"]:
            return
        self._good += 1
        best = self._optimum(problem)
        if best and record["makespan"] is not None:
            self._gaps.append(record["makespan"] / best - 1)

    def _optimum(self, problem: Problem) -> int | None:
        rules = self._rules[problem.benchmark]
        if problem.kind == "schedule":  # the rules are in it
            found = known(registry.of(problem).under(problem, rules))
        else:
            found = known(problem, rules.deciding())
        return found.makespan if found is not None and found.status.settled else None
