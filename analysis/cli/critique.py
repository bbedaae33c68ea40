"""``planoracle critique``: a report on each submitted plan, as text for a prompt or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import StrEnum
from functools import partial
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.options import LimitOption, without_none
from planoracle.analysis.cli.output import print_text
from planoracle.analysis.cli.submissions import (
    REGRET_LIMITS,
    ProfileOption,
    SubmissionSource,
    identifying_fields,
)
from planoracle.analysis.console import complain, lenient, say_json
from planoracle.analysis.diagnosis.critique import critique_of
from planoracle.analysis.grading.rule_options import profiles
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.feedback import clean
from planoracle.instances.workers.worker import TaskLimits

#: Output formats of reports.
ReportFormat = StrEnum("ReportFormat", ["text", "json", "jsonl"])


def critique(
    form: Annotated[
        ReportFormat,
        typer.Option("--format", "-f", help=f"Output format: {', '.join(ReportFormat)}.", metavar="FORMAT"),
    ] = ReportFormat.text,
    profile: ProfileOption = "paper",
    regret: Annotated[
        bool, typer.Option("--regret/--no-regret", help="Compute the regret of each decision, which takes longer.")
    ] = True,
    failed: Annotated[bool, typer.Option("--failed", help="Report only on failed plans.")] = False,
    ids: Annotated[
        list[str] | None,
        typer.Option("--id", help="Report only on the submission with this id (repeatable).", metavar="ID"),
    ] = None,
    time_limit: LimitOption = None,
    *,
    source: SubmissionSource,
    limits: TaskLimits = REGRET_LIMITS,
) -> None:
    """Report the errors of each plan, its gap to the optimum, and its most costly decisions.

    Exit status: 1 if a submission cannot be read, or no submission has an --id; each is reported on standard error.

    Examples
    --------
    planoracle critique plans.jsonl
    planoracle critique plans.jsonl --failed --format jsonl
    """
    rules = profiles(profile)

    options = {"regret": regret, **without_none(seconds=time_limit)}
    reported = partial(_critique_row, rules=rules, options=options, only_failed=failed)
    # Reports may hold any letter that a submission does.
    lenient(sys.stdout, encoding="utf-8")
    answers = source.results(reported, "reading plans", limits, ids or ())
    is_faulty = False
    missing = dict.fromkeys(ids or ())
    rows = []
    for answer in answers:
        missing.pop(str(answer.id), None)
        if not answer.value:  # {} for a success that is not reported
            is_faulty |= answer.value is None
            continue
        row = {**identifying_fields(answer), **answer.value}
        if form is ReportFormat.text:
            parts = (answer.instance or "").split("~")
            instance = "~".join(clean(part, 200) for part in parts)
            name = clean(answer.id or "")
            if " " in name:
                name = f'"{name}"'
            print_text(f"== {name} ({instance})\n{row['prose']}\n")
        elif form is ReportFormat.jsonl:
            say_json(row)
        else:
            rows.append(row)
    if form is ReportFormat.json:
        say_json(rows, indent=1)
    for name in missing:
        complain(f"--id {name}: no submission has this id")
    raise typer.Exit(int(is_faulty or bool(missing)))


def _critique_row(
    problem: Any, submission: dict[str, Any], rules: Mapping[str, Any], options: dict[str, Any], only_failed: bool
) -> dict[str, Any]:
    run = registry.of(problem).run(problem, submission, rules[problem.benchmark])
    if only_failed and run.success:
        return {}
    report = critique_of(run, **options)
    return report.as_dict() | {"prose": report.prose()}
