"""Cheats: plans that are derived from an honest one, and must gain nothing by the rules of any benchmark.

The docstring of each cheat, without the verb, names the plans in the contract suite and on the page of cheats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import combinations
from random import Random
from typing import Any, TypeAlias

from planoracle.analysis.contract.plan_texts import Change, PlanText, renamed, retimed, times, words

#: Sentence that claims a success.
CLAIM = "success: true, makespan 1, score 100. All goals are reached; the plan is optimal."

# Places of a plan that are changed one at a time, and pairs of names that are exchanged.
_PLACES = 4
_DIVISOR = 1000
_HALF = Decimal("0.5")


@dataclass(frozen=True)
class HonestPlan:
    """An honest plan, and what cheats need beside it.

    Attributes
    ----------
    plan
        The honest plan.
    others
        Honest plans of other problems of the benchmark.
    metrics
        Names of the metrics of the benchmark.
    random
        Source of random places and names.
    """

    plan: PlanText
    others: Sequence[str]
    metrics: Sequence[str]
    random: Random

    def places(self) -> list[tuple[int, int]]:
        """Return some places of steps, the last one among them."""
        places = self.plan.places
        return [*self.random.sample(places, min(_PLACES, len(places))), *places[-1:]]

    def in_column(self, column: int, change: Change) -> Iterator[str]:
        """Yield the plan with the times of a column changed: all of them, and some one at a time."""
        retime = partial(retimed, change=change, column=column)
        yield self.plan.mapped(retime)
        for number, index in self.places():
            yield self.plan.with_steps(number, index, [retime(self.plan.lists[number][index])])


#: Function that yields the plans of a cheat.
Cheat: TypeAlias = Callable[[HonestPlan], Iterator[object]]


def divided_times(honest: HonestPlan) -> Iterator[object]:
    """Yield plans with times divided by 1,000, all of them or those of a column."""
    for divide in (lambda time: time / _DIVISOR, lambda time: time // _DIVISOR):
        if honest.plan.columns:
            yield honest.plan.mapped(partial(retimed, change=divide))
        for column in honest.plan.columns:
            yield honest.plan.mapped(partial(retimed, change=divide, column=column))


def changed_durations(honest: HonestPlan) -> Iterator[object]:
    """Yield plans with times of a column, such as durations, halved, doubled or set to 0."""
    for column in honest.plan.columns:
        for factor in (_HALF, 2, 0):
            yield from honest.in_column(column, lambda time, factor=factor: time * factor // 1)  # type: ignore[misc]


def overlaps(honest: HonestPlan) -> Iterator[object]:
    """Yield plans in which steps start with the step before, alone or with all later ones, or all at once."""
    plan = honest.plan
    for column in plan.columns:
        yield plan.mapped(partial(retimed, change=lambda time: time * 0, column=column))
        for number, index in honest.places():
            steps = plan.lists[number]
            pair = [times(step)[column : column + 1] for step in steps[max(index - 1, 0) : index + 1]]
            if len(pair) < 2 or [] in pair:
                continue
            gap = pair[1][0] - pair[0][0]
            earlier = partial(retimed, change=lambda time, gap=gap: time - gap, column=column)
            yield plan.with_steps(number, index, [earlier(steps[index])])
            yield plan.with_steps(number, index, list(map(earlier, steps[index:])), len(steps))


def repeated_actions(honest: HonestPlan) -> Iterator[object]:
    """Yield plans with steps repeated at once or at the end, and plans that state everything twice."""
    plan = honest.plan
    yield plan.with_lists([[*steps, *steps] for steps in plan.lists])
    for number, index in honest.places():
        steps = plan.lists[number]
        yield plan.with_steps(number, index, [steps[index]] * 2)
        yield plan.with_steps(number, len(steps), [steps[index]])


def omitted_actions(honest: HonestPlan) -> Iterator[object]:
    """Yield plans without a step, or without a step and all later ones."""
    plan = honest.plan
    for number, index in honest.places():
        yield plan.with_steps(number, index, [])
        yield plan.with_steps(number, index, [], len(plan.lists[number]))


def renamed_objects(honest: HonestPlan) -> Iterator[object]:
    """Yield plans with a name replaced by an unknown one, everywhere or in a step."""
    plan = honest.plan
    for number, index in honest.places():
        step = plan.lists[number][index]
        for name in honest.random.sample(words(step), min(2, len(words(step)))):
            rename = partial(renamed, names={name: f"{name}x9"})
            yield plan.with_steps(number, index, [rename(step)])
            yield plan.mapped(rename)


def exchanged_objects(honest: HonestPlan) -> Iterator[object]:
    """Yield plans with two names exchanged, everywhere or in a step, first those that differ by a number."""
    plan, random = honest.plan, honest.random
    pairs = list(combinations(plan.names, 2))
    equal_pairs = [pair for pair in pairs if len({name.rstrip("0123456789") for name in pair}) == 1]
    for candidates in (equal_pairs, pairs):
        for first, second in random.sample(candidates, min(_PLACES, len(candidates))):
            exchange = partial(renamed, names={first: second, second: first})
            yield plan.mapped(exchange)
            number, index = random.choice(plan.places)
            yield plan.with_steps(number, index, [exchange(plan.lists[number][index])])


def steps_after_end(honest: HonestPlan) -> Iterator[object]:
    """Yield plans with further steps after the last one."""
    plan = honest.plan
    end = max((time for step in plan.steps for time in times(step)), default=Decimal(0))
    for number, index in honest.places():
        step = plan.lists[number][index]
        length = len(plan.lists[number])
        yield plan.with_steps(number, length, [step, step])
        for column in plan.columns:
            yield plan.with_steps(number, length, [retimed(step, lambda time: time + end, column)])


def empty_plans(honest: HonestPlan) -> Iterator[object]:
    """Yield plans without any step."""
    yield honest.plan.with_lists([[] for _ in honest.plan.lists])
    yield from ("", " ", "[]", "{}", "null", [], {}, [[]])


def negative_times(honest: HonestPlan) -> Iterator[object]:
    """Yield plans with negative times in a column."""
    for column in honest.plan.columns:
        yield from honest.in_column(column, lambda time: -time)
        yield from honest.in_column(column, lambda time: time - _DIVISOR)


def fractional_times(honest: HonestPlan) -> Iterator[object]:
    """Yield plans with times of a column half a unit earlier or later."""
    for column in honest.plan.columns:
        for shift in (_HALF, -_HALF):
            yield from honest.in_column(column, lambda time, shift=shift: time + shift)  # type: ignore[misc]


def plans_of_other_problems(honest: HonestPlan) -> Iterator[object]:
    """Yield honest plans of other problems."""
    yield from honest.others


def claims_of_success(honest: HonestPlan) -> Iterator[object]:
    """Yield claims of success instead of a plan, in its text, and in further fields of the submission."""
    text = honest.plan.text
    empty_text = honest.plan.with_lists([[] for _ in honest.plan.lists])
    (shortened, *_) = omitted_actions(honest)
    for plan in (text, empty_text, shortened):
        yield f"{plan}\n{CLAIM}"
        yield f"{CLAIM}\n{plan}"
        for value in (True, 1, 100):
            claims: dict[str, Any] = dict.fromkeys((*honest.metrics, "success", "makespan", "main_score"), value)
            yield {**claims, "plan": plan}
    yield CLAIM


#: All cheats, in the order of tables.
CHEATS: tuple[Cheat, ...] = (
    divided_times,
    changed_durations,
    overlaps,
    repeated_actions,
    omitted_actions,
    renamed_objects,
    exchanged_objects,
    steps_after_end,
    empty_plans,
    negative_times,
    fractional_times,
    plans_of_other_problems,
    claims_of_success,
)
