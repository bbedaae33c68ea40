"""Reference: each public name, parameter, option, column and extension point has a heading or anchor."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from support.reference import (
    DOCS,
    column_anchors,
    described_names,
    documented_parameters,
    missing_options,
    possible_anchors,
    reference_pages,
    section_of,
    undocumented_parameters,
)
from typer.testing import CliRunner

import planoracle
from planoracle import plugin
from planoracle.analysis import frames
from planoracle.analysis.cli import app
from planoracle.analysis.frames.columns import SCHEMAS
from planoracle.instances.protocol import registry

ROOT = DOCS.parent
FROZEN = ROOT / "tests" / "frozen"
PAGES = reference_pages.reference_pages()
API = (DOCS / "api.md").read_text("utf-8")
EXTENDING = (DOCS / "reference" / "extending.md").read_text("utf-8")

#: Headings of the page of extensions, each with the code that defines or registers the extension.
EXTENSION_POINTS = {
    "Benchmark": "planoracle.benchmarks",
    "Catalogue of problems": "catalog",
    "Reader of problem files": "reader",
    "Plan language": "language",
    "Rule option": "plugin.md#rules",
    "Simulator": "runs",
    "Metric": "plugin.md#metric",
    "Reference plan": "MetricSet(references=...)",
    "Feedback sentence": "feedback",
    "Live texts and prompt setting": "live",
    "Generator of random problems": "generator",
    "Heuristic": "heuristics/registry.py",
    "Kind of problems": "planoracle.kinds",
    "Class of tools": "planoracle.tools",
    "Agent": "analysis/agents/builtin.py",
    "Client of a model": "planoracle.analysis.agents.model_prompts.Speaker",
    "Reward": "analysis/grading/rewards.py",
}
#: Extensions in the table of the page, by their modules.
PLACES = (
    "analysis/intake/formats.py",
    "analysis/figures/",
    "analysis/frames/columns.py",
    "analysis/cli/NAME.py",
    "analysis/contract/",
    "analysis/report/assets/",
    "data/published.json",
)


# --- Python ----------------------------------------------------------------------------------------


def test_each_public_name_is_described() -> None:
    assert {*planoracle.__all__} - described_names(API) == set()
    assert described_names(API) - {*planoracle.__all__} == set()


def test_a_public_name_without_a_description_is_reported() -> None:
    assert {*planoracle.__all__} - described_names(API.replace(".. autofunction:: solve\n", "")) == {"solve"}


def test_each_name_for_authors_of_benchmarks_has_a_heading() -> None:
    page = PAGES["reference/plugin.md"]
    assert sorted(re.findall(r"^### (\w+)$", page, re.MULTILINE)) == sorted(plugin.__all__)
    assert described_names(page) == {*plugin.__all__} - {*planoracle.__all__}


@pytest.mark.parametrize("name", planoracle.__all__)
def test_each_parameter_of_a_public_name_is_described(name: str) -> None:
    assert undocumented_parameters(name, getattr(planoracle, name), methods=True) == []


@pytest.mark.parametrize("name", plugin.__all__)
def test_each_parameter_of_a_name_for_authors_is_described(name: str) -> None:
    """Interfaces describe the parameters of their methods in the first line, by their names."""
    assert undocumented_parameters(name, getattr(plugin, name), methods=False) == []


def test_an_undocumented_parameter_is_reported() -> None:
    def example(seed: int, limit: float) -> None:
        """Do nothing.

        Parameters
        ----------
        seed
            Random seed; ``limit`` is not described here.

        Notes
        -----
        limit
        """

    assert undocumented_parameters("example", example, methods=True) == ["example(limit)"]
    assert documented_parameters("A.\n\nParameters\n----------\na, b : int\n    Text.\n*rest\n    Text.\n") == {
        "a",
        "b",
        "rest",
    }


# --- command line ----------------------------------------------------------------------------------


def test_each_command_and_option_has_an_anchor() -> None:
    page = PAGES["cli.md"]
    headings = {*re.findall(r"^##+ planoracle ?(.*)$", page, re.MULTILINE)}
    assert headings == {*reference_pages.commands()}
    assert missing_options(page) == set()


def test_a_missing_option_is_reported() -> None:
    page = PAGES["cli.md"].replace("```{option} --worst ", "```{option} --best ")
    assert missing_options(page) == {"regret --worst"}


# --- columns ---------------------------------------------------------------------------------------


def missing_columns(page: str, section: str, columns: list[str]) -> list[str]:
    anchors = column_anchors(page)
    return [column for column in columns if anchors.isdisjoint(possible_anchors(section, column))]


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_column_of_a_frame_has_an_anchor(name: str) -> None:
    page = PAGES["reference/columns.md"]
    assert f"\n### Frame {name}\n" in page
    anchors = column_anchors(page)
    owners = [name, *(registry.names() if SCHEMAS[name].has_metrics else ())]
    columns = list(frames.empty(name).columns)
    possible = {column: {reference_pages.anchor(owner, column) for owner in owners} for column in columns}
    assert [column for column, names in possible.items() if anchors.isdisjoint(names)] == []


def columns_of(text: str) -> list[str]:
    """Return the columns of rows in csv or jsonl."""
    if text.startswith("{"):
        return list(dict.fromkeys(name for line in text.splitlines() for name in json.loads(line)))
    return next(csv.reader(io.StringIO(text)))


_COMMANDS = json.loads((FROZEN / "commands.json").read_text("utf-8"))
_TABLES = [name for name in _COMMANDS if name not in ("collect", "generate", "schema")]


@pytest.mark.parametrize("name", _TABLES)
def test_each_column_of_a_command_has_an_anchor(name: str) -> None:
    columns = columns_of((FROZEN / "tables" / f"{name}.txt").read_text("utf-8"))
    assert missing_columns(PAGES["reference/columns.md"], section_of(_COMMANDS[name]["command"]), columns) == []


def test_each_column_of_a_summary_has_an_anchor(tmp_path: Path) -> None:
    path = tmp_path / "plans.jsonl"
    plans = [{"instance": "timearena/household1", "model": name, "plan": ["wash cup"]} for name in "aab"]
    path.write_text("".join(json.dumps(plan) + "\n" for plan in plans))
    rows = CliRunner().invoke(app, ["grade", str(path), "-f", "jsonl"]).stdout
    path.write_text("".join(line + "\n" for line in rows.splitlines() if line.startswith("{")))
    summary = CliRunner().invoke(app, ["grade", str(path), "-f", "jsonl"]).stdout
    columns = columns_of("".join(line + "\n" for line in summary.splitlines() if line.startswith("{")))
    benchmark = registry.get("timearena")
    averages = {one.name for one in benchmark.metrics.averages(benchmark.rules.profile())}
    own = [name for name in columns if name not in averages]
    assert len(own) > 30
    assert missing_columns(PAGES["reference/columns.md"], "grade-summary", own) == []


def test_a_missing_column_is_reported() -> None:
    page = PAGES["reference/columns.md"].replace("{#regret-before}", "")
    columns = columns_of((FROZEN / "tables" / "regret.txt").read_text("utf-8"))
    assert missing_columns(page, "regret", columns) == ["before"]


def test_anchors_of_columns_are_unique() -> None:
    anchors = re.findall(r"\]\{#([^}]+)\}", PAGES["reference/columns.md"])
    assert len(anchors) == len({*anchors})


# --- extensions ------------------------------------------------------------------------------------


def sections_of(page: str) -> dict[str, str]:
    parts = re.split(r"^##+ (.*)$", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_each_extension_point_has_a_heading() -> None:
    sections = sections_of(EXTENDING)
    assert [*sections] == [*EXTENSION_POINTS, "In this repository"]
    assert [name for name, code in EXTENSION_POINTS.items() if code not in sections[name]] == []
    assert [place for place in PLACES if place not in sections["In this repository"]] == []


def test_each_part_of_a_benchmark_is_an_extension_point() -> None:
    parts = {"catalog", "reader", "language", "rules", "runs", "metrics", "feedback", "live", "generator"}
    optional = {"heuristics"}
    assert parts <= {*plugin.Benchmark.__annotations__}
    assert [name for name in sorted(parts | optional) if f"{name}" not in EXTENDING] == []


def test_modules_named_on_the_page_of_extensions_exist() -> None:
    modules = re.findall(r"`((?:analysis|heuristics|instances|solver)/[\w/]+\.py)`", EXTENDING)
    assert len(modules) > 5
    assert [path for path in modules if "NAME" not in path and not (ROOT / path).exists()] == []
