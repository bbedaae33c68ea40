"""``planoracle explain``: proofs of optima, and conflicts of infeasible problems."""

from __future__ import annotations

import os
import sys
from collections import Counter
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from planoracle.analysis.cli.column_names import check_columns
from planoracle.analysis.cli.options import LimitOption, NamesArgument, ProblemLoop, without_none
from planoracle.analysis.cli.output import Format, Table, check_outputs, new_file, print_text
from planoracle.analysis.console import collect, lenient, tell
from planoracle.analysis.diagnosis.archive import INDEX, Archive, prove
from planoracle.analysis.diagnosis.explain import explain as explain_optimum
from planoracle.instances.model.limits import Status
from planoracle.instances.text import to_json, visible

#: Output formats of explanations.
ExplanationFormat = StrEnum("ExplanationFormat", ["text", "table", "json", "jsonl", "csv"])

_COLUMNS = ("instance", "status", "makespan", "unit", "kind", "proof_grade", "explained", "explained_bound", "gap")


def explain(
    names: NamesArgument,
    form: Annotated[
        ExplanationFormat,
        typer.Option("--format", "-f", help=f"Output format: {', '.join(ExplanationFormat)}.", metavar="FORMAT"),
    ] = ExplanationFormat.text,
    out: Annotated[
        str | None,
        typer.Option(
            help=(
                "Also write the proofs to this file, one per line, for planoracle verify. FOLDER/ writes an "
                "archive instead: problems, proofs, their checkers and an index; unchanged problems in it are skipped."
            ),
            metavar="FILE|FOLDER/",
        ),
    ] = None,
    time_limit: LimitOption = None,
) -> None:
    """Explain why no schedule is shorter than the optimum, or why there is none.

    The explanation is a proof in steps that can be checked by hand. For an infeasible problem it is a minimal set of
    contradictory constraints. Where they do not settle the status, or for infeasibility, planoracle[proofs] adds a DRCP
    proof: many small inferences by the solver Pumpkin, each of which planoracle verify checks. Pumpkin ends at a limit
    of wall time.

    Exit status: 1 if the status of a problem is unknown or a file cannot be read.

    Examples
    --------
    planoracle explain timearena/household1
    planoracle explain tasks.csv --out certificates.jsonl
    planoracle explain 'timearena/lab*' --out archive/
    """
    check_columns("explain")
    if out is not None and (out.endswith(("/", os.sep)) or os.path.isdir(out)):
        _write_archive(names, Path(out), time_limit)
    out_file = None if out is None else Path(out)
    check_outputs(out_file)
    run = ProblemLoop(names, "explaining", in_worker=True)
    table = None if form is ExplanationFormat.text else Table(Format(form.value), _COLUMNS)
    if table is None:  # names may hold anything that JSON can
        lenient(sys.stdout, encoding="utf-8")
    proofs: list[str] = []
    explain_problem = partial(explain_optimum, **without_none(time_limit=time_limit))
    for _, explanation in run.each(explain_problem):
        conflict = explanation.conflict
        run.failed |= explanation.status == Status.unknown
        run.failed |= conflict is not None and conflict.status != Status.infeasible
        if explanation.document is not None:
            proofs.append(to_json(explanation.document))
        if table is None:
            print_text("\n".join(map(visible, explanation.lines())) + "\n")
        else:
            table.add(explanation.as_dict())
    if table is not None:
        table.close()
    if out_file is not None:
        with new_file(out_file) as stream:
            stream.writelines(f"{proof}\n" for proof in proofs)
    run.exit()


def _write_archive(names: list[str], folder: Path, time_limit: float | None) -> NoReturn:
    """Write an archive of proofs, and end the program."""
    archive = Archive(folder)
    run = ProblemLoop(
        names,
        "proving",
        in_worker=True,
        on_failure=archive.add_failure,
    )
    grades = Counter[str]()
    prove_problem = partial(prove, complete=archive.complete, **without_none(time_limit=time_limit))
    for _, archived in run.each(prove_problem):
        row = archive.add(archived)
        grades[row["grade"] or row["status"]] += 1
        if row["reason"]:
            run.failed = True
            collect(row["instance"], row["reason"], "problems")
    counts = ", ".join(f"{number} {grade}" for grade, number in sorted(grades.items()))
    tell(f"{folder / INDEX}: {counts or 'no problems'}")
    run.exit()
