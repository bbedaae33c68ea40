"""Costs of pots and other vessels, as `..vessel_costs` has them, in numbers."""

from __future__ import annotations

from typing import Any

from planoracle.solver.kitchens.compiled.costs import BOIL, FAR, FILL, effort, free_at, holder_at, taken, where
from planoracle.solver.kitchens.compiled.lookup import (
    BOILS,
    CONTAINERS,
    DOES,
    FILLS,
    G_MEALS,
    G_VESSELS,
    ITEMS,
    M_ASKED,
    M_BOILED,
    M_VESSEL,
    V_FITS,
    V_POT,
    VESSELS,
    compiled,
    look,
    look_at,
)
from planoracle.solver.kitchens.compiled.numbers import EFFECTS, GONE, MEALS, places
from planoracle.solver.kitchens.compiled.tables import SINK, STOVE

__all__ = ["soups", "standing"]


@compiled
def _cooked(
    fixed: Any, row: Any, room: Any, meal: int, pot: int, vessel: int, fill: bool, boil: bool, adds: int
) -> int:
    _, _, containers, _, _ = places(fixed)
    total = walks = 0
    at = row[containers + 2 * pot]
    held = at < 0
    own = holder_at(fixed, row, fixed[ITEMS] + pot)
    if not held:
        exists = not fill
        if fill and look(fixed, DOES, at) == SINK:
            acts, pause = effort(fixed, row, pot, FILL, at)
            total += acts
            walks += pause if acts or free_at(fixed, row, room, at) else 0
            exists, fill = True, False
        elif boil and not fill and look(fixed, DOES, at) == STOVE:
            acts, pause = effort(fixed, row, meal, BOIL, at)
            total += acts
            walks += pause if acts or free_at(fixed, row, room, at) else 0
            exists, boil = True, False
        if not free_at(fixed, row, room, at):
            if exists:
                walks += 1
            else:
                total += 1
        total += 1
    near = False
    if held and (fill or boil) and taken(fixed, room, SINK if fill else STOVE):
        total += 3
        held = False
    for process in (FILL, BOIL):
        if (process == FILL and fill) or (process == BOIL and boil):
            near = held and look(fixed, DOES, own) & where(process) != 0
            acts, pause = effort(fixed, row, pot if process == FILL else meal, process, -1)
            total += 3 + acts - (1 if near else 0)
            walks += pause
            held = False
    carry = 0 if held and row[containers + 2 * vessel] == own else 1
    return total + carry + 1 + max(0, walks - adds)


@compiled
def _again(fixed: Any, boil: bool, adds: int) -> int:
    """Return the steps of a pot from the vessel that it has been poured into, filled once more, to another."""
    total, walks = 0, 0
    for process in (FILL, BOIL):
        if process == FILL or boil:
            total += 4
            walks += 1 if (fixed[FILLS] if process == FILL else fixed[BOILS]) > 1 else 0
    return total + 2 + max(0, walks - adds)


@compiled
def _soup(fixed: Any, row: Any, g: int, room: Any, place: int) -> tuple[int, int]:
    """Return the steps of the pot from where it is until the meal is in its vessel.

    And how many of them there are not if the pot is in a hand because another meal has just been poured from it; -1 if
    the meal is in a pot already, -2 if it is in its vessel, or never will be.
    """
    _, items, _, meals, _ = places(fixed)
    meal, vessel = look_at(fixed, G_MEALS, g, place), look_at(fixed, G_VESSELS, g, look(fixed, M_VESSEL, place))
    there = 0 <= meal < row[MEALS]
    pot = row[meals + 2 * meal] if there else -1
    adds = look(fixed, M_ASKED, place)
    for i in range(fixed[ITEMS]):
        if row[items + 3 * i] == GONE and row[items + 3 * i + 1] == meal:
            adds -= 1
    adds = max(0, adds)
    boil = look(fixed, M_BOILED, place) != 0 and not (there and row[meals + 2 * meal + 1])
    if pot >= 0 and not look(fixed, VESSELS, pot) & 1:
        boils = not boil or effort(fixed, row, meal, BOIL, -1)[0] == 0
        return (0 if pot == vessel and not adds and boils else FAR), -2
    if pot >= 0:
        return _cooked(fixed, row, room, meal, pot, vessel, False, boil, adds), -1
    least = FAR
    for c in range(fixed[CONTAINERS]):
        if look(fixed, VESSELS, c) & 1:
            least = min(least, _cooked(fixed, row, room, meal, c, vessel, True, boil, adds))
    return least, max(0, least - _again(fixed, boil, adds)) if least < FAR else 0


@compiled
def _doubled(fixed: Any, row: Any) -> bool:
    """Whether some pot holds two meals, or may without being emptied before: it is being filled at two sinks, say."""
    _, _, _, meals, effects = places(fixed)
    for c in range(fixed[CONTAINERS]):
        many = 0
        for m in range(row[MEALS]):
            many += 1 if row[meals + 2 * m] == c else 0
        for n in range(row[EFFECTS]):
            e = effects + 4 * n
            many += 1 if row[e] == 4 and row[e + 1] == c else 0
        if many > 1 and look(fixed, VESSELS, c) & 1:
            return True
    return False


@compiled
def soups(fixed: Any, row: Any, g: int, room: Any) -> tuple[int, int]:
    """Return the steps of pots until all meals are in their vessels, and how many of them pots that serve again spare.

    If no meal is in a pot yet, some pot is filled for the first time. Two meals in one pot are carried together.
    """
    most, many = 0, 0
    total, again, once, filled = 0, 0, FAR, False
    for place in range(fixed[M_BOILED + 1]):
        vessel = look(fixed, M_VESSEL, place)
        if vessel >= 0 and not look(fixed, V_POT, vessel):
            cost, spared = _soup(fixed, row, g, room, place)
            total += cost
            most, many = max(most, cost), many + 1
            filled = filled or spared == -1
            if spared >= 0:
                again, once = again + spared, min(once, spared)
    if many > 1 and _doubled(fixed, row):
        return most, 0
    return total, again - (0 if filled else min(once, again))


@compiled
def standing(fixed: Any, row: Any, room: Any, place: int, vessel: int) -> int:
    """Return the steps of a container that must stand somewhere."""
    _, _, containers, _, _ = places(fixed)
    at = row[containers + 2 * vessel]
    if at < 0:
        return 1 if look_at(fixed, V_FITS, place, holder_at(fixed, row, fixed[ITEMS] + vessel)) else 2
    if look_at(fixed, V_FITS, place, at):
        return 0
    return 3 + (1 if room[3, at] < 0 else 0)
