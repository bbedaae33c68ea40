"""Help texts of all commands: names of arguments and values, and examples that run."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from support.runner import invoke, values_in_this_process
from support.samples import sample

from planoracle.analysis.cli.commands import COMMANDS, app, load
from planoracle.analysis.cli.help_texts import examples

#: Files that examples name.
FILES = {
    "plans.jsonl": '{"id": "a", "model": "m", "instance": "timearena/household1", "plan": "wash cup"}\n',
    "tasks.csv": (
        "task,duration (min),after,machine\nboil water,6,,stove\nslice bread,3,,\nserve,1,boil water;slice bread,\n"
    ),
    "shifts.csv": "machine,begin,end\nstove,18:00,8:10\n",
    "makespans.csv": "instance,makespan\ntimearena/household1,13\n",
    "plan.txt": "wash cup\n",
}
#: Commands whose examples take seconds.
SLOW = {"audit", "benchmark", "compare", "critique", "gantt", "grade", "mcp", "regret", "repair", "report", "run"}


def _commands() -> Iterator[tuple[str, Any]]:
    """Yield the path and the command of all commands and groups."""
    yield "", typer.main.get_command(app)
    for name in COMMANDS:
        command = load(name)
        yield name, command
        yield from ((f"{name} {one.name}", one) for one in getattr(command, "commands", {}).values())


ALL = dict(_commands())


@pytest.mark.parametrize("path", ALL)
def test_short_option_shows_the_help(path: str) -> None:
    main = typer.main.get_command(app).make_context("planoracle", [], resilient_parsing=True)
    context = ALL[path].make_context(path, [], parent=main, resilient_parsing=True)
    assert context.help_option_names == ["--help", "-h"]


def test_short_option_shows_the_same_text_as_the_long_one() -> None:
    short, long = (invoke("solve", option) for option in ("-h", "--help"))
    assert (short.exit_code, short.stdout) == (0, long.stdout)
    assert "Usage" in short.stdout


EXAMPLES = [example for command in ALL.values() for example in examples(command.help)]


@pytest.mark.parametrize("path", ALL)
def test_help_text_ends_with_one_to_three_examples_of_the_command(path: str) -> None:
    commands = examples(ALL[path].help)
    assert 1 <= len(commands) <= 3
    assert all(one.startswith(f"planoracle {path}".strip()) for one in commands)


@pytest.mark.parametrize("path", ALL)
def test_help_text_names_arguments_and_values_in_capitals(path: str) -> None:
    text = invoke(*path.split(), "--help", env={"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}).stdout
    assert not re.search(r"<\w", text)  # types of typer, such as <bool>
    for parameter in ALL[path].params:
        if parameter.param_type_name == "argument":
            assert parameter.metavar.isupper()
        elif not parameter.is_flag:
            assert parameter.metavar


def test_help_text_shows_brackets() -> None:
    assert "Needs planoracle[mcp]." in " ".join(invoke("mcp", "--help").stdout.split())
    assert "planoracle[inspect]" in re.sub(r"[\s│]+", " ", invoke("run", "--help", env={"COLUMNS": "200"}).stdout)


@pytest.mark.parametrize(
    "example",
    sample([one for one in dict.fromkeys(EXAMPLES) if one.split()[1] not in SLOW], 3)
    + [pytest.param(one, marks=pytest.mark.slow) for one in dict.fromkeys(EXAMPLES) if one.split()[1] in SLOW],
)
def test_example_of_help_text_runs_in_a_folder_with_the_files_that_it_names(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLANORACLE_CACHE", str(tmp_path / "cache"))
    for module in ("next", "verify"):
        monkeypatch.setattr(f"planoracle.analysis.cli.{module}.each_in_worker", values_in_this_process)
    _, *arguments = shlex.split(example)
    for name in FILES.keys() & {*arguments}:
        Path(name).write_text(FILES[name])
    if "grades.jsonl" in arguments:
        Path("plans.jsonl").write_text(FILES["plans.jsonl"])
        Path("grades.jsonl").write_text(invoke("grade", "plans.jsonl", "--format", "jsonl").stdout)
    if arguments[0] == "verify" and "certificates.jsonl" in arguments:
        invoke("explain", "tasks.csv", "--out", "certificates.jsonl")
    if arguments[0] == "mcp" or "mockllm/model" in arguments:  # libraries that keep state in their process
        pytest.importorskip("mcp" if arguments[0] == "mcp" else "inspect_ai")
        code = "from planoracle.analysis.cli import main; main()"
        call = [sys.executable, "-c", code, *arguments]
        assert subprocess.run(call, stdin=subprocess.DEVNULL, check=False).returncode == 0
        return
    result = invoke(*arguments)
    assert result.exit_code in ((0, 1) if arguments[0] == "audit" else (0,)), result.stderr  # 1: a wrong reference
