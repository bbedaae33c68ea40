"""What an exact answer says of a problem, whichever solver gives it."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """What is known about the best solution; a text, and shown as one.

    Attributes
    ----------
    optimal
        There is a solution, and none is better: proved.
    feasible
        There is a solution; whether it is best is not known.
    infeasible
        There is no solution: proved.
    unknown
        Neither found nor excluded.

    Examples
    --------
    >>> Status.feasible, f"{Status.feasible}", Status.feasible == "feasible", Status("optimal").settled
    ('feasible', 'feasible', True, True)
    """

    optimal = "optimal"
    feasible = "feasible"
    infeasible = "infeasible"
    unknown = "unknown"

    __repr__ = str.__repr__  # in results, as in files, it is the plain word

    @property
    def settled(self) -> bool:
        """Whether more time could not change it: ``optimal`` or ``infeasible``."""
        return self in (Status.optimal, Status.infeasible)
