"""Dishes in a few words: what must be true once they are served, and what food is like before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from planoracle.instances.errors import InputError
from planoracle.instances.kitchens.kitchen import Atom

#: What can be asked of a part of a dish.
PREPARED: Final = {"cut": "iscut", "cooked": "iscooked", "fried": "isfried"}
#: Predicates of food nobody has touched yet, by kind.
RAW: Final[dict[str, tuple[str, ...]]] = {
    "bread": (),
    "bottombun": (),
    "topbun": (),
    "cheese": (),
    "lettuce": ("iscuttable",),
    "tomato": ("iscuttable",),
    "onion": ("iscuttable", "isfryableifcut"),
    "potato": ("iscuttable", "isfryableifcut"),
    "patty": ("iscookable",),
    "chicken": ("iscookable", "isfryable"),
}
_SOUP: Final = "soup:"


def served(dishes: Iterable[str]) -> list[Atom]:
    """Return the conditions of a goal that asks for dishes, each on a table of its own.

    Parameters
    ----------
    dishes
        ``"bread, cut lettuce, cooked chicken, bread"``: the first part lies on the table, the last is on top, what is
        between them may be in any order. ``"bread / cheese / bread"``: exactly this order. ``"cut fried potato"``: one
        thing, on the table. ``"soup: potato, cut onion"``: in boiling water, in a bowl.

    Raises
    ------
    InputError
        For a part that is more than a kind of food and words of `PREPARED`.

    Examples
    --------
    >>> served(["cut potato"])
    [('iscut', 'potato#1'), ('item_on', 'potato#1', 'table#1')]
    >>> served(["bread, cheese, bread"])[1:]
    [('item_at', 'cheese#1', 'table#1'), ('item_at', 'bread#2', 'table#1'), ('clear', 'bread#2')]
    """
    found: list[Atom] = []
    count: Counter[str] = Counter()

    def role(kind: str) -> str:
        count[kind] += 1
        return f"{kind}#{count[kind]}"

    def parts(text: str, mark: str) -> list[str]:
        roles = []
        for part in text.split(mark):
            *ways, kind = part.split() or [""]
            if kind not in RAW or not set(ways) <= set(PREPARED):
                raise InputError("is no part of a dish", field="goal", value=part.strip())
            roles.append(role(kind))
            found.extend((PREPARED[way], roles[-1]) for way in ways)
        return roles

    for dish in dishes:
        table = role("table")
        if dish.startswith(_SOUP):
            water, bowl = role("water"), role("bowl")
            found += [("addedto", part, water) for part in parts(dish.removeprefix(_SOUP), ",")]
            found += [("isboiling", water), ("in", water, bowl), ("container_at", bowl, table)]
            continue
        strict = "/" in dish
        stack = parts(dish, "/" if strict else ",")
        found.append(("item_on", stack[0], table))
        if strict:
            found += [("atop", upper, lower) for lower, upper in pairwise(stack)]
        else:
            found += [("item_at", part, table) for part in stack[1:]]
        if len(stack) > 1:
            found.append(("clear", stack[-1]))
    return found
