"""Linear programmes whose bound does not depend on how exactly they were solved.

The bound is worked out anew from the duals that the solver returns: for *any* prices ``y`` of the rows the least of
``c x`` is at least the value of the rows at these prices plus what the variables, each within its finite limits, can
take away from it (weak duality). So a solver that stops early, or rounds, only makes the bound smaller.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import Any, TypeAlias

__all__ = ["Programme", "Terms"]

#: Coefficients and variables.
Terms: TypeAlias = Iterable[tuple[float, int]]

# What floating sums may be wrong by, far above what they are.
_GRAIN = 1e-3
_INFINITE = float("inf")


class Programme:
    """Variables from 0, rows, and the least of one variable."""

    def __init__(self) -> None:
        self._most: list[float] = []
        self._rows: list[tuple[float, float, list[tuple[float, int]]]] = []

    def variable(self, most: float) -> int:
        """Return a new variable from 0 to a finite limit."""
        self._most.append(most)
        return len(self._most) - 1

    def row(self, terms: Terms, least: float = -_INFINITE, most: float = _INFINITE) -> None:
        """Ask that a sum is within limits."""
        self._rows.append((least, most, list(terms)))

    def bound(self, goal: int, work: float) -> int | None:
        """Return a valid lower bound of a variable, a whole number; ``None`` if none was found with so much work."""
        from ortools.linear_solver import pywraplp  # type: ignore[import-untyped]

        solver = pywraplp.Solver.CreateSolver("GLOP")
        made = [solver.NumVar(0, most, "") for most in self._most]
        rows = []
        for least, most, terms in self._rows:
            row = solver.RowConstraint(max(least, -solver.infinity()), min(most, solver.infinity()), "")
            sums: dict[int, float] = {}
            for factor, one in terms:
                sums[one] = sums.get(one, 0) + factor
            for one, factor in sums.items():
                row.SetCoefficient(made[one], factor)
            rows.append(row)
        solver.Minimize(made[goal])
        solver.SetSolverSpecificParametersAsString(f"max_deterministic_time: {work}")
        if solver.Solve() not in (pywraplp.Solver.OPTIMAL, pywraplp.Solver.FEASIBLE):
            return None
        return ceil(self._safe(goal, rows) - _GRAIN)

    def _safe(self, goal: int, rows: list[Any]) -> float:
        rest = [0.0] * len(self._most)
        rest[goal] = 1.0
        total = 0.0
        for row, (least, most, terms) in zip(rows, self._rows, strict=True):
            price = row.dual_value()
            if (price > 0 and least == -_INFINITE) or (price < 0 and most == _INFINITE):
                price = 0.0
            if price:
                total += price * (least if price > 0 else most)
                for factor, one in terms:
                    rest[one] -= price * factor
        return total + sum(min(0.0, each * most) for each, most in zip(rest, self._most, strict=True))
