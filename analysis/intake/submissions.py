"""Submissions in files and folders of any format, and functions applied to each of them."""

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
from planoracle.analysis.intake.folders import files_in, open_file, submission_files
from planoracle.analysis.intake.formats import count, read_entries
from planoracle.analysis.intake.path_names import (
    DATA,
    NO_HINTS,
    EntryError,
    Hints,
    Paths,
    SourceLine,
    as_place,
    match_paths,
    nameless,
    read_paths,
    stem,
)
from planoracle.analysis.intake.record_fields import Columns, check_submission, identity_of, is_grade
from planoracle.instances.errors import InputError
from planoracle.instances.model.problem import Problem

#: Beginning of the reasons of internal errors.
INTERNAL = "internal error: "
#: Places (or line numbers), each with a submission, a row of ``planoracle grade``, or an error.
Entries: TypeAlias = Iterable[tuple[SourceLine | int, Any | InputError]]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class SubmissionResult(Generic[_T]):
    """Result for one submission: a value, or the reason for the lack of one."""

    line: int
    id: str | None
    instance: str | None
    value: _T | None = None
    reason: str | None = None
    source: str | None = None
    model: str | None = None
    sample: int | str | None = None

    @property
    def place(self) -> SourceLine:
        """Place of the submission."""
        return SourceLine(self.line, self.source)


class _File(NamedTuple):
    """File to be read: function that opens it, its name, and the names in its path."""

    open: Callable[[], IO[bytes]]
    source: str | None
    name: str
    end: str
    hints: Hints
    path: str = ""
    error: InputError | None = None


class Intake:
    r"""Submissions in files and folders, in order; iterable repeatedly unless it is a pipe.

    Formats are recognised from the content: JSON lines, lists and objects, CSV, Parquet, logs of inspect_ai, texts of
    single plans; all but Parquet and archives also compressed by gzip or zstd.

    Parameters
    ----------
    paths
        Files and folders; ``-`` is standard input.
    pattern
        Names in paths, see `planoracle.analysis.intake.path_names.match_paths`; by default those of the layouts of
        `planoracle.analysis.intake.path_names.read_paths`.
    columns, model
        See `planoracle.analysis.intake.record_fields.Columns`.
    on_note
        Callback for notes to the user about layouts and ignored paths.
    claims
        True if an entry with a makespan needs no plan.

    Raises
    ------
    InputError
        If a path cannot be open_stream, or a folder has nothing to read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     (Path(folder) / "gpt.csv").write_text("instance,response\ntimearena/lab1,wait\n") and None
    ...     [(place, entry["model"], entry["response"]) for place, entry in Intake([folder])]
    [(SourceLine(line=2, source='gpt.csv'), 'gpt', 'wait')]
    """

    def __init__(
        self,
        paths: Sequence[str | Path],
        *,
        pattern: str | None = None,
        columns: Mapping[str, str] | None = None,
        model: str | None = None,
        on_note: Callable[[str], None] = lambda message: None,
        claims: bool = False,
    ) -> None:
        self._pattern = pattern
        self._names = frozenset(name for column in (columns or {}).values() for name in (column, column.split(".")[0]))
        self._columns = Columns(columns, model, on_note, claims=claims)
        self._on_note = on_note
        self._alone = len(paths) == 1
        single = [str(path) for path in paths if str(path) != "-" and not os.path.isdir(path)]
        hints = self._hints_of(single)
        self._files: list[_File] = []
        for path in map(str, paths):
            if path == "-":
                self._files.append(_File(lambda: sys.stdin.buffer, None if self._alone else "-", "-", "", NO_HINTS))
            elif os.path.isdir(path):
                self._files += self._in_folder(path)
            else:
                self._files.append(self._single(path, hints.get(_tail(path), NO_HINTS)))

    def __iter__(self) -> Iterator[tuple[SourceLine, Any | InputError]]:
        """Yield every place with its submission, a row of ``planoracle grade``, or an error."""
        for file in self._files:
            if file.error is not None:
                yield SourceLine(1, file.source), file.error
                continue
            try:
                stream = file.open()
            except InputError as error:
                yield SourceLine(1, file.source), error
                continue
            try:
                yield from _entries(stream, file, self._columns, self._names)
            finally:
                if file.name != "-":
                    stream.close()
        self._columns.close()

    def count(self) -> int | None:
        """Return the number of submissions, ``None`` if counting is slow."""
        return self._total

    @cached_property
    def _total(self) -> int | None:
        total = 0
        for file in self._files:
            try:
                count = 1 if file.error is not None else _count(file)
            except (InputError, OSError):
                count = 1
            if count is None:
                return None
            total += max(1, count)
        return total

    def _hints_of(self, paths: Sequence[str]) -> dict[str, Hints]:
        """Return the names in the paths of single files; none for one file of data."""
        tails = [_tail(path) for path in paths]
        if self._pattern is not None:
            return match_paths(self._pattern, tails)
        if self._alone and all(stem(path)[1] in DATA for path in tails):
            return {}
        result = read_paths(tails, deep=True)
        self._note_patterns(replace(result, ignored=[]), "")  # files that are named one by one are always read
        return result.hints

    def _single(self, path: str, hints: Hints) -> _File:
        def open_stream() -> IO[bytes]:
            try:
                return open(path, "rb")
            except (OSError, ValueError) as error:
                raise InputError(f"cannot be read: {getattr(error, 'strerror', error)}", source=name) from None

        name = _printable(path)
        if not os.path.exists(path) or not os.access(path, os.R_OK):
            open_stream().close()
        return _File(open_stream, None if self._alone else name, name, stem(path)[1], hints, path)

    def _in_folder(self, folder: str) -> Iterator[_File]:
        listed = submission_files(folder, list(files_in(Path(folder))))
        sound = [path for path, error in listed if error is None]
        name = os.path.basename(os.path.realpath(folder))
        if self._pattern is None:
            paths = read_paths(sound, name)
        else:
            hints = match_paths(self._pattern, sound, name)
            patterns = Counter({self._pattern: len(hints)})
            paths = Paths(hints, patterns, [path for path in sound if path not in hints])
        self._check(paths, listed, folder)
        self._note_patterns(paths, f"{_printable(folder)}: ")
        for path, error in listed:
            printable = _printable(path)
            source = printable if self._alone else f"{_printable(folder).rstrip('/')}/{printable}"
            if path in paths.nameless:
                error = nameless(source)
            if error is not None or path in paths.hints:
                whole = os.path.join(os.path.realpath(folder), path)

                def open_stream(whole: str = whole, source: str = source) -> IO[bytes]:
                    return open_file(whole, source)

                yield _File(open_stream, source, source, stem(path)[1], paths.hints.get(path, NO_HINTS), whole, error)

    def _check(self, paths: Paths, listed: list[tuple[str, InputError | None]], folder: str) -> None:
        if paths.hints or paths.nameless or any(error is not None for _, error in listed):
            return
        if not listed:
            raise InputError("is an empty folder", source=_printable(folder))
        example = f"{len(paths.ignored)} files, such as {_printable(paths.ignored[0])}"
        if self._pattern is not None:
            raise InputError(
                f"fits no path in {_printable(folder)} ({example})", field="--pattern", value=self._pattern
            )
        raise InputError(
            f"holds no data and no text whose path names a problem ({example}); "
            "--pattern '{model}/{instance}.txt' says where the name is",
            source=_printable(folder),
        )

    def _note_patterns(self, paths: Paths, prefix: str) -> None:
        if paths.patterns:
            listed = ", ".join(f"{pattern} ({times})" for pattern, times in list(paths.patterns.items())[:10])
            more = f" and {len(paths.patterns) - 10} more" if len(paths.patterns) > 10 else ""
            self._on_note(f"{prefix}read as {listed}{more}")
        if paths.ignored:
            listed = ", ".join(map(_printable, paths.ignored[:3]))
            self._on_note(
                f"{prefix}ignored: {listed}" + (f" and {len(paths.ignored) - 3} more" if paths.ignored[3:] else "")
            )


def _count(file: _File) -> int | None:
    """Return the number of entries of a file, ``None`` for pipes."""
    if file.name == "-" or not os.path.isfile(file.path):
        return None
    with file.open() as stream:
        return count(stream, file.end, named=file.hints.instance is not None)


def _tail(path: str) -> str:
    """Return a path without its root and ``..``."""
    parts = os.path.normpath(path).replace(os.sep, "/").split("/")
    return "/".join(part for part in parts if part not in ("", ".."))


def _printable(path: str) -> str:
    text = path.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 300 else f"{text[:300]}..."


def _entries(
    stream: IO[bytes], file: _File, columns: Columns, requested: frozenset[str] = frozenset()
) -> Iterator[tuple[SourceLine, Any | InputError]]:
    place = None
    named = file.hints.instance is not None
    for line, row in read_entries(stream, file.name, end=file.end, named=named, columns=requested, path=file.path):
        place = SourceLine(line, file.source)
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
        yield SourceLine(1, file.source), InputError("holds no submissions", source=file.name)


def fault_of(error: Exception) -> str:
    """Return the reason of an error, marked if it is an internal one."""
    ours = "" if isinstance(error, InputError) else f"{INTERNAL}{type(error).__name__}: "
    return f"{ours}{error}"[:1000]


def answers(
    entries: Entries,
    function: Callable[[Problem, dict[str, Any]], _T],
    problems: Problems | None = None,
) -> Iterator[SubmissionResult[_T]]:
    """Apply a function to the problem and the content of every submission.

    A submission never raises an error, except `MemoryError`.
    """
    problems = problems or Problems()
    for position, entry in entries:
        place = as_place(position)
        record = entry if isinstance(entry, dict) else entry.about if isinstance(entry, EntryError) else {}
        about = identity_of(record, "id", "instance", "model", "sample")
        value, reason = None, None
        try:
            if isinstance(entry, InputError):
                raise entry
            if is_grade(entry):
                raise InputError("is a grade, and grades hold no plans", field="submission")
            submission = check_submission(entry)
            about |= identity_of(submission, "id", longest=None)
            value = function(problems.find(submission["instance"]), submission)
        except MemoryError:
            raise
        except Exception as error:
            reason = fault_of(error)
        yield SubmissionResult(place.line, value=value, reason=reason, source=place.source, **about)
