"""Runs of AsyncHow: schedules by the general rules, and answers in words, which have no steps."""

from __future__ import annotations

from collections.abc import Container, Iterator

from planoracle.instances.benchmarks.asynchow.bundled_data import Interval
from planoracle.instances.benchmarks.asynchow.language import DurationAnswer
from planoracle.instances.benchmarks.asynchow.problems import least, right_answer, under
from planoracle.instances.benchmarks.asynchow.released_grader import AnswerGrade, grade, times_read
from planoracle.instances.benchmarks.asynchow.rules import Profile
from planoracle.instances.benchmarks.generic.rules import GenericSimulator
from planoracle.instances.benchmarks.generic.run import GenericRun
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.violations import Replay, Violation
from planoracle.instances.protocol.decision_points import DecisionPoint
from planoracle.instances.protocol.plan import Plan

_REASONS = {
    "empty": "the answer is empty",
    "no_time": "the answer has no readable time",
    "range": 'the answer in double quotes contains " to "',
    "unreadable": "a unit is unknown or has no space before it",
    "too_short": "less than the shortest time",
    "too_long": "more than the shortest time",
    "wrong": "the first and the last answer in double quotes are both wrong",
}


class AsyncHowSimulator(GenericSimulator):
    """General rules for identical agents: each step is legal only for the first agent that can start it."""

    def startable(
        self, point: DecisionPoint, step: int, only: Container[str] | None = None
    ) -> Iterator[tuple[Piece, DecisionPoint]]:
        """Yield every step that can start now, by the first agent that can start it."""
        started = set()
        for piece, after in super().startable(point, step, only):
            if piece.action not in started:
                started.add(piece.action)
                yield piece, after


class AsyncHowRun(GenericRun):
    """Run of AsyncHow; the makespan of a right answer is the longest path.

    Attributes
    ----------
    answer
        Grade of an answer in words; ``None`` for a schedule.
    right_answer
        Shortest and longest time that count as right, in seconds.
    """

    rules: Profile

    def __init__(self, problem: Instance, plan: Plan[Schedule], rules: Profile) -> None:
        submitted = plan.commands
        self.right_answer = right_answer(problem, rules)
        self.answer = verdict = None
        if isinstance(submitted, DurationAnswer):
            self.answer = _grade_answer(submitted.text, self.right_answer, rules)
            work = {action.id: action.duration for action in problem.actions}
            verdict = _verdict(self.answer, least(problem), work)
        super().__init__(AsyncHowSimulator(problem), plan, rules, verdict)


def simulator(problem: Instance, rules: Profile) -> AsyncHowSimulator:
    """Return the rules for schedules."""
    return AsyncHowSimulator(under(problem, rules))


def replay(problem: Instance, plan: Plan[Schedule], rules: Profile) -> AsyncHowRun:
    """Grade an answer, or replay a schedule by the general rules."""
    return AsyncHowRun(under(problem, rules), plan, rules)


def _grade_answer(text: str, right: Interval, rules: Profile) -> AnswerGrade:
    """Grade an answer; with the lenient reader a wrong answer has the time that was read."""
    graded = grade(text, right)
    if graded.success or rules.answers == "released":
        return graded
    return graded._replace(parsed=times_read(text))


def _verdict(grade: AnswerGrade, longest: int, work: dict[str, int]) -> Replay:
    fault = None
    if grade.reason is not None:
        fault = Violation(None, grade.reason, "answer", _REASONS[grade.reason])
    share = float(grade.success)
    violations = () if fault is None else (fault,)
    makespan = longest if grade.success else 0
    remaining = {} if grade.success else work
    return Replay(
        events=(),
        violations=violations,
        fatal=fault,
        executed=0,
        progress=share,
        goal_ratio=share,
        success=grade.success,
        makespan=makespan,
        remaining=remaining,
        idle=(),
    )
