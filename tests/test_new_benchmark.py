"""Package of a new benchmark from `planoracle benchmark new`: template, plug-in names and commands."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from dataclasses import fields
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from support.added_rules import with_rule_of_page
from support.installed_packages import create_environment, install, planoracle, python, run
from support.runner import CliRunner

from planoracle import plugin
from planoracle.analysis.cli import app
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.template import write
from planoracle.instances.errors import BenchmarkError, InputError
from planoracle.instances.protocol import registry
from tests.support.reports import chunks

NAME = "tea_time"
BREAKFAST = f"{NAME}/breakfast"
#: Plans: optimal (boiling and steeping take 9 minutes), slower, in the wrong order, above the limit of 12 minutes.
PLANS = {
    "best": ["0 boil", "0 slice", "3 toast", "3 set", "5 steep"],
    "slow": ["0 boil", "0 slice", "3 toast", "3 set", "7 steep"],
    "wrong": ["0 boil", "0 slice", "3 toast", "3 steep", "3 set"],
    "late": ["0 boil", "0 slice", "3 toast", "3 set", "10 steep"],
}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "must be lower-case letters"),
        ("Tea", "must be lower-case letters"),
        ("tea-time", "must be lower-case letters"),
        ("1st", "must be lower-case letters"),
        ("tea/time", "must be lower-case letters"),
        ("../tea", "must be lower-case letters"),
        ("tea\n", "must be lower-case letters"),
        ("a" * 51, "must be lower-case letters"),
        ("generic", "is the name of another benchmark"),
        ("timearena", "is the name of another benchmark"),
        ("own", "is the name of another benchmark"),
    ],
)
def test_invalid_benchmark_name_is_rejected(name: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message) as caught:
        write(name, tmp_path / "made")
    assert caught.value.field == "benchmark"
    assert not (tmp_path / "made").exists()


def test_existing_files_are_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="exists already"):
        write(NAME, tmp_path)
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file"):
        write(NAME, tmp_path / "file" / "made")


def test_template_contains_the_modules_of_the_protocol(tmp_path: Path) -> None:
    files = {path.relative_to(tmp_path / "made").as_posix() for path in write(NAME, tmp_path / "made")}
    modules = ("__init__", "language", "metrics", "problems", "reader", "rules", "run")
    package = {f"planoracle_{NAME}/{module}.py" for module in modules} | {f"planoracle_{NAME}/data/problems.json"}
    assert files == package | {"pyproject.toml", "README.md", "tests/test_benchmark.py"}
    assert all("$" not in (tmp_path / "made" / path).read_text(encoding="utf-8") for path in files)


def test_template_imports_public_names_only(tmp_path: Path) -> None:
    modules = {
        node.module if isinstance(node, ast.ImportFrom) else alias.name
        for path in write(NAME, tmp_path / "made")
        if path.suffix == ".py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert {name for name in modules if name and name.split(".")[0] == "planoracle"} == {
        "planoracle",
        "planoracle.plugin",
    }


@pytest.mark.parametrize("name", plugin.__all__)
def test_plugin_names_exist_and_are_documented(name: str) -> None:
    assert getattr(plugin, name) is not None
    assert f"\n- `{name}`: " in (plugin.__doc__ or "")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "from planoracle.instances.schedule_benchmark import ScheduleBenchmark",
            r"written for planoracle 0.10 or earlier: import from planoracle\.plugin",
        ),
        (
            "from planoracle.plugin import Trajectory",
            r"cannot be loaded from old_tea:benchmark \(planoracle\.plugin\.Trajectory: was removed after 0\.11; use ",
        ),
    ],
)
def test_package_for_an_old_release_gets_a_migration_message(
    source: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old_tea.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    point = EntryPoint(NAME, "old_tea:benchmark", "planoracle.benchmarks")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point])
    with pytest.raises(InputError, match=message):
        registry._from_packages.__wrapped__()


@pytest.mark.parametrize("name", ["Trajectory", "Move", "LegalAction"])
def test_removed_plugin_name_is_an_error_with_its_replacement(name: str) -> None:
    with pytest.raises(BenchmarkError, match=rf"planoracle\.plugin\.{name}: was removed after 0\.11; use "):
        exec(f"from planoracle.plugin import {name}", {})
    with pytest.raises(AttributeError, match="has no attribute 'Trajectories'"):
        plugin.Trajectories  # noqa: B018


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (NAME, "planoracle_not_there:benchmark", "cannot be loaded from planoracle_not_there:benchmark"),
        (NAME, "planoracle:not_there", "cannot be loaded from planoracle:not_there"),
        (NAME, "planoracle:__version__", "cannot be loaded"),
        (NAME, "planoracle.instances.benchmarks.timearena:benchmark", "must be the name of the benchmark"),
        ("timearena", "planoracle.instances.benchmarks.timearena:benchmark", "is the name of another benchmark"),
    ],
)
def test_invalid_entry_point_is_an_error(name: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [EntryPoint(name, value, group)])
    with pytest.raises(InputError, match=message) as caught:
        registry._from_packages.__wrapped__()
    assert (caught.value.field, caught.value.value) == ("planoracle.benchmarks", name)


@pytest.mark.parametrize("form", ["table", "json"])
def test_benchmark_list_contains_all_rules_and_metrics(form: str) -> None:
    done = CliRunner().invoke(app, ["benchmark", "list", "--format", form])
    assert done.exit_code == 0, done.output
    benchmarks = [registry.get(name) for name in registry.names()]
    rules = {f"{one.rules.name}.{field.name}" for one in benchmarks for field in fields(one.rules.profile())}
    metrics = {f"{one.name}.{column.name}" for one in benchmarks for column in one.columns}
    assert "timearena.max_wrong_streak" in rules
    if form == "json":
        rows = json.loads(done.output)
        assert {row["benchmark"]: row["problems"] for row in rows}.items() >= {"timearena": 90, "generic": 0}.items()
        assert {rule["rule"] for row in rows for rule in row["rules"]} == rules
        assert {metric["metric"] for row in rows for metric in row["metrics"]} == metrics
    else:
        assert rules | metrics <= {line.split()[0] for line in done.output.splitlines() if line.split()}


def test_listed_kinds_are_correct_and_listed_values_are_accepted() -> None:
    done = CliRunner().invoke(app, ["benchmark", "list", "--format", "json"])
    rows = json.loads(done.output)
    kinds = {row["benchmark"]: row["kind"] for row in rows}
    assert (kinds["paracook"], kinds["paracook_abstract"]) == ("floor", "schedule")
    assert (kinds["timearena"], kinds["robotouille"]) == ("schedule", "kitchen")
    listed = [rule for row in rows for rule in row["rules"]]
    for rule in listed:
        for value in rule["values"]:
            profiles("paper", {rule["rule"]: "3" if value == "whole number" else value})
    assert {value for rule in listed if rule["rule"] == "timearena.max_wrong_streak" for value in rule["values"]} == {
        "whole number"
    }


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a virtual environment that can import planoracle, and the new package installed in it."""
    place = tmp_path_factory.mktemp("new")
    create_environment(place)
    created = run(*planoracle(place), "benchmark", "new", NAME, "--to", place / "made", folder=place)
    assert created.returncode == 0, created.stderr
    add_heuristics(place / "made")
    install(place, place / "made")
    assert next((place / "venv").rglob(f"site-packages/planoracle_{NAME}/data/problems.json")).is_file()
    return place


#: Heuristics of the new package: one that keeps all rules, and one that raises.
HEURISTICS = """
from planoracle.plugin import Piece


def in_turn(instance, budget):
    clock, pieces = 0, []
    for action in instance.actions:
        pieces.append(Piece(action.id, clock, action.duration, instance.agents[0]))
        clock += action.duration
    return pieces


def broken(instance, budget):
    return {}["schedule"]
"""


def add_heuristics(folder: Path) -> None:
    """Add the heuristics to the package of a new benchmark."""
    (folder / f"planoracle_{NAME}" / "heuristics.py").write_text(HEURISTICS, encoding="utf-8")
    points = "\n".join(
        f'{name.replace("_", "-")} = "planoracle_{NAME}.heuristics:{name}"' for name in ("in_turn", "broken")
    )
    with (folder / "pyproject.toml").open("a", encoding="utf-8") as stream:
        stream.write(f'\n[project.entry-points."planoracle.heuristics"]\n{points}\n')


Command = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def call_command(place: Path) -> Command:
    """Function that runs a command in the virtual environment and returns its rows."""

    def call(*words: str, status: int = 0) -> list[dict[str, Any]]:
        done = run(*planoracle(place), *words, "--format", "jsonl", folder=place)
        assert done.returncode == status, done.stderr
        return [json.loads(row) for row in done.stdout.splitlines()]

    return call


@pytest.fixture(scope="module")
def plans(place: Path) -> str:
    rows = [{"id": id_, "model": "me", "instance": BREAKFAST, "plan": plan} for id_, plan in PLANS.items()]
    (place / "plans.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return "plans.jsonl"


@pytest.mark.slow
def test_generated_tests_pass(place: Path) -> None:
    done = run(python(place), "-m", "pytest", "-q", "-p", "no:cacheprovider", "made", folder=place)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


@pytest.mark.slow
def test_new_benchmark_is_listed_and_its_name_is_reserved(place: Path, call_command: Command) -> None:
    (row,) = (row for row in call_command("benchmark", "list") if row["benchmark"] == NAME)
    assert (row["kind"], row["problems"], row["submissions"]) == ("schedule", 2, ["plan"])
    rule = {"rule": f"{NAME}.limit", "values": ["kept", "ignored"], "paper": "kept", "released": "ignored"}
    assert [one for one in row["rules"] if one["rule"] != f"{NAME}.refuse_unread"] == [rule]
    assert [metric["metric"] for metric in row["metrics"]] == [f"{NAME}.lost"]
    retry = run(*planoracle(place), "benchmark", "new", NAME, folder=place)
    assert (retry.returncode, retry.stdout) == (1, "")
    assert "is the name of another benchmark" in retry.stderr


@pytest.mark.slow
def test_problems_of_the_new_benchmark_are_solved(place: Path, call_command: Command) -> None:
    assert [row["instance"] for row in call_command("instances", NAME)] == [BREAKFAST, f"{NAME}/laundry"]
    breakfast, laundry = call_command("solve", NAME)
    assert (breakfast["status"], breakfast["makespan"]) == ("optimal", 9)
    assert (laundry["status"], laundry["makespan"]) == ("optimal", 50)
    assert "5 steep" in breakfast["plan"].splitlines()
    assert [row["makespan"] for row in call_command("solve", f"made/planoracle_{NAME}/data/problems.json")] == [9, 50]
    assert [row["makespan"] for row in call_command("solve", f"{NAME}/laundry~2", "*/breakfast")] == [50, 9]
    explained = run(*planoracle(place), "explain", BREAKFAST, folder=place)
    assert "oil 5 min + steep 4 min = 9 min" in explained.stdout


@pytest.mark.slow
def test_exported_problem_is_read(place: Path, call_command: Command) -> None:
    (document,) = call_command("instances", BREAKFAST, "--export")
    (place / "exported.json").write_text(json.dumps(document), encoding="utf-8")
    assert document["benchmark"] == NAME
    assert [row["makespan"] for row in call_command("solve", "exported.json")] == [9]


@pytest.mark.slow
def test_plans_are_graded_by_the_rules_of_the_new_benchmark(plans: str, call_command: Command) -> None:
    def graded(*options: str) -> dict[str, tuple[object, object, object]]:
        return {
            row["id"]: (row["success"], row["violation"], row["lost"]) for row in call_command("grade", plans, *options)
        }

    usual = {"best": (True, None, 0), "slow": (True, None, 2), "wrong": (False, "minimum_lag", None)}
    assert graded() == usual | {"late": (False, "time_limit", None)}
    relaxed = usual | {"late": (True, None, 5)}
    assert graded("--set", f"{NAME}.limit=ignored") == graded("--profile", "released") == relaxed


@pytest.mark.slow
def test_new_benchmark_is_compared_with_its_reference_plans(call_command: Command) -> None:
    rows = call_command("compare", NAME, "--methods", "in_order")
    assert {row["instance"]: (row["optimum"], row["makespan"], row["accepted"]) for row in rows} == {
        BREAKFAST: (9, 5 + 4 + 3 + 2 + 2, False),
        f"{NAME}/laundry": (50, 40 + 10 + 15 + 5, True),
    }


@pytest.mark.slow
def test_gantt_chart_and_report_show_the_new_benchmark(place: Path, plans: str) -> None:
    drawn = run(*planoracle(place), "gantt", BREAKFAST, "-o", "plan.svg", folder=place)
    assert drawn.returncode == 0, drawn.stderr
    assert "steep" in (place / "plan.svg").read_text(encoding="utf-8")
    report = run(*planoracle(place), "report", plans, "-o", "report.html", folder=place)
    assert report.returncode == 0, report.stderr
    page = json.dumps(chunks((place / "report.html").read_text(encoding="utf-8")))
    assert all(text in page for text in ("Tea time", '["lost", 2]', "10 steep", "minimum_lag"))


@pytest.mark.slow
def test_regret_critique_and_repair_accept_the_new_benchmark(place: Path, plans: str, call_command: Command) -> None:
    priced = {row["id"]: row["decisions"] for row in call_command("regret", plans)}
    assert [(one["command"], one["cost"]) for one in priced["slow"]][-2:] == [("wait 2 min", 2), ("7 steep", 0)]
    critique = run(*planoracle(place), "critique", plans, folder=place).stdout
    assert "Steep at minute 3 must start after boil, which ends at minute 5." in critique
    assert "Your plan takes 11 min; the optimal plan takes 9 min, 2 min less." in critique
    mended = {row["id"]: (row["changed"], row["moved"], row["plan"][-1]) for row in call_command("repair", plans)}
    assert mended == {
        "best": (False, 0, "5 steep"),
        "slow": (False, 0, "7 steep"),
        "wrong": (True, 1, "5 steep"),
        "late": (True, 1, "8 steep"),
    }


@pytest.mark.slow
def test_heuristics_of_the_package_are_accepted_and_replayed(place: Path, call_command: Command) -> None:
    (solved,) = call_command("solve", f"{NAME}/laundry", "-H", "in-turn")
    assert (solved["status"], solved["makespan"]) == ("feasible", 40 + 10 + 15 + 5)
    (late,) = call_command("solve", BREAKFAST, "-H", "in-turn", status=1)
    assert (late["status"], late["plan"]) == ("unknown", None)
    assert "in-turn: its schedule breaks the rule 'time_limit'" in late["reason"]
    rows = call_command("compare", f"{NAME}/laundry", "--methods", "in-turn,broken", status=1)
    outcomes = {row["method"]: (row["outcome"], row["makespan"]) for row in rows}
    assert outcomes == {"in-turn": ("feasible", 70), "broken": ("failed", None)}
    listed = run(*planoracle(place), "solve", "-H", "list", folder=place)
    assert {"in-turn", "broken", "improve"} <= set(listed.stdout.split())


@pytest.mark.slow
def test_generated_tests_fail_for_a_rule_that_the_model_does_not_know(place: Path) -> None:
    package = place / "ruled"
    created = run(*planoracle(place), "benchmark", "new", "ruled", "--to", package, folder=place)
    assert created.returncode == 0, created.stderr
    module = package / "planoracle_ruled" / "run.py"
    module.write_text(with_rule_of_page(module.read_text(encoding="utf-8")), encoding="utf-8")
    install(place, package)
    done = run(python(place), "-m", "pytest", "-q", "-p", "no:cacheprovider", "ruled", folder=place)
    assert done.returncode == 1, done.stdout
    assert "its rule 'rest' rejects" in done.stdout
    solved = run(*planoracle(place), "solve", "ruled/breakfast", folder=place)
    assert solved.returncode == 1
    assert "optimal" not in solved.stdout
    assert "'rest'" in solved.stdout
