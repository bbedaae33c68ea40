"""Tables of runs: shares of single runs, causes of failure and pairs of models, by hand."""

from __future__ import annotations

from collections import Counter
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.grades import grade_rows
from support.samples import examples

from planoracle.analysis.frames.schema import records
from planoracle.analysis.grading.grader import Grade
from planoracle.analysis.statistics.grade_columns import GradeRows
from planoracle.analysis.statistics.groups import failure_causes
from planoracle.analysis.statistics.model_tables import causes_of_models, pairs_of_models
from planoracle.analysis.statistics.run_table import RunTable
from planoracle.instances.protocol.scoring import Average

CAUSES = ("late", "unfinished", "not scored", None)


@pytest.mark.parametrize(
    ("value", "share"),
    [((6, 3), 0.5), ((0, 3), 0.0), ((-6, 3), -0.5), (5, 1.25), ((2, 0), inf), ((0, 0), nan), (None, nan)],
)
def test_share_of_a_run_is_its_ratio_divided_by_the_best_value(value: Any, share: float) -> None:
    figure = Average("speed", "", lambda row: row["speed"], full=4)
    table = RunTable("generic", [figure])
    outcome = table.outcome({"speed": value, "success": True, "makespan": 4, "optimal_makespan": 4}, None, success=True)
    assert table.share(outcome, figure) == pytest.approx(share, nan_ok=True)


def test_counted_names_are_hashable() -> None:
    table = RunTable("generic", [Average("names", "", aggregate="counts")])
    row = {"success": True, "makespan": 4, "optimal_makespan": 4}
    assert table.outcome({**row, "names": ["x", "x"]}, None, success=True).names == (("x", "x"),)
    assert table.outcome({**row, "names": {"x": 2, "y": 0}}, None, success=True).names == (("x", "x"),)
    with pytest.raises(TypeError):
        table.outcome({**row, "names": [["x"]]}, None, success=True)


def run(model: str, cause: str | None, problem: str = "mine/p") -> Grade:
    """Return a grade of a run that succeeded, failed by a cause, or was not scored."""
    if cause == "not scored":
        return Grade("x", problem, False, benchmark="generic", model=model, reason="unread")
    progress = {"late": 0.5, "unfinished": 0.25}.get(cause or "", 1.0)
    details: dict[str, Any] = {"violation": "late"} if cause == "late" else {}
    return Grade(
        *("x", problem, True, cause is None),
        benchmark="generic",
        model=model,
        makespan=4,
        optimal_makespan=4,
        progress=progress,
        goal_ratio=progress,
        **details,
    )


runs = st.lists(
    st.builds(run, st.sampled_from(["a", "b", ""]), st.sampled_from(CAUSES), st.sampled_from(["mine/p", "mine/q"])),
    max_size=12,
)


@examples(80)
@given(runs)
def test_causes_of_failure_are_counted_by_model_the_most_frequent_first(grades: list[Grade]) -> None:
    failures = Counter((grade.model or "unnamed", grade.failure_cause) for grade in grades if not grade.success)
    totals = Counter(grade.failure_cause for grade in grades)
    models = Counter(grade.model or "unnamed" for grade in grades)
    expected = []
    for (model, cause), count in failures.items():
        row = {"model": model, "failure_cause": cause, "count": count, "share": count / models[model]}
        expected.append(((cause == "not scored", -totals[cause], cause, model), row))
    rows = [row for _, row in sorted(expected, key=lambda entry: entry[0])]
    table = grade_rows(grades)
    assert causes_of_models(table) == rows
    if grades:
        assert records(failure_causes(table.frame())) == rows


def test_single_model_has_no_pairs() -> None:
    assert pairs_of_models(grade_rows([run("a", None)]), ["a"]) == []
    assert pairs_of_models(grade_rows([]), []) == []
    rows = pairs_of_models(grade_rows([run("a", None), run("b", "late")]), ["a", "b"])
    assert [(row["a"], row["b"], row["value"], row["wins"]) for row in rows][:1] == [("a", "b", "success", 1)]


def test_equal_runs_count_once_each_in_comparisons() -> None:
    grades = [run("a", None), run("a", None), run("a", "late"), run("b", None)]
    rows = {row["value"]: row for row in pairs_of_models(grade_rows(grades), ["a", "b"])}
    assert rows["success"]["mean_difference"] == pytest.approx(2 / 3 - 1)


def test_frame_without_grades_has_no_rows() -> None:
    frame = GradeRows().frame()
    assert (frame.columns.tolist(), len(frame)) == (["benchmark"], 0)
