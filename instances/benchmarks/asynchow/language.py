"""Submissions of AsyncHow: the answer of a model as text, or a schedule as a list of pieces."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import chain

from planoracle.instances.benchmarks.asynchow.answers import answer_in
from planoracle.instances.benchmarks.asynchow.json_times import time_of
from planoracle.instances.benchmarks.asynchow.problems import with_agents
from planoracle.instances.benchmarks.asynchow.released_grader import candidates as candidates
from planoracle.instances.benchmarks.asynchow.released_grader import grade as grade
from planoracle.instances.benchmarks.asynchow.released_grader import read as read
from planoracle.instances.benchmarks.asynchow.rules import Profile
from planoracle.instances.benchmarks.generic import language
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model_output.messages import chat_in, contents, is_agents
from planoracle.instances.model_output.reading import as_given as read_list
from planoracle.instances.model_output.reading import read as read_output
from planoracle.instances.protocol.plan import AMBIGUOUS, CUT_OFF, DroppedCommand, Reading

_ACTION = re.compile(r"\baction\b", re.IGNORECASE)
#: Fields of a piece of a schedule.
_FIELDS = frozenset(("action", "start"))

written, schedule = language.written, language.schedule


@dataclass(frozen=True, slots=True)
class DurationAnswer(Schedule):
    """An answer in words: a total time without a schedule."""

    text: str = ""


def reading(problem: Instance, submission: object, rules: Profile) -> Reading[Schedule]:
    """Read an answer or a schedule; raises `PlanError` for anything else.

    A JSON value other than a list of pieces is read like its text.

    ``None`` is an empty answer. Pieces need no agent, because there are as many agents as steps.

    >>> from planoracle.instances.benchmarks.asynchow.problems import load
    >>> reading(load("asynchow/async/829"), 'It takes "70 days".', Profile()).commands
    DurationAnswer(pieces=(), text='"70 days"')
    >>> wait = [{"action": "step/2", "start": 0, "duration": 9}]
    >>> reading(load("asynchow/async/829"), wait, Profile()).commands.pieces[0].agent
    'agent2'
    """
    submission = _as_text(submission)
    rows = pieces_in(problem, submission)
    if rows is not None:

        def schedule_of(pieces: list[object]) -> Schedule:
            return with_agents(problem, language.reading(problem, pieces, rules).commands)

        return rows.of(schedule_of)
    chat = chat_in(submission)
    if chat is not None:
        parts = chain.from_iterable(map(contents, filter(is_agents, chat)))
        texts = [part if isinstance(part, str) else json.dumps(part) for part in parts]
        submission = "\n".join(texts)
    if submission is not None and not isinstance(submission, str):
        message = "must be text, a list of pieces, or an object with a time and its unit"
        raise PlanError(message, field="answer", value=submission)
    released = rules.answers == "released"
    answer = submission or ""
    text, part, fault = (answer, "whole text", "") if released else answer_in(answer)
    is_answered = part != "nothing"
    return Reading(DurationAnswer((), text), int(is_answered), part, 0, fault=fault)


def _as_text(submission: object) -> object:
    """Return the text of a JSON object that is no chat, and of a list that states a time."""
    if chat_in(submission) is not None:
        return submission
    if isinstance(submission, dict) or (isinstance(submission, list) and _states_time(submission)):
        try:
            return json.dumps(submission, allow_nan=False)
        except (TypeError, ValueError, RecursionError):  # no JSON value
            return submission
    return submission


def _states_time(values: list[object]) -> bool:
    """Return whether a list is an answer instead of a schedule."""
    objects = (value for value in values if isinstance(value, dict))
    if any(not _FIELDS.isdisjoint(fields) for fields in objects):
        return False
    stated = time_of(values)
    return stated is not None and stated.text != ""


def pieces_in(problem: Instance, submission: object) -> Reading[list[object]] | None:
    """Return the pieces of a submission, also within text; ``None`` for an answer in words."""
    if isinstance(submission, list) and chat_in(submission) is None:
        return read_list(submission)
    is_plan = isinstance(submission, str) and _ACTION.search(submission) and "duration" in submission.lower()
    if not is_plan and chat_in(submission) is None:
        return None
    reading = read_output(submission, language.Pieces(problem))
    return reading if reading.commands or reading.fault in (AMBIGUOUS, CUT_OFF) else None


def salvage(submitted: object, problem: Instance) -> tuple[object, tuple[DroppedCommand, ...]]:
    """Omit pieces of steps that do not exist."""
    pieces = pieces_in(problem, _as_text(submitted))
    return (submitted, ()) if pieces is None else language.salvage(pieces.commands, problem)
