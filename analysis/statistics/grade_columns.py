"""Grades as counted outcomes and as a frame: what every grade adds to the averages of its benchmark."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from planoracle.analysis.grading.grader import NOT_SCORED, Grade, set_of
from planoracle.analysis.grading.rule_options import complete_rules
from planoracle.analysis.statistics.groupings import EQUAL_RUNS, owner_of
from planoracle.analysis.statistics.run_table import ProblemRuns, RunTable
from planoracle.instances.model.agents import split_agent_suffix
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.scoring import Average

if TYPE_CHECKING:
    import pandas as pd

#: Beginning of the names of columns with the values of a metric, see `GradeRows`.
VALUE = "value:"

# Characters of the name of a problem that are looked at.
_LONGEST_NAME = 1_000


@lru_cache(maxsize=65_536)
def labels_of(benchmark: str, name: str, by: str) -> tuple[str, ...]:
    """Return the values of a problem in a group of `Benchmark.groups`, ``("",)`` if there are none.

    A suffix for other agents stays in the values.

    >>> labels_of("timearena", "timearena/lab1+lab2~2", "task"), labels_of("timearena", "timearena/lab1", "delay")
    (('lab1~2', 'lab2~2'), ('',))
    """
    shortened = name[:_LONGEST_NAME]
    path, crew = split_agent_suffix(shortened) or (shortened, "")
    values = dict.fromkeys(owner_of(benchmark).groups(path).get(by, ()))
    return tuple(value and value + crew for value in values) or ("",)


def value_label(value: object) -> str | None:
    """Return the group of a run by the value of a field, ``None`` without a value.

    >>> value_label(True), value_label(3), value_label(None)
    ('yes', '3', None)
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _text(str(value)[:_LONGEST_NAME])


def figures_of(benchmark: str, rules: Mapping[str, Rules]) -> tuple[Average, ...]:
    """Return the figures of a benchmark under complete rules; the general ones if it is unknown."""
    match = owner_of(benchmark)
    return match.metrics.averages(rules[match.name])


class GradeRows:
    """Grades by benchmark, checked one by one, as counts of distinct outcomes, see `RunTable`.

    Parameters
    ----------
    rules
        Rules by benchmark, which may change how grades are averaged; by default those of ``paper``.
    values
        Fields of rows whose values are stored, for groups of runs and for figures.
    """

    def __init__(self, rules: Mapping[str, Rules] | None = None, values: Sequence[str] = ()) -> None:
        self.rules = complete_rules(rules)
        self.values = values
        self._tables: dict[str, RunTable] = {}

    def figures(self, benchmark: str) -> tuple[Average, ...]:
        """Return the figures of a benchmark."""
        return figures_of(benchmark, self.rules)

    def accepts(self, grade: Grade) -> bool:
        """Return True if a grade has the fields that the figures of its benchmark need."""
        row = grade.row() if grade.scored else None
        try:
            self._table(_text(grade.benchmark)).outcome(row, None, success=False)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
            return False
        return True

    def _table(self, benchmark: str) -> RunTable:
        if benchmark not in self._tables:
            self._tables[benchmark] = RunTable(benchmark, self.figures(benchmark))
        return self._tables[benchmark]

    def add(self, grade: Grade, row: Mapping[str, Any] | None = None, **prices: float | None) -> None:
        """Add a grade.

        Parameters
        ----------
        row
            The row of the grade if it is available, see `planoracle.analysis.grading.grader.Grade.row`.
        prices
            Metrics that only the report knows, see `planoracle.analysis.grading.metrics`: ``lost``, ``faults``.

        Raises
        ------
        KeyError, TypeError, ValueError, AttributeError, ArithmeticError
            If the grade lacks fields that the figures of its benchmark need. Then nothing is added.
        """
        scored_row = {**(row or grade.row(trace=bool(self.values))), **prices} if grade.scored else None
        is_success = bool(grade.scored and grade.success)
        cause = None
        if not is_success:
            cause = _text(grade.failure_cause) if grade.scored else NOT_SCORED
        table = self._table(_text(grade.benchmark))
        outcome = table.outcome(scored_row, cause, success=is_success)
        instance = _text(grade.instance)
        values = json.dumps([scored_row and scored_row.get(name) for name in self.values])
        sample = _text(grade.sample) if isinstance(grade.sample, str) else grade.sample
        table.add((set_of(instance)[0], _text(grade.model), instance, values), outcome, sample)

    def tables(self) -> dict[str, RunTable]:
        """Return the runs by benchmark, in order of names, without benchmarks of rejected grades only."""
        return {name: table for name, table in sorted(self._tables.items()) if table.parts}

    def models(self) -> list[str]:
        """Return the names of the models in order of appearance."""
        names: dict[str, None] = {}
        for table in self.tables().values():
            names |= dict.fromkeys(runs.model for runs in table.parts.values())
        return list(names)

    def frame(self, benchmark: str | None = None) -> pd.DataFrame:
        """Return the frame of all benchmarks or one: problem, model and terms of figures of every grade.

        Returns
        -------
        pandas.DataFrame
            ``benchmark, set, model, instance, scored, success, failure_cause``, and for every figure of the
            benchmarks (see `planoracle.instances.protocol.scoring.Average`) the columns ``NAME:top`` and
            ``NAME:bottom``, numerator and denominator, or ``NAME:counted``; and ``value:NAME`` for stored fields.
            Grades are in the order of the first ones of their outcomes.
        """
        import pandas as pd

        parts = []
        for name, table in self.tables().items():
            if benchmark not in (None, name):
                continue
            rows = []
            for runs, outcome, count in table.counted_outcomes():
                row = _labels(name, runs)
                row |= {"scored": outcome.scored, "success": outcome.success, "failure_cause": outcome.failure_cause}
                row |= zip(table.columns, outcome.numbers(), strict=True)
                row |= zip(table.counted, outcome.names, strict=True)
                row |= zip(map(VALUE.__add__, self.values), json.loads(runs.values), strict=True)
                rows += [row] * count
            dtypes = {"scored": "int8", "success": "int8", **dict.fromkeys(table.columns, "float64")}
            columns = {}
            for key in rows[0]:
                columns[key] = pd.Series([row[key] for row in rows], dtype=dtypes.get(key, "object"))
            parts.append(pd.DataFrame(columns))
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"benchmark": []})

    def outcomes(self) -> pd.DataFrame:
        """Return ``success`` and ``main_score`` of the grades, by which models are compared.

        Returns
        -------
        pandas.DataFrame
            ``benchmark, set, model, instance, scored, equal_runs, success, main_score``: a row per distinct outcome of
            a problem, with the number of its runs; shares are missing where the benchmark does not define them.
        """
        import pandas as pd

        rows: list[dict[str, Any]] = []
        for name, table in self.tables().items():
            figures = self.figures(name)
            figure_of = {}
            for column, role in (("success", "success"), ("main_score", "main")):
                figure_of[column] = next(figure for figure in figures if role in figure.role)
            for runs, outcome, count in table.counted_outcomes():
                row = _labels(name, runs) | {"scored": outcome.scored, EQUAL_RUNS: count}
                row |= {column: table.share(outcome, figure) for column, figure in figure_of.items()}
                rows.append(row)
        return pd.DataFrame(rows)


def _labels(benchmark: str, runs: ProblemRuns) -> dict[str, Any]:
    """Return the columns that name the problem and the model of some runs."""
    return {"benchmark": benchmark, "set": runs.set_name, "model": runs.model, "instance": runs.instance}


def _text(text: str | None) -> str:
    """Return a text that a frame can hold: without surrogates that stand alone."""
    return (text or "").encode("utf-8", "replace").decode("utf-8")
