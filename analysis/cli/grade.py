"""``planoracle grade``: grades of plans, summaries of grades, and submissions as JSON lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from contextlib import closing, nullcontext
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NoReturn

import typer

from planoracle.analysis.batch.submission_tasks import Grading, Submissions
from planoracle.analysis.batch.tasks import ResultRow, answer_items
from planoracle.analysis.cli.column_names import check_columns
from planoracle.analysis.cli.options import note_problem, with_figure_options
from planoracle.analysis.cli.output import (
    PEOPLE,
    Format,
    FormatOption,
    Table,
    check_outputs,
    current_view,
    new_file,
)
from planoracle.analysis.cli.plots import PlotAxes, show_plot
from planoracle.analysis.cli.progress import ClusterOption, JobsOption, RunOption, stoppable, track, workshop
from planoracle.analysis.cli.report import origin_of, write_page
from planoracle.analysis.cli.submissions import (
    SUBMISSION_LIMITS,
    OwnLimitsOption,
    ProfileOption,
    RuleOption,
    SubmissionSource,
    chosen_rules,
    count_for_bar,
    report_failure,
)
from planoracle.analysis.cli.summaries import COMMON_TABLES, format_of, show, show_groups, table_names, write
from planoracle.analysis.console import clear, tell
from planoracle.analysis.grading.grade_row import grade_of, is_grade_row
from planoracle.analysis.grading.grader import Grade, Grader, MismatchCounter
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.intake.path_names import EntryError, SourceLine
from planoracle.analysis.intake.record_fields import is_grade, normalise
from planoracle.analysis.intake.submissions import Intake
from planoracle.analysis.statistics.grade_columns import GradeRows
from planoracle.analysis.statistics.groupings import groupings
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.protocol import registry
from planoracle.instances.text import one_of, to_json
from planoracle.instances.workers.pool import TaskFailure
from planoracle.instances.workers.worker import TaskLimits

# Entries that are looked at to tell a file of grades from one of submissions.
_HEAD = 100
# Columns before and after the metrics that each benchmark shows.
_FIRST = ("id", "success", "failure_cause", "instance", "main_score", "progress", "violation_index")
_LAST = ("makespan", "optimal_makespan", "reason")


@with_figure_options
def grade(
    form: FormatOption = Format.table,
    profile: ProfileOption = "paper",
    trace: Annotated[
        bool,
        typer.Option(
            "--trace", help="Also write each step (fields steps and trace) and the final state (field final)."
        ),
    ] = False,
    *,
    source: SubmissionSource,
    rule: RuleOption = None,
    jobs: JobsOption = None,
    run: RunOption = None,
    summary: Annotated[
        Path | None,
        typer.Option(
            help="Also write the averages to this file: .csv, .json, .jsonl, .md, .tex or .txt.",
            metavar="FILE",
        ),
    ] = None,
    table_name: Annotated[
        str | None,
        typer.Option(
            "--table",
            help="Write only this table of averages: models, sets, pairs, causes, or a table of a benchmark (beliefs); "
            "with --by groups or quartiles. Default: all tables; for csv models, or groups.",
            metavar="NAME",
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            help="Write only averages by task, size or delay, or by the values of a metric (prioritised); or the "
            "number of runs by cause of failure (cause) or by bins of a metric (optimality). Each benchmark supports "
            "some of these groups.",
            metavar="GROUP",
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(
            help="Write only two columns per model, and draw them with --output: two averages (overall,streak), or the "
            "progress over time (time,progress; grades need --trace).",
            metavar="X,Y",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="PNG, SVG or PDF file for the figure of --by or --plot.", metavar="FILE"),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option("--report", help="Also write the HTML page of planoracle report.", metavar="FILE"),
    ] = None,
    collect: Annotated[
        Path | None,
        typer.Option(
            help="Write the submissions to this file as JSON lines (- for standard output), without grading.",
            metavar="FILE",
        ),
    ] = None,
    limits: TaskLimits = SUBMISSION_LIMITS,
    own_limits: OwnLimitsOption = True,
    cluster: ClusterOption = None,
    cache: Annotated[bool, typer.Option(help="Store certified optima and plans in the user's cache folder.")] = True,
) -> None:
    """Replay and grade plans, or summarize files of grades.

    The output has one row per plan, then averages per model, and per model and set. With the formats json, jsonl and
    csv the averages go to standard error.

    Files written by planoracle grade (json or jsonl) are summarized instead: one row per model over all sets (level
    model), then one row per model and set (level set). Means are taken over the samples of a problem, then over the
    answered problems, then over sets; (n of m) follows a mean over n of m problems. csv has one table, chosen by
    --table; with --columns the formats table, markdown and latex show the first one only.

    Exit status: 1 if a submission cannot be read or graded; it is reported, and written as unscored. Ctrl-C exits with
    130; the same command resumes if it has --run DIR.

    Examples
    --------
    planoracle grade plans.jsonl
    planoracle grade plans.jsonl --summary pairs.csv --table pairs
    planoracle grade grades.jsonl --by cause
    """
    format_of(summary)  # raises for an unknown format before plans are graded
    view = _view(by, plot, output, table_name)
    check_outputs(summary, output, page, collect)
    intake = source.open()
    if collect is not None:
        _collect(intake, collect)
    options = chosen_rules(rule or ())
    entries, first = _peek(intake)
    if view.plot is not None:
        check_columns("grade-plot", more=view.plot)
    elif by is not None or table_name in (None, *COMMON_TABLES):
        # The columns of a benchmark's own table are unknown before its rows.
        check_columns("grade-summary" if by is not None or is_grade(first) else "grade")
    if is_grade(first):
        if page is not None:
            message = "needs submissions, but the input has grades; use planoracle report"
            raise typer.BadParameter(message, param_hint="--report")
        _summarize(entries, profile, options, form, summary, view)
    rules, problems = tuple(sorted(options.items())), tuple(intake.problems.items())
    is_detailed = trace or view.plot is not None
    work = Grading(profile, rules, is_detailed, cache, limits, own_limits, problems, source.places)
    averages = GradeRows(work.rules_by_benchmark, view.values)
    origin: dict[str, Any] = {}
    if page is not None:
        origin = origin_of(source.paths)
        entries = list(entries)  # the page needs the submissions again
    # JSON has the keys of the rows; columns of tables are those of all benchmarks.
    columns = [] if form in (Format.json, Format.jsonl) else _columns()
    table, mismatches = Table(form, columns), MismatchCounter()
    failed = False

    def is_row(row: Any) -> bool:
        return is_grade_row(row) and averages.accepts(grade_of(row, 1))

    with workshop(work.start, limits, jobs, run, cluster) as (pool, journal):
        item_maker = Submissions(work, is_keyed=journal is not None)
        items = (item_maker.item(place, entry) for place, entry in entries)
        answers = answer_items(items, pool, journal, is_row)
        # The progress bar is closed before a message about an interruption is written.
        with closing(track(answers, "grading", count_for_bar(intake))) as tracked:
            for item, answer in tracked:
                place, entry = item.about
                result = _grade_of_answer(place, entry, answer)
                if not result.scored:
                    report_failure(place, result.reason)
                    failed = True
                row = result.row(trace=is_detailed)
                averages.add(result, row)
                if form in PEOPLE:
                    # In a table the time of a failure would look like a good makespan; data formats have it.
                    row |= {"progress": result.progress, "makespan": result.makespan if result.success else None}
                if not view.is_single:
                    table.add(row)
                note_problem(result.instance)
                mismatches.add(result)
        if form in PEOPLE and len({row.get("model") for row in table.rows}) > 1:
            table.columns = ["id", "model", *table.columns[1:]]
        if not view.is_single:
            table.close()
    if summary is not None:
        write(averages, summary, table_name)
    if view.is_single:
        failed |= view.show(averages, form)
    elif form in PEOPLE:
        show(averages, form, sys.stdout, table=table_name)
    else:
        show(averages, Format.table, sys.stderr, table=table_name)
    for warning in mismatches.warnings():
        tell(warning, "warning")
    if page is not None:
        write_page(
            entries,
            page,
            **origin,
            limits=limits,
            profile=profile,
            rules=options,
            problems=intake.problems,
            places=source.places,
        )
    raise typer.Exit(int(failed))


def _grade_of_answer(place: SourceLine, entry: Any, answer: ResultRow | TaskFailure) -> Grade:
    """Return the grade in the answer of a worker; an unscored one if the task failed."""
    if isinstance(answer, ResultRow):
        return Grade.of_row(json.loads(answer.text), **place._asdict())
    return Grader().unscored_grade(entry, answer.error, place)


class _View(NamedTuple):
    """Table of averages that the options ask for.

    Attributes
    ----------
    by, plot
        Group, or columns of a figure, if there is only this table.
    output
        File of its figure.
    table_name
        Name of the only table of averages, or of a group.
    """

    by: str | None
    plot: PlotAxes | None
    output: Path | None
    table_name: str | None

    @property
    def is_single(self) -> bool:
        """True if no row of a submission is written."""
        return self.by is not None or self.plot is not None

    @property
    def values(self) -> tuple[str, ...]:
        """Fields of rows whose values the table needs."""
        if self.plot is not None:
            return self.plot.values
        return () if self.by is None else (self.by,)

    def show(self, averages: GradeRows, form: Format) -> bool:
        """Write the single table and its figure; return True if a benchmark lacks the group."""
        if self.plot is not None:
            show_plot(averages, self.plot, form, self.output)
            return False
        return show_groups(averages, str(self.by), form, self.output, self.table_name)


def _view(by: str | None, plot: str | None, output: Path | None, table_name: str | None) -> _View:
    """Return the table that the options ask for; raises `typer.BadParameter` for a contradiction."""
    axes = None if plot is None else PlotAxes.of(plot)
    if axes is not None and (by is not None or table_name is not None):
        raise typer.BadParameter("is no option beside --by and --table", param_hint="--plot")
    if by is None and axes is None and output is not None:
        raise typer.BadParameter("needs --by or --plot", param_hint="--output")
    _check_table(by, table_name)
    return _View(by, axes, output, table_name)


def _check_table(by: str | None, table_name: str | None) -> None:
    """Raise `UnknownNameError` for a group that no benchmark has, and for an unknown table."""
    if by is not None:
        groups: dict[str, None] = {}
        for benchmark in registry.names():
            groups |= dict.fromkeys(groupings(benchmark))
        if by not in groups:
            raise UnknownNameError(one_of(by, groups, "groups"), field="--by", value=by)
    if table_name is not None and table_name not in table_names(by):
        raise UnknownNameError(one_of(table_name, table_names(by), "tables"), field="--table", value=table_name)


def _peek(intake: Intake) -> tuple[Iterable[tuple[SourceLine, object]], object]:
    """Return the entries, and the first one that can be read among the first hundred."""
    entries = iter(intake)
    head: list[tuple[SourceLine, object]] = []
    content: object = None
    for place, content in islice(entries, _HEAD):
        head.append((place, content))
        if not isinstance(content, InputError):
            break
    return chain(head, entries), content


def _collect(intake: Intake, output: Path) -> NoReturn:
    """Write submissions as JSON lines, the plans as they were read, and end the program."""
    to_stdout = str(output) == "-"
    written = failed = 0
    with stoppable(), nullcontext(sys.stdout) if to_stdout else new_file(output) as stream:
        for place, entry in track(intake, "collecting", count_for_bar(intake)):
            if isinstance(entry, InputError):
                report_failure(place, str(entry))
                failed += 1
                continue
            if to_stdout:
                clear()
            stream.write(to_json(normalise(entry, place)) + "\n")
            written += 1
    unread = f"; {failed} could not be read" if failed else ""
    tell(f"{written} submissions{unread}", "note")
    raise typer.Exit(1 if failed else 0)


def _summarize(
    entries: Iterable[tuple[SourceLine, object]],
    profile: str,
    rules: dict[str, str],
    form: Format,
    path: Path | None,
    view: _View,
) -> NoReturn:
    """Write the averages of grades, and end the program."""
    averages = GradeRows(profiles(profile, rules), view.values)
    failed = False
    for place, content in track(entries, "reading"):
        if fault := _add_grade(averages, place, content):
            report_failure(place, fault)
            failed = True
    if path is not None:
        write(averages, path, view.table_name)
    if view.is_single:
        failed |= view.show(averages, form)
    else:
        # The columns of --columns are those of one table.
        is_single = form in PEOPLE and current_view.get().columns
        show(averages, form, table=view.table_name or ("models" if is_single else None))
    raise typer.Exit(int(failed))


def _add_grade(averages: GradeRows, place: SourceLine, content: Any) -> str | None:
    """Add a grade to averages; return the reason why it cannot be read."""
    if not is_grade(content):
        is_named = isinstance(content, EntryError) and "id" in content.about
        if isinstance(content, dict) or is_named:
            return "is a submission among grades; grade submissions separately"
        return str(content)
    grade = grade_of(content, place)
    if grade.scored != content["scored"]:  # a row that cannot be read is unscored
        return grade.reason
    try:
        averages.add(grade)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        return f"lacks a field that the averages of its benchmark need: {error}"
    return None


def _columns() -> list[str]:
    """Return the columns of the table of grades."""
    metrics: dict[str, None] = {}
    for benchmark in map(registry.get, registry.names()):
        metrics |= {column.name: None for column in benchmark.columns if column.is_shown}
    return [*_FIRST, *metrics, *_LAST]
