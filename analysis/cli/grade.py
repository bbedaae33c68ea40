"""``planoracle grade``: verdicts on submitted plans."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.output import Format, FormatOption, Table, complain, track
from planoracle.analysis.cli.submissions import OriginalsOption, ProfileOption, SubmissionsArgument, opened

_COLUMNS = (
    "id",
    "instance",
    "success",
    "violation",
    "violation_index",
    "progress",
    "r_efficiency",
    "multitasking_score",
    "subtask_acc",
    "within_limit",
    "optimality",
    "failure",
    "cause",
    "makespan",
    "optimal_makespan",
    "reason",
)
_SUMMARY = (
    "model",
    "set",
    "submissions",
    "unscored",
    "missing",
    "success",
    "progress",
    "r_efficiency",
    "undefined",
    "multitasking_score",
)
_ASYNCTOOL = (
    "model",
    "set",
    "runs",
    "unscored",
    "missing",
    "func",
    "param",
    "char",
    "env",
    "acc",
    "task_char",
    "task_env",
    "overall",
    "streak",
    "streak_excess",
    "turns",
    "efficiency",
    "premature",
    "usable_idle",
)
_ROBOTOUILLE = (
    "model",
    "set",
    "runs",
    "unscored",
    "missing",
    "success",
    "unproved",
    "completed",
    "optimality",
    "repeated_share",
    "invalid_actions",
)
_TIMEARENA = ("model", "set", "runs", "unscored", "AS", "CS", "CR", "CT")


class Limit(StrEnum):
    """What the step limit of kitchens is taken from."""

    optimum = "optimum"
    published = "published"


def grade(
    submissions: SubmissionsArgument,
    form: FormatOption = Format.table,
    profile: ProfileOption = "paper",
    reference: Annotated[
        str | None, typer.Option(help="Plan that R-Efficiency compares with: heuristic or optimal.")
    ] = None,
    trace: Annotated[bool, typer.Option("--trace", help="Also write every minute of TimeArena runs (steps).")] = False,
    waits: Annotated[
        bool, typer.Option("--waits", help="Also price the waits of TimeArena runs against the optimum (slower).")
    ] = False,
    limit: Annotated[
        Limit, typer.Option(help="What 1.5 times of which is the step limit of kitchens: optimum or published.")
    ] = Limit.optimum,
    rest: Annotated[
        bool, typer.Option("--rest", help="Also solve for the steps left of failed runs in kitchens (slower).")
    ] = False,
    originals: OriginalsOption = None,
    rule: Annotated[
        list[str] | None, typer.Option(help="Set a single rule, e.g. --rule zero_duration=accepted.")
    ] = None,
) -> None:
    """Replay and grade plans; averages per model and set go to standard error.

    A line that cannot be judged is reported, written as unscored, and the rest is graded; the exit
    status is then 1.
    """
    from planoracle.analysis import statistics
    from planoracle.analysis.grade import Grader, grade_all
    from planoracle.analysis.profiles import BENCHMARKS, profiles
    from planoracle.analysis.submissions import read_submissions

    options = dict(_split(entry) for entry in rule or ())
    if reference is not None:
        options["reference"] = reference
    chosen = profiles(profile, options)
    grader = Grader(
        *(chosen[benchmark] for benchmark in BENCHMARKS),
        price_waits=waits,
        limit=limit.value,
        price_rest=rest,
        originals=originals,
    )
    table = Table(form, _COLUMNS)
    kept = []
    with opened(submissions) as stream:
        for result in grade_all(track(read_submissions(stream, str(submissions)), "grading"), grader):
            if not result.scored:
                complain(f"line {result.line}: {result.reason}")
            table.add(result.row(trace=trace))
            kept.append(result.without_details())
    table.close()
    stream_of_summaries = sys.stdout if form is Format.table else sys.stderr
    turns = statistics.summarize_asynctool(kept, f1=grader.asynctool_rules.f1)
    averages = statistics.summarize(kept, missing=grader.rules.missing)
    for title, columns, rows in (
        ("TimeArena", _TIMEARENA, statistics.summarize_timearena(kept)),
        ("AsyncTool", _ASYNCTOOL, turns),
        ("Robotouille", _ROBOTOUILLE, statistics.summarize_robotouille(kept)),
        ("averages", _SUMMARY, averages),
    ):
        if rows:
            summary = Table(Format.table, columns, title, stream_of_summaries)
            summary.rows += rows
            summary.close()
    for row in turns:
        _name_causes(row)
    for row in averages:
        if row["missing_names"]:
            _name_missing(row, grader.rules.missing)
    raise typer.Exit(0 if all(result.scored for result in kept) else 1)


def _split(entry: str) -> tuple[str, str]:
    name, equals, value = entry.partition("=")
    if not equals:
        raise typer.BadParameter(f"must be name=value, not {entry!r}", param_hint="--rule")
    return name, value


def _name_causes(row: dict[str, Any]) -> None:
    if row["causes"]:
        said = ", ".join(f"{cause.replace('_', ' ')} {count}" for cause, count in row["causes"].items())
        model = f" of {row['model']}" if row["model"] else ""
        print(f"note: failed sub-tasks{model} in {row['set'] or 'no set'}: {said}", file=sys.stderr)


def _name_missing(row: dict[str, Any], missing: str) -> None:
    names = [name.rpartition("/")[2] for name in row["missing_names"]]
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    model = f" of {row['model']}" if row["model"] else ""
    counted = "count as failed" if missing == "failed" else "are left out"
    print(f"note: no plan{model} for {', '.join(names[:5])}{more} in {row['set']}; these {counted}", file=sys.stderr)
