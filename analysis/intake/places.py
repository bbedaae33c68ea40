"""Where a submission stands."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from planoracle.instances.errors import InputError


class Place(NamedTuple):
    """Where a submission stands.

    Attributes
    ----------
    line
        From 1: a line of JSON lines or of CSV, else the number of the entry in its file.
    source
        Path of the file inside the folder that was given, or as it was given where there are several files; ``None``
        for a single file.

    Examples
    --------
    >>> str(Place(3)), str(Place(3, "a/runs.jsonl"))
    ('line 3', 'a/runs.jsonl, line 3')
    """

    line: int
    source: str | None = None

    def __str__(self) -> str:
        return f"line {self.line}" if self.source is None else f"{self.source}, line {self.line}"


def placed(where: Place | int) -> Place:
    """Return a place, also of a number."""
    return where if isinstance(where, Place) else Place(where)


class Hints(NamedTuple):
    """What the path of a file says of the submissions in it, where these do not say it themselves.

    ``instance`` is the name of a problem, ``sample`` a text.
    """

    id: str | None = None
    instance: str | None = None
    model: str | None = None
    sample: str | None = None


#: Nothing.
NOTHING = Hints()


class EntryError(InputError):
    """What is wrong with an entry of which something is known, as a record says it in ``about``."""

    def __init__(self, error: InputError, about: object) -> None:
        value = {"value": error.value} if error.given else {}
        super().__init__(error.message, source=error.source, field=error.field, line=error.line, **value)
        self.about: dict[str, Any] = about if isinstance(about, dict) else {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._plain(), self.about)

    def at(self, source: str, field: str | None = None, line: int | None = None) -> Self:
        """Return the same error at another place, see `InputError.at`."""
        return type(self)(self._plain().at(source, field, line), self.about)

    def _plain(self) -> InputError:
        value = {"value": self.value} if self.given else {}
        return InputError(self.message, source=self.source, field=self.field, line=self.line, **value)
