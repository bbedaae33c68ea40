"""Submissions in files and folders of any format, and functions applied to each of them."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, Generic, NamedTuple, TypeAlias, TypeVar

from planoracle.analysis.grading.problem_loader import Problems
from planoracle.analysis.intake.folders import open_file, submission_files
from planoracle.analysis.intake.formats import LINES, read_entries
from planoracle.analysis.intake.path_names import (
    DATA,
    NO_HINTS,
    TEXT,
    EntryError,
    Hints,
    SourceLine,
    as_place,
    layout_of,
    match_pattern,
    nameless_error,
    stem,
)
from planoracle.analysis.intake.record_fields import Columns, check_submission, identity_of, is_grade
from planoracle.instances.errors import InputError
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry

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
    """File to be read.

    Attributes
    ----------
    path
        ``-`` for standard input.
    name, source
        Name in errors, and in places of submissions.
    hints
        Names in the path.
    open
        Opens the file; raises `InputError`.
    error
        Error that is reported instead of the content.
    """

    path: str
    name: str
    source: str | None
    hints: Hints
    open: Callable[[str, str], AbstractContextManager[IO[bytes]]]
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
        Names in paths, see `planoracle.analysis.intake.path_names.match_pattern`; by default those of the layouts of
        `planoracle.analysis.intake.path_names.layout_of`.
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
        texts = list(map(str, paths))
        layouts = self._layouts([_tail(path) for path in texts if path != "-" and not os.path.isdir(path)], None)
        self._note_layouts(layouts, [], "")  # files that are named one by one are always read
        self._files: list[_File] = []
        for path in texts:
            if os.path.isdir(path):
                self._files += self._in_folder(path)
                continue
            name = _printable(path)
            if path != "-" and not os.access(path, os.R_OK):
                _open_any(path, name).close()
            opened = _standard_input if path == "-" else _open_any
            hints = layouts[_tail(path)][1] if _tail(path) in layouts else NO_HINTS
            self._files.append(_File(path, name, None if self._alone else name, hints, opened))

    def __iter__(self) -> Iterator[tuple[SourceLine, Any | InputError]]:
        """Yield every place with its submission, a row of ``planoracle grade``, or an error."""
        for file in self._files:
            try:
                if file.error is not None:
                    raise file.error
                with file.open(file.path, file.name) as stream:
                    yield from self._entries(stream, file)
            except InputError as error:
                yield SourceLine(1, file.source), error
        self._columns.close()

    def count(self) -> int | None:
        """Return the number of submissions, ``None`` if counting is slow."""
        counts = [_count(file) for file in self._files]
        return None if None in counts else sum(filter(None, counts))

    def _entries(self, stream: IO[bytes], file: _File) -> Iterator[tuple[SourceLine, Any | InputError]]:
        place = None
        end, named, path = stem(file.path)[1], file.hints.instance is not None, "" if file.path == "-" else file.path
        for line, row in read_entries(stream, file.name, end=end, named=named, columns=self._names, path=path):
            place = SourceLine(line, file.source)
            try:
                if isinstance(row, InputError):
                    raise row
                yield place, self._columns.submission(row, place, file.hints)
            except EntryError as error:
                yield place, error
            except InputError as error:
                yield place, EntryError(error, {"model": file.hints.model, "instance": file.hints.instance})
        if place is None and file.source is not None:
            raise InputError("contains no submissions", source=file.name)

    def _layouts(self, paths: Sequence[str], folder: str | None) -> dict[str, tuple[str, Hints]]:
        """Return the layouts, and names, of the paths in a folder (or of single files) that have one."""
        read: Callable[[str], tuple[str, Hints] | None] = partial(layout_of, folder=folder or "", deep=folder is None)
        if self._pattern is not None:
            read = match_pattern(self._pattern, folder or "")
        elif folder is None and self._alone:  # a single file of data does not name a model
            paths = [path for path in paths if stem(path)[1] not in DATA]
        return {path: layout for path in paths if (layout := read(path)) is not None}

    def _in_folder(self, folder: str) -> Iterator[_File]:
        listed = submission_files(folder)
        root, printable = os.path.realpath(folder), _printable(folder)
        layouts = self._layouts([path for path, error in listed if error is None], os.path.basename(root))
        others = [path for path, error in listed if error is None and path not in layouts]
        if not listed:
            raise InputError("is an empty folder", source=printable)
        if len(others) == len(listed):
            example = f"{len(others)} files, such as {_printable(others[0])}"
            if self._pattern is not None:
                raise InputError(f"matches no path in {printable} ({example})", field="--pattern", value=self._pattern)
            raise InputError(
                f"contains no data file, and no text file whose path names a problem ({example}); "
                "--pattern '{model}/{instance}.txt' describes other paths",
                source=printable,
            )
        has_texts = self._pattern is None and any(stem(path)[1] in TEXT for path in layouts)
        nameless = {path for path in others if has_texts and stem(path)[1] == ".txt" and "/" in path}
        self._note_layouts(layouts, [path for path in others if path not in nameless], f"{printable}: ")
        for path, error in listed:
            source = _printable(path) if self._alone else f"{printable.rstrip('/')}/{_printable(path)}"
            if path in nameless:
                error = nameless_error(source)
            if error is not None or path in layouts:
                hints = NO_HINTS if error is not None else layouts[path][1]
                yield _File(os.path.join(root, path), source, source, hints, open_file, error)

    def _note_layouts(self, layouts: Mapping[str, tuple[str, Hints]], ignored: list[str], prefix: str) -> None:
        counts = Counter(pattern for pattern, _ in layouts.values())
        patterns = [f"{pattern} ({times})" for pattern, times in counts.items()]
        for label, names, most in (("read as", patterns, 10), ("ignored:", list(map(_printable, ignored)), 3)):
            if names:
                more = f" and {len(names) - most} more" if len(names) > most else ""
                self._on_note(f"{prefix}{label} {', '.join(names[:most])}{more}")


def _standard_input(path: str, name: str) -> AbstractContextManager[IO[bytes]]:
    return nullcontext(sys.stdin.buffer)  # which stays open


def _open_any(path: str, name: str) -> IO[bytes]:
    """Open a file that the user named, which may be a link or a pipe."""
    try:
        return open(path, "rb")
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {getattr(error, 'strerror', error)}", source=name) from None


def _count(file: _File) -> int | None:
    """Return the number of entries of a file, ``None`` for pipes and where entries are no lines."""
    if file.error is not None or (file.hints.instance is not None and stem(file.path)[1] in TEXT):
        return 1
    if not file.path.endswith(LINES) or not os.path.isfile(file.path):
        return None
    try:
        with file.open(file.path, file.name) as stream:
            return sum(line.startswith(b"{") for line in stream) or None
    except (InputError, OSError):
        return 1


def _tail(path: str) -> str:
    """Return a path without its root and ``..``."""
    parts = os.path.normpath(path).replace(os.sep, "/").split("/")
    return "/".join(part for part in parts if part not in ("", ".."))


def _printable(path: str) -> str:
    text = path.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 300 else f"{text[:300]}..."


def fault_of(error: Exception) -> str:
    """Return the reason of an error, marked if it is an internal one."""
    error = registry.benchmark_error(error) or error
    ours = "" if isinstance(error, InputError) else f"{INTERNAL}{type(error).__name__}: "
    return f"{ours}{error}"[:1000]


def record_of(entry: object) -> object:
    """Return the fields of an entry, of an error those that could be read."""
    return entry.about if isinstance(entry, EntryError) else entry


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
        about = identity_of(record_of(entry), "id", "instance", "model", "sample")
        value, reason = None, None
        try:
            if isinstance(entry, InputError):
                raise entry
            if is_grade(entry):
                raise InputError("is a grade, which contains no plan", field="submission")
            submission = check_submission(entry)
            about |= identity_of(submission, "id", longest=None)
            value = function(problems.find(submission["instance"]), submission)
        except MemoryError:
            raise
        except Exception as error:
            reason = fault_of(error)
        yield SubmissionResult(place.line, value=value, reason=reason, source=place.source, **about)
