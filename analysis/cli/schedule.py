"""``planoracle schedule``: fast schedules by a named heuristic."""

from __future__ import annotations

from typing import Annotated

import typer

from planoracle.analysis.cli.common import AgentsOption, OnlyOption, Run, begun, begun_heuristic, schedule_rows
from planoracle.analysis.cli.output import Format, FormatOption, Table
from planoracle.analysis.spoken import say

_COLUMNS = ("instance", "heuristic", "makespan", "unit", "seconds", "reason")
_LEAST = ("seconds", "unit", "heuristic")


def schedule(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Names, prefixes, globs or files.", metavar="NAME", autocompletion=begun),
    ] = None,
    heuristic: Annotated[
        str,
        typer.Option("--heuristic", "-H", help="Its name; 'list' lists them all.", autocompletion=begun_heuristic),
    ] = "improve",
    form: FormatOption = Format.table,
    seed: Annotated[int, typer.Option(help="Seed of the improver.", min=0)] = 0,
    iterations: Annotated[int, typer.Option(help="Lists the improver tries.", min=0)] = 300,
    seconds: Annotated[
        float | None, typer.Option(help="Stop the improver after so long (results then vary).", min=0.0)
    ] = None,
    agents: AgentsOption = None,
    only: OnlyOption = None,
) -> None:
    """Schedule by a heuristic; every schedule is accepted by the benchmark's rules.

    Exit status 1 if the heuristic fails on some problem or a file cannot be read.
    """
    from planoracle.heuristics.budget import Budget
    from planoracle.heuristics.registry import names as heuristics
    from planoracle.heuristics.registry import run as apply
    from planoracle.instances.crew import crewed

    if heuristic == "list":
        say("\n".join(heuristics()))
        return
    if not names:
        raise typer.BadParameter("name at least one problem", param_hint="NAME")
    budget = Budget(seed=seed, iterations=iterations, seconds=seconds)
    run = Run([crewed(name, agents, only or ()) for name in names], "scheduling", kitchens=True)
    table = Table(form, _COLUMNS, least=_LEAST)
    failed = False
    for instance, answer in run.each(lambda one: apply(one, heuristic, budget)):
        failed |= answer.makespan is None
        table.add(
            {
                "instance": answer.instance,
                "heuristic": answer.heuristic,
                "makespan": answer.makespan,
                "unit": instance.unit,
                "seconds": round(answer.seconds, 6),
                "reason": answer.reason or None,
                "plan": answer.plan,
                "schedule": schedule_rows(answer.schedule),
            }
        )
    table.close()
    run.exit(failed=failed)
