"""Pages whose commands are run: blocks of `console` and of `python` with `>>>`, in order, in one empty folder.

``python tests/support/pages.py PAGE ...`` writes what the commands print into the pages, and the facts of
``tests/facts`` into ``facts.md``.
"""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PAGES = Path(__file__).parents[2] / ".docs"
_BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPEC = importlib.util.spec_from_file_location("docs_generated_pages", PAGES / "generated_pages.py")
assert _SPEC is not None
assert _SPEC.loader is not None
generated_pages = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(generated_pages)


class Block(NamedTuple):
    """A block of a page: its language, its text, and where the text stands."""

    language: str
    text: str
    start: int
    end: int


def blocks(page: str) -> list[Block]:
    """Return the blocks that are run."""
    found = (Block(match[1], match[2], match.start(2), match.end(2)) for match in _BLOCK.finditer(page))
    return [block for block in found if block.language == "console" or block.text.startswith(">>>")]


def _commands(text: str) -> Iterator[str]:
    """Return the commands of a block, each with the lines that belong to it."""
    lines: list[str] = []
    ends = ""
    for line in text.splitlines():
        if ends:
            lines.append(line)
            ends = "" if line == ends else ends
        elif line.startswith("$ "):
            if lines:
                yield "\n".join(lines)
            lines = [line[2:]]
            here = re.search(r"<<'(\w+)'", line)
            ends = here[1] if here else ""
    if lines:
        yield "\n".join(lines)


def output(block: Block, folder: Path) -> str:
    """Run a block in a folder; return it with what is printed now.

    A command that fails is an error, unless its status says what it has found, a wrong reference or an infeasible
    problem; so is a warning that a reader of the page does not see.
    """
    if block.language == "python":
        return _python(block.text, folder)
    shown = []
    for command in _commands(block.text):
        aside = folder / ".aside"  # what the page does not show
        aside.write_text("")
        done = _run(["bash", "-c", command.replace("2>/dev/null", f"2>'{aside}'")], folder)
        told = "planoracle audit" in command or "infeasible" in done.stdout
        hidden = [line for line in aside.read_text("utf-8").splitlines() if line.startswith(("warning:", "error:"))]
        if done.returncode > told or hidden:
            raise AssertionError("\n".join([command, done.stdout, *hidden]))
        shown.append("\n".join("$ " * (not number) + line for number, line in enumerate(command.split("\n"))))
        shown += [line.rstrip() for line in done.stdout.splitlines()]
    return "".join(line + "\n" for line in shown)


def _python(text: str, folder: Path) -> str:
    examples = doctest.DocTestParser().get_examples(text)
    code = ["import code", "console = code.InteractiveConsole()"]
    for one in examples:
        typed = "".join("... " * bool(n) + line for n, line in enumerate(one.source.splitlines(keepends=True)))
        code.append(f"print({'>>> ' + typed!r}, end='', flush=True)")
        code.append(f"console.runcode(compile({one.source!r}, '<page>', 'single'))")
    done = _run([sys.executable, "-c", "\n".join(code)], folder)
    if done.returncode or "Traceback" in done.stdout:
        raise AssertionError(done.stdout)
    return done.stdout + "\n" * text.endswith("\n\n")


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    home = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{home}{os.pathsep}{os.environ['PATH']}",
        "PLANORACLE_CACHE": str(folder / ".cache"),
        "COLUMNS": "104",
        "NO_COLOR": "1",
    }
    return subprocess.run(
        command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )


def _write(path: Path) -> None:
    page = path.read_text("utf-8")
    if path.stem == "facts":
        page = generated_pages.facts_page(page)
    with tempfile.TemporaryDirectory() as folder:
        parts, end = [], 0
        for block in blocks(page):
            parts += [page[end : block.start], output(block, Path(folder))]
            end = block.end
    path.write_text("".join([*parts, page[end:]]), "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        _write(Path(name))
