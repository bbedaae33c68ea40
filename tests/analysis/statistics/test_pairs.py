"""Comparisons of methods: by hand, by invariances, and by coverage on simulated data."""

from __future__ import annotations

from itertools import product
from math import comb, inf, nan
from statistics import NormalDist, fmean, median
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.samples import examples

from planoracle.analysis import frames
from planoracle.analysis.statistics.bootstrap import Sample, intervals
from planoracle.analysis.statistics.pairs import holm, pairs, profiles, sign_test, wilson
from planoracle.instances.errors import InputError


def table(**methods: list[float | None]) -> pd.DataFrame:
    """One row per method and problem; ``None`` for no answer."""
    rows = [
        {"instance": f"p{i}", "method": method, "makespan": value}
        for method, values in methods.items()
        for i, value in enumerate(values)
    ]
    return pd.DataFrame(rows)


def one(frame: pd.DataFrame, **options: Any) -> pd.Series[Any]:
    rows = pairs(frame, [("a", "b")], draws=500, **options)
    assert len(rows) == 1
    return rows.iloc[0]


def test_pairs_by_hand() -> None:
    row = one(table(a=[2, 4, 6, 8], b=[4, 4, 3, 16]))
    assert (row["pairs"], row["wins"], row["ties"], row["losses"]) == (4, 2, 1, 1)
    assert row["mean_difference"] == (-2 + 0 + 3 - 8) / 4
    assert row["median_difference"] == -1.0
    assert row["mean_ratio"] == pytest.approx((0.5 * 1 * 2 * 0.5) ** 0.25)
    assert row["median_ratio"] == 0.75
    assert row["p_sign"] == 1.0
    assert (row["failed_a"], row["failed_b"], row["failed_both"], row["left_out"]) == (0, 0, 0, 0)


def test_failures_are_losses_and_infinitely_bad() -> None:
    row = one(table(a=[None, None, 3, 3, None], b=[5, 5, 3, 4, None]))
    assert (row["wins"], row["ties"], row["losses"]) == (1, 2, 2)
    assert (row["failed_a"], row["failed_b"], row["failed_both"]) == (3, 1, 1)
    assert row["mean_difference"] == -0.5  # of the two problems that both answer
    assert row["median_difference"] == 0.0  # of -1, 0, 0, inf, inf
    assert one(table(a=[None, None, 3], b=[5, 5, 3]))["median_difference"] == inf


@pytest.mark.parametrize("value", ["makespan", "gap", "gap_bound"])
def test_value_of_a_failed_plan_is_a_failure(value: str) -> None:
    frame = table(a=[1, 2], b=[3, 3]).assign(
        success=[False, True, True, True], gap=[0, 1, 2, 2], gap_bound=[0, 1, 2, 2]
    )
    row = one(frame, value=value)
    assert (row["wins"], row["losses"], row["failed_a"], row["failed_b"]) == (1, 1, 1, 0)


def test_answers_rejected_by_rules_are_failures() -> None:
    frame = table(a=[1, 2], b=[3, 3]).assign(accepted=[False, True, True, None])
    row = one(frame)
    assert (row["wins"], row["losses"], row["failed_a"]) == (1, 1, 1)


def test_infeasible_problems_are_excluded_and_counted() -> None:
    # A proof of one method holds for all.
    frame = table(a=[1, None], b=[2, None]).assign(settled=["optimal", "infeasible", "optimal", "unknown"])
    row = one(frame)
    assert (row["pairs"], row["wins"], row["left_out"], row["failed_both"]) == (1, 1, 1, 0)


def test_problem_with_rows_of_one_method_only() -> None:
    frame = pd.concat([table(a=[1, 2, 3]), table(b=[2, 2])])
    assert one(frame)[["pairs", "wins", "ties", "failed_b", "left_out"]].tolist() == [3, 2, 1, 1, 0]
    skipped = one(frame, absent="skipped")
    assert skipped[["pairs", "wins", "ties", "failed_b", "left_out"]].tolist() == [2, 1, 1, 0, 1]


def test_unscored_submissions_are_neither_wins_nor_losses() -> None:
    frame = pd.DataFrame(
        {
            "instance": ["x", "y", "z"] * 2,
            "model": ["a"] * 3 + ["b"] * 3,
            "scored": [True, False, True, True, True, True],
            "success": [True, None, False, True, True, True],
            "makespan": [4, None, 2, 5, 5, 5],
            "progress": [1.0, None, 0.3, 1.0, 1.0, 1.0],
        }
    )
    row = one(frame)
    assert row[["pairs", "wins", "losses", "failed_a", "left_out"]].tolist() == [
        2,
        1,
        1,
        1,
        1,
    ]  # z: makespan of a failure
    shares = one(frame, value="progress")
    assert shares["better"] == "higher"
    assert shares[["pairs", "ties", "losses"]].tolist() == [2, 1, 1]
    assert shares["mean_difference"] == pytest.approx(-0.35)


def test_problem_without_scored_runs_is_no_failure_of_others() -> None:
    frame = pd.DataFrame(
        {
            "instance": ["x", "x", "no such", None],
            "model": ["a", "b", "a", None],
            "scored": [True, True, False, False],
            "success": [True, True, None, None],
            "progress": [1.0, 1.0, None, None],
        }
    )
    assert pairs(frame, value="success", draws=10)[["a", "b", "ties", "left_out"]].values.tolist() == [["a", "b", 1, 2]]
    assert one(frame, value="progress")[["pairs", "ties", "left_out"]].tolist() == [1, 1, 2]
    nameless = frame.assign(model=["a", None, "a", None])
    assert pairs(nameless, value="success", draws=10)["b"].tolist() == ["unnamed"]


def test_runs_of_one_problem_count_as_one_problem() -> None:
    frame = pd.concat([table(a=[2, 3]), table(a=[4, None]), table(b=[3, 9])])
    row = one(frame)
    # Of the first, one run of a is better than b's and one is worse; of the second, one is better and one fails.
    assert row[["pairs", "wins", "ties", "losses", "failed_a"]].tolist() == [2, 0, 2, 0, 0]
    assert row["mean_difference"] == (0 - 6) / 2  # 3 - 3, and 3 - 9 of the run that does not fail
    assert row["median_difference"] == inf  # 3 - 3, and between 3 and a failure: inf - 9


def test_unknown_direction_of_better_values_is_refused() -> None:
    with pytest.raises(InputError, match="must be lower or higher") as refusal:
        one(table(a=[1], b=[2]), better="more")
    assert (refusal.value.field, refusal.value.value) == ("better", "more")


def test_mostly_failing_method_does_not_win_by_other_runs() -> None:
    runs = [table(a=[None, None]), table(a=[None, None]), table(a=[1, None]), table(b=[5, 5])]
    row = one(pd.concat(runs))
    assert row[["wins", "ties", "losses", "failed_a", "failed_b"]].tolist() == [0, 0, 2, 1, 0]
    steps = profiles(pd.concat(runs))
    assert steps[["method", "ratio", "share"]].values.tolist() == [
        ["a", 1.0, pytest.approx(1 / 6)],  # one of three runs for one of two problems
        ["b", 1.0, 0.5],
        ["b", 5.0, 1.0],
    ]


few_runs = st.lists(st.just(inf) | st.integers(1, 5), min_size=1, max_size=5)


def mean_of_finite(runs: list[float]) -> float:
    finite = [run for run in runs if run < inf]
    return fmean(finite) if finite else inf


@examples(300)
@given(few_runs, few_runs)
def test_several_runs_of_a_problem_by_definition(a: list[float], b: list[float]) -> None:
    """Wins count all pairs of runs, medians are over all runs, means over those that did not fail."""
    frames_of_runs = [table(a=[None if run == inf else run]) for run in a]
    frames_of_runs += [table(b=[None if run == inf else run]) for run in b]
    row = pairs(pd.concat(frames_of_runs), [("a", "b")], draws=1).iloc[0]
    balance = sum(int(np.sign(y - x)) for x, y in product(a, b) if x != y)
    assert row[["wins", "ties", "losses"]].tolist() == [balance > 0, balance == 0, balance < 0]
    assert row[["failed_a", "failed_b"]].tolist() == [min(a) == inf, min(b) == inf]
    assert row["median_difference"] == (0 if median(a) == median(b) else median(a) - median(b))
    assert row["median_ratio"] == pytest.approx(1 if median(a) == median(b) else median(a) / median(b))
    mean_a, mean_b = mean_of_finite(a), mean_of_finite(b)
    if inf in (mean_a, mean_b):
        assert row[["mean_difference", "mean_ratio"]].isna().all()
    else:
        assert row["mean_difference"] == pytest.approx(mean_a - mean_b, abs=1e-9)
        assert row["mean_ratio"] == pytest.approx(mean_a / mean_b)


def test_duplicated_runs_do_not_change_results() -> None:
    frame = table(a=[2, None, 6, 8], b=[4, 4, 3, None])
    assert pairs(pd.concat([frame] * 3), draws=200).equals(pairs(frame, draws=200))


values = st.lists(st.none() | st.integers(1, 40), min_size=1, max_size=12)


@examples(30)
@given(values, st.integers(2, 9))
@pytest.mark.slow
def test_results_do_not_depend_on_units_and_order(a: list[float | None], factor: int) -> None:
    b = [None if value is None else value + 3 * (i % 2) for i, value in enumerate(a)]
    frame = table(a=a, b=b)
    first = pairs(frame, [("a", "b")], draws=200)
    shuffled = pairs(frame.iloc[::-1], [("a", "b")], draws=200)
    pd.testing.assert_frame_equal(first, shuffled)
    scaled = pairs(frame.assign(makespan=frame["makespan"] * factor), [("a", "b")], draws=200)
    for name in ("wins", "ties", "losses", "p_sign"):
        assert first[name][0] == scaled[name][0]
    for name in ("mean_difference", "median_difference_low"):
        left, right = first[name][0], scaled[name][0]
        assert (pd.isna(left) and pd.isna(right)) or right == pytest.approx(factor * left)
    for name in ("mean_ratio", "median_ratio_high"):
        left, right = first[name][0], scaled[name][0]
        assert (pd.isna(left) and pd.isna(right)) or right == pytest.approx(left)


def coverage(statistic: Any, draw: Any, strata: list[int], truth: float, repeats: int = 300) -> float:
    random = np.random.default_rng(11)
    hits = 0
    for seed in range(repeats):
        sample = Sample(draw(random, len(strata)), statistic)
        low, high = intervals({"x": sample}, strata, draws=400, seed=seed)["x"]  # type: ignore[misc]
        hits += low <= truth <= high
    return hits / repeats


@pytest.mark.slow
def test_coverage_of_means_and_medians() -> None:
    def normal(random: np.random.Generator, count: int) -> Any:
        return random.normal(1.0, 2.0, count)

    def skewed(random: np.random.Generator, count: int) -> Any:
        return random.exponential(1.0, count)

    assert 0.90 <= coverage("mean", normal, [0] * 30, 1.0) <= 0.99
    assert 0.90 <= coverage("median", normal, [0] * 31, 1.0) <= 0.99
    assert 0.86 <= coverage("mean", skewed, [0] * 30, 1.0) <= 0.98


def test_strata_remove_differences_between_sets() -> None:
    random = np.random.default_rng(2)
    strata = [i // 20 for i in range(40)]
    sample = Sample(random.normal(0, 1, 40) + 100 * np.array(strata), "mean")
    inside = intervals({"x": sample}, strata)["x"]
    outside = intervals({"x": sample}, [0] * 40)["x"]
    assert inside is not None
    assert outside is not None
    assert inside[1] - inside[0] < 1.0 < 20 < outside[1] - outside[0]


@pytest.mark.parametrize(
    ("strata", "merged"), [("aaab", "aaaa"), ("aaabc", "aaabb"), ("abc", "aaa"), ("aabbc", "aabba")]
)
def test_strata_of_a_single_member_are_merged(strata: str, merged: str) -> None:
    sample = {"x": Sample(np.arange(len(strata)) ** 2.0, "mean")}
    assert intervals(sample, strata, draws=50) == intervals(sample, merged, draws=50)


def test_few_problems_have_no_interval() -> None:
    row = one(table(a=[1], b=[2]))
    assert row["mean_difference"] == -1
    assert row[["mean_difference_low", "median_ratio_high"]].isna().all()
    unanswered = one(table(a=[None], b=[2]))
    assert pd.isna(unanswered["mean_difference"])
    assert intervals({"x": Sample(np.array([]), "mean")}, [])["x"] is None


def test_sign_test_is_the_binomial_test() -> None:
    for wins in range(12):
        for losses in range(12):
            count, fewer = wins + losses, min(wins, losses)
            exact = min(1.0, 2 * sum(comb(count, k) for k in range(fewer + 1)) / 2**count)
            assert sign_test(wins, losses) == pytest.approx(exact)
    assert 0 < sign_test(5200, 4800) < 1e-4
    assert sign_test(100_000, 100_000) == 1.0


def test_holm_correction() -> None:
    frame = table(a=list(range(1, 13)), b=list(range(2, 14)), c=list(range(1, 13)))
    rows = pairs(frame, draws=50)
    assert (rows["p_adjusted"] >= rows["p_sign"]).all()
    assert rows.loc[0, "p_adjusted"] == pytest.approx(3 * rows.loc[0, "p_sign"])


def test_adjusted_values_keep_the_order_of_the_values() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.01]) == pytest.approx([0.6, 0.02])
    assert holm([0.6, 0.7]) == [1.0, 1.0]


def test_wilson_interval_of_all_or_none_ends_at_the_share() -> None:
    for count in range(1, 50):
        assert (wilson(0, count)[0], wilson(count, count)[1]) == (0.0, 1.0)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("count", [1, 2, 9, 30])
def test_wilson_interval_has_all_shares_that_the_score_test_accepts(count: int, level: float) -> None:
    assert wilson(0, 0, level) == (None, None)
    z = NormalDist().inv_cdf((1 + level) / 2)
    for hits in (step / 2 for step in range(2 * count + 1)):
        low, high = wilson(hits, count, level)
        assert low is not None
        assert high is not None
        assert low <= hits / count <= high
        assert (low, high) != (0.0, 1.0)
        for end in (low, high):
            if 0 < end < 1:
                assert (hits / count - end) ** 2 == pytest.approx(z * z * end * (1 - end) / count)


def test_ticks_of_different_benchmarks_are_not_added() -> None:
    frame = table(a=[1, 2], b=[2, 3]).assign(benchmark=["recipe2plan", "timearena"] * 2, gap=[0.1, 0.2] * 2)
    row = one(frame)
    assert row[["mean_difference", "median_difference"]].isna().all()
    assert row["mean_ratio"] == pytest.approx((1 / 2 * 2 / 3) ** 0.5)
    assert not pd.isna(one(frame, value="gap")["mean_difference"])


@pytest.mark.parametrize("values", [{"a": [0, 1], "b": [1, 2]}, {"a": [1, 2], "b": [0, 1]}])
def test_ratios_need_positive_values(values: dict[str, list[float | None]]) -> None:
    row = one(table(**values))
    assert row[["mean_ratio", "median_ratio"]].isna().all()
    assert row["wins"] + row["losses"] == 2


def test_chosen_method_is_the_second_of_its_pairs() -> None:
    rows = pairs(table(a=[1], b=[2], c=[3]), "b", draws=1)
    assert rows[["a", "b", "wins"]].values.tolist() == [["a", "b", 1], ["c", "b", 0]]


@pytest.mark.parametrize(("value", "wins"), [("efficiency", 1), ("progress", 0)])
def test_failure_is_worse_than_any_value_and_0_as_a_share(value: str, wins: int) -> None:
    frame = pd.DataFrame({"instance": ["x", "y"] * 2, "method": ["a", "a", "b", "b"], value: [0.0, 0.5, None, 0.5]})
    row = one(frame, value=value)
    assert row[["wins", "ties", "failed_b"]].tolist() == [wins, 2 - wins, wins]


@pytest.mark.parametrize(
    ("weight", "best_weight", "success", "compared"),
    [(5, 5, True, True), (0, 5, True, False), (4, None, True, False), (0, 5, False, True)],
)
def test_makespan_of_a_smaller_weight_is_neither_compared_nor_failed(
    weight: int | None, best_weight: int | None, success: bool, compared: bool
) -> None:
    frame = table(a=[3, 4], b=[3, 4]).assign(success=[True, success, True, True])
    weighted = frame.assign(weight=[1, weight, 1, 1], best_weight=[1, best_weight, 1, 1])
    row = one(weighted)
    expected = [2, 0] if compared else [1, 1]
    assert row[["pairs", "left_out"]].tolist() == expected
    assert row[["failed_a", "losses"]].tolist() == [not success] * 2


def test_profile_by_hand() -> None:
    frame = table(a=[10, 10, 10, None], b=[10, 12, 20, None], c=[20, None, 10, None])
    result = profiles(frame)
    steps = {name: part[["ratio", "share"]].to_numpy().tolist() for name, part in result.groupby("method")}
    assert steps == {
        "a": [[1.0, 0.75]],
        "b": [[1.0, 0.25], [1.2, 0.5], [2.0, 0.75]],
        "c": [[1.0, 0.25], [2.0, 0.5]],
    }
    assert set(result["problems"]) == {4}
    less = profiles(frame[frame["method"] != "a"])  # ratios depend on the compared methods
    assert less[less["method"] == "b"]["share"].tolist() == [0.5, 0.75]


def test_profile_against_the_optimum() -> None:
    frame = table(a=[10, 11, 9], b=[12, 10, 9]).assign(optimum=[10, 10, None] * 2)
    steps = profiles(frame, against="optimum")
    assert steps[["method", "ratio", "share"]].to_numpy().tolist() == [
        ["a", 1.0, 0.5],
        ["a", 1.1, 1.0],
        ["b", 1.0, 0.5],
        ["b", 1.2, 1.0],
    ]
    assert set(steps["left_out"]) == {1}


def test_results_are_frames_of_their_schemas() -> None:
    frame = table(a=[1, 2, None], b=[2, 2, 2])
    results = {"pairings": pairs(frame), "profiles": profiles(frame)}
    for name, result in results.items():
        pd.testing.assert_frame_equal(result.iloc[:0], frames.empty(name))


@pytest.mark.parametrize("function", [pairs, profiles])
def test_empty_frames_give_empty_results(function: Any) -> None:
    result = function(frames.empty("comparisons"), value="makespan")
    assert len(result) == 0
    assert len(function(frames.empty("grades"), value="makespan")) == 0


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"value": "speed"}, "value"),
        ({"value": "other"}, "better"),
        ({"label_column": "agent"}, "label_column"),
        ({"chosen": "nobody"}, "chosen"),
        ({"chosen": [("a", "z")]}, "chosen"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], field: str) -> None:
    frame = table(a=[1], b=[2]).assign(other=nan)
    with pytest.raises(InputError) as caught:
        pairs(frame, **options)
    assert caught.value.field == field
