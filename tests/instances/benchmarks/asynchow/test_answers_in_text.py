"""Answers in words: selection of one time among several, and answers without a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

import pytest
from support.samples import sample

from planoracle.analysis.grading.grader import Grader
from planoracle.instances.benchmarks.asynchow.answers import answer_in
from planoracle.instances.benchmarks.asynchow.problems import load, right_answer
from planoracle.instances.benchmarks.asynchow.rules import PROFILES
from planoracle.instances.errors import PlanError
from planoracle.instances.protocol import registry

GRADER = Grader(details=False)
UNITS = {"day": 86_400, "hour": 3_600, "min": 60, "sec": 1}

#: Shapes of (right time, wrong time) that must not succeed, and that must.
WRONG: dict[str, Callable[[str, str], str]] = {
    "example": lambda g, w: f'For example, "{g}" would be an answer. I do not know.',
    "example2": lambda g, w: f'An answer looks like this: "{g}".',
    "example3": lambda g, w: f'Example: "{g}"\nI cannot work it out.',
    "or": lambda g, w: f"It takes {w} or {g}.",
    "or2": lambda g, w: f'"{g}" or "{w}"',
    "or3": lambda g, w: f'The answer is "{w} or {g}".',
    "either": lambda g, w: f"Either {g} or {w}.",
    "maybe": lambda g, w: f"It takes {w}. It could also be {g}.",
    "alt": lambda g, w: f'The time is "{w}". Alternatively, "{g}".',
    "orline": lambda g, w: f'"{g}"\nor\n"{w}"',
    "cut": lambda g, w: f"It takes {g}. Wait, that is wrong",
    "cut2": lambda g, w: f'The shortest possible time is "{g}". No, that is wrong.',
    "retract": lambda g, w: f'The answer is "{g}". Scratch that, I do not know.',
    "retract3": lambda g, w: f'It takes "{g}". That is not correct. It takes "{w}".',
    "final": lambda g, w: f'First I got "{g}".\nFinal answer: "{w}"',
    "final2": lambda g, w: f"Final answer: {w}\nNotes (first draft): {g}",
    "final3": lambda g, w: f'Final answer: "{w}". A draft was "{g}".',
    "two": lambda g, w: f'The time is "{g}", and then again it is "{w}".',
    "quote": lambda g, w: f'> "{g}"\n\nI do not know.',
    "think": lambda g, w: f'<think>So it is "{g}".',
    "slash": lambda g, w: f'"{w}" / "{g}"',
    "final first": lambda g, w: f'The final answer is "{w}". Another answer would be "{g}".',
    "between": lambda g, w: f"It takes between {w} and {g}.",
}
RIGHT: dict[str, Callable[[str, str], str]] = {
    "plain": lambda g, w: f'The shortest possible time is "{g}".',
    "bare": lambda g, w: f"It takes {g}.",
    "retract": lambda g, w: f"It takes {w}. Wait, that is wrong. It takes {g}.",
    "retract2": lambda g, w: f'It takes "{w}". No, that is incorrect: it takes "{g}".',
    "final": lambda g, w: f"Step 1 takes {w}. Final answer: {g}",
    "final2": lambda g, w: f'We add "{w}" and so on. The final answer is "{g}".',
    "final3": lambda g, w: f'**Final Answer:** "{g}"',
    "final4": lambda g, w: f'Final answer: "{g}" (not "{w}")',
    "final5": lambda g, w: f"So, final answer: {g}. I checked it, nothing is wrong.",
    "steps": lambda g, w: f"Step 1 takes {w}. Step 2 takes 3 min or so. In total that is {g}.",
    "think": lambda g, w: f'<think>{w}? That is wrong.</think>The answer is "{g}".',
    "boxed": lambda g, w: f"\\boxed{{{g}}}",
    "example": lambda g, w: (
        f'For example, "{w}" would be wrong, since steps can be done in parallel. So it takes "{g}".'
    ),
    "list": lambda g, w: f"1. First step: {w}\n2. Second step: 2 min\n\nThe shortest time is {g}.",
    "json": lambda g, w: json.dumps({"reasoning": "x", "answer": g}),
    "instead": lambda g, w: f'Instead of "{w}", as one might think, it takes "{g}".',
    "behind": lambda g, w: f'"{g}"\n\nThis is the longest path, nothing takes longer.',
    "behind2": lambda g, w: f'The answer is "{g}". Doing all one after the other would take {w}.',
    "therefore": lambda g, w: f"If we waited it would be wrong, {w}.\nTherefore: {g}",
}


@cache
def names(count: int) -> tuple[str, ...]:
    catalog = registry.get("asynchow").catalog
    assert catalog is not None
    return tuple(catalog.names()[: 7 * count : 7])


def times(name: str) -> tuple[str, str]:
    """Return the right answer of a problem, and a wrong one."""
    seconds, parts = int(right_answer(load(name), PROFILES["paper"])[0]), []
    wrong = f"{3 * (seconds // 60) + 7} min"
    for unit, length in UNITS.items():
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts), wrong


def passed(shape: Callable[[str, str], str], count: int) -> int:
    rows = ({"id": "x", "instance": name, "answer": shape(*times(name))} for name in names(count))
    grades = [GRADER.grade(row) for row in rows]
    assert all(grade.scored for grade in grades)
    return sum(grade.success is True for grade in grades)


@pytest.mark.parametrize("shape", sample(WRONG))
def test_hedged_and_retracted_answers_fail(shape: str) -> None:
    assert passed(WRONG[shape], 8) == 0


@pytest.mark.parametrize("shape", sample(RIGHT))
def test_right_answers_in_text_succeed(shape: str) -> None:
    assert passed(RIGHT[shape], 8) == 8


def test_announced_time_takes_precedence_over_later_ones() -> None:
    answer = ('"1 hour"', "time after 'Final answer:'", "")
    assert answer_in('It takes "10 min". Final answer: 1 hour. Or "2 hours".') == answer


def test_time_in_a_quoted_line_is_no_answer() -> None:
    assert answer_in("It takes 2 hours.\n> The shortest possible time is 3 hours.") == ('"2 hour"', "last time", "")


def test_refusal_names_the_line_of_an_incomplete_object() -> None:
    with pytest.raises(PlanError, match=r"begins in line 2 is not complete"):
        answer_in('The answer is\n{"total_minutes": 85\n,\n')


def test_alternative_is_ambiguous_only_if_its_time_differs() -> None:
    assert answer_in("It takes 2 days. Alternatively, it takes 48 hours.")[2] == ""
    assert answer_in("It takes 2 days. Alternatively, it takes 3 days.")[2] == "ambiguous"
