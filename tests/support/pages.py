"""Runner of pages: `console` blocks and `python` blocks with `>>>`, in order, in an empty folder.

``python tests/support/pages.py PAGE ...`` writes the output of the commands into the pages, the facts of
``tests/facts`` into ``facts.md``, what components declare into ``features.md``, and what becomes of cheating plans into
``cheats.md``.
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
    """Block of a page: language, text, and start and end of the text in the page."""

    language: str
    text: str
    start: int
    end: int


def blocks(page: str) -> list[Block]:
    """Return the blocks of a page that can be run."""
    candidates = (Block(match[1], match[2], match.start(2), match.end(2)) for match in _BLOCK.finditer(page))
    return [block for block in candidates if block.language == "console" or block.text.startswith(">>>")]


def _commands(text: str) -> Iterator[str]:
    """Yield the commands of a block, each with the lines of its here-document."""
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
            heredoc = re.search(r"<<'(\w+)'", line)
            ends = heredoc[1] if heredoc else ""
    if lines:
        yield "\n".join(lines)


def output(block: Block, folder: Path) -> str:
    """Run a block in a folder; return the block with the current output.

    A failing command is an error, except that status 1 may report a wrong reference, an infeasible problem, or errors
    that the page shows. A warning on standard error that the page does not show is an error as well.
    """
    if block.language == "python":
        return _python(block.text, folder)
    lines = []
    for command in _commands(block.text):
        hidden_file = folder / ".stderr"
        hidden_file.write_text("")
        done = _run(["bash", "-c", command.replace("2>/dev/null", f"2>'{hidden_file}'")], folder)
        shows_errors = re.search("^error: ", done.stdout, re.MULTILINE) is not None
        max_status = "planoracle audit" in command or "infeasible" in done.stdout or shows_errors
        hidden = [
            line for line in hidden_file.read_text("utf-8").splitlines() if line.startswith(("warning:", "error:"))
        ]
        if done.returncode > max_status or hidden:
            raise AssertionError("\n".join([command, done.stdout, *hidden]))
        lines.append("\n".join("$ " * (not number) + line for number, line in enumerate(command.split("\n"))))
        lines += [line.rstrip() for line in done.stdout.splitlines()]
    return "".join(line + "\n" for line in lines)


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
    if path.stem == "cheats":
        page = generated_pages.cheats_page(page)
    if path.stem == "features":
        page = generated_pages.features_page(page)
    with tempfile.TemporaryDirectory() as folder:
        parts, end = [], 0
        for block in blocks(page):
            parts += [page[end : block.start], output(block, Path(folder))]
            end = block.end
    path.write_text("".join([*parts, page[end:]]), "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        _write(Path(name))
