"""Rules of TimeArena: profiles, kinds of feedback, reservations."""

from __future__ import annotations

from dataclasses import dataclass

from planoracle.plugin import Rules, RuleSet


@dataclass(frozen=True, slots=True)
class Profile(Rules):
    """Options of TimeArena where the paper and its released code differ.

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
    single_fryer
        cooking2 and cooking5 have one fryer, as in the prompts of the paper; the released data have two.
    prepared_objects
        An object must be ready for whatever the work on it builds on: tea is brewed in a teapot, and the kettle poured
        into it, once the teapot is washed. The released code takes a kettle that was poured into the cup, too.
    normalize
        Forgive case and spaces in decisions.
    price_waits
        Work out what every wait cost, which takes a solve for each minute next to one.
    """

    score_source: str = "replay"
    progress_rounding: str = "exact"
    max_wrong_streak: int = 5
    stop_on_complete: bool = True
    invalid_ticks_world: bool = True
    exit_ends: bool = True
    reserved_objects: str = "task"
    single_fryer: bool = True
    prepared_objects: bool = True
    normalize: bool = True
    price_waits: bool = False

    def deciding(self) -> Profile:
        """Return the profile as far as it decides which plans are best: by the rules about objects."""
        return Profile(
            reserved_objects=self.reserved_objects,
            single_fryer=self.single_fryer,
            prepared_objects=self.prepared_objects,
        )


PROFILES = {
    "paper": Profile(),
    "released": Profile(
        refuse_unread=False,
        score_source="increments",
        progress_rounding="truncated",
        stop_on_complete=False,
        invalid_ticks_world=False,
        reserved_objects="released",
        single_fryer=False,
        prepared_objects=False,
        normalize=False,
    ),
}

#: Values of the rules that are text.
CHOICES = {
    "score_source": ("replay", "increments"),
    "progress_rounding": ("truncated", "exact"),
    "reserved_objects": ("task", "released"),
}


#: Profiles and single rules, set as ``timearena.RULE``.
RULE_SET = RuleSet("timearena", PROFILES, CHOICES)


#: Feedback kinds of a minute.
KINDS = (
    "valid",
    "continue",
    "wait",
    "invalid_action",
    "nonexistent_object",
    "object_mismatch",
    "object_occupied",
    "dependency_violation",
    "repeated_completed",
)
#: Those that count as wrong.
WRONG = frozenset(KINDS[3:])
#: Those that name no action of the tasks.
MALFORMED = KINDS[3:5]
#: Those after which no increment of the score is shown.
SILENT = KINDS[3:7]
#: Decisions that end the run, in any case.
EXITS = ("exit", "quit")


def exits(decision: str, rules: Profile) -> bool:
    """Return True if a decision ends the run instead of filling a minute.

    >>> from planoracle.instances.benchmarks.timearena.rules import PROFILES
    >>> exits(" Quit ", PROFILES["released"]), exits("quit it", PROFILES["released"])
    (True, False)
    """
    return rules.exit_ends and decision.strip().lower() in EXITS
