"""Table of proofs: how many problems of a set have a certificate, a DRCP proof, two solvers or one.

``python -m tests.benchmarks.certificates rcpsp/j30 rcpsp_max/j20 timearena`` explains each problem of the sets of
`solvers.py` within a limit, checks the proof again from its document, and prints a row for each set.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Annotated, Any

import typer

from planoracle.analysis.diagnosis.explain import explain
from planoracle.analysis.verification.verify import verify
from planoracle.instances.errors import PlanoracleError
from tests.benchmarks.solvers import SHARED, cases_of

GRADES = ("certificate", "drcp", "two solvers", "solver", "open")
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@dataclass
class Totals:
    """Sums over the problems of a set: counts by grade, processor seconds, bytes of documents."""

    count: Counter[str] = field(default_factory=Counter)
    proof_seconds: float = 0.0
    check_seconds: float = 0.0
    size: int = 0

    def row(self, name: str) -> str:
        """Return a row of the table."""
        counts = " | ".join(str(self.count[grade]) for grade in GRADES)
        times = f"{self.proof_seconds:.1f} | {self.check_seconds:.1f} | {self.size / 1000:.0f}"
        return f"| {name} | {self.count.total()} | {counts} | {times} |"


def processor_seconds() -> float:
    """Return the processor time of this process and of its ended children."""
    usages = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def prove(problem: Any, seconds: float, totals: Totals) -> str:
    """Explain a problem and check the proof; return the grade, ``open`` without a proof."""
    began = processor_seconds()
    explanation = explain(problem, time_limit=seconds)
    proved = processor_seconds()
    totals.proof_seconds += proved - began
    grade = explanation.proof_grade or "open"
    if grade in ("certificate", "drcp"):
        if not verify(explanation.document, problem).holds:
            raise AssertionError(f"the proof of {problem.name} is refused")
        totals.check_seconds += processor_seconds() - proved
        totals.size += len(json.dumps(explanation.document))
    totals.count[grade] += 1
    return grade


@app.command()
def table(
    sets: list[str],
    seconds: Annotated[float, typer.Option(help="Wall time per problem.")] = 60.0,
    most: Annotated[int | None, typer.Option(help="Number of problems of a set, from the first.")] = None,
    shared: Annotated[Path, typer.Option(help="Folder with the folders literature and large.")] = SHARED,
) -> None:
    """Print the table, and each problem without a certificate before it."""
    rows = []
    for name in sets:
        totals = Totals()
        for case in islice(cases_of(name, shared), most):
            try:
                grade = prove(case.problem(), seconds, totals)
            except PlanoracleError as error:
                print(f"{name} {case.file}: {error}", flush=True)
                continue
            if grade != "certificate":
                print(f"{name} {case.file}: {grade} ({case.best_known})", flush=True)
        rows.append(totals.row(name))
    print(f"| set | problems | {' | '.join(GRADES)} | proof, s | check, s | kB |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    print("\n".join(rows))


if __name__ == "__main__":
    app()
