"""Grades with an explanation in words, computed in worker processes, so that the loop that waits for models goes on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from planoracle.analysis.batch.pool import WorkerPool
from planoracle.analysis.batch.process import TaskFailure
from planoracle.analysis.batch.worker import TaskLimits
from planoracle.analysis.critique import critique_of
from planoracle.analysis.grade import Grade, Grader
from planoracle.analysis.oracle import Oracle
from planoracle.analysis.profiles import profiles
from planoracle.analysis.regret import regret_of
from planoracle.instances.benchmark import AnyRun
from planoracle.instances.deadline import Work
from planoracle.instances.visible import visible

#: Work for the prices of the decisions of one run, see `Work`.
WORK = 5.0
#: Decisions of longer runs are not priced.
MAX_PRICED = 300


#: Limits of one submission.
LIMITS = TaskLimits(120.0, 4000)


def verdict_in_worker(submission: dict[str, Any], profile: str, prices: bool) -> tuple[Grade, str]:
    """Return what `verdict` does, computed in a worker process."""
    with WorkerPool(partial(_start, profile, prices), LIMITS, 1) as pool:
        answer = next(pool.map([submission]))
    if isinstance(answer, TaskFailure):
        grade = _grader(profile).unscored(submission, answer.error)
        return grade, grade.reason or ""
    return answer


def _start(profile: str, prices: bool) -> Callable[[dict[str, Any]], tuple[Grade, str]]:
    return partial(verdict, profile=profile, prices=prices)


@cache
def _grader(profile: str) -> Grader:
    return Grader(profiles(profile))


def verdict(submission: dict[str, Any], profile: str, prices: bool) -> tuple[Grade, str]:
    """Grade a submission, and say why in words; never raises for what it holds.

    Examples
    --------
    >>> told = verdict({"instance": "timearena/household1", "plan": ["pour kettle into cup"]}, "paper", True)[1]
    >>> print(told.partition("Result")[0])
    timearena/household1: no success, 0% of the work
    1 ticks, at best 13
    main score 0.00
    first fault: dependency_violation, pour kettle into cup, cost 1 minute
    dearest decision: pour kettle into cup (0 to 1), cost 1 minute
    <BLANKLINE>
    <BLANKLINE>
    """
    grader = _grader(profile)
    grade = grader.grade(submission)
    if not grade.scored:
        return grade, grade.reason or ""
    return grade, explained(grader.run(submission), grade, grader.oracle, prices)


def explained(run: AnyRun, grade: Grade, oracle: Oracle, prices: bool) -> str:
    """Return the verdict in words: the outcome, the first fault, the dearest decision, what they cost, the critique."""
    unit = run.problem.unit
    lines = str(grade).splitlines()
    if prices and len(run.steps) <= MAX_PRICED:
        priced = regret_of(run, seconds=Work(WORK / max(1, len(run.steps))))
        broken = next((one for one in priced.decisions if one.violation is not None), None)
        if broken is not None:
            lines.append(f"first fault: {broken.violation}, {broken.command}, cost {_price(broken.cost, unit)}")
        for one in (priced.decisions[at] for at in priced.costliest(1)):
            lines.append(f"dearest decision: {one.command} ({one.start} to {one.end}), cost {_price(one.cost, unit)}")
        if priced.no_return is not None:
            lines.append(f"nothing led to success any more after: {priced.decisions[priced.no_return].command}")
    elif run.verdict.violations:
        lines.append(f"first fault: {run.verdict.violations[0].kind}, {run.verdict.violations[0].subject}")
    report = critique_of(run, oracle=oracle, regret=False).prose()
    return visible("\n".join([*lines, "", report]), keep="\n")


def _price(cost: int | None, unit: str) -> str:
    return "what is not known" if cost is None else f"{cost} {unit}{'' if cost == 1 else 's'}"
