"""Problems as tasks: how a worker solves them, and what their results depend on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from planoracle.analysis.batch.tasks import Item, Row
from planoracle.analysis.batch.worker import report
from planoracle.analysis.profiles import profiles
from planoracle.instances import registry
from planoracle.instances.memo import FORMAT, digest, fingerprint
from planoracle.instances.problem import Problem
from planoracle.instances.profiles import Rules
from planoracle.solver.result import versions
from planoracle.solver.solve import solve

# Keys under which every row has text, and all that every row has.
_TEXTS = ("instance", "status", "unit")
_ROW = {"instance", "status", "makespan", "lower_bound", "unit", "seconds", "proof", "plan", "versions"}


def is_row(row: Any) -> bool:
    """Return whether an object is a row of `Solving`."""
    return isinstance(row, dict) and row.keys() >= _ROW and all(isinstance(row[name], str) for name in _TEXTS)


@dataclass(frozen=True)
class Solving:
    """Solve problems exactly; the options of `planoracle.solver.solve.solve`.

    Attributes
    ----------
    profile, rules
        By which rules, and single ones of these, see `planoracle.analysis.profiles.profiles`; without a profile those
        that the solver takes by itself.
    """

    time_limit: float = 60.0
    seed: int = 0
    workers: int = 1
    finest: bool = False
    profile: str | None = None
    rules: tuple[tuple[str, str], ...] = ()
    versions: tuple[tuple[str, str], ...] = tuple(versions().items())
    fewest_pieces: bool = False

    def item(self, problem: Problem, *, is_keyed: bool) -> Item:
        """Return the item of a problem, with a key if its result is to be kept."""
        options: tuple[object, ...] = (self.time_limit, self.seed, self.workers, self.finest)
        if self.profile is not None:
            options += (self.profile, self.rules)
        if self.fewest_pieces:
            options += ("fewest pieces",)
        key = digest("solve", FORMAT, options, self.versions, fingerprint(problem)) if is_keyed else None
        return Item(problem, problem, key)

    def start(self) -> Callable[[Problem], Row]:
        """Return the function that solves one problem and reports improvements meanwhile."""
        return self._answer

    @cached_property
    def _profiles(self) -> dict[str, Rules]:
        return profiles(self.profile or "", dict(self.rules))

    def _answer(self, problem: Problem) -> Row:
        options: dict[str, Any] = {"seed": self.seed, "workers": self.workers, "finest": self.finest}
        if self.fewest_pieces:
            options["fewest_pieces"] = True
        if self.profile is not None:
            rules = self._profiles[problem.benchmark]
            if problem.kind == "schedule":  # its rules are in the problem
                problem = registry.of(problem).under(problem, rules)
            else:
                options["rules"] = rules
        result = solve(problem, time_limit=self.time_limit, told=_report, **options)
        return Row(json.dumps(result.as_dict()))


def _report(makespan: int | None, bound: int) -> None:
    report((makespan, bound))
