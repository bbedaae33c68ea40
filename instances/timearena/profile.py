"""The two rule profiles of TimeArena; every rule can also be set by its name."""

from __future__ import annotations

from dataclasses import dataclass

from planoracle.instances.profiles import Rules, choose


@dataclass(frozen=True, slots=True)
class Profile(Rules):
    """How to run a plan where the paper and its released code differ.

    Attributes
    ----------
    score_source
        The score is that of the ``"replay"``, or the sum of the ``"increments"`` shown: the released code shows none
        after a mismatched or an occupied object, and catches up at the next decision, if there is one.
    progress_rounding
        Increments of the score are differences of the score ``"truncated"`` to whole percents, or ``"exact"``.
    max_wrong_streak
        So many wrong decisions in a row end the run, unless the limit does in that minute.
    stop_on_complete
        End as soon as everything is done, also during a wrong decision; else at the next right one.
    invalid_ticks_world
        Whether running actions go on while a malformed action or an unknown object costs a minute.
    exit_ends
        Whether a decision ``exit`` or ``quit`` ends the run before its minute; else it is an invalid action.
    reserved_objects
        A ``"task"`` reservation serves exactly the actions of its task; the ``"released"`` one makes a
        container refuse, whatever the verb, all but the objects of its task that are reserved themselves.
    normalize
        Forgive case and spaces in decisions.
    price_waits
        Work out what every wait cost, which takes a solve for each minute next to one.
    """

    score_source: str = "replay"
    progress_rounding: str = "exact"
    max_wrong_streak: int = 5
    stop_on_complete: bool = True
    invalid_ticks_world: bool = False
    exit_ends: bool = True
    reserved_objects: str = "task"
    normalize: bool = True
    price_waits: bool = False

    def deciding(self) -> Profile:
        """Return the profile as far as it decides which plans are best: by which objects may meet."""
        return Profile(reserved_objects=self.reserved_objects)


PROFILES = {
    "paper": Profile(),
    "released": Profile(
        refuse_unread=False,
        score_source="increments",
        progress_rounding="truncated",
        stop_on_complete=False,
        reserved_objects="released",
        normalize=False,
    ),
}

#: Values of the rules that are text.
CHOICES = {
    "score_source": ("replay", "increments"),
    "progress_rounding": ("truncated", "exact"),
    "reserved_objects": ("task", "released"),
}


def profile(name: str = "paper", **options: str | int | bool) -> Profile:
    """Return a named profile with single rules replaced, see `planoracle.instances.profiles.choose`.

    Examples
    --------
    >>> profile("released", max_wrong_streak=3).max_wrong_streak
    3
    """
    return choose(PROFILES, CHOICES, name, options)
