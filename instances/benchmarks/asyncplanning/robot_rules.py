"""Rules of the Robo Challenge and of its online part that profiles set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planoracle.instances.protocol.profiles import Rules


@dataclass(frozen=True, slots=True)
class RobotRules(Rules):
    """Rules of robots; by default all that prompts and data state.

    Attributes
    ----------
    execution
        ``"whole"``: the plan is checked as a whole. ``"events"``: it is carried out, and the first failure ends it.
    action_durations
        Durations are ``"exact"``, or ``"any"``.
    ingredients
        Actions must be ``"fit"`` for their ingredient, or ``"any"`` action suits it that finds its state.
    stacks
        ``"after_end"``: a stack starts after the end of the one below it. ``"order"``: only the order of ends counts,
        and in episodes other stacks may lie between.
    selection
        ``"free"``: any candidates within the inventory. ``"published"``: the published selection; in episodes at
        least the reward that could be reached at the last event.
    online_lags
        Minimum times hold in episodes.
    empty_stages
        A stage without an action adds nothing; else it ends the episode.
    """

    execution: str = "whole"
    action_durations: str = "exact"
    ingredients: str = "fit"
    stacks: str = "after_end"
    selection: str = "free"
    online_lags: bool = True
    empty_stages: bool = True


#: Values of the rules in the profile ``released``.
RELEASED: dict[str, Any] = {
    "execution": "events",
    "action_durations": "any",
    "ingredients": "any",
    "stacks": "order",
    "selection": "published",
    "online_lags": False,
    "empty_stages": False,
}
#: Possible values of the rules that are text.
CHOICES = {
    "execution": ("whole", "events"),
    "action_durations": ("exact", "any"),
    "ingredients": ("fit", "any"),
    "stacks": ("after_end", "order"),
    "selection": ("free", "published"),
}
