"""Tables and texts on terminals, columns of csv, progress bars, and completion."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from support.runner import invoke
from support.samples import sample

from planoracle.analysis import console
from planoracle.analysis.cli.options import with_view
from planoracle.analysis.cli.output import BULKY, Format, Table, draw, print_text
from planoracle.instances.errors import UnknownNameError

ROWS = [
    {"instance": f"kitchen/breakfast/{name}", "status": "optimal", "makespan": 4080, "seconds": 0.5, "proof": proof}
    for name, proof in (("porridge-and-tea", "lower bound reached"), ("eggs", "search in order of the names"))
]
COLUMNS = list(ROWS[0])
NAMES = ("recipe2plan/timed/Cobbler_Pancakes", "recipe2plan/untimed/Leche-Asada_Chicken-Rice")


def drawn(width: int | None, *, encoding: str = "utf-8", wide: bool = False, rows: Any = ROWS) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding, errors="backslashreplace")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "" if width is None else str(width))
        draw(rows, COLUMNS, stream, wide=wide)
    stream.flush()
    return raw.getvalue().decode(encoding)


def run(*args: object, columns: int | None = None) -> Any:
    env = {"COLUMNS": None if columns is None else str(columns)}
    return invoke(*args, env=env, catch_exceptions=False)


# --- tables ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    lines = drawn(width).splitlines()
    assert max(map(len, lines)) <= width


def test_last_columns_are_omitted_and_named() -> None:
    text = drawn(70)
    assert "columns not shown: proof; --wide shows them" in " ".join(text.split())
    assert "4080" in text
    assert "not shown" not in drawn(100)


@pytest.mark.parametrize("options", [{"width": None}, {"width": 40, "wide": True}])
def test_all_columns_are_shown_without_a_terminal_or_with_wide(options: dict[str, Any]) -> None:
    text = drawn(**options)
    for row in ROWS:
        for value in (row["instance"], "4080", "0.500", row["proof"]):
            assert value in text
    assert "not shown" not in text


def test_tables_are_ascii_if_the_encoding_is() -> None:
    assert drawn(60, encoding="ascii").isascii()


@pytest.mark.parametrize("columns", sample(["", "80"]))
@pytest.mark.parametrize("long", sample(["x" * 100_000, "é" * 20_000, "a word " * 10_000, "\x1b" * 10_000]))
def test_long_text_does_not_widen_every_line(long: str, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    rows = [{"id": str(number), "reason": "late", "makespan": 7} for number in range(200)]
    rows += [{"id": long, "reason": "late", "makespan": 7}, {"id": "last", "reason": long, "makespan": 7}]
    written = io.StringIO()
    draw(rows, ["id", "reason", "makespan"], written, wide=True)
    assert max(map(len, written.getvalue().splitlines())) < 1_100
    assert len(written.getvalue()) < 500_000
    assert all(f"\n{number} " in written.getvalue() for number in range(200))


# --- csv, and columns somebody asks for -----------------------------------------------------------


@pytest.mark.slow
def test_csv_omits_long_columns_unless_requested() -> None:
    (row,) = csv.DictReader(io.StringIO(run("solve", NAMES[0], "-f", "csv").stdout))
    assert not BULKY & set(row)
    assert (row["instance"], row["makespan"]) == (NAMES[0], "4080")
    (row,) = csv.DictReader(io.StringIO(run("solve", NAMES[0], "-f", "csv", "--all-columns").stdout))
    assert {"plan", "schedule", "versions"} <= set(row)
    assert json.loads(row["schedule"])


@pytest.mark.slow
@pytest.mark.parametrize("form", sample(["csv", "json", "jsonl"]))
def test_requested_columns_are_shown(form: str) -> None:
    result = run("solve", NAMES[0], "-f", form, "--columns", "plan,makespan")
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
    else:
        rows = json.loads(result.stdout) if form == "json" else [json.loads(result.stdout)]
    assert [list(row) for row in rows] == [["plan", "makespan"]]
    assert str(rows[0]["makespan"]) == "4080"


def test_unknown_columns_are_refused_before_any_output() -> None:
    with pytest.raises(UnknownNameError, match="did you mean makespan"):
        run("solve", NAMES[0], "--columns", "plan,makespan,mkespan")


@pytest.mark.slow
def test_table_has_the_requested_columns() -> None:
    result = run("solve", NAMES[0], "--columns", "makespan,status", columns=80)
    assert result.stdout.split()[:3] == ["makespan", "(seconds)", "status"]
    assert "lower" not in result.stdout


def test_second_table_has_its_own_columns() -> None:
    def command(form: Format = Format.csv) -> list[str]:
        written = []
        for title in ("", "averages"):
            stream = io.StringIO()
            table = Table(form, ["a"], title, stream)
            table.add({"a": 1, "b": 2})
            table.close()
            written.append(stream.getvalue().split("\n")[0])
        return written

    assert with_view(command)(form=Format.csv, wide=False, some_columns="b", all_columns=False) == ["b", "a,b"]
    assert command() == ["a,b", "a,b"]


# --- progress -------------------------------------------------------------------------------------


def test_progress_bar_is_removed_before_a_line_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    removals: list[str] = []
    monkeypatch.setattr(console, "active_displays", [lambda: removals.append("bar")])
    console.say("a")
    console.say("b")
    assert removals == ["bar"]


def test_prose_is_wrapped_between_words(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = "The plan ends when half of it is done.\n\nIt is long."
    monkeypatch.setenv("COLUMNS", "20")
    print_text(text)
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines == ["The plan ends when", "half of it is done.", "", "It is long."]
    monkeypatch.setenv("COLUMNS", "")
    print_text(text)
    assert capsys.readouterr().out == text + "\n"


# --- completion -----------------------------------------------------------------------------------
