"""``planoracle grade``: verdicts on submitted plans."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planoracle.analysis.cli.batching import ClusterOption, JobsOption, RunOption, workshop
from planoracle.analysis.cli.common import Notes
from planoracle.analysis.cli.limiting import MEMORY, SECONDS, MemoryOption, OwnLimitsOption, SecondsOption, limits_of
from planoracle.analysis.cli.output import PEOPLE, Format, FormatOption, Table, track
from planoracle.analysis.cli.paths import chosen_places
from planoracle.analysis.cli.report import newest, write_page
from planoracle.analysis.cli.submissions import (
    MapOption,
    ModelOption,
    PatternOption,
    ProblemsOption,
    ProfileOption,
    RuleOption,
    SubmissionsArgument,
    blamed,
    chosen_rules,
    counted,
    found_problems,
    named_problems,
    opened,
)
from planoracle.analysis.cli.summaries import format_of, show, write
from planoracle.analysis.spoken import tell
from planoracle.instances import registry
from planoracle.instances.visible import to_json

if TYPE_CHECKING:
    from planoracle.analysis.batch.grading import Submissions
    from planoracle.analysis.batch.work import Item
    from planoracle.analysis.submissions import Intake, Place

# Of the rows of grades, before and after the metrics that benchmarks want to be shown.
_TRACE = "Also write every step of a run (steps, trace) and how things stand at its end (final)."
_FIRST = ("id", "instance", "success", "violation", "violation_index", "progress", "main_score")
_LAST = ("makespan", "optimal_makespan", "reason")


def grade(
    submissions: SubmissionsArgument,
    form: FormatOption = Format.table,
    profile: ProfileOption = "paper",
    trace: Annotated[bool, typer.Option("--trace", help=_TRACE)] = False,
    pattern: PatternOption = None,
    columns: MapOption = None,
    model: ModelOption = None,
    problems: ProblemsOption = None,
    rule: RuleOption = None,
    reference: Annotated[str | None, typer.Option(hidden=True)] = None,
    waits: Annotated[bool, typer.Option("--waits", hidden=True)] = False,
    limit: Annotated[str | None, typer.Option(hidden=True)] = None,
    rest: Annotated[bool, typer.Option("--rest", hidden=True)] = False,
    jobs: JobsOption = None,
    run: RunOption = None,
    summary: Annotated[
        Path | None,
        typer.Option(help="Also write the averages to a file: .csv, .json, .jsonl, .md, .tex or .txt.", dir_okay=False),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option("--report", help="Also write the page of planoracle report, an HTML file.", dir_okay=False),
    ] = None,
    line_seconds: SecondsOption = SECONDS,
    line_memory: MemoryOption = MEMORY,
    own_limits: OwnLimitsOption = True,
    cluster: ClusterOption = None,
    cache: Annotated[bool, typer.Option(help="Keep certified optima, and plans, in the user's cache folder.")] = True,
) -> None:
    """Replay and grade plans; averages per model, and per model and set, go to standard error.

    A line that cannot be judged is reported, written as unscored, and the rest is graded; the exit
    status is then 1. Ctrl-C ends with 130; with --run DIR the same command then goes on where it was.
    """
    from planoracle.analysis.batch.grading import Grading, Submissions
    from planoracle.analysis.batch.pipeline import answered
    from planoracle.analysis.grade import Grade
    from planoracle.analysis.graded import is_grade_row
    from planoracle.analysis.statistics import GradeRows
    from planoracle.analysis.strangers import Strangers

    format_of(summary)  # before anything is worked out
    former = {"reference": reference, "price_waits": waits, "limit": limit, "price_rest": rest}
    options = chosen_rules([*(rule or ()), *(f"{name}={value}" for name, value in former.items() if value)])
    limits = limits_of(line_seconds, line_memory)
    work = Grading(profile, tuple(sorted(options.items())), trace, cache, limits, own_limits)
    averages = GradeRows(work.grader().rules)
    if page is not None and not page.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {page.parent}", param_hint="--report")
    day = None if page is None else newest(submissions)
    kept: list[tuple[Place, object]] | None = None if page is None else []
    table, notes, strangers = Table(form, _columns(), least=_least()), Notes(), Strangers()
    failed = False
    intake = opened(submissions, pattern, columns, model)
    with workshop(work, jobs, run, cluster, intake.count) as (pool, journal):
        making = Submissions(work, found_problems(problems), keyed=journal is not None)
        # The bar is closed before anything is said of an end before time.
        items = answered(items_of(_keeping(intake, kept), making), pool, journal, is_grade_row)
        with closing(track(items, "grading", counted(intake))) as told:
            for item, answer in told:
                assert answer.row is not None
                found = Grade.of_row(json.loads(answer.row), **item.about._asdict())
                if not found.scored:
                    blamed(item.about, found.reason)
                    failed = True
                row = found.row(trace=trace)
                if form in PEOPLE:
                    # How soon a plan failed looks like a good makespan in a table; data says it.
                    row |= {"progress": found.progress, "makespan": found.makespan if found.success else None}
                table.add(row)
                averages.add(found)
                notes.add(found.instance)
                strangers.add(found)
        if len({row.get("model") for row in table.rows}) > 1:
            table.columns = ["id", "model", *table.columns[1:]]
        if all(str(row.get("id")).startswith(f"{row.get('instance')}#") for row in table.rows):
            table.least = ["instance", *table.least]  # which is in the id
        table.close()
    if summary is not None:
        write(averages, summary)
    show(averages, form, sys.stdout) if form in PEOPLE else show(averages, Format.table, sys.stderr)
    notes.close()
    for said in strangers.warnings():
        tell(said, "warning")
    if page is not None and kept is not None:
        named = named_problems(problems)
        places = chosen_places(problems)
        shown = {"profile": profile, "rules": options, "problems": named, "places": places, "limits": work.limits}
        write_page(kept, page, intake, day=day, **shown)
    raise typer.Exit(1 if failed else 0)


def _keeping(entries: Intake, kept: list[tuple[Place, object]] | None) -> Iterator[tuple[Place, object]]:
    """Yield entries, and keep them if there is where."""
    for entry in entries:
        if kept is not None:
            kept.append(entry)
        yield entry


def items_of(entries: Iterable[tuple[Place, object]], making: Submissions) -> Iterator[Item]:
    """Yield an item for every submission; what cannot be read is answered at once."""
    from planoracle.analysis.batch.work import Answer, Item
    from planoracle.analysis.grade import Grader
    from planoracle.analysis.submissions import EntryError, is_grade
    from planoracle.instances.errors import InputError

    for place, entry in entries:
        try:
            if isinstance(entry, InputError):
                raise entry
            if is_grade(entry):
                reason = InputError("is a grade, and grades hold no plans; report and compare read these")
                raise EntryError(reason, entry)
            yield making.item(place, entry)
        except InputError as error:
            about = error.about if isinstance(error, EntryError) else None
            yield Item(str(place), place, answer=Answer(to_json(Grader().unscored(about, error).row())))


def _columns() -> list[str]:
    shown = [column.name for name in registry.names() for column in registry.get(name).columns if column.shown]
    return [*_FIRST, *dict.fromkeys(shown), *_LAST]


def _least() -> list[str]:
    """Return what a narrow terminal has no room for, the least important first."""
    found = {column.name: column.importance for name in registry.names() for column in registry.get(name).columns}
    shown = sorted((name for name in _columns() if name in found), key=lambda name: found[name])
    return ["violation_index", *shown, "progress", "optimal_makespan", "makespan", "reason"]
