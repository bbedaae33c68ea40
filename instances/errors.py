"""Typed errors; an error about input names the file, the field, the value and what is accepted."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from itertools import islice
from math import inf
from reprlib import Repr
from typing import Any, ParamSpec, Self, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


class PlanoracleError(Exception):
    """Base class of all errors that planoracle raises on purpose."""


#: Longest message and longest path of a field, in characters: both may contain text of a file.
_MAX_MESSAGE, _MAX_FIELD = 2_000, 500
#: Most faults of one file that are reported.
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
    if len(text) <= limit:
        return text
    return f"{text[:limit]}..."


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    beginning = text[: limit - 30]
    return f"{beginning}... ({len(text)} characters)"


class InputError(PlanoracleError):
    """Invalid file or value.

    Parameters
    ----------
    message
        What is wrong; what is accepted.
    source
        The file, or "<text>", from which the value was read; ``""`` if neither file nor line are printed.
    field
        Path of the field, e.g. ``tasks[0].actions[2].duration``; in an instance an action is named by its id,
        e.g. ``actions[soup/boil].duration``.
    value
        The invalid value; without it, the message shows none.
    line
        Line of the file, from 1.

    Examples
    --------
    >>> print(InputError("must be a whole number of ticks", source="k.json", field="duration", value=2.5))
    k.json: duration: must be a whole number of ticks (got 2.5)
    >>> print(InputError("is missing", source="k.json", field="name", line=3))
    k.json, line 3: name: is missing
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
        self.has_value = value is not self._missing
        self.line = line
        shown_value = f" (got {_show(value)})" if self.has_value else ""
        parts = (self.place, self.field, self.message + shown_value)
        super().__init__(": ".join(filter(None, parts)))

    @property
    def place(self) -> str:
        """File and line, as in the text of the error; may be empty."""
        if not self.line or self.source == "":
            return self.source or ""
        if not self.source:
            return f"line {self.line}"
        return f"{self.source}, line {self.line}"

    @property
    def faults(self) -> tuple[InputError, ...]:
        """All faults, in the order of the file; one, except for a `FaultsError`."""
        return (self,)

    def at(self, source: str, field: str | None = None, line: int | None = None) -> Self:
        """Return the same error with its file, and with a field in front of its own.

        Parameters
        ----------
        source
            File of the value.
        field
            Path to put in front of that of the error.
        line
            Line of the file, if the error has none.
        """
        parts = [part for part in (field, self.field) if part]
        path = ".".join(parts) or None
        value = self.value if self.has_value else self._missing
        first_line = line or self.line
        return type(self)(self.message, source=source, field=path, value=value, line=first_line)

    def each(self, change: Callable[[InputError], InputError]) -> InputError:
        """Return the error with every fault changed.

        Parameters
        ----------
        change
            Function that returns the changed fault.
        """
        return change(self)


class FaultsError(InputError):
    """Several faults of one file; the text is the first fault and the number of the others.

    Examples
    --------
    >>> faults = InputError("is missing", field="name"), InputError("unknown key", field="nmae", value="x")
    >>> print(combine_errors(faults))
    name: is missing (and 1 more)
    """

    def __init__(self, first: InputError, *further_faults: InputError, more: bool = False) -> None:
        value = first.value if first.has_value else self._missing
        number = len(further_faults) + more
        at_least = "at least " if more else ""
        message = f"{first.message} (and {at_least}{number} more)"
        super().__init__(message, source=first.source, field=first.field, value=value, line=first.line)
        self._faults = (first, *further_faults)
        #: True if there are faults beyond `MAX_FAULTS`.
        self.more = more

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), more=self.more), self._faults

    @property
    def faults(self) -> tuple[InputError, ...]:
        """The faults, `MAX_FAULTS` at most."""
        return self._faults

    def at(self, source: str, field: str | None = None, line: int | None = None) -> Self:
        """Return the same errors with their file, and with a field in front of their own."""
        faults = (fault.at(source, field, line) for fault in self._faults)
        return type(self)(*faults, more=self.more)

    def each(self, change: Callable[[InputError], InputError]) -> FaultsError:
        """Return the errors with every fault changed, in the order of their lines."""
        faults = sorted(map(change, self._faults), key=lambda fault: fault.line or inf)
        return FaultsError(*faults, more=self.more)


@contextmanager
def in_field(field: str) -> Iterator[None]:
    """Put a field in front of those of input errors."""
    try:
        yield
    except InputError as error:
        raise error.at("", field) from None


def combine_errors(faults: Iterable[InputError]) -> InputError | None:
    """Return one error for all faults, ``None`` without a fault."""
    remaining = iter(faults)
    reported = list(islice(remaining, MAX_FAULTS))
    if len(reported) < 2:
        return reported[0] if reported else None
    return FaultsError(*reported, more=next(remaining, None) is not None)


class InputWarning(UserWarning):
    """Valid but probably unintended entry of a file."""


class InputNote(InputWarning):
    """Assumption about a file, such as columns that are ignored."""


class SetupWarning(UserWarning):
    """Broken installation of an optional dependency, which is not used."""


def kind_of_warning(category: type[Warning]) -> str | None:
    """Return ``note`` or ``warning`` for a warning about a file or an installation, ``None`` for others."""
    if issubclass(category, InputNote):
        return "note"
    return "warning" if issubclass(category, InputWarning | SetupWarning) else None


class UnknownNameError(InputError):
    """Name on the command line or in a submission that matches no problem, heuristic or option."""


class PlanError(InputError):
    """Submitted plan that cannot be read as a plan (too long, wrong shape, not text)."""


class BenchmarkError(InputError):
    """Fault of a benchmark in another package: an error in its code, or parts that contradict each other."""


class RefusedPlanError(BenchmarkError):
    """Plan of a solver or heuristic that a rule refuses although the problem allows it."""


class NoSolverError(InputError):
    """Problem without a solver: its benchmark states the optimum itself, or its kind has none."""


class StorageError(PlanoracleError):
    """Run directory or output file that cannot be used, e.g. because of a full disk or a lock."""


class WorkerError(PlanoracleError):
    """Error for a worker process that cannot be started or reached, or has another version."""


class InternalError(PlanoracleError):
    """Contradiction within planoracle, e.g. a schedule that its own rules reject; please report it."""


def accept_former_keywords(**names: str) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Accept former names of keywords of a public function for one release.

    Each use gives a `DeprecationWarning`.

    >>> @accept_former_keywords(colour="color")
    ... def paint(color): return color
    >>> with warnings.catch_warnings(action="ignore"):
    ...     paint(colour="red")
    'red'
    """

    def decorate(function: Callable[_P, _T]) -> Callable[_P, _T]:
        @wraps(function)
        def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            for former in names.keys() & kwargs.keys():
                warnings.warn(f"{former} is deprecated; use {names[former]}", DeprecationWarning, stacklevel=2)
                kwargs[names[former]] = kwargs.pop(former)
            return function(*args, **kwargs)

        return call

    return decorate
