"""Feasible schedules of small problems, as times of events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import islice
from random import Random
from typing import NamedTuple

from support.model_distance import feasible_schedules, plain_mix
from support.model_search import ModelSearch, TooManyChecksError
from support.random_agent_instances import agent_workshop, interruption_workshop
from support.random_instances import ovens, presses, workshop

from planoracle.instances.errors import InputError
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Schedule, variant_of

Event = tuple[str, str]
BEGIN, END = ("begin", ""), ("end", "")
#: Ticks above the optimum up to which schedules are drawn, and their maximum number.
SLACK, MAX_SCHEDULES, MAX_CHECKS = 2, 120, 2_000


class Small(NamedTuple):
    """Small instance with its optimum by exhaustive search and feasible schedules, drawn among all."""

    instance: Instance
    optimum: int
    schedules: list[Schedule]


def _paused_mix(seed: int) -> Instance:
    return plain_mix(seed, pauses=True)


def _pair_of_ovens(seed: int) -> Instance:
    return _first_two(ovens(seed))


def _pair_of_presses(seed: int) -> Instance:
    return _first_two(presses(seed))


def _first_two(instance: Instance) -> Instance:
    """Return the instance with its first two actions, which decide the optimum alone."""
    actions = instance.actions[:2]
    names = {action.id for action in actions}
    lags = tuple(lag for lag in instance.lags if {lag.before, lag.after} <= names)
    return replace(instance, actions=actions, lags=lags)


def breaks(seed: int) -> Instance:
    """Return two or three actions with time lags, of which some pause in breaks, and many breaks."""
    random = Random(f"breaks {seed}")
    actions = []
    for number in range(random.choice((2, 2, 3))):
        duration = random.choice((1, 2, 3))
        pauses = random.choice(("breaks", "breaks", "anywhere", "never"))
        modes = (Mode((Demand("bench"),) if random.random() < 0.7 else ()),)
        action = Action(
            f"t/{number}",
            "t",
            duration,
            random.choice((0, duration)),
            interruptible=pauses == "anywhere",
            pauses_in_breaks=pauses == "breaks",
            modes=modes,
        )
        actions.append(action)
    lags = []
    for number in range(1, len(actions)):
        maximum = random.choice((None, 0, 1, 1, 2))
        minimum = 0 if maximum is None else random.choice((None, 0))
        lags.append(Lag(actions[number - 1].id, actions[number].id, minimum, maximum))
    period = random.choice((3, 4))
    begin = random.randrange(period)
    agents = ("ann", "bob")[: random.choice((1, 2))]
    members = random.choice((agents, ("bench",), (*agents, "bench")))
    rest = Calendar(members, ((begin, begin + random.choice((1, 1, 2))),), period)
    bench = Resource("bench", 2)
    return Instance(f"breaks-{seed}", tuple(actions), tuple(lags), (bench,), agents, calendars=(rest,))


def sharing(seed: int) -> Instance:
    """Return two or three unattended uses of one resource, of which some set a state and may share units."""
    random = Random(f"sharing {seed}")
    capacity = random.choice((1, 2))
    actions = []
    for number in range(random.choice((2, 3, 3))):
        demand = Demand("oven", random.choice((1, capacity)), sets=random.choice((None, "hot", "hot", "cold")))
        modes = (Mode((demand,)), Mode((demand,), duration=1))[: random.choice((1, 1, 2))]
        actions.append(Action(f"t/{number}", "t", random.choice((1, 2, 2)), 0, modes=modes, agents=()))
    oven = Resource("oven", capacity, random.choice((None, "hot")))
    return Instance(f"sharing-{seed}", tuple(actions), resources=(oven,))


def rivals(seed: int) -> Instance:
    """Return a use that requires a state, the only setting of that state, and a setting of another one."""
    random = Random(f"rivals {seed}")
    capacity = random.choice((1, 2))
    demands = {"set": {"sets": "hot"}, "spoil": {"sets": "cold"}, "use": {"requires": "hot"}}
    actions = []
    for name, fields in demands.items():
        mode = Mode((Demand("oven", random.choice((1, capacity)), **fields),))
        actions.append(Action(f"t/{name}", "t", random.choice((1, 2)), 0, modes=(mode,), agents=()))
    return Instance(f"rivals-{seed}", tuple(actions), resources=(Resource("oven", capacity),))


def crew(seed: int) -> Instance:
    """Return three attended actions, most of which may pause, for two agents or two units of a bench."""
    random = Random(f"crew {seed}")
    is_attended = random.random() < 0.5
    agents = ("ann", "bob") if is_attended else ()
    mode = Mode() if is_attended else Mode((Demand("bench"),))
    actions = []
    for number in range(3):
        duration = random.choice((1, 2, 2, 2))
        may_pause = random.random() < 0.8
        attended = duration if is_attended else 0
        actions.append(Action(f"t/{number}", "t", duration, attended, may_pause, (mode,), agents=agents))
    return Instance(f"crew-{seed}", tuple(actions), resources=(Resource("bench", 2),), agents=("ann", "bob"))


def solo(seed: int) -> Instance:
    """Return three actions of one agent with time lags: interruptible ones, and some that it only starts."""
    random = Random(f"solo {seed}")
    actions = []
    for number in range(3):
        duration = random.choice((0, 1, 2, 2))
        attended = random.choice((0, duration, duration))
        release = random.choice((0, 0, 1))
        actions.append(Action(f"t/{number}", "t", duration, attended, random.random() < 0.6, release=release))
    lags = []
    for before, after in ((0, 1), (0, 2), (1, 2)):
        if random.random() < 0.4:
            minimum, maximum = random.choice(((0, None), (1, None), (0, 1), (None, 0), (None, -1)))
            lags.append(Lag(f"t/{before}", f"t/{after}", minimum, maximum))
    return Instance(f"solo-{seed}", tuple(actions), tuple(lags))


def either(seed: int) -> Instance:
    """Return an action with two or three modes, each of which waits for other actions."""
    random = Random(f"either {seed}")
    names = ["t/0", "t/1", "t/2"][: random.choice((2, 3))]
    modes = []
    for _ in range(random.choice((2, 2, 3))):
        modes.append(Mode(after=tuple(random.sample(names, random.choice((1, 1, 2)))), duration=random.choice((1, 2))))
    before = [Action(name, "t", random.choice((1, 2, 3)), 0, agents=()) for name in names]
    user = Action("t/user", "t", 1, 0, modes=tuple(modes), agents=())
    return Instance(f"either-{seed}", (*before, user))


def sizes(seed: int) -> Instance:
    """Return uses of one resource with different amounts, of which two or three may fit together."""
    random = Random(f"sizes {seed}")
    actions = []
    for number in range(random.choice((2, 3, 3))):
        mode = Mode((Demand("oven", random.choice((1, 1, 2, 2, 3))),))
        actions.append(Action(f"t/{number}", "t", random.choice((1, 2)), 0, modes=(mode,), agents=()))
    return Instance(f"sizes-{seed}", tuple(actions), resources=(Resource("oven", random.choice((3, 4))),))


def modes_of_two_resources(seed: int) -> Instance:
    """Return two or three actions with two modes, each of which uses a pan, a pot or both."""
    random = Random(f"modes {seed}")
    resources = tuple(Resource(name, random.choice((1, 2))) for name in ("pan", "pot"))
    actions = []
    for number in range(random.choice((2, 2, 3))):
        modes = []
        for chosen in random.choices((resources, resources[:1], resources[1:]), (3, 2, 2), k=2):
            modes.append(Mode(tuple(Demand(resource.name, resource.capacity) for resource in chosen)))
        actions.append(Action(f"t/{number}", "t", random.choice((1, 2)), 0, modes=tuple(modes), agents=()))
    return Instance(f"modes-{seed}", tuple(actions), resources=resources)


Makers = tuple[Callable[[int], Instance], ...]
#: Makers of instances by seed: all features, amounts and shared units of one resource, breaks, agents, modes.
MAKERS: Makers = (
    _paused_mix,
    workshop,
    ovens,
    presses,
    _pair_of_ovens,
    _pair_of_presses,
    sharing,
    breaks,
    either,
    crew,
    rivals,
    sizes,
    modes_of_two_resources,
    agent_workshop,
    interruption_workshop,
)


#: Makers of instances whose schedules are listed at once.
QUICK_MAKERS: Makers = (*(make for make in MAKERS if make is not ovens), solo)
#: Makers of the smallest instances, and how many times as many of them are drawn.
SMALLEST = {
    sharing: 5,
    _pair_of_ovens: 2,
    _pair_of_presses: 2,
    breaks: 2,
    either: 4,
    modes_of_two_resources: 2,
    solo: 3,
}


def small_instances(block: int, count: int, makers: Makers = MAKERS) -> list[Small]:
    """Return the instances of all makers and of so many seeds; large and infeasible ones are left out."""
    instances = []
    for make in makers:
        seeds = SMALLEST.get(make, 1) * count
        for seed in range(seeds * block, seeds * (block + 1)):
            small = _small(make, seed)
            if small is not None:
                instances.append(small)
    return instances


@cache
def _small(make: Callable[[int], Instance], seed: int) -> Small | None:
    try:
        instance = make(seed)
        optimum = ModelSearch(instance, max_checks=MAX_CHECKS).best().makespan
    except (InputError, TooManyChecksError):  # no valid draw, or too large
        return None
    if optimum is None:
        return None
    drawn = feasible_schedules(instance, optimum + SLACK, Random(seed))
    return Small(instance, optimum, list(islice(drawn, MAX_SCHEDULES)))


def times_of_events(instance: Instance, schedule: Schedule) -> dict[Event, int]:
    """Return when each event of a proof happens in a schedule."""
    times = {BEGIN: 0, END: schedule.makespan}
    finish = schedule.finish()
    for piece in sorted(schedule.pieces, key=lambda piece: -piece.start):  # the first piece comes last
        action = instance.by_id[piece.action]
        times["start", piece.action] = piece.start
        times["finish", piece.action] = finish[piece.action]
        if not (action.interruptible or action.pauses_in_breaks):
            times["free", piece.action] = piece.start + variant_of(instance, piece).attended
    return times


def min_gaps(instance: Instance, schedules: list[Schedule]) -> dict[tuple[Event, Event], int]:
    """Return the least time from each event to each other in any of some schedules."""
    gaps: dict[tuple[Event, Event], int] = {}
    for schedule in schedules:
        times = times_of_events(instance, schedule)
        for source, begin in times.items():
            for target, end in times.items():
                pair = source, target
                gaps[pair] = min(gaps.get(pair, end - begin), end - begin)
    return gaps
