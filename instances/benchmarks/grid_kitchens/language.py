"""Actions as plans write them, read once: what they mean on a floor, or what is wrong with them whenever they come."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, Tile
from planoracle.instances.benchmarks.grid_kitchens.rules import Time
from planoracle.instances.benchmarks.grid_kitchens.tiles import StationMap
from planoracle.instances.errors import PlanError
from planoracle.instances.model_output import reading as outputs
from planoracle.instances.model_output.blocks import Grammar, StepMatch
from planoracle.instances.protocol.plan import Reading

MOVE, INTERACT, PROCESS, WAIT, FINISH = WORDS = ("MoveTo", "Interact", "Process", "Wait", "Finish")

# Ticks of the longest wait, and so many characters of a faulty action are kept.
_LONGEST: Final = 10**9
_KEPT: Final = 200


class CookAction(NamedTuple):
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


def read(ground: StationMap, given: object) -> CookAction:
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


def written(ground: StationMap, act: CookAction) -> dict[str, Any]:
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


def _read(ground: StationMap, given: object) -> CookAction:
    if not isinstance(given, dict) or "action" not in given:
        return CookAction("", fault="malformed")
    word = given["action"]
    if word == FINISH:
        return CookAction(FINISH)
    if word == WAIT:
        duration = tick(given.get("duration", 1))
        if duration is None or duration > _LONGEST:
            return CookAction(WAIT, fault="malformed")
        return CookAction(WAIT, duration=duration, fault="negative_wait" if duration < 0 else "")
    if word not in (MOVE, INTERACT, PROCESS):
        return CookAction("", fault="unknown_action")
    if word == MOVE:
        return _move(ground, given.get("target"))
    target = given.get("target", [])
    if isinstance(target, list | dict):
        return CookAction(word, fault="malformed")
    number = ground.numbers.get(target)
    if number is None:
        return CookAction(word, fault="not_a_station" if target in ground.things else "unknown_target")
    return CookAction(word, station=number)


def _move(ground: StationMap, target: object) -> CookAction:
    """Read a walk: a column beside the map is enough for it to be a walk to nowhere, whatever the row is."""
    if not isinstance(target, list | tuple) or len(target) != 2 or not isinstance(target[0], int | float):
        return CookAction(MOVE, fault="malformed")
    x, y = (tick(value) for value in target)
    if x is None or not 0 <= x < ground.floor.width:
        return CookAction(MOVE, fault="unreachable")
    if not isinstance(target[1], int | float):
        return CookAction(MOVE, fault="malformed")
    if not (isinstance(x, int) and isinstance(y, int) and ground.floor.inside((x, y))):
        return CookAction(MOVE, fault="unreachable")
    return CookAction(MOVE, (x, y), fault="unreachable" if (x, y) in ground.floor.blocked else "")


_COOK = re.compile(r"\b(?:agent|cook|chef|player|robot)s?[\s_#-]{0,3}(\d{1,3})\b", re.IGNORECASE)
_MARK = re.compile(r"\s{0,20}(?:[-*+\u2022]|\d{1,4}[.):])?\s{0,8}[*_`]{0,3}")
_WHO = r"(?:agent|cook|chef|player|robot)[\s_#-]{0,3}(\d{1,3})"
_HEAD = re.compile(
    rf"\s{{0,20}}(?:[-*+]|#{{1,6}})?\s{{0,8}}[*_`]{{0,3}}{_WHO}(?:'s)?(?: plan| actions)?[\s*_`:]{{0,9}}", re.IGNORECASE
)
_LINE = re.compile(rf"({_MARK.pattern}){_WHO}[*_`]{{0,3}}\s{{0,4}}:[*_`]{{0,3}}\s{{0,4}}", re.IGNORECASE)
_OPEN = r"[\s:(\[]{0,4}(?:[a-z]{4,8}\s?[=:]\s?)?[\s(\[\"'`]{0,4}"
_WORD = re.compile(r"\b(?:(Move)[\s_]?To|(Interact|Process|Wait|Finish))\b(?:\s(?:with|at)\b)?", re.IGNORECASE)
_TILE = re.compile(rf"{_OPEN}(-?\d{{1,4}})\s{{0,3}}[,;]\s{{0,3}}(-?\d{{1,4}})[\s)\]]{{0,4}}", re.IGNORECASE)
_NAME = re.compile(rf"{_OPEN}([A-Za-z_]\w{{0,80}})[\s)\]\"'`]{{0,4}}", re.IGNORECASE)
_TIME = re.compile(rf"{_OPEN}(\d{{1,9}}(?:\.\d{{1,9}})?)[\s)\]]{{0,4}}", re.IGNORECASE)
_LISTS = ("actions", "plan", "steps", "tasks", "sequence")
_COOKS = ("agent", "cook", "chef", "agent_id", "name", "who")


def as_given(plan: Mapping[str, object]) -> Reading[dict[str, object]]:
    """Return the reading of a plan that is an object with a list of actions for each cook."""
    count = sum(len(actions) for actions in plan.values() if isinstance(actions, list))
    return Reading(dict(plan), count, "object as given", 0)


def found_in(floor: GridKitchen, given: object) -> Reading[dict[str, object]]:
    """Find the actions of each cook in what a model wrote, see `planoracle.instances.model_output`.

    That is an object with a list for every cook, as plans are, or anything near it: lists under other names of cooks
    (``Agent 1``), objects for one cook (``{"agent": "agent1", "actions": [...]}``), lines such as ``agent1: MoveTo(3,
    4)`` or ``Interact(stove1)`` below the name of a cook.

    Raises
    ------
    PlanError
        If it does not say who does something.
    """
    said = _spread(given) if isinstance(given, str) else given
    return outputs.read(said, _Steps(floor)).of(lambda steps: _plan(floor, steps))


def _spread(text: str) -> str:
    r"""Write the cook of a heading into every line below it that says an action, and in no line as one who speaks.

    >>> _spread("**Agent 1**\n1. Finish\nagent2: Finish").splitlines()
    ['', '1. cook1 Finish', 'cook2 Finish']
    """
    cook, lines = "", []
    for line in text.split("\n"):
        head = _HEAD.fullmatch(line) if len(line) < 80 else None
        said = None if head else _LINE.match(line)
        if head is not None:
            cook = f"cook{head[1]} "
            line = ""
        elif said is not None:
            line = f"{said[1]}cook{said[2]} {line[said.end() :]}"
        elif cook and (mark := _MARK.match(line)) and _WORD.match(line, mark.end()):
            line = f"{line[: mark.end()]}{cook}{line[mark.end() :]}"
        lines.append(line)
    return "\n".join(lines)


class _Step(NamedTuple):
    """What a cook does; no action: who is meant by those that follow, or a list that is empty."""

    cook: str | None
    action: object = None


class _Steps(Grammar[_Step]):
    """Actions by their words, and whose they are."""

    def __init__(self, floor: GridKitchen) -> None:
        self.floor = floor

    @cached_property
    def _targets(self) -> dict[str, str]:
        names = [*self.floor.by_name, *(name for name, _ in self.floor.walls)]
        return {name.lower(): name for name in names}

    def _cook(self, said: object) -> str | None:
        """Return the cook that a name means, also one that there is not; ``None`` for what names none."""
        if not isinstance(said, str) or said in self.floor.agents:
            return said if isinstance(said, str) else None
        found = _COOK.fullmatch(said.strip())
        if found is None:
            return None
        same = (cook for cook in self.floor.agents if re.sub(r"\D", "", cook) == found[1])
        return next(same, said)

    def find(self, text: str) -> list[StepMatch[_Step]]:
        """Return the actions in a line, for the cook that it names."""
        cooks = {self._cook(one[0]) for one in _COOK.finditer(text)}
        cooks |= {cook for cook in self.floor.agents if re.search(rf"\b{re.escape(cook)}\b", text)}
        if len(cooks) > 1:
            return []  # nobody knows whose they are
        cook = next(iter(cooks), None)
        found = []
        for word in _WORD.finditer(text):
            action, end = self._action(word, text)
            if action is not None:
                found.append(StepMatch(end - word.start(), _Step(cook, action)))
        return found

    def _action(self, word: re.Match[str], text: str) -> tuple[dict[str, object] | None, int]:
        """Return the action that begins with a word, and where it ends."""
        name = MOVE if word[1] else word[2].capitalize()
        after = {MOVE: _TILE, WAIT: _TIME}.get(name, _NAME).match(text, word.end())
        end = word.end() if after is None else after.end()
        if name == FINISH:
            return {"action": FINISH}, word.end()
        if after is None:
            return ({"action": WAIT} if name == WAIT else None), end
        if name == WAIT:
            return {"action": WAIT, "duration": float(after[1]) if "." in after[1] else int(after[1])}, end
        if name == MOVE:
            return {"action": MOVE, "target": [int(after[1]), int(after[2])]}, end
        target = self._targets.get(after[1].lower())
        return (None if target is None else {"action": name, "target": target}), end

    def told(self, text: str) -> list[_Step]:
        """Return nothing: sentences speak of actions in any order."""
        return []

    def of(self, value: object) -> list[_Step] | None:
        """Return the actions of an object with a list for every cook, of one for one cook, or an action itself."""
        if isinstance(value, list):
            if value and all(_is_action(one) for one in value):
                return [self._one(one) for one in value]
            return None
        if not isinstance(value, dict):
            return None
        cooks = {name: self._cook(name) for name in value}
        if any(cooks.values()) and all(cooks[name] or isinstance(held, str) for name, held in value.items()):
            return [step for name, cook in cooks.items() if cook for step in self._all(cook, value[name])]
        named = {name.lower(): held for name, held in value.items()}
        if _is_action(value):
            return [self._one(value)]
        cook = next(filter(None, (self._cook(named.get(name)) for name in _COOKS)), None)
        listed = next((named[name] for name in _LISTS if isinstance(named.get(name), list)), None)
        return None if cook is None or listed is None else self._all(cook, listed)

    def _all(self, cook: str, held: object) -> list[_Step]:
        """Return what a cook does: actions of a list, or a single one."""
        if not isinstance(held, list):
            held = [held]
        steps = [_Step(cook, self._said(one)) for one in held]
        return steps or [_Step(cook)]

    def _one(self, action: Mapping[str, object]) -> _Step:
        """Return an action of a list that may say who does it."""
        cook = next(filter(None, (self._cook(action.get(name)) for name in ("agent", "cook", "agent_id"))), None)
        return _Step(cook, dict(action))

    def _said(self, action: object) -> object:
        """Return an action, of text the one that it says."""
        if isinstance(action, str):
            word = _WORD.match(action.strip())
            found = None if word is None else self._action(word, action.strip())[0]
            return action if found is None else found
        return action

    def row(self, cells: Mapping[str, str]) -> list[_Step] | None:
        """Return the actions of a row of a table: with a column for every cook, or one that names it."""
        cooks = {head: self._cook(head) for head in cells}
        if any(cooks.values()):
            held = [(cook, one.step.action) for head, cook in cooks.items() if cook for one in self.find(cells[head])]
            return [_Step(cook, action) for cook, action in held if action is not None] or None
        found = self.find(" ".join(cells.values()))
        return [one.step for one in found if one.step.action is not None] or None

    def looks(self, text: str, free: bool) -> bool:
        """Whether a line names an action and what it is done with."""
        word = _WORD.search(text[:500])
        return word is not None and (not free or text[word.end() : word.end() + 2].strip()[:1] in ("(", "["))

    def key(self, step: _Step) -> str | None:
        """Return cook and action; ``None`` for what plans repeat."""
        action = step.action
        word = action.get("action") if isinstance(action, dict) else None
        return None if word in (None, WAIT, FINISH) else f"{step.cook} {json.dumps(action, sort_keys=True)}"


def _is_action(value: object) -> bool:
    return isinstance(value, dict) and value.get("action") in WORDS


def _plan(floor: GridKitchen, steps: Iterable[_Step]) -> dict[str, object]:
    """Return the actions by cook; what names nobody is done by whom was named last."""
    plan: dict[str, list[object]] = {}
    cook = floor.agents[0] if len(floor.agents) == 1 else None
    for step in steps:
        cook = cook if step.cook is None else step.cook
        if cook is None:
            raise PlanError(f"does not say who does it: {', '.join(floor.agents)}", field="plan", value=step.action)
        actions = plan.setdefault(cook, [])
        if step.action is not None:
            actions.append(step.action)
    return dict(plan)
