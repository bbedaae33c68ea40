"""Rows that ``planoracle grade`` has written, as grades."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from planoracle.analysis.grading.grader import Grade, parts_of
from planoracle.analysis.grading.metrics import METRICS
from planoracle.analysis.intake.path_names import EntryError, PathNames, placed
from planoracle.analysis.intake.record_fields import MAX_NAME, is_grade, said
from planoracle.analysis.intake.submissions import Entries, Intake
from planoracle.instances.errors import InputError
from planoracle.instances.model.problem import GENERAL
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.scoring import Metric

_TEXTS = {"kind", "subject", "message"}
_TICKS = {"index", "start", "end"}


def read_grades(*paths: str | Path) -> Iterator[Grade]:
    """Yield the grades in files or folders that hold what ``planoracle grade`` wrote, as JSON lines or JSON.

    What is none becomes an unscored grade that says why.

    Raises
    ------
    InputError
        If a path cannot be opened.
    """
    return grades_in(Intake(paths))


def grades_in(entries: Entries) -> Iterator[Grade]:
    """Yield the grades among entries; what is none becomes an unscored grade that says why."""
    for where, entry in entries:
        place = placed(where)
        if isinstance(entry, InputError):
            yield unread(entry, place)
        elif is_grade(entry):
            yield grade_of(entry, place)
        else:
            yield unread(EntryError(InputError("is a submission, and no grade", field="scored"), entry), place)


def unread(error: InputError, place: PathNames) -> Grade:
    """Return what is said of an entry that cannot be read."""
    return _unscored(error.about if isinstance(error, EntryError) else {}, place, str(error))


def grade_of(row: dict[str, Any], place: PathNames | int) -> Grade:
    """Read a row of ``planoracle grade --format jsonl``; a row that is none gives an unscored grade that says so.

    Examples
    --------
    >>> grade_of({"id": "a", "instance": "b", "scored": True, "success": True, "score": 3}, 1).metrics
    {'score': 3}
    >>> grade_of({"id": "a", "instance": "b", "scored": True, "progress": "all"}, 1).reason
    "progress: must be a number or null (got 'all')"
    """
    try:
        known, own = parts_of(row)
        for name, value in known.items():
            _check(name, value)
        for name in ("id", "instance"):
            if known["scored"] and not isinstance(known.get(name), str):
                raise InputError("must be text", field=name, value=known.get(name))
        if known["scored"] and not isinstance(known.get("success"), bool):
            raise InputError("must be true or false", field="success", value=known.get("success"))
        found = known.get("violations")
        known |= {"violations": None if found is None else tuple(found), **placed(place)._asdict()}
        known = {"id": None, "instance": None} | known
        found = Grade(**known, metrics=own if known["scored"] else {})
        return found if "main_score" in row or not found.scored else replace(found, main_score=_main_score(found))
    except InputError as error:
        return _unscored(row, placed(place), str(error))


def is_grade_row(row: Any) -> bool:
    """Return whether an object is a row of a grade with all fields, common ones and the benchmark's own."""
    if not isinstance(row, dict) or not isinstance(row.get("scored"), bool):
        return False
    grade = grade_of(row, 1)
    benchmark = registry.find(grade.benchmark or "")
    own = benchmark.metrics.COLUMNS if benchmark is not None and grade.scored else ()
    return grade.scored == row["scored"] and all(_holds(grade.metrics, column) for column in own)


def _holds(metrics: dict[str, Any], column: Metric) -> bool:
    value = metrics.get(column.name)
    kinds = {"number": int | float, "count": int, "flag": bool, "text": str}
    return column.name in metrics and (value is None or isinstance(value, kinds.get(column.kind, object)))


def _main_score(grade: Grade) -> float | None:
    """Work out what older rows do not say; ``None`` if they lack the benchmark's own figures."""
    benchmark = registry.find(grade.benchmark or GENERAL) or registry.get(GENERAL)
    try:
        return benchmark.main_score(grade.row())
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        return None


def _check(name: str, value: Any) -> None:
    """Raise `InputError` for a value that a field of grades cannot have."""
    if value is None and name != "scored":
        return
    fits, accepted = _KINDS[_KIND_OF.get(name, "text")]
    if not fits(value):
        raise InputError(f"must be {accepted}" + " or null" * (name != "scored"), field=name, value=value)
    if name in ("id", "model") and len(value) > MAX_NAME:
        raise InputError(f"must have at most {MAX_NAME:,} characters", field=name, value=value)


def _is_number(value: Any) -> bool:
    """Whether a value is a number that can be added up and divided."""
    return isinstance(value, float) or (type(value) is int and abs(value) < 2**200)


def _is_violation(value: Any) -> bool:
    """Return True for a row of a `Violation`; rows of older releases have its first four fields."""
    return (
        isinstance(value, dict)
        and value.keys() >= _TEXTS | {"index"}
        and value.keys() <= _TEXTS | _TICKS | {"others", "resource", "required", "actual"}
        and all(isinstance(value[name], str) for name in _TEXTS)
        and all(_is_tick(value.get(name)) for name in _TICKS)
        and isinstance(value.get("resource"), str | None)
        and isinstance(value.get("others", []), list)
        and all(_is_other(one) for one in value.get("others", ()))
        and all(_is_measure(value.get(name)) for name in ("required", "actual"))
    )


def _is_tick(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def _is_other(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 3 and isinstance(value[0], str) and all(map(_is_tick, value[1:]))


def _is_measure(value: Any) -> bool:
    names = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return names or isinstance(value, str) or _is_tick(value)


def _unscored(row: dict[str, Any], place: PathNames, reason: str) -> Grade:
    about = said(row, "id", "instance", "model", "sample")
    return Grade(**about, scored=False, **place._asdict(), reason=reason[:1000])


_KINDS: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "flag": (lambda value: isinstance(value, bool), "true or false"),
    "number": (_is_number, "a number"),
    "count": (lambda value: type(value) is int and 0 <= value < 2**200, "a whole number"),
    "text": (lambda value: isinstance(value, str), "text"),
    "sample": (lambda value: isinstance(value, str) or (type(value) is int and value >= 0), "a whole number, text"),
    "violations": (
        lambda value: isinstance(value, list) and all(map(_is_violation, value)),
        "a list of objects with index, kind, subject, message",
    ),
}
# Kinds of metrics that are read as another one.
_SAME: Final = {"share": "number", "ticks": "count", "status": "text"}
_KIND_OF: Final = {one.name: _SAME.get(one.kind, one.kind) for one in METRICS} | {
    "line": "count",
    "sample": "sample",
    "violations": "violations",
}
