"""Density check of code: names that are pronouns, and expressions with several ideas in one line."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
#: Faults by path and check that the code still has; `style.py --record` writes the file.
EXCEPTIONS_FILE = Path(__file__).with_name("density_exceptions.toml")
TABLES = tomllib.loads(Path(__file__).with_name("style_words.toml").read_text(encoding="utf-8"))["density"]
PRONOUNS = frozenset(TABLES["pronouns"])
#: Fields and parameters of the public API, which keep their names.
PUBLIC_NAMES = frozenset(TABLES["public_names"])
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Assert, ast.Raise, ast.Delete)
#: Most expressions without constants in a statement or in the header of a block; more are noted.
MAX_EXPRESSIONS = 20
#: Most values of one assignment, and most operations of a lambda: a call with a few attributes, or a sort key.
MAX_VALUES, MAX_LAMBDA_OPERATIONS = 2, 6


class DensityFault(NamedTuple):
    """One dense expression or name."""

    line: int
    check: str
    scope: str
    message: str


class Advice(NamedTuple):
    """A check that an expression fails, and what to write instead."""

    check: str
    message: str


TWO_FOR = Advice("two for", "write a loop or a function for a comprehension with two `for`")
NESTED_IF = Advice("nested conditional", "write `if` statements for a conditional in a conditional")
TUPLE = Advice("tuple assignment", f"assign at most {MAX_VALUES} values at once")
DENSE = Advice("dense statement", f"more than {MAX_EXPRESSIONS} expressions; name the intermediate values")
LAMBDA = Advice("long lambda", "write a function with a name for a lambda longer than one call")


def density_faults(tree: ast.AST, scope: str = "") -> Iterator[DensityFault]:
    """Yield the faults below a node; ``scope`` is the name of the class and function around it."""
    for node in ast.iter_child_nodes(tree):
        name = bound_name(node)
        if name.strip("_") in PRONOUNS and not _is_public(scope, name):
            yield DensityFault(_line(node), "pronoun", scope, f'say what the value is, not "{name}"')
        if dense := _dense_expression(node):
            yield DensityFault(_line(node), dense.check, scope, dense.message)
        if _number_of_expressions(node) > MAX_EXPRESSIONS:
            yield DensityFault(_line(node), DENSE.check, scope, DENSE.message)
        inner_scope = f"{scope}.{node.name}".lstrip(".") if isinstance(node, SCOPES) else scope
        yield from density_faults(node, inner_scope)


def bound_name(node: ast.AST) -> str:
    """Return the variable, parameter or attribute that a node binds, or an empty text."""
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return node.attr
    return ""


def _is_public(scope: str, name: str) -> bool:
    """Return whether a name is a field or a parameter of the public API."""
    return f"{scope.removesuffix('.__init__')}.{name}" in PUBLIC_NAMES


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 1)


def _dense_expression(node: ast.AST) -> Advice | None:
    if isinstance(node, COMPREHENSIONS) and len(node.generators) > 1:
        return TWO_FOR
    if isinstance(node, ast.IfExp) and any(isinstance(child, ast.IfExp) for child in _inner(node)):
        return NESTED_IF
    if isinstance(node, ast.Assign) and len(_assigned_values(node)) > MAX_VALUES:
        return TUPLE
    if isinstance(node, ast.Lambda) and _is_long(node.body):
        return LAMBDA
    return None


def _number_of_expressions(node: ast.AST) -> int:
    """Return the number of expressions that a reader takes in at once, without constants and annotations."""
    parts: list[ast.AST]
    if isinstance(node, ast.AnnAssign):
        parts = [node.value] if node.value else []
    elif isinstance(node, SIMPLE):
        parts = [node]
    elif isinstance(node, (ast.If, ast.While)):
        parts = [node.test]
    elif isinstance(node, ast.For):
        parts = [node.target, node.iter]
    elif isinstance(node, ast.With):
        parts = [item.context_expr for item in node.items]
    else:
        return 0
    number = 0
    for part in parts:
        number += sum(isinstance(child, ast.expr) and not isinstance(child, ast.Constant) for child in ast.walk(part))
    return number


def _inner(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield from ast.walk(child)


def _assigned_values(node: ast.Assign) -> list[ast.expr]:
    """Return the values that an assignment gives to several targets at once."""
    if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
        return node.value.elts
    return []


def _is_long(body: ast.expr) -> bool:
    """Return whether the body of a lambda is more than a call, an operator or a sort key."""
    nodes = [child for child in ast.walk(body) if isinstance(child, ast.expr)]
    if any(isinstance(child, (ast.IfExp, ast.Lambda, *COMPREHENSIONS)) for child in nodes):
        return True
    calls = sum(isinstance(child, ast.Call) for child in nodes)
    operations = sum(not isinstance(child, (ast.Name, ast.Constant)) for child in nodes)
    return calls > 1 or operations > MAX_LAMBDA_OPERATIONS


def number_of_faults(paths_and_checks: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Count faults by path and check, both in order."""
    counts = Counter(paths_and_checks)
    numbers: dict[str, dict[str, int]] = {}
    for (path, check), number in sorted(counts.items()):
        numbers.setdefault(path, {})[check] = number
    return numbers


def read_exceptions() -> dict[str, dict[str, int]]:
    """Return the number of faults that each path still has, by check."""
    return tomllib.loads(EXCEPTIONS_FILE.read_text(encoding="utf-8")) if EXCEPTIONS_FILE.exists() else {}


def write_exceptions(numbers: Mapping[str, Mapping[str, int]]) -> None:
    """Write the number of faults by path and check."""
    lines = ["# Dense code that is still to be unfolded: number of faults by path and check."]
    for path, checks in numbers.items():
        counts = ", ".join(f'"{check}" = {number}' for check, number in checks.items())
        lines.append(f'"{path}" = {{ {counts} }}')
    EXCEPTIONS_FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
