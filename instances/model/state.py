"""Partial schedules, and the instance that remains of a partly executed one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from planoracle.instances.model.features import Component, Feature
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode
from planoracle.instances.model.schedule import Piece, variant_of

#: Id of the action of no length at time 0 of a residual instance; lags from it fix the started pieces.
NOW = "now/now"

#: Features of which no residual instance is made.
STATES = Component("states of runs", frozenset({Feature.OPTIONAL, Feature.TRANSITIONS, Feature.BREAKS}))


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
    require a state which no remaining action sets. The first piece of an action carries its amount of a budget.

    Parameters
    ----------
    stepwise
        True if the benchmark executes command by command. A use that sets no state then cannot share the room of a
        setting whose command came before, so it starts later. The general rules check a schedule as a whole.

    Raises
    ------
    InputError
        For optional tasks, transitions and pauses in breaks, see `STATES`.

    See Also
    --------
    planoracle.instances.protocol.schedule_benchmark.remaining_problem : By the rules of the instance's benchmark.
    """
    STATES.check(instance)
    started: dict[str, list[Piece]] = defaultdict(list)
    for piece in state.pieces:
        if piece.duration or not variant_of(instance, piece).duration:
            started[piece.action].append(piece)
    delayed = set(_without_shared_room(instance, state, started)) if stepwise else set()
    # Absolute times count from tick 0, so that NOW must stay there.
    deadline = 0 if instance.calendars or _has_windows(instance) else None
    actions = [Action(NOW, "now", duration=0, attended=0, agents=(), deadline=deadline)]
    lags: list[Lag] = []
    parts: dict[str, list[str]] = {}
    modes = _remaining_modes(instance, started)
    for action in instance.actions:
        pieces = started[action.id]
        if pieces:
            action = _in_mode_of(instance, action, pieces[0])
        remaining = action.duration - sum(piece.duration for piece in pieces)
        is_complete = bool(pieces) and not remaining
        count = len(pieces) - is_complete  # the last piece of a complete action has its id
        numbers = range(1, count + 1)
        names = [f"{action.id}#{number}" for number in numbers]
        parts[action.id] = [*names, action.id]
        for number, (piece, name) in enumerate(zip(pieces, parts[action.id], strict=False)):
            actions.append(_action_of_piece(instance, action, piece, name, first=number == 0))
            lags.append(Lag(NOW, name, piece.start, piece.start))
        lags += [Lag(name, action.id, 0, None) for name in names]
        if is_complete:
            continue
        remaining_action = _remaining_action(action, remaining, modes[action.id])
        actions.append(_without_budgets(instance, remaining_action) if pieces else remaining_action)
        clock = state.clock + (action.id in delayed)
        earliest_start = max(action.release, clock)
        lags.append(Lag(NOW, action.id, earliest_start, None))
    finished = set()
    for name, names in parts.items():
        if len(names) == len(started[name]):
            finished.add(name)
    for lag in instance.lags:
        fixed = len(started[lag.after]) if lag.before in finished else 0
        lags += _remaining_lags(lag, parts[lag.after], fixed)
    name = f"{instance.name} from {state.clock}"
    return replace(
        instance,
        name=name,
        actions=tuple(actions),
        lags=tuple(lags),
        benchmark="generic",
        origin=None,
        rest_of=instance,
    )


def _remaining_action(action: Action, remaining: int, modes: tuple[Mode, ...]) -> Action:
    """Return the remaining work of an action, in the modes that can still be selected."""
    attended = remaining if action.continuous else action.attended
    remaining_action = replace(action, duration=remaining, attended=attended, release=0)
    return replace(remaining_action, modes=modes) if modes else _infeasible_action(remaining_action)


def _remaining_lags(lag: Lag, parts: list[str], fixed: int) -> Iterator[Lag]:
    """Yield a time lag for each part of its later action that is not among the ``fixed`` first ones."""
    for number, part in enumerate(parts):
        minimum = None if number else lag.minimum
        if number >= fixed and (minimum, lag.maximum) != (None, None):
            yield Lag(lag.before, part, minimum, lag.maximum)


def _remaining_modes(instance: Instance, started: dict[str, list[Piece]]) -> dict[str, tuple[Mode, ...]]:
    """Return the modes of each action that can still be selected and whose states can still be set."""
    modes = {}
    for action in instance.actions:
        pieces = started[action.id]
        modes[action.id] = _in_mode_of(instance, action, pieces[0]).modes if pieces else action.modes
    initial_states = {(resource.name, resource.state) for resource in instance.resources}
    while True:
        states = initial_states | _settable_states(modes.values())
        usable = {}
        for name, choices in modes.items():
            if started[name]:
                usable[name] = choices
            else:
                usable[name] = tuple(mode for mode in choices if _has_states(mode, states))
        if usable == modes:
            return usable
        modes = usable


def _settable_states(modes: Iterable[tuple[Mode, ...]]) -> set[tuple[str, str | None]]:
    """Return the states of resources that some modes set."""
    states = set()
    for mode in chain.from_iterable(modes):
        for demand in mode.demands:
            states.add((demand.resource, demand.sets))
    return states


def _has_states(mode: Mode, states: Container[tuple[str, str | None]]) -> bool:
    """Return whether all states that a mode requires are among some states."""
    required = [(demand.resource, demand.requires) for demand in mode.demands if demand.requires is not None]
    return all(state in states for state in required)


def _infeasible_action(action: Action) -> Action:
    """Return an action that cannot start: it requires a state that only the action itself sets."""
    demands = chain.from_iterable(mode.demands for mode in action.modes)
    unmet = next(demand for demand in demands if demand.requires is not None)
    demand = Demand(unmet.resource, 0, requires=unmet.requires, sets=unmet.requires)
    return replace(action, interruptible=False, modes=(Mode((demand,)),))


def _action_of_piece(instance: Instance, action: Action, piece: Piece, name: str, *, first: bool) -> Action:
    """Return a started piece of an action in its mode as an action."""
    (mode,) = action.modes
    if not first:
        mode = replace(mode, after=())
    # With several agents the room of an interruptible action may not be shared.
    is_interruptible = action.interruptible and len(instance.agents) > 1
    attended = piece.duration if action.continuous else action.attended
    agents = () if piece.agent is None else (piece.agent,)
    action_of_piece = replace(
        action,
        id=name,
        duration=piece.duration,
        attended=attended,
        interruptible=is_interruptible,
        modes=(mode,),
        agents=agents,
        release=0,
        deadline=None,
        windows=(),
    )
    return action_of_piece if first else _without_budgets(instance, action_of_piece)


def _in_mode_of(instance: Instance, action: Action, piece: Piece) -> Action:
    """Return an action with the mode of a piece as its only one, whose values it has itself."""
    mode = action.modes[piece.mode]
    variant = instance.variants[action.id][piece.mode]
    agents = action.agents if mode.agents is None else mode.agents
    plain_mode = replace(mode, duration=None, attended=None, agents=None)
    return replace(action, duration=variant.duration, attended=variant.attended, agents=agents, modes=(plain_mode,))


def _without_budgets(instance: Instance, action: Action) -> Action:
    """Return an action that uses up nothing."""
    modes = []
    for mode in action.modes:
        demands = [demand for demand in mode.demands if instance.resource[demand.resource].renewable]
        modes.append(replace(mode, demands=tuple(demands)))
    return replace(action, modes=tuple(modes))


def _has_windows(instance: Instance) -> bool:
    return any(action.deadline is not None or action.windows for action in instance.actions)


def _without_shared_room(instance: Instance, state: PartialSchedule, started: dict[str, list[Piece]]) -> Iterator[str]:
    """Yield actions that could start at the clock only in the room of a setting started at the clock."""
    settings = set()
    for piece in state.pieces:
        if piece.start == state.clock:
            for demand in variant_of(instance, piece).demands:
                if demand.sets is not None and 2 * demand.amount > instance.resource[demand.resource].capacity:
                    settings.add((demand.resource, piece.duration))
    for action in instance.actions:
        if len(action.modes) > 1 or started[action.id]:
            continue
        (variant,) = instance.variants[action.id]
        uses = [use.resource for use in variant.demands if use.sets is None]
        if any((resource, variant.duration) in settings for resource in uses):
            yield action.id
