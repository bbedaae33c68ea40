"""Texts of tasks and actions in a clone of TimeArena's repository; this one is made up."""

from __future__ import annotations

from pathlib import Path

import pytest

from planoracle import environment, load
from planoracle.instances.benchmarks.timearena.problems import task_names
from planoracle.instances.benchmarks.timearena.released_texts import texts_in
from planoracle.instances.errors import InputError
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import RunConfig

ACTIONS = """class MetaAction():
    def __init__(self, name = None):
        self.description = {
                            "wash": "Take the dirt off.",
                            "pour into": "Let it flow \\x1b[31m <b>over</b>.",
                            }
        if name:
            self.properties['description'] = self.description[name]
raise SystemExit("this file is never run")
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "TimeArena" / "specificTasks"
    folder.mkdir(parents=True)
    for name in task_names():
        text = f"class {name}:\n    def __init__(self):\n        self.name = 'Do what {name} asks for.'\nexit(1)\n"
        (folder / f"{name}.py").write_text(text)
    (tmp_path / "TimeArena" / "actions.py").write_text(ACTIONS)
    return tmp_path


@pytest.fixture
def used(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(registry.data_variable("timearena"), str(clone))


@pytest.mark.usefixtures("used")
def test_prompts_have_the_texts_of_the_clone() -> None:
    lines = environment(load("timearena/household1+lab2")).introduction().splitlines()
    assert lines[0] == "The tasks: Do what household1 asks for; Do what lab2 asks for."
    assert "- wash OBJ: Take the dirt off." in lines
    assert "- pour OBJ into OBJ: Let it flow 31m b over /b ." in lines
    assert "- activate OBJ" in lines


@pytest.mark.usefixtures("used")
def test_problems_and_first_wording_are_those_of_the_package() -> None:
    problem = load("timearena/household1")
    earlier = registry.get("timearena").environment(problem, None, RunConfig(wording=1))
    assert earlier.introduction().startswith("The tasks: tea.\n")
    assert [action.duration for action in problem.actions] == [3, 4, 2, 1, 3, 3]


def test_folder_without_a_file_is_refused(clone: Path) -> None:
    missing = clone / "TimeArena" / "specificTasks" / "lab10.py"
    missing.unlink()
    with pytest.raises(InputError, match="must be a clone of TimeArena's repository") as caught:
        texts_in(clone)
    assert str(missing) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("specificTasks/lab1.py", "self.name = name", "self.name: must be a text"),
        ("specificTasks/lab1.py", "self.title = 'x'", "self.name: must be a text"),
        ("specificTasks/lab1.py", "self.name = '''", "self.name: must be a text"),
        ("specificTasks/lab1.py", "self.name = 5", "self.name: must be a text"),
        ("actions.py", "self.description = {\n'wash': wash(),\n}", "self.description: must be a dictionary of texts"),
        ("actions.py", "self.description = {" + "(" * 5000 + "\n}", "self.description: must be a dictionary of texts"),
    ],
)
def test_text_that_is_no_literal_is_refused(clone: Path, name: str, text: str, message: str) -> None:
    path = clone / "TimeArena" / name
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        texts_in(clone)
    assert str(caught.value) == f"{path}: {message}"
