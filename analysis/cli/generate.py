"""``planoracle generate``: random problems, and how hard they are."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.output import Format, FormatOption, Table, complain, track
from planoracle.analysis.output_files import output_file
from planoracle.analysis.spoken import say, tell
from planoracle.instances.visible import to_json

_COLUMNS = (
    "instance",
    "tasks",
    "actions",
    "agents",
    "status",
    "optimum",
    "greedy",
    "loss_gap",
    "failed",
    "seconds",
    "order_strength",
    "parallelism",
    "interruptible",
    "windows",
    "resource_factor",
    "resource_strength",
    "file",
)
_LEAST = ("file", "seconds", "failed", "resource_strength", "resource_factor", "windows", "interruptible")

_SUMMARY = ("method", "problems", "failed", "above", "mean_gap", "max_gap")


def _parameter(text: str) -> Any:
    return typer.Option(
        help=text, rich_help_panel="Parameters (which ones, and their usual values, depends on the style)"
    )


def generate(
    context: typer.Context,
    style: Annotated[str, typer.Argument(help="Benchmark whose problems they are to be like, or generic.")],
    count: Annotated[int, typer.Option(help="Number of problems.", min=1, max=1_000_000)] = 10,
    seed: Annotated[int, typer.Option(help="Seed of the draws.", min=0)] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for one file per problem; default: standard output, one per line.")
    ] = None,
    combine: Annotated[
        bool, typer.Option("--combine", help="Combine tasks that the benchmark has, instead of making new ones.")
    ] = False,
    any_: Annotated[bool, typer.Option("--any", help="Do not see to it that there is a schedule.")] = False,
    difficulty: Annotated[
        bool, typer.Option("--difficulty", help="Solve the problems, and see what greedy schedules lose.")
    ] = False,
    min_loss: Annotated[
        float | None, typer.Option(help="Keep problems of which greedy schedules lose this share or more.", min=0.0)
    ] = None,
    greedy: Annotated[
        list[str] | None, typer.Option(help="Heuristics to take for greedy; default: four, and the paper's own.")
    ] = None,
    select: Annotated[
        bool,
        typer.Option("--select", help="Keep what meets the criteria by which the paper chose its problems."),
    ] = False,
    tries: Annotated[int, typer.Option(help="Draw at most so many times as many problems.", min=1)] = 100,
    time_limit: Annotated[float, typer.Option(help="Seconds for each exact solve.", min=0.0)] = 10.0,
    form: FormatOption = Format.table,
    tasks: Annotated[int | None, _parameter("Number of tasks.")] = None,
    actions: Annotated[int | None, _parameter("Actions of each task.")] = None,
    order_strength: Annotated[float | None, _parameter("Share of the pairs within a task that are ordered.")] = None,
    parallelism: Annotated[float | None, _parameter("Share of the actions that run on without an agent.")] = None,
    attended: Annotated[int | None, _parameter("Ticks for which these hold their agent at the start.")] = None,
    interruptible: Annotated[float | None, _parameter("Share of the continuous actions that may be cut.")] = None,
    windows: Annotated[float | None, _parameter("Share of the precedences with a maximum lag.")] = None,
    tightness: Annotated[float | None, _parameter("How tight maximum lags are: 0 to 1, where they are 0.")] = None,
    resources: Annotated[int | None, _parameter("Number of resources.")] = None,
    resource_factor: Annotated[float | None, _parameter("Share of the resources an action asks for.")] = None,
    resource_strength: Annotated[
        float | None, _parameter("Capacities: 0 the least possible, 1 all that is asked.")
    ] = None,
    agents: Annotated[int | None, _parameter("Number of agents.")] = None,
    eligibility: Annotated[float | None, _parameter("Share of the agents that may carry out an action.")] = None,
    shortest: Annotated[int | None, _parameter("Shortest duration; of calls: least delay.")] = None,
    longest: Annotated[int | None, _parameter("Longest duration; of calls: greatest delay.")] = None,
) -> None:
    """Make random problems: the same seed, parameters and version give the same bytes.

    With a folder, or with --difficulty or --min-loss, a table says what they are like; it goes to standard error
    where the problems themselves go to standard output. So does the summary: how much each heuristic loses. Exit
    status 1 if not as many as asked for are found, or the status of some problem stays unknown.
    """
    from planoracle.analysis.difficulty import sift, summarize
    from planoracle.instances.generate.parameters import Parameters
    from planoracle.instances.generate.styles import draw
    from planoracle.instances.registry import formerly

    given = {name: context.params.get(name) for name in Parameters.__dataclass_fields__}
    parameters = {name: value for name, value in given.items() if value is not None} | (
        {"feasible": False} if any_ else {}
    )
    benchmark = formerly(style)
    if benchmark is not None and benchmark.name != style:
        tell(f"{style} is called {benchmark.name} now", "note")
        style = benchmark.name
    measured = difficulty or min_loss is not None
    most = count * tries if select or combine or min_loss is not None else count
    if greedy and not measured:
        raise typer.BadParameter("is for --difficulty and --min-loss", param_hint="--greedy")
    table = Table(form, _COLUMNS, least=_LEAST, stream=None if out is not None else sys.stderr)
    if out is not None:
        _folder(out)
    found = 0
    hard = []
    draws = track(draw(style, seed, tries=most, combine=combine, **parameters), "drawing", most)
    kept = sift(draws, min_loss=min_loss, select=select, heuristics=greedy or None, time_limit=time_limit)
    for drawn in islice(kept, count):
        found += 1
        hard += [drawn.difficulty] if measured else []
        figures = drawn.difficulty.row() if measured else {}
        file = None if out is None else out / f"{style}-{seed}-{drawn.generated.number}.json"
        _write(drawn.generated.problem, file)
        table.add(_description(drawn.generated.problem) | figures | {"file": None if file is None else str(file)})
    if out is not None or measured:
        table.close()
    if measured:
        summary = Table(Format.table, _SUMMARY, "above the optimum", sys.stderr)
        summary.rows += summarize(hard)
        summary.close()
    if found < count:
        complain(f"{found} of {count} problems found in {most} draws")
    open_ = any(not one.status.settled for one in hard)
    raise typer.Exit(1 if found < count or open_ else 0)


def _folder(path: Path) -> None:
    from planoracle.instances.errors import InputError

    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be made a folder: {getattr(error, 'strerror', error)}", source=str(path)) from None


def _write(problem: Any, file: Path | None) -> None:
    """Write a problem to a file, or to standard output: its name, if it can be loaded by that."""
    from planoracle.instances.catalogue import names_problem
    from planoracle.instances.errors import InputError
    from planoracle.instances.registry import of

    if file is None:
        say(problem.name if names_problem(problem.name) else to_json(of(problem).document(problem)))
        return
    text = to_json(of(problem).document(problem), indent=1) + "\n"
    try:
        if file.exists() and file.read_bytes() != text.encode():
            raise InputError("holds something else; choose another folder", source=str(file))
        with output_file(file) as stream:
            stream.write(text)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", source=str(file)) from None


def _description(problem: Any) -> dict[str, Any]:
    from planoracle.instances.generate.measures import describe
    from planoracle.instances.problem import for_kind

    measures: dict[str, Callable[[Any], dict[str, Any]]] = {
        "schedule": lambda instance: describe(instance).row(),
        "kitchen": lambda kitchen: {"agents": len(kitchen.agents)},
        "floor": lambda floor: {"agents": len(floor.agents), "orders": len(floor.orders)},
    }
    return {"instance": problem.name, **for_kind(problem, measures)(problem)}
