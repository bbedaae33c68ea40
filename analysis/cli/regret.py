"""``planoracle regret``: what every decision of submitted plans cost."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from planoracle.analysis.cli.common import LimitOption, stated
from planoracle.analysis.cli.output import Format, FormatOption, Table
from planoracle.analysis.cli.submissions import (
    MapOption,
    ModelOption,
    PatternOption,
    ProblemsOption,
    ProfileOption,
    SubmissionsArgument,
    answered,
    found_problems,
    opened,
    submitted,
)
from planoracle.analysis.spoken import tell

_COLUMNS = (
    "id",
    "index",
    "position",
    "command",
    "kind",
    "start",
    "end",
    "before",
    "after",
    "cost",
    "status",
    "violation",
)
_LEAST = ("index", "status", "position", "kind", "end", "after", "before", "violation")


def regret(
    submissions: SubmissionsArgument,
    form: FormatOption = Format.table,
    profile: ProfileOption = "paper",
    worst: Annotated[
        int | None, typer.Option(help="Show only so many decisions of each plan, the dearest first.", min=0)
    ] = None,
    time_limit: LimitOption = None,
    pattern: PatternOption = None,
    columns: MapOption = None,
    model: ModelOption = None,
    problems: ProblemsOption = None,
) -> None:
    """Price every decision of a plan by the best makespan within reach before and after it.

    A time limit of the rules does not count in prices, only for the point of no return.

    Tables and csv have a row per decision, json and jsonl an object per plan, with its decisions, its point of no
    return and its best completion. A line that cannot be read is reported, and the exit status is then 1.
    """
    from planoracle.analysis.profiles import profiles
    from planoracle.analysis.regret import regret as price

    rules = profiles(profile)

    def priced(problem: Any, submission: dict[str, Any]) -> Any:
        return price(problem, submission, rules[problem.benchmark], **stated(seconds=time_limit))

    found_in = opened(submissions, pattern, columns, model)
    nested = form in (Format.json, Format.jsonl)
    table = Table(form, _COLUMNS, least=_LEAST)
    notes = []
    failed = False
    for answer in answered(found_in, priced, "pricing decisions", found_problems(problems, submissions)):
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


def _note(name: str | None, found: Any) -> str:
    """Sum up a plan in a line."""
    said = [f"optimum {_number(found.optimum)}"]
    if found.success:
        said.append(f"makespan {_number(found.final)}, regret {_number(found.total)}")
    else:
        said.append(f"no success; best completion {_number(found.completion)} ({found.completion_status})")
    if found.no_return is not None:
        why = {"constraints": "no way on without violation", "time_limit": "out of time", "over": "the run is over"}
        reason = why.get(found.no_return_reason, "no success that we can name")
        said.append(f"point of no return: decision {found.no_return} ({reason})")
    elif found.no_return_reason is not None:
        said.append("there is no plan without violation at all")
    return f"{name}: {'; '.join(said)} [{found.unit}s]"


def _number(value: int | None) -> str:
    return "unknown" if value is None else str(value)
