"""Plans for AsyncPlan-XXL: a JSON object with orders, or a schedule as a list of triples."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from planoracle.instances.benchmarks.asyncplanning.rules import Profile
from planoracle.instances.benchmarks.asyncplanning.step_rules import MAX_SECONDS, TimedStep, grade, names_of
from planoracle.instances.benchmarks.asyncplanning.step_tasks import action_of, name_of, step_origin, under
from planoracle.instances.benchmarks.asyncplanning.step_text import PlannerAnswer, exact_number, planner_answer
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model_output.messages import chat_in, contents, is_agents
from planoracle.instances.protocol.plan import Plan, Reading

#: Most entries of a schedule.
_MAX_ENTRIES = 20_000
_TRIPLE = 'must be [start, "step3", duration], with numbers of seconds'


@dataclass(frozen=True, slots=True)
class StepPlan(Schedule):
    """Answer as it was read, and its pieces if it is a schedule for known steps.

    Attributes
    ----------
    answer
        JSON answer, or the entries of a schedule.
    """

    answer: PlannerAnswer | tuple[TimedStep, ...] = ()


def reading(problem: Instance, submission: object, rules: Profile) -> Reading[Schedule]:
    """Read an answer: text or object of the JSON form, or a list of triples, also as text.

    >>> from planoracle.instances.benchmarks.asyncplanning.step_tasks import load
    >>> plan = reading(load("xxl/5/9"), [[0, "step2", 300]], Profile()).commands
    >>> plan.pieces
    (Piece(action='step/2', start=0, duration=300, agent='agent2', mode=0),)
    """
    answer = _answer(submission)
    changed_problem = under(problem, rules)
    pieces = _pieces(changed_problem, answer, rules)
    schedule = Schedule.of(changed_problem, pieces)
    count = None if isinstance(answer, PlannerAnswer) else len(answer)
    return Reading(StepPlan(schedule.pieces, answer), count)


def _answer(submission: object) -> PlannerAnswer | tuple[TimedStep, ...]:
    """Return the answer of a submission in its form."""
    chat = chat_in(submission)
    if chat is not None:
        submission = _last_message(chat)
    if submission is None:
        return ()
    if isinstance(submission, dict):
        return PlannerAnswer("", submission)
    if isinstance(submission, list):
        return _entries(submission)
    if not isinstance(submission, str):
        message = 'must be text, an object with "actions" and "dependencies", or a list of triples'
        raise PlanError(message, field="plan", value=submission)
    triples = _listed(submission)
    if triples is not None:
        return _entries(triples)
    answer = planner_answer(submission)
    if answer.document is None:
        bracketed = submission[submission.find("[") : submission.rfind("]") + 1]
        triples = _listed(bracketed)
    return _entries(triples) if triples and all(map(_is_triple, triples)) else answer


def _last_message(chat: Iterable[dict[str, object]]) -> object:
    """Return the last content that a model wrote in a chat."""
    content: object = None
    for message in filter(is_agents, chat):
        for part in contents(message):
            content = part
    return content


def _listed(text: str) -> list[object] | None:
    """Return the list of triples that a text states in JSON, ``None`` for other text."""
    stripped = text.strip()
    if not stripped.startswith("["):
        return None
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, list):
        return None
    if _is_triple(value):
        return [value]
    is_schedule = all(_is_triple(entry) or _is_piece(entry) for entry in value)
    return value if is_schedule else None


def _is_triple(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and isinstance(value[1], str)


def _is_piece(value: object) -> bool:
    return isinstance(value, dict) and value.keys() >= {"action", "start"}


def _entries(values: Sequence[object]) -> tuple[TimedStep, ...]:
    """Return the entries of a schedule; raises `PlanError` for one that is no triple."""
    if len(values) > _MAX_ENTRIES:
        raise PlanError(f"must have at most {_MAX_ENTRIES} entries", field="plan", value=len(values))
    return tuple(_entry(value, f"plan[{position}]") for position, value in enumerate(values))


def _entry(value: object, field: str) -> TimedStep:
    """Return the entry of a triple, of its JSON text, or of an object with action, start and duration."""
    if isinstance(value, str):
        [value] = _listed(value) or [value]
    if isinstance(value, dict):
        value = [value.get("start"), value.get("action"), value.get("duration")]
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise PlanError(_TRIPLE, field=field, value=value)
    start, name, duration = value
    begin, length = _time(start, field), _time(duration, field)
    if not isinstance(name, str) or not name.strip():
        raise PlanError(_TRIPLE, field=field, value=value)
    return TimedStep(begin, name.split()[0], length)


def _time(value: object, field: str) -> Fraction:
    number = exact_number(value)
    if number is None or abs(number) > MAX_SECONDS:
        raise PlanError(_TRIPLE, field=field, value=value)
    return number


def _pieces(problem: Instance, answer: PlannerAnswer | tuple[TimedStep, ...], rules: Profile) -> list[Piece]:
    """Return the schedule of an answer: none for a JSON answer without a complete plan."""
    if isinstance(answer, PlannerAnswer):
        origin = step_origin(problem)
        starts = grade(origin, answer, is_released=rules.is_released).starts or ()
        durations = origin.seconds
        names = names_of(len(durations))
        entries = tuple(map(TimedStep, starts, names, durations)) if starts else ()
    else:
        entries = answer
    tick = problem.seconds_per_tick or 1
    pieces = []
    for entry in entries:
        action = action_of(entry.name)
        if action in problem.by_id and entry.start >= 0 and entry.duration >= 0:
            agent = f"agent{entry.name.removeprefix('step')}"
            pieces.append(Piece(action, ceil(entry.start / tick), ceil(entry.duration / tick), agent))
    return pieces


def entries_of(problem: Instance, schedule: Schedule) -> tuple[TimedStep, ...]:
    """Return the pieces of a schedule as entries in seconds, with the exact durations of their steps."""
    durations = dict(zip(problem.index, step_origin(problem).seconds, strict=True))
    tick = problem.seconds_per_tick or 1
    entries = []
    for piece in schedule.pieces:
        is_whole = piece.duration == problem.by_id[piece.action].duration
        duration = durations[piece.action] if is_whole else Fraction(piece.duration * tick)
        entries.append(TimedStep(Fraction(piece.start * tick), name_of(piece.action), duration))
    return tuple(entries)


def written(problem: Instance, schedule: Schedule) -> list[list[object]]:
    """Write a schedule as a list of triples in seconds."""
    entries = entries_of(problem, schedule)
    return [[as_number(entry.start), entry.name, as_number(entry.duration)] for entry in entries]


def as_number(seconds: Fraction) -> int | float:
    """Return seconds as a JSON number."""
    return int(seconds) if seconds.denominator == 1 else float(seconds)


def schedule(problem: Instance, plan: Plan[StepPlan]) -> Schedule:
    """Return the schedule of a plan."""
    return plan.commands
