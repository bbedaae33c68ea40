"""``planoracle grade``: verdicts on submitted plans."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from planoracle.analysis.cli.batching import ClusterOption, JobsOption, RunOption, lines_in, workshop
from planoracle.analysis.cli.output import Format, FormatOption, Table, complain, track
from planoracle.analysis.cli.submissions import (
    DataOption,
    OriginalsOption,
    ProfileOption,
    RuleOption,
    SubmissionsArgument,
    chosen_rules,
    folders,
    opened,
)
from planoracle.analysis.spoken import tell
from planoracle.instances import registry
from planoracle.instances.visible import to_json

if TYPE_CHECKING:
    from planoracle.analysis.batch.grading import Submissions
    from planoracle.analysis.batch.work import Item
    from planoracle.analysis.statistics import Averages
    from planoracle.instances.scoring import Average

# Of the rows of grades, before and after the metrics that benchmarks want to be shown.
_FIRST = ("id", "instance", "success", "violation", "violation_index", "progress", "main_score")
_LAST = ("makespan", "optimal_makespan", "reason")


def grade(
    submissions: SubmissionsArgument,
    form: FormatOption = Format.table,
    profile: ProfileOption = "paper",
    trace: Annotated[bool, typer.Option("--trace", help="Also write every step of a run (steps).")] = False,
    data: DataOption = None,
    originals: OriginalsOption = None,
    rule: RuleOption = None,
    reference: Annotated[str | None, typer.Option(hidden=True)] = None,
    waits: Annotated[bool, typer.Option("--waits", hidden=True)] = False,
    limit: Annotated[str | None, typer.Option(hidden=True)] = None,
    rest: Annotated[bool, typer.Option("--rest", hidden=True)] = False,
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

    former = {"reference": reference, "price_waits": waits, "limit": limit, "price_rest": rest}
    options = chosen_rules([*(rule or ()), *(f"{name}={value}" for name, value in former.items() if value)])
    work = Grading(profile, tuple(sorted(options.items())), trace, cache)
    averages = Averages(work.grader().rules)
    table = Table(form, _columns())
    failed = False
    with opened(submissions) as stream, workshop(work, jobs, run, cluster) as (pool, journal):
        making = Submissions(work, folders(data, originals), keyed=journal is not None)
        # The bar is closed before anything is said of an end before time.
        with closing(track(_items(stream, str(submissions), making), "grading", lines_in(stream))) as items:
            for item, answer in answered(items, pool, journal, Sound()):
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
    from planoracle.analysis.batch.work import Answer, Item
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


def _columns() -> list[str]:
    shown = [column.name for name in registry.names() for column in registry.get(name).columns if column.shown]
    return [*_FIRST, *dict.fromkeys(shown), *_LAST]


def _summarize(averages: Averages, stream: IO[str]) -> None:
    for name in averages.benchmarks:
        figures = averages.averages(name)
        columns = [one.name for one in figures if one.shown and not one.tally]
        benchmark = registry.find(name)
        summary = Table(
            Format.table,
            ["model", "set", "submissions", "unscored", "missing", *columns],
            f"{benchmark.title if benchmark else name or 'no known problem'}: averages",
            stream,
        )
        summary.rows += averages.rows(name)
        summary.close()
        for row in summary.rows:
            for tally in (one for one in figures if one.tally and row[one.name]):
                _name_tally(tally, row)
            if row["missing_names"]:
                _name_missing(row, counted=any(one.absent is not None for one in figures))


def _name_tally(tally: Average, row: dict[str, Any]) -> None:
    said = ", ".join(f"{str(name).replace('_', ' ')} {count}" for name, count in row[tally.name].items())
    model = f" of {row['model']}" if row["model"] else ""
    tell(f"{tally.meaning}{model} in {row['set'] or 'no set'}: {said}", "note")


def _name_missing(row: dict[str, Any], *, counted: bool) -> None:
    names = [name.rpartition("/")[2] for name in row["missing_names"]]
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    model = f" of {row['model']}" if row["model"] else ""
    how = "count as failed" if counted else "are left out"
    tell(f"no plan{model} for {', '.join(names[:5])}{more} in {row['set']}; these {how}", "note")
