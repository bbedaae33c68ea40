"""``planoracle compare``: references and heuristics beside the proved optimum."""

from __future__ import annotations

import sys

from planoracle.analysis.cli.common import NamesArgument, Run
from planoracle.analysis.cli.output import Format, FormatOption, Table

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
    from planoracle.analysis.compare import compare as measure
    from planoracle.analysis.compare import summarize

    run = Run(names, "comparing")
    table = Table(form, _COLUMNS)
    found = []
    for _, comparison in run.each(measure):
        found.append(comparison)
        table.add(comparison.row())
    table.close()
    summary = Table(Format.table, _SUMMARY, "above the optimum", sys.stdout if form is Format.table else sys.stderr)
    for row in summarize(found):
        summary.add(row)
    summary.close()
    run.exit(failed=any(one.status not in ("optimal", "infeasible") for one in found))
