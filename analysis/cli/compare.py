"""``planoracle compare``: references and heuristics beside the proved optimum."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planoracle.analysis.cli.common import NamesArgument, Notes, Run
from planoracle.analysis.cli.output import PEOPLE, Format, FormatOption, Table, complain
from planoracle.analysis.cli.shapes import drawing

if TYPE_CHECKING:
    from planoracle.analysis.compare import Comparison

_COLUMNS = ("instance", "optimal", "lower_bound", "status", "seconds")


class Drawn(StrEnum):
    """What pictures there are: distances from the optimum, performance profiles, how long proofs take."""

    gaps = "gaps"
    profile = "profile"
    time = "time"


_LEAST = ("problems", "mean", "equal", "worst")  # the counts stay as long as the means that are over them
_METHODS = ("instance", "method", "makespan", "gap", "accepted", "seconds", "reason")


@drawing
def compare(
    names: NamesArgument,
    form: FormatOption = Format.table,
    heuristics: Annotated[
        list[str] | None,
        typer.Option(
            "--heuristic",
            "-H",
            help="A heuristic beside these (repeatable); all: every one for such a problem. Tables then have a row for "
            "each method, and say why one has no answer.",
            metavar="NAME",
        ),
    ] = None,
    variants: Annotated[
        bool,
        typer.Option("--variants", help="A row for a problem, a column for the optimum of each variant (NAME@42)."),
    ] = False,
    summary: Annotated[
        bool, typer.Option("--summary", help="Only the summary: a row for each set and method, in any format.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="PNG, SVG or PDF file to draw the methods into.")
    ] = None,
    figure: Annotated[Drawn, typer.Option(help=f"What to draw: {', '.join(Drawn)}.", metavar="FIGURE")] = Drawn.gaps,
) -> None:
    """Compare what the benchmark gives to compare with, and the heuristics, with the proved optimum.

    A name may be a file that planoracle grade has written (jsonl, json): its models are compared as well, by the
    shortest of their successful plans; alone it also says which problems.

    The summary (per set and method how often and by how much it lies above the optimum or below, and how often the
    rules refuse it; each mean with the number of problems it is over) goes to standard error, except in formats that
    people read.
    """
    from planoracle.analysis.compare import check, summarize
    from planoracle.analysis.compare import compare as compared
    from planoracle.analysis.compared import parted, with_models

    also = heuristics or ()
    check(also)
    each = bool(also) and form in PEOPLE
    problems, grades = parted(names)
    run = Run(problems, "comparing", kitchens=True)
    models = {f"gap_{grade.model or 'no model'}" for grade in grades}
    tables: dict[str, Table] = {}
    found, notes = [], Notes()
    for problem, one in run.each(lambda problem: with_models(compared(problem, also=also), grades)):
        if not (variants or summary):
            kind = problem.benchmark if form in PEOPLE and not each else ""  # whose methods are its columns
            if kind not in tables:
                tables[kind] = Table(form, _METHODS if each else _COLUMNS, least=("seconds", "reason"))
            for row in _methods(one) if each else [one.row()]:
                tables[kind].add(row)
        found.append(one)
        notes.add(problem.name)
        for entry in one.all:
            if entry.error is not None:
                complain(f"{one.instance}: {entry.method}: {entry.error}")
                run.failed = True
    if variants:
        _say_variants(found, form)
    for table in tables.values() or ([] if variants or summary else [Table(form, _COLUMNS)]):
        if form in PEOPLE and not each:
            table.columns = _shown(table.rows)
            methods = (name for name in table.columns if name not in _COLUMNS and not name.startswith("gap_"))
            others = [name for name in table.columns if name.startswith("gap_") and name not in models]
            table.least = ["seconds", *methods, *(["status", *others] if models else []), "status", "lower_bound"]
        table.close()
    if found:
        _say_summary(summarize(found), form, alone=summary)
    notes.close()
    if output is not None and found:
        _draw(found, figure, output)
    run.exit(failed=any(not one.exact.status.settled for one in found))


def _say_summary(rows: list[dict[str, Any]], form: Format, *, alone: bool) -> None:
    """Write how far every method is from the optimum: ``alone`` as the results, else below them or beside."""
    rare = [key for key in ("below", "impossible") if not any(row[key] for row in rows)]
    if all(row["compared"] == row["answered"] for row in rows):
        rare.append("compared")
    columns = [key for key in dict.fromkeys(key for row in rows for key in row) if key not in rare]
    if alone:
        table = Table(form, columns, least=_LEAST)
    else:
        people = form in PEOPLE
        stream = sys.stdout if people else sys.stderr
        table = Table(form if people else Format.table, columns, "above the optimum", stream, least=_LEAST)
    for row in rows:
        table.add(row)
    table.close()


def _draw(found: list[Comparison], figure: Drawn, output: Path) -> None:
    from pandas import concat

    from planoracle.analysis.figures import methods
    from planoracle.analysis.figures.save import save
    from planoracle.instances.registry import get

    frames = []
    for one in found:
        titles = {own.name: own.title for own in get(one.benchmark).references}
        entries = tuple(entry._replace(method=titles.get(entry.method, entry.method)) for entry in one.all)
        frames.append(replace(one, entries=entries).to_frame())
    frame = concat(frames, ignore_index=True)
    draw = {
        Drawn.gaps: methods.gap_distribution,
        Drawn.profile: methods.performance_profile,
        Drawn.time: methods.time_to_proof,
    }[figure]
    save(lambda: draw(frame), output)


def _methods(one: Comparison) -> list[dict[str, Any]]:
    """Return a row per method, the optimum first."""
    return [{"instance": one.instance, **entry._asdict(), "gap": one.gap(entry)} for entry in one.all]


def _say_variants(found: list[Comparison], form: Format) -> None:
    from planoracle.analysis.variants import by_variant

    rows = by_variant(found)
    table = Table(form, list(dict.fromkeys(key for row in rows for key in row)))
    for row in rows:
        table.add(row)
    table.close()


def _shown(rows: list[dict[str, Any]]) -> list[str]:
    """Return what people read: every makespan with its gap; bounds that are no optimum, and what the rules refuse."""
    keys = dict.fromkeys(key for row in rows for key in row)
    gaps = [key for key in keys if key.startswith("gap_")]
    methods = [key for key in keys if key not in _COLUMNS][: len(gaps)]
    shown = ["instance", "optimal", "status"]
    if any(row["lower_bound"] != row["optimal"] for row in rows):
        shown.insert(2, "lower_bound")
    for method, gap in zip(methods, gaps, strict=True):
        accepted = gap.replace("gap_", "accepted_", 1)
        shown += [method, gap, *([accepted] if any(row.get(accepted) is False for row in rows) else [])]
    return [*shown, "seconds"]
