"""``planoracle compare``: references, heuristics and numbers of agents beside the optimum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from planoracle.analysis import figures
from planoracle.analysis.cli.column_names import check_columns
from planoracle.analysis.cli.options import (
    LimitOption,
    NamesArgument,
    ProblemLoop,
    with_figure_options,
    without_none,
)
from planoracle.analysis.cli.output import (
    PEOPLE,
    Format,
    FormatOption,
    Table,
    check_outputs,
    mean_text,
    write_beside,
    write_table,
)
from planoracle.analysis.comparison.compare import Comparison, check
from planoracle.analysis.comparison.compare import compare as compared
from planoracle.analysis.comparison.method_tables import (
    MODEL_PREFIX,
    UNNAMED_MODEL,
    names_and_grades,
    summarize,
    with_models,
)
from planoracle.analysis.comparison.speedup import Curve, curve, is_proved, summarize_agents
from planoracle.analysis.console import collect, tell
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import of_kind
from planoracle.instances.protocol.registry import get

_COLUMNS = (
    *("instance", "method", "weight", "makespan", "outcome", "gap", "unit", "lower_bound", "weight_bound", "seconds"),
    "reason",
)
# Largest number of agents for --agents.
_MAX_AGENTS = 99


#: Figures: distribution of gaps to the optimum, performance profile.
ComparisonFigure = StrEnum("ComparisonFigure", ["gaps", "profile"])
_SET_SPEEDUPS = (
    *("set", "agents", "problems", "proved", "mean_makespan", "unit", "mean_speedup"),
    *("at_critical_path", "at_limit", "limit_speedup"),
)
_PROVED_MEANS = ("mean_makespan", "mean_speedup")
# Columns of the summary that stay in a narrow terminal.
_LASTING = ("set", "method", "mean_gap", "mean")
_SPEEDUPS = ("instance", "agents", "status", "makespan", "unit", "speedup", "critical_path", "limit")


@with_figure_options
def compare(
    names: NamesArgument,
    form: FormatOption = Format.table,
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods",
            help="Methods to compare, in this order: optimum, reference, best_heuristic, all, or names of references, "
            "heuristics and graded models. Default: the optimum, all references of the benchmark and best_heuristic.",
            metavar="NAME,...",
        ),
    ] = None,
    heuristics: Annotated[
        list[str] | None,
        typer.Option(
            "--heuristic",
            "-H",
            help="Also compare this heuristic (repeatable); 'all' for every heuristic.",
            metavar="NAME",
        ),
    ] = None,
    agents: Annotated[
        str | None,
        typer.Option(
            "--agents",
            help="Compare these numbers of identical agents instead of methods: optimal makespan, speedup, and bounds "
            "on both. With --summary: means over each set.",
            metavar="N,...",
        ),
    ] = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Write only the summary: one row per set and method.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="PNG, SVG or PDF file for the figure.", metavar="FILE")
    ] = None,
    figure: Annotated[
        ComparisonFigure,
        typer.Option(help=f"Figure: {', '.join(ComparisonFigure)}; not with --agents.", metavar="FIGURE"),
    ] = ComparisonFigure.gaps,
    time_limit: LimitOption = None,
) -> None:
    """Compare reference plans and heuristics with the proved optimum.

    A name may also be a file written by planoracle grade (json or jsonl). Each model in it is compared by its shortest
    successful plan. If all names are such files, the problems in them are compared.

    The outcome of a method is one of: optimal or infeasible (both proved), feasible (accepted by the rules), refused
    (rejected by the rules), claimed (a makespan without a plan), failed (no plan found), unknown.

    The summary has one row per set and method: how often and by how much the makespan is above or below the optimum,
    and how often the rules reject the plan. A mean over 8 of 10 problems is followed by (8 of 10). With the formats
    json, jsonl and csv the summary goes to standard error.

    Exit status: 1 if an optimum is not proved or a file cannot be read.

    Examples
    --------
    planoracle compare recipe2plan/timed/Cobbler_Pancakes
    planoracle compare timearena/household1 tasks.csv --heuristic all --summary
    planoracle compare tasks.csv --agents 1,2,3
    """
    chosen = [name.strip() for name in (methods or "").split(",") if name.strip()]
    section = "compare" if agents is None else "compare-agents"
    check_columns(f"{section}-summary" if summary else section)
    if agents is not None:
        check([*chosen, *(heuristics or ())])
        if output is not None:
            raise typer.BadParameter("cannot be combined with --agents; use --format csv", param_hint="--output")
        _compare_agents(names, _agent_numbers(agents), form, summary=summary, time_limit=time_limit)
    check_outputs(output)
    problems, grades = names_and_grades(names)
    models = dict.fromkeys(grade.model or UNNAMED_MODEL for grade in grades)
    named = [name for name in chosen if name.removeprefix(MODEL_PREFIX) not in models]
    check([*named, *(heuristics or ())], models)
    run, table = ProblemLoop(problems, "comparing"), Table(form, _COLUMNS)
    comparisons: list[Comparison] = []

    def compare_methods(problem: Any) -> Comparison:
        limit = without_none(time_limit=time_limit)
        comparison = compared(problem, named if chosen else None, extra=heuristics or (), **limit)
        if not chosen:
            comparison = replace(comparison, entries=comparison.all)
        return with_models(comparison, grades, chosen)

    for _, comparison in run.each(compare_methods):
        comparisons.append(comparison)
        run.failed |= not comparison.exact.status.settled
        if not summary:
            for row in comparison.rows():
                table.add(row)
        for entry in comparison.all:
            if entry.error is not None:
                collect(comparison.instance, f"{entry.method}: {entry.error}", "problems")
                run.failed = True
    if not summary:
        if all(comparison.exact.status.settled for comparison in comparisons):
            table.columns = [name for name in _COLUMNS if name != "lower_bound"]
        table.close()
    if comparisons:
        _write_summary(summarize(comparisons), form, alone=summary)
    if output is not None and comparisons:
        _draw(comparisons, figure, output)
    run.exit()


def _agent_numbers(text: str) -> list[int]:
    """Return the numbers of ``--agents``."""
    parts = text.split(",")
    if all(part.isdecimal() and 1 <= int(part) <= _MAX_AGENTS for part in parts):
        return sorted(set(map(int, parts)))
    message = f"must be numbers from 1 to {_MAX_AGENTS} separated by commas, such as 1,2,3; not {text!r}"
    raise typer.BadParameter(message, param_hint="--agents")


def _compare_agents(
    names: list[str], numbers: list[int], form: Format, *, summary: bool, time_limit: float | None
) -> NoReturn:
    """Write proved optima by number of agents, and end the program."""
    run = ProblemLoop(names, "solving")
    limit = without_none(time_limit=time_limit)

    def solve_curve(problem: Any) -> Curve:
        return curve(of_kind(problem, Instance), numbers[-1], **limit)

    curves = [rows for _, rows in run.each(solve_curve)]
    run.failed |= not all(map(is_proved, curves))
    rows = summarize_agents(curves) if summary else list(chain.from_iterable(curves))
    rows = [row for row in rows if row["agents"] in numbers]
    if summary and form in PEOPLE:
        rows = [row | _proved_means(row) for row in rows]
    lasting = ("set", "agents", *_PROVED_MEANS) if summary else ()
    write_table(form, _SET_SPEEDUPS if summary else _SPEEDUPS, rows, lasting=lasting)
    run.exit()


def _proved_means(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the means of a row of speed-ups with the number of their problems, unless all are proved."""
    return {name: mean_text(name, row[name], row["proved"], row["problems"]) for name in _PROVED_MEANS}


def _write_summary(rows: list[dict[str, Any]], form: Format, *, alone: bool) -> None:
    """Write the distance of each method from the optimum: ``alone`` as the results, else beside them."""
    empty = [name for name in ("below", "impossible", "failed") if not any(row[name] for row in rows)]
    if all(row["compared"] == row["answered"] for row in rows):
        empty.append("compared")
    names = dict.fromkeys(chain.from_iterable(rows))
    columns = [name for name in names if name not in empty]
    texts = [row | _for_people(row) for row in rows]
    if not alone:
        write_beside(form, columns, texts, "above the optimum", lasting=_LASTING)
    else:
        write_table(form, columns, texts if form in PEOPLE else rows, lasting=_LASTING)


def _for_people(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return means with the number of their problems; those over all problems of the set without."""
    problems = row["problems"]
    return {
        "mean": mean_text("mean", row["mean"], row["answered"], problems),
        "mean_gap": mean_text("mean_gap", row["mean_gap"], row["compared"], problems),
    }


def _draw(comparisons: list[Comparison], figure: ComparisonFigure, output: Path) -> None:
    from pandas import concat

    frames = []
    for comparison in comparisons:
        titles = {reference.name: reference.title for reference in get(comparison.benchmark).references}
        entries = []
        for entry in comparison.entries:
            title = titles.get(entry.method, entry.method)
            entries.append(entry._replace(method=title))
        frames.append(replace(comparison, entries=tuple(entries)).to_frame())
    frame = concat(frames, ignore_index=True)
    draw = {
        "gaps": figures.methods.gap_distribution,
        "profile": figures.methods.performance_profile,
    }[figure]
    caption = figures.style.save(lambda: draw(frame), output)
    tell(f"caption of {output.name}: {caption}", "note")
