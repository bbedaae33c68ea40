"""What a line of the input is: a submission, a grade written by ``planoracle grade``, or nothing that can be read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from planoracle.analysis.grade import Grade
from planoracle.instances import registry
from planoracle.instances.errors import InputError
from planoracle.instances.problem import GENERAL

__all__ = ["Entry", "entries_of", "grade_of"]

_NUMBERS = {"progress", "goal_ratio", "main_score"}
_COUNTS = {
    *("violation_index", "executed", "makespan", "optimal_makespan", "optimum_bound", "line", "read", "ignored"),
    "foreign",
}
_TEXTS = {"kind", "subject", "message"}
_TICKS = {"index", "start", "end"}
# What a submission is called, and where it comes from, beside what it says.
_NAMES = {"id", "model", "sample", "epoch", "line", "source"}
_OWN = {entry.name for entry in fields(Grade)} - {"metrics"}


@cache
def _plan_fields() -> frozenset[str]:
    """Return the fields that may hold a plan; a grade has numbers under some of these."""
    return frozenset(field for name in registry.names() for field in registry.get(name).plan_fields)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: a ``submission`` that is to be graded, or a ``grade``, maybe only of a line that cannot be read."""

    line: int
    submission: dict[str, Any] | None = None
    grade: Grade | None = None

    @property
    def instance(self) -> str | None:
        """Name of the problem, as far as it is text."""
        name = self.grade.instance if self.submission is None else self.submission.get("instance")  # type: ignore[union-attr]
        return name if isinstance(name, str) else None

    @property
    def sample(self) -> str | int | None:
        """Which try of the model at the problem it is, if it says so."""
        if self.submission is not None:
            found = self.submission.get("sample", self.submission.get("epoch"))
        else:
            found = None if self.grade is None else self.grade.row().get("sample")
        return found if isinstance(found, int | str) and not isinstance(found, bool) else None

    @property
    def key(self) -> str | int:
        """The same for submissions that differ only in name and model, so that all that is said of them is the same."""
        if self.submission is None:
            return self.line
        try:
            kept = {name: value for name, value in self.submission.items() if name not in _NAMES}
            return json.dumps(kept, sort_keys=True)
        except (RecursionError, TypeError, ValueError):
            return self.line


def entries_of(lines: Iterable[tuple[int, Any | InputError]]) -> Iterator[Entry]:
    """Yield an entry for every line of `planoracle.analysis.submissions.read_submissions`."""
    for line, content in lines:
        if isinstance(content, InputError):
            yield Entry(line, grade=_unscored({}, line, str(content)))
        elif not isinstance(content, dict):
            reason = str(InputError("must be an object with id, instance and plan", field="submission", value=content))
            yield Entry(line, grade=_unscored({}, line, reason))
        elif "scored" in content and not any(
            isinstance(content.get(name), str | list | dict) for name in _plan_fields()
        ):
            yield Entry(line, grade=grade_of(content, line))
        else:
            yield Entry(line, submission=content)


def grade_of(row: dict[str, Any], line: int) -> Grade:
    """Read a row of ``planoracle grade --format jsonl``; a row that is none gives an unscored grade that says so.

    Examples
    --------
    >>> grade_of({"id": "a", "instance": "b", "scored": True, "success": True, "score": 3}, 1).metrics
    {'score': 3}
    >>> grade_of({"id": "a", "instance": "b", "scored": True, "progress": "all"}, 1).reason
    "progress: must be a number or null (found 'all')"
    """
    try:
        known = {name: value for name, value in row.items() if name in _OWN}
        for name, value in known.items():
            _check(name, value)
        for name in ("id", "instance"):
            if known["scored"] and not isinstance(known.get(name), str):
                raise InputError("must be text", field=name, value=known.get(name))
        if known["scored"] and not isinstance(known.get("success"), bool):
            raise InputError("must be true or false", field="success", value=known.get("success"))
        found = known.get("violations")
        known |= {"violations": None if found is None else tuple(found), "line": line}
        known = {"id": None, "instance": None} | known
        own = {name: value for name, value in row.items() if name not in _OWN and name not in ("format", "version")}
        found = Grade(**known, metrics=own if known["scored"] else {})
        return found if "main_score" in row or not found.scored else replace(found, main_score=_main_score(found))
    except InputError as error:
        return _unscored(row, line, str(error))


def _main_score(grade: Grade) -> float | None:
    """Work out what older rows do not say; ``None`` if they lack the benchmark's own figures."""
    benchmark = registry.find(grade.benchmark or GENERAL) or registry.get(GENERAL)
    try:
        return benchmark.main_score(grade.row())
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        return None


def _check(name: str, value: Any) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if name == "scored":
        if not isinstance(value, bool):
            raise InputError("must be true or false", field=name, value=value)
    elif value is None:
        return
    elif name == "sample":
        if not isinstance(value, str) and not (number and isinstance(value, int)):
            raise InputError("must be a whole number, text or null", field=name, value=value)
    elif name == "violations":
        if not isinstance(value, list) or not all(_is_violation(one) for one in value):
            raise InputError("must be a list of objects with index, kind, subject, message", field=name, value=value)
    elif name == "success":
        if not isinstance(value, bool):
            raise InputError("must be true, false or null", field=name, value=value)
    elif name in _NUMBERS:
        if not number:
            raise InputError("must be a number or null", field=name, value=value)
    elif name in _COUNTS:
        if not number or not isinstance(value, int) or value < 0:
            raise InputError("must be a whole number or null", field=name, value=value)
    elif not isinstance(value, str):
        raise InputError("must be text or null", field=name, value=value)


def _is_violation(value: Any) -> bool:
    """Whether a value is a row of `planoracle.instances.replay.Violation`; older ones have the first four fields."""
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


def _unscored(row: dict[str, Any], line: int, reason: str) -> Grade:
    texts: dict[str, Any] = {
        name: row[name][:200] if isinstance(row.get(name), str) else None for name in ("id", "instance", "model")
    }
    return Grade(**texts, scored=False, line=line, reason=reason[:1000])
