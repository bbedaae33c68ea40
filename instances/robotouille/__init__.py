"""Robotouille (Gonzalez-Pumariega et al., 2025): kitchens in which actions must be chosen, one step at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from planoracle.instances.benchmark import Benchmark, Generator, Limit, Shelf
from planoracle.instances.errors import InputError
from planoracle.instances.feedback import Examined, Topic
from planoracle.instances.plan import Plan
from planoracle.instances.run import Run
from planoracle.instances.scoring import Average, Column, Measured, Oracle

if TYPE_CHECKING:
    from planoracle.instances.kitchens.kitchen import Kitchen
    from planoracle.instances.kitchens.profile import Profile
    from planoracle.instances.kitchens.run import KitchenRun

__all__ = ["Robotouille", "benchmark"]


class Robotouille(Benchmark["Kitchen", list[str], "Profile"]):
    """A plan is the list of the actions, one a step."""

    name = "robotouille"
    title = "Robotouille"
    citation = "Gonzalez-Pumariega et al., 2025"
    plan_fields = ("actions", "plan")
    limit = Limit("limit", 10_000, "a number of steps")
    first_moment = 1
    slots = True
    waits_are_commands = True

    @property
    def shelf(self) -> Shelf:
        """Kitchens for the tasks of the paper, and seeded variants of them."""
        from planoracle.instances.robotouille import sets

        return sets

    def recognises(self, document: object) -> bool:
        """Whether a document is a kitchen, in our format or the simulator's."""
        from planoracle.instances.robotouille.reader import looks_like_kitchen

        return looks_like_kitchen(document)

    def read(self, document: object, source: str) -> list[Kitchen]:
        """Read a kitchen."""
        from planoracle.instances.robotouille.reader import kitchen_of

        return [kitchen_of(document, source)]

    def document(self, problem: Kitchen) -> dict[str, Any]:
        """Return a kitchen in our format."""
        from planoracle.instances.kitchens.files import to_document

        return to_document(problem)

    def with_agents(self, problem: Kitchen, crew: str) -> Kitchen:
        """Return the kitchen with so many cooks."""
        from planoracle.instances.kitchens.cooks import with_cooks

        _, count, *rules = crew.split("~")
        if rules:
            raise InputError("everybody may do everything in a kitchen", field="only", value=rules[0])
        return with_cooks(problem, int(count))

    @property
    def generator(self) -> Generator:
        """Random sandwiches."""
        from planoracle.instances.robotouille import generator as own

        return Generator(("tasks", "actions", "parallelism", "agents"), own.defaults(), own.generate)

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """As published and as released."""
        from planoracle.instances.kitchens.profile import PROFILES

        return PROFILES

    @property
    def choices(self) -> Mapping[str, Sequence[str]]:
        """Values of the rules that are text."""
        from planoracle.instances.kitchens.profile import CHOICES

        return CHOICES

    def commands(self, problem: Kitchen, given: object, rules: Profile) -> list[str]:
        """Read actions out of a list, a log or text."""
        from planoracle.instances.kitchens import language

        return language.parse(given, problem.domain, rules)

    def replay(self, problem: Kitchen, plan: Plan[list[str]], rules: Profile | None = None) -> KitchenRun:
        """Replay step by step."""
        from planoracle.instances.kitchens.run import KitchenRun

        return KitchenRun(problem, plan, self.rules_of(problem) if rules is None else rules)

    @property
    def columns(self) -> Sequence[Column]:
        """Its own metrics."""
        from planoracle.instances.robotouille.scores import COLUMNS

        return COLUMNS

    def averages(self, rules: Profile) -> Sequence[Average]:
        """Sum grades up."""
        from planoracle.instances.robotouille import scores

        return scores.averages(rules)

    def measure(self, run: Run[Kitchen, list[str], Profile], oracle: Oracle) -> Measured:
        """Compute the metrics of a run."""
        from planoracle.instances.robotouille import scores

        return scores.measure(cast("KitchenRun", run), oracle)

    @property
    def topics(self) -> Sequence[Topic]:
        """The sections of a critique."""
        from planoracle.instances.robotouille.phrases import TOPICS

        return TOPICS

    def examine(self, run: Run[Kitchen, list[str], Profile]) -> Examined:
        """Look closely at what is wrong with a run."""
        from planoracle.instances.robotouille import phrases

        return phrases.examine(cast("KitchenRun", run))


benchmark = Robotouille()
