"""``planoracle grade``: verdicts on submitted plans."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import closing
from enum import StrEnum
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from planoracle.analysis.cli.batching import ClusterOption, JobsOption, RunOption, lines_in, workshop
from planoracle.analysis.cli.output import Format, FormatOption, Table, complain, track
from planoracle.analysis.cli.submissions import OriginalsOption, ProfileOption, SubmissionsArgument, opened
from planoracle.analysis.spoken import tell
from planoracle.instances.visible import to_json

if TYPE_CHECKING:
    from planoracle.analysis.batch.grading import Submissions
    from planoracle.analysis.batch.pipeline import Item
    from planoracle.analysis.statistics import Averages

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
    jobs: JobsOption = None,
    run: RunOption = None,
    cluster: ClusterOption = None,
    cache: Annotated[bool, typer.Option(help="Keep proved optima for later, in the user's cache folder.")] = True,
) -> None:
    """Replay and grade plans; averages per model and set go to standard error.

    A line that cannot be judged is reported, written as unscored, and the rest is graded; the exit
    status is then 1. Ctrl-C ends with 130; with --run DIR the same command then goes on where it was.
    """
    from planoracle.analysis.batch.grading import Grading, Sound, Submissions
    from planoracle.analysis.batch.pipeline import answered
    from planoracle.analysis.grade import Grade
    from planoracle.analysis.statistics import Averages

    options = dict(_split(entry) for entry in rule or ())
    if reference is not None:
        options["reference"] = reference
    work = Grading(profile, tuple(sorted(options.items())), trace, waits, limit.value, rest, cache)
    grader = work.grader()
    averages = Averages(missing=grader.rules.missing, f1=grader.asynctool_rules.f1)
    table = Table(form, _COLUMNS)
    failed = False
    with opened(submissions) as stream, workshop(work, jobs, run, cluster) as (pool, ledger):
        making = Submissions(work, originals, keyed=ledger is not None)
        # The bar is closed before anything is said of an end before time.
        with closing(track(_items(stream, str(submissions), making), "grading", lines_in(stream))) as items:
            for item, answer in answered(items, pool, ledger, Sound()):
                assert answer.row is not None
                found = Grade.of_row(json.loads(answer.row), line=item.about)
                if not found.scored:
                    complain(f"line {found.line}: {found.reason}")
                    failed = True
                table.add(found.row(trace=trace))
                averages.add(found)
        table.close()
    _summarize(averages, sys.stdout if form is Format.table else sys.stderr)
    raise typer.Exit(1 if failed else 0)


def _items(stream: IO[bytes], source: str, making: Submissions) -> Iterator[Item]:
    """Yield an item for every line; what cannot be read is answered at once."""
    from planoracle.analysis.batch.pipeline import Item
    from planoracle.analysis.batch.work import Answer
    from planoracle.analysis.submissions import read_submissions
    from planoracle.instances.errors import InputError

    for line, entry in read_submissions(stream, source):
        try:
            if isinstance(entry, InputError):
                raise entry
            yield making.item(line, entry)
        except InputError as error:
            row = {"id": None, "instance": None, "scored": False, "reason": str(error)}
            yield Item(f"line {line}", line, answer=Answer(to_json(row)))


def _summarize(averages: Averages, stream: IO[str]) -> None:
    turns, plain = averages.asynctool(), averages.plain()
    for title, columns, rows in (
        ("TimeArena", _TIMEARENA, averages.timearena()),
        ("AsyncTool", _ASYNCTOOL, turns),
        ("Robotouille", _ROBOTOUILLE, averages.robotouille()),
        ("averages", _SUMMARY, plain),
    ):
        if rows:
            summary = Table(Format.table, columns, title, stream)
            summary.rows += rows
            summary.close()
    for row in turns:
        _name_causes(row)
    for row in plain:
        if row["missing_names"]:
            _name_missing(row, averages.missing)


def _split(entry: str) -> tuple[str, str]:
    name, equals, value = entry.partition("=")
    if not equals:
        raise typer.BadParameter(f"must be name=value, not {entry!r}", param_hint="--rule")
    return name, value


def _name_causes(row: dict[str, Any]) -> None:
    if row["causes"]:
        said = ", ".join(f"{cause.replace('_', ' ')} {count}" for cause, count in row["causes"].items())
        model = f" of {row['model']}" if row["model"] else ""
        tell(f"failed sub-tasks{model} in {row['set'] or 'no set'}: {said}", "note")


def _name_missing(row: dict[str, Any], missing: str) -> None:
    names = [name.rpartition("/")[2] for name in row["missing_names"]]
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    model = f" of {row['model']}" if row["model"] else ""
    counted = "count as failed" if missing == "failed" else "are left out"
    tell(f"no plan{model} for {', '.join(names[:5])}{more} in {row['set']}; these {counted}", "note")
