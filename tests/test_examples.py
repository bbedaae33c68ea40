"""Examples on all pages: a test runs each block of commands or Python, or a list has the reason."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from support.links import DOCS, ROOT, pages
from support.pages import Block, output

from planoracle import load, solve

_BLOCK = re.compile(r"^```(console|sh|bash|shell|pycon|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

#: Pages outside the tutorials whose blocks run here in order, in a folder with some files.
RUN = (
    "README.md",
    "heuristics/README.md",
    "instances/generate/README.md",
    "instances/literature/README.md",
    "notebooks/README.md",
    "reference/adapters.md",
    "reference/agents.md",
    "reference/batches.md",
    "reference/command_line.md",
    "reference/comparisons.md",
    "reference/extending.md",
    "reference/figures.md",
    "reference/submissions.md",
    "solver/proofs/README.md",
)
#: Pages and beginnings of blocks that do not run here, with the reason or the test that runs them.
EXCLUDED = {
    "python3 -m venv": "installs packages; CI runs the commands of the README",
    ".venv/bin/": "installs packages",
    "pip install": "installs packages; calls a model, or starts a cluster",
    "openssl req": "tests/analysis/batch/test_cluster.py",
    "#!/bin/bash": "needs SLURM",
    "python tests/benchmarks/": "takes minutes",
    "PYTHONPATH=. python tests/benchmarks/": "takes hours",
    "python -m tests.mutation": "takes minutes to hours; the weekly workflow runs it",
    "analysis/audit/PUBLISHED.md": "tests/analysis/audit/test_audit.py",
    "cli.md": "tests/analysis/cli/test_help_texts.py",
    "instances/ADDING.md": "tests/test_new_benchmark.py",
    "from planoracle import grade, load, solve": "tests/test_public_api.py",
    "from pandas import concat\nfrom planoracle import compare, read\nfrom planoracle.analysis import frames": (
        "tests/analysis/figures/test_figures.py"
    ),
    "from planoracle.analysis.statistics.pairs import pairs, profiles": "tests/analysis/figures/test_figures.py",
    "from planoracle.analysis.figures.methods import performance_profile": "tests/analysis/figures/test_figures.py",
}
#: Python that blocks need before them: the reader's own code.
BEFORE = {"reference/agents.md": "my_model = lambda messages: 'wash cup'\n"}
#: Numbers that differ from run to run: versions.
_VERSION = re.compile(r"\b\d+\.\d+\.\d+\b")


class Example(NamedTuple):
    """Block of a page with its language."""

    page: str
    language: str
    text: str


EXAMPLES = [Example(page, *match.groups()) for page, text in pages().items() for match in _BLOCK.finditer(text)]


def exclusion(example: Example) -> str | None:
    """Return why a block does not run here, or the test that runs it; ``None`` for other blocks."""
    return next((reason for start, reason in EXCLUDED.items() if is_from(example, start)), None)


def is_from(example: Example, start: str) -> bool:
    return example.page == start or example.text.startswith(start)


def is_tutorial(page: str) -> bool:
    """Return True for a page whose blocks `test_pages` runs, or the build of the site (gallery)."""
    return ((DOCS / page).exists() and "/" not in page) or page.startswith("instances/benchmarks/")


def prepare(folder: Path) -> None:
    """Write the files that examples read: links to the packages, submissions, and a folder of runs."""
    for name in ("instances", "solver"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "notebooks" / "pictures").mkdir(parents=True)
    plans = [best_plan(f"timearena/household{number}") for number in (1, 2, 3)]
    rows = [{"id": f"{n}", "instance": f"timearena/household{n}", "plan": plan} for n, plan in enumerate(plans, 1)]
    (folder / "submissions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    runs = folder / "runs"
    (runs / "gpt").mkdir(parents=True)
    for row in rows:
        (runs / "gpt" / f"{row['instance'].replace('/', '__')}.txt").write_text(row["plan"])
    with (runs / "llama.csv").open("w", newline="") as stream:
        late = ((row["instance"], f"wait, {row['plan']}") for row in rows)
        csv.writer(stream).writerows([("puzzle", "response"), *late])
    entries = [{"puzzle": row["instance"], "response": row["plan"], "epoch": 1} for row in rows[:2]]
    text = "".join(json.dumps(one) + "\n" for one in [*entries, {"puzzle": rows[2]["instance"], "epoch": 1}])
    (runs / "qwen.jsonl.gz").write_bytes(gzip.compress(text.encode()))


def best_plan(name: str) -> str:
    return str(solve(load(name)).plan).replace("\n", ", ")


def matches(expected: str, actual: str) -> bool:
    """Return True for equal texts; a line ``...`` stands for any lines, versions are not compared."""
    patterns = [
        ".*?" if line == "..." else re.escape(_VERSION.sub("VERSION", line))
        for line in expected.rstrip("\n").splitlines()
    ]
    pattern = "\n".join(patterns).replace("\n.*?", "(?:\n.*?)?")
    return re.fullmatch(pattern, _VERSION.sub("VERSION", actual.rstrip("\n")), re.DOTALL) is not None


def test_each_block_of_commands_or_python_is_run_by_a_test() -> None:
    """A block on a page that no test reads has to be added to `RUN`, or to `EXCLUDED` with the reason."""
    others = [one for one in EXAMPLES if not is_tutorial(one.page) and one.page not in RUN]
    assert len(EXAMPLES) > 80
    assert [(one.page, one.text[:60]) for one in others if exclusion(one) is None] == []


def test_tests_that_run_examples_elsewhere_exist() -> None:
    paths = [reason for reason in EXCLUDED.values() if reason.endswith(".py")]
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert [start for start in EXCLUDED if not any(is_from(one, start) for one in EXAMPLES)] == []


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN)
def test_examples_of_a_page(page: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if shutil.which("bash") is None:
        pytest.skip("the commands are those of a shell")
    if page == "reference/adapters.md":
        pytest.importorskip("gymnasium", reason="the block needs planoracle[gym]")
    if page == "instances/literature/README.md":
        copy_originals(request.getfixturevalue("shared") / "literature", tmp_path)
    prepare(tmp_path)
    examples = [one for one in EXAMPLES if one.page == page and exclusion(one) is None]
    assert examples
    for _, language, text in examples:
        if language == "console" or text.startswith(">>> "):
            actual = output(Block(language, text, 0, 0), tmp_path)
            assert not has_output(text) or matches(text, actual), actual
        else:
            run_script(language, BEFORE.get(page, "") * (language == "python") + text, tmp_path)


def copy_originals(folder: Path, target: Path) -> None:
    if not (folder / "jobshop" / "ft06.jss").is_file():
        pytest.skip("the originals are not here")
    (target / "j10").mkdir()
    (target / "jobshop").mkdir()
    shutil.copy(folder / "jobshop" / "ft06.jss", target / "jobshop")
    for place in (target, target / "j10"):
        shutil.copy(folder / "rcpsp_max" / "j10" / "psp1.sch", place)


def has_output(text: str) -> bool:
    """Return True if a block shows what its commands print."""
    return any(not line.startswith(("$ ", ">>> ", "... ")) for line in text.splitlines() if line)


def run_script(language: str, text: str, folder: Path) -> None:
    """Run a block without output in a folder; raises `AssertionError` if it fails."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    command = [sys.executable, "-c", text] if language == "python" else ["bash", "-euc", text]
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0 or ("audit" in text and run.returncode == 1), run.stderr


@pytest.mark.parametrize(
    ("expected", "actual", "are_equal"),
    [
        ("$ a\nb\n", "$ a\nb\n", True),
        ("$ a\nb\n", "$ a\nc\n", False),
        ("$ a\n...\n$ b\n", "$ a\n1\n2\n$ b\n", True),
        ("$ a\n...\nc\n", "$ a\n1\n2\nd\n", False),
        ("planoracle 0.9.0\n", "planoracle 0.10.0\n", True),
    ],
)
def test_output_that_differs_is_reported(expected: str, actual: str, are_equal: bool) -> None:
    assert matches(expected, actual) is are_equal
