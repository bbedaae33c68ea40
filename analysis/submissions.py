"""Submissions, one JSON object a line, and answers to them; one that cannot be answered does not stop the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any, Generic, TypeVar

from planoracle.analysis.problems import Problems
from planoracle.instances.errors import InputError
from planoracle.instances.problem import Problem
from planoracle.instances.reading import load_json, refuse_compressed

__all__ = ["INTERNAL", "MAX_LINE", "Answer", "answers", "checked", "fault_of", "read_submissions"]

#: Longest submission line that is read, in bytes; longer ones are skipped and reported.
MAX_LINE = 16 * 2**20
# A line that is longer than this is taken to have no end, like those of /dev/zero.
_ENDLESS = 2**30
#: How reasons begin that are faults of ours.
INTERNAL = "internal error: "

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Answer(Generic[_T]):
    """What became of one line: a value, or the reason why there is none."""

    line: int
    id: str | None
    instance: str | None
    value: _T | None = None
    reason: str | None = None


def read_submissions(stream: IO[bytes], source: str) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the line number and the content of every line, or the error that a line is.

    Empty lines are passed over. A line longer than `MAX_LINE` is skipped to its end. If the stream cannot be read
    any further, or not at all since it is compressed, or a line has no end, that is the last entry.
    """
    number = 0
    try:
        while line := stream.readline(MAX_LINE + 1):
            number += 1
            if number == 1:
                refuse_compressed(line, source)
            if len(line) > MAX_LINE:
                skipped = len(line)
                while line and not line.endswith(b"\n") and skipped < _ENDLESS:
                    line = stream.readline(MAX_LINE)
                    skipped += len(line)
                if skipped >= _ENDLESS:
                    raise InputError(f"cannot be read any further: line {number} does not end", source=source)
                yield number, InputError(f"is longer than {MAX_LINE} bytes", source=source, field=f"line {number}")
                continue
            if not line.strip():
                continue
            try:
                yield number, load_json(line.rstrip(b"\r\n"), source)  # else a place could be in "line 2"
            except InputError as error:
                yield number, error
    except InputError as error:
        yield number, error
    except OSError as error:
        yield number + 1, InputError(f"cannot be read any further: {error.strerror}", source=source)


def checked(submission: object) -> dict[str, Any]:
    """Return a submission that has ``id``, ``instance`` and possibly ``model`` as text; raises `InputError`."""
    if not isinstance(submission, dict):
        raise InputError("must be an object with id, instance and plan", field="submission", value=submission)
    for name in ("id", "instance"):
        if not isinstance(submission.get(name), str):
            raise InputError("must be text", field=name, value=submission.get(name))
    if not isinstance(submission.get("model"), str | None):
        raise InputError("must be text", field="model", value=submission["model"])
    return submission


def fault_of(error: Exception) -> str:
    """Say why a submission has no answer; a fault of ours says so."""
    ours = "" if isinstance(error, InputError) else f"{INTERNAL}{type(error).__name__}: "
    return f"{ours}{error}"[:1000]


def answers(
    entries: Iterable[tuple[int, Any | InputError]],
    function: Callable[[Problem, dict[str, Any]], _T],
    problems: Problems | None = None,
) -> Iterator[Answer[_T]]:
    """Apply a function to the problem and the content of every submission of `read_submissions`.

    Never raises for what a submission holds.
    """
    problems = problems or Problems()
    for line, entry in entries:
        given = entry if isinstance(entry, dict) else {}
        name, instance = _text(given.get("id")), _text(given.get("instance"))
        try:
            if isinstance(entry, InputError):
                raise entry
            submission = checked(entry)
            value = function(problems.find(submission["instance"]), submission)
        except Exception as error:
            yield Answer(line, name, instance, None, fault_of(error))
        else:
            yield Answer(line, name, instance, value)


def _text(value: Any) -> str | None:
    return value[:200] if isinstance(value, str) else None
