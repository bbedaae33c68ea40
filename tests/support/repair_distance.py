"""How far schedules are from wanted pieces, tick by tick, and the nearest of all schedules by trying them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from support.exhaustive import _LASTING, _placements

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations


def ticks(pieces: Sequence[Piece], most: int) -> list[tuple[int, str | None, int]]:
    """When, by whom and in which mode each of the first ticks of work is done."""
    rows = [(piece.start + n, piece.agent, piece.mode) for piece in sorted(pieces) for n in range(piece.duration)]
    return rows[:most]


def distance(instance: Instance, wanted: Mapping[str, Sequence[Piece]], schedule: Schedule) -> dict[str, int]:
    """Number of actions moved, total shift and makespan; actions last at least a tick."""
    moved = shift = 0
    for action in instance.actions:
        named = [piece for piece in wanted.get(action.id, ()) if piece.duration]
        if not named:
            continue
        wishes = ticks(named, action.duration)
        made = ticks([piece for piece in schedule.pieces if piece.action == action.id], action.duration)
        kept: list[int] = []  # pieces count until the action is complete; those after that are left out
        for piece in sorted(named):
            if sum(kept) < action.duration:
                kept.append(piece.duration)
        moved += sum(kept) != action.duration or any(
            one[0] != two[0] or one[1] not in (None, two[1]) or one[2] != two[2]
            for one, two in zip(wishes, made, strict=False)
        )
        shift += max(abs(one[0] - two[0]) for one, two in zip(wishes, made, strict=False))
    return {"moved": moved, "shift": shift, "makespan": schedule.makespan}


def feasible_schedules(instance: Instance, latest: int) -> Iterator[Schedule]:
    """All schedules that the general referee accepts and that end by ``latest``."""

    def extend(k: int, pieces: list[Piece]) -> Iterator[Schedule]:
        schedule = Schedule.of(instance, pieces)
        found = {violation.kind for violation in find_violations(instance, schedule)}
        if k == len(instance.actions):
            if not found:
                yield schedule
        elif not found & _LASTING:
            for choice in _placements(instance, instance.actions[instance.order[k]], latest):
                yield from extend(k + 1, [*pieces, *choice])

    yield from extend(0, [])


def random_pieces(instance: Instance, random: Random, latest: int) -> dict[str, list[Piece]]:
    """Pieces of a submission that may break any rule."""
    wanted: dict[str, list[Piece]] = {}
    agents = (*instance.agents, None)
    for action in instance.actions:
        if random.random() < 0.15:
            continue
        left, start, pieces = action.duration, random.randint(0, latest), []
        mode = random.randrange(len(action.modes) + (random.random() < 0.1))
        agent = random.choice(agents) if instance.eligible(action) else random.choice((None, None, *agents))
        if random.random() < 0.15:
            left = max(1, left + random.choice((-1, 1)))
        while left > 0:
            length = random.randint(1, left) if action.interruptible and random.random() < 0.6 else left
            pieces.append(Piece(action.id, start, length, agent, mode))
            left -= length
            start = max(0, start + length + random.choice((0, 1, 2, -1) if random.random() < 0.5 else (0, 1)))
        wanted[action.id] = pieces
    return wanted
