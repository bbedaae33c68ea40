"""Distance of schedules from submissions, and all schedules, of small instances of the larger model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from support.model_search import ModelSearch, Placement
from support.random_model_instances import model_mix

from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import Piece, Schedule


def plain_mix(seed: int, *, pauses: bool = False) -> Instance:
    """Return a random instance without optional tasks and ways, and by default without pauses in breaks.

    Raises
    ------
    InputError
        If an action fits in none of its windows.
    """
    mix = model_mix(seed)
    actions = []
    for action in mix.actions:
        modes = []
        for mode in action.modes:
            demands = tuple(replace(demand, family=None) for demand in mode.demands)
            modes.append(replace(mode, demands=demands))
        has_pauses = pauses and action.pauses_in_breaks
        actions.append(replace(action, place=None, modes=tuple(modes), pauses_in_breaks=has_pauses))
    return replace(mix, actions=tuple(actions), transitions=(), optional=())


def feasible_schedules(instance: Instance, latest: int, random: Random | None = None) -> Iterator[Schedule]:
    """Yield all schedules that the general rules accept and that end by ``latest``."""
    search = ModelSearch(instance, latest)
    search._add_placements(latest)
    if random is not None:
        for placements in search.placements.values():
            random.shuffle(placements)

    def extend(placed: list[Placement]) -> Iterator[Schedule]:
        if len(placed) == len(instance.actions):
            schedule = search._schedule(placed)
            if not any(search._violations(schedule)):
                yield schedule
            return
        for placement in search.placements[instance.actions[len(placed)].id]:
            is_early = placement.end <= latest
            if is_early and all(search._is_compatible(before, placement) for before in placed):
                yield from extend([*placed, placement])

    yield from extend([])


def distance(instance: Instance, target: Mapping[str, Sequence[Piece]], schedule: Schedule) -> dict[str, int]:
    """Return the number of moved actions, the total shift and the makespan of a schedule."""
    moved = shift = 0
    for action in instance.actions:
        work = _work(instance, action, target.get(action.id, ()))
        pieces = sorted(piece for piece in target.get(action.id, ()) if piece.duration or not work)
        if pieces:
            placed = sorted(piece for piece in schedule.pieces if piece.action == action.id)
            is_moved, ticks = _distance_of(pieces, placed, work)
            moved += is_moved
            shift += ticks
    return {"moved": moved, "shift": shift, "makespan": schedule.makespan}


def _work(instance: Instance, action: Action, pieces: Sequence[Piece]) -> int:
    """Return the duration of an action in the mode of its first piece."""
    mode = min(pieces, key=lambda piece: piece.start).mode if pieces else 0
    variants = instance.variants[action.id]
    return variants[mode].duration if mode < len(variants) else action.duration


def _distance_of(pieces: Sequence[Piece], placed: Sequence[Piece], work: int) -> tuple[bool, int]:
    requested, actual = _units(pieces)[:work], _units(placed)
    total = 0
    for piece in pieces:
        if total < work or not work:
            total += piece.duration
    is_moved = total != work
    if not requested or not actual:
        requested = [(pieces[0].start, pieces[0].agent, pieces[0].mode)]
        actual = [(placed[0].start, placed[0].agent, placed[0].mode)]
    for before, after in zip(requested, actual, strict=False):
        is_moved |= before[0] != after[0] or before[1] not in (None, after[1]) or before[2] != after[2]
    return is_moved, max(abs(before[0] - after[0]) for before, after in zip(requested, actual, strict=False))


def _units(pieces: Sequence[Piece]) -> list[tuple[int, str | None, int]]:
    """Return time, agent and mode of each tick of work."""
    units = []
    for piece in pieces:
        units += [(piece.start + tick, piece.agent, piece.mode) for tick in range(piece.duration)]
    return units


def random_target(instance: Instance, random: Random, latest: int) -> dict[str, list[Piece]]:
    """Return pieces of a submission that may break any rule."""
    target: dict[str, list[Piece]] = {}
    for action in instance.actions:
        if random.random() < 0.15:
            continue
        mode = random.randrange(len(action.modes) + (random.random() < 0.1))
        is_mode = mode < len(action.modes)
        work = instance.variants[action.id][mode].duration if is_mode else action.duration
        if random.random() < 0.15:
            work = max(1, work + random.choice((-1, 1)))
        agents = instance.variants[action.id][mode].agents if is_mode else ()
        agent = random.choice((*instance.agents, None)) if agents else None
        target[action.id] = _target_pieces(
            action, random, Piece(action.id, random.randint(0, latest), work, agent, mode)
        )
    return target


def _target_pieces(action: Action, random: Random, whole: Piece) -> list[Piece]:
    """Return a piece, or parts of it if its action is interruptible."""
    if not action.interruptible or not whole.duration:
        return [whole]
    pieces = []
    start, remaining = whole.start, whole.duration
    while remaining:
        length = random.randint(1, remaining)
        pieces.append(whole._replace(start=start, duration=length))
        remaining -= length
        start = max(0, start + length + random.choice((0, 1, 2, -1)))
    return pieces
