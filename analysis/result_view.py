"""Text, table, HTML and Gantt chart of the result of a solve.

`planoracle.solver.result.Result` is data; its methods ``__str__``, ``_repr_html_``, ``to_frame`` and ``gantt`` call
these functions.
"""

from __future__ import annotations

from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any

from planoracle.analysis import figures
from planoracle.analysis.cli.output import draw, human
from planoracle.analysis.run_schedule import plan_rows, rows_for_people
from planoracle.instances.errors import InputError
from planoracle.instances.model.problem import Problem
from planoracle.instances.text import visible
from planoracle.solver.result import Result, in_words

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Columns and rows of the plan in the text and the HTML of a result.
_COLUMNS = (
    *("start_date", "end_date", "start", "end", "action", "agent", "agent_until", "resources", "label", "mode_name"),
)
_MAX_ROWS = 30


def as_text(result: Result) -> str:
    """Return the table of the plan, with makespan, lower bound and proof in words."""
    record = result.as_dict()
    rows = _readable_rows(result)
    stream = StringIO()
    if rows:
        draw(rows[:_MAX_ROWS], _columns_in(rows), stream, wide=True)
    if len(rows) > _MAX_ROWS:
        stream.write(f"... and {len(rows) - _MAX_ROWS} more rows; to_frame() has all of them\n\n")
    title = f"{visible(result.instance)}: {record['status']}"
    return f"{title}\n{stream.getvalue()}{in_words(record)}"


def as_html(result: Result) -> str:
    """Return the table of the plan and its Gantt chart, for notebooks."""
    record = result.as_dict()
    text = f"{result.instance}: {record['status']}\n{in_words(record)}"
    summary = escape(visible(text, keep="\n"))
    rows = _readable_rows(result)
    if not rows:
        return f"<pre>{summary}</pre>"
    chart = figures.plan_figure.svg(_planned_problem(result), result.plan)
    return f"{_html_table(rows)}<pre>{summary}</pre>{chart}"


def as_frame(result: Result) -> pd.DataFrame:
    """Return the plan, a row per piece or action; see `Result.to_frame`."""
    from planoracle.analysis.frames.schema import from_rows, problem_columns  # which imports the grader

    problem = _planned_problem(result)
    shared = problem_columns(problem.name, problem.benchmark) | {"method": result.method}
    return from_rows("schedules", [shared | row for row in plan_rows(problem, result)])[0]


def gantt_chart(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the plan as a Gantt chart; see `Result.gantt`."""
    axes: Axes = figures.plan_figure.draw(_planned_problem(result), result.plan, ax)
    return axes


def _readable_rows(result: Result) -> list[dict[str, Any]]:
    """Return the rows of the plan; none without a plan, or without the problem."""
    if result.problem is None or result.plan is None:
        return []
    return rows_for_people(plan_rows(result.problem, result))


def _columns_in(rows: list[dict[str, Any]]) -> list[str]:
    """Return the columns in which some row has a value."""
    columns = []
    for column in _COLUMNS:
        values = (row.get(column) for row in rows)
        if any(value not in (None, "") for value in values):
            columns.append(column)
    return columns


def _html_table(rows: list[dict[str, Any]]) -> str:
    """Return an HTML table of the first and the last rows."""
    import pandas as pd  # slow to import

    columns = _columns_in(rows)
    cells = [{name: human(name, row.get(name)) for name in columns} for row in rows]
    is_cut = len(rows) > _MAX_ROWS
    html: str = pd.DataFrame(cells).to_html(index=False, max_rows=_MAX_ROWS, show_dimensions=is_cut)
    return html


def _planned_problem(result: Result) -> Problem:
    """Return the problem, after a check that there is a plan."""
    if result.plan is None:
        raise InputError(f"has no plan; the status is {result.status}", field=result.instance)
    if result.problem is None:
        raise InputError("must be set; planoracle.solve sets it", field="problem")
    return result.problem
