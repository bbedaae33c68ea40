"""``planoracle compose``: names of new problems."""

from __future__ import annotations

from typing import Annotated

import typer

from planoracle.analysis.cli.output import Format, FormatOption, Table


def compose(
    benchmark: Annotated[
        str | None, typer.Argument(help="Whose tasks; by default of the only one that has any to combine.")
    ] = None,
    form: FormatOption = Format.table,
    kind: Annotated[str | None, typer.Option(help="cross: each task of another family; similar: all of one.")] = None,
    size: Annotated[int, typer.Option(help="Tasks of a problem.", min=1, max=20)] = 2,
    count: Annotated[int, typer.Option(help="Number of problems.", min=0, max=1_000_000)] = 10,
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 0,
    variant: Annotated[
        str | None,
        typer.Option("--variant", "--delay", help="What stands behind @: turns a result takes, 1, 0-1, 1-2:7."),
    ] = None,
) -> None:
    """Combine a benchmark's tasks into new problems; every other verb takes the names it prints."""
    from planoracle.instances import registry

    found = {name: registry.get(name).composer for name in ([benchmark] if benchmark else registry.names())}
    able = [one for one in found.values() if one is not None]
    if len(able) != 1:
        raise typer.BadParameter("must be one that can combine its tasks", param_hint="BENCHMARK")
    (composer,) = able
    kind = composer.kinds[0] if kind is None else kind
    table = Table(form, ("instance",))
    for name, tasks in composer.compose(kind, size, count, seed, composer.variant if variant is None else variant):
        table.add({"instance": name, "tasks": list(tasks), "kind": kind, "seed": seed})
    table.close()
