"""Choice of the plan in a text: retractions, alternatives, summaries, and truncated answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import cache

import pytest
from support.samples import sample

from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.statistics.summary import summarize
from planoracle.instances.benchmarks.kitchens.language import _Actions
from planoracle.instances.benchmarks.timearena.language import _Decisions
from planoracle.instances.benchmarks.timearena.problems import world
from planoracle.instances.files import catalog
from planoracle.instances.model_output.reading import read
from planoracle.instances.protocol import registry
from tests.support.answers import FORMS, RIGHT, WRONG, first_half, spoil
from tests.support.grades import grade_rows
from tests.support.plan_formats import PROBLEMS, optimal_steps
from tests.support.sentences import (
    CHOICES,
    EXAMPLES,
    HARMLESS,
    INTRODUCTIONS,
    NO_PLANS,
    OFFERS,
    OPEN,
    OWN_PLANS,
    RETRACTIONS,
    SUMMARIES,
)

GRADER = Grader(details=False)
BENCHMARKS = ("recipe2plan", "timearena", "robotouille", "asynctool")
#: Formats of the full table.
FOUR = ("numbered", "bullets", "fence", "json")
SHAPES = {**{name: (shape, False) for name, shape in WRONG.items()}, **{n: (s, True) for n, s in RIGHT.items()}}
KITCHENS = "robotouille/synchronous/"


@cache
def count_lines(name: str) -> tuple[str, ...]:
    return tuple(optimal_steps(name).texts)


@cache
def problems(benchmark: str, count: int) -> tuple[str, ...]:
    catalogue = registry.get(benchmark).catalog
    assert catalogue is not None
    names = (name for name in catalogue.names() if benchmark != "robotouille" or name.startswith(KITCHENS))
    return tuple(itertools.islice(names, count))


def outcomes(shape: str, names: Sequence[str], forms: Sequence[str]) -> dict[tuple[str, str], str | None]:
    """Return the reasons of wrong grades, by problem and format."""
    make, right = SHAPES[shape]
    wrong = {}
    for name, form in itertools.product(names, forms):
        steps = list(count_lines(name))
        text = make(*(FORMS[form](one) for one in (steps, spoil(steps), first_half(steps))))
        grade = GRADER.grade({"id": "x", "instance": name, "plan": text})
        if not grade.scored or grade.success is not right:
            wrong[name, form] = grade.reason or grade.violation
    return wrong


@pytest.mark.parametrize("shape", SHAPES)
def test_answer_shape_of_one_problem_of_each_benchmark_is_read(shape: str) -> None:
    forms = list(FORMS)
    start = list(SHAPES).index(shape)
    for number, benchmark in enumerate(BENCHMARKS):
        assert not outcomes(shape, [PROBLEMS[benchmark]], [forms[(start + number) % len(forms)]])


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_answer_shape_of_25_problems_of_each_benchmark_is_read_in_four_formats(shape: str) -> None:
    for benchmark in BENCHMARKS:
        assert not outcomes(shape, problems(benchmark, 25), FOUR)


# --- sentences -------------------------------------------------------------------------------------

GRAMMAR = _Decisions(world("timearena/household1"))
GOOD = ["activate kettle", "wash cup", "wash teapot", "pour kettle into teapot", "brew tea with teapot", "wait", "wait"]
GOOD += ["pour teapot into cup"]
BAD = spoil(GOOD)


def plan_read(text: str) -> str:
    reading = read(text, GRAMMAR)
    return {tuple(GOOD): "good", tuple(BAD): "bad"}.get(tuple(reading.commands), reading.fault or str(reading.commands))


#: Formats of plans beside the sentences; quick tests read the first one.
FORMATS = {**FORMS, "words": ", ".join}
in_each_format = pytest.mark.parametrize("name", sample(FORMATS))


def differing(
    name: str, sentences: Sequence[str], make: Callable[[str, str, str], str], expected: str
) -> dict[str, str]:
    """Return the sentences that are read otherwise than expected beside plans in a format."""
    good, bad = FORMATS[name](GOOD), FORMATS[name](BAD)
    read_as = {sentence: plan_read(make(good, bad, sentence)) for sentence in sentences}
    return {sentence: reading for sentence, reading in read_as.items() if reading != expected}


@in_each_format
def test_retraction_cancels_the_preceding_plan(name: str) -> None:
    assert not differing(name, RETRACTIONS, lambda good, bad, sentence: f"{good}\n\n{sentence}", "no_plan")


@in_each_format
def test_harmless_sentence_does_not_cancel_a_plan(name: str) -> None:
    assert not differing(name, HARMLESS, lambda good, bad, sentence: f"{good}\n\n{sentence}", "good")
    assert not differing(name, [*HARMLESS, *INTRODUCTIONS], lambda good, bad, sentence: f"{sentence}\n\n{good}", "good")


@in_each_format
def test_examples_drafts_and_invalid_plans_are_not_the_answer(name: str) -> None:
    assert not differing(
        name, NO_PLANS, lambda good, bad, sentence: f"{sentence}\n{good}\n\nI don't know how to go on.", "no_plan"
    )
    assert not differing(
        name, NO_PLANS, lambda good, bad, sentence: f"{sentence}\n{good}\n\nFinal answer:\n{bad}", "bad"
    )
    assert not differing(
        name, NO_PLANS, lambda good, bad, sentence: f"Final answer:\n{bad}\n\n{sentence}\n{good}", "bad"
    )


@in_each_format
def test_choice_or_correction_replaces_the_preceding_plan(name: str) -> None:
    assert not differing(name, CHOICES, lambda good, bad, sentence: f"{bad}\n\n{sentence}\n\n{good}", "good")
    assert not differing(name, CHOICES, lambda good, bad, sentence: f"{good}\n\n{sentence}\n\n{bad}", "bad")


@in_each_format
def test_several_plans_without_a_choice_are_ambiguous(name: str) -> None:
    for order in (
        lambda good, bad, sentence: f"{bad}\n\n{sentence}\n\n{good}",
        lambda good, bad, sentence: f"{good}\n{sentence}\n{bad}",
    ):
        assert not differing(name, OPEN, order, "ambiguous")


def offered(plan: Sequence[str], other: Sequence[str], words: str) -> set[str]:
    """Return how two plans with words before each are read, in all formats."""
    before, between = words.split(" | ")
    forms = (*FORMS.values(), ", ".join)
    return {plan_read(f"{before}\n{form(plan)}\n\n{between}\n{form(other)}") for form in forms}


@pytest.mark.parametrize("words", OFFERS)
def test_part_of_the_plan_that_is_offered_as_an_alternative_is_ambiguous(words: str) -> None:
    assert offered(GOOD, GOOD[:5], words) == {"ambiguous"}
    assert offered(GOOD, GOOD[2:6], words) == {"ambiguous"}
    assert offered(GOOD, GOOD, words) == {"good"}


@pytest.mark.parametrize("words", SUMMARIES)
def test_part_of_the_plan_that_is_called_a_summary_is_ignored(words: str) -> None:
    assert offered(GOOD, GOOD[:5], words) == {"good"}
    assert offered(GOOD, GOOD[2:6], words) == {"good"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("There are two ways. Plan A: {good} Plan B: {part}", "ambiguous"),
        ("There are two ways. Plan A is {good}; plan B is {part}.", "ambiguous"),
        ("Either {good} or {part}.", "ambiguous"),
        ("Plan A: {good}. Plan B: {part}. I choose plan A.", "good"),
        ("Plan A: {good}. Plan B: {part}. In the end I would go with plan A.", "good"),
    ],
)
def test_alternatives_within_a_line_are_separated(text: str, expected: str) -> None:
    assert plan_read(text.format(good=", ".join(GOOD), part=", ".join(GOOD[:5]))) == expected


@in_each_format
@pytest.mark.parametrize("mark", ["", "> "], ids=["plain", "quoted"])
@pytest.mark.parametrize("refusal", ["I cannot answer.", "Yours is different; I need more time.", "So I pass."])
def test_example_of_the_task_is_not_the_answer(mark: str, refusal: str, name: str) -> None:
    def text(good: str, bad: str, words: str) -> str:
        example = "\n".join(f"{mark}{line}" for line in good.split("\n"))
        return f"{words}\n{example}\n\n{refusal}"

    assert not differing(name, EXAMPLES, text, "no_plan")
    assert not differing(name, EXAMPLES, lambda good, bad, words: f"{words}\n{bad}\n\nMy plan:\n{good}", "good")
    assert not differing(name, OWN_PLANS, lambda good, bad, words: f"{words}\n{good}", "good")


# --- blocks ----------------------------------------------------------------------------------------


def kitchen(*items: int) -> str:
    return "\n".join(f"- Cut onion{item} on board1 using robot1" for item in items)


def test_block_with_few_repeated_steps_continues_the_plan() -> None:
    """Up to seven of ten repeated steps continue a plan; eight, or its beginning, repeat it."""
    grammar = _Actions(catalog.problem("robotouille/synchronous/3_burger"))

    def reading_of(first: Sequence[int], second: Sequence[int]) -> int | str:
        reading = read(f"Before noon\n{kitchen(*first)}\n\nAfter noon\n{kitchen(*second)}", grammar)
        return reading.fault or reading.read

    assert reading_of(range(1, 11), (20, 21, 22, 1, 2, 3, 4, 5, 6, 7)) == 20
    assert reading_of(range(1, 11), (20, 21, 1, 2, 3, 4, 5, 6, 7, 8)) == "ambiguous"
    assert reading_of(range(1, 11), (20, 21, 22, 1, 2, 3, 4, 5, 6, 7, 8)) == 21
    assert reading_of((1, 2, 3), (20, 1, 2, 3)) == 7
    assert reading_of((1, 2), (1, 2, 3, 4)) == "ambiguous"
    assert reading_of((1, 2, 3, 4, 5), (1, 2, 3, 20, 21)) == "ambiguous"
    assert reading_of((1, 2, 3, 4, 5), (1, 2, 20, 21, 22)) == 10
    assert reading_of((1, 1, 2, 2, 3, 3), (20, 1, 2, 3, 4)) == 11


def test_half_of_the_steps_repeat_a_plan_whose_steps_are_done_once() -> None:
    def reading_of(second: Sequence[str], first: Sequence[str] = GOOD[:4]) -> list[str] | str | None:
        reading = read("Morning\n" + "\n".join(first) + "\n\nEvening\n" + "\n".join(second), GRAMMAR)
        return reading.fault or reading.commands

    new = [GOOD[4], GOOD[7]]
    assert reading_of([*new, GOOD[2]]) == [*GOOD[:4], *new, GOOD[2]]
    assert reading_of([*new, GOOD[2], GOOD[1]]) == "ambiguous"
    twice = [*GOOD[:4], GOOD[0]]
    assert reading_of([*new, GOOD[2], GOOD[1]], twice) == [*twice, *new, GOOD[2], GOOD[1]]


def test_message_of_a_chat_is_read_without_the_remarks_of_others() -> None:
    def reading_of(*messages: str) -> list[str] | str | None:
        reading = read([{"role": "assistant", "content": text} for text in messages], GRAMMAR)
        return reading.fault or reading.commands

    assert reading_of("This is only an example:", "\n".join(GOOD)) == GOOD
    assert reading_of("wash cup", "wash teapot\n\nThat is wrong.", "activate kettle") == ["wash cup", "activate kettle"]


@pytest.mark.parametrize(("first", "last", "fault"), [("<think>", "", ""), ("", "<think>", "cut_off")])
def test_chat_is_cut_off_if_its_last_message_is_an_unfinished_thought(first: str, last: str, fault: str) -> None:
    texts = f"{first}wash cup", f"{last}wash teapot"
    assert read([{"role": "assistant", "content": text} for text in texts], GRAMMAR).fault == fault


def test_retraction_of_a_later_message_cancels_whole_plans_but_no_turns() -> None:
    def reading_of(*messages: str) -> list[str]:
        return read([{"role": "assistant", "content": text} for text in messages], GRAMMAR).commands

    retraction = "That is wrong.\n\nactivate kettle"
    assert reading_of("1. wash cup\n2. wait", retraction) == ["activate kettle"]
    assert reading_of("1. wash cup", retraction) == ["wash cup", "activate kettle"]


@pytest.mark.parametrize("words", ["Alternatively:", "A better plan:"])
def test_alternatives_to_a_final_answer_are_ignored(words: str) -> None:
    plan, part, end = (FORMS["numbered"](steps) for steps in (GOOD, GOOD[:3], GOOD[3:]))
    assert plan_read(f"Final answer:\n{plan}\n\n{words}\n{part}") == "good"
    assert read(f"Final answer:\n{part}\n\n{words}\n{end}", GRAMMAR).commands == GOOD[:3]


def test_chosen_label_is_that_of_the_first_plan_with_it() -> None:
    plan, other, part = (FORMS["numbered"](steps) for steps in (GOOD, BAD, GOOD[:3]))
    assert plan_read(f"Plan A:\n{plan}\n\nPlan B:\n{other}\n\nPlan A:\n{part}\n\nI choose plan A.") == "good"


def test_offered_part_of_a_plan_stays_ambiguous_if_the_plan_follows() -> None:
    plan, part = FORMS["numbered"](GOOD), FORMS["numbered"](GOOD[:3])
    assert plan_read(f"{plan}\n\nAlternatively:\n{part}\n\nAlternatively:\n{plan}") == "ambiguous"


def test_summary_with_a_step_more_than_the_plan_is_no_summary() -> None:
    plan = ["wash cup", "activate kettle", "wash teapot"]
    twice = ["wash cup", "wash cup"]
    for steps, expected in ((plan[1:], plan), (twice, [*plan, *twice])):
        text = f"{FORMS['numbered'](plan)}\n\nSummary:\n{FORMS['numbered'](steps)}"
        assert read(text, GRAMMAR).commands == expected


def test_summary_is_ignored_unless_announced_as_final() -> None:
    plan, short = FORMS["numbered"](GOOD), FORMS["numbered"](GOOD[1:4])
    assert read(f"{plan}\n\nThen look:\n{short}", GRAMMAR).commands == GOOD
    assert read(f"{plan}\n\nFinal answer:\n{short}", GRAMMAR).commands == GOOD[1:4]


@pytest.mark.slow
def test_reading_time_is_linear_in_the_number_of_blocks() -> None:
    from tests.support.line_counter import count_lines as work

    few, many = (work(lambda n=n: read("- wash cup\n- wait\n- dance\n\nso\n\n" * n, GRAMMAR)) for n in (200, 800))  # type: ignore[misc]
    assert many < 5 * few + 2_000


#: Announcements of a plan and their weights.
ANNOUNCEMENTS = {"Next:": 0, "Plan:": 1, "Final answer:": 2}


@pytest.mark.parametrize(("first", "second"), [*itertools.product(ANNOUNCEMENTS, repeat=2)])
def test_weights_of_announcements_choose_between_two_blocks(first: str, second: str) -> None:
    """A heavier or final one wins; of two weak ones the later wins unless it repeats the plan."""
    plan, new = GOOD[:4], GOOD[4:]
    part, repetition = plan[1:3], plan[::-1]
    first_weight, second_weight = ANNOUNCEMENTS[first], ANNOUNCEMENTS[second]

    def second_as(block: list[str]) -> list[str] | str | None:
        reading = read(f"{first}\n" + "\n".join(plan) + f"\n\n{second}\n" + "\n".join(block), GRAMMAR)
        return reading.fault or reading.commands

    readings = [second_as(block) for block in (part, repetition, new)]
    if second_weight == 2 or second_weight > first_weight:
        assert readings == [part, repetition, new]
        return
    is_replaced = first_weight == second_weight == 1
    assert readings == [plan, plan if first_weight == 2 else "ambiguous", new if is_replaced else plan + new]


# --- cut off ---------------------------------------------------------------------------------------

TEA = "timearena/household1"


@pytest.mark.parametrize(
    "fields",
    [
        {"plan": "\n".join(GOOD), "finish_reason": "length"},
        {"plan": "\n".join(GOOD), "stop_reason": "max_tokens"},
        {
            "plan": {
                "choices": [{"message": {"role": "assistant", "content": "\n".join(GOOD)}, "finish_reason": "length"}]
            }
        },
        {"plan": [{"role": "assistant", "content": "<think>\n" + "\n".join(GOOD)}]},
    ],
)
def test_truncated_answer_fails(fields: dict[str, object]) -> None:
    grade = GRADER.grade({"id": "x", "instance": TEA, **fields})
    assert (grade.scored, grade.success, grade.violation, grade.read) == (True, False, "cut_off", 0)


def test_complete_answer_is_graded() -> None:
    assert GRADER.grade({"id": "x", "instance": TEA, "plan": "\n".join(GOOD), "finish_reason": "stop"}).success


def test_ambiguous_and_truncated_answers_count_as_failures() -> None:
    plan = FORMS["numbered"](GOOD)
    texts = [
        plan,
        f"<think>{plan}",
        f"<think>\n{plan}\n",
        f"Plan A:\n{plan}\n\nPlan B:\n{FORMS['numbered'](BAD)}",
        "No.",
    ]
    grades = [
        GRADER.grade({"id": str(number), "instance": TEA, "model": "m", "sample": number, "plan": text})
        for number, text in enumerate(texts)
    ]
    (row,) = summarize(grade_rows(grades)).sets
    assert (row["unscored"], row["succeeded"], row["failed"], row["success"]) == (0, 1, 4, 0.2)
    assert [grade.violation for grade in grades] == [None, "cut_off", "cut_off", "ambiguous", "no_plan"]


def test_refusal_fails_although_the_initial_state_meets_the_goal() -> None:
    name = PROBLEMS["robotouille"]
    run = registry.get("robotouille").run(catalog.problem(name), {"plan": "I give up."})
    assert (run.verdict.success, run.verdict.fatal and run.verdict.fatal.kind) == (False, "no_plan")
