"""The two rule profiles of ParaCook, of both its parts; every rule can also be set by its name."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planoracle.instances.benchmarks.grid_kitchens import grid_kitchen
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchenRules
from planoracle.plugin import RuleSet


@dataclass(frozen=True, slots=True)
class Profile(GridKitchenRules):
    """Rules of kitchens, see `GridKitchenRules`, and of the abstract part.

    Attributes
    ----------
    repeats
        A task that is given twice is ``"refused"``, and so is a plan that leaves one out; or it is ``"counted"``: as
        many different ends of tasks as there are tasks are enough, so that a repeated one can stand for one left out.
    lists
        There may be as many lists as ``"agents"``, empty ones aside, or ``"any"`` number of them.
    answers
        Text is read as the ``"released"`` code reads it, or ``"lenient"``, as model output.
    """

    repeats: str = "refused"
    lists: str = "agents"
    answers: str = "lenient"

    def deciding(self) -> Profile:
        """Return the profile as far as it decides which plans are best."""
        usual = Profile()
        # By name: with slots, a class that a decorator has made anew is not the one that ``super()`` knows.
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
