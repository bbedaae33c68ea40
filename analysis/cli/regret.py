"""``planoracle regret``: the regret of each decision of submitted plans."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planoracle.analysis.cli.options import LimitOption, stated
from planoracle.analysis.cli.output import Format, FormatOption, Table
from planoracle.analysis.cli.submissions import (
    MEMORY,
    PRICED,
    MapOption,
    MemoryOption,
    ModelOption,
    PatternOption,
    ProblemsOption,
    ProfileOption,
    SecondsOption,
    SubmissionsArgument,
    answered,
    found_problems,
    limits_of,
    opened,
    submitted,
)
from planoracle.analysis.console import tell
from planoracle.analysis.diagnosis.regret import regret as price
from planoracle.analysis.grading.rule_options import profiles

if TYPE_CHECKING:
    from planoracle.analysis.diagnosis.regret import RunRegret

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
    submissions: SubmissionsArgument,
    form: FormatOption = Format.table,
    profile: ProfileOption = "paper",
    worst: Annotated[
        int | None, typer.Option(help="Show only this many decisions per plan, the most costly first.", min=0)
    ] = None,
    time_limit: LimitOption = None,
    pattern: PatternOption = None,
    columns: MapOption = None,
    model: ModelOption = None,
    problems: ProblemsOption = None,
    line_seconds: SecondsOption = PRICED,
    line_memory: MemoryOption = MEMORY,
) -> None:
    """Compute the regret of each decision: the increase in the best reachable makespan.

    Regret ignores time limits of the rules; the point of no return does not.

    Tables and csv have one row per decision. json and jsonl have one object per plan: decisions, point of no return,
    and best completion.

    Exit status: 1 if a line cannot be read; it is reported on standard error.
    """
    rules = profiles(profile)
    limits = limits_of(line_seconds, line_memory)

    priced = partial(_priced, rules=rules, options=stated(seconds=time_limit))
    found_in = opened(submissions, pattern, columns, model)
    nested = form in (Format.json, Format.jsonl)
    table = Table(form, _COLUMNS)
    notes = []
    failed = False
    for answer in answered(found_in, priced, "pricing decisions", found_problems(problems), limits):
        failed |= answer.value is None
        who = submitted(answer)
        if answer.value is None:
            if nested:
                table.add(who | {"reason": answer.reason})
            continue
        found = answer.value.as_dict()
        if nested:
            table.add(who | found | {"reason": None})
            continue
        for index in range(len(found["decisions"])) if worst is None else answer.value.costliest(worst):
            table.add(who | {"index": index} | found["decisions"][index])
        notes.append(_note(answer.id, answer.value))
    table.close()
    for note in notes:
        tell(note)
    raise typer.Exit(1 if failed else 0)


def _priced(problem: Any, submission: dict[str, Any], rules: dict[str, Any], options: dict[str, Any]) -> RunRegret:
    return replace(price(problem, submission, rules[problem.benchmark], **options), run=None)


_LOST = {
    "constraints": "no way on without violation",
    "time_limit": "out of time",
    "over": "the run is over",
    "spoiled": "doing all that is left is no success; ways to undo are not looked for",
}
_UNSETTLED = "not settled by the work that is done, --time-limit allows for more"


def _note(name: str | None, found: RunRegret) -> str:
    """Sum up a plan in a line: what it has lost, or why it fails and how it could still end."""
    impossible = found.no_return is None and found.no_return_reason == "constraints"
    none = "none: there is no plan without violation at all" if impossible else f"unknown: {_UNSETTLED}"
    said = [f"optimum {none if found.optimum is None else found.optimum}"]
    if found.success:
        total = _UNSETTLED if found.total is None else found.total
        said.append(f"makespan {found.final}, regret {total}")
    else:
        said += [f"no success: {_why(found)}", f"best completion {_completion(found)}"]
    if found.no_return is not None:
        said.append(f"point of no return: decision {found.no_return} ({_LOST[found.no_return_reason or 'spoiled']})")
    return f"{name}: {'; '.join(said)} [{found.unit}s]"


def _why(found: RunRegret) -> str:
    """Say which rule is broken first, and by which decision."""
    if found.fault is None:
        return "not all is done"
    at = next((k for k, one in enumerate(found.decisions) if one.violation == found.fault["kind"]), None)
    where = "" if at is None else f"decision {at} is at fault, "
    return f"{where}{found.fault['kind']} ({found.fault['subject']}: {found.fault['message']})"


def _completion(found: RunRegret) -> str:
    """Say how what was carried out could still end, and from where on."""
    where = "" if found.stop == len(found.decisions) else f", going on before decision {found.stop}"
    if found.completion is not None:
        return f"{found.completion} ({found.completion_status}{where})"
    if found.completion_status == "infeasible":
        return "none (proved: no way on without violation)"
    if found.no_return_reason in ("over", "spoiled"):
        return f"none known: {_LOST[found.no_return_reason]}"
    return f"unknown: {_UNSETTLED}"
