"""What is handed in: submissions, and the plans they hold, read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from planoracle.instances.errors import InputError

__all__ = ["Plan", "given_limit", "given_plan"]

_C = TypeVar("_C", covariant=True)


@dataclass(frozen=True, slots=True)
class Plan(Generic[_C]):
    """A plan as it was handed in, and as its benchmark reads it.

    Attributes
    ----------
    given
        What was handed in: text, a list, a log.
    commands
        The same in the form that the benchmark's rules take.
    limit
        Ticks that the submission itself allows its run; ``None``: those of the problem.
    """

    given: object
    commands: _C
    limit: int | None = None


def given_plan(submission: object, fields: Sequence[str]) -> object:
    """Return the plan of a submission: its first of some fields, or all of it if it is no record but a bare plan.

    Raises
    ------
    InputError
        If a record has none of the fields.

    Examples
    --------
    >>> given_plan({"id": "a", "plan": "wash cup"}, ("actions", "plan")), given_plan("wash cup", ("plan",))
    ('wash cup', 'wash cup')
    """
    if submission is None:  # nothing has been done yet
        return []
    if isinstance(submission, Mapping):
        for field in fields:
            if field in submission:
                return submission[field]
        if {"id", "instance"} & submission.keys():
            raise InputError("is missing", field=fields[-1])
    return submission


def given_limit(submission: object, field: str, most: int, what: str, optional: bool = False) -> int | None:
    """Return the limit that a submission sets its own run, ``None`` if it sets none.

    Parameters
    ----------
    most, what, optional
        The largest limit, what it is a number of, and whether it may be null, for none.

    Raises
    ------
    InputError
        If it is no whole number up to ``most``.
    """
    if not isinstance(submission, Mapping) or field not in submission:
        return None
    value = submission[field]
    if value is None and optional:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise InputError(f"must be {what}, at most {most}", field=field, value=value)
    return value
