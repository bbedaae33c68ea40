"""Robotouille (Gonzalez-Pumariega et al., 2025): kitchens in which actions must be chosen, one step at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from planoracle.instances.errors import InputError
from planoracle.instances.protocol.benchmark import Benchmark
from planoracle.instances.protocol.capabilities import Limit
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.scoring import Claim, Reference

if TYPE_CHECKING:
    from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen


class Robotouille(Benchmark["Kitchen", list[str], Rules]):
    """A plan is the list of the actions, one a step."""

    name = "robotouille"
    title = "Robotouille"
    citation = "Gonzalez-Pumariega et al., 2025"
    plan_fields = ("actions", "plan")
    limit = Limit("limit", 10_000, "a number of steps", optional=True)
    first_moment = 1
    slots = True
    waits_are_commands = True
    foreign_share = 0.1
    data = "the simulator's kitchens"
    elsewhere = "planoracle.instances.benchmarks.kitchens"

    @property
    def references(self) -> Sequence[Reference[Kitchen]]:
        """The number of steps published for the task."""
        from planoracle.instances.benchmarks.robotouille.measures import published_steps

        def published(kitchen: Kitchen) -> Claim:
            return Claim(published_steps(kitchen.name))

        return (
            Reference(
                "published",
                "published",
                published,
                main=True,
                published="published",
                profile="released",
                about="The horizon lengths of the paper's Table 3, one for a task, its kitchen and its ten variants. "
                "A run is a success if it takes at most 1.5 times as many steps.",
            ),
        )

    def document(self, problem: Kitchen) -> dict[str, Any]:
        """Return a kitchen in our format."""
        from planoracle.instances.benchmarks.kitchens.problems import to_document

        return to_document(problem)

    def with_agents(self, problem: Kitchen, crew: str) -> Kitchen:
        """Return the kitchen with so many cooks."""
        from planoracle.instances.benchmarks.kitchens.variants import with_cooks

        _, count, *rules = crew.split("~")
        if rules:
            raise InputError("everybody may do everything in a kitchen", field="only", value=rules[0])
        return with_cooks(problem, int(count))


benchmark = Robotouille()
