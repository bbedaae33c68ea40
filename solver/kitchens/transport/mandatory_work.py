"""Work that every plan contains, once objects are assigned to roles: the data of `schedule_bound`.

``README.md``, section "The bound of a schedule", has the argument.

"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import NamedTuple

from planoracle.solver.kitchens.goals import Group, ItemRole, Process
from planoracle.solver.kitchens.state_view import Context, StateView

#: Destination of items: ``dish`` or ``meal``, and its place in `Roles.dishes` or `Roles.meals`.
Place = tuple[str, int]
#: Role of every item that plays one.
Assignment = dict[str, int]


class Stage(NamedTuple):
    """Process of an item: whether the item lies at its station, the missing actions, and the ticks."""

    in_place: bool
    actions: int
    ticks: int


class Chain(NamedTuple):
    """Work on one item, in this order.

    Attributes
    ----------
    stages
        Processes, each after carrying the item to the station, unless the item lies there.
    place
        Where the item is carried at last; ``None`` if it may stay where it is.
    rank
        Of two items for one dish, that of the lower rank is delivered first.
    cooks
        Cooks that stand at its station at the start.
    cover
        Item that lies on it at the start, ``""`` if none does.
    """

    item: str
    stages: tuple[Stage, ...]
    place: Place | None
    rank: int
    cooks: tuple[int, ...]
    cover: str


class OpenChoiceError(Exception):
    """Work on an item whose order or place depends on choices; used within the schedule bound only."""


def assignments(context: Context, groups: Sequence[tuple[int, Group]]) -> Iterator[tuple[int, Group, Assignment]]:
    """Yield all assignments of items to roles, each with a group and its lower bound.

    Of groups with the same items at the bottom of dishes only the first is taken; groups come by their bounds.
    """
    by_bottoms = {group.bottoms: (bound, group) for bound, group in reversed(groups)}
    for bound, group in by_bottoms.values():
        dishes = zip(group.bottoms, context.roles.dishes, strict=True)
        fixed = {name: dish.bottom for name, dish in dishes if name}
        ways = [_ways(context, kind, fixed) for kind in context.roles.kinds]
        for combination in product(*ways):
            assignment = dict(fixed)
            for way in combination:
                assignment |= way
            yield bound, group, assignment


def _ways(context: Context, kind: str, fixed: Assignment) -> list[Assignment]:
    """Return the assignments of the items of one kind to the roles that are not fixed."""
    roles = context.roles.roles
    places = [place for place in context.roles.kinds[kind] if place not in fixed.values()]
    items = [item for item in context.roles.items[kind] if item not in fixed]
    ways = []
    for chosen in permutations(items, len(places)):
        way = dict(zip(chosen, places, strict=True))
        if all(roles[place].name in ("", item) for item, place in way.items()):
            ways.append(way)
    return ways


def chains(
    context: Context, view: StateView, group: Group, assignment: Assignment, cooks: Sequence[str]
) -> list[Chain]:
    """Return the work on all items with a role.

    Parameters
    ----------
    cooks
        Stations of the cooks.

    Raises
    ------
    OpenChoiceError
        If an item may be processed in different orders, or at the station of its dish.
    """
    listed = []
    for item, number in assignment.items():
        role = context.roles.roles[number]
        station, height = view.places[item]
        todo = context.todo(view, item, role)
        if len(todo) > 1 and not _is_ordered(context, view, item, todo):
            raise OpenChoiceError
        stages = []
        for process in todo:
            in_place = process is todo[0] and not height and context.suits(station, process)
            actions, _ = context.effort(view, item, process, None)
            stages.append(Stage(in_place, actions, process.ticks))
        above = view.stacks[station][height + 1 : height + 2]
        chain = Chain(
            item=item,
            stages=tuple(stages),
            place=_destination(context, view, group, item, role),
            rank=role.rank,
            cooks=tuple(number for number, place in enumerate(cooks) if place == station),
            cover="".join(above),
        )
        listed.append(chain)
    return listed


def _is_ordered(context: Context, view: StateView, item: str, todo: Sequence[Process]) -> bool:
    """Return whether an item must be cut before it is fried, and needs nothing else."""
    is_fryable = view.facts & context.bits.existing_mask(("isfryable", item))
    return [process.predicate for process in todo] == ["iscut", "isfried"] and not is_fryable


def _destination(context: Context, view: StateView, group: Group, item: str, role: ItemRole) -> Place | None:
    """Return where an item has to be carried, ``None`` if it may stay at its station."""
    if role.meal >= 0:
        return "meal", role.meal
    if role.dish < 0:
        return None
    dish = context.roles.dishes[role.dish]
    bottom = group.bottoms[role.dish]
    todo = context.todo(view, item, role)
    if not bottom or context.kinds.get(dish.station, dish.station) in [process.station for process in todo]:
        raise OpenChoiceError
    station, height = view.places[item]
    if item == bottom:
        may_stay = not height and context.fits(station, dish.station)
    else:
        may_stay = station == view.places[bottom][0] and not todo
    return None if may_stay else ("dish", role.dish)
