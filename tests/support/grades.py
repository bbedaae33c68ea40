"""Rows of grades, frames of comparisons, entries of a stream, and a loader of any problem file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import IO, Any

import pandas as pd

from planoracle import read
from planoracle.analysis.comparison.compare import compare
from planoracle.analysis.grading.grader import Grade
from planoracle.analysis.grading.problem_loader import Places, Problems
from planoracle.analysis.intake.path_names import NO_HINTS, SourceLine
from planoracle.analysis.intake.submissions import Intake, _File
from planoracle.analysis.statistics.grade_columns import GradeRows
from planoracle.instances.errors import InputError
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol.profiles import Rules


def grade_rows(
    grades: Iterable[Grade], rules: Mapping[str, Rules] | None = None, values: Sequence[str] = ()
) -> GradeRows:
    """Return grades as rows for summaries."""
    rows = GradeRows(rules, values)
    for grade in grades:
        rows.add(grade)
    return rows


def comparisons(names: Iterable[str | Problem], methods: Sequence[str], **limits: Any) -> pd.DataFrame:
    """Return the frame ``comparisons`` of all problems of some names."""
    problems = [one for name in names for one in (read(name) if isinstance(name, str) else [name])]
    return pd.concat([compare(one, methods, **limits).to_frame() for one in problems], ignore_index=True)


def read_submissions(
    stream: IO[bytes], source: str, *, claims: bool = False
) -> Iterator[tuple[SourceLine, Any | InputError]]:
    """Yield the entries of a stream as `Intake` does for a file."""
    file = _File("-", source, None, NO_HINTS, lambda path, name: nullcontext(stream))
    return Intake([], claims=claims)._entries(stream, file)


def all_problems() -> Problems:
    """Return a loader that opens any problem file that a submission names."""
    return Problems(places=Places(trusted=True))
