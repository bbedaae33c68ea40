"""Pages and pictures of the site that are made by code: help texts, and the pictures of the gallery."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from planoracle.analysis.cli.commands import COMMANDS

__all__ = ["help_texts", "pictures"]

_PLANORACLE = Path(sys.executable).parent / "planoracle"
_BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def help_texts() -> str:
    """Return the page of the command line: the help text of each subcommand."""
    page = [
        "# Command line",
        "Output of `planoracle COMMAND --help`. See also [the command line](analysis/cli/README.md).",
    ]
    for panel in dict.fromkeys(panel for panel, _ in COMMANDS.values()):
        page.append(f"## {panel}")
        for name in (name for name, (own, _) in COMMANDS.items() if own == panel):
            page.append(f"### {name}\n\n```text\n{_run([str(_PLANORACLE), name, '--help']).strip()}\n```")
    return "\n\n".join(page) + "\n"


def pictures(page: str, folder: Path) -> None:
    """Run the commands and the Python of a page, in order, in a folder; they write its pictures."""
    for language, text in _BLOCK.findall(page):
        _run(["bash", "-euc", text] if language == "sh" else [sys.executable, "-c", text], folder)


def _run(command: list[str], folder: Path | None = None) -> str:
    path = f"{_PLANORACLE.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "MPLBACKEND": "agg"}
    done = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout
