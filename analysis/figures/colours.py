"""Colours of tasks, lines and methods in all figures and in the report.

This module imports no large package, because the report page uses it, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import count

from planoracle.heuristics.registry import names

#: Okabe and Ito's colours, ordered so that neighbours also differ in grey, and the first three each from each; then
#: darker and lighter ones.
PALETTE = (
    *("#0072b2", "#e69f00", "#f0e442", "#009e73", "#56b4e9", "#d55e00", "#cc79a7"),
    *("#00446b", "#f5dba6", "#005f45", "#fafad0", "#803800", "#bbe1f6", "#7a4964"),
)
#: Colours dark enough for lines on white.
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#202020", "#e69f00", "#56b4e9", "#7a4964")

# Before the heuristics, which have their places in the order of their registry.
_FIRST = ("submission", "reference", "optimum", "improve", "best_heuristic")


@cache
def _places() -> dict[str, int]:
    first = {name: place for place, name in enumerate(_FIRST)}
    free = _others(count(len(_FIRST)))
    return first | {name: next(free) for name in names() if name not in first}


def _others(places: Iterable[int]) -> Iterator[int]:
    """Return the places without those in the colour of the optimum, which is reserved."""
    own = _FIRST.index("optimum")
    return (place for place in places if place % len(LINES) != own)


def numbers(names: Sequence[str]) -> list[int]:
    """Return the number of each name, which selects colour, dashes and marks; methods have fixed numbers.

    Other names, such as those of agents, have the remaining numbers, in their order.

    Examples
    --------
    >>> numbers(["optimum", "serial-lpt"])[0] == numbers(["improve", "optimum"])[1]
    True
    >>> numbers(["Ann", "optimum", "Bob"])
    [0, 2, 1]
    """
    places = _places()
    used = {places[name] for name in names if name in places}
    free = (i for i in _others(count()) if i not in used)
    return [places[name] if name in places else next(free) for name in names]


def method_colour(name: str) -> str:
    """Return the colour of a method.

    >>> method_colour("submission"), method_colour("optimum")
    ('#0072b2', '#009e73')
    """
    return LINES[numbers([name])[0] % len(LINES)]


def plan_colour(title: str) -> str:
    """Return the colour of a plan by its name: of a heuristic, of the optimum, or else of a submission.

    >>> plan_colour("optimal plan") == method_colour("optimum"), plan_colour("mine") == method_colour("submission")
    (True, True)
    """
    best = title.removesuffix(" plan") in ("optimal", "feasible", "optimum")
    return method_colour("optimum" if best else title if title in _places() else "submission")
