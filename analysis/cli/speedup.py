"""``planoracle speedup``: proved optima with more and more agents."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from planoracle.analysis.cli.common import NamesArgument, Run
from planoracle.analysis.cli.output import Format, FormatOption, Table
from planoracle.analysis.cli.shapes import drawing

_COLUMNS = (
    *("set", "agents", "problems", "proved", "mean_makespan", "unit", "mean_speedup"),
    *("at_critical_path", "at_limit", "limit_speedup"),
)
_EACH = ("instance", "agents", "status", "makespan", "unit", "speedup", "critical_path", "limit")
_LEAST = ("limit_speedup", "at_critical_path", "unit", "limit", "critical_path")


@drawing
def speedup(
    names: NamesArgument,
    form: FormatOption = Format.table,
    agents: Annotated[int, typer.Option("--agents", help="Up to so many agents.", min=1, max=99)] = 4,
    each: Annotated[bool, typer.Option("--each", help="Every problem, not the means of the sets.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="PNG, SVG or PDF file to draw the curves into.")
    ] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds per problem and number of agents.", min=0.0)] = 60.0,
) -> None:
    """Solve problems with 1, 2, ... agents: how much faster they are, and where more of them stop helping.

    Exit status 1 if something is not proved or a file cannot be read.
    """
    from planoracle.analysis.speedup import curve, summarize

    run = Run(names, "solving")
    curves = [found for _, found in run.each(lambda one: curve(one, agents, time_limit=time_limit))]
    points = summarize(curves)
    rows = [row for one in curves for row in one.rows()] if each else [asdict(point) for point in points]
    table = Table(form, _EACH if each else _COLUMNS, least=_LEAST)
    for row in rows:
        table.add(row)
    table.close()
    if output is not None and points:
        from planoracle.analysis.figures.save import save
        from planoracle.analysis.figures.speedup import speedup_curves

        save(lambda: speedup_curves(points), output)
    run.exit(failed=not all(one.proved for one in curves))
