"""``planoracle instances``: what problems there are."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.common import Run
from planoracle.analysis.cli.output import Format, FormatOption, Table
from planoracle.analysis.spoken import say_json

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
    "unit",
)


def instances(
    names: Annotated[
        list[str] | None, typer.Argument(help="Names, prefixes, globs or files; default: all.", metavar="[NAME]...")
    ] = None,
    export: Annotated[
        bool, typer.Option("--export", help="Write the instances themselves, in our file format, one per line.")
    ] = False,
    form: FormatOption = Format.table,
) -> None:
    """List problems by name, prefix (recipe2plan/timed), glob (recipe2plan/*/Vada_*) or file."""
    from planoracle.instances import catalogue
    from planoracle.instances.kitchens.kitchen import Kitchen
    from planoracle.instances.registry import of

    run = Run(names or list(catalogue.bundled()), "reading", kitchens=True)
    table = Table(form, _COLUMNS)
    for instance, document in run.each(lambda one: of(one).document(one) if export else None):
        if document is not None:
            say_json(document)
            continue
        if isinstance(instance, Kitchen):
            table.add(_kitchen(instance))
            continue
        table.add(
            {
                "instance": instance.name,
                "actions": len(instance.actions),
                "autonomous": sum(action.attended < action.duration for action in instance.actions),
                "interruptible": sum(action.interruptible for action in instance.actions),
                "maximum_lags": sum(lag.maximum is not None for lag in instance.lags),
                "work": sum(action.duration for action in instance.actions),
                "unit": instance.unit,
            }
        )
    if not export:
        table.close()
    run.exit(failed=False)


def _kitchen(kitchen: Any) -> dict[str, Any]:
    counts = Counter(kind for _, kind in kitchen.objects)
    return {
        "instance": kitchen.name,
        "stations": counts["station"],
        "items": counts["item"],
        "containers": counts["container"],
        "players": counts["player"],
        "unit": kitchen.unit,
    }
