"""Plans of Recipe2Plan as text: ``Step(number, recipe, duration, start)``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from planoracle.instances.errors import PlanError
from planoracle.instances.model import Instance
from planoracle.instances.recipe2plan.profile import PROFILES, Profile
from planoracle.instances.schedule import Piece, Schedule
from planoracle.instances.times import format_clock

__all__ = ["Command", "Plan", "parse", "render", "to_schedule"]

#: More commands than any plan of a benchmark needs; protects memory.
MAX_COMMANDS = 100_000


class Command(NamedTuple):
    """Carry out step ``step`` of ``recipe`` for ``duration`` seconds from ``start``."""

    step: int
    recipe: str
    duration: int
    start: int

    @property
    def text(self) -> str:
        """The command as the benchmark writes it."""
        return f"Step({self.step}, {self.recipe}, {format_clock(self.duration)}, {format_clock(self.start)})"


@dataclass(frozen=True, slots=True)
class Plan:
    """Commands, grouped into answers.

    A plan handed in as a whole is one answer. An interactive log has one entry per answer; a
    refused answer changes nothing but the clock, and the run goes on. Commands are ordered by
    start inside an answer, ties as written.
    """

    answers: tuple[tuple[Command, ...], ...]
    interactive: bool = False

    @property
    def commands(self) -> tuple[Command, ...]:
        """All commands in order of execution."""
        return tuple(command for answer in self.answers for command in answer)


# --- reading times -------------------------------------------------------------------------------

# What the released reader does: units become colons, then two shapes are matched to the letter.
# (Possessive and anchored, so that megabytes of digits take linear time.)
_RELEASED_UNITS = (
    (" min", re.compile(r"(?<!\d)(\d++) min"), r"\1:00"),
    (" sec", re.compile(r"(?<!\d)(\d++) sec"), r"0:\1"),
    (" hour", re.compile(r"(?<!\d)(\d++) hour"), r"\1:00:00"),
)
_RELEASED_TIME = r"((?:\d++:)?\d++:\d++)"
_RELEASED_FULL = re.compile(rf"Step\((\d++), ([\w-]++), {_RELEASED_TIME}, {_RELEASED_TIME}\)")
_RELEASED_SHORT = re.compile(rf"Step\((\d++), ([\w-]++), {_RELEASED_TIME}\)")

# What the paper's prompts show, with some patience for spaces, quotes and plain seconds.
_N, _S = r"\d{1,40}", r"\s{0,9}"
_AMOUNT = rf"(?:{_N}(?::{_N}){{1,2}}|{_N}{_S}(?:hours?|h|minutes?|mins?|m|seconds?|secs?|s)?)"
_PAPER = re.compile(
    rf"\bstep{_S}\({_S}({_N}){_S},{_S}([\w-]+){_S},{_S}({_AMOUNT}){_S}(?:,{_S}({_AMOUNT}){_S})?\)", re.IGNORECASE
)
_QUOTES = str.maketrans("", "", "\"'`*")
_WORD = re.compile(r"[^\W\d_]")
_UNIT_SECONDS = {"h": 3600, "m": 60, "s": 1}


def _clock(text: str) -> int:
    seconds = 0
    for part in text.split(":"):
        seconds = seconds * 60 + int(part)
    return seconds


def _amount(text: str) -> int:
    """Seconds of ``HH:MM:SS``, ``MM:SS``, ``5 min`` or plain seconds."""
    if ":" in text:
        return _clock(text)
    digits = re.match(r"\d+", text)
    unit = text[digits.end() :].strip().lower() if digits else ""
    return int(digits.group() if digits else text) * _UNIT_SECONDS[unit[:1] or "s"]


# --- text ----------------------------------------------------------------------------------------


def _released_commands(text: str, instance: Instance) -> Iterator[Command]:
    text = text.replace('"', "").replace("'", "")
    for unit, pattern, colons in _RELEASED_UNITS:
        if unit in text:
            text = pattern.sub(colons, text)
    found = False
    for match in _RELEASED_FULL.finditer(text):
        found = True
        step, recipe, duration, start = match.groups()
        yield Command(int(step), recipe, _clock(duration), _clock(start))
    if not found:
        for match in _RELEASED_SHORT.finditer(text):
            step, recipe, start = match.groups()
            yield Command(int(step), recipe, _nominal(instance, recipe, int(step)), _clock(start))


def _paper_commands(text: str, instance: Instance) -> Iterator[Command]:
    return (_paper_command(match, instance) for match in _PAPER.finditer(text))


def _paper_command(match: re.Match[str], instance: Instance) -> Command:
    number, recipe, first, second = match.groups()
    if second is None:
        return Command(int(number), recipe, _nominal(instance, recipe, int(number)), _amount(first))
    return Command(int(number), recipe, _amount(first), _amount(second))


def _nominal(instance: Instance, recipe: str, step: int) -> int:
    action = instance.by_id.get(f"{recipe}/{step}")
    return action.duration if action else 0


def _last_block(text: str, instance: Instance) -> Iterator[Command]:
    """Read the last run of lines that hold steps; a line of words alone in between ends a run."""
    block: list[re.Match[str]] = []
    for match in _PAPER.finditer(text):
        if block:
            between = text[block[-1].end() : match.start()].split("\n")
            # The first and the last part share their lines with a step.
            if any(_WORD.search(line) for line in between[1:-1]):
                block = []
        block.append(match)
        if len(block) > MAX_COMMANDS:
            break  # enough to be refused
    return (_paper_command(match, instance) for match in block)


def _answer(text: str) -> str:
    """Return what follows the thinking."""
    return text.rpartition("</think>")[2]


def _from_text(text: str, instance: Instance, rules: Profile) -> tuple[Command, ...]:
    if rules.parse_scope == "last_block":
        found = _last_block(_answer(text).translate(_QUOTES), instance)
    else:
        found = _released_commands(text, instance)
    try:
        return _ordered(found, rules, instance)
    except ValueError as error:  # a number with thousands of digits
        raise PlanError(f"holds a number that cannot be read: {error}") from None


def _ordered(commands: Iterable[Command], rules: Profile, instance: Instance) -> tuple[Command, ...]:
    listed: list[Command] = []
    for command in commands:
        if len(listed) == MAX_COMMANDS:
            raise PlanError(f"holds more than {MAX_COMMANDS} commands")
        listed.append(command)
    listed.sort(key=lambda command: command.start)
    return tuple(_repaired(listed, instance) if rules.timestamp_repair else listed)


def _repaired(commands: list[Command], instance: Instance) -> list[Command]:
    """Push commands out of the past the way the released option does.

    The clock follows the stamps before the push, so the result may still overlap.
    """
    clock = shift = 0
    repaired = []
    for command in commands:
        stamp = command.start + shift
        shift += max(0, clock - stamp)
        repaired.append(command._replace(start=command.start + shift))
        action = instance.by_id.get(f"{command.recipe}/{command.step}")
        length = 0 if action is not None and not action.attended else command.duration
        clock = max(clock, stamp + length)
    return repaired


# --- submissions ---------------------------------------------------------------------------------


def parse(submission: Any, instance: Instance, rules: Profile = PROFILES["paper"]) -> Plan:
    """Read a plan in any of the forms the paper and its logs show.

    Parameters
    ----------
    submission
        Text; a log ``{"response": text}``; an interactive log ``[{"response": text}, ...]``; or a
        list of commands, each ``[step, recipe, duration, start]``, an object with these keys, or a
        text. Text that is itself JSON of one of these forms is read as such. Times are
        ``HH:MM:SS``, ``MM:SS``, ``5 min`` or seconds; a missing duration is the nominal one.
    rules
        Decides how text is read (``parse_scope``, ``timestamp_repair``).

    Raises
    ------
    PlanError
        If the submission has none of these forms. Text without any step is an empty plan.

    Examples
    --------
    >>> from planoracle.instances.recipe2plan.facts import load
    >>> pair = load("timed", "Cobbler_Pancakes")
    >>> for command in parse("Step(1, Cobbler, 2 min, 00:01:00) Step(0, Cobbler, 00:00)", pair).commands:
    ...     print(command)
    Command(step=0, recipe='Cobbler', duration=600, start=0)
    Command(step=1, recipe='Cobbler', duration=120, start=60)
    """
    if isinstance(submission, str):
        embedded = _embedded(submission)
        if embedded is None:
            return Plan((_from_text(submission, instance, rules),))
        submission = embedded
    if isinstance(submission, dict):
        return Plan((_from_text(_answer(_response(submission, "plan")), instance, rules),))
    if not isinstance(submission, list):
        raise PlanError("must be a text, a log or a list of commands", field="plan", value=submission)
    if submission and all(isinstance(entry, dict) and "response" in entry for entry in submission):
        texts = (_response(entry, f"plan[{i}]") for i, entry in enumerate(submission))
        return Plan(tuple(_from_text(text, instance, rules) for text in texts), interactive=True)
    commands = (_entry(entry, f"plan[{i}]", instance) for i, entry in enumerate(submission))
    return Plan((_ordered(commands, rules, instance),))


def _embedded(text: str) -> Any:
    """Return the log or list of commands a text consists of, if it is one in JSON."""
    if text.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        return value if "response" in value else None
    return value if value and all(isinstance(entry, dict | list) for entry in value) else None


def _response(entry: dict[str, Any], field: str) -> str:
    text = entry.get("response")
    if not isinstance(text, str):
        raise PlanError("must be a text", field=f"{field}.response", value=text)
    return text


def _entry(entry: Any, field: str, instance: Instance) -> Command:
    if isinstance(entry, str):
        try:
            found = list(_paper_commands(entry.translate(_QUOTES), instance))
        except ValueError as error:
            raise PlanError(f"holds a number that cannot be read: {error}", field=field) from None
        if len(found) != 1:
            raise PlanError("must hold exactly one Step(...)", field=field, value=entry)
        return found[0]
    if isinstance(entry, dict):
        unknown = set(entry) - {"step", "recipe", "duration", "start"}
        if unknown:
            raise PlanError("unknown key", field=field, value=min(unknown, key=str))
        entry = [entry.get("step"), entry.get("recipe"), entry.get("duration"), entry.get("start")]
    if not isinstance(entry, list) or len(entry) not in (3, 4):
        raise PlanError("must be [step, recipe, duration, start]", field=field, value=entry)
    step, recipe, *times = entry
    if isinstance(step, bool) or not isinstance(step, int):
        raise PlanError("must be a whole number", field=f"{field}.step", value=step)
    if not isinstance(recipe, str):
        raise PlanError("must be text", field=f"{field}.recipe", value=recipe)
    start = _entry_time(times[-1], f"{field}.start")
    if len(times) == 1 or times[0] is None:
        return Command(step, recipe, _nominal(instance, recipe, step), start)
    return Command(step, recipe, _entry_time(times[0], f"{field}.duration"), start)


def _entry_time(value: Any, field: str) -> int:
    if isinstance(value, str) and re.fullmatch(_AMOUNT, value.strip()):
        return _amount(value.strip())
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise PlanError("must be seconds or a time such as '00:05:00'", field=field, value=value)
    return value


# --- schedules -----------------------------------------------------------------------------------


def render(schedule: Schedule) -> str:
    """Write a schedule as text that the released environment reads.

    Parsing the text and turning it `to_schedule` gives the same schedule.
    """
    return ", ".join(_command(piece).text for piece in schedule.pieces)


def _command(piece: Piece) -> Command:
    recipe, _, step = piece.action.rpartition("/")
    return Command(int(step), recipe, piece.duration, piece.start)


def to_schedule(plan: Plan, instance: Instance) -> Schedule:
    """Turn a plan into a schedule in normal form.

    Raises
    ------
    PlanError
        If a command names a step that the instance does not have.
    """
    pieces = []
    for command in plan.commands:
        action = instance.by_id.get(f"{command.recipe}/{command.step}")
        if action is None:
            raise PlanError("there is no such step", field="plan", value=command.text)
        pieces.append(Piece(action.id, command.start, command.duration, instance.agents[0]))
    return Schedule.of(instance, pieces)
