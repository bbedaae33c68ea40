"""Submissions, from wherever people have them, and answers to them; one that cannot be answered does not stop the rest.

This is the door to `planoracle.analysis.intake`.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Generic, NamedTuple, TypeAlias, TypeVar

from planoracle.analysis.grading.problem_loader import Problems
from planoracle.analysis.intake.folders import files_in, open_file, without_rest
from planoracle.analysis.intake.formats import count, read_entries
from planoracle.analysis.intake.path_names import (
    DATA,
    NOTHING,
    EntryError,
    Hints,
    PathNames,
    Paths,
    matched,
    nameless,
    placed,
    read_paths,
    stem,
)
from planoracle.analysis.intake.record_fields import Columns, checked, is_grade, said
from planoracle.instances.errors import InputError
from planoracle.instances.model.problem import Problem

#: How reasons begin that are faults of ours.
INTERNAL = "internal error: "
#: Places (or mere numbers), and what is there: a submission, a row of ``planoracle grade``, or an error.
Entries: TypeAlias = Iterable[tuple[PathNames | int, Any | InputError]]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class SubmissionResult(Generic[_T]):
    """What became of one submission: a value, or the reason why there is none."""

    line: int
    id: str | None
    instance: str | None
    value: _T | None = None
    reason: str | None = None
    source: str | None = None
    model: str | None = None
    sample: int | str | None = None

    @property
    def place(self) -> PathNames:
        """Where the submission stands."""
        return PathNames(self.line, self.source)


class _File(NamedTuple):
    """A file to be read: how it is opened, what it is called, and what its path says."""

    open: Callable[[], IO[bytes]]
    source: str | None
    name: str
    end: str
    hints: Hints
    path: str = ""
    error: InputError | None = None


class Intake:
    r"""The submissions in files and folders, in order; can be gone through again unless it is a pipe.

    Formats are recognised from the content: JSON lines, lists and objects, CSV, Parquet, logs of inspect_ai, texts of
    single plans; all but Parquet and archives also compressed by gzip or zstd.

    Parameters
    ----------
    paths
        Files and folders; ``-`` is standard input.
    pattern
        Names in paths, see `planoracle.analysis.intake.path_names.matched`; by default those of the layouts of
        `planoracle.analysis.intake.path_names.read_paths`.
    columns, model
        See `planoracle.analysis.intake.record_fields.Columns`.
    told
        Called with notes for people: which layouts paths have, and which are left aside.
    claims
        Whether what states a makespan needs no plan.

    Raises
    ------
    InputError
        If a path cannot be opened, or there is nothing to be read in a folder.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     (Path(folder) / "gpt.csv").write_text("instance,response\ntimearena/lab1,wait\n") and None
    ...     [(place, entry["model"], entry["response"]) for place, entry in Intake([folder])]
    [(PathNames(line=2, source='gpt.csv'), 'gpt', 'wait')]
    """

    def __init__(
        self,
        paths: Sequence[str | Path],
        *,
        pattern: str | None = None,
        columns: Mapping[str, str] | None = None,
        model: str | None = None,
        told: Callable[[str], None] = lambda message: None,
        claims: bool = False,
    ) -> None:
        self._pattern = pattern
        self._names = frozenset(name for column in (columns or {}).values() for name in (column, column.split(".")[0]))
        self._columns = Columns(columns, model, told, claims=claims)
        self._told = told
        self._alone = len(paths) == 1
        single = [str(path) for path in paths if str(path) != "-" and not os.path.isdir(path)]
        hints = self._hints_of(single)
        self._files: list[_File] = []
        for path in map(str, paths):
            if path == "-":
                self._files.append(_File(lambda: sys.stdin.buffer, None if self._alone else "-", "-", "", NOTHING))
            elif os.path.isdir(path):
                self._files += self._in_folder(path)
            else:
                self._files.append(self._single(path, hints.get(_tail(path), NOTHING)))

    def __iter__(self) -> Iterator[tuple[PathNames, Any | InputError]]:
        """Yield every place with its submission, a row of ``planoracle grade``, or an error."""
        for file in self._files:
            if file.error is not None:
                yield PathNames(1, file.source), file.error
                continue
            try:
                stream = file.open()
            except InputError as error:
                yield PathNames(1, file.source), error
                continue
            try:
                yield from _entries(stream, file, self._columns, self._names)
            finally:
                if file.name != "-":
                    stream.close()
        self._columns.close()

    def count(self) -> int | None:
        """Count the submissions without reading them, ``None`` where that takes too long."""
        return self._total

    @cached_property
    def _total(self) -> int | None:
        total = 0
        for file in self._files:
            try:
                found = 1 if file.error is not None else _counted(file)
            except (InputError, OSError):
                found = 1
            if found is None:
                return None
            total += max(1, found)
        return total

    def _hints_of(self, paths: Sequence[str]) -> dict[str, Hints]:
        """Return what the paths of single files say; nothing of one file with data."""
        tails = [_tail(path) for path in paths]
        if self._pattern is not None:
            return matched(self._pattern, tails)
        if self._alone and all(stem(path)[1] in DATA for path in tails):
            return {}
        found = read_paths(tails, deep=True)
        self._tell_patterns(replace(found, aside=[]), "")  # whatever is named is read
        return found.hints

    def _single(self, path: str, hints: Hints) -> _File:
        def opened() -> IO[bytes]:
            try:
                return open(path, "rb")
            except (OSError, ValueError) as error:
                raise InputError(f"cannot be read: {getattr(error, 'strerror', error)}", source=shown) from None

        shown = _shown(path)
        if not os.path.exists(path) or not os.access(path, os.R_OK):
            opened().close()
        return _File(opened, None if self._alone else shown, shown, stem(path)[1], hints, path)

    def _in_folder(self, folder: str) -> Iterator[_File]:
        listed = without_rest(folder, list(files_in(Path(folder))))
        sound = [path for path, error in listed if error is None]
        name = os.path.basename(os.path.realpath(folder))
        if self._pattern is None:
            found = read_paths(sound, name)
        else:
            hints = matched(self._pattern, sound, name)
            patterns = Counter({self._pattern: len(hints)})
            found = Paths(hints, patterns, [path for path in sound if path not in hints])
        self._check(found, listed, folder)
        self._tell_patterns(found, f"{_shown(folder)}: ")
        for path, error in listed:
            shown = _shown(path)
            source = shown if self._alone else f"{_shown(folder).rstrip('/')}/{shown}"
            if path in found.nameless:
                error = nameless(source)
            if error is not None or path in found.hints:
                whole = os.path.join(os.path.realpath(folder), path)

                def opened(whole: str = whole, source: str = source) -> IO[bytes]:
                    return open_file(whole, source)

                yield _File(opened, source, source, stem(path)[1], found.hints.get(path, NOTHING), whole, error)

    def _check(self, found: Paths, listed: list[tuple[str, InputError | None]], folder: str) -> None:
        if found.hints or found.nameless or any(error is not None for _, error in listed):
            return
        if not listed:
            raise InputError("is an empty folder", source=_shown(folder))
        example = f"{len(found.aside)} files, such as {_shown(found.aside[0])}"
        if self._pattern is not None:
            raise InputError(f"fits no path in {_shown(folder)} ({example})", field="--pattern", value=self._pattern)
        raise InputError(
            f"holds no data and no text whose path names a problem ({example}); "
            "--pattern '{model}/{instance}.txt' says where the name is",
            source=_shown(folder),
        )

    def _tell_patterns(self, found: Paths, where: str) -> None:
        if found.patterns:
            listed = ", ".join(f"{pattern} ({times})" for pattern, times in list(found.patterns.items())[:10])
            more = f" and {len(found.patterns) - 10} more" if len(found.patterns) > 10 else ""
            self._told(f"{where}read as {listed}{more}")
        if found.aside:
            listed = ", ".join(map(_shown, found.aside[:3]))
            self._told(
                f"{where}left aside: {listed}" + (f" and {len(found.aside) - 3} more" if found.aside[3:] else "")
            )


def _counted(file: _File) -> int | None:
    """Count what is in a file, if that is no pipe."""
    if file.name == "-" or not os.path.isfile(file.path):
        return None
    with file.open() as stream:
        return count(stream, file.end, named=file.hints.instance is not None)


def _tail(path: str) -> str:
    """Return a path without its root, as one inside a folder is."""
    parts = os.path.normpath(path).replace(os.sep, "/").split("/")
    return "/".join(part for part in parts if part not in ("", ".."))


def _shown(path: str) -> str:
    text = path.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 300 else f"{text[:300]}..."


def read_submissions(
    stream: IO[bytes], source: str, *, claims: bool = False
) -> Iterator[tuple[PathNames, Any | InputError]]:
    """Yield what `Intake` does of the content of a single file."""
    return _entries(stream, _File(lambda: stream, None, source, "", NOTHING), Columns(claims=claims))


def _entries(
    stream: IO[bytes], file: _File, columns: Columns, asked: frozenset[str] = frozenset()
) -> Iterator[tuple[PathNames, Any | InputError]]:
    place = None
    named = file.hints.instance is not None
    for line, row in read_entries(stream, file.name, end=file.end, named=named, columns=asked, path=file.path):
        place = PathNames(line, file.source)
        try:
            if isinstance(row, InputError):
                raise row
            entry: Any = columns.submission(row, place, file.hints)
        except EntryError as error:
            entry = error
        except InputError as error:
            entry = EntryError(error, {"model": file.hints.model, "instance": file.hints.instance})
        yield place, entry
    if place is None and file.source is not None:
        yield PathNames(1, file.source), InputError("holds no submissions", source=file.name)


def fault_of(error: Exception) -> str:
    """Say why a submission has no answer; a fault of ours says so."""
    ours = "" if isinstance(error, InputError) else f"{INTERNAL}{type(error).__name__}: "
    return f"{ours}{error}"[:1000]


def answers(
    entries: Entries,
    function: Callable[[Problem, dict[str, Any]], _T],
    problems: Problems | None = None,
) -> Iterator[SubmissionResult[_T]]:
    """Apply a function to the problem and the content of every submission.

    Never raises for what a submission holds, but for a `MemoryError`.
    """
    problems = problems or Problems()
    for where, entry in entries:
        place = placed(where)
        given = entry if isinstance(entry, dict) else entry.about if isinstance(entry, EntryError) else {}
        about = said(given, "id", "instance", "model", "sample")
        value, reason = None, None
        try:
            if isinstance(entry, InputError):
                raise entry
            if is_grade(entry):
                raise InputError("is a grade, and grades hold no plans", field="submission")
            submission = checked(entry)
            about |= said(submission, "id", longest=None)
            value = function(problems.find(submission["instance"]), submission)
        except MemoryError:
            raise
        except Exception as error:
            reason = fault_of(error)
        yield SubmissionResult(place.line, value=value, reason=reason, source=place.source, **about)
