"""What can be handed in: the answer of a model as text, or a whole schedule as the list of its pieces."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from planoracle.instances.asynchow.answers import answer_in
from planoracle.instances.asynchow.encode import with_hands
from planoracle.instances.asynchow.profile import Profile
from planoracle.instances.errors import PlanError
from planoracle.instances.generic import language
from planoracle.instances.model import Instance
from planoracle.instances.outputs import reading as outputs
from planoracle.instances.outputs.messages import chat_in, contents, is_agents
from planoracle.instances.outputs.reading import as_given
from planoracle.instances.plan import AMBIGUOUS, CUT_OFF, Reading
from planoracle.instances.schedule import Schedule

_ACTION = re.compile(r"\baction\b", re.IGNORECASE)

written, schedule = language.written, language.schedule


@dataclass(frozen=True, slots=True)
class Answer(Schedule):
    """An answer in words: it says how long everything takes, but not when anything is done."""

    text: str = ""


def commands(problem: Instance, given: object, rules: Profile) -> Schedule:
    """Return an answer or a schedule, see `reading`.

    >>> from planoracle.instances.asynchow.encode import load
    >>> commands(load("asynchow/async/829"), 'It takes "70 days".', Profile())
    Answer(pieces=(), text='"70 days"')
    >>> wait = [{"action": "step/2", "start": 0, "duration": 9}]
    >>> commands(load("asynchow/async/829"), wait, Profile()).pieces[0].agent
    'agent2'
    """
    return reading(problem, given, rules).commands


def reading(problem: Instance, given: object, rules: Profile) -> Reading[Schedule]:
    """Read an answer or a schedule; raises `PlanError` for what is neither what a model wrote nor a list of pieces.

    Nothing at all (``None``) is an empty answer. Pieces need not say who does them: there are as many hands as steps.
    """
    rows = pieces_in(problem, given)
    if rows is not None:
        return rows.of(lambda given: with_hands(problem, language.reading(problem, given, rules).commands))
    chat = chat_in(given)
    if chat is not None:
        said = [part for one in filter(is_agents, chat) for part in contents(one)]
        given = "\n".join(part if isinstance(part, str) else json.dumps(part) for part in said)
    if given is not None and not isinstance(given, str):
        raise PlanError("must be text, or a list of pieces", field="answer", value=given)
    released = rules.answers == "released"
    text, where, fault = (given or "", "whole text", "") if released else answer_in(given or "")
    return Reading(Answer((), text), int(where != "nothing"), where, 0, fault=fault)


def pieces_in(problem: Instance, given: object) -> Reading[list[object]] | None:
    """Return the pieces that a submission lists, perhaps within text; ``None`` if it is an answer in words."""
    if isinstance(given, list) and chat_in(given) is None:
        return as_given(given)
    if isinstance(given, str) and not (_ACTION.search(given) and "duration" in given.lower()):
        return None
    if not isinstance(given, str) and chat_in(given) is None:
        return None
    found = outputs.read(given, language.Pieces(problem))
    return found if found.commands or found.fault in (AMBIGUOUS, CUT_OFF) else None
