"""One thing at a time: the schedule that shows that a random problem can be solved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planoracle.instances.certify import certify
from planoracle.instances.model import Action, Instance, Lag
from planoracle.instances.schedule import Piece, Schedule


def witnessed(instance: Instance, order: Sequence[int], *, widen: bool) -> tuple[Instance, Schedule | None]:
    """Carry the actions out one after the other, as soon as minimum lags allow.

    Parameters
    ----------
    order
        Positions of the actions, what comes before another first.
    widen
        Make maximum lags that this schedule breaks just long enough. Otherwise the instance stays as it is.

    Returns
    -------
    tuple
        The instance, and the schedule, accepted by its rules; ``None`` if it breaks maximum lags.
    """
    starts: dict[str, int] = {}
    finish: dict[str, int] = {}
    clock = 0
    for i in order:
        action = instance.actions[i]
        starts[action.id] = max(
            clock, action.release, *(finish[instance.actions[j].id] + lag for j, lag in instance.predecessors[i])
        )
        clock = finish[action.id] = starts[action.id] + action.duration
    lags = tuple(_widened(lag, starts[lag.after] - finish[lag.before]) for lag in instance.lags)
    if lags != instance.lags:
        if not widen:
            return instance, None
        instance = replace(instance, lags=lags)
    pieces = [_piece(instance, action, starts[action.id]) for action in instance.actions]
    schedule = Schedule.of(instance, pieces)
    certify(instance, schedule)
    return instance, schedule


def _widened(lag: Lag, gap: int) -> Lag:
    fits = lag.maximum is None or gap <= lag.maximum
    return lag if fits else replace(lag, maximum=gap)


def _piece(instance: Instance, action: Action, start: int) -> Piece:
    return Piece(action.id, start, action.duration, instance.eligible(action)[0])
