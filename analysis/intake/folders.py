"""Directory traversal that ignores symbolic links and never blocks (FIFOs, devices)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from planoracle.instances.errors import InputError

#: Most files and folders in a folder.
MAX_FILES = 1_000_000
_SPECIAL = "cannot be read: is not a regular file"
_LINK = "is a symbolic link to a missing file, a hidden file or a file outside the folder; it is not followed"
# Files and folders that other programs create.
_IGNORED = {"__pycache__", "node_modules", "lost+found", "Thumbs.db", "desktop.ini"}


def files_in(folder: Path) -> Iterator[tuple[str, InputError | None]]:
    """Yield the path of every file in a folder tree in alphabetical order, or an error.

    Hidden files and links to files of the same folder are skipped. Other links, pipes, devices and unreadable folders
    are errors.
    """
    root = os.path.realpath(folder)
    files: list[tuple[str, InputError | None]] = []
    unread: list[OSError] = []
    count = 0
    for inner, folders, names in os.walk(root, onerror=unread.append):
        folders[:] = filter(_is_wanted, folders)
        for path in (os.path.join(inner, name) for name in (*folders, *filter(_is_wanted, names))):
            count += 1
            if count > MAX_FILES:
                raise InputError(f"contains more than {MAX_FILES} files", source=str(folder))
            relative = _relative(path, root)
            if os.path.islink(path):
                if not _is_visible(path, root):
                    files.append((relative, InputError(_LINK, source=relative)))
            elif not os.path.isdir(path):
                files.append((relative, None if os.path.isfile(path) else InputError(_SPECIAL, source=relative)))
    for error in unread:
        relative = _relative(error.filename, root)
        files.append((relative, InputError(f"cannot be read: {error.strerror}", source=relative)))
    yield from sorted(files, key=lambda one: one[0].split("/"))


def _relative(path: str, root: str) -> str:
    return os.path.relpath(path, root).replace(os.sep, "/")


def _is_wanted(name: str) -> bool:
    return not name.startswith(".") and name not in _IGNORED


def _is_visible(link: str, root: str) -> bool:
    """Return True for a link to a place in the folder that is not hidden."""
    try:
        inner = os.path.relpath(os.path.realpath(link, strict=True), root)
    except (OSError, ValueError):  # a link to nothing, or to another drive
        return False
    return inner == "." or not any(part.startswith(".") for part in inner.split(os.sep))


def open_file(path: str, source: str) -> IO[bytes]:
    """Open a regular file; raises `InputError` for other files and unreadable ones."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(path, flags)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=source) from None
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise InputError(_SPECIAL, source=source)
    return os.fdopen(number, "rb")


#: File of a run directory that holds the plans of built-in agents.
SUBMISSIONS = "submissions.jsonl"
# Files that are no submissions if a second file is in the same folder.
_RESULTS = {"results.sqlite": SUBMISSIONS, "logs.json": "eval-set.json", "eval-set.json": "eval-set.json"}


def submission_files(folder: str) -> list[tuple[str, InputError | None]]:
    """Return the files of a folder that may hold submissions, see `files_in`."""
    listed = list(files_in(Path(folder)))
    names = {path for path, _ in listed}
    return [(path, error) for path, error in listed if not _is_result(path, names)]


def _is_result(path: str, names: set[str]) -> bool:
    inner, name = os.path.split(path)
    return name in _RESULTS and os.path.join(inner, _RESULTS[name]) in names
