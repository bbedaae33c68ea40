"""Security policy: every statement names its tests, and these exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = re.sub("<!--.*?-->", "", (ROOT / ".github" / "SECURITY.md").read_text(encoding="utf-8"), flags=re.DOTALL)
PROMISES = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if "::" in line]
#: Modules that read pickles: of our own processes, of runs that a check has just pickled, and a reader of a benchmark
#: that makes plain data only.
PICKLES = {
    "analysis/batch/cluster.py",
    "instances/workers/pool.py",
    "instances/workers/worker.py",
    "analysis/contract/live_checks.py",
    "instances/benchmarks/asynchow/problems.py",
}
#: Module that runs the files of ``--tools``.
TOOLS = "instances/protocol/tool_classes.py"


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise[0][:60])
def test_every_statement_of_the_security_policy_has_tests(promise: list[str]) -> None:
    statement, tests = promise
    named = re.findall(r"`(\S+)::(test_\w+)`", tests)
    assert statement
    assert named
    assert tests == " ".join(f"`{path}::{test}`" for path, test in named)
    for path, test in named:
        text = (ROOT / "tests" / path).read_text(encoding="utf-8")
        assert re.search(rf"^ *def {test}\(", text, re.MULTILINE), f"{path} has no {test}"


def test_every_row_of_the_security_tables_names_a_test() -> None:
    section = PAGE.partition("## Promises")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    assert len(rows) - rows.count("| promise | tests |") == len(PROMISES) >= 15


def test_links_of_the_security_policy_exist() -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", PAGE)
    assert links
    assert all((ROOT / ".github" / link).exists() for link in links)


def dangerous_calls(path: Path) -> set[str]:
    """Return the names of functions that a module calls and that could run a text."""
    names = {"eval", "exec", "compile", "__import__", "system", "popen", "Unpickler", "unsafe_load", "full_load"}
    names |= {"exec_module", "run_path", "run_module"}
    calls = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            owner = node.func.value if isinstance(node.func, ast.Attribute) else None
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            of = owner.id if isinstance(owner, ast.Name) else ""
            if (name in names and of != "re") or (of in ("pickle", "marshal", "shelve") and name.startswith("load")):
                calls.add(f"{of}.{name}".strip("."))
            if any(word.arg == "shell" for word in node.keywords):
                calls.add("a shell")
        elif (
            isinstance(node, ast.Attribute)
            and node.attr in ("loads", "Unpickler")
            and ast.unparse(node.value) == "pickle"
        ):
            calls.add(f"pickle.{node.attr}")
    return calls


@pytest.mark.slow
def test_packages_do_not_evaluate_text() -> None:
    paths = [path for part in ("analysis", "heuristics", "instances", "solver") for path in (ROOT / part).rglob("*.py")]
    assert len(paths) > 300
    calls = {path.relative_to(ROOT).as_posix(): names for path in paths if (names := dangerous_calls(path))}
    assert calls.pop(TOOLS) == {"loader.exec_module"}
    assert set(calls) == PICKLES
    assert all(name.startswith("pickle.") for names in calls.values() for name in names)
