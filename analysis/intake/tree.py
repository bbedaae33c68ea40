"""The files in a folder, and opening them: no link is followed, nothing is waited for."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
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
