"""Submissions in files and folders of any format, and functions applied to each of them."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, Generic, NamedTuple, TypeAlias, TypeVar

from planoracle.analysis.grading.problem_loader import NO_PLACES, Places, Problems
from planoracle.analysis.intake.byte_streams import MAX_LINE
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
    stem,
)
from planoracle.analysis.intake.problem_names import NameResolver
from planoracle.analysis.intake.record_fields import (
    Columns,
    check_submission,
    columns_by_field,
    identity_of,
    is_grade,
)
from planoracle.analysis.intake.unread_files import UnreadFiles, is_problem_file, planless_error
from planoracle.instances.errors import InputError
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry

#: Beginning of the reasons of internal errors.
INTERNAL = "internal error: "
#: Places (or line numbers), each with a submission, a row of ``planoracle grade``, or an error.
Entries: TypeAlias = Iterable[tuple[SourceLine | int, Any | InputError]]

_T = TypeVar("_T")
# Names in a note.
_MAX_NAMES = 10


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

    A file of a folder that could hold submissions and is not read is an error at the end of the folder.

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
    problems, places
        The user's problems by name, which precede bundled ones, and files that submissions may name.

    Raises
    ------
    InputError
        If a path cannot be opened, or no folder has anything to read.

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
        columns: Mapping[str, str | Sequence[str]] | None = None,
        model: str | None = None,
        on_note: Callable[[str], None] = lambda message: None,
        claims: bool = False,
        problems: Mapping[str, Problem] | None = None,
        places: Places = NO_PLACES,
    ) -> None:
        self.problems = dict(problems or {})
        self._pattern = pattern
        requested = list(chain.from_iterable(columns_by_field(columns or {}).values()))
        self._selects_plans = claims or "plan" in (columns or {})
        self._headings = frozenset((*requested, *(name.split(".")[0] for name in requested)))
        self._names = NameResolver(self.problems, partial(_is_file, places))
        self._columns = Columns(columns, model, on_note, claims=claims, names=self._names)
        self._on_note = on_note
        self._alone = len(paths) == 1
        texts = list(map(str, paths))
        layouts = self._layouts([_tail(path) for path in texts if path != "-" and not os.path.isdir(path)], None)
        self._note_layouts(layouts, [], "")  # files that are named one by one are always read
        self._files: list[_File] = []
        faults: list[InputError] = []
        for path in texts:
            if os.path.isdir(path):
                try:
                    self._files += self._in_folder(path)
                except InputError as error:  # of a folder without anything to read
                    faults.append(error)
                    name = _printable(path)
                    folder_error = EntryError(error, {"model": os.path.basename(os.path.realpath(path))})
                    self._files.append(_File(path, name, name, NO_HINTS, open_file, folder_error))
                continue
            name = _printable(path)
            if path != "-" and not os.access(path, os.R_OK):
                _open_any(path, name).close()
            opened = _standard_input if path == "-" else _open_any
            hints = layouts[_tail(path)][1] if _tail(path) in layouts else NO_HINTS
            self._files.append(_File(path, name, None if self._alone else name, hints, opened))
        if faults and len(faults) == len(self._files):
            raise faults[0]

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
        end, named = stem(file.path)[1], file.hints.instance is not None
        path = "" if file.path == "-" else file.path
        for line, row in read_entries(stream, file.name, end=end, named=named, columns=self._headings, path=path):
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
        if self._pattern is not None:
            read = match_pattern(self._pattern, folder or "", self._names.find)
        else:
            read = partial(self._layout, folder=folder)
        if self._pattern is None and folder is None and self._alone:  # a single file of data does not name a model
            paths = [path for path in paths if stem(path)[1] not in DATA]
        return {path: layout for path in paths if (layout := read(path)) is not None}

    def _layout(self, path: str, folder: str | None) -> tuple[str, Hints] | None:
        """Return the layout of a path; full names of problems precede parts of names."""
        read = partial(layout_of, path, folder or "", deep=folder is None)
        layout = read(find=self._names.find_full)
        if layout is None or layout[1].instance is None:
            layout = read(find=self._names.find)
        if layout is not None and layout[1] == NO_HINTS:  # rows without a model have that of the folder
            layout = layout[0], Hints(model=path.partition("/")[0])
        return layout

    def _in_folder(self, folder: str) -> list[_File]:
        """Return the files of a folder that are read, then the errors of those that could hold submissions.

        Raises
        ------
        InputError
            If nothing can be read.
        """
        listing = submission_files(folder)
        root, printable = os.path.realpath(folder), _printable(folder)
        prefix = "" if self._alone else f"{printable.rstrip('/')}/"
        paths = [path for path, error in listing.files if error is None]
        problem_files = {path for path in paths if is_problem_file(os.path.join(root, path))}
        layouts = self._layouts([path for path in paths if path not in problem_files], os.path.basename(root))
        unread = UnreadFiles(listing, {*layouts, *problem_files}, root, self._names, self._pattern)
        if len(paths) == len(listing.files) and not layouts:
            raise self._nothing_read(paths, unread.errors, printable)
        unread.add_lost_folders(listing, layouts, problem_files)
        named_problem_files = [f"{path} (problems)" for path in problem_files]
        ignored = sorted([*unread.ignored, *named_problem_files, *listing.skipped])
        self._note_layouts(layouts, ignored, f"{printable}: ")
        files = []
        for path, fault in listing.files:
            if fault is not None or path in layouts:
                source = prefix + _printable(path)
                is_checked = fault is None and not self._selects_plans
                error = planless_error(os.path.join(root, path)) if is_checked else fault
                hints = layouts[path][1] if error is None else NO_HINTS
                files.append(_File(os.path.join(root, path), source, source, hints, open_file, error))
        for path, error in unread.errors.items():
            source = prefix + _printable(path)
            files.append(_File(os.path.join(root, path), source, source, NO_HINTS, open_file, error.at(source)))
        return files

    def _nothing_read(self, paths: Sequence[str], unread: Mapping[str, InputError], folder: str) -> InputError:
        """Return the error for a folder without a file that can be read."""
        if not paths:
            return InputError("is an empty folder", source=folder)
        example = f"{len(paths)} files, such as {_printable(paths[0])}"
        if self._pattern is not None:
            return InputError(f"matches no path in {folder} ({example})", field="--pattern", value=self._pattern)
        reasons = "".join(f"; {error.at(_printable(path))}" for path, error in islice(unread.items(), 1))
        return InputError(
            f"contains no data file, and no text file whose path names a problem ({example}); "
            f"--pattern '{{model}}/{{instance}}.txt' describes other paths{reasons}",
            source=folder,
        )

    def _note_layouts(self, layouts: Mapping[str, tuple[str, Hints]], ignored: list[str], prefix: str) -> None:
        counts = Counter(pattern for pattern, _ in layouts.values())
        patterns = [f"{pattern} ({times})" for pattern, times in counts.items()]
        for label, names in (("read as", patterns), ("ignored:", list(map(_printable, ignored)))):
            if names:
                more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
                self._on_note(f"{prefix}{label} {', '.join(names[:_MAX_NAMES])}{more}")


def _standard_input(path: str, name: str) -> AbstractContextManager[IO[bytes]]:
    return nullcontext(sys.stdin.buffer)  # which stays open


def _is_file(places: Places, name: str) -> bool:
    """Return True for the name of a file that submissions may name."""
    try:
        return places.find(name) is not None
    except InputError:  # a file that they may not name
        return True


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
            pieces = iter(partial(stream.readline, MAX_LINE), b"")  # a line may have no end
            return sum(piece.startswith(b"{") for piece in pieces) or None
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
