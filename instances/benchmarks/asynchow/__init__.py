"""AsyncHow (Lin et al., 2024): how long steps take that wait for each other, with hands for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.plan import COMMON_FIELDS, DroppedCommand, Plan
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark
from planoracle.instances.protocol.scoring import Claim, Reference

if TYPE_CHECKING:
    from planoracle.instances.benchmarks.asynchow.rules import Profile


class AsyncHow(ScheduleBenchmark[Schedule, "Profile"]):
    """What is handed in is an answer in words, or a schedule as the list of its pieces."""

    name = "asynchow"
    title = "AsyncHow"
    citation = "Lin et al., 2024"
    plan_fields = ("answer", "plan")
    stepwise = False

    def read_data(self, data: bytes, path: str) -> list[Instance]:
        """Read one of the released pickles."""
        from planoracle.instances.benchmarks.asynchow import problems

        return problems.encoded(problems.read_pickle(data, path), path) if problems.is_pickle(data) else []

    def parse(self, problem: Instance, submission: object, rules: Profile | None = None) -> Plan[Schedule]:
        """Read a submission, see `Benchmark.parse`; of a record with neither, it is the answer that is missing."""
        record = isinstance(submission, Mapping) and {"id", "instance"} & submission.keys()
        if record and submission.keys().isdisjoint((*self.plan_fields, *COMMON_FIELDS)):  # type: ignore[attr-defined]
            raise InputError("is missing", field="answer")
        return super().parse(problem, submission, rules)

    def rules_of(self, problem: Instance) -> Profile:
        """Return the profile that the problem was encoded for."""
        from planoracle.instances.benchmarks.asynchow import encoding

        return encoding.origin_of(problem).rules

    def under(self, problem: Instance, rules: Profile) -> Instance:
        """Return the problem with the durations of some rules."""
        from planoracle.instances.benchmarks.asynchow import encoding

        return encoding.under(problem, rules)

    def salvage(self, problem: Instance, given: object) -> tuple[object, tuple[DroppedCommand, ...]]:
        """Leave the pieces of steps out that do not exist."""
        from planoracle.instances.benchmarks.asynchow import language
        from planoracle.instances.benchmarks.generic import language as generic

        pieces = language.pieces_in(problem, given)
        return (given, ()) if pieces is None else generic.salvage(pieces.commands, problem)

    def least(self, problem: Instance) -> int:
        """Return the longest path."""
        from planoracle.instances.benchmarks.asynchow import encoding

        return encoding.least(problem)

    @property
    def references(self) -> Sequence[Reference[Instance]]:
        """The released answers, eight of which no schedule can keep."""
        return (
            Reference(
                "released_answer",
                "released answer",
                _released,
                main=True,
                published="released_answer",
                about="The answers in the released data by which models are graded; of each its lower end. Durations "
                "count as the prompts give them.",
            ),
        )

    def name_of(self, problem: Instance, action: str) -> str:
        """Name a step by its number."""
        return action.replace("/", " ")


_FAULTS = {
    "misread": "durations were read by their last unit only",
    "overwritten": "the least time of another path took the place of the longest path's",
}


def _released(problem: Instance) -> Claim:
    from planoracle.instances.benchmarks.asynchow import encoding

    facts, ticks = encoding.origin_of(problem).facts, problem.seconds_per_tick or 1
    claimed = facts.gold[0] // ticks
    kept = claimed >= encoding.least(problem)
    return Claim(claimed, kept, "" if kept else _FAULTS[str(facts.fault)])


benchmark = AsyncHow()
