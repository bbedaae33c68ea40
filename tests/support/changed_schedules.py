"""Schedules near the best ones of small instances, each with the answer of the rules."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from support.model_search import ModelSearch, TooManyChecksError

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations

MAX_CHECKS = 3_000
CHANGES = 60


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
    if accepted is None:  # any placements
        chosen = [random.choice(runs).pieces for runs in search.placements.values() if runs]
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
    kind = random.choice(("move", "move", "move", "delay", "agent", "mode", "cut", "omit"))
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
    if kind == "mode":
        mode = random.randrange(len(instance.variants[piece.action]))
        duration = instance.variants[piece.action][mode].duration
        return [*remaining, piece._replace(mode=mode, duration=duration)]
    if kind == "cut" and piece.duration > 1:
        length = random.randint(1, piece.duration - 1)
        later = piece._replace(start=piece.start + length + random.randint(0, 2), duration=piece.duration - length)
        return [*(entry for entry in pieces if entry is not piece), piece._replace(duration=length), later]
    return remaining if kind == "omit" else pieces
