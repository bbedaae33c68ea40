"""Reader of Recipe2Plan submissions in all forms of the paper, and writer of schedules."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Any

from planoracle.instances.benchmarks.recipe2plan.rules import PROFILES, Profile
from planoracle.instances.benchmarks.recipe2plan.step_grammar import (
    MAX_DIGITS,
    StepCommand,
    amount,
    joined,
    lenient_steps,
    looks_like_a_step,
    nominal,
    released_steps,
)
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model_output.blocks import Grammar, StepMatch
from planoracle.instances.model_output.messages import chat_in, contents, is_agents, parts
from planoracle.instances.model_output.reading import as_given as read_list
from planoracle.instances.model_output.reading import read as read_output
from planoracle.instances.protocol.plan import Plan, Reading

# Characters up to which no limit is in the way.
_SHORT = 10_000
_LETTERS = re.compile(r"[^\W\d_]+")
_TEXT_FIELDS = ("action", "command", "text", "content")
_FINISH = re.compile(r"action:\s{0,9}finish", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answers:
    """Commands, grouped into answers.

    A whole plan is one answer. An interactive log has one entry per answer; a refused answer changes at most the clock,
    and the run continues. Commands are ordered by start inside an answer; ties keep their order.
    """

    answers: tuple[tuple[StepCommand, ...], ...]
    interactive: bool = False

    @property
    def commands(self) -> tuple[StepCommand, ...]:
        """All commands in order of execution."""
        return tuple(chain.from_iterable(self.answers))


class _Steps(Grammar[StepCommand]):
    """Steps of two recipes."""

    unique = True

    def __init__(self, instance: Instance) -> None:
        self.instance = instance

    def find(self, text: str) -> list[StepMatch[StepCommand]]:
        return [StepMatch(length, step) for length, step in lenient_steps(text, self.instance)]

    def of(self, value: object) -> list[StepCommand] | None:
        row = value
        if isinstance(value, dict):
            named = {str(name).lower(): entry for name, entry in value.items()}
            number = named.get("step", named.get("number"))
            if isinstance(number, str) and number.strip().isdecimal() and len(number) < MAX_DIGITS:
                number = int(number)
            start = named.get("start", named.get("start time"))
            row = [number, named.get("recipe"), named.get("duration"), start]
        if not isinstance(row, list) or len(row) <= 2:
            return None
        try:
            return [_entry(row, "plan", self.instance)]
        except PlanError:
            return None

    def looks(self, text: str, free: bool) -> bool:
        return looks_like_a_step(text)

    def mentions(self, text: str) -> bool:
        words = " ".join(_LETTERS.findall(text[:_SHORT].lower()))
        has_number = any(map(str.isdigit, text[:_SHORT]))
        names = ("step", *self._recipes)
        return has_number and any(name in words for name in names)

    @cached_property
    def _recipes(self) -> list[str]:
        """Names of the recipes in lower-case letters."""
        names = set()
        for action in self.instance.actions:
            recipe, _, _ = action.id.rpartition("/")
            names.add(recipe.lower())
        return [" ".join(_LETTERS.findall(name)) for name in sorted(names)]

    def key(self, step: StepCommand) -> tuple[int, str]:
        return step.step, step.recipe

    def command(self, step: StepCommand) -> StepCommand:
        return step


def parse(submission: object, instance: Instance, rules: Profile = PROFILES["paper"]) -> Answers:
    """Return the commands of a submission, see `reading`.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.recipe2plan.problems import load
    >>> pair = load("recipe2plan/timed/Cobbler_Pancakes")
    >>> for command in parse("Step(1, Cobbler, 2 min, 00:01:00) Step(0, Cobbler, 00:00)", pair).commands:
    ...     print(command)
    StepCommand(step=0, recipe='Cobbler', duration=600, start=0)
    StepCommand(step=1, recipe='Cobbler', duration=120, start=60)
    """
    return reading(instance, submission, rules).commands


def reading(problem: Instance, submission: object, rules: Profile) -> Reading[Answers]:
    """Read a plan in any of the forms of the paper and its logs.

    Forms are model output; a log ``{"response": text}``; an interactive log ``[{"response": text}, ...]``; or a list of
    commands, each ``[step, recipe, duration, start]``, an object with these keys, or a text. Text that is itself
    JSON of one of these forms is read as such. Times are ``HH:MM:SS``, ``MM:SS``, ``5 min`` or seconds; a missing
    duration is the nominal one. The rules ``step_shapes``, ``parse_scope`` and ``timestamp_repair`` apply to text.

    Raises
    ------
    PlanError
        If the submission has none of these forms, or is too long. Text without any step is an empty plan.
    """
    if isinstance(submission, str):
        submission = _log_in(submission)
    if isinstance(submission, dict) and "response" not in submission and chat_in(submission) is None:
        as_output = _read(submission, problem, rules) if rules.parse_scope == "plan" else None
        if as_output is not None and (as_output.commands or as_output.doubtful):
            return _in_order(as_output, problem, rules)
    if isinstance(submission, dict) and chat_in(submission) is None:
        submission = _log_in(_response(submission, "plan").rpartition("</think>")[2])
        if isinstance(submission, dict):
            raise PlanError("must be text, not another log", field="plan.response")
    chat = chat_in(submission)
    if isinstance(submission, str) or chat is not None:
        read = _read(submission, problem, rules)
    elif not isinstance(submission, list):
        raise PlanError("must be text, a log or a list of commands", field="plan", value=submission)
    elif any(isinstance(entry, dict) and "response" in entry for entry in submission):
        return _interactive(submission, problem, rules)
    else:
        commands = []
        for i, entry in enumerate(submission):
            commands.append(_entry(entry, f"plan[{i}]", problem))
        read = read_list(commands)
    return _in_order(read, problem, rules)


def _in_order(read: Reading[list[StepCommand]], problem: Instance, rules: Profile) -> Reading[Answers]:
    """Return the reading of a whole plan, its commands in the order of their starts."""
    commands = _by_start(read.commands)
    if rules.timestamp_repair:
        commands = _with_later_starts(commands, problem)
    answers = Answers((tuple(commands),))
    return read.of(lambda _: answers)


def first_command(problem: Instance, text: str, rules: Profile) -> StepCommand | None:
    """Return the first step of a text: the first after ``Action:``, or else the first of the plan.

    Raises
    ------
    PlanError
        For numbers that are too long, or too many steps.
    """
    for part in parts(text):
        commands = _read(part, problem, rules).commands
        if commands:
            return commands[0]
    return None


def written(problem: Instance, schedule: Schedule) -> str:
    """Write a schedule as text that the released environment reads, and that parses to the same schedule."""
    commands = [StepCommand.of(*piece[:3]) for piece in schedule.pieces]
    return ", ".join(command.text for command in commands)


def schedule(problem: Instance, plan: Plan[Answers]) -> Schedule:
    """Turn a plan into a schedule in normal form; raises `PlanError` for a step that does not exist."""
    pieces = []
    for command in plan.commands.commands:
        action = problem.by_id.get(f"{command.recipe}/{command.step}")
        if action is None:
            raise PlanError("there is no such step", field="plan", value=command.text)
        agent = problem.agents[0]
        pieces.append(Piece(action.id, command.start, command.duration, agent))
    return Schedule.of(problem, pieces)


def _interactive(entries: list[Any], instance: Instance, rules: Profile) -> Reading[Answers]:
    answers = []
    count = ignored = 0
    for i, entry in enumerate(entries):
        text = _response(entry, f"plan[{i}]")
        read = _read(text, instance, rules)
        answer = tuple(_by_start(read.commands))
        if not answer and rules.step_shapes == "lenient" and _FINISH.search(text):
            continue  # the agent says that it has finished
        answers.append(answer)
        count += len(answer)
        ignored += read.ignored or 0
    commands = Answers(tuple(answers), interactive=True)
    return Reading(commands, count, f"{len(answers)} answers", ignored)


def check_reading(rules: Profile) -> None:
    """Raise `PlanError` if the rules for reading text contradict each other."""
    if rules.parse_scope == "plan" and rules.step_shapes == "released":
        raise PlanError("must be everywhere with step_shapes=released", field="parse_scope", value="plan")


def _read(submission: object, instance: Instance, rules: Profile) -> Reading[list[StepCommand]]:
    """Read text, or a chat."""
    check_reading(rules)
    chat = chat_in(submission) or ()
    if rules.parse_scope == "plan":
        line = submission if isinstance(submission, str) else ""
        if "\n" in line[:_SHORT]:
            line = ""
        steps = [*lenient_steps(line, instance)] if len(line) < _SHORT else []
        if steps and sum(length + 2 for length, _ in steps) - 2 == len(line):  # nothing but ", " between them
            return Reading([step for _, step in steps], len(steps), "block of lines", 0)
        output = joined(submission) if isinstance(submission, str) else submission
        return read_output(output, _Steps(instance))
    if isinstance(submission, str):
        text = submission
    else:
        contained = chain.from_iterable(contents(message) for message in filter(is_agents, chat))
        text = "\n".join(part for part in contained if isinstance(part, str))
    if rules.step_shapes == "lenient":
        commands: Iterable[StepCommand] = (step for _, step in lenient_steps(text, instance))
    else:
        commands = released_steps(text, instance)
    return read_list(list(commands), "whole text")


def _by_start(commands: Iterable[StepCommand]) -> list[StepCommand]:
    return sorted(commands, key=lambda command: command.start)


def _with_later_starts(commands: list[StepCommand], instance: Instance) -> list[StepCommand]:
    """Delay commands that start before the clock, as the released option does.

    The clock follows the starts before the delay, so the result may still overlap.
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


def _log_in(text: str) -> Any:
    """Return the log that a text consists of in JSON, or the text itself."""
    if text.lstrip()[:1] not in ("[", "{") or '"response"' not in text:
        return text
    try:
        value = load_json(text, "plan")
    except InputError:
        return text
    entries = value if isinstance(value, list) else [value]
    has_response = any(isinstance(entry, dict) and "response" in entry for entry in entries)
    return value if has_response else text


def _response(entry: Any, field: str) -> str:
    if not isinstance(entry, dict):
        raise PlanError("must be an object with a text response", field=field, value=entry)
    if not isinstance(entry.get("response"), str):
        raise PlanError("must be text", field=f"{field}.response", value=entry.get("response"))
    return str(entry["response"])


def _entry(entry: Any, field: str, instance: Instance) -> StepCommand:
    if isinstance(entry, str):
        steps = list(islice(lenient_steps(entry, instance), 2))
        if len(steps) != 1:
            raise PlanError("must contain exactly one Step(...)", field=field, value=entry)
        return steps[0][1]
    if isinstance(entry, dict):
        texts = (entry.get(name) for name in _TEXT_FIELDS)
        text = next((value for value in texts if isinstance(value, str)), None)
        if text is not None:
            return _entry(text, field, instance)
        unknown = set(entry) - {"step", "recipe", "duration", "start"}
        if unknown:
            raise PlanError("unknown key", field=field, value=min(unknown, key=str))
        entry = [entry.get(name) for name in ("step", "recipe", "duration", "start")]
    if not isinstance(entry, list) or len(entry) not in (3, 4):
        raise PlanError("must be [step, recipe, duration, start]", field=field, value=entry)
    step, recipe, *times = entry
    if isinstance(step, bool) or not isinstance(step, int) or abs(step) >= 10**MAX_DIGITS:
        raise PlanError("must be a whole number", field=f"{field}.step", value=step)
    if not isinstance(recipe, str):
        raise PlanError("must be text", field=f"{field}.recipe", value=recipe)
    start = _entry_time(times[-1], f"{field}.start")
    if len(times) == 1 or times[0] is None:
        return StepCommand(step, recipe, nominal(instance, recipe, step), start)
    duration = _entry_time(times[0], f"{field}.duration")
    return StepCommand(step, recipe, duration, start)


def _entry_time(value: Any, field: str) -> int:
    seconds = value
    if isinstance(value, str) and len(value) < 100:
        seconds = amount(value.strip())
    if isinstance(seconds, bool) or not isinstance(seconds, int) or not 0 <= seconds < 10**MAX_DIGITS:
        raise PlanError("must be seconds or a time such as '00:05:00'", field=field, value=value)
    return seconds
