"""The two rule profiles of ParaCook's abstract part; every rule can also be set by its name."""

from __future__ import annotations

from dataclasses import dataclass

from planoracle.instances.profiles import Rules

__all__ = ["CHOICES", "PROFILES", "Profile"]


@dataclass(frozen=True, slots=True)
class Profile(Rules):
    """How lists of tasks are read and judged.

    Attributes
    ----------
    repeats
        A task that is given twice is ``"refused"``, and so is a plan that leaves one out; or it is ``"counted"``: as
        many different ends of tasks as there are tasks are enough, so that a repeated one can stand for one left out.
    lists
        There may be as many lists as ``"agents"``, empty ones aside, or ``"any"`` number of them.
    answers
        Text is read to the ``"released"`` letter, or ``"lenient"``: see `planoracle.instances.outputs`.
    """

    repeats: str = "refused"
    lists: str = "agents"
    answers: str = "lenient"


PROFILES = {
    "paper": Profile(),
    "released": Profile(repeats="counted", lists="any", answers="released", refuse_unread=False),
}

CHOICES = {
    "repeats": ("refused", "counted"),
    "lists": ("agents", "any"),
    "answers": ("lenient", "released"),
}
