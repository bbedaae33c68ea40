"""Shell completion, requested as the scripts of the shells do."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support.samples import sample

from planoracle.analysis.cli.commands import COMMANDS
from planoracle.heuristics.registry import names as heuristics

CODE = "import sys; sys.argv[0] = 'planoracle'; from planoracle.analysis.cli import main; main()"
PAIR = "recipe2plan/timed/Vada_D"


def completions(shell: str, line: str, instruction: str = "complete", code: str = CODE) -> str:
    """Return the completions of a line that is typed so far."""
    words = line.split(" ")
    environment = os.environ | {
        "_PLANORACLE_COMPLETE": f"{instruction}_{shell}",
        "COMP_WORDS": "\n".join(words),
        "COMP_CWORD": str(len(words) - 1),
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize(
    ("line", "offered"),
    sample(
        [
            ("planoracle sol", ["solve"]),
            ("planoracle solve recipe2", ["recipe2plan"]),
            (f"planoracle solve {PAIR}", ["recipe2plan/timed/Vada_Daikon-Radish"]),
            ("planoracle next timearena/lab10+lab1+", ["timearena/lab10+lab1+lab2"]),
            ("planoracle solve --heuristic serial-", [name for name in heuristics() if name.startswith("serial-")]),
            ("planoracle solve x --format js", ["json", "jsonl"]),
        ],
        several=True,
    ),
)
def test_bash_completion_lists_values(line: str, offered: list[str]) -> None:
    assert completions("bash", line).splitlines() == offered


@pytest.mark.slow
def test_fish_and_zsh_completion_describe_commands() -> None:
    name, _, about = completions("fish", "planoracle verif").strip().partition("\t")
    assert name == "verify"
    assert COMMANDS["verify"][1].startswith(about.removesuffix("..."))
    assert completions("zsh", "planoracle verif").startswith('_arguments \'*: :(("verify":')


def test_completion_lists_all_commands_without_importing_them() -> None:
    modules = {f"planoracle.analysis.cli.{name}" for name in COMMANDS}
    code = (
        f"import atexit, sys; atexit.register(lambda: print(sorted({modules!r} & sys.modules.keys())));"
        "sys.argv[0] = 'planoracle'; from planoracle.analysis.cli.commands import run_app; sys.exit(run_app())"
    )
    *subcommands, imported = completions("bash", "planoracle ", code=code).splitlines()
    assert subcommands == list(COMMANDS)
    assert imported == "[]"
