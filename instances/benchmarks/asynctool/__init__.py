"""AsyncTool: several agents' calls of tools whose results come later, one call a turn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark
from planoracle.instances.protocol.scoring import Claim, Reference


class AsyncTool(ScheduleBenchmark[list[object], Rules]):
    """A plan is the list of the agent's messages, one a turn."""

    name = "asynctool"
    title = "AsyncTool"
    plan_fields = ("turns", "plan")
    first_moment = 1
    slots = True
    waits_are_commands = True
    hints = False
    heuristics: Mapping[str, str] = {"asynctool-sequential": "planoracle.heuristics.recipe2plan_dfs:sequential"}

    def note(self, name: str) -> str:
        """Say whose the bundled problems are."""
        return "asynctool: AsyncTool's data are not released; these problems are ours, made after its paper"

    def document(self, problem: Instance) -> dict[str, Any]:
        """Return a problem with its calls."""
        from planoracle.instances.benchmarks.asynctool import encoding, reader

        return reader.to_document(encoding.problem_of(problem))

    def written(self, problem: Instance, schedule: Schedule) -> list[dict[str, Any]]:
        """Write the messages."""
        from planoracle.instances.benchmarks.asynctool import encoding

        return encoding.transcript(encoding.problem_of(problem), schedule)

    def render(self, problem: Instance, schedule: Schedule) -> str:
        """Write a message a line."""
        return "\n".join(map(json.dumps, self.written(problem, schedule)))

    def schedule(self, problem: Instance, plan: Plan[list[object]]) -> Schedule:
        """Turn messages into pieces."""
        from planoracle.instances.benchmarks.asynctool import encoding

        return encoding.to_schedule(problem, plan.commands)

    def least(self, problem: Instance) -> int | None:
        """Return the least turns, where all delays are the same."""
        from planoracle.instances.benchmarks.asynctool import encoding

        return encoding.optimal_turns(encoding.problem_of(problem))

    def is_held(self, run: AnyRun) -> bool:
        """Whether a run closes, and has neither guesses nor calls that change the delays of others."""
        return not run.verdict.violations

    @property
    def references(self) -> Sequence[Reference[Instance]]:
        """One task after the other, and what a blind agent can reach where no data flows."""
        from planoracle.instances.benchmarks.asynctool import encoding

        def blind(problem: Instance) -> Claim:
            return Claim(encoding.optimal_turns(encoding.problem_of(problem), strict=False))

        return (
            Reference("sequential", "sequential", "asynctool-sequential"),
            Reference("optimal_calls", "calls without waiting", blind),
        )

    def name_of(self, problem: Instance, action: str) -> str:
        """Name a call by its number, task and function."""
        task, _, name = action.partition("/")
        number, _, function = name.partition(" ")
        return name if task == "closing" else f"call {number} of {task} ({function})"


benchmark = AsyncTool()
