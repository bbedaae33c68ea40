"""What is shown where there is little room, and what is left to programs."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from support.runner import CliRunner
from support.samples import sample

from planoracle.analysis import spoken
from planoracle.analysis.cli import app
from planoracle.analysis.cli.drawing import draw, folded, room
from planoracle.analysis.cli.fitting import fit, shorten
from planoracle.analysis.cli.output import BULKY, Format, Table
from planoracle.analysis.cli.progress import Estimate

ROWS = [
    {"instance": f"kitchen/breakfast/{name}", "status": "optimal", "makespan": 4080, "seconds": 0.5, "proof": proof}
    for name, proof in (("porridge-and-tea", "lower bound reached"), ("eggs", "search in order of the names"))
]
COLUMNS = list(ROWS[0])
NAMES = ("recipe2plan/timed/Cobbler_Pancakes", "recipe2plan/untimed/Leche-Asada_Chicken-Rice")


def drawn(width: int | None, *, encoding: str = "utf-8", wide: bool = False, rows: Any = ROWS, **more: Any) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding, errors="backslashreplace")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "" if width is None else str(width))
        draw(rows, COLUMNS, stream, least=("seconds", "proof"), wide=wide, **more)
    stream.flush()
    return raw.getvalue().decode(encoding)


def run(*args: object, columns: int | None = None) -> Any:
    env = {"COLUMNS": None if columns is None else str(columns)}
    return CliRunner().invoke(app, list(map(str, args)), env=env, catch_exceptions=False)


# --- tables ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [40, 50, 60, 80, 100, 200])
def test_no_line_is_longer_than_there_is_room(width: int) -> None:
    lines = drawn(width).splitlines()
    assert max(map(len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)
    (named,) = (line for line in lines if "porridge-and-tea" in line)  # in one piece
    assert "optimal" in named


def test_columns_go_by_importance_and_are_named() -> None:
    text = drawn(70)
    assert "seconds" not in text.partition("no room for")[0]
    assert "no room for seconds: --wide shows them" in text
    assert "proof" in text.partition("no room for")[0]
    assert "no room" not in drawn(100)


@pytest.mark.parametrize("options", [{"width": None}, {"width": 40, "wide": True}])
def test_everything_is_shown_where_lines_have_no_end(options: dict[str, Any]) -> None:
    text = drawn(**options)
    for row in ROWS:
        for value in (row["instance"], "4080", "0.500", row["proof"]):
            assert value in text
    assert "no room" not in text


def test_a_terminal_of_other_letters_gets_its_own() -> None:
    text = drawn(45, encoding="ascii")
    assert "~reakfast/porridge-and-tea" in text
    assert "\\u" not in text


def test_colour_is_asked_for_by_nobody_who_sets_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in drawn(80, title="x")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in drawn(80, title="x")


def test_the_room_is_that_of_the_terminal_unless_columns_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    termios = pytest.importorskip("termios")
    master, slave = os.openpty()
    with os.fdopen(master, "wb"), os.fdopen(slave, "w") as terminal:
        termios.tcsetwinsize(slave, (24, 91))
        for given, width in {"": 91, "x": 91, "0": 91, "44": 44}.items():
            monkeypatch.setenv("COLUMNS", given)
            assert room(terminal) == width
    monkeypatch.setenv("COLUMNS", "")
    assert room(io.StringIO()) is None


texts = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=40)


@given(st.lists(texts, min_size=1, max_size=8), st.integers(6, 60))
def test_names_are_shortened_to_what_there_is(names: list[str], width: int) -> None:
    made = shorten(names, width, measure=cell_len)
    assert all(cell_len(one) <= width for one in made)
    assert [one for one, name in zip(made, names, strict=True) if cell_len(name) <= width] == [
        name for name in names if cell_len(name) <= width
    ]


@given(st.dictionaries(texts, st.lists(texts, min_size=2, max_size=2), min_size=1, max_size=8), st.integers(30, 150))
def test_columns_fit_whatever_they_hold(cells: dict[str, list[str]], width: int) -> None:
    fitted = fit(cells, {name: name for name in cells}, width, measure=cell_len)
    assert next(iter(cells)) in fitted.widths
    assert set(fitted.widths) | set(fitted.left_out) == set(cells)
    if len(fitted.widths) > 1:
        assert sum(fitted.widths.values()) + 2 * (len(fitted.widths) - 1) <= width


@pytest.mark.parametrize("columns", ["", "80"])
@pytest.mark.parametrize("long", ["x" * 100_000, "é" * 20_000, "a word " * 10_000, "\x1b" * 10_000])
def test_one_long_text_does_not_make_every_line_long(long: str, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    rows = [{"id": str(number), "reason": "late", "makespan": 7} for number in range(200)]
    rows += [{"id": long, "reason": "late", "makespan": 7}, {"id": "last", "reason": long, "makespan": 7}]
    written = io.StringIO()
    draw(rows, ["id", "reason", "makespan"], written, wide=True)
    assert max(map(len, written.getvalue().splitlines())) < 1_100
    assert len(written.getvalue()) < 500_000
    assert all(f"\n  {number} " in written.getvalue() for number in range(200))


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 100, 200])
def test_verbs_keep_to_the_room_there_is(columns: int, tmp_path: Path) -> None:
    plan = {"id": "a", "instance": NAMES[0], "plan": "Step(0, Cobbler, 0, 0)"}
    (tmp_path / "plans.jsonl").write_text(json.dumps(plan))
    for verb in (("solve", *NAMES), ("compare", *NAMES), ("instances", *NAMES), ("grade", tmp_path / "plans.jsonl")):
        result = run(*verb, columns=columns)
        tables = [line for line in result.stdout.splitlines() if not line.startswith(("note", "error"))]
        assert max(map(len, tables)) <= columns
        assert "Cobbler_Pancakes" in result.stdout


# --- csv, and columns somebody asks for -----------------------------------------------------------


@pytest.mark.slow
def test_csv_is_for_spreadsheets_unless_all_is_asked_for() -> None:
    (row,) = csv.DictReader(io.StringIO(run("solve", NAMES[0], "-f", "csv").stdout))
    assert not BULKY & set(row)
    assert (row["instance"], row["makespan"]) == (NAMES[0], "4080")
    (row,) = csv.DictReader(io.StringIO(run("solve", NAMES[0], "-f", "csv", "--all-columns").stdout))
    assert {"plan", "schedule", "versions"} <= set(row)
    assert json.loads(row["schedule"])


@pytest.mark.slow
@pytest.mark.parametrize("form", sample(["csv", "json", "jsonl"]))
def test_columns_that_are_asked_for_are_shown(form: str) -> None:
    result = run("solve", NAMES[0], "-f", form, "--columns", "plan,makespan,mkespan")
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
    else:
        rows = json.loads(result.stdout) if form == "json" else [json.loads(result.stdout)]
    assert [list(row) for row in rows] == [["plan", "makespan", "mkespan"]]
    assert str(rows[0]["makespan"]) == "4080"
    assert "warning: no result has a column 'mkespan': must be one of " in result.stderr
    assert "did you mean makespan?" in result.stderr


@pytest.mark.slow
def test_columns_of_a_table_are_those_asked_for() -> None:
    result = run("solve", NAMES[0], "--columns", "makespan,status", columns=80)
    assert result.stdout.split()[:2] == ["makespan", "status"]
    assert "lower" not in result.stdout


def test_a_table_beside_another_has_columns_of_its_own() -> None:
    from planoracle.analysis.cli.view import viewable

    def verb(form: Format = Format.csv) -> list[str]:
        written = []
        for title in ("", "averages"):
            stream = io.StringIO()
            table = Table(form, ["a"], title, stream)
            table.add({"a": 1, "b": 2})
            table.close()
            written.append(stream.getvalue().split("\n")[0])
        return written

    assert viewable(verb)(form=Format.csv, wide=False, some_columns="b", all_columns=False) == ["b", "a,b"]
    assert verb() == ["a,b", "a,b"]


# --- progress -------------------------------------------------------------------------------------


def left(*seen: tuple[float, float], total: float = 100, at: float | None = None) -> float | None:
    estimate = Estimate()
    for second, done in seen:
        estimate.seen(done, at=second)
    return estimate.left(total, seen[-1][0] if at is None else at)


def test_nothing_is_promised_without_a_basis() -> None:
    assert left((0, 1), (60, 2)) is None  # two are no basis
    assert left(*((k / 10, k) for k in range(1, 30))) is None  # nor are three seconds
    assert left(*((k * k, k) for k in range(1, 9))) is None  # nor a speed that changes all the time
    assert left(*((k, k) for k in range(1, 9)), total=0) == 0


def test_the_time_to_begin_does_not_count() -> None:
    slow_start = [(0.0, 0.0), (50.0, 1.0), *((50 + k / 2, 1.0 + k) for k in range(1, 20))]
    assert left(*slow_start) == pytest.approx(40)


def test_the_speed_is_that_of_late() -> None:
    faster = [(float(k), 1 + k * 0.1) for k in range(100)] + [(100.0 + k, 11.0 + k) for k in range(31)]
    assert left(*faster, total=71) == pytest.approx(30)
    assert left(*faster, total=71, at=140) == pytest.approx(20)
    assert left(*faster, total=71, at=200) is None  # something takes longer than all before


@pytest.mark.slow
def test_results_stay_on_standard_output_whatever_is_drawn_on_standard_error(tmp_path: Path) -> None:
    pytest.importorskip("termios")
    (tmp_path / "plans.jsonl").write_text(json.dumps({"id": "a", "instance": "timearena/lab1", "actions": ["wait"]}))
    master, slave = os.openpty()
    call = [sys.executable, "-c", "from planoracle.analysis.cli import main; main()", "critique", "plans.jsonl"]
    with os.fdopen(master, "rb"):
        ended = subprocess.run([*call, "--no-regret"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=slave, check=False)
        os.close(slave)
    assert ended.stdout.startswith(b"== a (timearena/lab1)\nResult: ")


def test_what_is_drawn_goes_before_a_line_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[str] = []
    monkeypatch.setattr(spoken, "drawn", [lambda: gone.append("bar")])
    spoken.say("a")
    spoken.say("b")
    assert gone == ["bar"]


def test_prose_is_broken_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    text = "The plan ends when half of it is done.\n\nrecipe2plan/timed/Cobbler_Pancakes is long."
    lines = folded(text, sys.stdout).split("\n")
    assert lines == ["The plan ends when", "half of it is done.", "", "recipe2plan/timed/Cobbler_Pancakes", "is long."]
    monkeypatch.setenv("COLUMNS", "")
    assert folded(text, io.StringIO()) == text


# --- the call -------------------------------------------------------------------------------------


def test_verbs_are_grouped_by_what_they_are_for() -> None:
    text = run("--help", columns=80).stdout
    order = [text.index(f"─ {panel} ─") for panel in ("Solve", "Grade", "Understand", "Make", "Look")]
    assert order == sorted(order)
    for verb in ("solve", "benchmark", "instances", "next"):
        assert f"│ {verb} " in text


@pytest.mark.parametrize(
    ("begun", "offered"),
    [
        ("solve recipe2plan/ti", "recipe2plan/timed"),
        ("next timearena/lab10+lab1+", "timearena/lab10+lab1+lab2"),
        ("gr", "grade"),
    ],
)
def test_a_shell_is_told_how_a_word_may_go_on(begun: str, offered: str) -> None:
    env = {
        "_PLANORACLE_COMPLETE": "complete_bash",
        "COMP_WORDS": f"planoracle {begun}",
        "COMP_CWORD": str(len(begun.split())),
    }
    result = CliRunner().invoke(app, [], env=env, prog_name="planoracle")
    assert result.stdout.split() == [offered]
