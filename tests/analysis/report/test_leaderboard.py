"""The leaderboard against metrics worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from planoracle.analysis.grading.grader import Grade
from planoracle.analysis.report.leaderboard import LeaderboardLine, board, columns, set_name
from planoracle.analysis.report.work import DecisionSheet
from planoracle.instances.protocol import registry

EXACT = {"rel": 1e-12, "abs": 1e-12}


def grade(benchmark: str | None, instance: str, success: bool | None, **more: Any) -> Grade:
    metrics = more.pop("metrics", {})
    model = more.pop("model", "m")
    result = Grade(
        "x", instance, success is not None, success, benchmark=benchmark, model=model, metrics=metrics, **more
    )
    if not result.scored or benchmark is None:
        return result
    return replace(result, main_score=registry.get(benchmark).main_score(result.row()))


def line(one: Grade, faults: int = 0, priced: DecisionSheet | None = None) -> LeaderboardLine:
    return LeaderboardLine(one, 0, faults, priced, 1)


def recipe(name: str, success: bool | None, value: float | None = None, **more: Any) -> Grade:
    return grade(
        "recipe2plan",
        f"recipe2plan/timed/{name}",
        success,
        metrics={"multitasking_score": value, "r_efficiency": value},
        **more,
    )


def arena(name: str, success: bool | None, best: float = 0, minutes: int = 1, **more: Any) -> Grade:
    metrics = {"best_score": best, "best_time": minutes} if success is not None else {}
    return grade("timearena", f"timearena/{name}", success, metrics=metrics, **more)


def transcript(name: str, overall: bool, subtasks: int, share: float, **more: Any) -> Grade:
    zero = ("func_f1", "param_f1", "task_char", "task_env", "streak", "streak_excess", "premature_calls", "idle_turns")
    metrics: dict[str, Any] = dict.fromkeys((*zero, "usable_idle_turns", "subtask_char", "subtask_env"), 0)
    metrics |= {"subtasks": subtasks, "subtask_acc": share, "overall": overall, "closed": False, "causes": []}
    metrics["labels"] = {"functions": {}, "parameters": {}}
    return grade("asynctool", f"asynctool/cross2/{name}", overall, metrics=metrics, **more)


def kitchen(name: str, completed: bool, within: bool | None, **more: Any) -> Grade:
    metrics = {
        "within_limit": within,
        "optimality": None,
        "end": "completed" if completed else "exhausted",
        "repeated_share": 0.0,
        "invalid_actions": 0,
        "failure": "success",
    }
    return grade("robotouille", f"robotouille/synchronous/{name}", completed, metrics=metrics, **more)


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (recipe("Cobbler_Pancakes", True, 0.75), 0.75),
        (recipe("Cobbler_Pancakes", False, 0.0), 0.0),
        (recipe("Cobbler_Pancakes", True, None), None),
        (recipe("Cobbler_Pancakes", None, 0.75), None),
        (arena("household1", True, 100.0), 1.0),
        (arena("household1", False, 43.75), 0.4375),  # 43.75 of 100 percent
        (arena("household1", False, 1), 0.01),
        (arena("household1", False, 0), 0.0),
        (arena("household1", None), None),
        (transcript("01", True, 2, 1.0), 1.0),
        (transcript("01", False, 4, 0.25), 0.25),
        (kitchen("3_burger", True, True), 1.0),
        (kitchen("3_burger", True, False), 0.0),
        (kitchen("3_burger", True, None), None),
        (grade("generic", "bakery", True, makespan=12, optimal_makespan=9), 0.75),  # 9 / 12
        (grade("generic", "bakery", True, makespan=9, optimal_makespan=9), 1.0),
        (grade("generic", "bakery", True, makespan=9), None),
        (grade("generic", "bakery", False, makespan=9, optimal_makespan=9), 0.0),
    ],
)
def test_scores_by_hand(one: Grade, expected: float | None) -> None:
    assert one.main_score == (None if expected is None else pytest.approx(expected, **EXACT))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("recipe2plan/timed/Cobbler_Pancakes", "recipe2plan/timed"),
        ("timearena/household1", "timearena/household/1"),
        ("timearena/cooking1+lab1", "timearena"),
        ("asynctool/cross2/01", "asynctool/cross2"),
        ("bakery", "generic"),
        (None, ""),
    ],
)
def test_sets_of_submissions(name: str | None, expected: str) -> None:
    benchmark = (name or "").partition("/")[0]
    kind = {"bakery": "generic", "": None}.get(benchmark, benchmark)
    assert set_name(Grade("x", name, True, True, benchmark=kind)) == expected


COSTLY = DecisionSheet("[]", total=6, optimum=24, lost=3)  # 6 / 24 = 0.25, 3 / 24 = 0.125
FREE = DecisionSheet("[]", total=0, optimum=24)
OPEN = DecisionSheet("[]", total=None, optimum=24)

TABLES: dict[str, tuple[list[LeaderboardLine], dict[str, Any]]] = {
    "recipe2plan: problems of the set without a submission are not in means, unlike in the paper's table": (
        [
            line(recipe("Cobbler_Pancakes", True, 0.9, makespan=30, optimal_makespan=24), 0, COSTLY),
            line(recipe("Vada_Leche-Asada", False, 0.0, makespan=30, optimal_makespan=24), 3, FREE),
            line(recipe("Pizza_Chocolate-Egg", True, 0.4, makespan=36, optimal_makespan=24), 1, OPEN),
            line(recipe("Pizza_Chocolate-Egg", None), 7),
        ],
        {
            "set": "recipe2plan/timed",
            "submissions": 4,
            "unscored": 1,
            "missing": 62,  # 65 pairs, three of them answered
            "success": 2 / 3,  # of the scored ones
            "success_problems": 3,
            "all_problems": 65,
            "score": 1.3 / 3,  # 0.9 + 0 + 0.4
            "ratio": 1.375,  # 30 / 24 = 1.25 and 36 / 24 = 1.5
            "gap": 0.375,
            "gap_runs": 2,
            "lost": None,
            "failed": 1,
            "success_of_all": 2 / 65,
            "faults": 4 / 3,  # 0 + 3 + 1
        },
    ),
    "timearena: percents become shares": (
        [
            line(arena("household1", True, 100, 20, makespan=20, optimal_makespan=16), 2),
            line(arena("household1", False, 43.75, 30, makespan=40, optimal_makespan=16), 5, COSTLY),
            line(arena("household2", False, 6.25, 3, makespan=40), 2),
            line(arena("household3", False, 0, 0, makespan=40), 0),
        ],
        {
            "set": "timearena/household/1",
            "submissions": 4,
            "unscored": 0,
            "missing": 7,  # of ten; they enter no mean of the paper
            "success": 1 / 6,  # half of the runs for household1, none for the other two
            "score": 0.78125 / 3,  # (100 + 43.75) / 2 = 71.875, 6.25 and 0 percent
            "ratio": 1.25,  # 20 / 16
            "lost": 0.125,
            "lost_runs": 1,
            "failed": 3,
            "success_of_all": 0.05,  # half a problem of ten
            "faults": 5.5 / 3,  # (2 + 5) / 2, 2 and 0
        },
    ),
    "asynctool: accuracy over sub-tasks, success over runs": (
        [line(transcript("01", False, 2, 0.5), 1), line(transcript("02", True, 3, 1.0), 0)],
        {
            "set": "asynctool/cross2",
            "submissions": 2,
            "unscored": 0,
            "missing": 16,  # 18 problems
            "success": 0.5,
            "score": 0.8,  # (1 + 3) of 5 sub-tasks
            "ratio": None,
            "faults": 0.5,
        },
    ),
    "robotouille: kitchens whose optimum is not proved are in no mean": (
        [
            line(kitchen("3_burger", True, True, makespan=15, optimal_makespan=12), 0),
            line(kitchen("4_cheeseburger", True, False, makespan=40, optimal_makespan=16), 0),
            line(kitchen("5_double_cheeseburger", True, None, makespan=40), 4),
            line(kitchen("3_burger", False, False, makespan=7, optimal_makespan=12), 0),
        ],
        {
            "set": "robotouille/synchronous",
            "submissions": 4,
            "unscored": 0,
            "missing": 7,  # of 10 kitchens
            "success": 0.25,  # half of the runs for the first kitchen, none for the second; the third is missing
            "score": 0.25,
            "ratio": 1.875,  # 15 / 12 = 1.25 and 40 / 16 = 2.5
            "faults": 4 / 3,  # 0, 0 and 4
        },
    ),
    "own: optimum by makespan": (
        [
            line(grade("generic", "bakery", True, makespan=12, optimal_makespan=9), 0),
            line(grade("generic", "bakery", False, makespan=10, optimal_makespan=9), 1),
            line(grade("generic", "bakery", True, makespan=9), 0),
            line(grade("generic", "bakery", None), 0),
        ],
        {
            "set": "generic",
            "submissions": 4,
            "unscored": 1,
            "missing": 0,
            "success": 2 / 3,
            "score": 0.375,  # 9 / 12 and 0; the third is missing
            "ratio": 4 / 3,
            "faults": 1 / 3,
        },
    ),
    "nothing is scored": (
        [line(grade(None, "moon", None), 3)],
        {
            "set": "",
            "submissions": 1,
            "unscored": 1,
            "missing": 0,
            "success": None,
            "score": None,
            "ratio": None,
            "faults": None,
        },
    ),
}


@pytest.mark.parametrize(("lines", "expected"), TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("backwards", [False, True])
def test_rows_of_models_by_hand(lines: list[LeaderboardLine], expected: dict[str, Any], backwards: bool) -> None:
    (row,) = board(reversed(lines) if backwards else lines)["models"]
    assert row["model"] == "m"
    assert {key: row[key] for key in expected} == {
        key: pytest.approx(value, **EXACT) if isinstance(value, float) else value for key, value in expected.items()
    }


def test_line_with_unknown_benchmark_does_not_change_averages_of_others() -> None:
    broken = line(grade(None, "recipe2plan/timed/Cobbler_Pancakes", None))
    good = line(recipe("Cobbler_Pancakes", True, 1.0))
    for lines in ([broken, good], [good, broken]):
        (row,) = board(lines)["models"]
        assert (row["missing"], row["success"]) == (64, 1.0)


def test_models_are_ordered_by_success_then_score_in_their_set() -> None:
    runs = {  # success, best score
        "a": (False, 40.0),
        "b": (True, 100.0),
        "c": (False, 60.0),
        "d": (None, 0.0),
    }
    lines = [line(arena("household1", good, best, model=model, makespan=20)) for model, (good, best) in runs.items()]
    lines += [line(recipe("Cobbler_Pancakes", True, 0.5, model="a"))]
    rows = board(lines)["models"]
    assert [(row["set"], row["model"]) for row in rows] == [
        ("recipe2plan/timed", "a"),
        *(("timearena/household/1", model) for model in ("b", "c", "a", "d")),
    ]
    order = [(row["success"], row["score"]) for row in rows[1:]]
    assert order == [(1.0, 1.0), (0.0, pytest.approx(0.6)), (0.0, pytest.approx(0.4)), (None, None)]


def test_models_are_compared_in_pairs_and_failures_counted() -> None:
    names = ("household1", "household2", "lab1")
    lines = [
        line(arena(name, model == "good", 100.0 * (model == "good"), model=model))
        for name in names
        for model in ("bad", "good")
    ]
    lines += [line(arena("lab2", None, model="bad"))]
    tables = board(lines)
    pair, by_score = tables["pairs"]
    assert [pair[key] for key in ("a", "b", "value", "wins", "ties", "losses")] == ["good", "bad", "success", 3, 0, 0]
    assert (pair["p_adjusted"], by_score["mean_difference"]) == (pytest.approx(0.25), 1.0)
    assert [tuple(row.values()) for row in tables["causes"]] == [
        ("bad", "unfinished", 3, 0.75),
        ("bad", "not scored", 1, 0.25),
    ]
    assert board(lines[1::2])["pairs"] == board([])["pairs"] == board([])["causes"] == []


def test_rows_of_submissions_column_by_column() -> None:
    lines = [
        LeaderboardLine(
            arena("household1", False, 43.75, 4, line=1, source="m.csv", progress=0.4375, makespan=12, violation="x_y"),
            1,
            2,
            COSTLY,
            3,
        ),
        LeaderboardLine(
            recipe("Cobbler_Pancakes", True, 0.5, model="n", makespan=30, optimal_makespan=24), 0, 0, OPEN, 4
        ),
        LeaderboardLine(grade(None, "moon", None, model=None, reason="no such problem"), 0, 5, None, 5),
    ]
    names = {"moon": 0, "recipe2plan/timed/Cobbler_Pancakes": 1, "timearena/household1": 2}
    assert columns(lines, [(7, 0), (7, 1)], names) == {
        "id": ["x", "x", "x"],
        "line": [3, 4, 5],
        "source": [0, 1, 1],
        "at": [1, None, None],
        "model": [0, 1, 2],
        "instance": [2, 1, 0],
        "outcome": [1, 0, 2],
        "why": [0, 1, 2],
        "faults": [2, 0, None],
        "score": [0.4375, 0.5, None],
        "progress": [0.4375, None, None],
        "makespan": [12, 30, None],
        "optimum": [None, 24, None],
        "priced": [1, 1, 0],
        "total": [6, None, None],
        "lost": [3, None, None],
        "chunk": [7, 7, 7],
        "place": [1, 0, 0],
        "models": ["m", "n", ""],
        "whys": ["x y", "", "no such problem"],
        "sources": ["m.csv", ""],
    }
