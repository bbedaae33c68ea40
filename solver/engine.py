"""Protocol of engines, and the engine for the problems of each kind."""

from __future__ import annotations

from typing import Any, Protocol

from planoracle.instances.errors import InputError
from planoracle.instances.problem import Problem, a_problem
from planoracle.instances.profiles import Rules
from planoracle.solver.result import Options, Result


class Engine(Protocol):
    """Solves the problems of one kind; a module."""

    def solve(self, problem: Problem, options: Options) -> Result:
        """Solve a problem; raises `InputError` for options that make no sense for its kind."""

    def deciding(self, rules: Rules | None) -> Rules | None:
        """Return the rules as far as they decide which plans are best, the usual ones for ``None``."""

    def packed(self, problem: Problem, rules: Rules | None, result: Result) -> dict[str, Any]:
        """Return what of a result must be kept, as compact JSON, so that `unpacked` makes it again."""

    def unpacked(self, problem: Problem, rules: Rules | None, entry: dict[str, Any]) -> Result:
        """Return the result that was packed, its plan replayed by the rules; raises some error if it does not hold."""


def engine_of(problem: Problem) -> Engine:
    """Return the engine for a problem, by its kind; only this engine is imported.

    Raises
    ------
    InputError
        If there is no engine for problems of its kind.
    """
    if a_problem(problem).kind == "schedule":
        from planoracle.solver.exact import engine as exact

        return exact
    if problem.kind == "kitchen":
        from planoracle.solver.kitchens import engine as kitchens

        return kitchens
    if problem.kind == "floor":
        from planoracle.solver.floors import engine as floors

        return floors
    raise InputError(f"{problem.name} must be a schedule, a kitchen or a floor", field="kind", value=problem.kind)
