"""``planoracle instances``: list and export problems, and print the JSON Schema of problem files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NoReturn

import typer

from planoracle.analysis.cli.column_names import check_columns
from planoracle.analysis.cli.options import ProblemLoop
from planoracle.analysis.cli.output import PEOPLE, Format, FormatOption, Table
from planoracle.analysis.console import say_json, tell
from planoracle.instances.files import catalog
from planoracle.instances.model.problem import GENERAL
from planoracle.instances.protocol import registry
from planoracle.solver.kinds.registry import kind_of
from planoracle.solver.solve import bundled_grade

_SET_COLUMNS = ("set", "problems", "unit", "about", "kind")
_COLUMNS = (
    "instance",
    "actions",
    "autonomous",
    "interruptible",
    "maximum_lags",
    "work",
    "stations",
    "items",
    "containers",
    "players",
    "orders",
    "features",
    "unit",
    "proof_grade",
)


def instances(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names, prefixes or globs of problems ('*': all), or files with problems. Default: list the sets.",
            metavar="NAME",
            autocompletion=catalog.completions,
        ),
    ] = None,
    export: Annotated[
        bool, typer.Option("--export", help="Write the problems in planoracle's file format, one JSON object per line.")
    ] = False,
    schema: Annotated[
        bool,
        typer.Option(
            "--schema",
            help="Print the JSON Schema of problem files: of scheduling problems, or of the benchmark NAME.",
        ),
    ] = False,
    form: FormatOption = Format.table,
) -> None:
    """List problems by name, prefix (BENCHMARK/SET), glob (BENCHMARK/*/Vada_*) or file.

    Examples
    --------
    planoracle instances
    planoracle instances 'recipe2plan/timed/Vada_*'
    planoracle instances timearena/household1 --export
    """
    if schema:
        _print_schema(names or [])
        return
    check_columns("instances")
    if not names and not export:
        _list_sets(form)
    run = ProblemLoop(names or list(catalog.bundled()), "reading")
    table = Table(form, _COLUMNS)
    if export:
        for _, document in run.each(_document):
            say_json(document)
        run.exit()
    for problem, sizes in run.each(_sizes):
        table.add({"instance": problem.name, **sizes, "unit": problem.unit, "proof_grade": bundled_grade(problem)})
    table.close()
    run.exit()


def _document(problem: Any) -> dict[str, Any]:
    """Return a problem in planoracle's file format."""
    return registry.of(problem).document(problem)


def _sizes(problem: Any) -> Mapping[str, Any]:
    """Return the sizes of a problem, if its kind has any, and the names of its features."""
    kind = kind_of(problem)
    features = kind.features(problem)
    names = {"features": ", ".join(features)} if features else {}
    return {**kind.size(problem), **names}


def _list_sets(form: Format) -> NoReturn:
    """Write a row for each set of the catalogue, and end the program."""
    sets: dict[str, list[str]] = {}
    for name in catalog.bundled():
        label = catalog.set_of(name)[0] or name.rpartition("/")[0]
        sets.setdefault(label, []).append(name)
    rows: dict[str, dict[str, Any]] = {}  # by the first problem of each set, which is read
    for label, members in sets.items():
        rows[members[0]] = {"set": label, "problems": len(members)}
    run, table = ProblemLoop(list(rows), "reading"), Table(form, _SET_COLUMNS)
    previous = ""
    for problem, about in run.each(_summary):
        is_repeated = about == previous and form in PEOPLE
        text = "" if is_repeated else about
        table.add(rows[problem.name] | {"unit": problem.unit, "about": text, "kind": problem.kind})
        previous = about
    table.close()
    tell("planoracle instances SET lists the problems of a set, planoracle instances '*' lists all problems", "note")
    run.exit()


def _summary(problem: Any) -> str:
    """Return the first line of the description of a problem's benchmark."""
    description = type(registry.of(problem)).__doc__ or ""
    return description.partition("\n")[0]


def _print_schema(names: list[str]) -> None:
    if len(names) > 1:
        raise typer.BadParameter("must be a single benchmark with --schema", param_hint="NAME")
    say_json(registry.get(names[0] if names else GENERAL).schema(), indent=1)
