"""AsyncPlan-XXL: recorded and made answers get the verdicts of independent graders."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from support.samples import sample

import planoracle
from planoracle.analysis.grading.grader import Grade, Grader
from planoracle.analysis.grading.rule_options import profiles
from planoracle.instances.benchmarks.asyncplanning.problems import load, names
from planoracle.instances.benchmarks.asyncplanning.rules import PROFILES
from planoracle.instances.protocol import registry

BENCHMARK = registry.get("asyncplanning")
#: Profiles of planoracle by the fields of the verdict files, with the fields of their optima.
VERDICTS = {"released": ("released", "loose"), "exact": ("paper", "exact")}
#: Wrong released answers: released, right.
WRONG_ANSWERS = {
    "5/9": (345600, 173700),
    "40/12": (89910, 6750),
    "50/47": (320202120, 4860120),
    "70/30": (347040, 216180),
    "70/41": (2510755, 179100),
    "90/32": (1579402800, 3212400),
    "90/50": (14940, 16740),
}


def lines(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def texts(shared: Path) -> dict[tuple[str, str], object]:
    rows = lines(shared / "benchmarks" / "asyncplanning" / "answers_xxl.jsonl.gz")
    return {(row["task"], row["model"]): row["response"] for row in rows}


def differences(row: dict[str, Any], plan: object) -> list[str]:
    """Return the values in which our verdicts on a plan differ from those of a row."""
    messages = []
    problem = load(row["task"])
    for field, (profile, optimum) in VERDICTS.items():
        expected = row[field]
        run = BENCHMARK.run(problem, {"plan": plan}, PROFILES[profile])
        violation = run.verdict.fatal
        actual = {"success": run.success, "violation": None if violation is None else violation.kind}
        actual["makespan"] = None if run.seconds is None else pytest.approx(float(run.seconds))
        shortest = BENCHMARK.formula_optimum(run.problem) * run.problem.seconds_per_tick
        if actual != expected or shortest != row["optimum"][optimum]:
            messages.append(f"{row['id']} {field}: {actual} {shortest}, not {expected} {row['optimum']}")
    return messages


@pytest.mark.parametrize("step", sample([4, 1]))
@pytest.mark.parametrize(("file", "count"), [("xxl", 886), ("xxl_schedules", 290)])
def test_answers_get_the_verdicts_of_independent_graders(
    shared: Path, texts: dict[tuple[str, str], object], file: str, count: int, step: int
) -> None:
    rows = lines(shared / "verdicts" / "asyncplanning" / f"{file}.jsonl")
    messages = []
    for row in rows[::step]:
        plan = texts[row["task"], row["model"]] if row["plan"] is None else row["plan"]
        messages += differences(row, plan)
    assert len(rows) == count
    assert not messages


def test_recorded_answers_are_graded_as_the_repository_graded_them(shared: Path) -> None:
    rows = lines(shared / "benchmarks" / "asyncplanning" / "answers_xxl.jsonl.gz")
    wrong = []
    for row in rows:
        run = BENCHMARK.run(load(row["task"]), row, PROFILES["released"])
        if run.success != row["correct"] or run.seconds != row["pred_seconds"]:
            wrong.append((row["task"], row["model"]))
    assert not wrong


@pytest.mark.parametrize("step", sample([8, 1]))
def test_file_of_recorded_answers_is_graded_as_it_is(shared: Path, tmp_path: Path, step: int) -> None:
    recorded = lines(shared / "benchmarks" / "asyncplanning" / "answers_xxl.jsonl.gz")[::step]
    path = tmp_path / "answers.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, recorded)).encode()))
    rows = lines(shared / "verdicts" / "asyncplanning" / "xxl.jsonl")
    verdicts = {(row["model"], row["task"]): row["exact"]["success"] for row in rows if row["kind"] == "recorded"}
    right = {(row["model"], row["task"]): verdicts[row["model"], row["task"]] for row in recorded}
    frame = planoracle.grade(str(path)).to_frame()
    assert frame["scored"].all()
    graded = dict(zip(zip(frame["model"], frame["instance"], strict=True), frame["success"], strict=True))
    assert graded == right
    assert frame["recorded"].tolist() == [row["correct"] for row in recorded]


def test_optima_are_the_released_answers_but_for_seven() -> None:
    wrong = {}
    for name in names():
        if "/xxl/" not in name:
            continue
        problem = load(name)
        released = BENCHMARK.under(problem, PROFILES["released"])
        answer = problem.origin.facts.released_answer
        assert BENCHMARK.formula_optimum(released) * released.seconds_per_tick == answer
        optimum = BENCHMARK.formula_optimum(problem)
        if optimum != answer:
            wrong[name.removeprefix("asyncplanning/xxl/")] = (answer, optimum)
    assert wrong == WRONG_ANSWERS


def grade(name: str, plan: object, profile: str = "paper") -> Grade:
    return Grader(profiles(profile)).grade({"id": "a", "instance": f"asyncplanning/xxl/{name}", "plan": plan})


def stated(seconds: object) -> str:
    return json.dumps({"final_answer_seconds": seconds})


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (stated(173700), 173700),
        (stated("173700.4"), 173700),
        (stated(0.5), 0),
        (stated(1.5), 2),
        (stated(True), 1),
        (stated("1 day"), None),
        (stated([173700]), None),
        ('{"final_answer_seconds": NaN}', None),
        ('{"final_answer_seconds": Infinity}', None),
        (stated(None) + " 2 hours 5 min", 7500),
        ("```json\n" + stated(60) + "\n```\nand 5 minutes", 60),
        ("```\n" + stated(60) + "\n```", 60),
        ("It is\n" + stated(61) + "\nsurely.", 61),
        ('{"a": 1} 3 minutes {"b": 2}', 180),
        ("<ANSWER>1 Month and 2 days</ANSWER> 5 minutes", 2764800),
        ("<answer>10 minutes", 600),
        ("about 1.5 hours, 2secs", 5402),
        ("[1, 2]", None),
        ("2 years", None),
        ("", None),
        ("9" * 400 + " hours", None),
    ],
)
def test_released_grader_reads_the_time_of_an_answer(text: str, seconds: int | None) -> None:
    run = BENCHMARK.run(load("asyncplanning/xxl/5/9"), {"plan": text}, PROFILES["released"])
    assert run.seconds == seconds
    assert run.verdict.fatal.kind == ("no_answer" if seconds is None else "wrong_time")
    assert run.verdict.fatal.subject == "final_answer_seconds"


def test_wrong_released_answer_counts_in_the_released_profile_only() -> None:
    released, right = WRONG_ANSWERS["5/9"]
    assert grade("5/9", stated(released), "released").row()["success"]
    assert not grade("5/9", stated(right), "released").row()["success"]
    assert grade("5/9", stated(right)).row()["violation"] == "no_plan"
