"""ParaCook (Zhang et al., 2025): cooks who walk through a kitchen; the names of both of its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planoracle.instances.errors import InputError
from planoracle.instances.protocol.benchmark import Benchmark
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.scoring import Reference

if TYPE_CHECKING:
    from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen
    from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenPlan
    from planoracle.instances.benchmarks.paracook.rules import Profile
    from planoracle.instances.protocol.settings import Setting


class ParaCook(Benchmark["GridKitchen", "GridKitchenPlan", "Profile"]):
    """A plan is a list of actions for every cook, or what was handed in turn by turn."""

    name = "paracook"
    title = "ParaCook"
    citation = "Zhang et al., 2025"
    plan_fields = ("submissions", "plan")
    address_fields = ("orders",)
    waits_are_commands = True
    foreign_share = 0.1
    pricing = 0.4
    elsewhere = "planoracle.instances.benchmarks.grid_kitchens"
    data = "a clone of its repository, or the compact files"

    @property
    def settings(self) -> Mapping[str, Setting]:
        """The setting of the paper, the whole plan at once, and the plain ones."""
        from planoracle.instances.protocol.environment import RunConfig
        from planoracle.instances.protocol.settings import Setting

        said = "IO: the whole plan at once"
        return {
            **super().settings,
            "io": Setting("io", said, __package__, "task", "whole", "again", manner=RunConfig("open")),
        }

    def note(self, name: str) -> str:
        """Say whose the bundled problems are."""
        said = "paracook: problems called own are ours, in the style of ParaCook's, which have no licence"
        return said if "/own/" in name else ""

    def addressed(self, name: str, record: Mapping[str, Any]) -> str:
        """Return the problem that a map and the ``orders`` of a submission mean."""
        from planoracle.instances.benchmarks.paracook import problems

        return problems.addressed(name, record)

    def parse(self, problem: GridKitchen, submission: object, rules: Profile | None = None) -> Plan[GridKitchenPlan]:
        """Read a submission, see `Benchmark.parse`; its ``orders`` must be those of the problem."""
        from planoracle.instances.benchmarks.paracook import problems

        problems.agree(problem, submission)
        return super().parse(problem, submission, rules)

    def check_copy(self, folder: Path) -> None:
        """Raise `InputError` that names what is missing if a folder is no copy of the released data."""
        from planoracle.instances.benchmarks.paracook import local_copy

        local_copy.copy_in(folder)

    @property
    def references(self) -> Sequence[Reference[GridKitchen]]:
        """The plans of people in the user's copy, and simple cooks."""
        from planoracle.instances.benchmarks.paracook import human_plans

        people = human_plans.human
        return (
            Reference("human", "people", people, published="human", profile="released", about=human_plans.HUMAN),
            Reference("fixed", "dish by dish", "floor-fixed"),
            Reference("list", "list scheduling", "floor-list"),
        )

    @property
    def referenced(self) -> Sequence[str]:
        """Return the names of what people have played, and of what there are least times of, in both parts."""
        from planoracle.instances.benchmarks.paracook.human_plans import human_names, minimum_names

        return (*human_names(), *minimum_names())

    def document(self, problem: GridKitchen) -> dict[str, Any]:
        """Return a grid kitchen in our format."""
        from planoracle.instances.benchmarks.grid_kitchens.problems import to_document

        return to_document(problem)

    def with_agents(self, problem: GridKitchen, crew: str) -> GridKitchen:
        """Return the grid kitchen with its first so many cooks."""
        _, count, *rules = crew.split("~")
        if rules:
            raise InputError("everybody may do everything in a kitchen", field="only", value=rules[0])
        return problem.with_cooks(problem.name + crew, int(count))


benchmark = ParaCook()
