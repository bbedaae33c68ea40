"""``planoracle explain``: why the optimum is what it is, or why there is no solution."""

from __future__ import annotations

import sys
from enum import StrEnum
from functools import partial
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.common import NamesArgument, Run
from planoracle.analysis.cli.output import Format, Table
from planoracle.analysis.spoken import say
from planoracle.instances.status import Status
from planoracle.instances.visible import to_json, visible


class Form(StrEnum):
    """How explanations are written."""

    text = "text"
    table = "table"
    json = "json"
    jsonl = "jsonl"
    csv = "csv"


_COLUMNS = ("instance", "status", "makespan", "unit", "kind", "explained", "explained_bound", "gap")


def explain(
    names: NamesArgument,
    form: Annotated[Form, typer.Option("--format", "-f", help="How to write the explanations.")] = Form.text,
    time_limit: Annotated[float, typer.Option(help="Seconds per problem.", min=0.0)] = 60.0,
) -> None:
    """Say why no schedule is shorter than the optimum, in steps to check by hand; or why there is none.

    An impossible problem is explained by a minimal set of constraints that contradict each other. Exit status 1 if the
    status of some problem stays unknown or a file cannot be read.
    """
    from planoracle.analysis.explain import explain as explained

    run = Run(names, "explaining", kitchens=True)
    table = None if form is Form.text else Table(Format(form.value), _COLUMNS)
    if table is None:  # names may hold anything that JSON can
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    failed = False
    for _, found in run.each(partial(explained, time_limit=time_limit)):
        failed |= found.status == Status.unknown or (
            found.conflict is not None and found.conflict.status != Status.infeasible
        )
        if table is None:
            say("\n".join(map(visible, found.lines())) + "\n")
        else:
            table.add(_row(found.as_dict(), form))
    if table is not None:
        table.close()
    run.exit(failed=failed)


def _row(row: dict[str, Any], form: Form) -> dict[str, Any]:
    """Return a row; as text, proofs and conflicts are one field of JSON each."""
    if form is Form.csv:
        return row | {key: to_json(row[key]) for key in ("certificate", "conflict")}
    return row
