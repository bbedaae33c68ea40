"""A frame with the errors beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import pandas as pd

from planoracle.analysis.frames.schema import from_rows
from planoracle.instances import catalogue
from planoracle.instances.errors import InputError, PlanoracleError

_KEYS = ("line", "source", "id", "instance", "method")


class Collected(NamedTuple):
    """A frame, and the frame ``errors`` of what is missing or incomplete in it."""

    frame: pd.DataFrame
    errors: pd.DataFrame


class Collector:
    """Gathers rows of one frame, and what goes wrong."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._rows: list[Mapping[str, Any]] = []
        self._errors: list[dict[str, Any]] = []

    def add(self, *rows: Mapping[str, Any]) -> None:
        """Add rows."""
        self._rows += rows

    def fail(self, error: Exception | str, **keys: Any) -> None:
        """Add an error; ``keys`` are ``line``, ``id``, ``instance`` and ``method``, as far as known."""
        kind = "" if isinstance(error, str) else type(error).__name__
        ours = not isinstance(error, str | PlanoracleError)
        reason = f"internal error: {error}" if ours else str(error)
        self._errors.append({"frame": self.name, "error": kind, "reason": reason[:1000], **keys})

    def done(self) -> Collected:
        """Build the frames."""
        frame, faults = from_rows(self.name, self._rows)
        for number, message in faults:
            row = self._rows[number]
            self.fail(InputError(message), **{key: row[key] for key in _KEYS if row.get(key) is not None})
        return Collected(frame, from_rows("errors", self._errors)[0])


def concat(parts: Iterable[Collected]) -> Collected:
    """Put results of the same kind one below the other.

    Raises
    ------
    InputError
        If there are none.
    """
    listed = list(parts)
    if not listed:
        raise InputError("needs at least one part", field="parts")
    frames = (pd.concat([part[place] for part in listed], ignore_index=True) for place in (0, 1))
    return Collected(*frames)


def where(name: str | None, benchmark: str | None) -> dict[str, Any]:
    """Return the columns that say of which problem a row is."""
    return {"instance": name, "benchmark": benchmark, "set": catalogue.set_of(name or "")[0]}
