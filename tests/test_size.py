"""Size of the source in operations: the totals grow only by a decision that is written down here."""

from __future__ import annotations

import ast
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
READABILITY = ROOT.parent / "shared/tools/readability.py"
PACKAGES = ("instances", "heuristics", "solver", "analysis")

#: Maximum number of operations in the four packages together and in the tests. A feature may raise them, with a line
#: of why; lower them after code is removed.
#: Since 0.11 (124,464 and 141,899) they rose by rules for columns, links and outlines of tables of tasks (3,200), plan
#: forms and names of domains (3,500), times in JSON and offers of several plans (1,700), files of folders that are not
#: read (1,400), means with counts (1,000), other formats (500), run folders and figures (1,100), rules and heuristics
#: of other packages (1,000), answers of models that are stored one by one (500), tables read by a worker (500), and
#: their tests, and by a comparison of the decision points of live runs and replays (250); names for intermediate values
#: and lists of stages saved 700. What the papers have took 2,700, and its tests 2,900: settings in files, tables and
#: figures by one command, beliefs, captions, kinds of combinations, and refusals. Readers of released files and of
#: users' own took 3,900, their tests 5,500: recipes, variants and domains of kitchens with their search, texts, and
#: classes of tools. Planners of grid kitchens went, and their tests (5,300 and 2,800).
#: The larger scheduling model took 17,100, its tests 23,200: rules, search, heuristics and proofs of seven features
#: 8,500; tables of orders with dates, flexible shops, projects and files of PyJobShop 8,600. Special cases of its
#: search by hand took 600 in the tests. Refusals of fields and columns that readers dropped took 200, their tests 200.
#: Searches for flexible shops, tours and optional tasks took 400 in both. A bound by work between off-times took 400
#: and 800.
#: Two benchmarks with recorded answers took 12,700 (robots and episodes 4,100, steps 2,400, meetings 3,000, calendars
#: and trips 3,200), their tests 7,300; the study of answers, rows of other graders and verdicts on references that are
#: not unique took 900 and 600. Live scores from the state of the simulator took 200, averages without pandas 250, tabu
#: and genetic search 2,000, searches in turns and beside proofs 400, a bound of several cooks by a schedule and starts
#: from bundled plans 900; their tests 1,700.
#: DRCP proofs and their checker took 2,000, inferred cumulative constraints 800, archives of proofs 500, plans that
#: cheat 800; their tests 3,100. Comparisons of rules, checkers and bounds with every schedule of small problems took
#: 2,700 in the tests, those of simulators, metrics, statistics and readers 5,100, mutation tests and faults of the
#: machine 1,100 each. Survivors of mutation tests took 7,500 in the tests: models of the rules of three benchmarks,
#: walks of kitchens with exact bounds, and interval models compared with all schedules of small problems.
CEILINGS = {"packages": 178_500, "tests": 222_000}


def operations(text: str) -> int:
    """Return the number of expressions of a module that are no names, annotations or docstrings.

    A name for an intermediate value costs nothing, so that plain code is never larger than dense code.
    """
    count = 0
    pending: list[ast.AST] = [ast.parse(text)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.expr) and not isinstance(node, ast.Name):
            count += 1
        annotation = annotation_of(node)
        children = ast.iter_child_nodes(node)
        pending += [child for child in children if child is not annotation and not is_docstring(child)]
    return count


def annotation_of(node: ast.AST) -> ast.AST | None:
    """Return the annotation of a parameter, a variable or a result."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return node.returns
    return node.annotation if isinstance(node, ast.arg | ast.AnnAssign) else None


def is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def folder_size(folder: str) -> int:
    return sum(operations(path.read_text(encoding="utf-8")) for path in (ROOT / folder).rglob("*.py"))


@pytest.mark.slow
def test_number_of_operations_does_not_grow() -> None:
    sizes = {folder: folder_size(folder) for folder in (*PACKAGES, "tests")}
    assert sum(sizes[folder] for folder in PACKAGES) <= CEILINGS["packages"], sizes
    assert sizes["tests"] <= CEILINGS["tests"], sizes


@pytest.mark.slow
@pytest.mark.skipif(not READABILITY.exists(), reason="the reference counter is in ../shared")
@pytest.mark.parametrize("folder", [*PACKAGES, "tests"])
def test_both_counters_agree(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    reference: dict[str, Any] = runpy.run_path(str(READABILITY))
    totals: Counter[str] = reference["count"](folder)[0]
    assert folder_size(folder) == totals["operations"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("total = price", 0),
        ("total = price + 1", 2),
        ("x: dict[str, int] = {}", 1),
        ('"""Module."""\ndef f(x: int | None = None) -> list[int]:\n    """Function."""\n    return x.y\n', 2),
    ],
)
def test_names_annotations_and_docstrings_are_no_operations(text: str, count: int) -> None:
    assert operations(text) == count
