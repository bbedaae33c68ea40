"""Linear program of shares, solved by GLOP of OR-Tools; rows are generated while a set exceeds 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from planoracle.instances.model.limits import Deadline

# Largest number of rows, and share 1 as an integer for the search for a set.
_MAX_ROWS, _UNIT = 500, 10**6
# Tolerance of sums of shares, which are integers in the search with an error of half a unit each.
_TOLERANCE = 1e-4
# Counted work (seconds) of a cell.
_SECONDS_PER_CELL = 1e-7


class LinearProgram:
    """Shares between 0 and 1 with the largest weighted sum, of which some sets have at most 1 in all.

    Examples
    --------
    >>> program = LinearProgram({1: 3, 2: 2})
    >>> program.at_most_one([1, 2])
    >>> program.shares()
    {1: 1.0, 2: 0.0}
    """

    def __init__(self, weights: Mapping[int, int]) -> None:
        # Imported late: the import takes longer than many proofs.
        from ortools.linear_solver import pywraplp  # type: ignore[import-untyped]

        self._solver = pywraplp.Solver.CreateSolver("GLOP")
        self._share = {key: self._solver.NumVar(0.0, 1.0, "") for key in weights}
        objective = self._solver.Objective()
        objective.SetMaximization()
        for key, weight in weights.items():
            objective.SetCoefficient(self._share[key], float(weight))
        self.rows = 0

    def at_most_one(self, keys: Iterable[int]) -> None:
        """Let the shares of a set be at most 1 in all."""
        row = self._solver.Constraint(0.0, 1.0)
        for key in keys:
            row.SetCoefficient(self._share[key], 1.0)
        self.rows += 1

    def shares(self) -> dict[int, float]:
        """Return the best shares."""
        self._solver.Solve()
        return {key: share.solution_value() for key, share in self._share.items()}


def best_shares(
    weights: Mapping[int, int], heaviest_set: Callable[[dict[int, int]], list[int] | None], deadline: Deadline
) -> dict[int, float] | None:
    """Return the best shares of which no set has more than 1; ``None`` at the end of a limit.

    Parameters
    ----------
    weights
        Weights of the shares in the sum that is maximized.
    heaviest_set
        Function that returns the set with the largest sum of integer shares, ``None`` at the end of its limit.
    """
    program = LinearProgram(weights)
    while program.rows < _MAX_ROWS:
        deadline.check(_SECONDS_PER_CELL * len(weights) * program.rows)
        shares = program.shares()
        heaviest = heaviest_set({key: round(share * _UNIT) for key, share in shares.items()})
        if heaviest is None:
            return None
        if sum(shares[key] for key in heaviest) <= 1 + _TOLERANCE:
            return shares
        program.at_most_one(heaviest)
    return None
