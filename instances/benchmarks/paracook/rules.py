"""The two rule profiles of ParaCook, of both its parts; every rule can also be set by its name."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planoracle.instances.benchmarks.grid_kitchens import grid_kitchen
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchenRules
from planoracle.instances.protocol.profiles import RuleSet


@dataclass(frozen=True, slots=True)
class Profile(GridKitchenRules):
    """Rules of kitchens, see `GridKitchenRules`, and of the abstract part.

    Attributes
    ----------
    repeats
        ``"refused"``: plans with repeated or missing tasks fail. ``"counted"``: a plan passes with as many different
        pairs of task and end as there are tasks, so a repeated task can replace a missing one.
    lists
        Number of lists with tasks: at most that of the ``"agents"``, or ``"any"``.
    answers
        Reader of text: that of the ``"released"`` code, or ``"lenient"`` for model output.
    """

    repeats: str = "refused"
    lists: str = "agents"
    answers: str = "lenient"

    def deciding(self) -> Profile:
        """Return the profile with default values of all rules that do not affect the optimum."""
        usual = Profile()
        # Not ``super()``: with slots, the decorator replaces the class that it refers to.
        general = GridKitchenRules.deciding(self)
        return replace(general, repeats=usual.repeats, lists=usual.lists, answers=usual.answers)


PROFILES = {
    "paper": Profile(),
    "released": Profile(
        refuse_unread=False,
        cooking="stamp",
        sinks="shared",
        finish="ignored",
        end="plans",
        repeats="counted",
        lists="any",
        answers="released",
        price_optimum=False,
    ),
}

#: Values of the rules that are text.
CHOICES = {
    **grid_kitchen.CHOICES,
    "repeats": ("refused", "counted"),
    "lists": ("agents", "any"),
    "answers": ("lenient", "released"),
}

#: Profiles and single rules, set as ``paracook.RULE``.
RULE_SET = RuleSet("paracook", PROFILES, CHOICES)
