"""Actions as plans write them, read once: what they mean on a floor, or what is wrong with them whenever they come."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final, NamedTuple

from planoracle.instances.floors.floor import Tile
from planoracle.instances.floors.ground import Ground
from planoracle.instances.floors.world import Time

__all__ = ["FINISH", "INTERACT", "MOVE", "PROCESS", "WAIT", "WORDS", "Act", "read", "spoken", "tick"]

MOVE, INTERACT, PROCESS, WAIT, FINISH = WORDS = ("MoveTo", "Interact", "Process", "Wait", "Finish")

_LONGEST: Final = 10**9


class Act(NamedTuple):
    """An action. Only the fields that its word needs are set.

    Attributes
    ----------
    fault
        What is wrong with it at any time, ``""`` if nothing is.
    """

    word: str
    tile: Tile = (0, 0)
    station: int = -1
    duration: Time = 0
    fault: str = ""


def tick(value: object) -> Time | None:
    """Return a number of a plan exactly, a decimal fraction as it is written; ``None`` for what is no number."""
    if isinstance(value, float) and math.isfinite(value):
        exact = Fraction(repr(value))
        return exact.numerator if exact.denominator == 1 else exact
    return int(value) if isinstance(value, int) else None


def spoken(time: Time) -> int | float:
    """Return a time for JSON."""
    return time if isinstance(time, int) else int(time) if time.denominator == 1 else float(time)


def read(ground: Ground, given: object) -> Act:
    """Read an action; never raises for what it holds.

    Examples
    --------
    An action that is a mystery keeps it to itself until it is begun:

    >>> read(None, {"action": "Dance"}).fault
    'unknown_action'
    """
    if not isinstance(given, dict) or "action" not in given:
        return Act("", fault="malformed")
    word = given["action"]
    if word == FINISH:
        return Act(FINISH)
    if word == WAIT:
        duration = tick(given.get("duration", 1))
        if duration is None or duration > _LONGEST:
            return Act(WAIT, fault="malformed")
        return Act(WAIT, duration=duration, fault="negative_wait" if duration < 0 else "")
    if word == MOVE:
        return _move(ground, given.get("target"))
    if word in (INTERACT, PROCESS):
        target = given.get("target")
        if not isinstance(target, str):
            return Act(word, fault="malformed")
        number = ground.numbers.get(target)
        if number is None:
            return Act(word, fault="not_a_station" if target in ground.things else "unknown_target")
        return Act(word, station=number)
    return Act(str(word)[:40], fault="unknown_action")


def _move(ground: Ground, target: object) -> Act:
    if not isinstance(target, list | tuple) or len(target) != 2:
        return Act(MOVE, fault="malformed")
    x, y = (tick(value) for value in target)
    if x is None or y is None:
        return Act(MOVE, fault="malformed")
    if not (isinstance(x, int) and isinstance(y, int) and ground.floor.inside((x, y))):
        return Act(MOVE, fault="unreachable")
    return Act(MOVE, (x, y), fault="unreachable" if (x, y) in ground.floor.blocked else "")
