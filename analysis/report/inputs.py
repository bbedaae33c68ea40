"""What an entry of the input is: a submission, a grade written by ``planoracle grade``, or nothing that can be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from planoracle.analysis.grade import Grade
from planoracle.analysis.graded import grade_of, unread
from planoracle.analysis.intake.columns import is_grade, said
from planoracle.analysis.intake.places import Place, placed
from planoracle.analysis.submissions import Entries
from planoracle.instances.errors import InputError

# What a submission is called, and where it comes from, beside what it says.
_NAMES = {"id", "model", "sample", "epoch", "line", "source"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: a ``submission`` that is to be graded, or a ``grade``, maybe only of what cannot be read.

    ``number`` is its line in a single file, else its place among all.
    """

    place: Place
    number: int
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
        if self.submission is None:
            return None if self.grade is None else self.grade.sample
        return said(self.submission, "sample")["sample"]  # type: ignore[no-any-return]

    @property
    def key(self) -> str:
        """The same for submissions that differ only in name and model, so that all that is said of them is the same."""
        if self.submission is None:
            return str(self.place)
        try:
            kept = {name: value for name, value in self.submission.items() if name not in _NAMES}
            return json.dumps(kept, sort_keys=True)
        except (RecursionError, TypeError, ValueError):
            return str(self.place)


def entries_of(entries: Entries) -> Iterator[Entry]:
    """Yield an entry for all that `planoracle.analysis.submissions.Intake` finds."""
    for count, (where, content) in enumerate(entries, 1):
        place = placed(where)
        number = place.line if place.source is None else count
        if isinstance(content, InputError):
            yield Entry(place, number, grade=unread(content, place))
        elif not isinstance(content, dict):
            error = InputError("must be an object with instance and plan", field="submission", value=content)
            yield Entry(place, number, grade=unread(error, place))
        elif is_grade(content):
            yield Entry(place, number, grade=grade_of(content, place))
        else:
            yield Entry(place, number, submission=content)
