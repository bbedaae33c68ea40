"""``planoracle gantt``: a picture of a schedule."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.common import AgentsOption, OnlyOption


def gantt(
    name: Annotated[str, typer.Argument(help="Name or file of one problem.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="PNG, SVG or PDF file to write.")],
    heuristic: Annotated[
        str | None, typer.Option("--heuristic", "-H", help="Draw this heuristic's schedule, not the optimum.")
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="Draw the plan in this text file; it must name known steps.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(help="Draw this above it, and mark what differs: optimum, or the text file of another plan."),
    ] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds for the solver.", min=0.0)] = 60.0,
    agents: AgentsOption = None,
    only: OnlyOption = None,
) -> None:
    """Draw a schedule: rows for the agent and every object, autonomous work hatched, windows marked."""
    from planoracle.analysis.figures.gantt import save_gantt, save_gantt_pair
    from planoracle.heuristics.registry import run
    from planoracle.instances import catalogue
    from planoracle.instances.crew import crewed
    from planoracle.instances.errors import InputError
    from planoracle.instances.kitchens.kitchen import Kitchen
    from planoracle.instances.model import Instance
    from planoracle.instances.problem import of_kind

    if plan is not None and heuristic is not None:
        raise typer.BadParameter("draw either a plan or a heuristic's schedule", param_hint="--plan")
    name = crewed(name, agents, only or ())
    found = [problem for one in catalogue.expand([name]) for problem in catalogue.read_problems(one)]
    if len(found) != 1:
        raise InputError("must name a single problem", field="name", value=name)
    if isinstance(found[0], Kitchen):
        if against is not None:
            raise InputError("there are no pairs of plans in kitchens", field="against", value=against)
        _draw_kitchen(found[0], output, plan, time_limit)
        return
    instance = of_kind(found[0], Instance)
    if plan is not None:
        schedule, title = _read(instance, plan), plan.name
    elif heuristic is not None:
        answer = run(instance, heuristic)
        if answer.schedule is None:
            raise InputError(f"{heuristic} has no schedule for {instance.name}: {answer.reason}")
        schedule, title = answer.schedule, heuristic
    else:
        schedule, title = _best(instance, time_limit)
    if against is None:
        save_gantt(instance, schedule, output, title=f"{instance.name}: {title}")
    else:
        file = None if against == "optimum" else Path(against)
        other, name = _best(instance, time_limit) if file is None else (_read(instance, file), file.name)
        save_gantt_pair(instance, other, schedule, output, names=(name, title))


def _read(instance: Any, plan: Path) -> Any:
    """Return the schedule of the plan in a file."""
    from planoracle.instances.certify import language
    from planoracle.instances.errors import InputError
    from planoracle.instances.reading import read_bytes

    text = read_bytes(plan).decode("utf-8", errors="replace")
    benchmark = language(instance)
    schedule = benchmark.schedule(instance, benchmark.parse(instance, text))
    if not schedule.pieces:
        raise InputError("there is nothing to draw: the plan holds no step", field=str(plan))
    return schedule


def _best(instance: Any, time_limit: float) -> tuple[Any, str]:
    """Return the best schedule found, and its status."""
    from planoracle.instances.errors import InputError
    from planoracle.solver.exact.solve import solve

    result = solve(instance, time_limit=time_limit)
    if result.schedule is None:
        raise InputError(f"there is no schedule to draw: {result.status}", field=instance.name)
    return result.schedule, result.status


def _draw_kitchen(kitchen: Any, output: Path, plan: Path | None, time_limit: float) -> None:
    from planoracle.analysis.figures.kitchen import save_picture
    from planoracle.instances.errors import InputError
    from planoracle.instances.kitchens import language, run
    from planoracle.instances.reading import read_bytes
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
