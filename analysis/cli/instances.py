"""``planoracle instances``: list and export problems, and print the JSON Schema of problem files."""

from __future__ import annotations

from typing import Annotated, NoReturn

import typer

from planoracle.analysis.cli.column_names import check_columns
from planoracle.analysis.cli.options import ProblemLoop
from planoracle.analysis.cli.output import PEOPLE, Format, FormatOption, Table
from planoracle.analysis.console import say_json, tell
from planoracle.instances.files import catalog
from planoracle.instances.model.problem import GENERAL
from planoracle.instances.protocol import registry
from planoracle.solver.kinds.registry import kind_of

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
    "unit",
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
    for instance, document in run.each(lambda one: registry.of(one).document(one) if export else None):
        if document is not None:
            say_json(document)
        else:
            size = kind_of(instance).size(instance)
            table.add({"instance": instance.name, **size, "unit": instance.unit})
    if not export:
        table.close()
    run.exit()


def _list_sets(form: Format) -> NoReturn:
    """Write a row for each set of the catalogue, and end the program."""
    sets: dict[str, list[str]] = {}
    for name in catalog.bundled():
        sets.setdefault(catalog.set_of(name)[0] or name.rpartition("/")[0], []).append(name)
    run, table = ProblemLoop([members[0] for members in sets.values()], "reading"), Table(form, _SET_COLUMNS)
    by_first = {members[0]: {"set": label, "problems": len(members)} for label, members in sets.items()}
    previous = ""
    for problem, about in run.each(lambda one: (type(registry.of(one)).__doc__ or "").partition("\n")[0]):
        row = by_first[problem.name] | {"unit": problem.unit, "about": about, "kind": problem.kind}
        table.add(row | ({"about": ""} if about == previous and form in PEOPLE else {}))
        previous = about
    table.close()
    tell("planoracle instances SET lists the problems of a set, planoracle instances '*' lists all problems", "note")
    run.exit()


def _print_schema(names: list[str]) -> None:
    if len(names) > 1:
        raise typer.BadParameter("must be a single benchmark with --schema", param_hint="NAME")
    say_json(registry.get(names[0] if names else GENERAL).schema(), indent=1)
