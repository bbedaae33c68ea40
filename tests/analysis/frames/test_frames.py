"""Frames: their columns, what goes into them, and what goes wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from planoracle.analysis import frames
from planoracle.analysis.diagnosis.regret import regret
from planoracle.analysis.frames.columns import SCHEMAS
from planoracle.analysis.frames.schema import check, from_rows, schema
from planoracle.analysis.grading.grader import Grade, Grader
from planoracle.analysis.intake.submissions import answers
from planoracle.heuristics.registry import run
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.solver.exact.search import solve
from tests.support.samples import sample

README = Path(__file__).resolve().parents[3] / ".docs" / "reference" / "frames.md"
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
    """One submission per benchmark, good or bad, and two that cannot be judged."""
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


def test_instances_by_hand() -> None:
    frame, errors = frames.instances([WORKSHOP])
    row = frame.iloc[0]
    assert len(errors) == 0
    assert (row["benchmark"], row["tasks"], row["actions"], row["agents"], row["resources"]) == ("generic", 2, 3, 2, 2)
    assert (row["autonomous"], row["interruptible"], row["alternatives"]) == (1, 1, 1)
    assert (row["precedences"], row["windows"], row["time_limit"]) == (2, 1, 40)
    assert (row["work"], row["attended"]) == (16, 6)
    assert row["critical_path"] == 4 + 1 + 2 + 10
    assert row["parallelism"] == 16 / 17
    assert row["agent_load"] == 6 / 2 / 17
    assert row["resource_load"] == (2 + 10) / 3 / 17  # saw can be done on the floor
    assert row["busiest"] == "bench"
    assert pd.isna(row["set"])
    assert pd.isna(row["seconds_per_tick"])
    assert pd.isna(row["objects"])


def test_instance_whose_lags_contradict_each_other_is_named_and_kept() -> None:
    frame, errors = frames.instances([STUCK, WORKSHOP])
    assert frame["instance"].tolist() == ["stuck", "shop"]
    assert frame.loc[0, ["critical_path", "parallelism", "resource_load"]].isna().all()
    assert frame.loc[0, "work"] == 7
    assert errors["instance"].tolist() == ["stuck"]
    assert "contradict" in errors["reason"][0]


def test_kitchens_share_the_frame() -> None:
    frame, errors = frames.instances([catalog.problem(SANDWICH), catalog.problem(COBBLER)])
    assert frame["set"].tolist() == ["robotouille/synchronous", "recipe2plan/timed"]
    assert frame["agents"].tolist() == [1, 1]
    assert frame["objects"].isna().tolist() == [False, True]
    assert frame["actions"].isna().tolist() == [True, False]
    assert len(errors) == 0


def test_schedules_by_hand() -> None:
    pieces = [
        Piece("t/saw", 0, 4, "Ann", 1),
        Piece("t/glue", 5, 1, "Bob"),
        Piece("t/glue", 8, 1, "Ann"),
        Piece("u/dry", 9, 10, None),
    ]
    frame, errors = frames.schedules([(WORKSHOP, "mine", Schedule.of(WORKSHOP, pieces))])
    assert len(errors) == 0
    assert frame["action"].tolist() == ["t/saw", "t/glue", "t/glue", "u/dry"]
    assert frame["attended"].tolist() == [4, 1, 1, 0]
    assert frame["end"].tolist() == [4, 6, 9, 19]
    assert frame["mode_name"].tolist()[0] == "floor"
    assert frame["agent"].isna().tolist() == [False, False, False, True]
    assert frame["label"].isna().tolist() == [True, False, False, True]
    assert set(frame["method"]) == {"mine"}


def test_schedules_of_every_kind_of_answer() -> None:
    instance = catalog.load("timearena/household1+household2")
    sandwich: Any = catalog.problem(SANDWICH)
    from planoracle.solver.kitchens.astar import plan

    best = plan(sandwich)
    frame, errors = frames.schedules(
        [
            (instance, "optimum", solve(instance)),
            (instance, "serial-lpt", run(instance, "serial-lpt")),
            (instance, "asynctool-sequential", run(instance, "asynctool-sequential")),
            (sandwich, "optimum", best),
            (sandwich, "none", []),
            (sandwich, "refused", ["nonsense"]),
            (WORKSHOP, "foreign", Schedule((Piece("x/y", 0, 1, "Ann"),))),
        ]
    )
    assert errors["method"].tolist() == ["asynctool-sequential", "none", "refused", "foreign"]
    assert errors["reason"].str.contains("AsyncTool").tolist()[0]
    spans = frame.groupby(["instance", "method"])["end"].max()
    assert spans[instance.name, "optimum"] == solve(instance).makespan
    assert spans[SANDWICH, "optimum"] == best.makespan
    work = frame[frame["method"] == "serial-lpt"].groupby("action")["duration"].sum()
    assert work.to_dict() == {action.id: action.duration for action in instance.actions}


def test_comparisons_have_a_row_for_every_problem_and_method() -> None:
    names = [COBBLER, "timearena/household1+household2", catalog.expand(["asynctool"])[0], SANDWICH, WORKSHOP]
    methods = ("optimum", "reference", "serial-lpt", "asynctool-sequential")
    frame, errors = frames.compare_methods(names, methods)
    assert len(errors) == 0
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
def test_references_are_replayed_not_believed() -> None:
    frame, _ = frames.compare_methods(["recipe2plan/timed", "timearena/household/1"], ["reference"], time_limit=10)
    refused = frame[(frame["accepted"] == False).fillna(False)]  # noqa: E712
    assert len(refused) >= 1
    assert (refused["status"] == "unknown").all()
    assert refused["reason"].str.startswith("claim").all()
    kept = frame[(frame["accepted"] == True).fillna(False)]  # noqa: E712
    assert len(kept) >= 70
    assert (kept["makespan"] >= kept["optimum"]).all()


def test_infeasible_problem_is_settled_not_failed() -> None:
    frame, errors = frames.compare_methods([replace(STUCK, name="stuck too")], ["optimum", "serial-lpt"])
    assert frame["settled"].tolist() == ["infeasible"] * 2
    assert frame["status"].tolist() == ["infeasible", "unknown"]
    assert frame[["makespan", "optimum", "lower_bound", "gap", "gap_bound"]].isna().all(axis=None)
    assert len(errors) == 0


def test_unknown_methods_and_names_are_mistakes_of_the_call() -> None:
    with pytest.raises(UnknownNameError, match="serial-lpt"):
        frames.compare_methods([COBBLER], ["fastest"])
    with pytest.raises(UnknownNameError):
        frames.compare_methods(["no such problem"])


def test_files_that_cannot_be_read_are_errors(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    frame, errors = frames.compare_methods([str(broken), WORKSHOP], ["optimum"])
    assert frame["instance"].tolist() == ["shop"]
    assert errors["instance"].tolist() == [str(broken)]
    assert errors["error"].tolist() == ["InputError"]


def test_grades_frame(grades: list[Grade]) -> None:
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


def _told(value: Any) -> str:
    return json.dumps(value) if isinstance(value, list) else str(value)


def test_violations_frame(grades: list[Grade]) -> None:
    frame, errors = frames.violations(grades)
    assert errors["line"].tolist() == [6, 7]
    bad = frame[frame["id"] == "bad"]
    assert len(bad) == len(grades[1].violations or ())
    assert bad["index"].tolist() == list(range(len(bad)))
    assert bad["fatal"].sum() == 1
    fatal = bad[bad["fatal"]].iloc[0]
    assert (fatal["kind"], fatal["position"]) == (grades[1].violation, grades[1].violation_index)
    assert frame[frame["id"] == "good"].empty
    structured = ("start", "end", "others", "resource", "required", "actual")
    for (_, row), one in zip(bad.iterrows(), grades[1].violations or (), strict=True):
        for name in structured:
            value = one.get(name)
            assert pd.isna(row[name]) if value is None else str(row[name]) == _told(value)
    assert bad[list(structured)].notna().any().sum() >= 3
    _, told = frames.violations([grades[1].without_details()])
    assert len(told) == 1  # its violations are not there, which is not the same as none


def test_decisions_frame() -> None:
    plan = "Step(0, Cobbler, 10 min, 00:05:00), Step(0, Cobbler, 10 min, 00:05:00)"
    entries = [(1, {"id": "x", "instance": COBBLER, "plan": plan}), (2, {"id": "y", "instance": "no such", "plan": ""})]
    frame, errors = frames.decisions(answers(entries, regret))
    assert frame["cost"].tolist() == [300, 0, 0]
    assert frame["kind"].tolist() == ["wait", "act", "lost"]
    assert set(frame["unit"]) == {"second"}
    assert set(frame["benchmark"]) == {"recipe2plan"}
    assert errors["line"].tolist() == [2]
    bare, _ = frames.decisions([regret(catalog.load(COBBLER), plan)])
    assert bare["line"].isna().all()
    pd.testing.assert_frame_equal(bare.drop(columns=["line", "id"]), frame.drop(columns=["line", "id"]))


def test_point_of_no_return_is_marked_once() -> None:
    found = regret(catalog.load("timearena/household1"), ["fly"] * 6)
    frame, _ = frames.decisions([found])
    assert found.no_return is not None
    assert frame.index[frame["no_return"]].tolist() == [found.no_return]


@pytest.mark.slow
def test_frames_can_be_put_together_across_benchmarks(grades: list[Grade]) -> None:
    parts = [frames.grades([one]) for one in grades]
    for place, whole in enumerate(frames.grades(grades)):
        pd.testing.assert_frame_equal(pd.concat([part[place] for part in parts], ignore_index=True), whole)
    one = frames.compare_methods([COBBLER], ["optimum"])
    two = frames.compare_methods([SANDWICH], ["optimum"])
    nothing = frames.compare_methods([], ["optimum"])
    assert (pd.concat([nothing.frame, one.frame, two.frame]).dtypes == one.frame.dtypes).all()


@pytest.mark.parametrize("name", sample(SCHEMAS))
def test_empty_frames_have_the_columns(name: str) -> None:
    frame = frames.empty(name)
    assert list(frame.columns) == schema(name).names
    assert [str(dtype) for dtype in frame.dtypes] == [column.dtype for column in schema(name).columns]


def test_values_that_do_not_fit_are_told() -> None:
    rows = [{"instance": "i", "settled": "perhaps", "makespan": 2**70, "gap": 0.5}]
    frame, faults = from_rows("comparisons", rows)
    assert [number for number, _ in faults] == [0, 0]
    assert {message.partition(":")[0] for _, message in faults} == {"settled", "makespan"}
    assert frame["settled"].isna().all()
    assert frame["gap"].tolist() == [0.5]


def test_frames_are_held_against_their_schema() -> None:
    frame = frames.empty("profiles")
    with pytest.raises(InputError, match=r"missing .'ratio'"):
        check(frame.drop(columns="ratio"), "profiles")
    with pytest.raises(InputError, match=r"unknown .'more'"):
        check(frame.assign(more=1), "profiles")
    with pytest.raises(InputError, match="ratio: must be of dtype Float64"):
        check(frame.astype({"ratio": "float64"}), "profiles")
    with pytest.raises(UnknownNameError):
        frames.empty("nonsense")


@pytest.mark.parametrize("name", SCHEMAS)
def test_documentation_has_the_columns(name: str) -> None:
    assert frames.describe(name) in README.read_text(encoding="utf-8")
