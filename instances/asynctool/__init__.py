"""AsyncTool: several agents' calls of tools whose results come later, one call a turn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from planoracle.instances.benchmark import Environment, Generator, ScheduleBenchmark, Shelf
from planoracle.instances.feedback import Examined, Topic
from planoracle.instances.model import Instance
from planoracle.instances.plan import Plan
from planoracle.instances.run import Run
from planoracle.instances.schedule import Schedule
from planoracle.instances.scoring import Average, Column, Measured, Oracle

if TYPE_CHECKING:
    from planoracle.instances.asynctool.profile import Profile
    from planoracle.instances.asynctool.run import AsyncToolRun

__all__ = ["AsyncTool", "benchmark"]


class AsyncTool(ScheduleBenchmark[list[object], "Profile"]):
    """A plan is the list of the agent's messages, one a turn."""

    name = "asynctool"
    title = "AsyncTool"
    plan_fields = ("turns", "plan")
    first_moment = 1
    slots = True
    waits_are_commands = True
    hints = False
    heuristics: Mapping[str, str] = {"asynctool-sequential": "planoracle.heuristics.asynctool:sequential"}

    @property
    def shelf(self) -> Shelf:
        """The bundled problems, and all combinations of their tasks."""
        from planoracle.instances.asynctool import sets

        return sets

    def recognises(self, document: object) -> bool:
        """Whether a document holds tasks with calls."""
        from planoracle.instances.asynctool.reader import looks_like_asynctool

        return looks_like_asynctool(document)

    def read(self, document: object, source: str) -> list[Instance]:
        """Read our own format, or records of function calls."""
        from planoracle.instances.asynctool.reader import read_document

        return [*read_document(document, source)]

    def document(self, problem: Instance) -> dict[str, Any]:
        """Return a problem with its calls."""
        from planoracle.instances.asynctool import encode, reader

        return reader.to_document(encode.problem_of(problem))

    @property
    def generator(self) -> Generator:
        """Random chains of calls, or combinations of the bundled tasks."""
        from planoracle.instances.asynctool import generator as own

        names = ("tasks", "actions", "shortest", "longest")
        return Generator(names, own.defaults(), own.generate, ("tasks", "shortest", "longest"), own.combine)

    def environment(self, problem: Instance, rules: Profile | None = None) -> Environment:
        """Return one run of an agent, whose calls are carried out."""
        from planoracle.instances.asynctool import encode
        from planoracle.instances.asynctool import environment as live

        return live.Environment(encode.problem_of(problem), self.rules_of(problem) if rules is None else rules)

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """As published; the benchmark's code is not at hand."""
        from planoracle.instances.asynctool.profile import PROFILES

        return PROFILES

    @property
    def choices(self) -> Mapping[str, Sequence[str]]:
        """Values of the rules that are text."""
        from planoracle.instances.asynctool.profile import CHOICES

        return CHOICES

    def commands(self, problem: Instance, given: object, rules: Profile) -> list[object]:
        """Read messages out of a list, a chat log or text."""
        from planoracle.instances.asynctool import language

        return language.messages(given)

    def replay(self, problem: Instance, plan: Plan[list[object]], rules: Profile | None = None) -> AsyncToolRun:
        """Replay turn by turn."""
        from planoracle.instances.asynctool.run import AsyncToolRun

        return AsyncToolRun(problem, plan, self.rules_of(problem) if rules is None else rules)

    def written(self, problem: Instance, schedule: Schedule) -> list[dict[str, Any]]:
        """Write the messages."""
        from planoracle.instances.asynctool import encode

        return encode.transcript(encode.problem_of(problem), schedule)

    def render(self, problem: Instance, schedule: Schedule) -> str:
        """Write a message a line."""
        return "\n".join(map(json.dumps, self.written(problem, schedule)))

    def schedule(self, problem: Instance, plan: Plan[list[object]]) -> Schedule:
        """Turn messages into pieces."""
        from planoracle.instances.asynctool import encode

        return encode.to_schedule(problem, plan.commands)

    def name_of(self, problem: Instance, action: str) -> str:
        """Name a call by its number, task and function."""
        task, _, name = action.partition("/")
        number, _, function = name.partition(" ")
        return name if task == "closing" else f"call {number} of {task} ({function})"

    @property
    def columns(self) -> Sequence[Column]:
        """Its own metrics."""
        from planoracle.instances.asynctool.scores import COLUMNS

        return COLUMNS

    def least(self, problem: Instance) -> int | None:
        """Return the least turns, where all delays are the same."""
        from planoracle.instances.asynctool import encode

        return encode.optimal_turns(encode.problem_of(problem))

    def averages(self, rules: Profile) -> Sequence[Average]:
        """Sum grades up."""
        from planoracle.instances.asynctool import scores

        return scores.averages(rules)

    def measure(self, run: Run[Instance, list[object], Profile], oracle: Oracle) -> Measured:
        """Compute the metrics of a run."""
        from planoracle.instances.asynctool import scores

        return scores.measure(cast("AsyncToolRun", run), oracle)

    @property
    def topics(self) -> Sequence[Topic]:
        """The sections of a critique."""
        from planoracle.instances.asynctool.phrases import TOPICS

        return TOPICS

    def examine(self, run: Run[Instance, list[object], Profile]) -> Examined:
        """Look closely at what is wrong with a run."""
        from planoracle.instances.asynctool import phrases

        return phrases.examine(cast("AsyncToolRun", run))


benchmark = AsyncTool()
