"""``planoracle gantt``: Gantt chart of a schedule."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from planoracle.analysis import figures
from planoracle.analysis.cli.options import (
    AgentsOption,
    NameArgument,
    OnlyOption,
    complete_heuristic,
    note_problem,
    single_problem,
    with_figure_options,
)
from planoracle.analysis.cli.output import check_outputs
from planoracle.analysis.cli.progress import best_in_words, track
from planoracle.analysis.console import tell
from planoracle.heuristics.registry import accepted_names, run
from planoracle.instances.errors import InputError, NoSolverError
from planoracle.instances.files.catalog import short_name
from planoracle.instances.files.strict_json import read_bytes
from planoracle.instances.model.agents import add_agent_suffix
from planoracle.instances.model.problem import Problem
from planoracle.solver.result import Result
from planoracle.solver.solve import has_solver, solve

# Letters of a default file name before its ending; file systems allow 255 bytes.
_LONGEST_NAME: Final = 60


@partial(with_figure_options, only_with="")
def gantt(
    name: NameArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="PNG, SVG or PDF file to write. Default: the name of the problem with .png, in this folder.",
            metavar="FILE",
        ),
    ] = None,
    heuristic: Annotated[
        str | None,
        typer.Option(
            "--heuristic", "-H", help="Draw the schedule of this heuristic instead of the optimum.", metavar="NAME"
        ),
    ] = None,
    plan: Annotated[Path | None, typer.Option(help="Draw the plan in this text file instead.", metavar="FILE")] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Draw a second schedule above the first, and mark the differences: the optimum, the schedule of a "
            "heuristic, or the plan in a text file.",
            metavar="optimum|HEURISTIC|FILE",
            autocompletion=complete_heuristic,
        ),
    ] = None,
    time_limit: Annotated[
        float, typer.Option(help="Wall time of the solver, in seconds.", metavar="SECONDS", min=0.0)
    ] = 60.0,
    agents: AgentsOption = None,
    only: OnlyOption = None,
) -> None:
    """Draw a schedule as a Gantt chart, with one row per agent and object.

    Work that needs no agent is hatched, off-times are shaded, and time windows are marked.

    Examples
    --------
    planoracle gantt timearena/household1
    planoracle gantt recipe2plan/timed/Cobbler_Pancakes -H parallel-lpt --against optimum -o pair.svg
    planoracle gantt tasks.csv --calendar shifts.csv --start "2026-11-30 08:00" --width a3 -o week.pdf
    """
    if plan is not None and heuristic is not None:
        raise typer.BadParameter("cannot be combined with --heuristic", param_hint="--plan")
    if against == "optimum" and plan is None and heuristic is None:
        message = "optimum needs --plan or --heuristic; without them, the drawn schedule is the optimum itself"
        raise typer.BadParameter(message, param_hint="--against")
    check_outputs(output)
    problem = single_problem(add_agent_suffix(name, agents, only or ()))
    note_problem(problem.name)
    path = _default_path(problem) if output is None else output
    if plan is not None:
        lower, title = _read(plan)
    elif heuristic is not None:
        lower, title = _heuristic_plan(problem, heuristic)
    else:
        lower, title = _best(problem, time_limit)
    if against is None:
        draw = partial(figures.plan_figure.draw, problem, lower, title=f"{problem.name}: {title}")
    else:
        upper, upper_title = _second_plan(problem, against, time_limit)
        draw = partial(figures.plan_figure.draw_pair, problem, upper, lower, names=(upper_title, title))
    figures.style.save(draw, path)
    if output is None:
        tell(f"{path}: {problem.name}", "note")


def _default_path(problem: Problem) -> Path:
    """Return the PNG file in this folder with the name of a problem; it replaces only earlier pictures.

    Raises
    ------
    InputError
        If there is such a file, and it is no picture that `planoracle.analysis.figures.style.save` wrote.
    """
    name = short_name(problem.name).replace("/", "-")
    name = re.sub(r"[^\w.,+~=-]", "_", name).lstrip(".-")
    path = Path(f"{name[:_LONGEST_NAME] or 'plan'}.png")
    if os.path.lexists(path) and not figures.style.is_drawn(path):
        message = "exists and is no picture that planoracle drew; choose a file with --output"
        raise InputError(message, field="output", value=str(path))
    return path


def _second_plan(problem: Problem, against: str, time_limit: float) -> tuple[str, str]:
    """Return the plan of ``--against``, and its name; a file comes before a heuristic of the same name."""
    if against == "optimum":
        return _best(problem, time_limit)
    path = Path(against)
    if path.exists():
        return _read(path)
    if against in accepted_names():
        return _heuristic_plan(problem, against)
    message = "must be optimum, the name of a heuristic (planoracle solve -H list), or a text file with a plan"
    raise InputError(message, field="against", value=against)


def _read(plan: Path) -> tuple[str, str]:
    """Return the plan in a file, and the name of the file."""
    return read_bytes(plan).decode("utf-8", errors="replace"), plan.name


def _heuristic_plan(problem: Problem, heuristic: str) -> tuple[str, str]:
    """Return the plan of a heuristic, and its name."""
    answer = run(problem, heuristic)
    if answer.plan is None:
        raise InputError(f"{answer.heuristic} has no schedule for {problem.name}: {answer.reason}")
    return answer.plan, answer.heuristic


def _best(problem: Problem, time_limit: float) -> tuple[str, str]:
    """Return the best plan found, and its status."""
    progress: list[tuple[int | None, int]] = [(None, 0)]

    def add_progress(makespan: int | None, lower_bound: int) -> None:
        progress.append((makespan, lower_bound))

    def solve_problem() -> Iterator[Result]:
        yield solve(problem, time_limit=time_limit, on_progress=add_progress)

    (result,) = track(solve_problem(), "solving", 1, lambda: best_in_words(*progress[-1]))
    if not result.plan and not has_solver(problem):
        raise NoSolverError(result.proof, field=problem.name)
    if not result.plan:
        raise InputError(f"there is no plan to draw: {result.status}", field=problem.name)
    return result.plan, result.status
