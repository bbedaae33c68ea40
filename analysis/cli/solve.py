"""``planoracle solve``: proved optimal schedules."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.common import NamesArgument, Run, schedule_rows
from planoracle.analysis.cli.output import Format, FormatOption, Table

_COLUMNS = ("instance", "status", "makespan", "lower_bound", "unit", "seconds", "proof")


def solve(
    names: NamesArgument,
    form: FormatOption = Format.table,
    time_limit: Annotated[float, typer.Option(help="Seconds per problem.", min=0.0)] = 60.0,
    seed: Annotated[int, typer.Option(help="Seed of the solver.", min=0, max=2**31 - 1)] = 0,
    workers: Annotated[int, typer.Option(help="Threads for problems that resist the fast attempts.", min=1)] = 1,
    finest: Annotated[
        bool, typer.Option("--finest", help="Where a proof holds on a grid of pauses only, prove it for every tick.")
    ] = False,
) -> None:
    """Compute optimal schedules, with proof; every one is accepted by the benchmark's rules.

    Exit status 1 if the status of some problem stays unknown or a file cannot be read.
    """
    from planoracle.instances.robotouille.kitchen import Kitchen
    from planoracle.solver.solve import solve as exactly

    schedule = partial(exactly, time_limit=time_limit, seed=seed, workers=workers, finest=finest)

    def exact(problem: Any) -> Any:
        if not isinstance(problem, Kitchen):
            return schedule(problem)
        from planoracle.solver.kitchens.planner import plan

        return plan(problem, time_limit=time_limit)

    run = Run(names, "solving", kitchens=True)
    table = Table(form, _COLUMNS)
    failed = turns = False
    for instance, result in run.each(exact):
        failed |= result.status == "unknown"
        turns |= getattr(instance, "benchmark", "") == "asynctool"
        table.add(
            {
                "instance": result.instance,
                "status": result.status,
                "makespan": result.makespan,
                "lower_bound": result.lower_bound,
                "unit": "step" if isinstance(instance, Kitchen) else instance.unit,
                "seconds": round(result.seconds, 6),
                "proof": result.proof,
                "plan": result.plan,
            }
            | _details(result)
            | {"versions": result.versions}
        )
    table.close()
    if turns:
        print("note: turns count the closing message, ALL COMPLETED", file=sys.stderr)
    run.exit(failed=failed)


def _details(result: Any) -> dict[str, Any]:
    """Return what only a schedule, or only a plan for a kitchen, has."""
    if hasattr(result, "rounds"):
        return {"rounds": result.rounds, "expanded": result.expanded}
    return {"grid": result.grid, "schedule": schedule_rows(result.schedule), "seed": result.seed}
