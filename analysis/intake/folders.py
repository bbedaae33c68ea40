"""Files in a folder, and opening them: no link is followed, nothing is waited for; which of them are no submissions."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from planoracle.instances.errors import InputError

#: Most files and folders in a folder.
MAX_FILES = 1_000_000
# What other programs keep beside people's files.
_LEFT = {"__pycache__", "node_modules", "lost+found", "Thumbs.db", "desktop.ini"}


def files_in(folder: Path) -> Iterator[tuple[str, InputError | None]]:
    """Yield the path of every file in a folder and those below it, by alphabet, with what is wrong with it.

    Hidden files are passed over, and so are links to what is in the folder as well. Other links, pipes, devices and
    what cannot be listed are errors.
    """
    root = os.path.realpath(folder)
    count = 0
    folders = [""]
    found: list[tuple[str, InputError | None]] = []
    while folders:
        inner = folders.pop()
        try:
            with os.scandir(os.path.join(root, inner)) as entries:
                for entry in entries:
                    if entry.name.startswith(".") or entry.name in _LEFT:
                        continue
                    count += 1
                    if count > MAX_FILES:
                        raise InputError(f"holds more than {MAX_FILES} files", source=str(folder))
                    path = f"{inner}/{entry.name}" if inner else entry.name
                    if entry.is_symlink():
                        if (error := _link(entry.path, root, path)) is not None:
                            found.append((path, error))
                    elif entry.is_dir(follow_symlinks=False):
                        folders.append(path)
                    else:
                        regular = entry.is_file(follow_symlinks=False)
                        found.append((path, None if regular else _special(path)))
        except OSError as error:
            found.append((inner or ".", InputError(f"cannot be read: {error.strerror}", source=inner or str(folder))))
    yield from sorted(found, key=lambda one: one[0].split("/"))


def _link(link: str, root: str, path: str) -> InputError | None:
    """Return what is wrong with a link, if it leads elsewhere than to a place in the folder."""
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
    """Open a regular file; raises `InputError` for all else, and if it cannot be read."""
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

# Files that are no submissions where another file is in the same folder.
_RESULTS = (("results.sqlite", SUBMISSIONS), ("logs.json", "eval-set.json"), ("eval-set.json", "eval-set.json"))
_FORMER = "run.json"
_Listed = tuple[str, InputError | None]


def is_former_run(folder: Path) -> bool:
    """Return whether a folder is a run directory of `planoracle run` before it handed models to inspect_ai."""
    try:
        with (folder / _FORMER).open("rb") as stream:
            return b'"planoracle/live"' in stream.read(200)
    except OSError:
        return False


def without_rest(folder: str, listed: Sequence[_Listed]) -> list[_Listed]:
    """Return the files in a folder that may hold submissions, and an error for a run directory of earlier releases."""
    names = {path for path, _ in listed}
    remaining: list[_Listed] = []
    for path, error in listed:
        inner, name = os.path.split(path)
        if name == _FORMER and is_former_run(Path(folder, inner)):
            message = "is a run of an earlier release; grade the files in its folder submissions"
            remaining = [one for one in remaining if os.path.dirname(one[0]) != inner]
            remaining.append((path, InputError(message, source=path)))
        elif not any(name == own and os.path.join(inner, beside) in names for own, beside in _RESULTS):
            remaining.append((path, error))
    return remaining
