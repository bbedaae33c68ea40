"""``planoracle compose``: names of new AsyncTool problems."""

from __future__ import annotations

from typing import Annotated

import typer

from planoracle.analysis.cli.output import Format, FormatOption, Table


def compose(
    form: FormatOption = Format.table,
    kind: Annotated[str, typer.Option(help="similar: tasks of one family; cross: each of another.")] = "cross",
    size: Annotated[int, typer.Option(help="Tasks of a problem.", min=1, max=20)] = 2,
    count: Annotated[int, typer.Option(help="Number of problems.", min=0, max=1_000_000)] = 10,
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 0,
    delay: Annotated[str, typer.Option(help="Turns a result takes: 1, 0-1, 1-2:7 (range:seed).")] = "1",
) -> None:
    """Combine AsyncTool's single tasks into new problems; every other verb takes the names it prints."""
    from planoracle.instances.asynctool import sets
    from planoracle.instances.asynctool.compose import compose as combine
    from planoracle.instances.asynctool.problem import Delays

    suffix = "" if Delays.parse(delay) == Delays() else f"@{delay}"
    table = Table(form, ("instance",))
    for row in combine(list(sets.tasks().values()), kind, size, count, seed):
        ids = [task.id for task in row]
        table.add({"instance": f"asynctool/{'+'.join(ids)}{suffix}", "tasks": ids, "kind": kind, "seed": seed})
    table.close()
