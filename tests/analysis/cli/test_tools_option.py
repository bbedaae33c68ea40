"""Option ``--tools``: classes of tools in a file of the user, for every command that reads problems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import pantry
from support.runner import invoke, run_program
from support.samples import sample

from planoracle.instances.protocol import tool_classes

TOOLS = pantry.__file__
TASK = {
    "id": "cake",
    "family": "Pantry",
    "question": "Look, and take two eggs.",
    "ground_truth": ["look()", "take(item='egg', amount=2)"],
    "initial": {"amounts": {"egg": 6}},
}
WORDS = {"id": "words", "family": "text", "ground_truth": ["sort_words(text='b a')"]}
TURNS = [
    {"id": "cake", "func_name": "look", "params": {}},
    {"id": "words", "func_name": "sort_words", "params": {"text": "b a"}},
    {"id": "cake", "func_name": "take", "params": {"item": "egg", "amount": 2}},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder with a problem and two plans, which is the current one."""
    problem = {"format": "planoracle/asynctool", "version": 1, "name": "pantry", "tasks": [TASK, WORDS]}
    (tmp_path / "mine.json").write_text(json.dumps(problem), encoding="utf-8")
    plans = [{"id": "right", "instance": "pantry", "turns": TURNS}, {"id": "short", "instance": "pantry", "turns": []}]
    (tmp_path / "plans.jsonl").write_text("\n".join(map(json.dumps, plans)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(*call: str) -> list[dict[str, Any]]:
    result = invoke(*call, "--format", "jsonl", "--tools", TOOLS, catch_exceptions=False)
    assert tool_classes.by_name() == {}
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_problems_and_plans_of_a_class_are_solved_and_graded(folder: Path) -> None:
    (solved,) = rows("solve", "mine.json")
    assert (solved["status"], solved["makespan"]) == ("optimal", 4)
    right, short = rows("grade", "plans.jsonl", "--problems", "mine.json")
    assert (right["success"], right["subtask_env"], short["success"], short["subtask_env"]) == (True, 1.0, False, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    sample(
        [
            "compare mine.json",
            "instances mine.json",
            "next mine.json",
            "explain mine.json",
            "critique plans.jsonl --problems mine.json",
            "regret plans.jsonl --problems mine.json",
            "repair plans.jsonl --problems mine.json",
            "run mine.json --agent optimal --run live",
        ],
        8,
    ),
)
def test_commands_read_problems_of_a_class(call: str, folder: Path) -> None:
    assert rows(*call.split())


@pytest.mark.slow
def test_exported_problem_is_read_again_and_figures_are_drawn(folder: Path) -> None:
    exported = invoke("instances", "mine.json", "--export", "--tools", TOOLS, catch_exceptions=False)
    (folder / "copy.json").write_text(exported.stdout, encoding="utf-8")
    assert rows("solve", "copy.json")[0]["makespan"] == 4
    for call in ("gantt mine.json -o plan.svg", "report plans.jsonl --problems mine.json -o page.html"):
        assert invoke(*call.split(), "--tools", TOOLS, catch_exceptions=False).exit_code in (0, 1)
    assert (folder / "plan.svg").exists()
    assert "take" in (folder / "page.html").read_text("utf-8")
    prompts = invoke("run", "mine.json", "--show-prompts", "--tools", TOOLS, catch_exceptions=False)
    assert "Take an amount of an item out of its jar." in prompts.stdout


@pytest.mark.slow
def test_stored_grades_of_a_changed_class_are_computed_again(folder: Path) -> None:
    """The second version counts looks in its state, so that one more look makes the state wrong."""
    plan = {"id": "twice", "instance": "pantry", "turns": [*TURNS, TURNS[0]]}
    (folder / "plans.jsonl").write_text(json.dumps(plan), encoding="utf-8")
    text = Path(TOOLS).read_text(encoding="utf-8")
    counting = text.replace("self._has_looked = True", "self.looks = getattr(self, 'looks', 0) + 1")
    successes = []
    for source in (text, counting, text):
        (folder / "mine.py").write_text(source, encoding="utf-8")
        call = ["grade", "plans.jsonl", "--problems", "mine.json", "--run", "out", "--format", "jsonl"]
        row = json.loads(invoke(*call, "--tools", "mine.py", catch_exceptions=False).stdout)
        successes.append(row["success"])
    assert successes == [True, False, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "bad.py: has no class of tools; it needs a public class with public methods"),
        ("class A:\n    def f(self, x): pass\n", "bad.py: class A.f.x: has no annotation; each parameter needs a type"),
        ("class text:\n    def f(self): pass\n", "bad.py: class text: is the name of a bundled tool family"),
        ("raise ValueError('no')\n", "bad.py: cannot be run: ValueError: no"),
    ],
)
def test_faulty_file_ends_the_command_with_its_name(text: str, message: str, folder: Path) -> None:
    (folder / "bad.py").write_text(text, encoding="utf-8")
    done = run_program("solve", "timearena/household1", "--tools", "bad.py")
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr


def test_missing_file_is_an_error_of_the_call(folder: Path) -> None:
    assert run_program("solve", "mine.json", "--tools", "none.py").returncode == 2


def test_neither_problems_nor_submissions_nor_the_environment_name_a_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "Pantry.py").write_text(f"open({str(folder / 'created')!r}, 'w')\n", encoding="utf-8")
    for family in ("Pantry", "Pantry.py", "./Pantry.py", "support.pantry:Pantry", str(folder / "Pantry.py")):
        problem = json.loads((folder / "mine.json").read_text("utf-8"))
        problem["tasks"][0]["family"] = family
        (folder / "other.json").write_text(json.dumps(problem | {"tools": "Pantry.py"}), encoding="utf-8")
        (folder / "third.json").write_text(json.dumps(problem), encoding="utf-8")
        monkeypatch.setenv("PLANORACLE_TOOLS", json.dumps({str(folder / "Pantry.py"): ""}))
        for name in ("other.json", "third.json"):
            done = run_program("solve", name)
            assert done.returncode == 1
            assert "unknown key" in done.stderr or "--tools FILE adds classes" in done.stderr
    line = {"id": "x", "instance": "asynctool/files_1", "turns": [], "tools": "Pantry.py"}
    (folder / "plans.jsonl").write_text(json.dumps(line), encoding="utf-8")
    assert run_program("grade", "plans.jsonl").returncode == 0
    assert not (folder / "created").exists()
