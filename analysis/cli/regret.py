"""``planoracle regret``: the regret of each decision of submitted plans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.column_names import check_columns, field_names
from planoracle.analysis.cli.options import LimitOption, without_none
from planoracle.analysis.cli.output import Format, FormatOption, Table
from planoracle.analysis.cli.submissions import (
    REGRET_LIMITS,
    ProfileOption,
    SubmissionSource,
    identifying_fields,
)
from planoracle.analysis.console import tell
from planoracle.analysis.diagnosis.regret import RunRegret
from planoracle.analysis.diagnosis.regret import regret as compute_regret
from planoracle.analysis.grading.rule_options import profiles
from planoracle.instances.workers.worker import TaskLimits

_COLUMNS = (
    "id",
    "index",
    "command",
    "cost",
    "kind",
    "start",
    "end",
    "before",
    "after",
    "position",
    "status",
    "violation",
)


def regret(
    form: FormatOption = Format.table,
    profile: ProfileOption = "paper",
    worst: Annotated[
        int | None,
        typer.Option(
            help="Number of decisions per plan to show, the most costly first. Default: all.", metavar="N", min=0
        ),
    ] = None,
    time_limit: LimitOption = None,
    *,
    source: SubmissionSource,
    limits: TaskLimits = REGRET_LIMITS,
) -> None:
    """Compute the regret of each decision: the increase in the best reachable makespan.

    Time limits of the rules do not count for regrets. They count for the point of no return, the first decision after
    which no plan without violation remains.

    The formats table, csv, markdown and latex have one row per decision. The formats json and jsonl have one object per
    plan: decisions, point of no return, and best completion.

    Exit status: 1 if a submission cannot be read; it is reported on standard error.

    Examples
    --------
    planoracle regret plans.jsonl
    planoracle regret plans.jsonl --worst 3 --format jsonl
    """
    nested = form in (Format.json, Format.jsonl)
    check_columns("regret", more=(*field_names(RunRegret), "reason") if nested else ())
    rules = profiles(profile)
    compute = partial(_regret_of, rules=rules, options=without_none(seconds=time_limit))
    answers = source.results(compute, "computing regrets", limits)
    table = Table(form, _COLUMNS)
    notes = []
    failed = False
    for answer in answers:
        failed |= answer.value is None
        identity = identifying_fields(answer)
        answered = {} if answer.value is None else answer.value.as_dict()
        if nested:
            table.add(identity | answered | {"reason": answer.reason})
        elif answer.value is not None:
            decisions = answered["decisions"]
            indices = range(len(decisions)) if worst is None else answer.value.costliest(worst)
            for index in indices:
                table.add(identity | {"index": index} | decisions[index])
            notes.append(_note(answer.id, answer.value))
    table.close()
    for note in notes:
        tell(note)
    raise typer.Exit(int(failed))


def _regret_of(
    problem: Any, submission: dict[str, Any], rules: Mapping[str, Any], options: dict[str, Any]
) -> RunRegret:
    return replace(compute_regret(problem, submission, rules[problem.benchmark], **options), run=None)


_LOST = {
    "constraints": "no plan without violation remains",
    "time_limit": "no plan within the time limit remains",
    "over": "the run is over",
    "spoiled": "completing the remaining actions is not a success; undoing actions is not considered",
}
_UNSETTLED = "not settled within the default work limit; --time-limit sets another limit"


def _note(name: str | None, regret: RunRegret) -> str:
    """Return one line on a plan: its regret, or its first fault and best completion."""
    impossible = regret.no_return is None and regret.no_return_reason == "constraints"
    optimum: int | str | None = regret.optimum
    if optimum is None:
        optimum = "none: there is no plan without violation" if impossible else f"unknown: {_UNSETTLED}"
    parts = [f"optimum {optimum}"]
    if regret.success:
        total = _UNSETTLED if regret.total is None else regret.total
        parts.append(f"makespan {regret.final}, regret {total}")
    else:
        parts += [f"no success: {_first_fault(regret)}", f"best completion {_completion(regret)}"]
    if regret.no_return is not None:
        reason = _LOST[regret.no_return_reason or "spoiled"]
        parts.append(f"point of no return: decision {regret.no_return} ({reason})")
    return f"{name}: {'; '.join(parts)} [{regret.unit}s]"


def _first_fault(regret: RunRegret) -> str:
    """Return the first broken rule and its decision."""
    if regret.fault is None:
        return "the plan is incomplete"
    kind = regret.fault["kind"]
    position = ""
    for index, decision in enumerate(regret.decisions):
        if decision.violation == kind:
            position = f"decision {index}: "
            break
    return f"{position}{kind} ({regret.fault['subject']}: {regret.fault['message']})"


def _completion(regret: RunRegret) -> str:
    """Return the best completion of the executed commands."""
    origin = "" if regret.stop == len(regret.decisions) else f", continued before decision {regret.stop}"
    if regret.completion is not None:
        return f"{regret.completion} ({regret.completion_status}{origin})"
    if regret.completion_status == "infeasible":
        return "none (proved: no plan without violation remains)"
    if regret.no_return_reason in ("over", "spoiled"):
        return f"none known: {_LOST[regret.no_return_reason]}"
    return f"unknown: {_UNSETTLED}"
