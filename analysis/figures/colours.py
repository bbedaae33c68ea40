"""Colours of tasks, lines and methods in all figures and in the report.

This module imports no large package, because the report page uses it, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from colorsys import hls_to_rgb
from functools import cache
from itertools import chain, count

from planoracle.heuristics.registry import names

#: Okabe and Ito's colours, ordered so that neighbours also differ in grey, and the first three each from each; then
#: darker and lighter ones.
PALETTE = (
    *("#0072b2", "#e69f00", "#f0e442", "#009e73", "#56b4e9", "#d55e00", "#cc79a7"),
    *("#00446b", "#f5dba6", "#005f45", "#fafad0", "#803800", "#bbe1f6", "#7a4964"),
)
#: Colours dark enough for lines on white.
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#202020", "#e69f00", "#56b4e9", "#7a4964")
# Further colours of one figure, as far from these and from each other as lines allow.
_MORE = ("#b22222", "#8db600", "#6a51a3", "#8b6914", "#00b3b3", "#909090", "#ff4fa3", "#004d40")
# Turn of the hue between neighbours, in circles; the golden ratio keeps any number of hues apart.
_TURN = 0.618034

# Before the heuristics, which have their places in the order of their registry.
_FIRST = ("submission", "reference", "optimum", "improve", "best_heuristic")


@cache
def _places() -> dict[str, int]:
    places = {name: place for place, name in enumerate(_FIRST)}
    free = _without_reserved(count(len(_FIRST)))
    for name in names():
        if name not in places:
            places[name] = next(free)
    return places


def _without_reserved(places: Iterable[int]) -> Iterator[int]:
    """Return the places without those in the colour of the optimum, which is reserved."""
    reserved = _FIRST.index("optimum")
    return (place for place in places if place % len(LINES) != reserved)


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
    free = (i for i in _without_reserved(count()) if i not in used)
    return [places[name] if name in places else next(free) for name in names]


def method_colour(name: str) -> str:
    """Return the usual colour of a method.

    >>> method_colour("submission"), method_colour("optimum")
    ('#0072b2', '#009e73')
    """
    return LINES[numbers([name])[0] % len(LINES)]


def method_colours(names: Sequence[str]) -> list[str]:
    """Return a different colour for each method of a figure: the usual one, unless another method has it.

    The order of the names does not matter.

    Examples
    --------
    >>> method_colours(["submission", "optimum"]) == [method_colour("submission"), method_colour("optimum")]
    True
    >>> len(set(method_colours([f"model {k}" for k in range(60)])))
    60
    """
    places = dict(zip(names, numbers(names), strict=True))
    colours: dict[str, str] = {}
    for name in sorted(places, key=places.__getitem__):
        usual = LINES[places[name] % len(LINES)]
        if usual not in colours.values():
            colours[name] = usual
    used = {*colours.values(), method_colour("optimum")}
    free = (colour for colour in distinct_colours(LINES) if colour not in used)
    for name in sorted(places, key=places.__getitem__):
        if name not in colours:
            colours[name] = next(free)
    return [colours[name] for name in names]


def distinct_colours(first: Iterable[str] = PALETTE) -> Iterator[str]:
    """Yield colours without end, no two the same: the first ones, further chosen ones, and then any hue.

    Examples
    --------
    >>> from itertools import islice
    >>> len({*islice(distinct_colours(), 200)})
    200
    """
    used = set()
    computed = (_of_hue(place) for place in count())
    for colour in chain(first, _MORE, computed):
        if colour not in used:
            used.add(colour)
            yield colour


def _of_hue(place: int) -> str:
    """Return the colour at a place in an endless list of hues, in three degrees of lightness."""
    lightness = (0.35, 0.5, 0.65)[place % 3]
    parts = hls_to_rgb(place * _TURN % 1, lightness, 0.7)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def plan_colours(titles: Sequence[str]) -> list[str]:
    """Return a different colour for each plan of a figure: of a method by its name, else of a submission.

    >>> plan_colours(["optimal plan", "mine"]) == [method_colour("optimum"), method_colour("submission")]
    True
    >>> len(set(plan_colours(["mine.txt", "yours.txt"])))
    2
    """
    methods: list[str] = []
    for title in titles:
        is_best = title.removesuffix(" plan") in ("optimal", "feasible", "optimum")
        named = title if title in _places() else "submission"
        method = "optimum" if is_best else named
        methods.append(f"plan {len(methods)}" if method in methods else method)
    return method_colours(methods)
