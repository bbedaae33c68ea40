"""``planoracle report``: HTML report of graded plans."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.output import check_outputs, new_file
from planoracle.analysis.cli.progress import bars, stoppable
from planoracle.analysis.cli.submissions import (
    SUBMISSION_LIMITS,
    ProfileOption,
    RuleOption,
    SubmissionSource,
    chosen_rules,
    report_failure,
)
from planoracle.analysis.console import complain, tell
from planoracle.analysis.intake.submissions import Entries
from planoracle.analysis.report.build import Report, build, date_of
from planoracle.analysis.report.work import entries_of
from planoracle.instances.errors import InputError
from planoracle.instances.workers.worker import TaskLimits


def report(
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.", metavar="FILE")],
    profile: ProfileOption = "paper",
    title: Annotated[str, typer.Option(help="Heading of the page.", metavar="TEXT")] = "Plans against the optimum",
    date: Annotated[
        str | None,
        typer.Option(
            help="Date of the submissions: 2026-11-22. Default: SOURCE_DATE_EPOCH, else the last change of the files.",
            metavar="YYYY-MM-DD",
        ),
    ] = None,
    regret_seconds: Annotated[
        float | None,
        typer.Option(
            help="Total solver work for regrets, in seconds of an idle core; 0: no regrets. Default: 25.",
            metavar="SECONDS",
            min=0.0,
        ),
    ] = None,
    *,
    source: SubmissionSource,
    rule: RuleOption = None,
    limits: TaskLimits = SUBMISSION_LIMITS,
) -> None:
    """Write an HTML page with a leaderboard, and each plan drawn above the optimum.

    The page is a single file and needs no network. Grades written by planoracle grade (json or jsonl) are accepted in
    place of submissions.

    Exit status: 1 if a submission cannot be read or graded; it is reported, and listed on the page.

    Examples
    --------
    planoracle report plans.jsonl -o report.html
    planoracle report grades.jsonl -o report.html --title 'Two models'
    """
    check_outputs(output)
    origin = origin_of(source.paths, date)
    intake = source.open()
    page = write_page(
        intake,
        output,
        title=title,
        **origin,
        profile=profile,
        rules=chosen_rules(rule or ()),
        problems=intake.problems,
        places=source.places,
        regret_seconds=regret_seconds,
        limits=limits,
    )
    for place, reason in page.unscored:
        report_failure(place, reason)
    for message in page.notes:
        tell(message, "note")
    for message in page.warnings:
        tell(message, "warning")
    raise typer.Exit(1 if page.unscored else 0)


def origin_of(paths: Sequence[Path], date: str | None = None) -> dict[str, str | None]:
    """Return the date and name of the input as options of `write_page`.

    They are ``date`` or the date of the newest file, and the name of a single file.

    Exits with status 2 for a text that is no date.
    """
    try:
        days = [date_of(path, date) for path in paths]
    except InputError as error:
        complain(error)
        raise typer.Exit(2) from None
    is_single_file = len(paths) == 1 and paths[0].is_file()
    return {"day": max(filter(None, days), default=None), "source": paths[0].name if is_single_file else None}


def write_page(entries: Entries, output: Path, **options: Any) -> Report:
    """Write the report of submissions and grades; exits if the file cannot be written.

    ``options`` are those of `planoracle.analysis.report.build.build`.
    """
    with stoppable(), _progress() as on_progress:
        page = build(entries_of(entries), on_progress=on_progress, **options)
    with stoppable(), new_file(output) as stream:
        stream.write(page.html)
    return page


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """Draw a progress bar on standard error if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda label, done, total: None
        return
    with bars() as progress:
        tasks: dict[str, Any] = {}

        def on_progress(label: str, done: int, total: int) -> None:
            if label not in tasks:
                tasks[label] = progress.add_task(label, total=total)
            progress.update(tasks[label], completed=done)

        yield on_progress
