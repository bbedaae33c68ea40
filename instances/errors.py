"""Typed errors: every complaint about input names the file, the field, the value and what would be right."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from math import inf
from reprlib import Repr
from typing import Any, Self


class PlanoracleError(Exception):
    """Base of all errors raised on purpose by planoracle."""


#: Longest message and longest path of a field, in characters: both may name what a file holds.
_MAX_MESSAGE, _MAX_FIELD = 2_000, 500
#: Most faults of one file that are named.
MAX_FAULTS = 20


# Formats the beginning of a value: nested references can stand for far more text than there is memory.
_BEGINNING = Repr()
_BEGINNING.maxlist = _BEGINNING.maxtuple = _BEGINNING.maxdict = _BEGINNING.maxset = _BEGINNING.maxfrozenset = 40
_BEGINNING.maxstring = _BEGINNING.maxother = 200


def _show(value: object, limit: int = 80) -> str:
    if isinstance(value, str) and len(value) > limit:
        return f"{value[:limit]!r}... ({len(value)} characters)"
    try:
        text = _BEGINNING.repr(value)
    except ValueError:  # an int with too many digits to print
        return "a number with thousands of digits"
    return text if len(text) <= limit else f"{text[:limit]}..."


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 30]}... ({len(text)} characters)"


class InputError(PlanoracleError):
    """A file or value handed to planoracle is not what it should be.

    Parameters
    ----------
    message
        What is wrong and what would be right.
    source
        The file (or "<text>") it was read from, if any.
    field
        Path of the field, e.g. ``tasks[0].actions[2].duration``; in an instance an action stands for itself,
        e.g. ``actions[soup/boil].duration``.
    value
        The offending value; omitted from the message when not given.
    line
        Where that is in the file, from 1, if it is known.

    Examples
    --------
    >>> print(InputError("must be a whole number of ticks", source="k.json", field="duration", value=2.5))
    k.json: duration: must be a whole number of ticks (found 2.5)
    """

    _missing = object()

    def __init__(
        self,
        message: str,
        *,
        source: str | None = None,
        field: str | None = None,
        value: object = _missing,
        line: int | None = None,
    ) -> None:
        self.message = _cut(message, _MAX_MESSAGE)
        self.source = source
        self.field = field and _cut(field, _MAX_FIELD)
        self.value = None if value is self._missing else value
        found = "" if value is self._missing else f" (found {_show(value)})"
        self.given = value is not self._missing
        self.line = line
        place = f"{source}:{line}" if source and line else source
        super().__init__(": ".join(part for part in (place, self.field, self.message + found) if part))

    @property
    def faults(self) -> tuple[InputError, ...]:
        """All that is wrong, in the order of the file: this, unless there is more (see `FaultsError`)."""
        return (self,)

    def at(self, source: str, field: str | None = None, line: int | None = None) -> Self:
        """Return the same error with the file it was found in, and a field in front of its own."""
        path = ".".join(part for part in (field, self.field) if part) or None
        value = self.value if self.given else self._missing
        return type(self)(self.message, source=source, field=path, value=value, line=line or self.line)

    def each(self, change: Callable[[InputError], InputError]) -> InputError:
        """Return the error with a change made to every fault."""
        return change(self)


class FaultsError(InputError):
    """Several faults of one file; as text it is the first, and how many more there are.

    Examples
    --------
    >>> print(together([InputError("is missing", field="name"), InputError("unknown key", field="nmae", value="x")]))
    name: is missing (and 1 more)
    """

    def __init__(self, first: InputError, *others: InputError, more: bool = False) -> None:
        value = first.value if first.given else self._missing
        said = f"{first.message} (and {'at least ' if more else ''}{len(others) + more} more)"
        super().__init__(said, source=first.source, field=first.field, value=value, line=first.line)
        self._faults = (first, *others)
        #: Whether there are faults beyond `MAX_FAULTS`.
        self.more = more

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), more=self.more), self._faults

    @property
    def faults(self) -> tuple[InputError, ...]:
        """All that is wrong, `MAX_FAULTS` at most."""
        return self._faults

    def at(self, source: str, field: str | None = None, line: int | None = None) -> Self:
        """Return the same errors with the file they were found in, and a field in front of their own."""
        return type(self)(*(fault.at(source, field, line) for fault in self._faults), more=self.more)

    def each(self, change: Callable[[InputError], InputError]) -> FaultsError:
        """Return the errors with a change made to every one, in the order of their lines."""
        return FaultsError(*sorted(map(change, self._faults), key=lambda fault: fault.line or inf), more=self.more)


def together(faults: Iterable[InputError]) -> InputError | None:
    """Return one error for all faults, ``None`` if there are none."""
    left = iter(faults)
    found = list(islice(left, MAX_FAULTS))
    if len(found) < 2:
        return found[0] if found else None
    return FaultsError(*found, more=next(left, None) is not None)


class InputWarning(UserWarning):
    """Something in a file that is allowed, and hardly meant."""


class SetupWarning(UserWarning):
    """Something that is installed does not work and is done without."""


class UnknownNameError(InputError):
    """A name on the command line or in a submission that stands for no instance, heuristic or option."""


class PlanError(InputError):
    """A submitted plan that cannot be read as a plan at all (too long, wrong shape, not text)."""


class InternalError(PlanoracleError):
    """planoracle contradicted itself, e.g. its own schedule did not pass its own rules; please report it."""
