"""The rules of floors that can be chosen; benchmarks derive their profiles from these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from planoracle.instances.profiles import Rules


@dataclass(frozen=True, slots=True)
class FloorRules(Rules):
    """How a floor is run where descriptions and released code differ.

    Attributes
    ----------
    cooking
        What counts as time of cooking: ``"stove"``, that on a stove with contents, forgotten when the vessel is
        emptied; or ``"stamp"``, as released: from a stamp that is the end of the last batch, also off the stove, and
        an emptied vessel goes on cooking.
    sinks
        A sink is used by ``"one"`` cook at a time, as boards are; or ``"shared"``.
    finish
        Finish is ``"final"``: what a cook does after it is an error; or ``"ignored"`` in plans handed in as a whole.
    end
        A run ends, and its time is, when the last order is ``"served"``; or when all ``"plans"`` are used up.
    price_optimum
        Grades say what the best plans take, which takes a solve for each floor.
    """

    cooking: str = "stove"
    sinks: str = "one"
    finish: str = "final"
    end: str = "served"
    price_optimum: bool = True

    def deciding(self) -> Self:
        """Return the profile as far as it decides which plans are best."""
        return replace(self, refuse_unread=True, finish="final", price_optimum=True)


#: Values of the rules that are text.
CHOICES = {
    "cooking": ("stove", "stamp"),
    "sinks": ("one", "shared"),
    "finish": ("final", "ignored"),
    "end": ("served", "plans"),
}
