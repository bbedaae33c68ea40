"""Answers in JSON: times with units in keys and fields, and answers without a readable time."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from planoracle.analysis.grading.grader import Grade, Grader
from planoracle.analysis.grading.rule_options import profiles

GRADER = Grader(details=False)

#: Ways to submit a JSON value; the answer is the same in all of them.
WRAPPINGS: dict[str, Callable[[object], object]] = {
    "value": lambda value: value,
    "text": json.dumps,
    "indented": lambda value: json.dumps(value, indent=2),
    "fence": lambda value: f"Here it is:\n```json\n{json.dumps(value, indent=1)}\n```\nDone.",
    "prose": lambda value: f"So the answer is {json.dumps(value)}. I hope this helps.",
    "tags": lambda value: f"<think>maybe 90 min</think>\n<answer>\n{json.dumps(value)}\n</answer>",
    "chat": lambda value: [{"role": "user", "content": "90 min?"}, {"role": "assistant", "content": json.dumps(value)}],
    "text of a text": lambda value: json.dumps(json.dumps(value)),
    "Python": repr,
}

#: Answers to async/2, whose right time is 6000 seconds.
RIGHT: list[object] = [
    {"total_time_seconds": 6000},
    {"totalTimeSeconds": 6000.0},
    {"total-time-min": "100"},
    {"Shortest time (s)": "6,000"},
    {"minutes": 100},
    {"answer": 100, "unit": "minutes"},
    {"answer": 6000, "answer_unit": "s", "confidence": 0.9},
    {"time": {"value": 100, "unit": "min"}},
    {"unit": "seconds", "steps": {"step1": 1800, "step2": 600}, "total": 6000},
    {"seconds": {"total": 6000}},
    {"result": [{"makespan": {"amount": 100, "units": "mins"}}]},
    {"answer": {"hours": 1, "minutes": 40, "seconds": 0}},
    {"total_minutes": 100, "total_hours": 1.67},
    {"answer": "1 hour 40 minutes"},
    {"shortest_time": "PT1H40M"},
    {"shortest_time": "01:40:00"},
    {"total_minutes": "about 100"},
    {"answer": '{"total_seconds": 6000}'},
    {"actions": [{"id": "step1", "duration": 1800}], "final_answer_seconds": 6000},
    {"step_durations_minutes": [30, 30, 10], "total_minutes": 100},
    {"sequential_minutes": 130, "minutes": 100},
    {"reasoning": "30 min + 30 min, 130 min one by one", "answer": "100 min"},
    {"final_answer_seconds": None, "total_minutes": 100},
    {"total_seconds": 5400, "final_answer_seconds": 6000},
    [{"total_seconds": 6000}],
]

#: Wrong answers, with the cause and the seconds that were read.
WRONG: list[tuple[object, str, list[int]]] = [
    ({"total_seconds": 5400}, "too short", [5400, 5400]),
    ({"answer": "90 min"}, "too short", [5400, 5400]),
    ({"duration_hours": 1.5}, "too short", [5400, 5400]),
    ({"total_hours": 2}, "too long", [7200, 7200]),
    ({"total_seconds": 0}, "too short", [0, 0]),
    ({"total_seconds": None}, "no time", [0, 0]),
    ({"total_seconds": -6000}, "no time", [0, 0]),
    ({"answer": "I cannot answer."}, "no time", [0, 0]),
    ({"answer": None, "reasoning": "perhaps 100 min"}, "no time", [0, 0]),
    ({"answer": "unknown", "steps": [{"minutes": 100}]}, "no time", [0, 0]),
    ({"actions": [{"id": "step1", "duration": 1800}], "dependencies": []}, "no time", [0, 0]),
    ({}, "no time", [0, 0]),
]

AMBIGUOUS: list[object] = [
    {"path_a_minutes": 90, "path_b_minutes": 100},
    {"min_minutes": 90, "max_minutes": 100},
    {"answer": {"low": 90, "high": 100, "unit": "min"}},
    {"total_minutes": [90, 100]},
    {"total_minutes": "90-100"},
    {"answer": "90 to 100 minutes"},
    {"total_hours": 2, "total_minutes": 100},
    {"durations_minutes": [30, 100]},
]

UNREADABLE: list[tuple[object, str]] = [
    ({"answer": 6000}, 'the number of "answer" has no unit'),
    ({"total": "6000"}, 'the number of "total" has no unit'),
    ({"min_time": 100}, 'the number of "min_time" has no unit'),
    ({"time": 100, "unit": "ticks"}, 'the number of "time" has the unknown unit "ticks"'),
    ({"total_seconds": 100, "unit": "minutes"}, 'the number of "total_seconds" has the unknown unit "sec, min"'),
    ({"total_time": "1:40"}, 'the text of "total_time" is no time: "1:40"'),
    ({"answer": 6000, "actions": [{"duration_minutes": 30}]}, 'the number of "answer" has no unit'),
    (
        {"plan": [{"step": 1, "start": 0, "duration": 30}, {"step": 2, "start": 0, "duration": 30}]},
        "the list is neither a time nor a schedule of actions",
    ),
]


def graded(answer: object, field: str = "response", profile: str = "paper") -> Grade:
    grader = GRADER if profile == "paper" else Grader(profiles(profile), details=False)
    return grader.grade({"id": "x", "instance": "asynchow/async/2", field: answer})


def outcome(answer: object, field: str = "response") -> tuple[str | None, object]:
    grade = graded(answer, field)
    return grade.failure_cause, grade.metrics.get("parsed")


def name_of(value: object) -> str:
    return json.dumps(value)[:60]


@pytest.mark.parametrize("value", RIGHT, ids=name_of)
def test_number_with_a_unit_in_json_is_a_time_in_every_wrapping(value: object) -> None:
    for wrapping, wrap in WRAPPINGS.items():
        assert outcome(wrap(value)) == (None, [6000, 6000]), wrapping
        assert outcome(wrap(value), "plan") == (None, [6000, 6000]), wrapping


@pytest.mark.parametrize(("value", "cause", "parsed"), WRONG, ids=name_of)
def test_wrong_answer_in_json_has_the_time_that_was_read(value: object, cause: str, parsed: list[int]) -> None:
    for wrapping, wrap in WRAPPINGS.items():
        assert outcome(wrap(value)) == (cause, parsed), wrapping


@pytest.mark.parametrize("value", AMBIGUOUS, ids=name_of)
def test_different_times_of_equal_weight_in_json_are_ambiguous(value: object) -> None:
    assert {outcome(wrap(value))[0] for wrap in WRAPPINGS.values()} == {"ambiguous"}


@pytest.mark.parametrize(("value", "reason"), UNREADABLE, ids=name_of)
def test_unreadable_number_in_json_is_unscored(value: object, reason: str) -> None:
    for wrap in WRAPPINGS.values():
        grade = graded(wrap(value))
        assert not grade.scored
        assert str(grade.reason).startswith(f"answer: {reason}; accepted are a number with a unit")


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("total_seconds: 6000", None),
        ("**Total time (minutes):** 100", None),
        ("Final answer (in seconds): 6000", None),
        ("The final answer in seconds is 6000.", None),
        ("<total_seconds>6000</total_seconds>", None),
        ("{total_seconds: 6000}", None),
        ("| Item | Time (min) |\n|---|---|\n| Step 1 | 30 |\n| Total | 100 |", None),
        ("Step 1 takes 30 min.\nFinal answer: 6000", "not scored"),
        ("The answer is 6000.", "not scored"),
        ("6000", "not scored"),
        ("\\boxed{6000}", "not scored"),
        ('{"actions": [{"id": "a", "duration_minutes": 30}, {"id": ', "not scored"),
        ('{"steps": [{"minutes": 30:}], "total_minutes": 100}', "not scored"),
        ('The form is {"total_seconds": <number>}.\n\n{"total_seconds": 6000}', None),
        ('{"total_seconds": 6000}\n\nWait, that is wrong.', "nothing read"),
        ('For example, {"total_seconds": 6000} would be an answer. I do not know.', "nothing read"),
        ('In the example you gave, the answer was:\n> {"total_seconds": 6000}\n\nI cannot answer.', "nothing read"),
        ('Option 1: {"total_seconds": 6000}\nOption 2: {"total_seconds": 5400}', "ambiguous"),
        ('{"total_seconds": 5400}. That is too short, so {"total_seconds": 6000}', None),
        ('"90 to 100 min"', "ambiguous"),
        ("It takes 90-100 min.", "ambiguous"),
        ("It takes 1:40 hours.", None),
        ("I cannot answer this.", "no time"),
        ("The order is 1, 2 and 3.", "no time"),
        ('"soon"', "no time"),
        ("[]", "no time"),
    ],
)
def test_text_without_a_readable_time_is_no_answer_or_unscored(text: str, cause: str | None) -> None:
    assert outcome(text)[0] == outcome(text, "plan")[0] == cause


def test_released_profile_reads_times_in_double_quotes_only() -> None:
    grade = graded('{"total_seconds": 6000}', profile="released")
    assert (grade.failure_cause, grade.metrics["parsed"]) == ("no time", [0, 0])
    assert graded('"90 min"', profile="released").metrics["parsed"] == [0, 0]


@pytest.mark.slow
def test_recorded_answers_in_json_are_read(shared: Path) -> None:
    """Grade the answers of two models as counted with the right intervals; one answer is no JSON."""
    path = shared / "benchmarks" / "asyncplanning" / "answers_asynchow.jsonl.gz"
    causes: Counter[str | None] = Counter()
    for number, line in enumerate(gzip.decompress(path.read_bytes()).decode().splitlines()):
        row = json.loads(line)
        grade = GRADER.grade({"id": str(number), "instance": row["task"], "response": row["response"]})
        causes[grade.failure_cause] += 1
        if grade.scored:
            assert grade.metrics["parsed"] == [row["pred_seconds"]] * 2
    assert causes == {None: 607, "too long": 22, "too short": 10, "not scored": 1}


@pytest.mark.parametrize(
    "answer",
    [
        *("The answer is **100** minutes.", "100 **minutes**", "`100` min", "$100$ minutes"),
        *(r"\boxed{100 \text{ minutes}}", r"$\boxed{100\ \mathrm{min}}$"),
    ],
)
def test_time_is_read_through_marks_around_its_number(answer: str) -> None:
    assert outcome(answer) == (None, [6000, 6000])


@pytest.mark.parametrize(
    "answer", ["100 (minutes)", "Answer: 100 [min]", "It takes one hundred minutes.", "Half an hour."]
)
def test_time_in_a_form_that_is_not_read_is_unscored(answer: str) -> None:
    grade = graded(answer)
    assert not grade.scored
    assert "the time has a form that is not read; accepted are" in str(grade.reason)
