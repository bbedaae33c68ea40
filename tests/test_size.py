"""Size of the source in statements: the totals may only fall."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("instances", "heuristics", "solver", "analysis")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

#: Maximum number of statements in the four packages together and in the tests. Lower them after code is removed.
CEILINGS = {"packages": 36_203, "tests": 26_660}


def statements(text: str) -> int:
    """Return the number of statements of a module, including nested ones, without docstrings."""
    nodes = list(ast.walk(ast.parse(text)))
    docstrings = sum(isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None for node in nodes)
    return sum(isinstance(node, ast.stmt) for node in nodes) - docstrings


def folder_size(folder: str) -> int:
    return sum(statements(path.read_text(encoding="utf-8")) for path in (ROOT / folder).rglob("*.py"))


@pytest.mark.slow
def test_number_of_statements_does_not_grow() -> None:
    sizes = {folder: folder_size(folder) for folder in (*PACKAGES, "tests")}
    assert sum(sizes[folder] for folder in PACKAGES) <= CEILINGS["packages"], sizes
    assert sizes["tests"] <= CEILINGS["tests"], sizes


def test_nested_statements_count_and_docstrings_do_not() -> None:
    assert statements('"""Module."""\ndef f():\n    """Function."""\n    if 1:\n        return 2\n') == 3
