"""``planoracle repair``: the nearest plan that follows the rules, for each submitted plan."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.column_names import check_columns
from planoracle.analysis.cli.options import LimitOption, without_none
from planoracle.analysis.cli.output import Format, FormatOption, Table
from planoracle.analysis.cli.submissions import (
    REGRET_LIMITS,
    ProfileOption,
    SubmissionSource,
    identifying_fields,
)
from planoracle.analysis.diagnosis.repair import Repairer
from planoracle.analysis.grading.rule_options import profiles
from planoracle.instances.errors import InputError
from planoracle.instances.model.limits import Status
from planoracle.instances.workers.worker import TaskLimits
from planoracle.solver.repair.minimal_change import OBJECTIVES

_COLUMNS = (
    "id",
    "instance",
    "status",
    "makespan",
    "optimum",
    "moved",
    "shift",
    "changed",
    "violations",
    "reason",
)


def repair(
    form: FormatOption = Format.table,
    objective: Annotated[
        str,
        typer.Option(
            help="Quantities to minimize, the most important first: moved, shift, makespan, or some of them.",
            metavar="NAME,...",
        ),
    ] = "moved,shift,makespan",
    profile: ProfileOption = "paper",
    time_limit: LimitOption = None,
    *,
    source: SubmissionSource,
    limits: TaskLimits = REGRET_LIMITS,
) -> None:
    """Compute for each plan the nearest plan that follows the rules.

    The nearest plan has the minimum number of moved actions, then the minimum total shift of their times, then the
    minimum makespan (see --objective). A plan that follows the rules is returned unchanged. The formats json, jsonl and
    csv contain the repaired plans.

    Exit status: 1 if a submission cannot be read or repaired; it is reported on standard error.

    Examples
    --------
    planoracle repair plans.jsonl
    planoracle repair plans.jsonl --format jsonl
    """
    check_columns("repair")
    rules = profiles(profile)
    try:
        objectives = [name.strip() for name in objective.split(",")]
        repairer = Repairer(rules, objectives=objectives, **without_none(time_limit=time_limit))
    except InputError:
        message = f"must be one or more of {', '.join(OBJECTIVES)}, each once"
        raise typer.BadParameter(message, param_hint="--objective") from None
    repaired = partial(_repair_row, repairer=repairer)
    answers = source.results(repaired, "repairing", limits)
    table = Table(form, _COLUMNS)
    failed = False
    for answer in answers:
        result = {"status": None} if answer.value is None else answer.value
        failed |= result["status"] in (None, Status.unknown)
        identity = identifying_fields(answer) | {"model": None, "method": "repair"}
        repaired_fields = {name: value for name, value in result.items() if name != "instance"}
        table.add(identity | repaired_fields | {"reason": answer.reason})
    table.close()
    raise typer.Exit(int(failed))


def _repair_row(problem: Any, submission: dict[str, Any], repairer: Repairer) -> dict[str, Any]:
    return repairer.repair(problem, submission).as_dict()
