"""Schedules near the best ones of small instances, each with the answer of the rules."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

from support.model_search import ModelSearch, TooManyChecksError

from planoracle.instances.errors import InputError
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations

MAX_CHECKS = 3_000
CHANGES = 60
#: Runs of an action among which one is drawn if an instance has no schedule.
MAX_END, MAX_RUNS = 8, 300


def edges(seed: int) -> Instance:
    """Return one to three actions at the edges of the rules: no length, no room, no time, no money."""
    random = Random(f"edges {seed}")
    while True:
        count = random.choice((1, 2, 2, 3))
        resources = Resource("bench", 1), Resource("money", random.choice((0, 1, 2)), renewable=False)
        calendars = (Calendar(("ann", "bench"), ((1, 2),), random.choice((None, 3))),)
        try:
            return Instance(
                f"edges-{seed}",
                tuple(_edge(f"t/{number}", random) for number in range(count)),
                resources=resources,
                agents=("ann", "bob")[: random.choice((1, 2))],
                time_limit=random.choice((None, None, 0, 2, 4)),
                calendars=calendars[: random.choice((0, 1))],
            )
        except InputError:  # an action that fits in none of its windows
            continue


def _edge(name: str, random: Random) -> Action:
    duration = random.choice((0, 0, 1, 2, 2))
    pauses = random.choice(("never", "breaks", "anywhere"))
    amounts = {"bench": random.choice((0, 0, 1, 1, 2)), "money": random.choice((0, 0, 1, 1, 2))}
    demands = tuple(Demand(resource, amount) for resource, amount in amounts.items() if random.random() < 0.6)
    return Action(
        name,
        "t",
        duration,
        random.choice((0, duration)),
        modes=(Mode(demands), Mode(demands[1:]))[: random.choice((1, 1, 2))],
        interruptible=pauses == "anywhere" and duration > 0,
        pauses_in_breaks=pauses == "breaks",
        release=random.choice((0, 0, 1)),
        deadline=random.choice((None, None, 0, 1, 2, 3)),
        windows=random.choice(((), (), ((0, 0), (1, 3)), ((1, 2),))),
    )


def schedules(instance: Instance, seed: int) -> Iterator[tuple[Schedule, bool]]:
    """Yield the best schedule of an instance, and schedules that differ from it by random changes.

    Each comes with the answer of the rules, whether they accept it.
    """
    random = Random(seed)
    search = ModelSearch(instance, max_checks=MAX_CHECKS)
    try:
        accepted = search.best().schedule
    except TooManyChecksError:
        accepted = None
    if accepted is None:  # any runs
        chosen = []
        for action in instance.actions:
            runs = list(islice(search._runs_of(action, min(search.horizon, MAX_END)), MAX_RUNS))
            chosen.append(random.choice(runs) if runs else [])
        accepted = Schedule.of(instance, [piece for pieces in chosen for piece in pieces])
    yield accepted, keeps_rules(instance, accepted)
    for _ in range(CHANGES):
        pieces = list(accepted.pieces)
        for _ in range(random.choice((1, 1, 2))):
            pieces = changed(instance, pieces, random)
        schedule = Schedule.of(instance, pieces)
        is_accepted = keeps_rules(instance, schedule)
        yield schedule, is_accepted
        if is_accepted:
            accepted = schedule


def keeps_rules(instance: Instance, schedule: Schedule) -> bool:
    """Return whether the general rules accept a schedule."""
    return not any(find_violations(instance, schedule, 1))


def changed(instance: Instance, pieces: list[Piece], random: Random) -> list[Piece]:
    """Return pieces of which an action has other starts, another agent or another mode."""
    if not pieces:
        return pieces
    piece = random.choice(pieces)
    kind = random.choice(("move", "move", "move", "delay", "agent", "mode", "cut", "omit", "empty", "relieve"))
    if kind == "delay":
        ticks = random.randint(1, 3)
        return [entry._replace(start=entry.start + ticks * (entry.start >= piece.start)) for entry in pieces]
    remaining = [entry for entry in pieces if entry.action != piece.action]
    same = [entry for entry in pieces if entry.action == piece.action]
    if kind == "move":
        ticks = random.randint(-min(entry.start for entry in same), 4)
        return [*remaining, *(entry._replace(start=entry.start + ticks) for entry in same)]
    if kind == "agent":
        agent = random.choice((None, *instance.agents))
        return [*remaining, *(entry._replace(agent=agent) for entry in same)]
    if kind == "relieve":
        return [
            *(entry for entry in pieces if entry is not piece),
            piece._replace(agent=random.choice(instance.agents or (None,))),
        ]
    if kind == "empty":
        return [*pieces, piece._replace(start=piece.start + random.randint(0, 2), duration=0)]
    if kind == "mode":
        mode = random.randrange(len(instance.variants[piece.action]))
        duration = instance.variants[piece.action][mode].duration
        return [*remaining, piece._replace(mode=mode, duration=duration)]
    if kind == "cut" and piece.duration > 1:
        length = random.randint(1, piece.duration - 1)
        later = piece._replace(start=piece.start + length + random.randint(0, 2), duration=piece.duration - length)
        return [*(entry for entry in pieces if entry is not piece), piece._replace(duration=length), later]
    return remaining if kind == "omit" else pieces
