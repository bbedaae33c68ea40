"""The same kitchen with more cooks."""

from __future__ import annotations

from dataclasses import replace

from planoracle.instances.errors import InputError
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.kitchens.layout import layout_of
from planoracle.instances.kitchens.variants import new_name


def with_cooks(kitchen: Kitchen, count: int) -> Kitchen:
    """Return the same kitchen with ``count`` cooks.

    Those that are there stay where they are. New ones stand, with empty hands, at the vacant stations that come
    first: empty stations before others, in the order of the kitchen.

    Raises
    ------
    InputError
        If there are more cooks already, or too few stations for them.

    Examples
    --------
    >>> from planoracle.instances.kitchens.sets import kitchen
    >>> with_cooks(kitchen("kitchens/synchronous/3_burger"), 2).players
    ('robot1', 'robot2')
    """
    there = len(kitchen.players)
    if count < there:
        raise InputError(f"must be at least {there}", field=f"{kitchen.name}: cooks", value=count)
    layout, more, less = layout_of(kitchen)
    free = sorted(
        (station for station in layout.stations if ("vacant", station) in kitchen.facts),
        key=lambda s: bool(layout.stations[s]),
    )
    if count - there > len(free):
        raise InputError(f"must be at most {there + len(free)}", field=f"{kitchen.name}: cooks", value=count)
    taken = set(kitchen.types)
    kind = kitchen.players[0].rstrip("0123456789")
    for station in free[: count - there]:
        layout.players[new_name(kind, taken)] = (station, None)
    facts = (layout.facts(kitchen.domain) | more) - less
    made = Kitchen.of(kitchen.name, kitchen.domain, layout.objects(), facts, kitchen.goal, kitchen.text)
    return replace(made, name=f"{kitchen.name}~{count}")
