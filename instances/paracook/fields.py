"""Values of files as what they must be; each function raises `InputError` naming field and value."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from planoracle.instances.errors import InputError

# Longest name, most entries of a list that is read to its end.
_LONGEST, _MOST = 200, 5_000


@contextmanager
def within(source: str) -> Iterator[None]:
    """Let errors name a file that name none yet."""
    try:
        yield
    except InputError as error:
        raise (error if error.source else error.at(source)) from None


def an_object(value: Any, field: str) -> dict[str, Any]:
    """Return an object."""
    if not isinstance(value, dict):
        raise InputError("must be an object", field=field, value=value)
    return value


def a_list(value: Any, field: str) -> list[Any]:
    """Return a list."""
    if not isinstance(value, list) or len(value) > _MOST:
        raise InputError(f"must be a list of at most {_MOST}", field=field, value=value)
    return value


def some(value: Any, field: str) -> list[Any]:
    """Return a list that is not empty."""
    found = a_list(value, field)
    if not found:
        raise InputError("must not be empty", field=field, value=value)
    return found


def a_text(value: Any, field: str) -> str:
    """Return text that can be a name."""
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        raise InputError("must be a short text", field=field, value=value)
    return value


def a_whole(value: Any, field: str) -> int:
    """Return a whole number that is not negative."""
    if type(value) is not int or value < 0:
        raise InputError("must be a whole number, 0 or more", field=field, value=value)
    return value
