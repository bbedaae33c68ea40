"""Metadata of the report page and remarks on submissions; the same input gives the same bytes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.runner import CliRunner

from planoracle import __version__
from planoracle.analysis.cli import app
from planoracle.analysis.figures import colours
from planoracle.analysis.figures.colours import method_colour
from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.report.build import build, date_of
from planoracle.analysis.report.work import entries_of
from planoracle.instances.errors import InputError
from tests.support.reports import HOUSE, MARKUP, chunks, write

ROW = {"id": "a", "model": "m", "instance": HOUSE, "actions": ["wash cup", "wait"]}
DAY = 86_400


def index_of(rows: list[Any], **options: Any) -> dict[str, Any]:
    index: dict[str, Any] = chunks(build(entries_of(enumerate(rows, 1)), regret_seconds=0.0, **options).html)[0]
    return index


@pytest.mark.slow
def test_footer_has_versions_and_rules() -> None:
    foot = index_of([ROW, {"id": "b", "instance": "moon/1", "plan": ""}], day="2026-11-22")["about"]
    assert foot["date"] == "2026-11-22"
    assert foot["versions"]["planoracle"] == __version__
    assert foot["versions"].keys() == {"planoracle", "ortools"}
    (benchmark,) = foot["benchmarks"]
    assert (benchmark["title"], benchmark["brought"]) == ("TimeArena", None)
    assert ["max_wrong_streak", "5"] in benchmark["rules"]
    assert all(isinstance(value, str) for _, value in benchmark["rules"])
    assert index_of([ROW])["about"]["date"] is None


def test_date_of_input(tmp_path: Path) -> None:
    file = write(tmp_path / "plans.jsonl", [ROW])
    os.utime(file, (3 * DAY, 3 * DAY))
    assert date_of(file, environment={}) == "1970-01-04"
    (tmp_path / "deep").mkdir()
    os.utime(write(tmp_path / "deep" / "more.jsonl", [ROW]), (9 * DAY, 9 * DAY))
    assert date_of(tmp_path, environment={}) == "1970-01-10"
    assert date_of(file, environment={"SOURCE_DATE_EPOCH": "0"}) == "1970-01-01"
    assert date_of(file, "2026-02-28", {"SOURCE_DATE_EPOCH": "0"}) == "2026-02-28"


@pytest.mark.parametrize(
    ("day", "moment", "reason"),
    [(day, None, "must be a date such as 2026-11-22") for day in ("tomorrow", "2026-02-30", "", "22.11.2026")]
    + [(None, moment, "SOURCE_DATE_EPOCH") for moment in ("now", "", "1e9", "9" * 30)],
)
def test_invalid_dates_are_rejected(day: str | None, moment: str | None, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        date_of(Path("-"), day, {} if moment is None else {"SOURCE_DATE_EPOCH": moment})


@pytest.mark.slow
def test_equal_input_gives_equal_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    path = write(tmp_path / "plans.jsonl", [ROW])
    pages = [tmp_path / "one.html", tmp_path / "two.html", tmp_path / "three.html"]
    for page, options in zip(pages, ([], [], ["--date", "2020-01-02"]), strict=True):
        assert CliRunner().invoke(app, ["report", str(path), "-o", str(page), *options]).exit_code == 0
    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert chunks(pages[2].read_text())[0]["about"]["date"] == "2020-01-02"


@pytest.mark.slow
def test_colours_are_those_of_the_figures() -> None:
    index = index_of([ROW])
    assert index["colours"]["tasks"] == list(colours.PALETTE)
    methods = index["colours"]["methods"]
    assert methods == {name: method_colour(name) for name in ("submission", "optimum")}
    assert set(methods.values()) <= set(colours.LINES)


@pytest.mark.slow
def test_metrics_have_meaning_and_unit() -> None:
    meanings = index_of([ROW])["words"]
    assert meanings["total_time"] == ["length of the run", "minutes"]
    assert meanings["best_score"][1] == "%"
    assert meanings["progress"][1] == "share"


def graded(**more: Any) -> dict[str, Any]:
    return json.loads(json.dumps(Grader().grade(ROW, 1).row())) | more  # type: ignore[no-any-return]


def test_page_has_remarks_on_reading() -> None:
    row = graded(read=2, read_from="last fenced block", ignored=3, other_problem=MARKUP, optimum_status="unknown",
                 optimum_bound=7, sample=0)  # fmt: skip
    rows = index_of([row, graded()])["rows"]
    for name, value in [("read", 2), ("from", "last fenced block"), ("ignored", 3), ("other", MARKUP)]:
        assert rows[name][0] == value
    assert (rows["status"][0], rows["bound"][0], rows["sample"]) == ("unknown", 7, [0, None])


def test_samples_with_equal_plans_have_their_own_numbers() -> None:
    rows = index_of([ROW | {"id": str(i), key: i} for i, key in enumerate(["sample", "epoch", "sample"])])["rows"]
    assert rows["sample"] == [0, 1, 2]
    assert len(set(zip(rows["chunk"], rows["place"], strict=True))) == 1
    assert "sample" not in index_of([ROW])["rows"]


@pytest.mark.parametrize(
    "wrong", [{"read": "two"}, {"ignored": -1}, {"sample": -1}, {"sample": 1.5}, {"optimum_bound": True}]
)
def test_invalid_counts_are_omitted(wrong: dict[str, Any]) -> None:
    rows = index_of([graded(**wrong)])["rows"]
    assert not any(isinstance(value, str | float | bool) for name in ("read", "ignored", "bound")
                   for value in rows.get(name, []))  # fmt: skip
