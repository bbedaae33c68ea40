"""Plans derived from an honest one that must gain nothing by the rules of any benchmark.

The docstring of a cheat, without the verb, names its plans in the contract suite and on the page of cheats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, partial
from itertools import chain, combinations
from random import Random
from typing import Any, TypeAlias

from planoracle.analysis.contract.plan_steps import Change, PlanSteps, renamed, retimed, times, words

#: Sentence that claims a success.
CLAIM = "success: true, makespan 1, score 100. All goals are reached; the plan is optimal."

# Places of a plan that are changed one at a time, and names that are changed.
_DRAWN = 4
_DIVISOR = 1000
_HALF = Decimal("0.5")
# Fields of submissions that claim a result, beside the metrics of the benchmark.
_CLAIMED = ("success", "scored", "makespan", "main_score")

#: Function that returns other steps, from a list of steps and the index of one among them.
Edit: TypeAlias = Callable[[list[str], int], list[str]]


@dataclass(frozen=True)
class HonestPlan:
    """An honest plan, and what cheats need beside it.

    Attributes
    ----------
    plan
        The honest plan.
    foreign_plans
        Function that returns honest plans of other problems of the benchmark.
    metrics
        Names of the metrics of the benchmark.
    random
        Source of random places and names.
    """

    plan: PlanSteps
    foreign_plans: Callable[[], Sequence[str]]
    metrics: Sequence[str]
    random: Random

    @cached_property
    def columns(self) -> range:
        """Positions of times in steps, such as start and duration."""
        return range(max((len(times(step)) for step in self.plan.steps), default=0))

    @cached_property
    def names(self) -> list[str]:
        """Words of the plan that may name something."""
        return words(" ".join(self.plan.steps))

    @cached_property
    def without_steps(self) -> str:
        """The plan with empty lists of steps."""
        return self.plan.with_lists([[] for _ in self.plan.lists])

    def draw(self, values: Sequence[Any]) -> list[Any]:
        """Return some values at random."""
        return self.random.sample(values, min(_DRAWN, len(values)))

    def edited(self, *edits: Edit) -> Iterator[str]:
        """Yield the plan with each edit, at the last and some other steps of each list."""
        for number, steps in enumerate(self.plan.lists):
            places = range(len(steps))
            for index in {*places[-1:], *self.draw(places)}:
                for edit in edits:
                    yield self.plan.with_list(number, edit(steps, index))

    def changed(self, change: Callable[[str], str]) -> Iterator[str]:
        """Yield the plan with all steps changed, and with some steps changed one at a time."""

        def edit(steps: list[str], index: int) -> list[str]:
            return replaced(steps, index, change(steps[index]))

        yield self.plan.mapped(change)
        yield from self.edited(edit)

    def retimed(self, *changes: Change) -> Iterator[str]:
        """Yield the plan with each change of all times, or of those of one column."""
        for change in changes:
            yield self.plan.mapped(partial(retimed, change=change))
            for column in self.columns:
                yield from self.changed(partial(retimed, change=change, column=column))


def replaced(steps: list[str], index: int, *new: str) -> list[str]:
    """Return steps with others in the place of one."""
    return [*steps[:index], *new, *steps[index + 1 :]]


#: Function that yields the plans of a cheat.
Cheat: TypeAlias = Callable[[HonestPlan], Iterator[object]]


def divided_times(honest: HonestPlan) -> Iterator[object]:
    """Yield plans with times divided by 1,000."""
    return honest.retimed(lambda time: time / _DIVISOR, lambda time: time // _DIVISOR)


def changed_durations(honest: HonestPlan) -> Iterator[object]:
    """Yield plans with halved, doubled or zero durations or other times."""
    return honest.retimed(lambda time: time // 2, lambda time: time * 2, lambda time: time * 0)


def overlaps(honest: HonestPlan) -> Iterator[object]:
    """Yield plans whose steps start together."""
    for column in honest.columns:
        yield honest.plan.mapped(partial(retimed, change=lambda time: time * 0, column=column))
        for share in (1, 2, 4):
            yield from honest.edited(partial(_closer, column=column, share=share))


def _closer(steps: list[str], index: int, column: int, share: int) -> list[str]:
    """Return steps of which one has a time closer to that of the step before by a share of the difference."""
    before = times(steps[index - 1])[column : column + 1]
    step = retimed(steps[index], lambda time: time - (time - max(before, default=time)) // share, column)
    return replaced(steps, index, step)


def repeated_actions(honest: HonestPlan) -> Iterator[object]:
    """Yield plans with repeated steps, also in the place of others or with a time of 0."""
    yield from honest.edited(_with_copy, _with_copy_instead, lambda steps, index: steps * 2)
    for column in honest.columns:
        yield from honest.edited(partial(_with_zero_copy, column=column))


def _with_copy(steps: list[str], index: int) -> list[str]:
    return replaced(steps, index, steps[index], steps[index])


def _with_copy_instead(steps: list[str], index: int) -> list[str]:
    return replaced(steps, index, steps[index - 1])


def _with_zero_copy(steps: list[str], index: int, column: int) -> list[str]:
    copy = retimed(steps[index], lambda time: time * 0, column)
    return replaced(steps, index, steps[index], copy)


def omitted_actions(honest: HonestPlan) -> Iterator[object]:
    """Yield plans without some of their steps."""
    return honest.edited(replaced, lambda steps, index: steps[:index])


def renamed_objects(honest: HonestPlan) -> Iterator[object]:
    """Yield plans with unknown names."""
    for name in honest.draw(honest.names):
        yield from honest.changed(partial(renamed, names={name: f"{name}x9"}))


def exchanged_objects(honest: HonestPlan) -> Iterator[object]:
    """Yield plans with exchanged names, such as those of equal objects."""
    pairs = list(combinations(honest.names, 2))
    similar_pairs = [pair for pair in pairs if len({name.rstrip("0123456789") for name in pair}) == 1]
    for first, second in honest.draw(similar_pairs) + honest.draw(pairs):
        yield from honest.changed(partial(renamed, names={first: second, second: first}))


def steps_after_end(honest: HonestPlan) -> Iterator[object]:
    """Yield plans with further steps after the last one."""
    end = max(chain.from_iterable(map(times, honest.plan.steps)), default=Decimal(0))
    yield from honest.edited(lambda steps, index: [*steps, steps[index]])
    late = partial(retimed, change=lambda time: time + end, column=0)
    yield from honest.edited(lambda steps, index: [*steps, late(steps[index])])


def empty_plans(honest: HonestPlan) -> Iterator[object]:
    """Yield plans without any step."""
    yield from (honest.without_steps, "", " ", "[]", "{}", "null", [], {}, [[]])


def negative_times(honest: HonestPlan) -> Iterator[object]:
    """Yield plans with negative times."""
    return honest.retimed(lambda time: -time, lambda time: time - _DIVISOR)


def fractional_times(honest: HonestPlan) -> Iterator[object]:
    """Yield plans with times half a unit earlier or later."""
    return honest.retimed(lambda time: time + _HALF, lambda time: time - _HALF)


def plans_of_other_problems(honest: HonestPlan) -> Iterator[object]:
    """Yield honest plans of other problems."""
    yield from honest.foreign_plans()


def claims_of_success(honest: HonestPlan) -> Iterator[object]:
    """Yield claims of success in the text or in further fields of a submission."""
    yield CLAIM
    for plan in (honest.plan.text, honest.without_steps, *honest.edited(lambda steps, index: steps[:index])):
        yield f"{plan}\n{CLAIM}"
        yield f"{CLAIM}\n{plan}"
        for value in (True, 1, 100):
            yield {**dict.fromkeys((*_CLAIMED, *honest.metrics), value), "plan": plan}


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
