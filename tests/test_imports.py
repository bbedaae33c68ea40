"""Import rules: order of the packages, no cycles, few late imports, and no slow libraries at startup."""

from __future__ import annotations

import ast
import gc
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import networkx as nx
import pytest
from support.samples import sample

import planoracle
from planoracle.analysis.cli.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
ALLOWED = {
    "instances": {"instances"},
    "heuristics": {"instances", "heuristics"},
    "solver": {"instances", "heuristics", "solver"},
    "analysis": {"instances", "heuristics", "solver", "analysis"},
}
MODULES = [path for folder in ALLOWED for path in sorted((ROOT / folder).rglob("*.py"))]
#: Modules that import other modules of planoracle late by design: the command loader, registries of plug-ins, and
#: results, whose view imports pandas and matplotlib only where it needs them.
LATE = {
    "analysis/cli/__init__.py",
    "analysis/cli/commands.py",
    "analysis/api.py",
    "analysis/comparison/compare.py",
    "analysis/result_view.py",
    "instances/model/instance.py",
    "instances/protocol/registry.py",
    "solver/result.py",
    "solver/solve.py",
}
EXTRAS = ("inspect_ai", "gymnasium", "mcp", "pumpkin_solver")
#: Slow libraries that short calls do not need. Typer itself imports pydantic and rich.
SLOW = ("pandas", "matplotlib", "networkx", "numpy", "loky", "multiprocessing", "asyncio", *EXTRAS)
HEAVY = ("pandas", "matplotlib", "networkx", "ortools", "pydantic", "numpy", *EXTRAS)


def module_of(path: Path) -> str:
    """Return the name of the module in a file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("planoracle", *(parts[:-1] if parts[-1] == "__init__" else parts)))


def names_of(statement: ast.AST, package: str = "planoracle") -> list[str]:
    """Return the modules and names that one statement of a module of ``package`` imports."""
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    if not isinstance(statement, ast.ImportFrom):
        return []
    parts = package.split(".")
    base = ".".join(parts[: len(parts) - statement.level + 1]) if statement.level else ""
    module = ".".join(filter(None, (base, statement.module)))
    return [f"{module}.{alias.name}" for alias in statement.names]


def imported_names(source: str | ast.AST, package: str = "planoracle") -> list[str]:
    """Return the modules and names that a module of ``package`` imports at any place."""
    names: list[str] = []
    for statement in statements(ast.parse(source) if isinstance(source, str) else source):
        names += names_of(statement, package)
    return names


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all statements below it, without their expressions."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from statements(child)


def imported_folders(source: str, package: str = "planoracle") -> set[str]:
    """Return the top packages of planoracle that a module of ``package`` imports at any place."""
    return folders_of(imported_names(source, package))


def folders_of(names: list[str]) -> set[str]:
    """Return the top packages of planoracle in names of modules."""
    return {name.split(".")[1] for name in names if name.startswith("planoracle.")}


class ModuleImports(NamedTuple):
    """Names that a module imports at any place, and its functions that import planoracle."""

    names: list[str]
    late: set[str]


@cache
def imports_of(path: Path) -> ModuleImports:
    """Return the imports of a module."""
    gc.disable()  # it would look through the nodes of the tree again and again
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        package = ".".join(("planoracle", *path.relative_to(ROOT).parent.parts))
        return ModuleImports(imported_names(tree, package), late_imports(tree))
    finally:
        gc.enable()


class _NotForTypes(ast.NodeTransformer):
    """Transformer that removes the blocks for type checkers."""

    def visit_If(self, node: ast.If) -> ast.AST | None:
        only_types = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return None if only_types else self.generic_visit(node)


def import_cycles(sources: dict[str, str]) -> set[frozenset[str]]:
    """Return the sets of modules that import each other, also late; imports for types do not count."""
    graph = nx.DiGraph()
    for module, source in sources.items():
        run = _NotForTypes().visit(ast.parse(source))
        for name in imported_names(run, module.rpartition(".")[0]):
            target = name if name in sources else name.rpartition(".")[0]
            if target in sources:
                graph.add_edge(module, target)
    return {frozenset(component) for component in nx.strongly_connected_components(graph) if len(component) > 1}


@pytest.mark.parametrize(
    "source",
    [
        "import planoracle.solver.exact.search",
        "from planoracle import solver",
        "from planoracle.solver import solve as s",
        "def f():\n    from planoracle.solver.exact.search import solve",
        "from ..solver import solve",
        "from .. import solver",
    ],
)
def test_all_import_forms_are_detected(source: str) -> None:
    assert imported_folders(source, "planoracle.instances") == {"solver"}


#: Modules of result classes whose methods import code for presentation.
VALUE_CLASSES = {"solver/result.py"}


def test_packages_import_only_allowed_packages() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in MODULES} == set(ALLOWED)
    for path in MODULES:
        parts = path.relative_to(ROOT).parent.parts
        folders = folders_of(imports_of(path).names)
        allowed = ALLOWED[parts[0]] | {"__version__"}  # the other public names may come from any package
        allowed |= {"analysis"} if path.relative_to(ROOT).as_posix() in VALUE_CLASSES else set()
        assert folders <= allowed, path


def late_imports(source: str | ast.AST) -> set[str]:
    """Return the functions of a module that import planoracle, except a package's ``__getattr__``."""
    functions = [
        node
        for node in statements(ast.parse(source) if isinstance(source, str) else source)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return {
        node.name
        for node in functions
        if node.name != "__getattr__" and any(name.split(".")[0] == "planoracle" for name in imported_names(node))
    }


def test_late_imports_are_recognized() -> None:
    late = "    from planoracle.solver import solve\n"
    assert late_imports(f"def f():\n{late}") == late_imports(f"class A:\n async def f(self):\n  {late}") == {"f"}
    assert late_imports(f"def __getattr__(name):\n{late}") == set()
    assert late_imports("from planoracle.solver import solve\ndef f():\n    import pandas\n") == set()


def test_only_listed_modules_import_late() -> None:
    late = {}
    for path in MODULES:
        if functions := imports_of(path).late:
            late[path.relative_to(ROOT).as_posix()] = functions
    unexpected = {name: functions for name, functions in late.items() if name not in LATE}
    assert unexpected == {}


@pytest.mark.slow
def test_modules_have_no_import_cycles() -> None:
    sources = {}
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        if path.relative_to(ROOT).as_posix() in VALUE_CLASSES:
            text = re.sub(r"^ +from planoracle\.analysis.*\n", "", text, flags=re.M)
        sources[module_of(path)] = text
    assert import_cycles(sources) == set()


def test_import_cycles_are_detected() -> None:
    one = "from planoracle.solver import b"
    assert import_cycles({"planoracle.solver.a": one, "planoracle.solver.b": "import os"}) == set()
    types = "if TYPE_CHECKING:\n    from planoracle.solver import a"
    assert import_cycles({"planoracle.solver.a": one, "planoracle.solver.b": types}) == set()
    for two in ("import planoracle.solver.a", "def f():\n    from planoracle.solver.a import g", "from .a import g"):
        result = import_cycles({"planoracle.solver.a": one, "planoracle.solver.b": two, "planoracle.solver.c": one})
        assert result == {frozenset(("planoracle.solver.a", "planoracle.solver.b"))}


def test_command_line_starts_without_heavy_libraries() -> None:
    code = f"import planoracle.analysis.cli, sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.slow
def test_usual_calls_import_no_optional_library() -> None:
    code = f"""
from planoracle import environment, grade, load, solve
solve(load("timearena/household1")), environment(load("timearena/household1"))
grade({{"instance": "timearena/household1", "plan": "wait"}})
import sys; print([name for name in {EXTRAS!r} if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.slow
def test_version_option_imports_no_slow_library() -> None:
    code = f"""
import sys
from planoracle.analysis.cli.commands import run_app
sys.argv = ["planoracle", "--version"]
print(run_app(), [name for name in {SLOW!r} if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    versions = f"planoracle {planoracle.__version__} (ortools {version('ortools')})"
    assert run.stdout.splitlines() == [versions, "0 []"]


def imported_by(*call: str) -> set[str]:
    """Return the names of the modules that a call of the command line imports."""
    code = f"""
import os, sys
sys.argv = ["planoracle", *{call!r}]
from planoracle.analysis.cli.commands import run_app
out = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
assert run_app() == 0
if sys.argv[1] == "solve" and "--help" not in sys.argv:  # imports of a worker
    from planoracle.analysis.batch.tasks import Solving
    from planoracle.instances.files.catalog import problem
    Solving(recompute=True).start()(problem(sys.argv[2]))
os.write(out, " ".join(sys.modules).encode())
"""
    # Variables with local copies of data, which another test may set, would cause further imports.
    own = {name: value for name, value in os.environ.items() if not name.startswith("PLANORACLE_DATA")}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=own)
    return set(run.stdout.split()) - _typers_own()


@cache
def _typers_own() -> frozenset[str]:
    """Return the names of the modules that typer imports; its minimum version also imports rich."""
    code = "import sys, typer, typer.main; print(*sys.modules)"
    return frozenset(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    sample(
        ["recipe2plan/timed/Cobbler_Pancakes", "timearena/household1", "asynctool/similar2/01", "asynchow/async/0"],
    ),
)
@pytest.mark.parametrize("form", sample(["table", "jsonl"]))
def test_solving_bundled_problems_imports_no_slow_library(name: str, form: str) -> None:
    modules = imported_by("solve", name, "--format", form)
    assert "planoracle.solver.exact.search" in modules
    assert modules.isdisjoint(SLOW), modules & set(SLOW)


def test_grading_a_line_imports_the_benchmark_of_its_problem_only() -> None:
    code = (
        "import sys\n"
        "from planoracle import grade\n"
        "row = {'id': 'a', 'model': 'm', 'instance': 'recipe2plan/timed/Cobbler_Pancakes', 'plan': 'Step(1)'}\n"
        "assert not grade(row).success\n"
        "print(*{name.split('.')[3] for name in sys.modules if name.startswith('planoracle.instances.benchmarks.')})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["recipe2plan"]


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_grading_a_line_imports_no_slow_library(form: str, tmp_path: Path) -> None:
    line = '{"id": "a", "model": "m", "instance": "timearena/household1", "plan": "wait"}'
    file = tmp_path / "plans.jsonl"
    file.write_text(line)
    modules = imported_by("grade", str(file), "--format", form)
    assert "planoracle.analysis.statistics.summary" in modules
    assert modules.isdisjoint({"pandas", "numpy", "matplotlib", "pyarrow", "networkx", "ortools"})


@pytest.mark.slow
def test_help_imports_no_command_module() -> None:
    assert imported_by("solve", "--help").isdisjoint(SLOW)
    modules = imported_by("--help")
    assert "planoracle.analysis.cli.commands" in modules
    commands = {f"planoracle.analysis.cli.{name}" for name in COMMANDS}
    assert modules.isdisjoint((*SLOW, *commands, "ortools")), modules & commands


def test_few_modules_import_ortools() -> None:
    """The messages of OR-Tools change with its releases."""
    imports = {
        (path.relative_to(ROOT).as_posix(), line.strip())
        for path in MODULES
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.match(r"\s*(from|import)\b.*\bortools\b|.*import_module\(.ortools", line)
    }
    assert imports == {
        ("solver/exact/cp_model.py", "from ortools.sat.python import cp_model_helper as cmh"),
        (
            "solver/exact/linear_program.py",
            "from ortools.linear_solver import pywraplp  # type: ignore[import-untyped]",
        ),
        ("solver/result.py", "import ortools"),  # for its version
    }


@pytest.mark.slow
def test_imported_libraries_are_declared_requirements() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [entry for entries in project["optional-dependencies"].values() for entry in entries]
    declared = {re.split(r"[\[><=~ ]", entry)[0].replace("-", "_") for entry in project["dependencies"] + extras}
    names: set[str] = set()
    for path in MODULES:
        names.update(imports_of(path).names)
    # The script drcp_checker.py imports checker.py, which lies beside it.
    others = {name.partition(".")[0] for name in names} - set(sys.stdlib_module_names) - {"planoracle", "checker"}
    assert {"numpy", "typer", "pyarrow"} <= others <= declared


def test_requirements_have_minimum_versions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert all(re.match(r"[A-Za-z0-9-]+(>=|==)[0-9]", entry) for entry in project["dependencies"])
