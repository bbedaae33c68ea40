"""TimeArena (Zhang et al., 2024): one decision a minute, actions that run on by themselves, occupied objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from planoracle.instances.benchmark import Generator, Limit, ScheduleBenchmark, Shelf
from planoracle.instances.errors import InputError
from planoracle.instances.feedback import Examined, Topic
from planoracle.instances.model import Instance
from planoracle.instances.plan import Plan
from planoracle.instances.run import Run
from planoracle.instances.schedule import Schedule
from planoracle.instances.scoring import Average, Column, Measured, Oracle

if TYPE_CHECKING:
    from planoracle.instances.timearena.profile import Profile
    from planoracle.instances.timearena.run import TimeArenaRun

__all__ = ["TimeArena", "benchmark"]


class TimeArena(ScheduleBenchmark[list[str], "Profile"]):
    """A plan is the list of the agent's decisions, one for every minute in which it is free."""

    name = "timearena"
    title = "TimeArena"
    citation = "Zhang et al., 2024"
    plan_fields = ("actions", "plan")
    limit = Limit("time_limit", 20_000, "whole minutes")
    slots = True
    waits_are_commands = True
    heuristics: Mapping[str, str] = {
        "timearena-greedy": "planoracle.heuristics.timearena_greedy:printed_schedule",
        "timearena-greedy-released": "planoracle.heuristics.timearena_greedy:released_schedule",
    }

    @property
    def shelf(self) -> Shelf:
        """The paper's 90 combinations, and all others of the 30 tasks."""
        from planoracle.instances.timearena import sets

        return sets

    @property
    def generator(self) -> Generator:
        """Random tasks, or combinations of the bundled ones."""
        from planoracle.instances.timearena import generator as own

        names = ("tasks", "actions", "parallelism", "resources", "agents")
        return Generator(names, own.defaults(), own.generate, ("tasks",), own.combine)

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """As published and as released."""
        from planoracle.instances.timearena.profile import PROFILES

        return PROFILES

    @property
    def choices(self) -> Mapping[str, Sequence[str]]:
        """Values of the rules that are text."""
        from planoracle.instances.timearena.profile import CHOICES

        return CHOICES

    def rules_of(self, problem: Instance) -> Profile:
        """Return the profile that the problem was encoded for."""
        from planoracle.instances.timearena.profile import Profile

        return problem.origin if isinstance(problem.origin, Profile) else self.profiles["paper"]

    def under(self, problem: Instance, rules: Profile) -> Instance:
        """Return the problem with the second objects that the reservations leave."""
        from planoracle.instances.timearena import encode

        return problem if problem.origin == rules else encode.under(problem.name, rules)

    def commands(self, problem: Instance, given: object, rules: Profile) -> list[str]:
        """Read decisions out of a list, a log or text."""
        from planoracle.instances.timearena import language
        from planoracle.instances.timearena.world import world

        return language.parse(given, world(problem.name), rules)

    def replay(self, problem: Instance, plan: Plan[list[str]], rules: Profile | None = None) -> TimeArenaRun:
        """Replay minute by minute."""
        from planoracle.instances.timearena.run import TimeArenaRun

        rules = self.rules_of(problem) if rules is None else rules
        try:
            return TimeArenaRun(self.under(problem, rules), plan, rules)
        except InputError as error:
            return TimeArenaRun(problem, plan, rules, impossible=str(error))

    def written(self, problem: Instance, schedule: Schedule) -> list[str]:
        """Write the decisions."""
        from planoracle.instances.timearena import encode

        return encode.decisions(problem, schedule)

    def render(self, problem: Instance, schedule: Schedule) -> str:
        """Write a decision a line."""
        return "\n".join(self.written(problem, schedule))

    def schedule(self, problem: Instance, plan: Plan[list[str]]) -> Schedule:
        """Turn decisions into pieces."""
        from planoracle.instances.timearena import encode

        return encode.to_schedule(problem, plan.commands)

    def name_of(self, problem: Instance, action: str) -> str:
        """Name an action by its verb and object; the second object is its mode."""
        name = action.partition("/")[2]
        return f"{name} ..." if name.endswith((" into", " with", " to", " in", " on")) else name

    @property
    def columns(self) -> Sequence[Column]:
        """Its own metrics."""
        from planoracle.instances.timearena.scores import COLUMNS

        return COLUMNS

    def averages(self, rules: Profile) -> Sequence[Average]:
        """Sum grades up."""
        from planoracle.instances.timearena import scores

        return scores.averages(rules)

    def measure(self, run: Run[Instance, list[str], Profile], oracle: Oracle) -> Measured:
        """Compute the metrics of a run."""
        from planoracle.instances.timearena import scores

        return scores.measure(cast("TimeArenaRun", run), oracle)

    @property
    def topics(self) -> Sequence[Topic]:
        """The sections of a critique."""
        from planoracle.instances.timearena.phrases import TOPICS

        return TOPICS

    def examine(self, run: Run[Instance, list[str], Profile]) -> Examined:
        """Look closely at what is wrong with a run."""
        from planoracle.instances.timearena import phrases

        return phrases.examine(cast("TimeArenaRun", run))


benchmark = TimeArena()
