"""Reader of the rows that ``planoracle grade`` writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from planoracle.analysis.grading.grader import Grade, split_row
from planoracle.analysis.grading.metrics import METRICS
from planoracle.analysis.intake.path_names import EntryError, SourceLine, as_place
from planoracle.analysis.intake.record_fields import MAX_NAME, identity_of, is_grade
from planoracle.analysis.intake.submissions import Entries, Intake
from planoracle.instances.errors import InputError
from planoracle.instances.model.problem import GENERAL
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.scoring import Metric

_TEXTS = {"kind", "subject", "message"}
_TICKS = {"index", "start", "end"}
# Fields that a violation must have, and those that it may have.
_REQUIRED = _TEXTS | {"index"}
_ACCEPTED = _TEXTS | _TICKS | {"others", "resource", "required", "actual"}


def read_grades(*paths: str | Path) -> Iterator[Grade]:
    """Yield the grades in files or folders of rows of ``planoracle grade`` (JSON lines or JSON).

    An entry that is not a grade becomes an unscored grade with a reason.

    Parameters
    ----------
    paths
        Files or folders.

    Raises
    ------
    InputError
        If a path cannot be opened.

    Examples
    --------
    >>> import json
    >>> from tempfile import TemporaryDirectory
    >>> from planoracle import grade
    >>> plans = [{"instance": "timearena/lab1", "model": name, "plan": "wait"} for name in ("gpt", "llama")]
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "grades.json")
    ...     path.write_text(json.dumps([graded.row() for graded in grade(plans)])) and None
    ...     [graded.model for graded in read_grades(path)]
    ['gpt', 'llama']

    ``planoracle.pairs(read_grades("grades.jsonl"))`` compares the models.
    """
    return grades_in(Intake(paths))


def grades_in(entries: Entries) -> Iterator[Grade]:
    """Yield the grades of entries; another entry becomes an unscored grade with a reason."""
    for position, entry in entries:
        place = as_place(position)
        if isinstance(entry, InputError):
            yield unread_grade(entry, place)
        elif is_grade(entry):
            yield grade_of(entry, place)
        else:
            yield unread_grade(
                EntryError(
                    InputError("is missing; the line is a submission, not a row of planoracle grade", field="scored"),
                    entry,
                ),
                place,
            )


def unread_grade(error: InputError, place: SourceLine) -> Grade:
    """Return the unscored grade of an unreadable entry."""
    return _unscored_grade(error.about if isinstance(error, EntryError) else {}, place, str(error))


def grade_of(row: dict[str, Any], place: SourceLine | int) -> Grade:
    """Return the grade of a row of ``planoracle grade``; unscored if the row is invalid.

    Examples
    --------
    >>> grade_of({"id": "a", "instance": "b", "scored": True, "success": True, "score": 3}, 1).metrics
    {'score': 3}
    >>> grade_of({"id": "a", "instance": "b", "scored": True, "progress": "all"}, 1).reason
    "progress: must be a number or null (got 'all')"
    """
    try:
        common, metrics = split_row(row)
        for name, value in common.items():
            _check(name, value)
        for name in ("id", "instance") if common["scored"] else ():
            if not isinstance(common.get(name), str):
                raise InputError("must be text", field=name, value=common.get(name))
        if common["scored"] and not isinstance(common.get("success"), bool):
            raise InputError("must be true or false", field="success", value=common.get("success"))
        violations = common.get("violations")
        common["violations"] = None if violations is None else tuple(violations)
        common |= as_place(place)._asdict()
        grade = Grade(**{"id": None, "instance": None, **common}, metrics=metrics if common["scored"] else {})
        if "main_score" in row or not grade.scored:
            return grade
        return replace(grade, main_score=_main_score(grade))
    except InputError as error:
        return _unscored_grade(row, as_place(place), str(error))


def is_grade_row(row: Any) -> bool:
    """Return True for a row of a grade with all common fields and the benchmark's metrics."""
    if not isinstance(row, dict) or not isinstance(row.get("scored"), bool):
        return False
    grade = grade_of(row, 1)
    benchmark = registry.find(grade.benchmark or "")
    columns = benchmark.columns if benchmark is not None and grade.scored else ()
    return grade.scored == row["scored"] and all(_has_value_of(grade.metrics, column) for column in columns)


def _has_value_of(metrics: dict[str, Any], column: Metric[Any]) -> bool:
    value = metrics.get(column.name)
    kinds = {"number": int | float, "count": int, "flag": bool, "text": str}
    return column.name in metrics and (value is None or isinstance(value, kinds.get(column.kind, object)))


def _main_score(grade: Grade) -> float | None:
    """Return the main score of a row without one; ``None`` if metrics that it needs are missing."""
    benchmark = registry.find(grade.benchmark or GENERAL) or registry.get(GENERAL)
    try:
        return benchmark.main_score(grade.row())
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        return None


def _check(name: str, value: Any) -> None:
    """Raise `InputError` for an invalid value of a field of grades."""
    if value is None and name != "scored":
        return
    fits, accepted = _KINDS[_KIND_OF.get(name, "text")]
    if not fits(value):
        raise InputError(f"must be {accepted}" + " or null" * (name != "scored"), field=name, value=value)
    if name in ("id", "model") and len(value) > MAX_NAME:
        raise InputError(f"must have at most {MAX_NAME:,} characters", field=name, value=value)


def _is_number(value: Any) -> bool:
    """Return True for a number that can be summed and divided."""
    return isinstance(value, float) or (type(value) is int and abs(value) < 2**200)


def _is_violation(value: Any) -> bool:
    """Return True for a row of a `Violation`; rows of older releases have its first four fields."""
    if not isinstance(value, dict) or not _REQUIRED <= value.keys() <= _ACCEPTED:
        return False
    conflicts = value.get("others", [])
    if not isinstance(conflicts, list) or not all(map(_is_conflict, conflicts)):
        return False
    has_texts = all(isinstance(value[name], str) for name in _TEXTS) and isinstance(value.get("resource"), str | None)
    has_ticks = all(_is_tick(value.get(name)) for name in _TICKS)
    return has_texts and has_ticks and all(_is_measure(value.get(name)) for name in ("required", "actual"))


def _is_tick(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def _is_conflict(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 3:
        return False
    return isinstance(value[0], str) and all(map(_is_tick, value[1:]))


def _is_measure(value: Any) -> bool:
    names = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return names or isinstance(value, str) or _is_tick(value)


def _unscored_grade(row: dict[str, Any], place: SourceLine, reason: str) -> Grade:
    fields = identity_of(row, "id", "instance", "model", "sample")
    return Grade(**fields, scored=False, **place._asdict(), reason=reason[:1000])


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**200


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_sample(value: Any) -> bool:
    return isinstance(value, str) or (type(value) is int and value >= 0)


def _are_violations(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_violation, value))


_KINDS: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "flag": (_is_flag, "true or false"),
    "number": (_is_number, "a number"),
    "count": (_is_count, "a whole number from 0"),
    "text": (_is_text, "text"),
    "sample": (_is_sample, "a whole number from 0, text"),
    "violations": (_are_violations, "a list of objects with index, kind, subject and message"),
}
# Kinds of metrics with the same values as another kind.
_SAME: Final = {"share": "number", "ticks": "count", "status": "text"}
_KIND_OF: Final = {metric.name: _SAME.get(metric.kind, metric.kind) for metric in METRICS} | {
    "line": "count",
    "sample": "sample",
    "violations": "violations",
}
