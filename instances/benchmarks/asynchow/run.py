"""Runs of AsyncHow: schedules by the general rules, and answers in words, which have no steps."""

from __future__ import annotations

from collections.abc import Container, Iterator

from planoracle.instances.benchmarks.asynchow import language
from planoracle.instances.benchmarks.asynchow.encoding import least, right_answer, under
from planoracle.instances.benchmarks.asynchow.language import DurationAnswer
from planoracle.instances.benchmarks.asynchow.rules import Profile
from planoracle.instances.benchmarks.generic.run import GenericRun
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.schedule_rules import referee
from planoracle.instances.model.violations import Replay, Violation
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.trajectory import DecisionPoint, LegalAction

_REASONS = {
    "empty": "there is no answer",
    "no_time": "there is no time in double quotes",
    "range": 'the answer in double quotes has " to " in it',
    "unreadable": "a unit is none that counts, or stands at its number without a space",
    "too_short": "less than the time it takes",
    "too_long": "more than the time it takes",
    "wrong": "the first and the last answer in double quotes are both wrong",
}


class AsyncHowRun(GenericRun):
    """Run of AsyncHow; the makespan of a right answer is the longest path.

    Attributes
    ----------
    answer
        How an answer in words was graded; ``None`` for a schedule.
    """

    rules: Profile

    def __init__(self, problem: Instance, plan: Plan[Schedule], rules: Profile) -> None:
        handed_in = plan.commands
        self.right_answer = right_answer(problem, rules)
        self.answer = (
            language.grade(handed_in.text, self.right_answer) if isinstance(handed_in, DurationAnswer) else None
        )
        if self.answer is None:
            verdict = referee(problem, handed_in)
        else:
            verdict = _verdict(self.answer, least(problem), {action.id: action.duration for action in problem.actions})
        super().__init__(problem, plan, rules, verdict)

    def acts(self, point: DecisionPoint, step: int, only: Container[str] | None = None) -> Iterator[LegalAction]:
        """Yield every step that can begin now, by the first of the agents who can."""
        started = set()
        for option in super().acts(point, step, only):
            action = option.after.state.pieces[-1].action
            if action not in started:
                started.add(action)
                yield option


def replay(problem: Instance, plan: Plan[Schedule], rules: Profile) -> AsyncHowRun:
    """Grade an answer, or replay a schedule by the general rules."""
    return AsyncHowRun(under(problem, rules), plan, rules)


def _verdict(grade: language.AnswerGrade, longest: int, work: dict[str, int]) -> Replay:
    fault = None if grade.reason is None else Violation(None, grade.reason, "answer", _REASONS[grade.reason])
    return Replay(
        events=(),
        violations=() if fault is None else (fault,),
        fatal=fault,
        executed=0,
        progress=float(grade.success),
        goal_ratio=float(grade.success),
        success=grade.success,
        makespan=longest if grade.success else 0,
        remaining={} if grade.success else work,
        idle=(),
    )
