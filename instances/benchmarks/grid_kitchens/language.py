"""Actions of plans for grid kitchens: reader, writer, and search in model output."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, NamedTuple

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, StationMap, Tile
from planoracle.instances.benchmarks.grid_kitchens.kitchen_state import Time
from planoracle.instances.errors import PlanError
from planoracle.instances.model_output import reading as outputs
from planoracle.instances.model_output.blocks import Grammar, StepMatch
from planoracle.instances.model_output.messages import with_texts
from planoracle.instances.protocol.plan import Reading

MOVE: Final = "MoveTo"
INTERACT: Final = "Interact"
PROCESS: Final = "Process"
WAIT: Final = "Wait"
FINISH: Final = "Finish"
WORDS = (MOVE, INTERACT, PROCESS, WAIT, FINISH)

# Ticks of the longest wait, and so many characters of a faulty action are kept.
_LONGEST: Final = 10**9
_MAX_EXCERPT: Final = 200


class CookAction(NamedTuple):
    """Action of a cook. Only the fields that its word needs are set.

    Attributes
    ----------
    word
        One of `WORDS`, or ``""``.
    fault, text, target
        Kind of an error that does not depend on the state, or ``""``; action and target as submitted.
    """

    word: str
    tile: Tile = (0, 0)
    station: int = -1
    duration: Time = 0
    fault: str = ""
    text: str = ""
    target: str = ""


def tick(value: object) -> Time | None:
    """Return a number of a plan as an exact time; ``None`` if it is not a number."""
    if isinstance(value, float) and math.isfinite(value):
        exact = Fraction(repr(value))
        return exact.numerator if exact.denominator == 1 else exact
    return int(value) if isinstance(value, int) else None


def json_number(time: Time) -> int | float:
    """Return a time for JSON."""
    if isinstance(time, int):
        return time
    return int(time) if time.denominator == 1 else float(time)


def whole(time: Time) -> int:
    """Return a time in whole ticks, rounded up."""
    return math.ceil(time)


def read(ground: StationMap, action: object) -> CookAction:
    """Read an action; never raises for its content.

    A fault of the action is reported when the action starts.
    """
    act = _read(ground, action)
    if not act.fault:
        return act
    if not isinstance(action, dict):
        return act._replace(text=excerpt(action))
    parts = [excerpt(action[field]) for field in ("action", "target", "duration") if field in action]
    text = " ".join(parts)[:_MAX_EXCERPT]
    return act._replace(text=text or excerpt(action), target=excerpt(action.get("target")))


def written(ground: StationMap, act: CookAction) -> dict[str, Any]:
    """Return an action in the form of plans."""
    if act.word == MOVE:
        return {"action": MOVE, "target": list(act.tile)}
    if act.word == WAIT:
        return {"action": WAIT, "duration": json_number(act.duration)}
    if act.station < 0:
        return {"action": act.word}
    return {"action": act.word, "target": ground.names[act.station]}


def excerpt(action: object) -> str:
    """Return the beginning of a submitted action or plan, as text."""
    if isinstance(action, str):
        return action[:_MAX_EXCERPT]
    try:
        return json.dumps(action, default=str)[:_MAX_EXCERPT]
    except (TypeError, ValueError, RecursionError):
        return type(action).__name__


def _read(ground: StationMap, action: object) -> CookAction:
    if not isinstance(action, dict) or "action" not in action:
        return CookAction("", fault="malformed")
    word = action["action"]
    if word == FINISH:
        return CookAction(FINISH)
    if word == WAIT:
        duration = tick(action.get("duration", 1))
        if duration is None or duration > _LONGEST:
            return CookAction(WAIT, fault="malformed")
        return CookAction(WAIT, duration=duration, fault="negative_wait" if duration < 0 else "")
    if word not in (MOVE, INTERACT, PROCESS):
        return CookAction("", fault="unknown_action")
    if word == MOVE:
        return _move(ground, action.get("target"))
    target = action.get("target", [])
    if isinstance(target, list | dict):
        return CookAction(word, fault="malformed")
    number = ground.numbers.get(target)
    if number is None:
        return CookAction(word, fault="not_a_station" if target in ground.things else "unknown_target")
    return CookAction(word, station=number)


def _move(ground: StationMap, target: object) -> CookAction:
    """Read a walk; if the column is off the map, the row is not checked."""
    if not isinstance(target, list | tuple) or len(target) != 2:
        return CookAction(MOVE, fault="malformed")
    if not isinstance(target[0], int | float):
        return CookAction(MOVE, fault="malformed")
    x, y = (tick(value) for value in target)
    if x is None or not 0 <= x < ground.kitchen.width:
        return CookAction(MOVE, fault="unreachable")
    if not isinstance(target[1], int | float):
        return CookAction(MOVE, fault="malformed")
    if not (isinstance(x, int) and isinstance(y, int) and ground.kitchen.inside((x, y))):
        return CookAction(MOVE, fault="unreachable")
    fault = "unreachable" if (x, y) in ground.kitchen.blocked else ""
    return CookAction(MOVE, (x, y), fault=fault)


# Characters of a line in which names are searched.
_LONGEST_LINE: Final = 2_000
_LETTERS = re.compile(r"[a-z_]+\d*")
_COOK = re.compile(r"\b(?:agent|cook|chef|player|robot)s?[\s_#-]{0,3}(\d{1,3})\b", re.IGNORECASE)
_MARK = re.compile(r"\s{0,20}(?:[-*+\u2022]|\d{1,4}[.):])?\s{0,8}[*_`]{0,3}")
_COOK_NO = r"(?:agent|cook|chef|player|robot)[\s_#-]{0,3}(\d{1,3})"
_HEAD = re.compile(
    rf"\s{{0,20}}(?:[-*+]|#{{1,6}})?\s{{0,8}}[*_`]{{0,3}}{_COOK_NO}(?:'s)?(?: plan| actions)?[\s*_`:]{{0,9}}",
    re.IGNORECASE,
)
_LINE = re.compile(rf"({_MARK.pattern}){_COOK_NO}[*_`]{{0,3}}\s{{0,4}}:[*_`]{{0,3}}\s{{0,4}}", re.IGNORECASE)
_OPEN = r"[\s:(\[]{0,4}(?:[a-z]{4,8}\s?[=:]\s?)?[\s(\[\"'`]{0,4}"
_WORD = re.compile(r"\b(?:(Move)[\s_]?To|(Interact|Process|Wait|Finish))\b(?:\s(?:with|at)\b)?", re.IGNORECASE)
_TILE = re.compile(rf"{_OPEN}(-?\d{{1,4}})\s{{0,3}}[,;]\s{{0,3}}(-?\d{{1,4}})[\s)\]]{{0,4}}", re.IGNORECASE)
_NAME = re.compile(rf"{_OPEN}([A-Za-z_]\w{{0,80}})[\s)\]\"'`]{{0,4}}", re.IGNORECASE)
_TIME = re.compile(rf"{_OPEN}(\d{{1,9}}(?:\.\d{{1,9}})?)[\s)\]]{{0,4}}", re.IGNORECASE)
_LISTS = ("actions", "plan", "steps", "tasks", "sequence")
_COOKS = ("agent", "cook", "chef", "agent_id", "name", "who")


def as_given(plan: Mapping[str, object]) -> Reading[dict[str, object]]:
    """Return the reading of a plan that is an object with a list of actions for each cook."""
    counts = [len(actions) for actions in plan.values() if isinstance(actions, list)]
    return Reading(dict(plan), sum(counts), "object as given", 0)


def read_output(kitchen: GridKitchen, output: object) -> Reading[dict[str, object]]:
    """Find the actions of each cook in model output, see `planoracle.instances.model_output`.

    That is an object with a list for every cook, as plans are, or anything near it: lists under other names of cooks
    (``Agent 1``), objects for one cook (``{"agent": "agent1", "actions": [...]}``), lines such as ``agent1: MoveTo(3,
    4)`` or ``Interact(stove1)`` below the name of a cook.

    Raises
    ------
    PlanError
        If it does not say who does something.
    """
    text = with_texts(output, _spread)
    reading = outputs.read(text, _Steps(kitchen))
    return reading.of(lambda steps: _plan(kitchen, steps))


def doubted(reading: Reading[dict[str, object]]) -> Reading[dict[str, object]]:
    """Count actions in unknown words as unread if they are too many."""
    unknown = list[object]()
    for actions in reading.commands.values():
        for action in actions if isinstance(actions, list) else ():
            word = action.get("action") if isinstance(action, dict) else None
            if isinstance(word, str) and word not in WORDS:
                unknown.append(action)
    if len(unknown) < 2 or reading.doubtful:
        return reading
    count = (reading.read or 0) - len(unknown)
    counted = replace(reading, read=count, unread=len(unknown), example=excerpt(unknown[0]))
    return counted if counted.doubtful else reading


def is_one_plan(entries: list[object]) -> bool:
    """Return whether a list is one plan, objects or lines that name their cooks, instead of turns.

    >>> is_one_plan([{"agent": "agent1", "actions": []}]), is_one_plan(["agent1: Finish"])
    (True, True)
    >>> is_one_plan([{"agent1": []}])
    False
    """
    if all(isinstance(entry, str) for entry in entries):
        return all("\n" not in entry and "{" not in entry for entry in map(str, entries))
    return all(isinstance(entry, Mapping) and _is_plan_of_cook(entry) for entry in entries)


def _is_plan_of_cook(row: Mapping[str, object]) -> bool:
    fields = {"actions", "action", "plan", "steps", "tasks"}
    return not fields.isdisjoint(row) and _names_cook(row)


def _names_cook(row: Mapping[str, object]) -> bool:
    return any(isinstance(row.get(name), str) for name in _COOKS)


def _spread(text: str) -> str:
    r"""Write the cook of a heading into every action line below it, but not as a speaker.

    >>> _spread("**Agent 1**\n1. Finish\nagent2: Finish").splitlines()
    ['', '1. cook1 Finish', 'cook2 Finish']
    """
    cook, lines = "", []
    for line in text.split("\n"):
        head = _HEAD.fullmatch(line) if len(line) < 80 else None
        line_match = None if head else _LINE.match(line)
        if head is not None:
            cook = f"cook{head[1]} "
            line = ""
        elif line_match is not None:
            remainder = line[line_match.end() :]
            line = f"{line_match[1]}cook{line_match[2]} {remainder}"
        elif cook and (mark := _MARK.match(line)) and _WORD.match(line, mark.end()):
            end = mark.end()
            line = f"{line[:end]}{cook}{line[end:]}"
        lines.append(line)
    return "\n".join(lines)


class _Step(NamedTuple):
    """Action of a cook; without an action: the cook of the steps that follow, or of an empty list."""

    cook: str | None
    action: object = None


class _Steps(Grammar[_Step]):
    """Grammar of actions and their cooks."""

    def __init__(self, kitchen: GridKitchen) -> None:
        self.kitchen = kitchen
        names = (*kitchen.by_name, *dict(kitchen.walls))
        self._targets = {name.lower(): name for name in names}

    def _cook(self, name: object) -> str | None:
        """Return the cook of a name, even if it does not exist; ``None`` if the text names no cook."""
        if not isinstance(name, str) or name in self.kitchen.agents:
            return name if isinstance(name, str) else None
        match = _COOK.fullmatch(name.strip())
        if match is None:
            return None
        for cook in self.kitchen.agents:
            if re.sub(r"\D", "", cook) == match[1]:
                return cook
        return name

    def find(self, text: str) -> list[StepMatch[_Step]]:
        """Return the actions in a line, for the cook in the line."""
        cooks = {self._cook(match[0]) for match in _COOK.finditer(text)}
        for name in self.kitchen.agents:
            if re.search(rf"\b{re.escape(name)}\b", text):
                cooks.add(name)
        if len(cooks) > 1:
            return []  # the cook is unknown
        cook = next(iter(cooks), None)
        matches = []
        for word in _WORD.finditer(text):
            action, end = self._action(word, text)
            if action is not None:
                length = end - word.start()
                matches.append(StepMatch(length, _Step(cook, action)))
        return matches

    def _action(self, word: re.Match[str], text: str) -> tuple[dict[str, object] | None, int]:
        """Return the action that begins with a word, and its end."""
        name = MOVE if word[1] else word[2].capitalize()
        pattern = {MOVE: _TILE, WAIT: _TIME}.get(name, _NAME)
        after = pattern.match(text, word.end())
        end = word.end() if after is None else after.end()
        if name == FINISH:
            return {"action": FINISH}, word.end()
        if after is None:
            return ({"action": WAIT} if name == WAIT else None), end
        if name == WAIT:
            duration = float(after[1]) if "." in after[1] else int(after[1])
            return {"action": WAIT, "duration": duration}, end
        if name == MOVE:
            tile = [int(after[1]), int(after[2])]
            return {"action": MOVE, "target": tile}, end
        target = self._targets.get(after[1].lower())
        return (None if target is None else {"action": name, "target": target}), end

    def find_in_prose(self, text: str) -> list[_Step]:
        """Return nothing, because sentences mention actions in any order."""
        return []

    def of(self, value: object) -> list[_Step] | None:
        """Return the actions of an object with a list for every cook or for one, or an action itself."""
        if isinstance(value, list):
            if value and all(_is_action(entry) for entry in value):
                return [self._step(entry) for entry in value]
            return None
        if not isinstance(value, dict):
            return None
        cooks = {name: self._cook(name) for name in value}
        is_by_cook = all(cooks[name] or isinstance(entry, str) for name, entry in value.items())
        if is_by_cook and any(cooks.values()):
            steps: list[_Step] = []
            for name, cook in cooks.items():
                if cook:
                    steps += self._all(cook, value[name])
            return steps
        named = {name.lower(): entry for name, entry in value.items()}
        if _is_action(value):
            return [self._step(value)]
        cooks_by_field = (self._cook(named.get(name)) for name in _COOKS)
        cook = next(filter(None, cooks_by_field), None)
        lists = (named.get(name) for name in _LISTS)
        actions = next((entry for entry in lists if isinstance(entry, list)), None)
        if cook is None or actions is None:
            return None
        return self._all(cook, actions)

    def _all(self, cook: str, actions: object) -> list[_Step]:
        """Return the actions of a cook, from a list or a single action."""
        if not isinstance(actions, list):
            actions = [actions]
        steps = [_Step(cook, self._read_action(action)) for action in actions]
        return steps or [_Step(cook)]

    def _step(self, action: Mapping[str, object]) -> _Step:
        """Return an action of a list, which may name its cook."""
        fields = ("agent", "cook", "agent_id")
        cooks = (self._cook(action.get(name)) for name in fields)
        cook = next(filter(None, cooks), None)
        return _Step(cook, dict(action))

    def _read_action(self, action: object) -> object:
        """Return an action, from an object or a text."""
        if not isinstance(action, str):
            return action
        text = action.strip()
        word = _WORD.match(text)
        if word is None:
            return action
        read, _ = self._action(word, text)
        return action if read is None else read

    def row(self, cells: Mapping[str, str]) -> list[_Step] | None:
        """Return the actions of a row of a table: with a column for every cook, or one that names it."""
        cooks = {head: self._cook(head) for head in cells}
        if not any(cooks.values()):
            matches = self.find(" ".join(cells.values()))
            return [match.step for match in matches if match.step.action is not None] or None
        steps: list[_Step] = []
        for head, cook in cooks.items():
            matches = self.find(cells[head]) if cook else []
            for match in matches:
                if match.step.action is not None:
                    steps.append(_Step(cook, match.step.action))
        return steps or None

    def looks(self, text: str, free: bool) -> bool:
        """Return whether a line names an action and its target."""
        word = _WORD.search(text[:500])
        if word is None or not free:
            return word is not None
        end = word.end()
        following = text[end : end + 2].strip()
        return following[:1] in ("(", "[")

    def mentions(self, text: str) -> bool:
        """Return whether a line names an action, a cook or a thing of the kitchen."""
        words = _LETTERS.findall(text[:_LONGEST_LINE].lower())
        is_named = any(self._is_name(word) for word in words)
        return is_named or self.looks(text, False)

    def _is_name(self, word: str) -> bool:
        return word in self._targets or _COOK.fullmatch(word) is not None

    def key(self, step: _Step) -> str | None:
        """Return cook and action; ``None`` for actions that plans repeat."""
        action = step.action
        word = action.get("action") if isinstance(action, dict) else None
        if word in (None, WAIT, FINISH):
            return None
        return f"{step.cook} {json.dumps(action, sort_keys=True)}"


def _is_action(value: object) -> bool:
    return isinstance(value, dict) and value.get("action") in WORDS


def _plan(kitchen: GridKitchen, steps: Iterable[_Step]) -> dict[str, object]:
    """Return the actions by cook; an action without a cook belongs to the cook named last."""
    plan: dict[str, list[object]] = {}
    cook = kitchen.agents[0] if len(kitchen.agents) == 1 else None
    for step in steps:
        cook = cook if step.cook is None else step.cook
        if cook is None:
            raise PlanError(f"must name a cook: {', '.join(kitchen.agents)}", field="plan", value=step.action)
        actions = plan.setdefault(cook, [])
        if step.action is not None:
            actions.append(step.action)
    return dict(plan)
