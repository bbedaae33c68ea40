"""A plan by way of a schedule: errands are listed, scheduled and run, some times over, and the shortest plan counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from planoracle.instances.deadline import Deadline
from planoracle.instances.kitchens.compiled import State
from planoracle.solver.kitchens.abstraction import Abstraction, View
from planoracle.solver.kitchens.context import Context
from planoracle.solver.kitchens.errands.acting import act
from planoracle.solver.kitchens.errands.listing import Errand, errands
from planoracle.solver.kitchens.errands.scheduling import Setting, schedule
from planoracle.solver.kitchens.goals import Group

# Choices that are tried, and schedules for each: ticks by which effects may be late, and the seed of the search; the
# first ones once more where nothing came of them, with more put aside.
_GROUPS, _TRIES, _AGAIN = 2, ((1, 0), (0, 0), (0, 1)), 2


def errand_plans(
    context: Context, abstraction: Abstraction, start: State, groups: Sequence[Group], most: int, deadline: Deadline
) -> Iterator[tuple[int, ...]]:
    """Yield plans as deeds, each shorter than the one before and than ``most`` steps.

    What the schedule leaves out (a station that is taken for other reasons, an effect that misses a tick) costs steps
    when it is carried out, or there is no plan: so others are tried.

    Raises
    ------
    TimeOverError
        Soon after the deadline.
    """
    view, none = abstraction.view(start), True
    for clearing, (late, seed) in [*((False, each) for each in _TRIES), *((True, each) for each in _TRIES[:_AGAIN])]:
        for group in groups[:_GROUPS]:
            listed = errands(context, view, group, clearing=clearing) if none or not clearing else None
            if listed is None:
                continue
            setting = _setting(context, abstraction, view, start, listed, late)
            # One cook alone, doing one thing after the other, takes no longer, if there is a way at all.
            longest = len(setting.cooks) * sum(errand.length + errand.ticks + 3 for errand in listed)
            turns = schedule(setting, listed, min(most - 1, longest), deadline.sooner(deadline.left() / 2), seed)
            found = None if turns is None else act(abstraction, start, listed, turns, most - 1, deadline)
            if found is not None:
                yield found
                most, none = len(found), False


def _setting(
    context: Context, abstraction: Abstraction, view: View, start: State, listed: Sequence[Errand], late: int
) -> Setting:
    engine = abstraction.compiled
    players = engine.kitchen.players
    held = {thing: view.at[player] for player, thing in view.hands.items()}
    first = players.index(engine.player(start))
    moving = {errand.thing for errand in listed}
    taken = {place[0] for thing, place in view.places.items() if thing not in moving}
    taken |= {errand.to for errand in listed if errand.to in context.stations}
    free = Counter({context.kinds[station]: 0 for station in context.stations})
    free.update(context.kinds[station] for station in context.stations if station not in taken)
    return Setting(
        tuple(view.at[player] for player in (*players[first:], *players[:first])),
        {thing: place[0] for thing, place in view.places.items()} | held,
        dict(free),
        {
            thing: context.kinds[view.places[thing][0]]
            for thing in sorted(moving - {*held})
            if not view.places[thing][1]
        },
        frozenset(context.containers),
        engine.rules.moves == "joint",
        late,
    )
