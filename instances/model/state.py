"""Partial schedules, and the instance that remains of a partly executed one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode
from planoracle.instances.model.schedule import Piece

#: Id of the action of no length at time 0 of a residual instance; lags from it fix the started pieces.
NOW = "now/now"


@dataclass(frozen=True, slots=True)
class PartialSchedule:
    """Started pieces, which cannot be undone, and the current time.

    Attributes
    ----------
    pieces
        Started pieces, in the order of their commands, as the rules accept them; none starts after ``clock``. A piece
        runs for all of its duration, also beyond ``clock``, and cannot be cut any more: its agent cannot start
        anything strictly inside, even if the action is interruptible.
    clock
        Ticks; no further piece starts before it.
    """

    pieces: tuple[Piece, ...] = ()
    clock: int = 0


def residual_instance(instance: Instance, state: PartialSchedule, *, stepwise: bool) -> Instance:
    """Return the instance that a partial schedule leaves: its started pieces become constraints.

    The optimum of the result is the best makespan that is still reachable. Each started piece is an action of its own,
    fixed by a minimum and a maximum lag from the action `NOW` at time 0. Remaining work has a minimum lag of ``clock``
    (or of its release) from `NOW`. The remaining part of an action in progress keeps the id of the action; its started
    pieces are called ``id#1``, ``id#2`` and so on. Lags between started pieces are dropped, and so are modes that
    require a state which no remaining action sets.

    Parameters
    ----------
    stepwise
        True if the benchmark executes command by command. A use that sets no state then cannot share the room of a
        setting whose command came before, so it starts later. The general rules check a schedule as a whole.

    See Also
    --------
    planoracle.instances.protocol.schedule_benchmark.remaining_problem : By the rules of the instance's benchmark.
    """
    started: dict[str, list[Piece]] = defaultdict(list)
    for piece in state.pieces:
        if piece.duration or not instance.by_id[piece.action].duration:
            started[piece.action].append(piece)
    delayed = set(_without_shared_room(instance, state, started)) if stepwise else set()
    actions = [Action(NOW, "now", duration=0, attended=0, agents=())]
    lags: list[Lag] = []
    parts: dict[str, list[str]] = {}
    modes = _remaining_modes(instance, started)
    for action in instance.actions:
        pieces = started[action.id]
        remaining = action.duration - sum(piece.duration for piece in pieces)
        whole = bool(pieces) and not remaining
        names = [f"{action.id}#{number}" for number in range(1, len(pieces) + 1 - whole)]
        parts[action.id] = [*names, action.id]
        for piece, name in zip(pieces, parts[action.id], strict=False):
            actions.append(_action_of_piece(instance, action, piece, name, first=name is parts[action.id][0]))
            lags.append(Lag(NOW, name, piece.start, piece.start))
        lags += [Lag(name, action.id, 0, None) for name in names]
        if whole:
            continue
        attended = remaining if action.continuous else action.attended
        rest = replace(action, duration=remaining, attended=attended, release=0)
        actions.append(replace(rest, modes=modes[action.id]) if modes[action.id] else _infeasible_action(rest))
        clock = state.clock + (action.id in delayed)
        lags.append(Lag(NOW, action.id, max(action.release, clock), None))
    finished = {name for name, names in parts.items() if len(names) == len(started[name])}
    for lag in instance.lags:
        lags += _remaining_lags(lag, parts[lag.after], len(started[lag.after]) if lag.before in finished else 0)
    return replace(
        instance,
        name=f"{instance.name} from {state.clock}",
        actions=tuple(actions),
        lags=tuple(lags),
        benchmark="generic",
        origin=None,
        rest_of=instance,
    )


def _remaining_lags(lag: Lag, parts: list[str], fixed: int) -> Iterator[Lag]:
    """Yield a time lag for each part of its later action that is not among the ``fixed`` first ones."""
    for number, part in enumerate(parts):
        minimum = None if number else lag.minimum
        if number >= fixed and (minimum, lag.maximum) != (None, None):
            yield Lag(lag.before, part, minimum, lag.maximum)


def _remaining_modes(instance: Instance, started: dict[str, list[Piece]]) -> dict[str, tuple[Mode, ...]]:
    """Return the modes of each action that can still be selected and whose states can still be set."""
    modes = {a.id: (a.modes[started[a.id][0].mode],) if started[a.id] else a.modes for a in instance.actions}
    while True:
        demands = [demand for choices in modes.values() for mode in choices for demand in mode.demands]
        states = {(one.resource, one.sets) for one in demands} | {(one.name, one.state) for one in instance.resources}
        usable = {
            name: tuple(
                mode
                for mode in choices
                if started[name] or all(d.requires is None or (d.resource, d.requires) in states for d in mode.demands)
            )
            for name, choices in modes.items()
        }
        if usable == modes:
            return usable
        modes = usable


def _infeasible_action(action: Action) -> Action:
    """Return an action that cannot start: it requires a state that only the action itself sets."""
    unmet = next(d for mode in action.modes for d in mode.demands if d.requires is not None)
    demand = Demand(unmet.resource, 0, requires=unmet.requires, sets=unmet.requires)
    return replace(action, interruptible=False, modes=(Mode((demand,)),))


def _action_of_piece(instance: Instance, action: Action, piece: Piece, name: str, *, first: bool) -> Action:
    """Return a started piece as an action."""
    return replace(
        action,
        id=name,
        duration=piece.duration,
        attended=piece.duration if action.continuous else action.attended,
        interruptible=action.interruptible and len(instance.agents) > 1,  # its room may then not be shared
        modes=(action.modes[piece.mode] if first else replace(action.modes[piece.mode], after=()),),
        agents=() if piece.agent is None else (piece.agent,),
        release=0,
    )


def _without_shared_room(instance: Instance, state: PartialSchedule, started: dict[str, list[Piece]]) -> Iterator[str]:
    """Yield actions that could start at the clock only in the room of a setting started at the clock."""
    settings = {
        (demand.resource, piece.duration)
        for piece in state.pieces
        if piece.start == state.clock
        for demand in instance.by_id[piece.action].modes[piece.mode].demands
        if demand.sets is not None and 2 * demand.amount > instance.resource[demand.resource].capacity
    }
    for action in instance.actions:
        uses = action.modes[0].demands if len(action.modes) == 1 and not started[action.id] else ()
        if any((use.resource, action.duration) in settings and use.sets is None for use in uses):
            yield action.id
