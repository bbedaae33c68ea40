"""Actions as plans write them, read once: what they mean on a floor, or what is wrong with them whenever they come."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any, Final, NamedTuple

from planoracle.instances.floors.floor import Tile
from planoracle.instances.floors.ground import Ground
from planoracle.instances.floors.world import Time

MOVE, INTERACT, PROCESS, WAIT, FINISH = WORDS = ("MoveTo", "Interact", "Process", "Wait", "Finish")

# Ticks of the longest wait, and so many characters of a faulty action are kept.
_LONGEST: Final = 10**9
_KEPT: Final = 200


class Act(NamedTuple):
    """An action. Only the fields that its word needs are set.

    Attributes
    ----------
    word
        One of `WORDS`, or ``""``.
    fault, given, target
        What is wrong with it at any time, ``""`` if nothing is; and then how it is written, and its target.
    """

    word: str
    tile: Tile = (0, 0)
    station: int = -1
    duration: Time = 0
    fault: str = ""
    given: str = ""
    target: str = ""


def tick(value: object) -> Time | None:
    """Return a number of a plan exactly, a decimal fraction as it is written; ``None`` for what is no number."""
    if isinstance(value, float) and math.isfinite(value):
        exact = Fraction(repr(value))
        return exact.numerator if exact.denominator == 1 else exact
    return int(value) if isinstance(value, int) else None


def spoken(time: Time) -> int | float:
    """Return a time for JSON."""
    return time if isinstance(time, int) else int(time) if time.denominator == 1 else float(time)


def whole(time: Time) -> int:
    """Return a time in whole ticks, a fraction of one as one."""
    return math.ceil(time)


def read(ground: Ground, given: object) -> Act:
    """Read an action; never raises for what it holds.

    What is wrong with it, if anything, becomes known when it is begun.
    """
    act = _read(ground, given)
    if not act.fault:
        return act
    if not isinstance(given, dict):
        return act._replace(given=_shown(given))
    parts = [_shown(given[field]) for field in ("action", "target", "duration") if field in given]
    return act._replace(given=" ".join(parts)[:_KEPT] or _shown(given), target=_shown(given.get("target")))


def written(ground: Ground, act: Act) -> dict[str, Any]:
    """Return an action as plans have it."""
    if act.word == MOVE:
        return {"action": MOVE, "target": list(act.tile)}
    if act.word == WAIT:
        return {"action": WAIT, "duration": spoken(act.duration)}
    return {"action": act.word} if act.station < 0 else {"action": act.word, "target": ground.names[act.station]}


def _shown(given: object) -> str:
    if isinstance(given, str):
        return given[:_KEPT]
    try:
        return json.dumps(given, default=str)[:_KEPT]
    except (TypeError, ValueError, RecursionError):
        return type(given).__name__


def _read(ground: Ground, given: object) -> Act:
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
    if word not in (MOVE, INTERACT, PROCESS):
        return Act("", fault="unknown_action")
    if word == MOVE:
        return _move(ground, given.get("target"))
    target = given.get("target", [])
    if isinstance(target, list | dict):
        return Act(word, fault="malformed")
    number = ground.numbers.get(target)
    if number is None:
        return Act(word, fault="not_a_station" if target in ground.things else "unknown_target")
    return Act(word, station=number)


def _move(ground: Ground, target: object) -> Act:
    """Read a walk: a column beside the map is enough for it to be a walk to nowhere, whatever the row is."""
    if not isinstance(target, list | tuple) or len(target) != 2 or not isinstance(target[0], int | float):
        return Act(MOVE, fault="malformed")
    x, y = (tick(value) for value in target)
    if x is None or not 0 <= x < ground.floor.width:
        return Act(MOVE, fault="unreachable")
    if not isinstance(target[1], int | float):
        return Act(MOVE, fault="malformed")
    if not (isinstance(x, int) and isinstance(y, int) and ground.floor.inside((x, y))):
        return Act(MOVE, fault="unreachable")
    return Act(MOVE, (x, y), fault="unreachable" if (x, y) in ground.floor.blocked else "")
