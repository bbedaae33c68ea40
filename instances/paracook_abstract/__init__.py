"""The abstract part of ParaCook (2025): which agent does which task in which order, in a kitchen without ways."""

from __future__ import annotations

from planoracle.instances.model import Instance
from planoracle.instances.profiles import Rules
from planoracle.instances.schedule_benchmark import ScheduleBenchmark

__all__ = ["ParaCookAbstract", "benchmark"]


class ParaCookAbstract(ScheduleBenchmark[list[list[object]], Rules]):
    """A plan is a list of tasks for every agent, without times."""

    name = "paracook_abstract"
    title = "ParaCook, abstract"
    stepwise = False
    self_contained = True

    def with_agents(self, problem: Instance, crew: str) -> Instance:
        """Return the problem with so many agents; with restrictions it is one by the general rules."""
        from planoracle.instances.crew import with_crew
        from planoracle.instances.paracook_abstract.encode import with_hands

        count = crew.removeprefix("~")
        return with_hands(problem, int(count)) if count.isdecimal() else with_crew(problem, crew)


benchmark = ParaCookAbstract()
