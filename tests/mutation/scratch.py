"""Scratch tree of mutation tests: mutmut needs module names that agree with the paths of sources.

``mutants/`` is the copy in which tests run: mutmut writes the sources with all mutants there. Folders of the repository
that tests read are links.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("instances", "heuristics", "solver", "analysis")
#: Files and folders that tests read and nothing changes.
LINKED = (".ci", ".docs", ".github", "changelog", "notebooks", "CHANGELOG.md", "LICENSE", "README.md")
#: mutmut multiplies the time of the tests of a mutant, and its constant (seconds), by the multiplier.
#: A process that forks before any test runs keeps values that a run of the original stored from the mutants.
SETTINGS = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = {paths}
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = {arguments}
track_dependencies = false
use_git_change_detection = false
process_isolation = "forkserver"
timeout_multiplier = 5.0
timeout_constant = 15.0
"""


def build(tree: Path, paths: list[str], tests: list[str], with_slow_tests: bool) -> None:
    """Build the tree for some modules and their tests, in place of an earlier tree."""
    shutil.rmtree(tree, ignore_errors=True)
    package, copies = tree / "src/planoracle", tree / "mutants"
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in PACKAGES:
        shutil.copytree(ROOT / folder, package / folder, ignore=ignored)
    for path in (ROOT / ".namespace/planoracle").glob("*.py"):
        shutil.copy2(path, package)
    shutil.copytree(ROOT / "tests", copies / "tests", ignore=ignored)
    for name in PACKAGES:
        (copies / name).symlink_to(Path("src/planoracle") / name)
    (tree / "shared").symlink_to(ROOT.parent / "shared")
    for name in LINKED:
        (copies / name).symlink_to(ROOT / name)
    # Python remembers folders of its search path that do not exist when it starts.
    (copies / "src").mkdir()
    (copies / ".namespace").mkdir()
    (copies / ".namespace/planoracle").symlink_to("../src/planoracle")
    # Tests that are named run although they are slow, and with all examples, unless a profile is chosen.
    arguments = ["-p", "no:cacheprovider"]
    arguments += ["-m", ""] if with_slow_tests else ["--hypothesis-profile=quick"]
    values = {"paths": paths, "tests": tests, "arguments": arguments}
    settings = SETTINGS.format_map({name: json.dumps(value) for name, value in values.items()})
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    (tree / "pyproject.toml").write_text(project + settings, "utf-8")


def environment(folder: Path, sources: str) -> dict[str, str]:
    """Return the environment of a process that imports sources and tests of a copy of the repository."""
    search_path = [folder / sources, folder, folder / "tests"]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, search_path))}


def run(tree: Path, order: dict[str, object]) -> None:
    """Run mutants in the tree; the output of mutmut and pytest goes to ``log`` in the tree."""
    command = [sys.executable, "-m", "tests.mutation.mutants", json.dumps(order)]
    variables = environment(tree / "mutants", "src")
    path = tree / "log"
    with path.open("w", encoding="utf-8") as log:
        process = subprocess.run(command, cwd=tree, env=variables, stdout=log, stderr=subprocess.STDOUT, check=False)
    if process.returncode:
        sys.exit(f"mutmut failed, see {path}")
