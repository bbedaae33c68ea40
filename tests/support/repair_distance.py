"""Distance of schedules from the pieces of a submission, and enumeration of all feasible schedules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from support.exhaustive import _LASTING, _placements

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations


def ticks(pieces: Sequence[Piece], most: int) -> list[tuple[int, str | None, int]]:
    """Return time, agent and mode of each of the first ``most`` ticks of work."""
    rows = [(piece.start + n, piece.agent, piece.mode) for piece in sorted(pieces) for n in range(piece.duration)]
    return rows[:most]


def distance(instance: Instance, requested: Mapping[str, Sequence[Piece]], schedule: Schedule) -> dict[str, int]:
    """Return the number of moved actions, the total shift and the makespan; actions last at least a tick."""
    moved = shift = 0
    for action in instance.actions:
        named = [piece for piece in requested.get(action.id, ()) if piece.duration]
        if not named:
            continue
        wishes = ticks(named, action.duration)
        actual = ticks([piece for piece in schedule.pieces if piece.action == action.id], action.duration)
        lengths: list[int] = []  # pieces after the completion of the action are ignored
        for piece in sorted(named):
            if sum(lengths) < action.duration:
                lengths.append(piece.duration)
        moved += sum(lengths) != action.duration or any(
            one[0] != two[0] or one[1] not in (None, two[1]) or one[2] != two[2]
            for one, two in zip(wishes, actual, strict=False)
        )
        shift += max(abs(one[0] - two[0]) for one, two in zip(wishes, actual, strict=False))
    return {"moved": moved, "shift": shift, "makespan": schedule.makespan}


def feasible_schedules(instance: Instance, latest: int) -> Iterator[Schedule]:
    """Yield all schedules that the general rules accept and that end by ``latest``."""

    def extend(k: int, pieces: list[Piece]) -> Iterator[Schedule]:
        schedule = Schedule.of(instance, pieces)
        faults = {violation.kind for violation in find_violations(instance, schedule)}
        if k == len(instance.actions):
            if not faults:
                yield schedule
        elif not faults & _LASTING:
            for choice in _placements(instance, instance.actions[instance.order[k]], latest):
                yield from extend(k + 1, [*pieces, *choice])

    yield from extend(0, [])


def random_pieces(instance: Instance, random: Random, latest: int) -> dict[str, list[Piece]]:
    """Return pieces of a submission that may break any rule."""
    requested: dict[str, list[Piece]] = {}
    agents = (*instance.agents, None)
    for action in instance.actions:
        if random.random() < 0.15:
            continue
        remaining, start, pieces = action.duration, random.randint(0, latest), []
        mode = random.randrange(len(action.modes) + (random.random() < 0.1))
        agent = random.choice(agents) if instance.eligible(action) else random.choice((None, None, *agents))
        if random.random() < 0.15:
            remaining = max(1, remaining + random.choice((-1, 1)))
        while remaining > 0:
            length = random.randint(1, remaining) if action.interruptible and random.random() < 0.6 else remaining
            pieces.append(Piece(action.id, start, length, agent, mode))
            remaining -= length
            start = max(0, start + length + random.choice((0, 1, 2, -1) if random.random() < 0.5 else (0, 1)))
        requested[action.id] = pieces
    return requested
