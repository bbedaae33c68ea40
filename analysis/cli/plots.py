"""Tables and figures of ``planoracle grade --plot``: averages of models, and progress over time."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import typer

from planoracle.analysis import figures
from planoracle.analysis.cli.output import Format, write_table
from planoracle.analysis.console import tell
from planoracle.analysis.grading.grader import set_of
from planoracle.analysis.statistics.grade_columns import VALUE, GradeRows
from planoracle.analysis.statistics.groupings import owner_of
from planoracle.analysis.statistics.plots import averages_of_models, progress_of_models
from planoracle.instances.files import catalog
from planoracle.instances.protocol.scoring import PROGRESS_OVER_TIME

_OVER_TIME = ("time", "progress")


class PlotAxes(NamedTuple):
    """Columns on the horizontal and the vertical axis."""

    x: str
    y: str

    @classmethod
    def of(cls, text: str) -> PlotAxes:
        """Return the columns in a text; raises `typer.BadParameter` unless there are two."""
        names = [name.strip() for name in text.split(",")]
        if len(names) != 2 or not all(names):
            message = f"must be two columns, such as overall,streak or time,progress; not {text!r}"
            raise typer.BadParameter(message, param_hint="--plot")
        return cls(names[0], names[1])

    @property
    def is_over_time(self) -> bool:
        """True for the progress over time."""
        return self == _OVER_TIME

    @property
    def values(self) -> tuple[str, ...]:
        """Fields of rows that `planoracle.analysis.statistics.grade_columns.GradeRows` must store."""
        return (PROGRESS_OVER_TIME,) if self.is_over_time else ()


def show_plot(grades: GradeRows, axes: PlotAxes, form: Format, output: Path | None) -> None:
    """Write the points of a plot as a table or data, and draw them.

    Parameters
    ----------
    grades
        Rows with the fields of `PlotAxes.values`.
    output
        File of the figure, if there is one.

    Raises
    ------
    InputError
        If the grades have no such column.
    """
    benchmarks = [name for name in grades.tables() if name]
    if not benchmarks:
        tell("no grade refers to a known problem", "note")
        return
    titles = ", ".join(owner_of(name).title for name in benchmarks)
    draw: Any
    if axes.is_over_time:
        frame = grades.frame()
        runs = frame[frame["benchmark"] != ""]
        rows = progress_of_models(runs)
        columns = ("model", "benchmark", *axes, "runs")
        omitted = int(runs[f"{VALUE}{PROGRESS_OVER_TIME}"].isna().sum())
        if omitted:
            tell(f"{omitted} of {len(runs)} grades have no field {PROGRESS_OVER_TIME} and are omitted", "note")
        draw = partial(figures.model_plots.progress_lines, rows, _unit(runs), about=f"{titles}: progress over time")
    else:
        rows = averages_of_models(grades, benchmarks, axes)
        columns = ("model", "benchmark", "problems", *axes)
        about = f"{titles}: {axes.y} against {axes.x}"
        draw = partial(figures.model_plots.average_points, rows, *axes, about=about)
    write_table(form, columns, rows)
    if output is not None:
        caption = figures.style.save(draw, output)
        tell(f"caption of {output.name}: {caption}", "note")


def _unit(frame: Any) -> str:
    """Return the unit of the bundled problems of a frame; ``tick`` if it is unknown or differs."""
    units = set()
    for name in frame.groupby("benchmark")["instance"].first():
        bundled = set_of(name)[1]
        units.add(catalog.problem(bundled[0]).unit if bundled else "tick")
    return units.pop() if len(units) == 1 else "tick"
