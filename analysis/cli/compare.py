"""``planoracle compare``: references and heuristics beside the proved optimum."""

from __future__ import annotations

import sys

import typer

from planoracle.analysis.cli.common import NamesArgument, Reader
from planoracle.analysis.cli.output import Format, FormatOption, Table, track

_COLUMNS = (
    "instance",
    "optimal",
    "status",
    "heuristic_reference",
    "gap_reference",
    "dfs",
    "gap_dfs",
    "best_heuristic",
    "gap_best",
    "seconds",
)
_SUMMARY = ("set", "method", "problems", "answered", "above", "mean_gap", "max_gap", "worst")


def compare(names: NamesArgument, form: FormatOption = Format.table) -> None:
    """Compare the released reference plans and the heuristics with the proved optimum.

    The summary (how often and by how much each lies above the optimum) goes to standard error, except
    in a table.
    """
    from planoracle.analysis.compare import compare as run
    from planoracle.analysis.compare import summarize

    reader = Reader(names)
    table = Table(form, _COLUMNS)
    found = []
    for instance in track(reader, "comparing", total=len(reader.names)):
        found.append(run(instance))
        table.add(found[-1].row())
    table.close()
    summary = Table(Format.table, _SUMMARY, "above the optimum", sys.stdout if form is Format.table else sys.stderr)
    for row in summarize(found):
        summary.add(row)
    summary.close()
    settled = all(one.status in ("optimal", "infeasible") for one in found)
    raise typer.Exit(0 if settled and not reader.failed else 1)
