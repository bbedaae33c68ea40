"""Minimising one sum after the other, each held at the best value found before the next is looked at."""

from __future__ import annotations

from collections.abc import Sequence

from planoracle.instances.deadline import Deadline, Status
from planoracle.solver.exact.cp import FAR, Model, Outcome, run

#: A sum: pairs of a variable and its coefficient.
Terms = Sequence[tuple[int, int]]

# One worker throughout and effort in CP-SAT's own time, so that answers do not depend on the machine's speed.
_LADDER: tuple[tuple[dict[str, int], float | None], ...] = (
    ({"core": True}, 0.05),
    ({"presolve": True, "linearization": 1}, 0.5),
    ({}, 0.5),
    ({"presolve": True, "linearization": 1}, None),
)
_FIXED = 0.05
# Sums of which no more values are possible are looked at by cores. These raise a bound one by one, with clauses for
# each of the values before: 10,000 take minutes and gigabytes that CP-SAT does not count.
_NEAR = 1_000


class Lexicographic:
    """A model being solved for several objectives in order of importance.

    Attributes
    ----------
    solution
        The best so far, ``None`` if there is none.
    infeasible
        Whether it is proved, with presolve on and off, that there is none.
    """

    def __init__(self, model: Model, deadline: Deadline) -> None:
        self.model = model
        self.deadline = deadline
        self.solution: list[int] | None = None
        self.infeasible = False

    def minimize(self, terms: Terms, share: float = 1.0) -> bool:
        """Minimise a sum, hold it at the value found, and return whether that is proved to be least.

        Parameters
        ----------
        share
            Of the time left.
        """
        if self.infeasible:
            return False
        until = self.deadline.sooner(share * self.deadline.left())
        proved = False
        for options, effort in _LADDER:
            if until.left() <= 0 or proved or self.infeasible:
                break
            if options.get("core") and self._values(terms) > _NEAR:
                continue
            self.model.minimize_sum(terms)
            if self.solution is not None:
                self.model.hint(self.solution)
            found = run(self.model, deadline=until, deterministic=effort, **options)  # type: ignore[arg-type]
            if found.status == Status.infeasible and self.solution is None:
                self._confirm(presolved="presolve" in options)
            proved = found.status == Status.optimal
            self._take(found, terms)
        if self.solution is not None:
            self.model.linear(terms, -FAR, self.value(terms))
        return proved and self.solution is not None

    def _values(self, terms: Terms) -> int:
        """Return how many values a sum may have, at most."""
        domains = self.model.domains()
        return sum(abs(factor) * (domains[variable][1] - domains[variable][0]) for variable, factor in terms)

    def value(self, terms: Terms) -> int:
        """Return what a sum is in the solution."""
        assert self.solution is not None
        return sum(coefficient * self.solution[variable] for variable, coefficient in terms)

    def smallest_in_order(self, variables: Sequence[int]) -> bool:
        """Take the solution in which these variables are lexicographically smallest, if it is found soon."""
        if self.deadline.left() <= 0 or self.infeasible:
            return False
        self.model.drop_objective()
        self.model.search_in_order(variables)
        self.model.hint(())
        found = run(self.model, deadline=self.deadline, fixed_search=True, deterministic=_FIXED)
        if found.status == Status.infeasible and self.solution is None:
            self._confirm(presolved=False)
        if not found.solution:
            return False
        self.solution = found.solution
        return True

    def _take(self, found: Outcome, terms: Terms) -> None:
        if found.solution:
            known, self.solution = self.solution, found.solution
            if known is not None and self.value(terms) > sum(c * known[v] for v, c in terms):
                self.solution = known

    def _confirm(self, *, presolved: bool) -> None:
        """Believe in infeasibility only if CP-SAT says so with presolve both on and off."""
        self.model.drop_objective()
        second = run(self.model, deadline=self.deadline.within(max(1.0, self.deadline.left())), presolve=not presolved)
        self.infeasible = second.status == Status.infeasible
        if second.solution:
            self.solution = second.solution
