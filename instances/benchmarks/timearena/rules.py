"""Rules of TimeArena: profiles, kinds of feedback, reservations."""

from __future__ import annotations

from dataclasses import dataclass

from planoracle.instances.protocol.profiles import Rules, RuleSet


@dataclass(frozen=True, slots=True)
class Profile(Rules):
    """Options of TimeArena where the paper and its released code differ.

    Attributes
    ----------
    score_source
        The score is that of the ``"replay"``, or the sum of the printed ``"increments"``. The released code prints no
        increment after a mismatched or occupied object, and adds it to that of the next decision, if there is one.
    progress_rounding
        Increments are differences of scores ``"truncated"`` to whole percents, or of ``"exact"`` scores.
    max_wrong_streak
        Number of wrong decisions in a row that ends the run; a time limit in the same minute takes precedence.
    stop_on_complete
        True: the run ends as soon as all work is done, even during a wrong decision. False: at the next valid one.
    invalid_ticks_world
        True if running actions continue in the minute of a malformed action or unknown object.
    exit_ends
        True if the decision ``exit`` or ``quit`` ends the run before its minute; otherwise it is an invalid action.
    reserved_objects
        ``"task"``: a numbered object can be used by actions of its task only. ``"released"``: a container rejects, for
        any verb, all objects except the numbered ones of its task.
    single_fryer
        cooking2 and cooking5 have one fryer, as in the prompts of the paper; the released data have two.
    prepared_objects
        The prerequisites of an action must be met for its second object: the kettle is poured into a washed teapot, and
        tea is brewed in it. The released code also accepts a kettle that was poured into the cup.
    normalize
        Ignore case and spaces in decisions.
    price_waits
        Compute the cost of every wait, which takes a solver call for each minute next to a wait.
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
        """Return the profile with only the rules about objects, which determine the optimal plans."""
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


#: Kinds of feedback on a minute.
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
#: Kinds that count as wrong.
WRONG = frozenset(KINDS[3:])
#: Kinds of decisions that are not actions of the tasks.
MALFORMED = KINDS[3:5]
#: Kinds without a printed increment of the score.
SILENT = KINDS[3:7]
#: Decisions that end the run, in upper or lower case.
EXITS = ("exit", "quit")


def exits(decision: str, rules: Profile) -> bool:
    """Return True if a decision ends the run instead of filling a minute.

    >>> from planoracle.instances.benchmarks.timearena.rules import PROFILES
    >>> exits(" Quit ", PROFILES["released"]), exits("quit it", PROFILES["released"])
    (True, False)
    """
    return rules.exit_ends and decision.strip().lower() in EXITS
