"""Separation of benchmark packages: generic modules neither name nor import benchmarks or kinds."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from planoracle.instances.protocol import registry
from tests.test_imports import MODULES as PATHS
from tests.test_imports import imported_names, module_of

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = registry.names()
NAMES = "recipe2plan|timearena|asynctool|robotouille|asynchow|asyncplanning|paracook|paracook_abstract"
WORD = re.compile(rf"(?<![a-z0-9])({NAMES})(?![a-z0-9])", re.IGNORECASE)
#: Previous name of the general rules; also a usual English word.
PREVIOUS_NAME = "own"
#: Package of a problem kind. Generic modules may import these modules of it, and no others.
KIND = "planoracle.instances.benchmarks.kitchens"
KIND_MODULES = {
    "action_index",
    "compiled_kitchen",
    "descriptions",
    "domain",
    "domain_names",
    "effects",
    "goal_text",
    "kitchen",
    "kitchen_layout",
    "language",
    "run",
    "simulation",
}
#: Modules of benchmarks: their packages, and the heuristics of their papers.
BENCHMARK_MODULES = {f"planoracle.instances.benchmarks.{name}" for name in BENCHMARKS} - {KIND} | {
    place.partition(":")[0] for name in BENCHMARKS for place in registry.get(name).heuristics.values()
}
KINDS = {"Instance", "Kitchen", "GridKitchen"}
TYPED = {"rules", "submission", "plan", "run"}


def belongs_to_a_benchmark(module: str) -> bool:
    if module == KIND or module.startswith(f"{KIND}."):
        return module.removeprefix(f"{KIND}.").partition(".")[0] not in KIND_MODULES
    return any(module == package or module.startswith(f"{package}.") for package in BENCHMARK_MODULES)


MODULES = {module_of(path): path for path in PATHS}
GENERIC = {module: path for module, path in MODULES.items() if not belongs_to_a_benchmark(module)}


def literals(tree: ast.Module) -> Iterator[str]:
    """Yield the string constants that name a benchmark, except docstrings and examples of commands."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in docstrings else None
        if isinstance(text, str):
            text = re.sub(r"^ *planoracle .*$", "", text, flags=re.MULTILINE)
            if WORD.search(text) or text.strip("/") == PREVIOUS_NAME:
                yield text


def imports(tree: ast.Module, package: str = "planoracle.analysis") -> Iterator[str]:
    """Yield the imported modules and names of benchmarks, late imports included."""
    return filter(belongs_to_a_benchmark, imported_names(tree, package))


def kinds(tree: ast.Module) -> Iterator[str]:
    """Yield tests of the type of a problem: by ``isinstance``, ``type`` or a pattern."""
    nodes = list(ast.walk(tree))
    aliases = {alias.asname or alias.name: alias.name for node in nodes if isinstance(node, ast.ImportFrom)
               for alias in node.names}  # fmt: skip

    def named(node: ast.AST) -> bool:
        parts = list(ast.walk(node))
        names = {aliases.get(part.id, part.id) for part in parts if isinstance(part, ast.Name)}
        names |= {part.attr for part in parts if isinstance(part, ast.Attribute)}
        return bool(names & KINDS)

    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 2:
            if node.func.id in ("isinstance", "issubclass") and named(node.args[1]):
                yield ast.unparse(node)
        elif isinstance(node, ast.MatchClass) and named(node.cls):
            yield ast.unparse(node)
        elif isinstance(node, ast.Compare) and ast.unparse(node.left).startswith("type("):
            yield from (ast.unparse(node) for other in node.comparators if named(other))


def untyped(tree: ast.Module) -> Iterator[str]:
    """Yield public parameters and fields of the names `TYPED` that are annotated with `Any`.

    Unions with `Any` count as well.
    """

    def is_any(annotation: ast.expr | None) -> bool:
        if isinstance(annotation, ast.BinOp):
            return is_any(annotation.left) or is_any(annotation.right)
        return annotation is not None and ast.unparse(annotation) in ("Any", "typing.Any", "Optional[Any]")

    def of(body: list[ast.stmt]) -> Iterator[str]:
        for node in body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield from of(node.body)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                if node.target.id in TYPED and is_any(node.annotation):
                    yield ast.unparse(node)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                if node.name.startswith("_") and node.name not in ("__init__", "__call__"):
                    continue
                arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
                yield from (
                    f"{node.name}: {arg.arg}" for arg in arguments if arg.arg in TYPED and is_any(arg.annotation)
                )

    yield from of(tree.body)


SCANS = {"literals": literals, "imports": imports, "kinds": kinds}


@pytest.mark.parametrize(
    ("scan", "source"),
    [
        ("literals", "x = 'timearena'"),
        ("literals", "x = {'robotouille/': 1}"),
        ("literals", "x = f'AsyncTool/{name}'"),
        ("literals", "def f(x='recipe2plan-dfs'): ..."),
        ("literals", "import_module('planoracle.instances.benchmarks.asynchow')"),
        ("literals", "x = 'own'"),
        ("imports", "import planoracle.instances.benchmarks.timearena.rules"),
        ("imports", "from planoracle.instances.benchmarks import recipe2plan"),
        ("imports", "def f():\n    from planoracle.instances.benchmarks.generic import language as l"),
        ("imports", "from planoracle.heuristics.recipe2plan_dfs import search"),
        ("imports", "from planoracle.heuristics import timearena_greedy"),
        ("imports", "from ..instances.benchmarks.asynctool import problems"),
        ("kinds", "isinstance(problem, Instance)"),
        ("kinds", "isinstance(problem, (int, model.Instance))"),
        ("kinds", "isinstance(problem, Kitchen | None)"),
        ("kinds", "from m import Kitchen as K\nisinstance(problem, K)"),
        ("kinds", "type(problem) is Instance"),
        ("kinds", "match problem:\n    case Kitchen(): ..."),
        ("kinds", "match problem:\n    case Instance(name=n) | None: ..."),
    ],
)
def test_each_scan_detects_its_references(scan: str, source: str) -> None:
    assert [name for name, look in SCANS.items() if list(look(ast.parse(source)))] == [scan]


@pytest.mark.parametrize(
    "source",
    [
        '"""As TimeArena has it."""',
        'def f():\n    """>>> load("timearena/lab1")"""',
        "x = 'timearenas, its own'",
        "from planoracle.instances.generate import styles\nfrom planoracle.heuristics import timetable",
        "isinstance(x, str)\nof_kind(x, Instance)\ntype(x) is str",
    ],
)
def test_scans_accept_other_code(source: str) -> None:
    assert [list(look(ast.parse(source))) for look in SCANS.values()] == [[], [], []]


def test_generic_modules_exclude_benchmark_packages() -> None:
    assert {"generic", "recipe2plan", "timearena", "asynctool", "robotouille"} <= set(BENCHMARKS)
    packages = (
        "instances.files.catalog",
        "instances.benchmarks.kitchens.compiled_kitchen",
        "instances.generate.styles",
        "instances.literature.jobshop",
    )
    for module in (*packages, "heuristics.timetable", "solver.kitchens.astar", "analysis.grading.grader"):
        assert f"planoracle.{module}" in GENERIC
    for module in (
        "instances.benchmarks.timearena",
        "instances.benchmarks.generic.language",
        "heuristics.recipe2plan_dfs",
    ):
        assert f"planoracle.{module}" not in GENERIC


@pytest.mark.slow
def test_generic_modules_refer_to_no_benchmark_or_kind() -> None:
    faults = {}
    for module, path in GENERIC.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        seen = {"literals": [*literals(tree)], "imports": [*imports(tree, package)], "kinds": [*kinds(tree)]}
        seen["literals"] += [module] if WORD.search(module.replace("_", " ")) else []
        if any(seen.values()):
            faults[module.removeprefix("planoracle.")] = {name: list_ for name, list_ in seen.items() if list_}
    assert faults == {}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(problem: Problem, rules: Any): ...", ["f: rules"]),
        (
            "class C:\n    plan: Any\n    def __init__(self, *, run: None | Any = None): ...",
            ["plan: Any", "__init__: run"],
        ),
        ("async def f(submission: Optional[Any]): ...", ["f: submission"]),
        ("def _f(rules: Any): ...\nclass _C:\n    plan: Any", []),
        ("def f(plan: Plan[Any], run: AnyRun, submission: dict[str, Any], rules): ...\nx: Any", []),
    ],
)
def test_untyped_parameters_are_detected(source: str, expected: list[str]) -> None:
    assert list(untyped(ast.parse(source))) == expected


@pytest.mark.slow
def test_public_rules_submissions_plans_and_runs_are_typed() -> None:
    counts = Counter({
        module: len(list_) for module, path in MODULES.items()
        if (list_ := [*untyped(ast.parse(path.read_text(encoding="utf-8")))])
    })  # fmt: skip
    assert not counts


def test_report_assets_name_no_benchmark() -> None:
    assets = sorted((ROOT / "analysis").rglob("*.js")) + sorted((ROOT / "analysis").rglob("*.html"))
    assert len(assets) > 5
    assert {path.name for path in assets if WORD.search(path.read_text(encoding="utf-8"))} == set()
