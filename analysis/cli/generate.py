"""``planoracle generate``: random problems."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.column_names import check_columns
from planoracle.analysis.cli.output import Format, FormatOption, Table, new_file
from planoracle.analysis.cli.progress import track
from planoracle.analysis.console import complain, say, tell
from planoracle.instances.errors import InputError
from planoracle.instances.files.catalog import names_problem
from planoracle.instances.generate.parameters import Parameters
from planoracle.instances.generate.styles import compose, draw
from planoracle.instances.generate.styles import style as style_of
from planoracle.instances.protocol import registry
from planoracle.instances.text import to_json
from planoracle.solver.kinds.registry import kind_of

_COLUMNS = (
    "instance",
    "tasks",
    "actions",
    "agents",
    "order_strength",
    "parallelism",
    "interruptible",
    "windows",
    "resource_factor",
    "resource_strength",
    "features",
    "file",
)
# Draws for each combination of tasks, of which some come twice.
_TRIES = 100


def _parameter(text: str, metavar: str = "N") -> Any:
    panel = "Parameters of problems (the benchmark determines available parameters and defaults)"
    return typer.Option(help=text, metavar=metavar, rich_help_panel=panel)


def generate(
    context: typer.Context,
    style: Annotated[
        str,
        typer.Argument(
            help="Benchmark that the problems resemble, or generic for scheduling problems without one.",
            metavar="BENCHMARK",
        ),
    ],
    count: Annotated[int, typer.Option(help="Number of problems.", metavar="N", min=1, max=1_000_000)] = 10,
    seed: Annotated[int, typer.Option(help="Random seed.", metavar="SEED", min=0)] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for one file per problem. Default: standard output, one problem per line.", metavar="DIR"
        ),
    ] = None,
    combine: Annotated[
        bool, typer.Option("--combine", help="Combine existing tasks of the benchmark instead of generating new ones.")
    ] = False,
    kind: Annotated[
        str | None,
        typer.Option(
            help="With --combine: cross (tasks of different families or scenarios) or similar (of one).",
            metavar="KIND",
        ),
    ] = None,
    variant: Annotated[
        str | None,
        typer.Option(
            help="With --combine: delay of results, in turns, as after @ in names of problems: 1, 0-1 or 1-2:7.",
            metavar="VARIANT",
        ),
    ] = None,
    allow_infeasible: Annotated[
        bool, typer.Option("--allow-infeasible", "--any", help="Also generate infeasible problems.")
    ] = False,
    form: FormatOption = Format.table,
    tasks: Annotated[int | None, _parameter("Number of tasks.")] = None,
    actions: Annotated[int | None, _parameter("Number of actions per task.")] = None,
    order_strength: Annotated[
        float | None, _parameter("Share of the pairs of actions of a task that are ordered, 0 to 1.", "SHARE")
    ] = None,
    parallelism: Annotated[
        float | None, _parameter("Share of the actions that continue without an agent.", "SHARE")
    ] = None,
    attended: Annotated[
        int | None, _parameter("Ticks for which such an action occupies its agent at the start.")
    ] = None,
    interruptible: Annotated[
        float | None, _parameter("Share of the fully attended actions that are interruptible.", "SHARE")
    ] = None,
    windows: Annotated[float | None, _parameter("Share of the precedences with a maximum lag.", "SHARE")] = None,
    tightness: Annotated[
        float | None, _parameter("Tightness of maximum lags, 0 to 1; 1: all lags are 0.", "SHARE")
    ] = None,
    resources: Annotated[int | None, _parameter("Number of resources.")] = None,
    resource_factor: Annotated[
        float | None, _parameter("Mean share of the resources that an action uses.", "SHARE")
    ] = None,
    resource_strength: Annotated[
        float | None, _parameter("Capacity of resources, from 0 (largest single demand) to 1 (never scarce).", "SHARE")
    ] = None,
    agents: Annotated[int | None, _parameter("Number of agents.")] = None,
    eligibility: Annotated[
        float | None, _parameter("Share of the agents that are eligible for an action.", "SHARE")
    ] = None,
    shortest: Annotated[
        int | None, _parameter("Minimum duration in ticks; of tool calls: minimum delay in turns.")
    ] = None,
    longest: Annotated[
        int | None, _parameter("Maximum duration in ticks; of tool calls: maximum delay in turns.")
    ] = None,
    modes: Annotated[
        int | None, _parameter("Number of resources among which an action chooses, with a duration for each.")
    ] = None,
    families: Annotated[
        int | None, _parameter("Number of families of actions, between which resources need set-up times.")
    ] = None,
    off_time: Annotated[
        float | None, _parameter("Share of the time for which each agent is off, less than 1.", "SHARE")
    ] = None,
    breaks: Annotated[
        float | None, _parameter("Share of the actions that pause while their agent is off.", "SHARE")
    ] = None,
    budgets: Annotated[int | None, _parameter("Number of budgets that actions use up.")] = None,
    deadlines: Annotated[float | None, _parameter("Share of the tasks with a deadline.", "SHARE")] = None,
    optional: Annotated[float | None, _parameter("Share of the tasks that may be left out.", "SHARE")] = None,
) -> None:
    """Generate random problems; the same seed, parameters and version give the same problems.

    With --out, the problems are written to files, and standard output has a table with their properties.

    Exit status: 1 if fewer than --count different problems exist.

    Examples
    --------
    planoracle generate generic --count 3 --agents 2 --out problems
    planoracle generate generic --agents 2 --modes 2 --off-time 0.4 --breaks 0.5 --optional 0.3 --out shops
    planoracle generate timearena --combine --kind similar --tasks 3 --count 30
    """
    check_columns("generate")
    values = {name: context.params.get(name) for name in Parameters.__dataclass_fields__}
    parameters = {name: value for name, value in values.items() if value is not None}
    if allow_infeasible:
        parameters["feasible"] = False
    benchmark = registry.find(style, former=True)
    if benchmark is not None and benchmark.name != style:
        tell(f"{style} has been renamed to {benchmark.name}", "note")
        style = benchmark.name
    if out is not None:
        _folder(out)
    generator = style_of(style)
    by_kind = generator.combine is None or kind is not None or variant is not None
    composed = combine and generator.compose is not None and by_kind
    if not composed and (kind is not None or variant is not None):
        message = "need --combine, and a benchmark with kinds of combinations"
        raise typer.BadParameter(message, param_hint="--kind, --variant")
    tries = count * _TRIES if combine and not composed else count
    if composed:
        draws = compose(style, seed, count=count, kind=kind, variant=variant, **parameters)
    else:
        draws = draw(style, seed, tries=tries, combine=combine, **parameters)
    table, written = Table(form, _COLUMNS), 0
    for generated in islice(track(draws, "drawing", tries), count):
        written += 1
        file = None if out is None else out / f"{style}-{seed}-{generated.number}.json"
        _write(generated.problem, file)
        if file is not None:
            table.add(_description(generated.problem) | {"file": str(file)})
    if out is not None:
        table.close()
    if written < count:
        complain(f"only {written} of {count} problems were generated in {tries} draws")
    raise typer.Exit(int(written < count))


def _folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        message = f"cannot be created as a folder: {getattr(error, 'strerror', error)}"
        raise InputError(message, source=str(path)) from None


def _write(problem: Any, file: Path | None) -> None:
    """Write a problem to a file, or to standard output: its name, if it can be loaded by that."""
    if file is None and names_problem(problem.name):
        say(problem.name)
        return
    document = registry.of(problem).document(problem)
    if file is None:
        say(to_json(document))
        return
    text = to_json(document, indent=1) + "\n"
    if file.is_symlink() or (file.is_file() and file.read_bytes() != text.encode()):
        raise InputError("exists with other content; choose another folder", source=str(file))
    with new_file(file) as stream:
        stream.write(text)


def _description(problem: Any) -> dict[str, Any]:
    kind = kind_of(problem)
    features = kind.features(problem)
    names = {"features": ", ".join(features)} if features else {}
    return {"instance": problem.name, **kind.description(problem), **names}
