"""``planoracle gantt``: a picture of a schedule."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def gantt(
    name: Annotated[str, typer.Argument(help="Name or file of one problem.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="PNG, SVG or PDF file to write.")],
    heuristic: Annotated[
        str | None, typer.Option("--heuristic", "-H", help="Draw this heuristic's schedule, not the optimum.")
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="Draw the plan in this text file; it must name known steps.")
    ] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds for the solver.", min=0.0)] = 60.0,
) -> None:
    """Draw a schedule: rows for the agent and every object, autonomous work hatched, windows marked."""
    from planoracle.analysis.figures.gantt import save_gantt
    from planoracle.heuristics.registry import run
    from planoracle.instances import catalogue
    from planoracle.instances.benchmarks import language
    from planoracle.instances.errors import InputError
    from planoracle.instances.files import read_bytes
    from planoracle.instances.robotouille.kitchen import Kitchen
    from planoracle.solver.solve import solve

    if plan is not None and heuristic is not None:
        raise typer.BadParameter("draw either a plan or a heuristic's schedule", param_hint="--plan")
    found = [problem for one in catalogue.expand([name]) for problem in catalogue.read_problems(one)]
    if len(found) != 1:
        raise InputError("must name a single problem", field="name", value=name)
    instance = found[0]
    if isinstance(instance, Kitchen):
        _draw_kitchen(instance, output, plan, time_limit)
        return
    if plan is not None:
        text = read_bytes(plan).decode("utf-8", errors="replace")
        schedule, title = language(instance.benchmark).parse(instance, text), f"{instance.name}: {plan.name}"
    elif heuristic is not None:
        answer = run(instance, heuristic)
        if answer.schedule is None:
            raise InputError(f"{heuristic} has no schedule for {instance.name}: {answer.reason}")
        schedule, title = answer.schedule, f"{instance.name}: {heuristic}"
    else:
        result = solve(instance, time_limit=time_limit)
        if result.schedule is None:
            raise InputError(f"there is no schedule to draw: {result.status}", field=instance.name)
        schedule, title = result.schedule, f"{instance.name}: {result.status}"
    if not schedule.pieces:
        raise InputError("there is nothing to draw: the plan holds no step", field=str(plan))
    save_gantt(instance, schedule, output, title=title)


def _draw_kitchen(kitchen: Any, output: Path, plan: Path | None, time_limit: float) -> None:
    from planoracle.analysis.figures.kitchen import save_picture
    from planoracle.instances.errors import InputError
    from planoracle.instances.files import read_bytes
    from planoracle.instances.robotouille import language, run
    from planoracle.solver.kitchens.planner import plan as best_plan

    if plan is not None:
        text = read_bytes(plan).decode("utf-8", errors="replace")
        actions, title = language.parse(text, kitchen.domain), f"{kitchen.name}: {plan.name}"
    else:
        result = best_plan(kitchen, time_limit=time_limit)
        if not result.actions:
            raise InputError(f"there is no plan to draw: {result.status}", field=kitchen.name)
        actions, title = list(result.actions), f"{kitchen.name}: {result.status}"
    save_picture(run.replay(kitchen, actions), output, title=title)
