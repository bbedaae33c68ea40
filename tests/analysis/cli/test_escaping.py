"""Visible characters only: both streams and all formats, for input with any characters."""

from __future__ import annotations

import ast
import base64
import csv
import io
import json
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.formulas import unescape_formulas
from support.samples import sample

import planoracle.analysis
import planoracle.heuristics
import planoracle.instances
import planoracle.solver
from planoracle.analysis.cli.commands import run_app
from planoracle.analysis.cli.output import Format, Table
from planoracle.analysis.console import escape_formulas
from planoracle.analysis.figures.style import plain as label
from planoracle.analysis.report.details import plain
from planoracle.instances.text import to_json, visible

#: Terminal sequences, direction marks, separators, invisible characters, and code points without a character.
HOSTILE = (
    *("\x1b[2J\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x9b31m", "\x90q\x9c", "\b\b\b", "\x7f", "a\rb\tc\x0bd\x0ce"),
    *("\u202eevil\u202c", "\u2066\u2069", "\u200e\u200f\u061c", "\u2028", "\u2029", "\x85", "\ufeff", "a\u200db"),
    *("\u200b", "\u00ad", "\ue000", "\U000e0041", "\ud800", "\udfff", "\U0010ffff", "\ufff9", "\u2063"),
)
ALL = "|".join(HOSTILE)
#: Texts in natural languages.
GOOD = (
    "naïve",
    "שלום",
    "نامه\u200cها",
    "日本語",
    "😀",
    "👩\u200d👩\u200d👧",
    "क्\u200dष",
    "✌🏽",
    "e\u0301",
    "<b>$x^2$</b>",
    "C:\\x",
)

WORKSHOP = {
    "format": "planoracle/instance",
    "version": 1,
    "name": f"shop {ALL}",
    "unit": f"tick {ALL}",
    "agents": [f"Ann {ALL}"],
    "resources": [{"name": f"oven {ALL}", "state": f"cold {ALL}"}],
    "tasks": [
        {
            "name": f"t {ALL}",
            "actions": [
                {"name": f"a {ALL}", "label": ALL, "duration": 2, "uses": [{"resource": f"oven {ALL}"}]},
                {"name": f"b {ALL}", "duration": 1, "after": [f"a {ALL}"]},
            ],
        }
    ],
}
ACTION = f"t {ALL}/a {ALL}"
NAMES = {
    "recipe2plan/timed/Cobbler_Pancakes": ("plan", f"Step(0, Cobbler, 10 min, 00:00) {ALL} Step(9, {ALL}, 1, 1)"),
    "timearena/household1": ("actions", ["wash cup", f"wash {ALL}", ALL]),
    "asynctool/files_1": ("turns", [ALL, {"id": ALL, "func_name": ALL, "params": {ALL: ALL}}, {"content": ALL}]),
    "kitchens/asynchronous/0_cheese_chicken_sandwich": ("actions", [ALL, f"Move {ALL} from {ALL} to {ALL}"]),
    ALL: ("plan", ALL),
}


def is_seen(text: str, keep: str = "\n") -> bool:
    return all(letter.isprintable() or letter in keep for letter in text)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Problem and submissions with hostile texts, in a folder with a hostile name."""
    folder: Path = tmp_path_factory.mktemp("spoken") / "x\x1b[31m\u202ey\x07"
    folder.mkdir()
    (folder / "shop.json").write_text(json.dumps(WORKSHOP))
    (folder / "bad.json").write_text(json.dumps(WORKSHOP | {ALL: ALL}))
    (folder / "plan.txt").write_text(json.dumps([{"action": ALL, "start": 0, "duration": 1}]))
    piece = {"action": ACTION, "start": 1, "duration": 2, "agent": f"Ann {ALL}"}
    own = [(str(folder / "shop.json"), ("plan", plan)) for plan in ([piece], [piece | {"agent": ALL}], [{ALL: ALL}])]
    rows = [
        {"id": f"{ALL} {k}", "model": ALL, "instance": name, field: value}
        for k, (name, (field, value)) in enumerate([*NAMES.items(), *own])
    ]
    lines = [*map(json.dumps, rows), f'{{"{ALL}'.encode("utf-8", "replace").decode(), json.dumps({"id": ALL})]
    (folder / "plans.jsonl").write_text("\n".join(lines), encoding="utf-8", newline="\n")
    return folder


def outputs_of(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *args: object) -> tuple[str, str]:
    """Run a command in this process; return standard output and standard error."""
    monkeypatch.setattr(sys, "argv", ["planoracle", *map(str, args)])
    monkeypatch.setenv("PLANORACLE_CACHE", "")
    assert run_app() in (0, 1, 2)
    output = capsys.readouterr()
    return output.out, output.err


TABLES = ("table", "json", "jsonl", "csv")
SUBCOMMANDS: list[tuple[str, str, tuple[str, ...], tuple[str, ...]]] = [
    ("instances", "shop.json", TABLES, ()),
    ("solve", "shop.json", TABLES, ("--jobs", "1")),
    ("solve", "shop.json", ("table",), ("-H", "improve")),
    ("compare", "shop.json", TABLES, ()),
    ("explain", "shop.json", ("text", *TABLES), ()),
    ("next", "shop.json", TABLES, ("--all",)),
    ("solve", "bad.json", ("table",), ("--jobs", "1")),
    ("instances", "no\x1b[31m\u202e.json", ("table",), ()),
    ("grade", "plans.jsonl", TABLES, ("--jobs", "1", "--no-cache", "--trace")),
    ("regret", "plans.jsonl", TABLES, ("--time-limit", "0.1")),
    ("critique", "plans.jsonl", ("text", "json", "jsonl"), ("--time-limit", "0.1")),
    ("repair", "plans.jsonl", TABLES, ("--time-limit", "0.1")),
    ("grade", "no\x1b[31m\u202e.jsonl", ("table",), ()),
]


@pytest.mark.parametrize(
    ("subcommand", "name", "form", "options"),
    sample(
        [(subcommand, name, form, options) for subcommand, name, forms, options in SUBCOMMANDS for form in forms],
        several=True,
    ),
    ids=lambda value: visible(value) if isinstance(value, str) else "",
)
def test_output_contains_only_visible_characters(
    subcommand: str,
    name: str,
    form: str,
    options: tuple[str, ...],
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    more = ("--instances", files) if name == "plans.jsonl" else ()
    out, err = outputs_of(monkeypatch, capsys, subcommand, files / name, "--format", form, *options, *more)
    assert is_seen(out)
    assert is_seen(err)
    assert "red" in out + err or "31m" in out + err  # they are reported
    if form in ("json", "jsonl") and name in ("shop.json", "plans.jsonl"):
        documents = json.loads(out) if form == "json" else [json.loads(line) for line in out.splitlines()]
        assert ALL in json.dumps(documents, ensure_ascii=False) or ALL in _texts(documents)  # nothing is lost


def _texts(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(map(_texts, value.items()))
    return " ".join(map(_texts, value)) if isinstance(value, list | tuple) else str(value)


@pytest.mark.parametrize(
    "args", [("--x\x1b[31m",), ("so\u202elve",), ("solve", "x", "--y\x1b[31m"), ("instances", "\x1b", "--schema")]
)
def test_usage_errors_contain_only_visible_characters(
    args: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = outputs_of(monkeypatch, capsys, *args)
    assert is_seen(out + err)
    assert "\\x1b" in err or "\\u202e" in err


@pytest.mark.slow
def test_figures_and_pages_contain_only_visible_characters(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    picture, page = tmp_path / "gantt.svg", tmp_path / "page.html"
    out, err = outputs_of(monkeypatch, capsys, "gantt", files / "shop.json", "-o", picture, "--time-limit", "1")
    assert is_seen(out + err)
    assert is_seen(picture.read_text(encoding="utf-8"))
    args = ("-o", page, "--title", ALL, "--regret-seconds", "0.1", "--instances", files)
    out, err = outputs_of(monkeypatch, capsys, "report", files / "plans.jsonl", *args)
    assert is_seen(out + err)
    text = page.read_text(encoding="utf-8")
    assert is_seen(text, keep="\n\t")
    chunks = re.findall(r'<script type="application/x-planoracle" id="chunk-\d+">([^<]*)</script>', text)
    assert chunks
    for chunk in chunks:
        assert is_seen(_texts(json.loads(zlib.decompress(base64.b64decode(chunk)))), keep="\n\t")


# --- the one function -------------------------------------------------------------------------------


@given(st.text())
@pytest.mark.slow
def test_visible_characters_are_not_escaped(text: str) -> None:
    escaped = visible(text)
    assert is_seen(escaped, keep="\u200c\u200d")
    assert visible(escaped) == escaped
    assert escaped == text or not text.isprintable()
    assert json.loads(to_json(text)) == text
    assert is_seen(to_json([text, {text: text}], indent=1))


@pytest.mark.parametrize("text", GOOD)
def test_texts_in_natural_languages_are_not_changed(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize("text", [*HOSTILE, ALL])
def test_all_escape_functions_return_only_visible_characters(text: str) -> None:
    assert is_seen(visible(text), keep="")
    assert is_seen(label(text), keep="")
    assert is_seen(plain(text, 2_000), keep="\n\t")
    assert visible(f"a\n{text}", keep="\n").startswith("a\n")


def test_escapes_follow_python_literals() -> None:
    assert visible("\x1b[0m\n\u202e\U000e0041\ud800\u200d") == r"\x1b[0m\n\u202e\U000e0041\ud800\u200d"


def _csv(*values: Any) -> list[dict[str, str]]:
    stream = io.StringIO()
    table = Table(Format.csv, ["x"], stream=stream)
    for value in values:
        table.add({"x": value})
    table.close()
    return list(csv.DictReader(io.StringIO(stream.getvalue())))


FORMULAS = [
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    '=HYPERLINK("http://x")',
    "--1",
    "=1",
    "'=1",
    ' "=1',
    " @x",
    "＝1",
    "- 5 %",
]


def test_formulas_in_csv_texts_are_escaped_and_numbers_are_not() -> None:
    assert [row["x"] for row in _csv(*FORMULAS)] == [f"'{text}" for text in FORMULAS]
    others = [-1, -0.5, "-1", "+2.5", "-1e-3", "a=1", "", "'quoted'", "two\nlines", "-.5", "a; -1"]
    assert [row["x"] for row in _csv(*others)] == [str(value) for value in others]
    assert [row["x"] for row in _csv("\t=1", "\r=1")] == [r"\t=1", r"\r=1"]
    # Spreadsheets may be set to other separators of cells and rows, such as semicolons.
    assert [row["x"] for row in _csv("a;=1", "a\n=1\n- b")] == ["a;'=1", "a\n'=1\n'- b"]


def test_formulas_in_lists_and_objects_are_escaped() -> None:
    cells = [{"why": ';=HYPERLINK("http://x")'}, [["; @SUM(1)"], "fine"], {";+1+1": {"deep": [";-a"]}}, [1, -2.5, None]]
    cells_read = [row["x"] for row in _csv(*cells)]
    assert not any(re.search(r"[;\t\r\n][^\S;\t\r\n\"]*[=+@-]", cell) for cell in cells_read)
    assert [json.loads(unescape_formulas(cell)) for cell in cells_read] == cells
    assert cells_read[-1] == "[1, -2.5, null]"


def test_formulas_in_column_names_are_escaped() -> None:
    stream = io.StringIO()
    table = Table(Format.csv, ["x"], stream=stream)
    table.add({"=1+1": 1})
    table.close()
    assert stream.getvalue() == "'=1+1\n1\n"


@pytest.mark.slow
@given(st.text(alphabet="=+-@'\" ;\n\t\r1.eax＝"))
def test_escaped_formulas_can_be_restored(text: str) -> None:
    escaped = escape_formulas(text)
    assert unescape_formulas(escaped) == text
    assert escape_formulas(escaped).count("'") >= escaped.count("'")
    starts = [part.lstrip(" '\"") for part in re.split(r"[;\t\r\n]", text) if not part.strip(" ").startswith("'")]
    number = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)? *")
    if any(part[:1] and part[0] in "=+-@＝" and not number.fullmatch(part) for part in starts):
        assert escaped != text


# --- the whole of the package -----------------------------------------------------------------------


def _modules() -> Iterator[tuple[Path, ast.Module]]:
    for package in (planoracle.instances, planoracle.heuristics, planoracle.solver, planoracle.analysis):
        folder = Path(next(iter(package.__path__)))
        for path in sorted(folder.rglob("*.py")):
            yield folder.name / path.relative_to(folder), ast.parse(path.read_text("utf-8"))


@pytest.mark.slow
def test_only_console_module_writes_to_streams() -> None:
    """One module writes to the streams, and one function writes the JSON of commands.

    The checkers of proofs stand alone, and print lines for the bound and the schedule, that of DRCP proofs also
    one for infeasibility. Workers of the readers print escaped warnings without the command line.
    """
    writers = []
    for path, tree in _modules():
        calls = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
        for call in calls:
            prints = call == "print" or re.search(r"\.s?echo$|std(out|err)(\.buffer)?\.write$", call)
            dumps = call == "json.dumps" and path.parent == Path("analysis/cli")
            if prints or dumps:
                writers.append((str(path), call))
    checker, worker = "solver/proofs/checker.py", "instances/workers/worker.py"
    drcp_checker = "solver/proofs/drcp_checker.py"
    expected = [worker, checker, checker, *[drcp_checker] * 3, *["analysis/console.py"] * 3]
    assert sorted(writers) == sorted((name, "print") for name in expected)
