"""``planoracle benchmark``: list benchmarks, create the package of a new one, and check it."""

from __future__ import annotations

from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.column_names import check_columns
from planoracle.analysis.cli.help_texts import HelpCommand, HelpGroup
from planoracle.analysis.cli.options import with_view
from planoracle.analysis.cli.output import PEOPLE, Format, FormatOption, Table, write_table
from planoracle.analysis.cli.progress import track
from planoracle.analysis.console import say, tell
from planoracle.analysis.contract.suite import CHECKS, check_benchmark
from planoracle.analysis.template import write
from planoracle.instances.files import catalog
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark

_COLUMNS = ("benchmark", "title", "kind", "problems", "submissions", "heuristics")
_PARTS = {
    "rules": (("rule", "values", "paper", "released"), "Rules (--set RULE=VALUE)"),
    "metrics": (("metric", "unit", "meaning"), "Metrics (columns of planoracle grade)"),
    "summaries": (("average", "meaning"), "Averages (per model and set)"),
}

benchmark = typer.Typer(
    cls=HelpGroup,
    help="""List the benchmarks, create the package of a new one, or check one.

    Examples
    --------
    planoracle benchmark list
    planoracle benchmark new warehouse
    planoracle benchmark check timearena --problems 1
    """,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@benchmark.command(cls=HelpCommand)
def new(
    name: Annotated[
        str,
        typer.Argument(help="Name of the benchmark: lower-case letters, digits and underscores.", metavar="NAME"),
    ],
    to: Annotated[
        Path | None, typer.Option(help="Folder to create. Default: NAME in the current folder.", metavar="DIR")
    ] = None,
) -> None:
    """Create a small package for a new benchmark, complete with tests, as a starting point.

    Examples
    --------
    planoracle benchmark new warehouse
    planoracle benchmark new kitchen --to packages/kitchen
    """
    place = Path(name) if to is None else to
    for path in write(name, place):
        say(str(path))
    tell(f"next: pip install -e {place} pytest && python -m pytest {place}; see {place / 'README.md'}", "note")


@benchmark.command("list", cls=HelpCommand)
@with_view
def list_(form: FormatOption = Format.table) -> None:
    """List the benchmarks, their rules (for --set) and their metrics.

    The formats json and jsonl have one object per benchmark.

    Examples
    --------
    planoracle benchmark list
    planoracle benchmark list --format json
    """
    check_columns("benchmark")
    benchmarks = [_describe(registry.get(name)) for name in registry.names()]
    if form not in PEOPLE:
        write_table(form, _COLUMNS, benchmarks)
        return
    write_table(form, _COLUMNS, map(_join_lists, benchmarks))
    for part, (columns, title) in _PARTS.items():
        rows: list[dict[str, Any]] = []
        for row in chain.from_iterable(description[part] for description in benchmarks):
            if row not in rows:  # two benchmarks may share a rule
                rows.append(row)
        write_table(form, columns, map(_join_lists, rows), title)


@benchmark.command(cls=HelpCommand)
@with_view
def check(
    name: Annotated[str, typer.Argument(help="Name of the benchmark.", metavar="NAME")],
    problems: Annotated[
        int,
        typer.Option(
            help="Number of bundled problems to check, or of generated ones if none are bundled.", metavar="N", min=0
        ),
    ] = 4,
    seed: Annotated[int, typer.Option(help="Random seed of the sample and of random runs.", metavar="SEED", min=0)] = 0,
    instance: Annotated[
        list[Path] | None, typer.Option(help="File with more problems to check (repeatable).", metavar="FILE")
    ] = None,
    form: FormatOption = Format.table,
) -> None:
    """Check that a benchmark satisfies the contract on which planoracle relies.

    Names, files, plans, live runs, grades, snapshots, optima, regret, critique, repair, hostile input and plans that
    cheat are checked on a sample of problems, under each rule profile.

    Exit status: 1 if a check fails.

    Examples
    --------
    planoracle benchmark check timearena --problems 1
    """
    check_columns("benchmark-check")
    checked = registry.get(name)
    further: list[Problem] = []
    for path in instance or ():
        further += catalog.read_problems(str(path))
    table = Table(form, ("check", "status", "cases", "details"))
    failed = False
    for result in track(check_benchmark(checked, problems, seed, further), "checking", total=len(CHECKS)):
        table.add(result.row())
        failed |= result.status == "failed"
    table.close()
    raise typer.Exit(int(failed))


def _join_lists(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with lists as texts."""
    texts = {name: ", ".join(map(str, value)) for name, value in row.items() if isinstance(value, list)}
    return row | texts


def _describe(benchmark: AnyBenchmark) -> dict[str, Any]:
    """Return a benchmark as a row, with rows for its rules, metrics and averages."""
    row: dict[str, Any] = {"benchmark": benchmark.name, "title": benchmark.title, "citation": benchmark.citation}
    row["kind"] = _kind_of(benchmark)
    row["problems"] = 0 if benchmark.catalog is None else len(benchmark.catalog.names())
    row["submissions"] = list(benchmark.plan_fields)
    row["heuristics"] = list(benchmark.heuristics)
    row["profiles"] = list(benchmark.rules.profiles)
    row["rules"] = _rules(benchmark)
    row["metrics"] = []
    for column in benchmark.columns:
        name = f"{benchmark.name}.{column.name}"
        row["metrics"].append({"metric": name, "unit": column.unit, "meaning": column.meaning})
    row["summaries"] = []
    for average in benchmark.metrics.averages(benchmark.rules.profile()):
        name = f"{benchmark.name}.{average.name}"
        row["summaries"].append({"average": name, "meaning": average.meaning})
    return row


def _kind_of(benchmark: AnyBenchmark) -> str | None:
    """Return the kind of the first bundled problem that belongs to a benchmark."""
    if benchmark.catalog is not None:
        for problem in map(benchmark.catalog.load, benchmark.catalog.names()):
            if problem.benchmark == benchmark.name:
                return str(problem.kind)
    return benchmark.kind if isinstance(benchmark, ScheduleBenchmark) else None


def _rules(benchmark: AnyBenchmark) -> list[dict[str, Any]]:
    """Return a row for each rule, its values as they are written on the command line."""
    rules, rows = benchmark.rules, []
    for field in fields(rules.profile()):
        values = {}
        for name, profile in rules.profiles.items():
            value = str(getattr(profile, field.name))
            values[name] = value.lower() if value in ("True", "False") else value
        usual = ["true", "false"] if values["paper"] in ("true", "false") else ["whole number"]
        choices = list(rules.choices.get(field.name, usual))
        rows.append({"rule": f"{rules.name}.{field.name}", "values": choices, **values})
    return rows
