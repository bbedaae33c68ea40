"""The page of features is what the components declare, and names all of them."""

from __future__ import annotations

import ast
from pathlib import Path

from support.pages import PAGES, generated_pages

from planoracle.analysis.components import DECLARED, components
from planoracle.instances.model.features import Feature

ROOT = PAGES.parent
PACKAGES = ("instances", "heuristics", "solver", "analysis")


def declared_names(path: Path) -> list[str]:
    """Return the names of components that a module declares as constants."""
    text = path.read_text("utf-8")
    names: list[str] = []
    if "Component(" not in text:  # to parse all modules takes seconds
        return names
    for node in ast.parse(text).body:
        call = getattr(node, "value", None)
        if isinstance(node, ast.Assign) and isinstance(call, ast.Call) and ast.unparse(call.func) == "Component":
            names.append(ast.literal_eval(call.args[0]))
    return names


def test_page_is_current() -> None:
    page = (PAGES / "features.md").read_text("utf-8")
    assert generated_pages.features_page(page) == page, "python tests/support/pages.py .docs/features.md"


def test_all_declared_components_are_in_the_table() -> None:
    names: list[str] = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            names += declared_names(path)
    assert sorted(names) == sorted(component.name for component in DECLARED)


def test_each_feature_is_exact_somewhere() -> None:
    for feature in Feature:
        assert any(feature not in component.refused for component in components())


def test_benchmarks_refuse_by_the_same_declaration_as_the_table() -> None:
    rows = {component.name: component.refused for component in components()}
    assert rows["rules and plans of `generic`"] == frozenset()
    others = [name for name in rows if name.startswith("rules and plans") and "recipe2plan" in name]
    assert [rows[name] for name in others] == [frozenset(Feature)]
