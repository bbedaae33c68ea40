"""Reasoning before each action of a run, and its false statements about the state (appendix A.9)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from planoracle.instances.benchmarks.kitchens.kitchen import Atom
from planoracle.instances.benchmarks.kitchens.simulation import StepRecord
from planoracle.instances.model_output.messages import chat_in, contents, is_agents

# Characters of the reasoning before one action that are looked at.
_MAX_TEXT = 20_000
_PREDICATES = {"cut": "iscut", "cooked": "iscooked", "fried": "isfried"}
# Only what is stated as done already is a statement about the state; "until chicken1 is cooked" is none.
_STATEMENT = re.compile(r"\b(\w+?\d+) (?:is|has) already (?:been )?(cut|cooked|fried)\b", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:if|once|when|until|after|before|whether|unless|not)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?;:]\s|\n")


def messages_of(submitted: object, count: int) -> Sequence[str]:
    """Return the text before each action of a plan; none if the texts are not one per action.

    Parameters
    ----------
    submitted
        A chat, or a list of texts or of records with an action and further texts. Other plans have no text per action.
    count
        Number of actions.
    """
    chat = chat_in(submitted)
    texts: list[str] = []
    if chat is not None:
        agents = [contents(message) for message in chat if is_agents(message)]
        texts = [" ".join(part for part in parts if isinstance(part, str)) for parts in agents]
    elif isinstance(submitted, list):
        texts = [_text(entry) for entry in submitted]
    return texts if len(texts) == count else ()


def _text(entry: object) -> str:
    if isinstance(entry, dict):
        return "\n".join(value for value in entry.values() if isinstance(value, str))
    return entry if isinstance(entry, str) else ""


def false_statements(run: StepRecord, messages: Sequence[str]) -> set[Atom]:
    """Return what the reasoning calls done although it is not, in the state before its action.

    Parameters
    ----------
    run
        Record of the run.
    messages
        Text before each action, see `messages_of`.
    """
    atoms: set[Atom] = set()
    for step, message in zip(run.steps, messages, strict=False):
        stated = set(_statements(message))
        if stated:
            atoms |= stated - run.rules.facts(step.state)
    return atoms


def _statements(message: str) -> Iterator[Atom]:
    """Yield the predicates that a text states as true of single objects."""
    if "already" not in message:
        return
    for sentence in _SENTENCE.split(message[:_MAX_TEXT]):
        for statement in _STATEMENT.finditer(sentence):
            if not _CONDITION.search(sentence[: statement.start()]):
                yield _PREDICATES[statement[2].lower()], statement[1].lower()
