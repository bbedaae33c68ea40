"""Costs of pots and other vessels, as `..vessel_costs` has them, in numbers."""

from __future__ import annotations

from typing import Any

from planoracle.solver.kitchens.compiled.costs import BOIL, FAR, FILL, anybody_at, effort, taken, where
from planoracle.solver.kitchens.compiled.lookup import (
    ALONE,
    CONTAINERS,
    DOES,
    G_MEALS,
    G_VESSELS,
    ITEMS,
    M_ASKED,
    M_BOILED,
    M_VESSEL,
    PLAYERS,
    V_FITS,
    VESSELS,
    compiled,
    look,
    look_at,
)
from planoracle.solver.kitchens.compiled.numbers import GONE, HEAD, MEALS, places
from planoracle.solver.kitchens.compiled.tables import SINK, STOVE

__all__ = ["soup", "standing"]


@compiled
def _cooked(
    fixed: Any, row: Any, room: Any, meal: int, pot: int, vessel: int, fill: bool, boil: bool, adds: int
) -> int:
    _, _, containers, _, _ = places(fixed)
    total = walks = 0
    at = row[containers + 2 * pot]
    held = at < 0
    if not held:
        exists = not fill
        if fill and look(fixed, DOES, at) == SINK:
            acts, pause = effort(fixed, row, pot, FILL, at)
            total += acts
            walks += pause if acts or room[3, at] >= 0 else 0
            exists, fill = True, False
        elif boil and not fill and look(fixed, DOES, at) == STOVE:
            acts, pause = effort(fixed, row, meal, BOIL, at)
            total += acts
            walks += pause if acts or room[3, at] >= 0 else 0
            exists, boil = True, False
        if room[3, at] < 0:
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
            near = held and anybody_at(fixed, row, where(process))
            acts, pause = effort(fixed, row, pot if process == FILL else meal, process, -1)
            total += 3 + acts - (1 if near else 0)
            walks += pause
            held = False
    stands = row[containers + 2 * vessel]
    near = held and stands >= 0 and room[3, stands] >= 0
    carry = 0 if near or not fixed[ALONE] else 1
    return total + carry + 1 + max(0, walks - adds)


@compiled
def soup(fixed: Any, row: Any, g: int, room: Any, place: int) -> int:
    """Return the steps of the pot from where it is until the meal is in its vessel."""
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
        return 0 if pot == vessel and not adds and boils else FAR
    if pot >= 0:
        return _cooked(fixed, row, room, meal, pot, vessel, False, boil, adds)
    least = FAR
    for c in range(fixed[CONTAINERS]):
        if look(fixed, VESSELS, c) & 1:
            least = min(least, _cooked(fixed, row, room, meal, c, vessel, True, boil, adds))
    return least


@compiled
def standing(fixed: Any, row: Any, room: Any, place: int, vessel: int) -> int:
    """Return the steps of a container that must stand somewhere."""
    _, _, containers, _, _ = places(fixed)
    at = row[containers + 2 * vessel]
    if at < 0:
        for p in range(fixed[PLAYERS]):
            if look_at(fixed, V_FITS, place, row[HEAD + 2 * p]):
                return 1
        return 2
    if look_at(fixed, V_FITS, place, at):
        return 0
    return 3 + (1 if room[3, at] < 0 else 0)
