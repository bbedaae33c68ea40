"""``planoracle benchmark``: list benchmarks, create the package of a new one, and check it."""

from __future__ import annotations

from dataclasses import fields
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
    benchmarks = [_describe(one) for one in map(registry.get, registry.names())]
    write_table(form, _COLUMNS, [_join_lists(row) if form in PEOPLE else row for row in benchmarks])
    for part, (columns, title) in _PARTS.items() if form in PEOPLE else ():
        rows = [one for row in benchmarks for one in row[part]]
        # Two benchmarks may share a rule.
        write_table(form, columns, [_join_lists(one) for at, one in enumerate(rows) if one not in rows[:at]], title)


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

    Names, files, plans, live runs, grades, snapshots, optima, regret, critique, repair and hostile input are checked on
    a sample of problems, under each rule profile.

    Exit status: 1 if a check fails.

    Examples
    --------
    planoracle benchmark check timearena --problems 1
    """
    check_columns("benchmark-check")
    one = registry.get(name)
    further = [problem for path in instance or () for problem in catalog.read_problems(str(path))]
    table, failed = Table(form, ("check", "status", "cases", "details")), False
    for result in track(check_benchmark(one, problems, seed, further), "checking", total=len(CHECKS)):
        table.add(result.row())
        failed |= result.status == "failed"
    table.close()
    raise typer.Exit(int(failed))


def _join_lists(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with lists as texts."""
    return {key: ", ".join(map(str, value)) if isinstance(value, list) else value for key, value in row.items()}


def _describe(one: AnyBenchmark) -> dict[str, Any]:
    names = () if one.catalog is None else one.catalog.names()
    kind = "schedule" if isinstance(one, ScheduleBenchmark) else None
    own = (
        (problem.kind for problem in map(one.catalog.load, names) if problem.benchmark == one.name)
        if one.catalog
        else ()
    )
    return {
        "benchmark": one.name,
        "title": one.title,
        "citation": one.citation,
        "kind": next(iter(own), kind),
        "problems": len(names),
        "submissions": list(one.plan_fields),
        "heuristics": list(one.heuristics),
        "profiles": list(one.rules.profiles),
        "rules": _rules(one),
        "metrics": [
            {"metric": f"{one.name}.{column.name}", "unit": column.unit, "meaning": column.meaning}
            for column in one.columns
        ],
        "summaries": [
            {"average": f"{one.name}.{average.name}", "meaning": average.meaning}
            for average in one.metrics.averages(one.rules.profile())
        ],
    }


def _rules(one: AnyBenchmark) -> list[dict[str, Any]]:
    """Return a row for each rule, its values as they are written on the command line."""
    rows = []
    for field in fields(one.rules.profile()):
        values = {name: str(getattr(rules, field.name)) for name, rules in one.rules.profiles.items()}
        values = {name: value.lower() if value in ("True", "False") else value for name, value in values.items()}
        usual = ["true", "false"] if values["paper"] in ("true", "false") else ["whole number"]
        among = list(one.rules.choices.get(field.name, usual))
        rows.append({"rule": f"{one.rules.name}.{field.name}", "values": among, **values})
    return rows
