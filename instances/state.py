"""A point in a run: what has been carried out or is under way, and the time before which nothing else can start."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from planoracle.instances.model import Action, Instance, Lag
from planoracle.instances.schedule import Piece

__all__ = ["NOW", "State", "restricted"]

#: The action of no length that a restricted instance begins with; committed pieces are tied to it.
NOW = "now/now"


@dataclass(frozen=True, slots=True)
class State:
    """Decisions that cannot be undone.

    Attributes
    ----------
    pieces
        Pieces that have been started, in the order of their commands. A piece runs for all of its duration,
        also beyond ``clock``.
    clock
        Ticks; no further piece starts before it.
    """

    pieces: tuple[Piece, ...] = ()
    clock: int = 0


def restricted(instance: Instance, state: State) -> Instance:
    """Return the instance with the decisions of a state as constraints, in the general model.

    Its optimum is the best makespan that the state leaves. Pieces carried out are actions of their own, tied to
    an action `NOW` at time 0 by lags (minimum and maximum) of their starts; all that is still to be done
    has a minimum lag of ``clock`` (or of its release) from it. What is left of an action in progress keeps
    the action's id; its pieces are called ``id#1``, ``id#2`` and so on. Time lags between two actions that have both
    been started are dropped: nothing can change them any more.

    Benchmarks carry out command by command (the general rules do not): there a use of a resource cannot take in a
    setting that has been given before it, so it starts later.

    The instance's ``origin`` is the original one.

    Examples
    --------
    >>> from planoracle.instances.catalogue import load
    >>> from planoracle.solver.solve import solve
    >>> problem = load("recipe2plan/timed/Cobbler_Pancakes")
    >>> late = State((Piece("Cobbler/0", 300, 600, "agent"),), clock=300)
    >>> solve(problem).makespan, solve(restricted(problem, late)).makespan
    (4080, 4380)
    """
    carried: dict[str, list[Piece]] = defaultdict(list)
    for piece in state.pieces:
        if piece.duration or not instance.by_id[piece.action].duration:
            carried[piece.action].append(piece)
    late = set() if instance.benchmark == "own" else set(_shut_out(instance, state, carried))
    actions = [Action(NOW, "now", duration=0, attended=0, agents=())]
    lags: list[Lag] = []
    for action in instance.actions:
        pieces = carried[action.id]
        left = action.duration - sum(piece.duration for piece in pieces)
        whole = bool(pieces) and not left
        for number, piece in enumerate(pieces, 1):
            last = whole and number == len(pieces)
            actions.append(_carried(instance, action, piece, action.id if last else f"{action.id}#{number}"))
            lags.append(Lag(NOW, actions[-1].id, piece.start, piece.start))
            if not last:
                lags.append(Lag(actions[-1].id, action.id, 0, None))
        if whole:
            continue
        modes = (action.modes[pieces[0].mode],) if pieces else action.modes
        attended = left if action.continuous else action.attended
        actions.append(replace(action, duration=left, attended=attended, modes=modes, release=0))
        clock = state.clock + (action.id in late)
        lags.append(Lag(NOW, action.id, max(action.release, clock), None))
    lags += [lag for lag in instance.lags if not (carried[lag.before] and carried[lag.after])]
    lags += [  # what is left of an action may still be too late
        replace(lag, minimum=None)
        for lag in instance.lags
        if lag.maximum is not None and carried[lag.before] and carried[lag.after]
        if sum(piece.duration for piece in carried[lag.after]) < instance.by_id[lag.after].duration
    ]
    return replace(
        instance,
        name=f"{instance.name} from {state.clock}",
        actions=tuple(actions),
        lags=tuple(lags),
        benchmark="own",
        origin=instance,
        cache={},
    )


def _carried(instance: Instance, action: Action, piece: Piece, name: str) -> Action:
    return replace(
        action,
        id=name,
        duration=piece.duration,
        attended=piece.duration if action.continuous else action.attended,
        interruptible=False,
        modes=(replace(action.modes[piece.mode], after=()),),
        agents=() if piece.agent is None else (piece.agent,),
        release=0,
    )


def _shut_out(instance: Instance, state: State, carried: dict[str, list[Piece]]) -> Iterator[str]:
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
