"""Intake of submissions from folders, tables, lists and logs, and of malformed input."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import struct
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.runner import CliRunner
from support.samples import sample

from planoracle.analysis.cli import app
from planoracle.analysis.intake import byte_streams
from planoracle.analysis.intake.formats import read_binary
from planoracle.analysis.intake.path_names import NO_HINTS, EntryError, layout_of, match_pattern
from planoracle.analysis.intake.record_fields import ticks
from planoracle.analysis.intake.submissions import Intake
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog, tables
from planoracle.solver.solve import solve
from tests.support.grades import read_submissions

HOUSE, LAB, COBBLER = "timearena/household1", "timearena/lab1+lab2", "recipe2plan/timed/Cobbler_Pancakes"
NAMES = (HOUSE, LAB, COBBLER)
GOOD = {"instance": HOUSE, "plan": "wait"}


@cache
def plan(name: str) -> Any:
    return solve(catalog.load(name)).plan


def entries_of(*paths: Path, **options: Any) -> list[tuple[Any, Any]]:
    return [(tuple(place), entry) for place, entry in Intake(paths, **options)]


def one(path: Path, **options: Any) -> dict[str, Any]:
    ((_, entry),) = entries_of(path, **options)
    assert not isinstance(entry, InputError), str(entry)
    return dict(entry)


def error(path: Path, **options: Any) -> str:
    ((_, entry),) = entries_of(path, **options)
    assert isinstance(entry, InputError), entry
    return str(entry)


def graded(*arguments: str | Path, code: int = 0) -> list[dict[str, Any]]:
    result = CliRunner().invoke(app, ["grade", *map(str, arguments), "-f", "jsonl"])
    assert result.exit_code == code, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def write_csv(path: Path, rows: list[dict[str, Any]], **options: Any) -> None:
    with path.open("w", newline="", encoding=options.pop("encoding", "utf-8")) as stream:
        writer = csv.DictWriter(stream, list(rows[0]), **options)
        writer.writeheader()
        writer.writerows(rows)


def write_log(path: Path, samples: list[dict[str, Any]], model: str = "lab/mini") -> None:
    head = {"version": 2, "status": "success", "eval": {"model": model, "task": "plans"}}
    if path.suffix == ".json":
        path.write_text(json.dumps(head | {"samples": samples}, indent=2))
        return
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": head["eval"], "plan": {}}))
        for sample in samples:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
        archive.writestr("header.json", json.dumps(head))


def sample_line(name: str, text: str, epoch: int = 1, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    messages = [{"role": "user", "content": "Plan!"}, message]
    output = {"model": "mini", "choices": [{"message": message, "stop_reason": "stop"}], "completion": text}
    return {"id": name, "epoch": epoch, "input": "Plan!", "messages": messages, "output": output, **more}


# --- what people have ----------------------------------------------------------------------------


@pytest.mark.slow
def test_three_models_in_four_formats_become_one_table(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    (runs / "texts").mkdir(parents=True)
    for name in NAMES:
        (runs / "texts" / f"{name.replace('/', '__')}.txt").write_text(plan(name))
    write_csv(runs / "tables.csv", [{"instance": name, "response": plan(name)} for name in NAMES[:2]])
    with gzip.open(runs / "tables.jsonl.gz", "wt") as stream:
        stream.write(json.dumps({"instance": COBBLER, "completion": plan(COBBLER)}))
    write_log(runs / "log.eval", [sample_line(name, plan(name)) for name in NAMES])
    rows = graded(runs)
    assert [(row["model"], row["instance"]) for row in rows if not row["success"]] == []
    assert sorted((row["model"], row["instance"]) for row in rows) == sorted(
        (model, name) for model in ("texts", "tables", "lab/mini") for name in NAMES
    )
    assert {row["source"] for row in rows} >= {"tables.csv", "tables.jsonl.gz", "log.eval"}
    assert {row["sample"] for row in rows} == {None, 1}
    result = CliRunner().invoke(app, ["grade", str(runs)])
    assert "{model}/{instance}.txt (3)" in result.stderr
    assert result.exit_code == 0


LAYOUTS = {
    "gpt/timearena__household1.txt": ("gpt", HOUSE, None),
    "gpt/timearena/household1.txt": ("gpt", HOUSE, None),
    "gpt/timearena__household1_3.txt": ("gpt", HOUSE, "3"),
    "gpt/3/timearena__household1.txt": ("gpt", HOUSE, "3"),
    "gpt/run_3/timearena__household1.txt": ("gpt", HOUSE, "3"),
    "timearena__household1.txt": ("runs", HOUSE, None),
    "gpt.jsonl": ("gpt", None, None),
    "llama.csv": ("llama", None, None),
    "all.jsonl": ("all", None, None),
}
PATTERNS = {
    "gpt/part1.csv": ("gpt", None, None),
    "timearena__household1/gpt.txt": ("gpt", HOUSE, None),
    "2026/gpt/timearena__household1-3.txt": ("gpt", HOUSE, "3"),
    "gpt/Cobbler_Pancakes.txt": ("gpt", COBBLER, None),
}


def test_documented_layouts_and_patterns_are_read() -> None:
    text = (Path(__file__).parents[3] / ".docs" / "reference" / "submissions.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.partition("*Paths.*")[2].partition("```")[0].splitlines()]
    layouts = {path: row[0] for row in rows if len(row) == 2 for path in re.findall(r"`([^`{}]+\.[a-z]+)`", row[1])}
    assert layouts.keys() == LAYOUTS.keys() | PATTERNS.keys()
    for path, (model, instance, number) in (LAYOUTS | PATTERNS).items():
        pattern = re.search(r"--pattern '(.*)'", layouts[path])
        layout = layout_of(path, "runs") if pattern is None else match_pattern(pattern[1])(path)
        assert layout is not None
        hints = layout[1]
        assert (hints.model, hints.instance, hints.sample) == (model, instance, number)


def test_rows_in_deeper_folders_name_the_model() -> None:
    assert layout_of("gpt/all.jsonl", "runs") == ("**/*.jsonl", NO_HINTS)


@pytest.mark.parametrize(
    "path",
    [
        "a/b/c/timearena__household1.txt",
        "gpt/household1.txt",
        "timearena__household1/gpt.txt",
        "gpt/timearena_lab1.txt",
    ],
)
def test_other_layouts_are_not_detected(path: str) -> None:
    assert layout_of(path, "runs") is None


def test_pattern_describes_other_layouts(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "first-gpt.txt").write_text("wait")
    (tmp_path / "a" / "notes.txt").write_text("wait")
    notes: list[str] = []
    entry = one(tmp_path, pattern="a/{instance}-{model}.txt", on_note=notes.append)
    assert (entry["instance"], entry["model"], entry["id"]) == ("first", "gpt", "a/first-gpt")
    assert "ignored: a/notes.txt" in notes[-1]
    with pytest.raises(InputError, match="matches no path"):
        Intake([tmp_path], pattern="{model}.csv")
    for wrong in (
        "{name}.txt",
        "{model}/{model}.txt",
        "{.txt",
        "{sample}{epoch}",
        "{model:gpt}.txt",
        "{instance:a}/{id:b}",
    ):
        with pytest.raises(UnknownNameError, match="may contain"):
            match_pattern(wrong)


def test_text_file_without_a_problem_is_an_error_and_other_files_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "gpt").mkdir()
    for name in ("gpt/timearena__household1.txt", "gpt/timearena__houshold2.txt", "README.txt", "plot.png"):
        (tmp_path / name).write_text("wait")
    notes: list[str] = []
    (_, first), ((_, source), second) = entries_of(tmp_path, on_note=notes.append)[::-1]
    assert (first, source) != (None, None)
    assert isinstance(first, InputError)
    assert "names no problem" in str(first)
    assert second["instance"] == HOUSE
    assert notes[-1].endswith("ignored: README.txt, plot.png")


@pytest.mark.slow
@pytest.mark.parametrize("end", sample([".csv", ".tsv", ".json", ".jsonl", ".parquet"]))
def test_tables_and_lists_are_read(tmp_path: Path, end: str) -> None:
    rows = [{"puzzle": name, "response": {"text": plan(name)}, "n": 3, "who": "m"} for name in NAMES]
    path = tmp_path / f"out{end}"
    columns = {"instance": "puzzle", "plan": "response.text", "sample": "n", "model": "who"}
    if end in (".csv", ".tsv"):
        columns["plan"] = "text"
        flat = [{**row, "text": row["response"]["text"]} for row in rows]
        write_csv(
            path,
            [{k: v for k, v in row.items() if k != "response"} for row in flat],
            delimiter="\t" * (end == ".tsv") or ";",
        )
    elif end == ".parquet":
        table = pytest.importorskip("pyarrow").Table.from_pylist(rows)
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
    elif end == ".json":
        path.write_text(json.dumps(rows, indent=1))
    else:
        path.write_text("\n".join(map(json.dumps, rows)))
    options = [word for field, column in columns.items() for word in ("--map", f"{field}={column}")]
    done = graded(path, *options)
    assert [(row["instance"], row["success"], row["model"], row["sample"]) for row in done] == [
        (name, True, "m", 3) for name in NAMES
    ]
    assert [row["source"] for row in done] == [None] * 3
    missing = graded(path, code=1)
    assert {row["reason"].partition(";")[0].split(": ", 1)[-1] for row in missing} == {"is missing"}
    assert all("puzzle" in row["reason"] for row in missing)
    assert all("--map instance=puzzle" in row["reason"] for row in missing)


def test_id_names_the_problem_of_a_row_without_other_names(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    rows = [{"id": HOUSE, "plan": "wait"}, {"id": "7", "plan": "wait"}, {"id": HOUSE, "instance": LAB, "plan": "wait"}]
    path.write_text("\n".join(map(json.dumps, rows)))
    first, second, third = (entry for _, entry in entries_of(path))
    assert (first["id"], first["instance"]) == (HOUSE, HOUSE)
    assert "instance: is missing" in str(second)
    assert third["instance"] == LAB


def test_error_of_another_grader_is_no_error_of_the_run(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    verdict = {"success": False, "error_type": "parse_error", "error": "no actions"}
    rows = [{"instance": HOUSE, "plan": "", "error": "out of credit"}, {"instance": HOUSE, "plan": "", **verdict}]
    path.write_text("\n".join(map(json.dumps, rows)))
    broken, failed = graded(path, code=1)
    assert (broken["scored"], failed["scored"], failed["violation"]) == (False, True, "no_plan")


def test_null_answer_that_another_grader_has_graded_is_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    rows = [{"instance": HOUSE, "response": None}, {"instance": HOUSE, "response": None, "correct": False}]
    path.write_text("\n".join(map(json.dumps, rows)))
    missing, failed = graded(path, code=1)
    assert (missing["scored"], failed["scored"], failed["violation"]) == (False, True, "no_plan")


@pytest.mark.slow
@pytest.mark.parametrize("name", sample(["log.eval", "log.json"]))
def test_logs_of_inspect_ai_are_read(tmp_path: Path, name: str) -> None:
    long, about = {"attachments": {"ab12": plan(LAB)}}, {"metadata": {"problem": LAB}}
    talk = sample_line(COBBLER, "x")
    talk["messages"] += [{"role": "user", "content": "On!"}, {"role": "assistant", "content": "y"}]
    samples = [
        sample_line(HOUSE.replace("/", "__"), plan(HOUSE)),
        sample_line(LAB, "attachment://ab12", 2, **long),
        talk,
        sample_line(HOUSE, "", 2, error={"message": "out of credit"}),
        {"id": 5, "epoch": 1, "output": {"choices": []}, "messages": [], "scores": {"x": float("nan")}, **about},
    ]
    write_log(tmp_path / name, samples)
    got = {(e.about if isinstance(e, EntryError) else e)["id"]: e for _, e in entries_of(tmp_path / name)}
    first = got[f"{HOUSE.replace('/', '__')}_epoch_1"]
    assert (first["instance"], first["plan"], first["model"], first["sample"]) == (HOUSE, plan(HOUSE), "lab/mini", 1)
    assert got[f"{LAB}_epoch_2"]["plan"] == plan(LAB)
    assert got[f"{COBBLER}_epoch_1"]["plan"] == talk["messages"]
    assert "the run ended with an error: out of credit" in str(got[f"{HOUSE}_epoch_2"])
    assert "(select one with --map instance=metadata.problem)" in str(got["5_epoch_1"])
    (row,) = (row for row in graded(tmp_path / name, code=1) if row["reason"] and "out of credit" in row["reason"])
    assert (row["instance"], row["model"], row["sample"], row["scored"]) == (HOUSE, "lab/mini", 2, False)


def test_logs_of_inspect_ai_compressed_by_zstd_are_read(tmp_path: Path) -> None:
    """The archive is built by hand, since Python before 3.14 cannot write it."""
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "log.eval"
    write_log(path, [sample_line(HOUSE, plan(HOUSE))])
    entries, directory = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            sink = pyarrow.BufferOutputStream()
            with pyarrow.CompressedOutputStream(sink, "zstd") as stream:
                stream.write(archive.read(info))
            data, name, at = sink.getvalue().to_pybytes(), info.filename.encode(), entries.tell()
            rest = (0, 93, 0, 0, info.CRC, len(data), info.file_size, len(name))
            entries.write(struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 63, *rest, 0) + name + data)
            directory.write(struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 63, 63, *rest, 0, 0, 0, 0, 0, at) + name)
    size, count = len(directory.getvalue()), 3
    tail = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, count, count, size, entries.tell(), 0)
    path.write_bytes(entries.getvalue() + directory.getvalue() + tail)
    assert one(path)["plan"] == plan(HOUSE)


@pytest.mark.parametrize("packing", ["gzip", "zstd", "utf-16", "utf-16-le", "a byte order mark"])
@pytest.mark.parametrize("name", ["timearena__household1.txt", "x.jsonl", "x.csv", "x.json"])
def test_compressed_and_utf_16_files_are_read(tmp_path: Path, packing: str, name: str) -> None:
    text = {"txt": "wait", "jsonl": json.dumps(GOOD), "csv": f"instance,plan\n{HOUSE},wait", "json": json.dumps([GOOD])}
    data = text[name.rpartition(".")[2]].encode()
    if packing == "gzip":
        data, name = gzip.compress(data[:9]) + gzip.compress(data[9:]), f"{name}.gz"
    elif packing == "zstd":
        pyarrow, name = pytest.importorskip("pyarrow"), f"{name}.zst"
        sink = pyarrow.BufferOutputStream()
        with pyarrow.CompressedOutputStream(sink, "zstd") as stream:
            stream.write(data)
        data = sink.getvalue().to_pybytes()
    elif packing == "a byte order mark":
        data = b"\xef\xbb\xbf" + data
    else:
        data = data.decode().encode(packing)
        data = data if packing == "utf-16" else b"\xff\xfe" + data
    (tmp_path / name).write_bytes(data)
    entry = one(tmp_path)
    assert (entry["instance"], entry["plan"]) == (HOUSE, "wait")


def test_json_objects_and_nested_lists_are_read(tmp_path: Path) -> None:
    (tmp_path / "gpt").mkdir()
    path = tmp_path / "gpt" / "timearena__household1.json"
    chat = [{"role": "assistant", "content": "wait"}]
    for content, field, value in [
        (["wait", "wait"], "plan", ["wait", "wait"]),
        (chat, "plan", chat),
        ("wait", "plan", "wait"),
        ({"response": "wait", "usage": 3}, "response", "wait"),
        ({LAB: "pick"}, "plan", "pick"),
        ({LAB.replace("/", "__"): {"completion": "pick"}}, "completion", "pick"),
        ([{"instance": LAB, "messages": chat}], "messages", chat),
    ]:
        path.write_text(json.dumps(content, indent=1))
        entry = one(tmp_path)
        assert (entry[field], entry["model"]) == (value, "gpt")
        assert entry["instance"] == (LAB if "lab1" in json.dumps(content) else HOUSE)
    path.write_text("Here is my plan: wait")
    assert one(tmp_path)["plan"] == "Here is my plan: wait"


def test_several_plan_fields_are_reported_and_empty_ones_are_ignored(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write_csv(path, [{"instance": HOUSE, "plan": "", "messages": "m", "response": "r"}])
    notes: list[str] = []
    entry = one(path, on_note=notes.append)
    assert "plan" not in entry
    assert notes == ["the plan is taken from response, not from messages; --map plan=COLUMN selects another column"]
    mapped = one(path, columns={"plan": "messages"}, model="gpt")
    assert (mapped["plan"], mapped["model"], "response" in mapped) == ("m", "gpt", False)
    write_csv(path, [{"instance": HOUSE, "plan": ""}])
    assert one(path)["plan"] == ""


@pytest.mark.slow
@pytest.mark.parametrize("column", ["problem_id", "task_id", "question_id", "instance_id", "task"])
def test_column_of_another_program_is_the_instance_if_it_names_a_problem(tmp_path: Path, column: str) -> None:
    path = tmp_path / "a.jsonl"
    rows = [{column: HOUSE.replace("/", "__")}, {column: "no such"}, {"instance": LAB, column: HOUSE}]
    path.write_text("\n".join(json.dumps({"plan": "wait"} | row) for row in rows))
    notes: list[str] = []
    entries = [entry["instance"] for _, entry in entries_of(path, on_note=notes.append)]
    assert entries == [HOUSE, "no such", LAB]
    assert notes == [f"the problem is taken from {column}; --map instance=COLUMN selects another column"]
    path.write_text(json.dumps({"plan": "wait", column: "17"}))
    assert error(path).startswith(f"instance: is missing; the columns are plan, {column}")


@pytest.mark.slow
def test_equal_errors_are_written_once_with_number_and_first_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join([json.dumps({"plan": "wait"})] * 60 + ["{", json.dumps(GOOD)]))
    missing = "instance: is missing; the columns are plan (select one with --map instance=COLUMN)"
    for command in ("grade", "critique", "regret", "repair", "audit"):
        result = CliRunner().invoke(app, [command, str(path)])
        assert result.exit_code == 1
        errors = [line for line in result.stderr.splitlines() if line.startswith("error")]
        assert errors[0] == f"error: 60 submissions (first: line 1): {missing}"
        assert errors[1].startswith("error: line 61: is not JSON: ")
    assert len(graded(path, code=1)) == 62
    bad = [tmp_path / f"{name}.json" for name in "xyz"]
    for one_of_them in bad:
        one_of_them.write_text("{")
    result = CliRunner().invoke(app, ["solve", *map(str, bad)])
    assert result.stderr.startswith(f"error: 3 problems (first: {bad[0]}): is not JSON")


@pytest.mark.slow
def test_collected_submissions_get_the_same_grades(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    (runs / "gpt").mkdir(parents=True)
    (runs / "gpt" / "timearena__household1_2.txt").write_text(plan(HOUSE))
    (runs / "llama.jsonl").write_text(
        json.dumps({"instance": LAB, "actions": ["wait"], "time_limit": 7}) + "\nnot JSON"
    )
    result = CliRunner().invoke(app, ["grade", str(runs), "--collect", str(tmp_path / "all.jsonl")])
    assert result.exit_code == 1
    assert "error: llama.jsonl, line 2: is not JSON" in result.stderr
    first, second = map(json.loads, (tmp_path / "all.jsonl").read_text().splitlines())
    assert first == {
        "id": "gpt/timearena__household1_2",
        "instance": HOUSE,
        "model": "gpt",
        "sample": 2,
        "line": 1,
        "source": "gpt/timearena__household1_2.txt",
        "plan": plan(HOUSE),
    }
    assert (second["time_limit"], second["actions"], second["model"]) == (7, ["wait"], "llama")
    places = {"line": None, "source": None}
    collected = [row | places for row in graded(tmp_path / "all.jsonl")]
    assert collected == [row | places for row in graded(runs, code=1) if row["scored"]]


@pytest.mark.parametrize("name", ["x.jsonl", "x.eval", "timearena__household1.txt", "x.csv", "x.json.gz"])
def test_number_of_submissions_is_known_for_the_progress_bar(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "x.eval":
        write_log(path, [sample_line(HOUSE, "wait"), sample_line(LAB, "wait")])
    elif name == "x.jsonl":
        path.write_text(f"{json.dumps(GOOD)}\n{json.dumps(GOOD)}\n")
    else:
        path.write_text("wait")
    assert Intake([path]).count() == {"x.jsonl": 2, "timearena__household1.txt": 1}.get(name)


# --- bad on purpose ------------------------------------------------------------------------------


@pytest.mark.slow
def test_one_bad_entry_of_ten_thousand_is_one_error(tmp_path: Path) -> None:
    entries = [json.dumps(GOOD | {"id": k, "plan": 'a "]" \\ b'}) for k in range(10_000)]
    entries[4321] = '{"instance": nonsense, "plan": "]"}'
    (tmp_path / "x.jsonl").write_text("\n".join(entries))
    got = entries_of(tmp_path / "x.jsonl")
    assert len(got) == 10_000
    bad = [(place[0], str(entry)) for place, entry in got if isinstance(entry, InputError)]
    assert [line for line, _ in bad] == [4322]
    assert "is not JSON" in bad[0][1]


def test_json_list_above_the_size_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps([GOOD, GOOD, GOOD])[:-20])
    assert "is not JSON" in error(path)
    monkeypatch.setattr(byte_streams, "MAX_LINE", 1_000)
    path.write_text(json.dumps([GOOD] * 100))
    assert "is a JSON document larger than 1000 bytes; use JSON lines" in error(path)
    (tmp_path / "x.jsonl").write_text("\n".join([json.dumps(GOOD)] * 100))
    assert len(entries_of(tmp_path / "x.jsonl")) == 100


@pytest.mark.slow
def test_decompression_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zeros = bytes(byte_streams.MAX_LINE + 10)
    (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(zeros))
    assert "is longer than" in error(tmp_path / "x.jsonl.gz")
    (tmp_path / "timearena__household1.txt.gz").write_bytes(gzip.compress(zeros))
    assert "is larger than" in error(tmp_path / "timearena__household1.txt.gz")
    with zipfile.ZipFile(tmp_path / "x.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"eval": {"model": "m"}}))
        archive.writestr("samples/a_epoch_1.json", zeros)
        archive.writestr("samples/b_epoch_1.json", json.dumps(sample_line(HOUSE, "wait")))
    (_, bad), (_, good) = entries_of(tmp_path / "x.eval")
    assert f"samples/a_epoch_1.json: is larger than {byte_streams.MAX_LINE} bytes when decompressed" in str(bad)
    assert good["instance"] == HOUSE
    monkeypatch.setattr(tables, "USUAL_BYTES", 2**20)
    (tmp_path / "y.jsonl.gz").write_bytes(gzip.compress(b" " * 2**22))
    assert "is larger than 1048576 bytes when decompressed" in error(tmp_path / "y.jsonl.gz")
    monkeypatch.setattr(tables, "MAX_UNPACKED", 100)
    entries = read_binary(str(tmp_path / "x.eval"), "x.eval")  # read in this process, which has the limit
    assert all(isinstance(entry, InputError) for _, entry in entries)


def test_malformed_tables_are_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.csv"

    def errors_of(text: str | bytes) -> list[str | None]:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return [str(entry) if isinstance(entry, InputError) else None for _, entry in entries_of(path)]

    assert errors_of(f"instance,plan,plan\n{HOUSE},a,b") == [f"{path}: plan: two columns have this name"]
    message = f"{path}: has 3 cells, but the header has 2 columns"
    assert errors_of(f"instance,plan\n{HOUSE},a,b\n{HOUSE},wait") == [message, None]
    assert errors_of(f'instance,plan\n{HOUSE},wait\n{HOUSE},"a\n\nb')[0] is None
    assert "cannot be read from this row on" in str(errors_of(f'instance,plan\n{HOUSE},wait\n{HOUSE},"a\n\nb')[1])
    assert "is not UTF-8" in str(errors_of("instance,plan\ngâteau,x".encode("latin-1"))[0])
    (nul,) = errors_of(f"instance,plan\n{HOUSE},wa\0it")
    assert nul is None or "NUL" in nul
    assert errors_of("instance,plan\n") == []
    assert "instance: is missing; the columns are a, plan" in str(errors_of("a,plan\n1,2")[0])
    monkeypatch.setattr(byte_streams, "MAX_LINE", 1000)
    assert "line 2: is longer than 1000 bytes" in str(errors_of(f"instance,plan\n{HOUSE},{'x' * 2000}")[0])
    monkeypatch.setattr("planoracle.instances.files.tables.MAX_BYTES", 1000)
    lines_ = "x\n" * 1000
    assert "field larger than" in str(errors_of(f'instance,plan\n{HOUSE},"{lines_}"')[0])


@pytest.mark.slow
def test_parquet_with_unusual_types_is_read(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from datetime import datetime
    from decimal import Decimal

    from pyarrow import parquet

    row = {"id": Decimal("1.50"), "instance": HOUSE, "when": datetime(2026, 1, 1), "picture": b"\xff\x00"}
    row |= {"plan": [{"step": "wait", "n": float("nan")}], "sample": 2.0, "model": b"gpt"}
    parquet.write_table(pyarrow.Table.from_pylist([row]), tmp_path / "x.parquet")
    entry = one(tmp_path / "x.parquet")
    assert (entry["id"], entry["model"], entry["sample"]) == ("1.50", "gpt", 2)
    assert entry["plan"] == [{"step": "wait", "n": None}]
    json.dumps(entry)
    whole = (tmp_path / "x.parquet").read_bytes()
    (tmp_path / "y.parquet").write_bytes(whole[: len(whole) // 2])
    assert "not a Parquet file" in error(tmp_path / "y.parquet")
    (tmp_path / "z.parquet.gz").write_bytes(gzip.compress(whole))
    assert "is compressed twice" in error(tmp_path / "z.parquet.gz")


def test_error_about_an_excel_workbook_names_its_format(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    assert error(path) == f"{path}: is an Excel workbook; save the sheet as CSV, or write JSON lines or Parquet"


def test_damaged_files_are_errors(tmp_path: Path) -> None:
    whole = gzip.compress(json.dumps(GOOD).encode() * 1000)
    for name, data, reason in [
        ("x.jsonl.gz", whole[:40], "is damaged (gzip)"),
        ("x.eval", b"PK\3\4" + bytes(100), "is a damaged archive"),
        ("x.json", b'{"version": 2, "status": "x", "eval": {}, "samples": [{', "is not JSON"),
        ("x.xz", b"\xfd7zXZ\x00" + bytes(10), "is compressed (xz); decompress it first"),
        ("x.txt", b"wait", "its path names no problem"),
        ("timearena__household1.txt", b"g\xe2teau", "is not UTF-8"),
        ("y.jsonl", b"\xff\xfe\x00", "is not valid UTF-16"),
    ]:
        path = tmp_path / name
        path.write_bytes(data)
        assert reason in error(path), name
    with zipfile.ZipFile(tmp_path / "z.eval", "w") as archive:
        archive.writestr("other.json", "{}")
    assert "is a zip archive, but not a log of inspect_ai" in error(tmp_path / "z.eval")


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
def test_links_pipes_and_unreadable_files_are_errors(tmp_path: Path) -> None:
    outside, runs = tmp_path / "outside.jsonl", tmp_path / "runs"
    outside.write_text(json.dumps(GOOD))
    (runs / "gpt" / ".hidden").mkdir(parents=True)
    (runs / "gpt" / "a.jsonl").write_text(json.dumps(GOOD))
    (runs / "gpt" / ".hidden" / "b.jsonl").write_text(json.dumps(GOOD))
    (runs / "again.jsonl").symlink_to(runs / "gpt" / "a.jsonl")
    (runs / "gpt" / "loop").symlink_to(runs)
    (runs / "away.jsonl").symlink_to(outside)
    (runs / "up").symlink_to(tmp_path)
    (runs / "nowhere.jsonl").symlink_to(runs / "missing")
    (runs / "round.jsonl").symlink_to(runs / "round.jsonl")
    (runs / "secret.jsonl").symlink_to(runs / "gpt" / ".hidden" / "b.jsonl")
    os.mkfifo(runs / "pipe.jsonl")
    (runs / "empty.jsonl").write_text("")
    got = {
        place[1]: str(entry) if isinstance(entry, InputError) else entry["instance"]
        for place, entry in entries_of(runs)
    }
    assert got.pop("gpt/a.jsonl") == HOUSE
    reasons = {
        **dict.fromkeys(("away.jsonl", "up", "nowhere.jsonl", "round.jsonl", "secret.jsonl"), "is a symbolic link"),
        "pipe.jsonl": "not a regular file",
        "empty.jsonl": "contains no submissions",
    }
    assert got.keys() == reasons.keys()
    for source, reason in reasons.items():
        assert reason in got[source]
        assert got[source].startswith(source)


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
def test_file_that_becomes_unreadable_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(GOOD))
    (tmp_path / "b.jsonl").write_text(json.dumps(GOOD))
    intake = Intake([tmp_path])
    (tmp_path / "a.jsonl").unlink()
    os.mkfifo(tmp_path / "a.jsonl")  # which would be waited for
    (_, bad), (_, good) = intake
    assert "is not a regular file" in str(bad)
    assert good["instance"] == HOUSE
    if os.geteuid():
        (tmp_path / "b.jsonl").chmod(0)
        assert "Permission denied" in str(list(intake)[1][1])


def test_folders_without_submissions_are_errors(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["grade", str(tmp_path)])
    assert (result.exit_code, "is an empty folder" in result.stderr) == (2, True)
    (tmp_path / "a.txt").write_text("wait")
    result = CliRunner().invoke(app, ["grade", str(tmp_path)])
    assert (result.exit_code, "--pattern" in result.stderr) == (2, True)


@pytest.mark.parametrize("value", [0, "00012", 2**53 - 1, 3.0])
def test_claimed_makespan_is_a_whole_number_of_ticks(value: Any) -> None:
    assert ticks(value) == int(value)


@pytest.mark.parametrize("value", [-1, 2**53, 1.5, True, "", "1.0", "1" * 16])
def test_other_claims_are_refused(value: Any) -> None:
    with pytest.raises(InputError, match="whole number of ticks"):
        ticks(value)


def test_unknown_fields_of_map_option_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"puzzle": HOUSE, "text": "wait"}))
    for entry in ("answer=text", "plan", "plan="):
        result = CliRunner().invoke(app, ["grade", str(tmp_path), "--map", entry])
        assert isinstance(result.exception, UnknownNameError)
    assert "has no column 'x'; the columns are puzzle, text" in error(
        tmp_path / "a.jsonl", columns={"plan": "x", "instance": "puzzle"}
    )
    assert "(select one with --map instance=puzzle)" in error(tmp_path / "a.jsonl")
    assert one(tmp_path / "a.jsonl", columns={"plan": "text", "instance": "puzzle"})["plan"] == "wait"
    (tmp_path / "timearena__household1.txt").write_text("wait")
    notes: list[str] = []
    columns = {"plan": "text", "instance": "puzzle", "model": "name"}
    got = entries_of(tmp_path, columns=columns, on_note=notes.append)
    assert [entry["instance"] for _, entry in got] == [HOUSE, HOUSE]
    assert notes[-1] == "--map model=name: no row has that column"


def test_error_of_an_entry_has_its_identity(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(GOOD | {"id": 7, "sample": -1}))
    ((_, bad),) = entries_of(tmp_path / "a.jsonl")
    assert isinstance(bad, EntryError)
    moved = bad.at("b.jsonl", "row")
    assert str(moved) == "b.jsonl: row.sample: must be a whole number from 0, or text (got -1)"
    assert (moved.about["id"], moved.about["instance"]) == (7, HOUSE)
    (row,) = graded(tmp_path / "a.jsonl", code=1)
    assert (row["id"], row["instance"], row["sample"], row["scored"]) == ("7", HOUSE, None, False)


def test_lines_of_a_pipe_are_answered_one_by_one() -> None:
    """Lines of a terminal or a pipe are answered one by one."""

    class Slow(io.RawIOBase):
        count = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            self.count += 1
            text = (json.dumps(GOOD | {"id": self.count}) + "\n").encode()
            buffer[: len(text)] = text
            return len(text)

    slow = Slow()
    entries = read_submissions(io.BufferedReader(slow), "-")
    assert next(entries)[1]["id"] == "1"
    assert slow.count <= 2
