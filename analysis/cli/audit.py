"""``planoracle audit``: check published and submitted references, and figures printed in papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from os.path import exists
from pathlib import Path
from typing import Annotated

import typer

from planoracle.analysis.audit.auditor import Auditor, published_names
from planoracle.analysis.audit.finding import ReferenceFinding, ReferenceVerdict, summarize
from planoracle.analysis.audit.published_figures import rows_of, with_tables
from planoracle.analysis.batch.submission_tasks import each_within
from planoracle.analysis.cli.column_names import check_columns
from planoracle.analysis.cli.options import LimitOption, note_problem
from planoracle.analysis.cli.output import (
    PEOPLE,
    Format,
    FormatOption,
    Table,
    write_beside,
    write_table,
)
from planoracle.analysis.cli.progress import track
from planoracle.analysis.cli.submissions import (
    SUBMISSION_LIMITS,
    RuleOption,
    SubmissionSource,
    chosen_rules,
    count_for_bar,
    named_problems,
    report_failure,
)
from planoracle.analysis.console import collect, tell
from planoracle.analysis.grading.oracle import WORK
from planoracle.analysis.grading.problem_loader import Problems
from planoracle.analysis.intake.path_names import SourceLine
from planoracle.analysis.intake.submissions import Intake
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.protocol import registry
from planoracle.instances.workers.worker import TaskLimits

_COLUMNS = ("instance", "reference", "verdict", "claimed", "optimum", "gap", "off", "bound", "feasible", "reason")
_FIGURES = ("benchmark", "table", "figure", "paper", "ours", "difference", "note")


def audit(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names, prefixes or globs of bundled problems with published references, or files with references "
            "(- for standard input). Default: all bundled problems with published references.",
            metavar="NAME|FILE",
            autocompletion=catalog.completions,
        ),
    ] = None,
    form: FormatOption = Format.table,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            "--rules",
            help="Rule profile: paper or released. Default: the rules for which the reference was made.",
            metavar="PROFILE",
        ),
    ] = None,
    rule: RuleOption = None,
    *,
    source: SubmissionSource,
    time_limit: LimitOption = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also show optimal references in tables, markdown and latex.")
    ] = False,
    tables: Annotated[
        bool,
        typer.Option(
            "--tables", help="Compare figures published in the papers with recomputed ones; names are then benchmarks."
        ),
    ] = False,
    limits: TaskLimits = SUBMISSION_LIMITS,
) -> None:
    """Check the validity and the optimality of published reference plans and makespans.

    A file of references has rows with an instance and a makespan, a plan, or both: JSON lines, JSON (also
    {"NAME": 12}), CSV, and all formats of planoracle grade. --map makespan=COLUMN names the column of the makespan.

    Verdicts: optimal; too_high (a shorter plan exists); below_bound (proved: no plan is that short); infeasible (the
    plan breaks a rule or does not complete the problem); misstated (the makespan of the plan is not the stated one);
    not_unique (right, but other answers are as right); unproved (neither proved optimal nor refuted); missing (there is
    no reference); not_checked (the reference cannot be read, or exceeds --line-seconds or --line-memory).

    The columns off and gap are the difference from the optimum. If the optimum is unknown, they are the difference from
    the lower bound or from the shorter plan. With the formats json, jsonl and csv the summary goes to standard error.

    Exit status: 1 if a reference is wrong (too_high, below_bound, infeasible, misstated, not_unique) or not checked.

    Examples
    --------
    planoracle audit timearena
    planoracle audit makespans.csv --format markdown
    planoracle audit --tables timearena
    """
    check_columns("audit-tables" if tables else "audit")
    if tables:
        return _compare_figures(names or (), form)
    named = named_problems(source.problems)
    problem_loader = Problems(named=named, places=source.places)
    options = chosen_rules(rule or ())
    auditor = Auditor(profile, options, limit=WORK if time_limit is None else time_limit, problems=problem_loader)
    files = [name for name in names or () if _is_submissions(name)]
    targets = [name for name in names or () if name not in files]
    table, findings = Table(form, _COLUMNS), []
    hidden = 0
    paths = [Path(name) for name in files]
    intake = replace(source, paths=paths).open(claims=True) if files else None
    for finding in _check_references(auditor, targets, intake, list(named), limits):
        findings.append(finding)
        note_problem(finding.instance)
        if form in PEOPLE and finding.verdict == ReferenceVerdict.optimal and not every:
            hidden += 1
        else:
            table.add(finding.row())
    if table.rows or form not in PEOPLE:
        table.close()
    if findings:
        sums = summarize(findings)
        verdicts = [verdict for verdict in ReferenceVerdict if any(row[verdict] for row in sums)]
        summary_columns = ["set", "reference", "references", *verdicts, "mean_gap", "max_gap", "worst"]
        write_beside(form, summary_columns, sums, "references")
    else:
        tell("none of these problems has a published reference", "note")
    if hidden:
        are = "1 reference is" if hidden == 1 else f"{hidden} references are"
        tell(f"{are} optimal and not shown; --all shows all references", "note")
    failed = any(finding.wrong or finding.verdict == ReferenceVerdict.not_checked for finding in findings)
    raise typer.Exit(int(failed))


def _is_submissions(name: str) -> bool:
    """Return True for a file, and for standard input, but not for the name of a problem."""
    return name == "-" or (exists(name) and not catalog.names_problem(name))


def _compare_figures(names: Sequence[str], form: Format) -> None:
    """Write figures published in papers beside those computed from the bundled problems."""
    benchmarks = with_tables()
    for name in names:
        if registry.get(name).name not in benchmarks:
            message = f"has no published figures; these benchmarks have some: {', '.join(benchmarks)}"
            raise InputError(message, field="name", value=name)
    chosen = names or benchmarks
    rows = list(chain.from_iterable(map(rows_of, chosen)))
    if form in PEOPLE:  # with the decimals that the papers print
        for column in ("paper", "ours", "difference"):
            values = [row[column] for row in rows]
            texts = ["-" if value is None else str(value) for value in values]
            width = max(map(len, texts), default=0) if form is Format.table else 0
            for row, text in zip(rows, texts, strict=True):
                row[column] = text.rjust(width)
    write_table(form, _FIGURES[len(chosen) == 1 :], rows)


def _check_references(
    auditor: Auditor, names: list[str], intake: Intake | None, problems: list[str], limits: TaskLimits
) -> Iterator[ReferenceFinding]:
    expanded = list(problems)
    if names or (not problems and intake is None):  # without names and files: all published references
        expanded += published_names(names)
    for name in track(expanded, "checking"):
        yield from _report_unchecked(auditor.check_published(name))
    if intake is not None:
        entries = track(intake, "checking", count_for_bar(intake))
        yield from _report_unchecked(each_within(entries, auditor.check_submissions, limits))


def _report_unchecked(findings: Iterator[ReferenceFinding]) -> Iterator[ReferenceFinding]:
    """Yield findings; write an error for each that could not be checked."""
    for finding in findings:
        if finding.verdict == ReferenceVerdict.not_checked and finding.line is not None:
            report_failure(SourceLine(finding.line, finding.source), finding.reason)
        elif finding.verdict == ReferenceVerdict.not_checked:
            collect(finding.instance, str(finding.reason), "references")
        yield finding
