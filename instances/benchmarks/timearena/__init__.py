"""TimeArena (Zhang et al., 2024): one decision a minute, actions that run on by themselves, occupied objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.capabilities import Limit
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark
from planoracle.instances.protocol.scoring import Reference

if TYPE_CHECKING:
    from planoracle.instances.benchmarks.timearena.rules import Profile


class TimeArena(ScheduleBenchmark[list[str], "Profile"]):
    """A plan is the list of the agent's decisions, one for every minute in which it is free."""

    name = "timearena"
    title = "TimeArena"
    citation = "Zhang et al., 2024"
    plan_fields = ("actions", "plan")
    limit = Limit("time_limit", 20_000, "whole minutes")
    slots = True
    waits_are_commands = True
    greedy = ("timearena-greedy",)
    heuristics: Mapping[str, str] = {
        "timearena-greedy": "planoracle.heuristics.timearena_greedy:printed_schedule",
        "timearena-greedy-released": "planoracle.heuristics.timearena_greedy:released_schedule",
    }

    def rules_of(self, problem: Instance) -> Profile:
        """Return the profile that the problem was encoded for."""
        from planoracle.instances.benchmarks.timearena.rules import Profile

        return problem.origin if isinstance(problem.origin, Profile) else self.profiles["paper"]

    def under(self, problem: Instance, rules: Profile) -> Instance:
        """Return the problem with the second objects that the reservations leave."""
        from planoracle.instances.benchmarks.timearena import problems

        return problems.under(problem, rules)

    @property
    def references(self) -> Sequence[Reference[Instance]]:
        """The greedy algorithms, which know no occupied objects; the problem that they solve; the released rules."""
        from planoracle.instances.benchmarks.timearena.problems import without_objects

        return (
            Reference(
                "heuristic_reference",
                "released greedy",
                "timearena-greedy-released",
                main=True,
                published="oracle",
                about="The minutes that the released `cal_oracle.py` works out, the paper's Oracle. It knows of no "
                "occupied objects. What is checked is the number, not the order of actions behind it.",
            ),
            Reference("greedy", "printed greedy", "timearena-greedy"),
            Reference("without_objects", "optimum without objects", partial(without_objects, as_listed=True)),
            Reference("released_rules", "released rules", partial(self.under, rules=self.profiles["released"])),
        )

    def summed(self, figures: Mapping[str, Any]) -> dict[str, float | None]:
        """Return CS and CR of the paper's Table 2; CT is the mean."""
        mean = figures["mean"]
        return {"CS": 100 / mean if mean else None, "CR": 100 * figures["answered"] / figures["problems"]}

    def name_of(self, problem: Instance, action: str) -> str:
        """Name an action by its verb and object; the second object is its mode."""
        name = action.partition("/")[2]
        return f"{name} ..." if name.endswith((" into", " with", " to", " in", " on")) else name


benchmark = TimeArena()
