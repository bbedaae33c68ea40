"""What can be handed in: the answer of a model as text, or a whole schedule as the list of its pieces."""

from __future__ import annotations

from dataclasses import dataclass

from planoracle.instances.asynchow.encode import with_hands
from planoracle.instances.asynchow.profile import Profile
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.generic import language
from planoracle.instances.model import Instance
from planoracle.instances.reading import load_json
from planoracle.instances.schedule import Schedule

__all__ = ["Answer", "commands", "pieces_in", "schedule", "written"]

written, schedule = language.written, language.schedule


@dataclass(frozen=True, slots=True)
class Answer(Schedule):
    """An answer in words: it says how long everything takes, but not when anything is done."""

    text: str = ""


def commands(problem: Instance, given: object, rules: Profile) -> Schedule:
    """Read an answer or a schedule; raises `PlanError` for what is neither text nor a list of pieces.

    Nothing at all (``None``) is an empty answer. Pieces need not say who does them: there are as many hands as steps.

    >>> from planoracle.instances.asynchow.encode import load
    >>> commands(load("asynchow/async/829"), 'It takes "70 days".', Profile())
    Answer(pieces=(), text='It takes "70 days".')
    >>> wait = [{"action": "step/2", "start": 0, "duration": 9}]
    >>> commands(load("asynchow/async/829"), wait, Profile()).pieces[0].agent
    'agent2'
    """
    rows = pieces_in(given)
    if rows is not None:
        return with_hands(problem, language.commands(problem, rows, rules))
    if given is not None and not isinstance(given, str):
        raise PlanError("must be text, or a list of pieces", field="answer", value=given)
    return Answer((), given or "")


def pieces_in(given: object) -> list[object] | None:
    """Return the pieces that a submission lists, perhaps as JSON text; ``None`` if it is an answer in words."""
    if isinstance(given, str) and given.lstrip().startswith("[") and '"action"' in given:
        try:
            given = load_json(given, "plan")
        except InputError:  # words that begin with a bracket
            return None
    return given if isinstance(given, list) else None
