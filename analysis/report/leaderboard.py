"""Tables of the first view: a row per submission, per model and set, and per problem."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planoracle.analysis.grading.grader import Grade
from planoracle.analysis.grading.metrics import REPORTED, SUMMARY
from planoracle.analysis.intake.record_fields import identity_of
from planoracle.analysis.report.details import plain, whole, whole_or_none
from planoracle.analysis.report.jobs import PlanWork
from planoracle.analysis.report.work import DecisionSheet, ReportEntry
from planoracle.analysis.statistics.grade_columns import GradeRows
from planoracle.analysis.statistics.groupings import UNNAMED
from planoracle.analysis.statistics.model_tables import causes_of_models, pairs_of_models
from planoracle.analysis.statistics.summary import summarize
from planoracle.instances.files import catalog
from planoracle.instances.model.problem import GENERAL
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.profiles import Rules

# Models of a set are ordered by these, the highest first.
_BEST = ("success", "score")
_OUTCOMES = {True: 0, False: 1, None: 2}


@dataclass(frozen=True, slots=True)
class LeaderboardLine:
    """Submission with its grade and regret.

    ``plan`` is the place of its plan in the work, ``number`` that of the submission: its line in a single file.
    """

    grade: Grade
    plan: int
    faults: int
    priced: DecisionSheet | None
    number: int
    sample: str | int | None = None

    @property
    def lost(self) -> float | None:
        """Regret of a failed run at its end, as a share of the optimum; ``None`` if unknown."""
        priced = self.priced
        if priced is None or priced.lost is None or not priced.optimum:
            return None
        return priced.lost / priced.optimum


def lines_of(work: PlanWork) -> list[LeaderboardLine]:
    """Return all submissions in the order of their lines."""
    lines = []
    for i, (entries, sheet) in enumerate(zip(work.lines, work.sheets, strict=True)):
        priced = work.priced.get(i)
        for entry in entries:
            grade = _grade_of_line(sheet.grade, entry)
            lines.append(LeaderboardLine(grade, i, sheet.faults, priced, entry.number, entry.sample))
    return sorted(lines, key=lambda line: line.number)


def _grade_of_line(grade: Grade, entry: ReportEntry) -> Grade:
    """Return the grade of a plan with the names of a line."""
    if entry.submission is None:
        return grade
    names = identity_of(entry.submission, "id", "model", "sample", longest=None)
    return replace(grade, **names, **entry.place._asdict())


def set_name(grade: Grade) -> str:
    """Return the bundled set of a problem, or else its benchmark."""
    return catalog.set_of(grade.instance or "")[0] or plain(grade.benchmark or "", 60)


def board(
    lines: Iterable[LeaderboardLine], rules: Mapping[str, Rules] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Return averages, pairs and causes of failure of models.

    Returns
    -------
    dict of list of dict
        ``overall``: a row per model, over all sets, the most successful first; ``models``: a row per model and set.
        Both have the fields of `planoracle.analysis.statistics.summary.Summary` with the metrics of
        `planoracle.analysis.grading.metrics.REPORTED` and without the benchmarks' own, and under shorter names
        ``score`` (``main_score``) and ``ratio``, the mean makespan by optimum of successes. ``pairs``: rows of the
        frame ``pairings``, the more successful model first; ``causes``: rows of the frame ``causes``.
    """
    rows = _rows(list(lines), rules)
    summary = summarize(rows, metrics=(*SUMMARY, *REPORTED), by_paper=False)
    sets = []
    for row in summary.sets:
        label = row["set"] or plain(row["benchmark"], 60)
        sets.append(_model_row(row) | {"set": label})
    causes = causes_of_models(rows) if summary.models else []
    names = [row["model"] or UNNAMED for row in summary.models if row["problems"]]
    overall = [_model_row(row) for row in summary.models]
    pairs = [_with_visible_names(row, "a", "b") for row in pairs_of_models(rows, names)]
    causes = [_with_visible_names(row, "model") for row in causes]
    return {"overall": overall, "models": sorted(sets, key=_place), "pairs": pairs, "causes": causes}


def _with_visible_names(row: dict[str, Any], *fields: str) -> dict[str, Any]:
    """Return a row whose fields with names of models are fit for display."""
    return row | {field: _visible_name(row[field]) for field in fields}


def _visible_name(model: str) -> str:
    return "" if model == UNNAMED else plain(model)


def _model_row(row: dict[str, Any]) -> dict[str, Any]:
    ratio = None if row["gap"] is None else 1 + row["gap"]
    return row | {"model": plain(row["model"]), "score": row["main_score"], "ratio": ratio}


def _place(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return the sort key of a row: by set, the best first, unknown values last."""
    values = [row[name] for name in _BEST]
    return (row["set"], *((value is None, -(value or 0)) for value in values))


def _rows(lines: Sequence[LeaderboardLine], rules: Mapping[str, Rules] | None) -> GradeRows:
    """Return the grades of submissions with the costs of their decisions.

    A grade of another tool without the fields that the figures of its benchmark need counts as unscored.
    """
    # A line that is not a grade may lack its benchmark.
    benchmarks = {set_name(line.grade): line.grade.benchmark for line in lines if line.grade.benchmark}
    rows = GradeRows(rules)
    for line in lines:
        benchmark = line.grade.benchmark or benchmarks.get(set_name(line.grade))
        grade = replace(line.grade, benchmark=benchmark)
        try:
            rows.add(grade, lost=line.lost, faults=line.faults)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
            rows.add(replace(grade, scored=False))
    return rows


def _place_of(text: str, places: dict[str, int]) -> int:
    """Return the index of a text in a table of distinct texts; add it if it is missing."""
    return places.setdefault(text, len(places))


def scoring(lines: Iterable[LeaderboardLine]) -> str:
    """Return the meaning of the score in the benchmarks of some submissions."""
    names = sorted({line.grade.benchmark or GENERAL for line in lines})
    rows = GradeRows()
    texts = []
    for name in names:
        benchmark = registry.find(name)
        if benchmark is None:
            continue
        for average in rows.figures(name):
            if "main" in average.role:
                metric = average.name.replace("_", " ")
                texts.append(f"{benchmark.title}: {metric}, {average.meaning}")
    return f"Main metric of the benchmark times 100. {'; '.join(texts)}"


def meanings() -> dict[str, tuple[str, str]]:
    """Return the help texts of the metrics of all benchmarks, of one plan and of averages, as sentences."""
    texts = {}
    for metric in (*SUMMARY, *REPORTED):
        texts[metric.name] = _sentence(metric.meaning), _sentence(metric.average)
    return texts


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def columns(
    lines: Sequence[LeaderboardLine],
    places: Sequence[tuple[int, int]],
    names: dict[str, int],
) -> dict[str, Any]:
    """Return the rows of all submissions column by column.

    Parameters
    ----------
    places
        Chunk and position of every plan of the work.
    names
        Index of every problem of the page.

    Returns
    -------
    dict
        ``id, line, source`` (file), ``at`` (its line)``, model, instance, outcome`` (0 success, 1 failure, 2
        unscored)``, why, faults, score, progress, makespan, optimum, priced, total, lost, chunk, place``, and the texts
        of ``models``, ``whys`` (causes of failures, reasons of unscored ones) and ``sources``; and,
        if any line has them, ``sample, read, from, ignored, other`` (reason why it is for another problem), and
        ``status`` and ``bound`` of the optimum.
    """
    models: dict[str, int] = {}
    whys: dict[str, int] = {}
    sources: dict[str, int] = {}
    grades = [line.grade for line in lines]
    priced = [line.priced for line in lines]
    table: dict[str, list[Any]] = {}
    table["id"] = [plain(grade.id or "") for grade in grades]
    table["line"] = [line.number for line in lines]
    table["source"] = [_place_of(plain(grade.source or ""), sources) for grade in grades]
    table["at"] = [whole_or_none(grade.line) for grade in grades]
    table["model"] = [_place_of(plain(grade.model or ""), models) for grade in grades]
    table["instance"] = [names[grade.instance or ""] for grade in grades]
    table["outcome"] = [_OUTCOMES[bool(grade.success) if grade.scored else None] for grade in grades]
    table["why"] = [_place_of(_reason(grade), whys) for grade in grades]
    table["faults"] = [line.faults if line.grade.scored else None for line in lines]
    table["score"] = [grade.main_score for grade in grades]
    table["progress"] = [grade.progress for grade in grades]
    table["makespan"] = [whole_or_none(grade.makespan) for grade in grades]
    table["optimum"] = [whole_or_none(grade.optimal_makespan) for grade in grades]
    table["priced"] = [int(sheet is not None) for sheet in priced]
    table["total"] = [None if sheet is None else whole_or_none(sheet.total) for sheet in priced]
    table["lost"] = [None if sheet is None else whole_or_none(sheet.lost) for sheet in priced]
    table["chunk"] = [places[line.plan][0] for line in lines]
    table["place"] = [places[line.plan][1] for line in lines]
    table |= {"models": list(models), "whys": list(whys), "sources": list(sources)}
    return table | _remarks(lines)


def _reason(grade: Grade) -> str:
    """Return the cause of a failure, or the reason why a submission is unscored; may be empty."""
    reason = grade.failure_cause if grade.scored else grade.reason
    return plain(reason or "", 300)


def _remarks(lines: Sequence[LeaderboardLine]) -> dict[str, list[Any]]:
    """Return the optional columns that any grade has."""
    rows = [line.grade.row() for line in lines]
    columns: dict[str, list[Any]] = {"sample": [_sample(line) for line in lines]}
    for name, (field, as_value) in _REMARKS.items():
        columns[name] = [as_value(row.get(field)) for row in rows]
    return {name: values for name, values in columns.items() if values.count(None) < len(values)}


def _sample(line: LeaderboardLine) -> str | int | None:
    """Return the sample of a line, fit for display."""
    return plain(line.sample, 60) if isinstance(line.sample, str) else line.sample


def _count(value: object) -> int | None:
    return whole(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: object) -> str | None:
    return plain(value, 500) if isinstance(value, str) else None


# Field of a grade, and function that checks its value, of each optional column.
_REMARKS: dict[str, tuple[str, Callable[[object], Any]]] = {
    "read": ("read", _count),
    "from": ("read_from", _text),
    "ignored": ("ignored", _count),
    "other": ("other_problem", _text),
    "status": ("optimum_status", _text),
    "bound": ("optimum_bound", _count),
}


def problem_row(name: str, set_name: str, chart: str | None, chunk: int) -> list[Any]:
    """Return ``[name, set, unit, seconds per tick, origin, status, optimum, bound, chunk of chart]``."""
    if chart is None:
        return [name, set_name, "tick", None, 0, None, None, None, -1]
    content = json.loads(chart)
    best = content["optimum"]
    times = [content[field] for field in ("unit", "seconds", "first")]
    results = [best[field] for field in ("status", "makespan", "bound")]
    return [name, set_name, *times, *results, chunk]
