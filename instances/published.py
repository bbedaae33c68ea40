"""Tables that papers print about their own benchmarks, beside what the same figures are of the data that we have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

__all__ = ["Figure", "Optimum", "Published", "mean_of"]

#: Returns the proved least makespan of a problem by its name, in ticks; ``None`` if it is not proved.
Optimum: TypeAlias = Callable[[str], int | None]


class Figure(NamedTuple):
    """One figure of a table.

    Attributes
    ----------
    what
        What it is of, in a few words.
    paper
        What is printed; ``None`` if our copy of the paper does not show it.
    ours
        The same of our data; ``None`` if there is nothing to take it of.
    digits
        Decimals that are printed.
    note
        How it is counted where that is not plain, or why the two differ.
    """

    what: str
    paper: float | None
    ours: float | None
    digits: int = 0
    note: str = ""

    @property
    def difference(self) -> float | None:
        """Ours less the paper's, both with the decimals that are printed."""
        if self.paper is None or self.ours is None:
            return None
        return round(round(self.ours, self.digits) - self.paper, self.digits)

    def row(self) -> dict[str, Any]:
        """Return it as a row of a table.

        >>> Figure("tasks", 30, 30).row()["difference"], Figure("minutes", 12.8, 13.24, 1).row()["difference"]
        (0, 0.4)
        """

        def shown(value: float | None) -> float | None:
            return None if value is None else round(value, self.digits or None)

        values = {"paper": shown(self.paper), "ours": shown(self.ours), "difference": shown(self.difference)}
        return {"figure": self.what, **values, "note": self.note}


class Published(NamedTuple):
    """A table of a paper: its number, what it is about, and its figures, worked out when they are asked for."""

    name: str
    about: str
    figures: Callable[[Optimum], Sequence[Figure]]


def mean_of(values: Iterable[float | None]) -> float | None:
    """Return the mean, ``None`` if there is none or a value is not known.

    >>> mean_of([1, 2]), mean_of([1, None]), mean_of([])
    (1.5, None, None)
    """
    found = list(values)
    known = [value for value in found if value is not None]
    return sum(known) / len(known) if known and len(known) == len(found) else None
