"""Files and folders that are not read, and names of problems that are completed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.runner import CliRunner
from support.samples import sample

from planoracle import grade
from planoracle.analysis.cli import app
from planoracle.analysis.intake.problem_names import NameResolver
from planoracle.analysis.intake.submissions import Intake
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog

PLAN = "wait"
ROW = json.dumps({"instance": "timearena/household1", "plan": PLAN})
TIMED, UNTIMED = "recipe2plan/timed/Cobbler_Pancakes", "recipe2plan/untimed/Cobbler_Pancakes"


def write(folder: Path, files: dict[str, str | bytes | None]) -> Path:
    """Write files; ``None`` is a folder."""
    for name, content in files.items():
        path = folder / name
        if content is None:
            path.mkdir(parents=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def entries_of(*paths: Path, **options: Any) -> tuple[dict[str | None, Any], dict[str | None, InputError], list[str]]:
    """Return submissions and errors by source, and the notes."""
    notes: list[str] = []
    submissions, errors = {}, {}
    for place, entry in Intake(paths, on_note=notes.append, **options):
        (errors if isinstance(entry, InputError) else submissions)[place.source] = entry
    return submissions, errors, notes


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        ("gpt-x/soup.txt", PLAN, "its path names no problem"),
        ("soup.txt", PLAN, "its path names no problem"),
        ("gpt-x/soup.md", PLAN, "its path names no problem"),
        ("gpt-x/soup", PLAN, "its path names no problem"),
        ("gpt-x/soup.txt", "", "its path names no problem"),
        ("gpt-x/1500.txt", PLAN, "its path names no problem"),
        ("gpt-x/cooking1.plan", PLAN, "unknown ending .plan"),
        ("gpt-x/answers.dat", "gâteau".encode("latin-1"), "unknown ending .dat"),
        ("gpt-x/answers.dat", PLAN.encode("utf-16"), "unknown ending .dat"),
        ("gpt-x/answers.jsonlines", ROW, "holds JSON; rename it to .jsonl"),
        ("gpt-x/answers", f"[{ROW}]", "holds JSON; rename it to .jsonl"),
        ("gpt-x/run.log", ROW, "holds JSON; rename it to .jsonl"),
        ("gpt-x/cooking1.yaml", "a: 1", "unknown ending .yaml"),
        ("gpt-x/all.yml", "- instance: timearena/lab1\n  plan: wait\n", "unknown ending .yml"),
        ("gpt-x/all.xlsx", b"PK\3\4", "is a spreadsheet; save it as CSV"),
        ("gpt-x/all.tar.gz", b"\x1f\x8b", "is an archive or compressed; unpack it"),
        ("gpt-x/all.jsonl.bz2", b"BZh", "is an archive or compressed; unpack it"),
        ("gpt-x/all.pkl", b"\x80\4", "is a table in a format that is not read"),
        ("gpt-x/Cobbler_Pancakes.txt", PLAN, f"fits 2 problems: {TIMED}, {UNTIMED}; rename it, or use --pattern"),
        ("gpt-x/a/b/c/cooking1.txt", PLAN, "its folders match no layout; use --pattern"),
        ("gpt-x", None, "the folder has no file that can be graded (no files)"),
        ("gpt-x/3", None, "the folder has no file that can be graded (no files)"),
        ("gpt-x/stdout.log", "x", "the folder has no file that can be graded (only stdout.log)"),
        ("gpt-x/README.md", "x", "the folder has no file that can be graded (only README.md)"),
        ("gpt-x/a.png", b"x", "the folder has no file that can be graded (only a.png)"),
    ],
)
@pytest.mark.parametrize("readable", [{"beta.csv": "instance,plan\ntimearena/lab1,wait\n"}, {"a/cooking1.txt": PLAN}])
def test_unread_file_or_folder_that_could_hold_submissions_is_an_error(
    tmp_path: Path, readable: dict[str, str], path: str, content: str | bytes | None, reason: str
) -> None:
    submissions, errors, _ = entries_of(write(tmp_path, {**readable, path: content}))
    assert [entry["plan"] for entry in submissions.values()] == [PLAN]
    ((source, error),) = errors.items()
    assert reason in str(error)
    assert path.startswith(str(source))
    model = "gpt-x" if path.startswith("gpt-x") else None
    assert error.about["model"] == model  # type: ignore[attr-defined]


def test_files_without_submissions_are_named_in_one_note(tmp_path: Path) -> None:
    names = [".DS_Store", ".git/", "DONE", "LICENSE", "README.md", "a.png", "gpt/figures/b.png", "gpt/run.log"]
    files = {name: "" if name == "DONE" else "x" for name in names if name != ".git/"}
    files |= {"gpt/cooking1.txt": PLAN, ".git/config": "x"}
    folder = write(tmp_path / "runs", files)
    submissions, errors, notes = entries_of(folder)
    assert [*submissions] == ["gpt/cooking1.txt"]
    assert errors == {}
    assert notes[1:] == [f"{folder}: ignored: {', '.join(names)}"]


@pytest.mark.parametrize(
    "name", ["report.html", "requirements.txt", "slurm-12.out", "a.py", "config.yaml", "x.bin", "notes.txt", "p.json"]
)
def test_file_that_cannot_hold_submissions_is_no_error(tmp_path: Path, name: str) -> None:
    document = {"format": "planoracle/instance", "name": "p", "tasks": []}
    contents = {"x.bin": "\0\1", "p.json": json.dumps(document, indent=1), "config.yaml": "temperature: 1"}
    inner = "problems" if name == "p.json" else "gpt"
    folder = write(tmp_path / "runs", {"gpt/cooking1.txt": PLAN, f"{inner}/{name}": contents.get(name, "x")})
    submissions, errors, notes = entries_of(folder)
    assert ([*submissions], errors) == (["gpt/cooking1.txt"], {})
    assert f"ignored: {inner}/{name}" in notes[-1]


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_links_in_a_folder_are_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "runs", {"gpt/cooking1.txt": PLAN})
    (folder / "latest").symlink_to("gpt")
    (folder / "lost.txt").symlink_to("nowhere")
    _, errors, notes = entries_of(folder)
    assert "ignored: latest" in notes[-1]
    assert [*errors] == ["lost.txt"]


@pytest.mark.parametrize(
    "command",
    sample(["grade", "critique --no-regret", "regret", "repair", "report -o r.html", "grade --collect all.jsonl"], 3),
)
def test_unread_file_ends_every_command_with_status_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    files = {"beta.csv": "instance,plan\ntimearena/cooking1,wait\n", "gpt-x/soup.txt": PLAN, "gpt-y": None}
    write(tmp_path / "runs", files)
    monkeypatch.chdir(tmp_path)
    name, *options = command.split()
    result = CliRunner().invoke(app, [name, "runs", *options])
    assert result.exit_code == 1
    assert "error: gpt-x/soup.txt, line 1: is a text file, but its path names no problem" in result.stderr
    assert "error: gpt-y, line 1: the folder has no file that can be graded" in result.stderr


def test_model_whose_files_are_not_read_is_on_the_board(tmp_path: Path) -> None:
    files = {"beta.csv": "instance,plan\ntimearena/cooking1,wait\n", "gpt-x/soup.txt": PLAN, "gpt-y": None}
    grades = grade(write(tmp_path, files))
    assert isinstance(grades, list)
    assert [(one.model, one.scored) for one in grades] == [("beta", True), ("gpt-x", False), ("gpt-y", False)]


def test_empty_folder_beside_others_is_an_error_after_the_rest(tmp_path: Path) -> None:
    write(tmp_path, {"a/cooking1.txt": PLAN, "b": None, "c/soup.txt": PLAN})
    submissions, errors, _ = entries_of(*(tmp_path / name for name in "abc"))
    assert [entry["model"] for entry in submissions.values()] == ["a"]
    assert [entry.about["model"] for entry in errors.values()] == ["b", "c"]  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="is an empty folder"):
        Intake([tmp_path / "b"])


def test_rows_without_a_model_in_a_folder_have_its_name(tmp_path: Path) -> None:
    other = json.dumps(json.loads(ROW) | {"model": "m"})
    files = {"gpt/all.jsonl": ROW, "llama/all.jsonl": ROW, "x/y/all.jsonl": other}
    submissions, _, _ = entries_of(write(tmp_path, files))
    assert [entry["model"] for entry in submissions.values()] == ["gpt", "llama", "m"]


# --- names of problems ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "instance", "model", "number"),
    [
        ("gpt/cooking1.txt", "timearena/cooking1", "gpt", None),
        ("gpt/Cooking1_2.txt", "timearena/cooking1", "gpt", 2),
        ("gpt/run_3/lab1+lab2.txt", "timearena/lab1+lab2", "gpt", 3),
        ("cooking1~2.md", "timearena/cooking1~2", "runs", None),
        ("gpt/timed__Cobbler_Pancakes.txt", TIMED, "gpt", None),
        ("gpt/async/1500.txt", "asynchow/async/1500", "gpt", None),
    ],
)
def test_name_that_fits_one_problem_is_completed(
    tmp_path: Path, path: str, instance: str, model: str, number: int | None
) -> None:
    submissions, errors, _ = entries_of(write(tmp_path / "runs", {path: PLAN}))
    assert errors == {}
    (entry,) = submissions.values()
    assert (entry["instance"], entry["model"], entry["sample"]) == (instance, model, number)


def test_pattern_completes_names_and_reports_other_files(tmp_path: Path) -> None:
    files = {
        "gpt/cooking1.txt": PLAN,
        "gpt/Cobbler_Pancakes.txt": PLAN,
        "gpt/lab1.md": PLAN,
        "beta.csv": "instance,plan\n",
        "gpt/config.json": '{"temperature": 1}',
        "README.md": "x",
    }
    submissions, errors, notes = entries_of(write(tmp_path, files), pattern="{model}/{instance}.txt")
    assert [entry["instance"] for entry in submissions.values()] == ["timearena/cooking1"]
    assert f"fits 2 problems: {TIMED}, {UNTIMED}; write the full name" in str(errors.pop("gpt/Cobbler_Pancakes.txt"))
    assert sorted(map(str, errors)) == ["beta.csv", "gpt/lab1.md"]
    assert all("does not match --pattern" in str(error) for error in errors.values())
    assert notes[1].endswith("ignored: README.md, gpt/config.json")
    assert notes[2:] == []


def test_names_in_rows_keys_and_columns_are_completed(tmp_path: Path) -> None:
    rows = [{"instance": name, "plan": PLAN} for name in ("lab1", "soup", "1500", "Cobbler_Pancakes")]
    files = {
        "a.json": json.dumps({"cooking1": PLAN, "Lab2": PLAN}),
        "b.jsonl": json.dumps({"problem_id": "lab3", "plan": PLAN}),
    }
    write(tmp_path, files)
    names = [entry["instance"] for _, entry in Intake([tmp_path])]
    assert names == ["timearena/cooking1", "timearena/lab2", "timearena/lab3"]
    (tmp_path / "c.json").write_text(json.dumps(rows))
    entries = [entry for _, entry in Intake([tmp_path / "c.json"])]
    assert [entry["instance"] for entry in entries[:3]] == ["timearena/lab1", "soup", "1500"]
    assert "instance: fits 2 problems" in str(entries[3])


def test_problems_of_the_user_precede_bundled_ones(tmp_path: Path) -> None:
    problems = {name: catalog.problem("timearena/lab1") for name in ("cooking1", "kitchen/soup", "own/lab2")}
    files = {"gpt/cooking1.txt": PLAN, "gpt/soup.txt": PLAN, "gpt/lab2.txt": PLAN}
    submissions, errors, _ = entries_of(write(tmp_path, files), problems=problems)
    assert [entry["instance"] for entry in submissions.values()] == ["cooking1", "kitchen/soup"]
    assert "fits 2 problems: own/lab2, timearena/lab2" in str(errors["gpt/lab2.txt"])


def test_name_of_a_file_is_not_completed() -> None:
    names = NameResolver(is_file=lambda name: name == "cooking1")
    assert (names.complete("cooking1"), names.complete("lab1")) == ("cooking1", "timearena/lab1")


# --- columns -------------------------------------------------------------------------------------


def test_first_requested_column_that_a_row_has_counts_and_usual_names_stay(tmp_path: Path) -> None:
    rows = [
        {"task": "timearena/lab1", "output": "no", "response": "x", "answer": "no"},
        {"puzzle": "timearena/lab2", "output": "y"},
        {"task": "timearena/lab3", "response": "", "text": "z"},
        {"task": "timearena/lab4", "response": "", "text": ""},
        {"instance": "timearena/lab5", "answer": "u", "epoch": 3},
        {"problem_id": "timearena/lab6", "answer": "v"},
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    columns = {"instance": ["task", "puzzle"], "plan": ("response", "text", "output"), "sample": "n"}
    submissions = [entry for _, entry in Intake([tmp_path], columns=columns)]
    names = [entry["instance"] for entry in submissions]
    assert names == [f"timearena/lab{number}" for number in range(1, 7)]
    plans = [entry.get("plan", entry.get("answer")) for entry in submissions]
    assert plans == ["x", "y", "z", "", "u", "v"]
    assert submissions[4]["sample"] == 3


def test_map_option_may_be_repeated_for_one_field(tmp_path: Path) -> None:
    rows = [{"task": "timearena/lab1", "text": PLAN}, {"puzzle": "timearena/lab1", "plan": PLAN}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    options = ["--map", "instance=task", "--map", "instance=puzzle", "--map", "plan=text", "--map", "plan=z"]
    result = CliRunner().invoke(app, ["grade", str(tmp_path), *options, "--format", "jsonl"])
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, 2)
    assert "note: --map plan=z: no row has that column" in result.stderr
    (tmp_path / "a.jsonl").write_text(json.dumps({"plan": PLAN}))
    result = CliRunner().invoke(app, ["grade", str(tmp_path), *options])
    assert "--map instance: has no column 'task' or 'puzzle'; the columns are plan" in result.stderr
    tasks = tmp_path / "tasks.csv"
    tasks.write_text("a,b,duration\nx,y,1\n")
    result = CliRunner().invoke(app, ["solve", str(tasks), "--map", "task=a", "--map", "task=b"])
    assert "a field of a table of tasks has one column" in str(result.exception)


def test_lines_of_problems_of_a_benchmark_are_no_submissions(tmp_path: Path) -> None:
    step = {"durations": {"1": [60, 60, "1 min"]}, "edges": [["START", "1"], ["1", "END"]], "gold": [60, 60]}
    problems = json.dumps({"problems": [{"id": "async/7", **step}]})
    write(tmp_path, {"steps.jsonl": problems, "gpt-x.jsonl": ROW})
    submissions, errors, notes = entries_of(tmp_path)
    assert list(submissions) == ["gpt-x.jsonl"]
    assert not errors
    assert any("steps.jsonl (problems)" in note for note in notes)


def test_file_of_lines_without_plans_is_one_error(tmp_path: Path) -> None:
    prompts = [json.dumps({"task": "timearena/lab1", "text": f"Please {number}"}) for number in range(9)]
    write(tmp_path, {"prompts.jsonl": "\n".join(prompts) + "\n", "gpt-x.jsonl": ROW})
    submissions, errors, _ = entries_of(tmp_path)
    assert list(submissions) == ["gpt-x.jsonl"]
    assert "holds no plans; the columns are task, text (--map plan=COLUMN" in str(errors["prompts.jsonl"])
    submissions, errors, _ = entries_of(tmp_path / "prompts.jsonl", columns={"plan": "text"})
    assert not errors
