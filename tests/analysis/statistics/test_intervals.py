"""Estimators, averages and intervals against plain Python, and their invariants."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from statistics import NormalDist, fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.samples import examples

from planoracle.analysis.grading.grader import Grade
from planoracle.analysis.grading.metrics import METRICS, gap_of
from planoracle.analysis.statistics import bootstrap
from planoracle.analysis.statistics.bootstrap import Sample, intervals, mean_interval
from planoracle.analysis.statistics.grade_columns import GradeRows
from planoracle.analysis.statistics.intervals import ProblemScore, best_of, pass_at, pass_hat, sizes
from planoracle.analysis.statistics.summary import summarize
from planoracle.instances.files import catalog
from tests.support.grades import grade_rows

EXACT = {"rel": 1e-12, "abs": 1e-12}
HOUSE = catalog.expand(["timearena/household/1"])
COOK = catalog.expand(["timearena/cooking/1"])
TIMED = catalog.expand(["recipe2plan/timed"])


# --- estimators ----------------------------------------------------------------------------------


def over_subsets(values: list[Any], size: int, figure: Callable[[Any], float]) -> float:
    return fmean(figure(chosen) for chosen in combinations(values, size))


@pytest.mark.parametrize("count", range(1, 8))
def test_estimates_are_means_over_all_subsets(count: int) -> None:
    for good in range(count + 1):
        runs = [i < good for i in range(count)]
        for size in range(1, count + 1):
            assert pass_at(count, good, size) == pytest.approx(over_subsets(runs, size, any), **EXACT)
            assert pass_hat(count, good, size) == pytest.approx(over_subsets(runs, size, all), **EXACT)


@pytest.mark.slow
@given(st.lists(st.floats(0, 1), min_size=1, max_size=7), st.data())
def test_best_of_is_the_mean_of_the_best_over_all_subsets(values: list[float], data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(values)))
    assert best_of(values, size) == pytest.approx(over_subsets(values, size, max), **EXACT)


def test_large_numbers_of_samples() -> None:
    assert pass_at(20_000, 1, 128) == pytest.approx(128 / 20_000, **EXACT)
    assert pass_hat(20_000, 19_999, 128) == pytest.approx(1 - 128 / 20_000, **EXACT)
    assert best_of([0.0] * 19_999 + [1.0], 128) == pytest.approx(128 / 20_000, **EXACT)
    assert sizes(20_000)[-1] == 128


# --- metrics --------------------------------------------------------------------------------------


def test_metrics_are_declared_once_and_in_all_grades() -> None:
    names = [one.name for one in METRICS]
    assert len({*names}) == len(names)
    assert {*names} - {*Grade.__slots__} == {"gap"}


# --- means over samples, problems, sets ----------------------------------------------------------


def run(name: str, score: float | None, *, success: bool = False, model: str = "m", **more: Any) -> Grade:
    """A run in a benchmark whose missing problems are left out; ``None``: not scored."""
    metrics = {} if score is None else {"best_score": 100 * score, "best_time": 10}
    return Grade(
        *("x", name, score is not None),
        success=None if score is None else success,
        benchmark="timearena",
        model=model,
        metrics=metrics,
        **{"makespan": None if score is None else 20, **more},
    )


def recipe(name: str, score: float, *, success: bool = True, **more: Any) -> Grade:
    """A run in a benchmark whose missing problems count as failed."""
    metrics = {"r_efficiency": score, "multitasking_score": score if success else 0.0, "r_efficiency_optimal": score}
    figures = {"success": success, "progress": score, "goal_ratio": score}
    return Grade("x", name, True, **figures, benchmark="recipe2plan", model="m", metrics=metrics, **more)


scores = st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.7, 1.0])
runs = st.lists(
    st.builds(
        lambda name, score, success, model: run(name, score, success=success and score is not None, model=model),
        st.sampled_from([*HOUSE[:4], *COOK[:3]]),
        st.none() | scores,
        st.booleans(),
        st.sampled_from("ab"),
    ),
    max_size=25,
)
few = examples(80)


def by_hand(grades: list[Grade], model: str) -> dict[str, tuple[float, float]]:
    """Return success and score of a model in every set, by definition."""
    groups: dict[str, dict[str, list[Grade]]] = defaultdict(lambda: defaultdict(list))
    for grade in grades:
        if grade.scored and grade.model == model:
            groups[catalog.set_of(grade.instance or "")[0]][grade.instance or ""].append(grade)
    return {
        set_name: (
            fmean(fmean(bool(one.success) for one in of) for of in problems.values()),
            fmean(fmean(one.metrics["best_score"] / 100 for one in of) for of in problems.values()),
        )
        for set_name, problems in groups.items()
    }


@few
@given(runs)
def test_averages_by_hand(grades: list[Grade]) -> None:
    averages = summarize(grade_rows(grades))
    models = {row["model"]: row for row in averages.models}
    for model in "ab":
        expected = by_hand(grades, model)
        rows = {row["set"]: row for row in averages.sets if row["model"] == model and row["problems"]}
        assert rows.keys() == expected.keys()
        for set_name, (success, score) in expected.items():
            assert rows[set_name]["success"] == pytest.approx(success, **EXACT)
            assert rows[set_name]["main_score"] == pytest.approx(score, **EXACT)
            assert rows[set_name]["problems"] + rows[set_name]["missing"] <= 10
        if expected:
            assert models[model]["sets"] == len(expected)
            for name, place in (("success", 0), ("main_score", 1)):
                mean = fmean(one[place] for one in expected.values())
                assert models[model][name] == pytest.approx(mean, **EXACT)  # of sets, however many problems they have


@few
@given(runs, st.integers())
def test_averages_do_not_depend_on_order(grades: list[Grade], seed: int) -> None:
    shuffled = random.Random(seed).sample(grades, len(grades))
    assert summarize(grade_rows(shuffled)).rows() == summarize(grade_rows(grades)).rows()


def test_missing_problems_of_a_task_do_not_depend_on_order() -> None:
    grades = [run(HOUSE[0], 1.0, model="b"), run("timearena/household1+household2", 1.0, model="a")]
    rows = [summarize(grade_rows(order), by="task").rows() for order in (grades, grades[::-1])]
    assert rows[0] == rows[1]
    assert max(len(row.get("missing_names", ())) for row in rows[0]) > 1


COUNTS = ("submissions", "unscored", "missing", "missing_names", "all_problems", "repeated")


@few
@given(runs, st.sampled_from([*HOUSE[:4], *COOK[:3]]))
def test_unscored_row_changes_no_average(grades: list[Grade], name: str) -> None:
    def figures(grades: list[Grade]) -> list[dict[str, Any]]:
        rows = [row for row in summarize(grade_rows(grades)).rows() if row["problems"]]
        return [{key: value for key, value in row.items() if key not in COUNTS} for row in rows]

    assert figures([*grades, run(name, None, model="a")]) == figures(grades)


@few
@given(runs)
def test_missing_problem_never_raises_rate_of_all_problems(grades: list[Grade]) -> None:
    full = {row["model"]: row for row in summarize(grade_rows(grades)).models}.get("a")
    for name in sorted({grade.instance or "" for grade in grades if grade.model == "a"}):
        remaining = [grade for grade in grades if (grade.instance, grade.model) != (name, "a")]
        set_name = catalog.set_of(name)[0]
        if not any(one.scored and catalog.set_of(one.instance or "")[0] == set_name for one in remaining):
            continue  # no submission names this set
        row = {row["model"]: row for row in summarize(grade_rows(remaining)).models}.get("a")
        if row and full and row["success_of_all"] is not None:
            assert row["success_of_all"] <= full["success_of_all"] + 1e-12
            assert row["main_score_of_all"] <= full["main_score_of_all"] + 1e-12


def test_missing_problems_count_once_with_many_runs() -> None:
    once = [recipe(TIMED[0], 1.0), recipe(TIMED[1], 0.5, success=False)]
    for times in (1, 4):
        (row,) = summarize(grade_rows(once * times)).sets
        assert (row["missing"], row["success"], row["success_of_all"]) == (63, 1 / 65, 1 / 65)
        assert row["main_score"] == 1 / 65
        assert (row["samples_least"], row["samples_most"]) == (times, times)


def test_missing_own_problems_are_those_of_other_models() -> None:
    one, two = ({"benchmark": "generic", "makespan": 4, "optimal_makespan": 4, "model": model} for model in "ab")
    grades = [Grade("x", name, True, True, progress=1.0, goal_ratio=1.0, **one) for name in ("p", "q")]
    grades += [Grade("x", "p", True, True, progress=1.0, goal_ratio=1.0, **two)]
    grades += [Grade("x", "nowhere", False, **two, reason="no such problem")]
    first, second = summarize(grade_rows(grades)).models
    assert (first["model"], first["missing"], first["success_of_all"]) == ("a", 0, 1.0)
    assert (second["missing"], second["unscored"], second["success"], second["success_of_all"]) == (1, 1, 1.0, 0.5)


def test_set_of_other_models_only_counts_as_failed() -> None:
    grades = [run(HOUSE[0], 1.0, success=True, model="a"), run(COOK[0], 0.0, model="b")]
    grades += [run(name, 1.0, success=True, model="b") for name in HOUSE]
    first, second = summarize(grade_rows(grades)).models
    assert [row["model"] for row in (first, second)] == ["b", "a"]  # not the model with most missing problems
    assert (second["success"], second["success_of_all"]) == (
        1.0,
        0.05,
    )  # one of ten problems, and none of the other set
    assert (second["sets"], second["sets_missing"], second["missing"]) == (1, 1, 19)
    assert (first["success"], first["success_of_all"]) == (0.5, 0.5)


def test_unscored_submissions_do_not_raise_rate_of_all_problems() -> None:
    lazy = [recipe(TIMED[0], 1.0), *(Grade("x", name, False, benchmark="recipe2plan", model="m") for name in TIMED[1:])]
    (row,) = summarize(grade_rows(lazy)).sets
    assert (row["missing"], row["unscored"], row["success_of_all"]) == (0, 64, pytest.approx(1 / 65, **EXACT))
    (unscored,) = summarize(grade_rows(lazy[1:])).sets
    assert (unscored["success"], unscored["main_score"], unscored["missing"]) == (None, None, 1)
    # A set without graded runs of the model is missing for it.
    grades = [run(HOUSE[0], 1.0, success=True, model="a"), run(COOK[0], None, model="a")]
    grades += [run(name, 0.5, success=True, model="b") for name in (*HOUSE, *COOK)]
    first, second = summarize(grade_rows(grades)).models
    assert [first["model"], second["model"]] == ["b", "a"]
    assert (second["sets"], second["sets_missing"], second["success_of_all"]) == (1, 1, 0.05)
    assert second["missing"] == 18


def test_intervals_allow_scores_above_one() -> None:
    ((row,), (same,)) = (
        summarize(grade_rows([recipe(name, score) for name, score in zip(TIMED, some, strict=True)])).sets
        for some in ([1.1, 1.3] * 32 + [1.2], [1.2] * 65)
    )
    assert 1 < row["main_score_low"] < row["main_score"] < row["main_score_high"] < 1.3
    assert (same["main_score_low"], same["main_score_high"]) == (None, None)


# --- several samples -----------------------------------------------------------------------------


def test_passes_by_hand() -> None:
    outcomes = {HOUSE[0]: [1, 0, 0, 1], HOUSE[1]: [0, 0, 0, 0, 1], HOUSE[2]: [1, 1, 1, 1]}
    grades = [run(name, 0.5 * one, success=bool(one)) for name, some in outcomes.items() for one in some]
    (row,) = summarize(grade_rows(grades)).sets
    for size in (1, 2, 4):
        for start, figure in (("pass@", any), ("pass^", all)):
            expected = fmean(over_subsets(some, size, figure) for some in outcomes.values())
            assert row[f"{start}{size}"] == pytest.approx(expected, **EXACT)
        best = fmean(over_subsets([0.5 * one for one in some], size, max) for some in outcomes.values())
        assert row[f"best@{size}"] == pytest.approx(best, **EXACT)
    assert row["pass@1"] == row["pass^1"] == pytest.approx(row["success"], **EXACT)
    assert "pass@8" not in row
    (model,) = summarize(grade_rows(grades)).models
    assert (row["samples_least"], row["samples_most"]) == (model["samples_least"], model["samples_most"]) == (4, 5)


def test_unscored_samples_are_not_counted() -> None:
    grades = [run(HOUSE[0], score, success=True) for score in (1.0, None, 1.0, None)]
    (row,) = summarize(grade_rows(grades)).sets
    assert (row["success"], row["unscored"], row["samples_most"]) == (1.0, 2, 2)
    assert [key for key in row if key.startswith("pass")] == ["pass@1", "pass@2", "pass^1", "pass^2"]


def test_interval_of_a_score_counts_missing_problems_like_the_score() -> None:
    (row,) = summarize(grade_rows([recipe(name, score) for name, score in zip(TIMED, (1.0, 0.5), strict=False)])).sets
    assert row["main_score"] == pytest.approx(1.5 / 65, **EXACT)
    assert 0 <= row["main_score_low"] < row["main_score"] < row["main_score_high"] < 0.1


def test_outcomes_are_shares_and_the_largest_value_is_that_of_all_runs() -> None:
    waits = ({"necessary_waits": count, "unnecessary_waits": 0} for count in (3, 5, 4))
    runs_of_waits = [run(HOUSE[0], 0.25) for _ in range(3)]
    grades = [replace(grade, metrics=grade.metrics | more) for grade, more in zip(runs_of_waits, waits, strict=True)]
    assert summarize(grade_rows(grades)).sets[0]["max_necessary"] == 5
    assert grade_rows(grades).outcomes()["main_score"].tolist() == [0.25] * 3


def test_pass_at_k_counts_missing_problems_like_success_rate() -> None:
    grades = [recipe(TIMED[0], 1.0, success=one) for one in (True, False)]
    (row,) = summarize(grade_rows(grades)).sets
    assert (row["success"], row["pass@1"]) == (0.5 / 65, 0.5 / 65)
    assert (row["pass@2"], row["pass^2"], row["best@2"]) == (1 / 65, 0.0, 1 / 65)


def test_repeated_samples_are_counted() -> None:
    grades = [run(HOUSE[0], 1.0, sample=sample) for sample in (0, 1, 1, "1", None, None)]
    assert summarize(grade_rows(grades)).models[0]["repeated"] == 1
    nameless = [run("", None, sample=1) for _ in range(3)]  # rows without a problem do not belong to one problem
    assert summarize(grade_rows(grades + nameless)).models[0]["repeated"] == 1


# --- gaps and losses -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("makespan", "optimum", "gap"), [(9, 6, 0.5), (6, 6, 0.0), (5, 6, None), (None, 6, None), (6, None, None)]
)
def test_gap_is_the_relative_excess_over_the_optimum(makespan: int | None, optimum: int | None, gap: float) -> None:
    assert gap_of(makespan, optimum) == gap


def test_early_failure_has_no_gap() -> None:
    done = run(HOUSE[0], 1.0, success=True, makespan=15, optimal_makespan=12)
    early = run(HOUSE[1], 0.1, makespan=2, optimal_makespan=12)
    open_ = run(HOUSE[2], 1.0, success=True, makespan=20)
    (row,) = summarize(grade_rows([done, early, open_])).sets
    assert (row["gap"], row["gap_runs"], row["succeeded"], row["failed"]) == (0.25, 1, 2, 1)
    assert (row["lost"], row["lost_runs"]) == (None, 0)
    (alone,) = summarize(grade_rows([early])).sets
    assert (alone["gap"], alone["gap_runs"]) == (None, 0)


def test_regret_of_failed_runs_is_averaged_where_known() -> None:
    averages = GradeRows()
    for name, lost in ((HOUSE[0], 0.5), (HOUSE[0], 0.25), (HOUSE[1], 0.0), (HOUSE[2], None)):
        averages.add(run(name, 0.1), lost=lost)
    averages.add(run(HOUSE[3], 1.0, success=True), lost=0.75)  # it has not failed
    (row,) = summarize(averages).sets
    assert (row["lost"], row["lost_runs"], row["failed"]) == (0.1875, 3, 4)


def test_efficiency_against_optimum_is_that_of_successes() -> None:
    grades = [recipe(TIMED[0], 0.8), recipe(TIMED[1], 1.0, success=False)]
    (row,) = summarize(grade_rows(grades)).sets
    assert row["r_efficiency_optimal"] == 0.8


def test_invalid_metric_is_rejected_before_counting() -> None:
    averages = GradeRows()
    averages.add(run(HOUSE[0], 0.5))
    before = averages.frame()
    assert averages.accepts(run(HOUSE[0], 0.25))
    for wrong in (float("nan"), float("inf"), 10**400):
        assert not averages.accepts(run(HOUSE[0], wrong))
        with pytest.raises(ValueError, match="must be finite"):
            averages.add(run(HOUSE[0], wrong))
    assert averages.frame().equals(before)


def test_equal_runs_need_no_further_memory() -> None:
    grades = grade_rows([run(HOUSE[0], 0.5)] * 100 + [run(HOUSE[0], 0.25)] * 2)
    ((_, first, count), (_, second, other_count)) = grades.tables()["timearena"].counted_outcomes()
    assert (first == second, count, other_count) == (False, 100, 2)
    assert summarize(grades).sets[0]["submissions"] == len(grades.frame()) == 102


# --- intervals -----------------------------------------------------------------------------------


def test_intervals_of_scores_are_those_of_means() -> None:
    values = np.random.default_rng(0).random(30)
    strata = [i // 10 for i in range(30)]
    scores = [ProblemScore(value, stratum, 1 / 30) for value, stratum in zip(values.tolist(), strata, strict=True)]
    (low, high), other = mean_interval(scores, draws=10_000) or (0, 0), intervals({"x": Sample(values, "mean")}, strata)
    assert (low, high) == pytest.approx(other["x"], abs=0.003)


def test_problems_of_unequal_shares_vary_around_their_weighted_mean() -> None:
    scores = [ProblemScore(0.0, "a", 1 / 4), ProblemScore(1.0, "b", 3 / 4)]
    assert mean_interval(scores) == pytest.approx((3 / 8, 9 / 8))


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_ends_of_a_mean_of_many_problems_are_normal_quantiles(level: float) -> None:
    values = np.random.default_rng(1).random(200)
    low, high = intervals({"x": Sample(values, "mean")}, [0] * 200, level=level, draws=4_000)["x"] or (0.0, 0.0)
    reach = NormalDist().inv_cdf((1 + level) / 2) * np.std(values, ddof=1) / 200**0.5
    assert [low, high] == pytest.approx([np.mean(values) - reach, np.mean(values) + reach], abs=0.06 * reach)


def test_number_of_draws_does_not_depend_on_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = {"x": Sample(np.arange(5.0) ** 2, "median")}
    expected = intervals(sample, "aaaaa", draws=40)
    monkeypatch.setattr(bootstrap, "_BLOCK", 35)
    assert intervals(sample, "aaaaa", draws=40) == expected


def test_median_between_opposite_infinities_is_missing() -> None:
    with np.errstate(invalid="raise"):
        medians = bootstrap.weighted_median(np.array([np.inf, -np.inf]), np.array([[1.0, 1.0], [1.0, 0.0]]))
    assert np.isnan(medians[0])
    assert medians[1] == np.inf


@pytest.mark.slow
@pytest.mark.parametrize(("count", "samples", "spread"), [(30, 1, 0.4), (30, 4, 0.4), (30, 4, 0.0), (100, 8, 0.2)])
def test_coverage_of_intervals(count: int, samples: int, spread: float) -> None:
    source = np.random.default_rng(7)
    hits = 0
    for seed in range(300):
        levels = 0.5 + spread * source.uniform(-1, 1, count)
        scores = [ProblemScore(source.binomial(samples, p) / samples, 0, 1 / count) for p in levels]
        low, high = mean_interval(scores, draws=400, seed=seed) or (1, 0)
        hits += low <= 0.5 <= high
    assert 0.91 <= hits / 300 <= 0.985


def test_intervals_of_tables() -> None:
    source = random.Random(5)
    grades = [run(name, source.random()) for name in HOUSE for _ in range(4)]
    (row,) = summarize(grade_rows(grades)).sets
    assert 0 <= row["main_score_low"] < row["main_score"] < row["main_score_high"] <= 1
    (more,) = summarize(grade_rows(grades * 100)).sets  # no problem more
    assert more["main_score_high"] - more["main_score_low"] > 0.5 * (row["main_score_high"] - row["main_score_low"])
    (model,) = summarize(grade_rows(grades)).models
    assert [model[key] for key in ("main_score_low", "main_score_high")] == [
        row["main_score_low"],
        row["main_score_high"],
    ]


def test_interval_of_equal_problems_is_wide() -> None:
    for score in (0.0, 1.0):
        (row,) = summarize(grade_rows([run(name, score) for name in HOUSE])).sets
        low, high = row["main_score_low"], row["main_score_high"]
        assert high - low == pytest.approx(0.2775, abs=1e-4)  # z² / (10 + z²): Wilson's for 0 of 10, or 10 of 10
        assert score in (low, high)
    (alone,) = summarize(grade_rows([run(HOUSE[0], 1.0)] * 5)).sets
    assert (alone["main_score_low"], alone["main_score_high"]) == (None, None)


def test_interval_over_sets_is_that_of_their_mean() -> None:
    source = random.Random(9)
    grades = [run(name, source.random()) for name in (*HOUSE, *COOK[:5])]
    (row,) = summarize(grade_rows(grades)).models
    rows = summarize(grade_rows(grades)).sets
    halves = [(one["main_score_high"] - one["main_score_low"]) / 2 for one in rows]
    expected = (
        sum(half**2 for half in halves) ** 0.5 / 2
    )  # interval of the mean of two sets that are drawn independently
    assert (row["main_score_high"] - row["main_score_low"]) / 2 == pytest.approx(expected, rel=0.1)


def test_sets_of_one_problem_give_an_interval() -> None:
    grades = [run(HOUSE[0], 0.2), run(COOK[0], 0.8)]
    (row,) = summarize(grade_rows(grades)).models
    assert row["main_score_low"] <= 0.2 < 0.8 <= row["main_score_high"]
    assert all(one["main_score_low"] is None for one in summarize(grade_rows(grades)).sets)
