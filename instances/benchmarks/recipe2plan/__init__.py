"""Recipe2Plan (Wu et al., 2025): two recipes, one cook, time constraints between steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark
from planoracle.instances.protocol.scoring import Reference


class Recipe2Plan(ScheduleBenchmark[object, Rules]):
    """A plan is a list of steps with durations and clock times, handed in at once or answer by answer."""

    name = "recipe2plan"
    title = "Recipe2Plan"
    citation = "Wu et al., 2025"
    self_contained = True
    greedy = ("recipe2plan-dfs",)
    heuristics: Mapping[str, str] = {
        "recipe2plan-dfs": "planoracle.heuristics.recipe2plan_dfs:waiting",
        "recipe2plan-dfs-literal": "planoracle.heuristics.recipe2plan_dfs:literal",
    }

    def check(self, problem: Instance) -> None:
        """Raise `InputError` for what plans cannot say or the rules do not know."""
        from planoracle.instances.benchmarks.recipe2plan.bundled_data import check

        check(problem)

    @property
    def references(self) -> Sequence[Reference[Instance]]:
        """The released plan, and the paper's Algorithm 1."""
        from planoracle.instances.benchmarks.recipe2plan.metrics import released

        return (
            Reference(
                "heuristic_reference",
                "reference",
                released,
                main=True,
                published="released_plan",
                about="The plans in the released `plan.json`. R-Efficiency measures every plan by how much time these "
                "save; a shorter reference would save more, and every score would be lower.",
            ),
            Reference("dfs", "dfs", "recipe2plan-dfs"),
        )

    def name_of(self, problem: Instance, action: str) -> str:
        """Name a step by its number and recipe."""
        task, _, name = action.rpartition("/")
        return f"step {name} of {task}"


benchmark = Recipe2Plan()
