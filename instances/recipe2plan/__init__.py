"""Recipe2Plan (Wu et al., 2025): two recipes, one cook, time constraints between steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from planoracle.instances.benchmark import Generator, ScheduleBenchmark, Shelf
from planoracle.instances.feedback import Examined, Topic
from planoracle.instances.model import Instance
from planoracle.instances.plan import Plan
from planoracle.instances.run import Run
from planoracle.instances.schedule import Schedule
from planoracle.instances.scoring import Average, Column, Measured, Oracle

if TYPE_CHECKING:
    from planoracle.instances.recipe2plan.language import Answers
    from planoracle.instances.recipe2plan.profile import Profile
    from planoracle.instances.recipe2plan.run import Recipe2PlanRun

__all__ = ["Recipe2Plan", "benchmark"]


class Recipe2Plan(ScheduleBenchmark["Answers", "Profile"]):
    """A plan is a list of steps with durations and clock times, handed in at once or answer by answer."""

    name = "recipe2plan"
    title = "Recipe2Plan"
    citation = "Wu et al., 2025"
    self_contained = True
    heuristics: Mapping[str, str] = {
        "recipe2plan-dfs": "planoracle.heuristics.recipe2plan_dfs:waiting",
        "recipe2plan-dfs-literal": "planoracle.heuristics.recipe2plan_dfs:literal",
    }

    @property
    def shelf(self) -> Shelf:
        """The 130 problems of the paper."""
        from planoracle.instances.recipe2plan import sets

        return sets

    def recognises(self, document: object) -> bool:
        """Whether a document is a ``cooking.json``."""
        from planoracle.instances.recipe2plan.reader import looks_like_cooking

        return looks_like_cooking(document)

    def read(self, document: object, source: str) -> list[Instance]:
        """Read a ``cooking.json``: all problems, timed and untimed."""
        from planoracle.instances.recipe2plan.reader import read_cooking

        timed = read_cooking(source, document)
        return [*timed, *(one.without_maximum_lags(one.name.replace("/timed/", "/untimed/", 1)) for one in timed)]

    def check(self, problem: Instance) -> None:
        """Raise `InputError` for what plans cannot say or the rules do not know."""
        from planoracle.instances.recipe2plan.check import check

        check(problem)

    @property
    def generator(self) -> Generator:
        """Random recipes, or pairs of the bundled ones."""
        from planoracle.instances.recipe2plan import generator as own

        names = ("tasks", "actions", "order_strength", "parallelism", "interruptible", "windows", "feasible")
        return Generator(names, own.defaults(), own.generate, ("tasks",), own.combine)

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """As published and as released."""
        from planoracle.instances.recipe2plan.profile import PROFILES

        return PROFILES

    @property
    def choices(self) -> Mapping[str, Sequence[str]]:
        """Values of the rules that are text."""
        from planoracle.instances.recipe2plan.profile import CHOICES

        return CHOICES

    def commands(self, problem: Instance, given: object, rules: Profile) -> Answers:
        """Read a plan in any of the forms that paper and logs show."""
        from planoracle.instances.recipe2plan import language

        return language.parse(given, problem, rules)

    def replay(self, problem: Instance, plan: Plan[Answers], rules: Profile | None = None) -> Recipe2PlanRun:
        """Replay command by command."""
        from planoracle.instances.recipe2plan import rules as referee
        from planoracle.instances.recipe2plan.run import Recipe2PlanRun

        rules = self.rules_of(problem) if rules is None else rules
        return Recipe2PlanRun(problem, plan, rules, referee.replay(problem, plan.commands, rules))

    def written(self, problem: Instance, schedule: Schedule) -> str:
        """Write ``Step(...)`` for every piece."""
        from planoracle.instances.recipe2plan import language

        return language.render(schedule)

    def schedule(self, problem: Instance, plan: Plan[Answers]) -> Schedule:
        """Turn commands into pieces."""
        from planoracle.instances.recipe2plan import language

        return language.to_schedule(plan.commands, problem)

    def name_of(self, problem: Instance, action: str) -> str:
        """Name a step by its number and recipe."""
        task, _, name = action.rpartition("/")
        return f"step {name} of {task}"

    @property
    def columns(self) -> Sequence[Column]:
        """Its own metrics."""
        from planoracle.instances.recipe2plan.scores import COLUMNS

        return COLUMNS

    def averages(self, rules: Profile) -> Sequence[Average]:
        """Sum grades up."""
        from planoracle.instances.recipe2plan import scores

        return scores.averages(rules)

    def measure(self, run: Run[Instance, Answers, Profile], oracle: Oracle) -> Measured:
        """Compute the metrics of a run."""
        from planoracle.instances.recipe2plan import scores

        return scores.measure(cast("Recipe2PlanRun", run), oracle)

    @property
    def topics(self) -> Sequence[Topic]:
        """The sections of a critique."""
        from planoracle.instances.recipe2plan.phrases import TOPICS

        return TOPICS

    def examine(self, run: Run[Instance, Answers, Profile]) -> Examined:
        """Look closely at what is wrong with a run."""
        from planoracle.instances.recipe2plan import phrases

        return phrases.examine(cast("Recipe2PlanRun", run))


benchmark = Recipe2Plan()
