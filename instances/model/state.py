"""A point in a run: what has been carried out or is under way, and the time before which nothing else can start."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode
from planoracle.instances.model.schedule import Piece
from planoracle.instances.protocol import registry

#: The action of no length that a restricted instance begins with; committed pieces are tied to it.
NOW = "now/now"


@dataclass(frozen=True, slots=True)
class PartialSchedule:
    """Decisions that cannot be undone.

    Attributes
    ----------
    pieces
        Pieces that have been started, in the order of their commands, as the rules accept them; none starts after
        ``clock``. A piece runs for all of its duration, also beyond ``clock``, and without a cut: whoever carries it
        out cannot start anything strictly inside any more, even if the action may be paused.
    clock
        Ticks; no further piece starts before it.
    """

    pieces: tuple[Piece, ...] = ()
    clock: int = 0


def restricted(instance: Instance, state: PartialSchedule) -> Instance:
    """Return the instance with the decisions of a state as constraints, in the general model.

    Its optimum is the best makespan that the state leaves. Pieces carried out are actions of their own, tied to
    an action `NOW` at time 0 by lags (minimum and maximum) of their starts; all that is still to be done
    has a minimum lag of ``clock`` (or of its release) from it. What is left of an action in progress keeps
    the action's id; its pieces are called ``id#1``, ``id#2`` and so on. Time lags between pieces carried out are
    dropped, and so are modes that need a state which nothing sets any more: nothing can change them.

    Benchmarks carry out command by command (the general rules do not): there a use of a resource cannot take in a
    setting that has been given before it, so it starts later.

    The instance's ``origin`` is the original one.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> from planoracle.solver.exact.search import solve
    >>> problem = load("recipe2plan/timed/Cobbler_Pancakes")
    >>> late = PartialSchedule((Piece("Cobbler/0", 300, 600, "agent"),), clock=300)
    >>> solve(problem).makespan, solve(restricted(problem, late)).makespan
    (4080, 4380)
    """
    carried: dict[str, list[Piece]] = defaultdict(list)
    for piece in state.pieces:
        if piece.duration or not instance.by_id[piece.action].duration:
            carried[piece.action].append(piece)
    late = set(_shut_out(instance, state, carried)) if registry.of(instance).stepwise else set()
    actions = [Action(NOW, "now", duration=0, attended=0, agents=())]
    lags: list[Lag] = []
    parts: dict[str, list[str]] = {}
    modes = _modes_left(instance, carried)
    for action in instance.actions:
        pieces = carried[action.id]
        left = action.duration - sum(piece.duration for piece in pieces)
        whole = bool(pieces) and not left
        names = [f"{action.id}#{number}" for number in range(1, len(pieces) + 1 - whole)]
        parts[action.id] = [*names, action.id]
        for piece, name in zip(pieces, parts[action.id], strict=False):
            actions.append(_carried(instance, action, piece, name, first=name is parts[action.id][0]))
            lags.append(Lag(NOW, name, piece.start, piece.start))
        lags += [Lag(name, action.id, 0, None) for name in names]
        if whole:
            continue
        attended = left if action.continuous else action.attended
        rest = replace(action, duration=left, attended=attended, release=0)
        actions.append(replace(rest, modes=modes[action.id]) if modes[action.id] else _never(rest))
        clock = state.clock + (action.id in late)
        lags.append(Lag(NOW, action.id, max(action.release, clock), None))
    settled = {name for name, names in parts.items() if len(names) == len(carried[name])}
    for lag in instance.lags:
        lags += _lags_left(lag, parts[lag.after], len(carried[lag.after]) if lag.before in settled else 0)
    return replace(
        instance,
        name=f"{instance.name} from {state.clock}",
        actions=tuple(actions),
        lags=tuple(lags),
        benchmark="generic",
        origin=None,
        rest_of=instance,
    )


def _lags_left(lag: Lag, parts: list[str], settled: int) -> Iterator[Lag]:
    """Yield a time lag for the parts of its later action; between the first ``settled`` ones nothing can change."""
    for number, part in enumerate(parts):
        minimum = None if number else lag.minimum
        if number >= settled and (minimum, lag.maximum) != (None, None):
            yield Lag(lag.before, part, minimum, lag.maximum)


def _modes_left(instance: Instance, carried: dict[str, list[Piece]]) -> dict[str, tuple[Mode, ...]]:
    """Return the modes of every action that have not been decided against and need no state that nothing sets."""
    modes = {a.id: (a.modes[carried[a.id][0].mode],) if carried[a.id] else a.modes for a in instance.actions}
    while True:
        demands = [demand for choices in modes.values() for mode in choices for demand in mode.demands]
        states = {(one.resource, one.sets) for one in demands} | {(one.name, one.state) for one in instance.resources}
        kept = {
            name: tuple(
                mode
                for mode in choices
                if carried[name] or all(d.requires is None or (d.resource, d.requires) in states for d in mode.demands)
            )
            for name, choices in modes.items()
        }
        if kept == modes:
            return kept
        modes = kept


def _never(action: Action) -> Action:
    """Return an action that cannot start: it requires a state that nothing but itself sets."""
    wanted = next(d for mode in action.modes for d in mode.demands if d.requires is not None)
    demand = Demand(wanted.resource, 0, requires=wanted.requires, sets=wanted.requires)
    return replace(action, interruptible=False, modes=(Mode((demand,)),))


def _carried(instance: Instance, action: Action, piece: Piece, name: str, *, first: bool) -> Action:
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


def _shut_out(instance: Instance, state: PartialSchedule, carried: dict[str, list[Piece]]) -> Iterator[str]:
    """Yield actions that could start at the clock only by sharing the room of a setting begun just before."""
    begun = {
        (demand.resource, piece.duration)
        for piece in state.pieces
        if piece.start == state.clock
        for demand in instance.by_id[piece.action].modes[piece.mode].demands
        if demand.sets is not None and 2 * demand.amount > instance.resource[demand.resource].capacity
    }
    for action in instance.actions:
        uses = action.modes[0].demands if len(action.modes) == 1 and not carried[action.id] else ()
        if any((use.resource, action.duration) in begun and use.sets is None for use in uses):
            yield action.id
