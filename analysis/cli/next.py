"""``planoracle next``: the commands that keep the best makespan reachable."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.column_names import check_columns
from planoracle.analysis.cli.options import LimitOption, NameArgument, note_problem, single_problem, without_none
from planoracle.analysis.cli.output import Format, FormatOption, write_table
from planoracle.analysis.cli.progress import track
from planoracle.analysis.cli.submissions import ProfileOption
from planoracle.analysis.console import say_json, tell
from planoracle.analysis.diagnosis.regret import Advice, next_commands
from planoracle.analysis.grading.rule_options import profiles
from planoracle.instances.files.strict_json import read_bytes, read_stream
from planoracle.instances.workers.pool import each_in_worker

_COLUMNS = ("command", "cost", "best", "kind", "status", "shortest", "longest")


def next_(
    name: NameArgument,
    after: Annotated[
        Path | None,
        typer.Option(
            "--after",
            "-a",
            help="Text file with the commands executed so far (- for standard input). Default: none.",
            metavar="FILE",
        ),
    ] = None,
    all_commands: Annotated[
        bool,
        typer.Option(
            "--all", help="List all legal commands, not only optimal ones; their times are multiples of the grid."
        ),
    ] = False,
    clock: Annotated[
        int | None, typer.Option(help="Current time in ticks, if it is later than the last command.", metavar="TICKS")
    ] = None,
    profile: ProfileOption = "paper",
    time_limit: LimitOption = None,
    form: FormatOption = Format.table,
) -> None:
    """List the next commands that keep the best makespan reachable, and the best completion.

    The cost of a command, in ticks, is the increase in the best reachable makespan; time limits of the rules are
    ignored. The durations of waits and of pieces of interruptible actions are multiples of the grid: the greatest
    common divisor of all times in problem and plan, or a finer grid if interruptions need it. The formats json and
    jsonl also contain the grid, and the best completion as a plan.

    Exit status: 1 if the best makespan is unknown.

    Examples
    --------
    planoracle next timearena/household1
    planoracle next timearena/household1 --after plan.txt --all
    """
    check_columns("next")
    text = None
    if after is not None:
        raw = read_stream(sys.stdin.buffer, "-") if str(after) == "-" else read_bytes(after)
        text = raw.decode("utf-8", errors="replace")
    options = {"all_commands": all_commands, "clock": clock, **without_none(seconds=time_limit)}
    answers = each_in_worker(_advice, name, text, profile, options)
    (advice,) = track(answers, "searching", 1, lambda: name)
    if form in (Format.json, Format.jsonl):
        say_json(advice.as_dict() | {"method": "next"}, indent=1 if form is Format.json else None)
    else:
        commands = advice.as_dict()["options"]
        if form is Format.csv or commands:
            write_table(form, _COLUMNS, commands)
    note_problem(advice.instance)
    best = "none" if advice.best is None else f"{advice.best} {advice.unit}s"
    over = "" if advice.over is None else f"; the run is over: {advice.over}"
    tell(f"{advice.instance}: best reachable makespan: {best} ({advice.status}){over}")
    raise typer.Exit(0 if advice.status.settled else 1)


def _advice(name: str, text: str | None, profile: str, options: dict[str, Any]) -> Iterator[Advice]:
    problem = single_problem(name)
    yield next_commands(problem, text, profiles(profile)[problem.benchmark], **options)
