"""Imports point one way, and the command line starts without heavy libraries."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ALLOWED = {
    "instances": {"instances"},
    "heuristics": {"instances", "heuristics"},
    "solver": {"instances", "heuristics", "solver"},
    "analysis": {"instances", "heuristics", "solver", "analysis"},
}
MODULES = [path for folder in ALLOWED for path in sorted((ROOT / folder).rglob("*.py"))]
HEAVY = ("pandas", "matplotlib", "networkx", "ortools", "pydantic", "numpy")


def imported_folders(source: str, package: str = "planoracle") -> set[str]:
    """Folders of ours that a module of ``package`` imports from anywhere in its text."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            names += [f"{module}.{alias.name}" for alias in node.names]
    return {name.split(".")[1] for name in names if name.startswith("planoracle.")}


@pytest.mark.parametrize(
    "source",
    [
        "import planoracle.solver.solve",
        "from planoracle import solver",
        "from planoracle.solver import solve as s",
        "def f():\n    from planoracle.solver.solve import solve",
        "from ..solver import solve",
        "from .. import solver",
    ],
)
def test_every_form_of_import_is_seen(source: str) -> None:
    assert imported_folders(source, "planoracle.instances") == {"solver"}


@pytest.mark.parametrize("folder", ALLOWED)
def test_every_folder_has_modules(folder: str) -> None:
    assert any(path.is_relative_to(ROOT / folder) for path in MODULES)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_one_way(path: Path) -> None:
    parts = path.relative_to(ROOT).parent.parts
    found = imported_folders(path.read_text(encoding="utf-8"), ".".join(("planoracle", *parts)))
    assert found <= ALLOWED[parts[0]]


def test_command_line_starts_without_heavy_libraries() -> None:
    code = f"import planoracle.analysis.cli, sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
