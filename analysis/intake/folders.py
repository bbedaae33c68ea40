"""Directory traversal that ignores symbolic links and never blocks (FIFOs, devices)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from planoracle.instances.errors import InputError

#: Most files and folders in a folder.
MAX_FILES = 1_000_000
# Files and folders that other programs create.
_IGNORED = {"__pycache__", "node_modules", "lost+found", "Thumbs.db", "desktop.ini"}


def files_in(folder: Path) -> Iterator[tuple[str, InputError | None]]:
    """Yield the path of every file in a folder tree in alphabetical order, or an error.

    Hidden files and links to files of the same folder are skipped. Other links, pipes, devices and unreadable folders
    are errors.
    """
    root = os.path.realpath(folder)
    count = 0
    folders = [""]
    files: list[tuple[str, InputError | None]] = []
    while folders:
        inner = folders.pop()
        try:
            with os.scandir(os.path.join(root, inner)) as entries:
                for entry in entries:
                    if entry.name.startswith(".") or entry.name in _IGNORED:
                        continue
                    count += 1
                    if count > MAX_FILES:
                        raise InputError(f"holds more than {MAX_FILES} files", source=str(folder))
                    path = f"{inner}/{entry.name}" if inner else entry.name
                    if entry.is_symlink():
                        if (error := _link(entry.path, root, path)) is not None:
                            files.append((path, error))
                    elif entry.is_dir(follow_symlinks=False):
                        folders.append(path)
                    else:
                        regular = entry.is_file(follow_symlinks=False)
                        files.append((path, None if regular else _special(path)))
        except OSError as error:
            files.append((inner or ".", InputError(f"cannot be read: {error.strerror}", source=inner or str(folder))))
    yield from sorted(files, key=lambda one: one[0].split("/"))


def _link(link: str, root: str, path: str) -> InputError | None:
    """Return the error for a link, ``None`` for one to a visible place in the folder."""
    try:
        target = os.path.realpath(link, strict=True)
    except OSError as error:
        return InputError(f"is a symbolic link that leads nowhere: {error.strerror}", source=path)
    if target == root or target.startswith(root.rstrip(os.sep) + os.sep):
        hidden = any(part.startswith(".") for part in os.path.relpath(target, root).split(os.sep) if part != ".")
        return InputError("is a symbolic link to what is hidden", source=path) if hidden else None
    return InputError("is a symbolic link out of the folder, which is not followed", source=path)


def _special(source: str) -> InputError:
    return InputError("cannot be read: is no regular file", source=source)


def open_file(path: str, source: str) -> IO[bytes]:
    """Open a regular file; raises `InputError` for other files and unreadable ones."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(path, flags)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=source) from None
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise _special(source)
    return os.fdopen(number, "rb")


#: File of a run directory that holds the plans of built-in agents.
SUBMISSIONS = "submissions.jsonl"

# Files that are no submissions if a second file is in the same folder.
_RESULTS = (("results.sqlite", SUBMISSIONS), ("logs.json", "eval-set.json"), ("eval-set.json", "eval-set.json"))
_FORMER = "run.json"
_Listed = tuple[str, InputError | None]


def is_former_run(folder: Path) -> bool:
    """Return True for a run directory of a release before inspect_ai ran the models."""
    try:
        with (folder / _FORMER).open("rb") as stream:
            return b'"planoracle/live"' in stream.read(200)
    except OSError:
        return False


def submission_files(folder: str, listed: Sequence[_Listed]) -> list[_Listed]:
    """Return the files that may hold submissions; an error for each run of an earlier release."""
    names = {path for path, _ in listed}
    remaining: list[_Listed] = []
    for path, error in listed:
        inner, name = os.path.split(path)
        if name == _FORMER and is_former_run(Path(folder, inner)):
            message = "is a run of an earlier release; grade the files in its folder submissions"
            remaining = [one for one in remaining if os.path.dirname(one[0]) != inner]
            remaining.append((path, InputError(message, source=path)))
        elif not any(name == own and os.path.join(inner, second) in names for own, second in _RESULTS):
            remaining.append((path, error))
    return remaining
