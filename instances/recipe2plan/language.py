"""Plans of Recipe2Plan: reading submissions in every form the paper and its logs show, writing schedules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from planoracle.instances.errors import PlanError
from planoracle.instances.model import Instance
from planoracle.instances.plan import Plan
from planoracle.instances.recipe2plan.profile import PROFILES, Profile
from planoracle.instances.recipe2plan.steps import (
    MAX_DIGITS,
    Command,
    amount,
    lenient_steps,
    nominal,
    released_steps,
)
from planoracle.instances.schedule import Piece, Schedule

__all__ = ["MAX_COMMANDS", "Answers", "Command", "commands", "parse", "render", "schedule", "to_schedule", "written"]

#: More commands than any plan of a benchmark needs; protects memory.
MAX_COMMANDS = 100_000

_FINISH = re.compile(r"action:\s{0,9}finish", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answers:
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


def parse(submission: object, instance: Instance, rules: Profile = PROFILES["paper"]) -> Answers:
    """Read a plan in any of the forms the paper and its logs show.

    Parameters
    ----------
    submission
        Text; a log ``{"response": text}``; an interactive log ``[{"response": text}, ...]``; or a
        list of commands, each ``[step, recipe, duration, start]``, an object with these keys, or a
        text. Text that is itself JSON of one of these forms is read as such. Times are
        ``HH:MM:SS``, ``MM:SS``, ``5 min`` or seconds; a missing duration is the nominal one.
    rules
        Decides how text is read (``step_shapes``, ``parse_scope``, ``timestamp_repair``).

    Raises
    ------
    PlanError
        If the submission has none of these forms, or is too long. Text without any step is an empty plan.

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
        submission = _embedded(submission)
    if isinstance(submission, dict):
        submission = _embedded(_answer(_response(submission, "plan")))
        if isinstance(submission, dict):
            raise PlanError("must be a text, not another log", field="plan.response")
    if isinstance(submission, str):
        commands: Iterable[Command] = _read(submission, instance, rules)
    elif not isinstance(submission, list):
        raise PlanError("must be a text, a log or a list of commands", field="plan", value=submission)
    elif any(isinstance(entry, dict) and "response" in entry for entry in submission):
        return _interactive(submission, instance, rules)
    else:
        commands = (_entry(entry, f"plan[{i}]", instance) for i, entry in enumerate(submission))
    listed = _ordered(commands)
    return Answers((tuple(_repaired(listed, instance) if rules.timestamp_repair else listed),))


def commands(problem: Instance, given: object, rules: Profile) -> Answers:
    """Read a plan, see `parse`."""
    return parse(given, problem, rules)


def written(problem: Instance, schedule: Schedule) -> str:
    """Write a schedule, see `render`."""
    return render(schedule)


def schedule(problem: Instance, plan: Plan[Answers]) -> Schedule:
    """Turn a plan into a schedule, see `to_schedule`."""
    return to_schedule(plan.commands, problem)


def _interactive(entries: list[Any], instance: Instance, rules: Profile) -> Answers:
    answers = []
    count = 0
    for i, entry in enumerate(entries):
        text = _response(entry, f"plan[{i}]")
        answer = tuple(_ordered(_read(text, instance, rules)))
        if not answer and rules.step_shapes == "lenient" and _FINISH.search(text):
            continue  # the agent says that it has finished
        answers.append(answer)
        count += len(answer)
        if count > MAX_COMMANDS:
            raise PlanError(f"holds more than {MAX_COMMANDS} commands", field="plan")
    return Answers(tuple(answers), interactive=True)


def _read(text: str, instance: Instance, rules: Profile) -> Iterable[Command]:
    last_block = rules.parse_scope == "last_block"
    if rules.step_shapes == "lenient":
        text = _answer(text) if last_block else text
        return lenient_steps(text, instance, last_block=last_block, limit=MAX_COMMANDS + 1)
    if not last_block:
        return released_steps(text, instance)
    raise PlanError("reads everywhere only, with step_shapes=released", field="parse_scope", value=rules.parse_scope)


def _answer(text: str) -> str:
    """Return what follows the thinking."""
    return text.rpartition("</think>")[2]


def _ordered(commands: Iterable[Command]) -> list[Command]:
    listed: list[Command] = []
    for command in commands:
        if len(listed) == MAX_COMMANDS:
            raise PlanError(f"holds more than {MAX_COMMANDS} commands", field="plan")
        listed.append(command)
    listed.sort(key=lambda command: command.start)
    return listed


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


def _embedded(text: str) -> Any:
    """Return the log or list of commands a text consists of in JSON, or the text itself."""
    if text.lstrip()[:1] not in ("[", "{"):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(value, dict):
        return value if "response" in value else text
    return value if any(isinstance(entry, dict | list) for entry in value) else text


def _response(entry: Any, field: str) -> str:
    if not isinstance(entry, dict):
        raise PlanError("must be an object with a response", field=field, value=entry)
    if not isinstance(entry.get("response"), str):
        raise PlanError("must be a text", field=f"{field}.response", value=entry.get("response"))
    return str(entry["response"])


def _entry(entry: Any, field: str, instance: Instance) -> Command:
    if isinstance(entry, str):
        found = lenient_steps(entry, instance, last_block=False, limit=2)
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
    if isinstance(step, bool) or not isinstance(step, int) or abs(step) >= 10**MAX_DIGITS:
        raise PlanError("must be a whole number", field=f"{field}.step", value=step)
    if not isinstance(recipe, str):
        raise PlanError("must be text", field=f"{field}.recipe", value=recipe)
    start = _entry_time(times[-1], f"{field}.start")
    if len(times) == 1 or times[0] is None:
        return Command(step, recipe, nominal(instance, recipe, step), start)
    return Command(step, recipe, _entry_time(times[0], f"{field}.duration"), start)


def _entry_time(value: Any, field: str) -> int:
    text = value.strip() if isinstance(value, str) and len(value) < 100 else None
    seconds = value if text is None else amount(text)
    if isinstance(seconds, bool) or not isinstance(seconds, int) or not 0 <= seconds < 10**MAX_DIGITS:
        raise PlanError("must be seconds or a time such as '00:05:00'", field=field, value=value)
    return seconds


def render(schedule: Schedule) -> str:
    """Write a schedule as text that the released environment reads.

    Parsing the text and turning it `to_schedule` gives the same schedule.
    """
    return ", ".join(_command(piece).text for piece in schedule.pieces)


def _command(piece: Piece) -> Command:
    recipe, _, step = piece.action.rpartition("/")
    return Command(int(step), recipe, piece.duration, piece.start)


def to_schedule(plan: Answers, instance: Instance) -> Schedule:
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
