"""Parts that calendars and trips share: answers of one message, sentences on violations, and counts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias, TypeVar

from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.violations import Violation
from planoracle.instances.model_output.blocks import Grammar
from planoracle.instances.model_output.messages import chat_in
from planoracle.instances.protocol.feedback import clean
from planoracle.instances.protocol.plan import AMBIGUOUS, CUT_OFF, NO_PLAN, Reading

_S = TypeVar("_S")

#: Function that describes a violation of a problem.
Sentence: TypeAlias = Callable[[Instance, Violation], str]


def last_message(submitted: object) -> object:
    """Return the last message of the log of a live run, and every other submission unchanged.

    >>> last_message([{"response": "Monday, 9:00 - 9:30"}])
    'Monday, 9:00 - 9:30'
    """
    if isinstance(submitted, list) and submitted:
        entry = submitted[-1]
        if isinstance(entry, dict) and isinstance(entry.get("response"), str):
            return entry["response"]
    return submitted


def text_of(submitted: object) -> str:
    """Return the text of a submission for patterns: lines of a list, the agent's part of a chat, or JSON.

    >>> text_of([{"role": "user", "content": "When?"}, {"role": "assistant", "content": "Monday, 9:00 - 9:30"}])
    'Monday, 9:00 - 9:30'
    """
    if isinstance(submitted, str):
        return submitted
    chat = chat_in(submitted)
    if chat is not None:
        contents = [message.get("content") for message in chat if message.get("role") == "assistant"]
        return "\n".join(content for content in contents if isinstance(content, str))
    if isinstance(submitted, list) and all(isinstance(line, str) for line in submitted):
        return "\n".join(submitted)
    return repr(submitted)


def settle(stated: Reading[list[_S]], text: str, forms: Grammar[_S]) -> Reading[list[_S]]:
    """Return a reading in which an answer without steps is no plan, unless some lines look like steps.

    Parameters
    ----------
    stated
        Steps that were read.
    text
        Text of the answer.
    forms
        Plan language.

    Raises
    ------
    PlanError
        If the answer is one line that looks like a step, or JSON with numbers.
    """
    if stated.commands or stated.fault in (AMBIGUOUS, CUT_OFF):
        return stated
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    unread = [line for line in lines if forms.looks(line, True) and not forms.find(line)]
    if unread and not stated.fault:
        return stated
    if unread and len(lines) == 1:
        raise PlanError("looks like a step of a plan that cannot be read", field="plan", value=unread[0][:200])
    if text.lstrip()[:1] in ("{", "[") and any(map(str.isdigit, text)):
        raise PlanError("is JSON without a day and a time, or a day and a city, that can be read", field="plan")
    return replace(stated, fault=NO_PLAN)


# Remark that something is left out, which takes nothing back.
_REMARK = re.compile(
    r"\b(?:not (?:possible|feasible)|impossible|infeasible) (?:to (?:meet|see|visit|include|fit)|for [A-Z])"
)
_END = re.compile(r'[.\n"{]')


def without_remarks(submitted: object) -> object:
    """Return a text without sentences on what a plan leaves out; other submissions as they are.

    Readers of plans would take such a sentence for the retraction of the plan before it.

    >>> without_remarks("Meet Bo at 9:30. It is not possible to meet Cy.")
    'Meet Bo at 9:30.'
    """
    if not isinstance(submitted, str):
        return submitted
    parts = []
    end = 0
    for remark in _REMARK.finditer(submitted):
        begin = remark.start()
        start = max(submitted.rfind(sign, end, begin) for sign in '.\n"}') + 1
        following = _END.search(submitted, remark.end())
        parts.append(submitted[end : max(start, end)])
        end = len(submitted) if following is None else following.start()
    remaining = submitted[end:]
    return "".join([*parts, remaining.removeprefix(".") if parts else remaining])


def sentence_of(template: str) -> Sentence:
    """Return a function that fills a template with the fields of a violation.

    >>> write = sentence_of("{subject} ends on day {actual} instead of day {required}")
    >>> write(None, Violation(None, "end", "the trip", required=9, actual=8))
    'the trip ends on day 8 instead of day 9'
    """

    def write(problem: Instance, violation: Violation) -> str:
        fields = {"subject": violation.subject, "resource": violation.resource or ""}
        fields |= {"required": str(violation.required), "actual": str(violation.actual)}
        return template.format(**{name: clean(text) for name, text in fields.items()})

    return write
