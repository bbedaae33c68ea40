"""Typed errors: every complaint about input names the file, the field, the value and what would be right."""

from __future__ import annotations

__all__ = ["InputError", "InternalError", "PlanError", "PlanoracleError", "UnknownNameError"]


class PlanoracleError(Exception):
    """Base of all errors raised on purpose by planoracle."""


#: Longest message and longest path of a field, in characters: both may name what a file holds.
_MAX_MESSAGE, _MAX_FIELD = 2_000, 500


def _show(value: object, limit: int = 80) -> str:
    try:
        text = repr(value)
    except ValueError:  # an int with too many digits to print
        return "a number with thousands of digits"
    except RecursionError:
        return "a value nested too deeply to print"
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text)} characters)"


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

    Examples
    --------
    >>> print(InputError("must be a whole number of ticks", source="k.json", field="duration", value=2.5))
    k.json: duration: must be a whole number of ticks (found 2.5)
    """

    _missing = object()

    def __init__(
        self, message: str, *, source: str | None = None, field: str | None = None, value: object = _missing
    ) -> None:
        self.message = _cut(message, _MAX_MESSAGE)
        self.source = source
        self.field = field and _cut(field, _MAX_FIELD)
        self.value = None if value is self._missing else value
        found = "" if value is self._missing else f" (found {_show(value)})"
        self.given = value is not self._missing
        super().__init__(": ".join(part for part in (source, self.field, self.message + found) if part))

    def at(self, source: str, field: str | None = None) -> InputError:
        """Return the same error with the file it was found in, and a field in front of its own."""
        path = ".".join(part for part in (field, self.field) if part) or None
        value = self.value if self.given else self._missing
        return type(self)(self.message, source=source, field=path, value=value)


class UnknownNameError(InputError):
    """A name on the command line or in a submission that stands for no instance, heuristic or option."""


class PlanError(InputError):
    """A submitted plan that cannot be read as a plan at all (too long, wrong shape, not text)."""


class InternalError(PlanoracleError):
    """planoracle contradicted itself, e.g. its own schedule did not pass its own rules; please report it."""
