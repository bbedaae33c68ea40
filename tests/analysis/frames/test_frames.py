"""Frames: their columns, what goes into them, and what goes wrong."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from planoracle.analysis import frames
from planoracle.analysis.frames.columns import SCHEMAS
from planoracle.analysis.frames.schema import from_rows, schema
from planoracle.analysis.grading.grader import Grade, Grader
from planoracle.analysis.run_schedule import plan_rows
from planoracle.heuristics.registry import run
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.protocol import registry
from planoracle.solver.exact.search import solve
from tests.support.grades import comparisons
from tests.support.pages import generated_pages
from tests.support.samples import sample

COBBLER = "recipe2plan/timed/Cobbler_Pancakes"
SANDWICH = "robotouille/synchronous/0_cheese_sandwich"

WORKSHOP = Instance(
    "shop",
    (
        Action("t/saw", "t", 4, 4, modes=(Mode((Demand("bench", 2),)), Mode((Demand("floor"),), name="floor"))),
        Action("t/glue", "t", 2, 2, modes=(Mode((Demand("bench"),)),), interruptible=True, label="glue it"),
        Action("u/dry", "u", 10, 0, modes=(Mode((Demand("bench"),)),)),
    ),
    (Lag("t/saw", "t/glue", 1, None), Lag("t/glue", "u/dry", 0, 5)),
    (Resource("bench", 3), Resource("floor")),
    ("Ann", "Bob"),
    time_limit=40,
)
STUCK = Instance(
    "stuck",
    (Action("t/a", "t", 5, 5), Action("t/b", "t", 1, 1), Action("t/c", "t", 1, 1)),
    (Lag("t/a", "t/c", 0, None), Lag("t/b", "t/a", 0, None), Lag("t/b", "t/c", 0, 2)),
)


@pytest.fixture(scope="module")
def grades() -> list[Grade]:
    """One submission per benchmark, good or bad, and two that cannot be graded."""
    good = run(catalog.load(COBBLER), "serial-lpt").plan
    grader = Grader()
    submitted: list[Any] = [
        {"id": "good", "instance": COBBLER, "plan": good, "model": "A"},
        {
            "id": "bad",
            "instance": COBBLER,
            "plan": "Step(7, Cobbler, 10 min, 0:00), Step(99, Cobbler, 1:00)",
            "model": "B",
        },
        {"id": "t", "instance": "timearena/household1", "actions": ["wait", "fly", "wait"]},
        {"id": "a", "instance": catalog.expand(["asynctool"])[0], "turns": []},
        {"id": "r", "instance": SANDWICH, "actions": ["nonsense"]},
        {"id": "none", "instance": "no such", "plan": ""},
        {"id": 7},
    ]
    return [grader.grade(one, line) for line, one in enumerate(submitted, start=1)]


def schedules(problem: Any, answer: Any) -> pd.DataFrame:
    return from_rows("schedules", plan_rows(problem, answer))[0]


def test_schedules_by_hand() -> None:
    pieces = [
        Piece("t/saw", 0, 4, "Ann", 1),
        Piece("t/glue", 5, 1, "Bob"),
        Piece("t/glue", 8, 1, "Ann"),
        Piece("u/dry", 9, 10, None),
    ]
    frame = schedules(WORKSHOP, Schedule.of(WORKSHOP, pieces))
    assert frame["action"].tolist() == ["t/saw", "t/glue", "t/glue", "u/dry"]
    assert frame["attended"].tolist() == [4, 1, 1, 0]
    assert frame["end"].tolist() == [4, 6, 9, 19]
    assert frame["mode_name"].tolist()[0] == "floor"
    assert frame["agent"].isna().tolist() == [False, False, False, True]
    assert frame["label"].isna().tolist() == [True, False, False, True]


def test_schedules_of_all_kinds_of_answers() -> None:
    instance = catalog.load("timearena/household1+household2")
    sandwich: Any = catalog.problem(SANDWICH)
    from planoracle.solver.kitchens.astar import plan

    best = plan(sandwich)
    assert schedules(instance, solve(instance))["end"].max() == solve(instance).makespan
    assert schedules(sandwich, best)["end"].max() == best.makespan
    frame = schedules(instance, run(instance, "serial-lpt"))
    work = frame.groupby("action")["duration"].sum()
    assert work.to_dict() == {action.id: action.duration for action in instance.actions}
    foreign = Schedule((Piece("x/y", 0, 1, "Ann"),))
    for problem, answer, message in (
        (instance, run(instance, "asynctool-sequential"), "AsyncTool"),
        (sandwich, [], "is missing"),
        (sandwich, ["nonsense"], "rejected"),
        (WORKSHOP, foreign, "of the instance"),
    ):
        with pytest.raises(InputError, match=message):
            schedules(problem, answer)


def test_comparisons_have_one_row_per_problem_and_method() -> None:
    names = [COBBLER, "timearena/household1+household2", catalog.expand(["asynctool"])[0], SANDWICH, WORKSHOP]
    methods = ("optimum", "reference", "serial-lpt", "asynctool-sequential")
    frame = comparisons(names, methods)
    assert len(frame) == len(names) * len(methods)
    exact = frame[frame["method"] == "optimum"]
    assert exact["status"].tolist() == ["optimal"] * 5
    assert exact["gap"].tolist() == [0.0] * 5
    for row in frame.to_dict("records"):
        assert row["settled"] == "optimal"
        assert row["lower_bound"] == row["optimum"]
        if row["method"] != "optimum":
            assert row["status"] in ("feasible", "unknown")
        if not pd.isna(row["makespan"]):
            assert row["gap"] == pytest.approx(row["makespan"] / row["optimum"] - 1)
            assert row["accepted"] is not True or row["makespan"] >= row["optimum"]
        elif row["method"] != "optimum":
            assert row["reason"]
    kinds = frame[frame["instance"] == SANDWICH].set_index("method")
    assert kinds.loc["serial-lpt", "status"] == "unknown"
    assert pd.isna(kinds.loc["reference", "accepted"])
    assert not pd.isna(kinds.loc["reference", "makespan"])


@pytest.mark.slow
def test_references_are_replayed() -> None:
    frame = comparisons(["recipe2plan/timed", "timearena/household/1"], ["reference"], time_limit=10)
    refused = frame[(frame["accepted"] == False).fillna(False)]  # noqa: E712
    assert len(refused) >= 1
    assert (refused["status"] == "unknown").all()
    assert refused["reason"].str.startswith("claim").all()
    accepted = frame[(frame["accepted"] == True).fillna(False)]  # noqa: E712
    assert len(accepted) >= 70
    assert (accepted["makespan"] >= accepted["optimum"]).all()


def test_infeasible_problem_is_settled() -> None:
    frame = comparisons([STUCK], ["optimum", "serial-lpt"])
    assert frame["settled"].tolist() == ["infeasible"] * 2
    assert frame["status"].tolist() == ["infeasible", "unknown"]
    assert frame[["makespan", "optimum", "lower_bound", "gap", "gap_bound"]].isna().all(axis=None)


def test_unknown_methods_are_rejected() -> None:
    with pytest.raises(UnknownNameError, match="serial-lpt"):
        comparisons([COBBLER], ["fastest"])


def test_grade_rows(grades: list[Grade]) -> None:
    frame, errors = frames.grades(grades)
    assert len(frame) == len(grades)
    assert frame["scored"].tolist() == [True] * 5 + [False] * 2
    assert errors["line"].tolist() == [6, 7]
    assert errors["reason"].str.len().min() > 5
    good, bad = frame.iloc[0], frame.iloc[1]
    assert good["success"]
    assert good["gap"] == good["makespan"] / good["optimal_makespan"] - 1
    assert not bad["success"]
    assert pd.isna(bad["gap"])
    assert bad["violations"] >= 2
    assert frame["benchmark"].tolist()[:5] == ["recipe2plan", "recipe2plan", "timearena", "asynctool", "robotouille"]
    assert frame.loc[5:, ["success", "progress", "makespan", "violations"]].isna().all(axis=None)
    assert not pd.isna(frame.loc[4, "failure"])


@pytest.mark.slow
def test_frames_of_different_benchmarks_can_be_concatenated(grades: list[Grade]) -> None:
    for name in ("frame", "errors"):
        whole = pd.concat([getattr(frames.grades([one]), name) for one in grades], ignore_index=True)
        pd.testing.assert_frame_equal(whole, getattr(frames.grades(grades), name))
    one = comparisons([COBBLER], ["optimum"])
    both = pd.concat([frames.empty("comparisons"), one, comparisons([SANDWICH], ["optimum"])])
    assert (both.dtypes == one.dtypes).all()


@pytest.mark.parametrize("name", sample(SCHEMAS))
def test_empty_frames_have_the_columns(name: str) -> None:
    frame = frames.empty(name)
    assert list(frame.columns) == schema(name).names
    assert [str(dtype) for dtype in frame.dtypes] == [column.dtype for column in schema(name).columns]


def test_invalid_values_are_reported() -> None:
    rows = [{"instance": "i", "settled": "perhaps", "makespan": 2**70, "gap": 0.5}]
    frame, faults = from_rows("comparisons", rows)
    assert [number for number, _ in faults] == [0, 0]
    assert {message.partition(":")[0] for _, message in faults} == {"settled", "makespan"}
    assert frame["settled"].isna().all()
    assert frame["gap"].tolist() == [0.5]


def test_unknown_frame_is_rejected() -> None:
    with pytest.raises(UnknownNameError):
        frames.empty("nonsense")


def test_pages_of_benchmarks_have_their_columns_of_grades() -> None:
    for benchmark in map(registry.get, registry.names()):
        page = generated_pages.benchmark_page(benchmark.name)
        rows = {one.name: f"| `{one.name}` | {one.unit} | {one.meaning} |" for one in benchmark.columns}
        assert [name for name, row in rows.items() if row not in page] == []
