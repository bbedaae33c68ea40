"""Exhaustive searches through the rules, independent of the CP-SAT model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from math import prod

from planoracle.instances.benchmarks.recipe2plan.rules import PROFILES
from planoracle.instances.benchmarks.recipe2plan.simulation import CookingState, Recipe2PlanSimulator, Span
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.model.state import PartialSchedule

_BEGIN = PartialSchedule()


def kitchen_optimum(instance: Instance, horizon: int, done: Sequence[StepCommand] = (), clock: int = 0) -> int | None:
    """Return the minimum makespan of all Recipe2Plan plans that continue ``done``; ``None``: infeasible.

    Every command of every length is tried in every second; states that no later rule can tell apart are merged.
    """
    simulator = Recipe2PlanSimulator(instance, PROFILES["paper"])
    first = simulator.initial()
    for command in done:
        first, steps = simulator.apply(first, (command,))
        assert steps[-1].violation is None
    layer = {_key(first, clock): first}
    best: int | None = None
    for now in range(clock, horizon + 1):
        if best is not None and now >= best:
            break
        queue = list(layer.values())
        seen = dict(layer)
        while queue:
            state = queue.pop()
            if not any(state.remaining):
                end = max(finish for finish in state.finish if finish is not None)
                best = end if best is None else min(best, end)
                continue
            for command in _commands(simulator, state, now):
                following, steps = simulator.apply(simulator.copy(state), (command,))
                key = _key(following, now)
                if steps[-1].violation is None and key not in seen:
                    seen[key] = following
                    queue.append(following)
        layer = {_key(state, now + 1): state for state in seen.values() if any(state.remaining)}
    return best


def _commands(simulator: Recipe2PlanSimulator, state: CookingState, now: int) -> list[StepCommand]:
    commands = []
    for step, remaining in zip(simulator.actions, state.remaining, strict=True):
        lengths = range(1, remaining + 1) if step.interruptible else [remaining] if remaining else []
        commands += [StepCommand.of(step.id, now, length) for length in lengths]
    return commands


def _key(state: CookingState, now: int) -> tuple[object, ...]:
    busy = tuple((name, tuple(_running(last, now))) for name, last in sorted(state.objects.items()))
    heat = tuple(sorted((name, degrees) for name, (degrees, _) in state.temperature.items()))
    return max(state.clock, now), tuple(state.remaining), tuple(state.finish), busy, heat


def _running(last: Span | None, now: int) -> Iterator[tuple[int, int]]:
    while last is not None:
        if last.end > now:
            yield last.start, last.end
        last = last.before


def count_schedules(instance: Instance, horizon: int, state: PartialSchedule = _BEGIN) -> int:
    """Return the number of schedules that `general_optimum` would try without pruning."""
    return prod(len(_placements(instance, action, horizon, state)) for action in instance.actions)


def sets_state(action: Action) -> bool:
    """Return whether an action may set the state of a resource."""
    return any(demand.sets is not None for mode in action.modes for demand in mode.demands)


#: Kinds of violations that further pieces cannot remove.
_LASTING = {"release", "time_limit", "agent_busy", "start_attended", "resource_capacity", "minimum_lag", "maximum_lag"}


def general_optimum(instance: Instance, horizon: int, state: PartialSchedule = _BEGIN) -> int | None:
    """Return the minimum makespan of all schedules that continue a state by the general rules."""
    return _best(instance, horizon, state, lambda schedule: schedule.makespan)


def min_interruptions(instance: Instance, makespan: int) -> int | None:
    """Return the minimum number of pieces of all accepted schedules up to a makespan."""
    return _best(instance, makespan, _BEGIN, lambda schedule: len(schedule.pieces), least=len(instance.actions))


def _best(
    instance: Instance,
    horizon: int,
    state: PartialSchedule,
    cost: Callable[[Schedule], int],
    *,
    least: int | None = None,
) -> int | None:
    """Return the minimum cost of schedules up to a horizon; stop at the first of cost ``least``."""
    best: list[int | None] = [None]

    def extend(k: int, pieces: list[Piece]) -> None:
        end = max((piece.end for piece in pieces), default=0)
        if best[0] is not None and (end >= best[0] if least is None else best[0] == least):
            return
        rest = Schedule.of(instance, [piece for piece in pieces if piece not in state.pieces])
        schedule = Schedule((*(piece for piece in state.pieces if piece in pieces), *rest.pieces))
        placed = {piece.action for piece in pieces}
        waiting = {p.action for p in pieces if not placed.issuperset(instance.by_id[p.action].modes[p.mode].after)}
        faults = {
            violation.kind
            for violation in find_violations(instance, schedule)
            if violation.kind != "minimum_lag" or violation.subject not in waiting  # a mode may wait for a later action
        }
        if k == len(instance.actions):
            if not faults and (best[0] is None or cost(schedule) < best[0]):
                best[0] = cost(schedule)
            return
        # A later action that sets the state of a resource may still allow sharing its capacity.
        unsettled = any(sets_state(action) for action in map(instance.actions.__getitem__, instance.order[k:]))
        if faults & (_LASTING - {"resource_capacity"} if unsettled else _LASTING):
            return
        latest = horizon if best[0] is None or least is not None else best[0] - 1
        for choice in _placements(instance, instance.actions[instance.order[k]], latest, state):
            extend(k + 1, [*pieces, *choice])

    extend(0, [])
    return best[0]


def _placements(instance: Instance, action: Action, latest: int, state: PartialSchedule = _BEGIN) -> list[list[Piece]]:
    agents: tuple[str | None, ...] = instance.eligible(action) or (None,)
    done = [piece for piece in state.pieces if piece.action == action.id]
    remaining = action.duration - sum(piece.duration for piece in done)
    if done and not remaining:
        return [done]
    first = max(action.release, state.clock)
    placements = []
    for mode in [done[0].mode] if done else range(len(action.modes)):
        if not action.interruptible or action.duration < 2:
            for start in range(first, latest - action.duration + 1):
                placements += [[Piece(action.id, start, action.duration, agent, mode)] for agent in agents]
            continue
        for ticks in combinations(range(first, latest), remaining):
            placements += [
                [*done] + [Piece(action.id, tick, 1, agent, mode) for tick, agent in zip(ticks, chosen, strict=True)]
                for chosen in product(agents, repeat=len(ticks))
            ]
    return placements
