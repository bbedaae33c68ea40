"""Directory traversal that ignores symbolic links and never blocks (FIFOs, devices)."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import IO, NamedTuple

from planoracle.instances.errors import InputError

#: Most files and folders in a folder.
MAX_FILES = 1_000_000
_SPECIAL = "cannot be read: is not a regular file"
_LINK = "is a symbolic link to a missing file, a hidden file or a file outside the folder; it is not followed"
# Files and folders that other programs create.
_IGNORED = {"__pycache__", "node_modules", "lost+found", "Thumbs.db", "desktop.ini"}


class Listing(NamedTuple):
    """Content of a folder tree, with paths relative to it, in alphabetical order.

    Attributes
    ----------
    files
        Files, each with its error if it cannot be opened.
    skipped
        Hidden files and folders, those of other programs, and links to files of the same folder; folders end with
        ``/``.
    folders
        Folders that are not skipped.
    """

    files: list[tuple[str, InputError | None]]
    skipped: list[str]
    folders: list[str]


def list_folder(folder: Path) -> Listing:
    """Return the content of a folder tree.

    Links to files of the same folder are skipped. Other links, pipes, devices and unreadable folders are errors.
    """
    root = os.path.realpath(folder)
    listing = Listing([], [], [])
    unread: list[OSError] = []
    count = 0
    for inner, folders, names in os.walk(root, onerror=unread.append):
        unwanted_folders = [name for name in folders if not _is_wanted(name)]
        unwanted_files = [name for name in names if not _is_wanted(name)]
        listing.skipped.extend(_relative(os.path.join(inner, name), root) + "/" for name in unwanted_folders)
        listing.skipped.extend(_relative(os.path.join(inner, name), root) for name in unwanted_files)
        folders[:] = filter(_is_wanted, folders)
        for path in (os.path.join(inner, name) for name in (*folders, *filter(_is_wanted, names))):
            count += 1
            if count > MAX_FILES:
                raise InputError(f"contains more than {MAX_FILES} files", source=str(folder))
            _add(listing, path, root)
    for error in unread:
        relative = _relative(error.filename, root)
        listing.files.append((relative, InputError(f"cannot be read: {error.strerror}", source=relative)))
    listing.files.sort(key=lambda entry: entry[0].split("/"))
    return listing


def _add(listing: Listing, path: str, root: str) -> None:
    """Add a file or a folder to a listing."""
    relative = _relative(path, root)
    if os.path.islink(path):
        if _is_visible(path, root):
            listing.skipped.append(relative)
        else:
            listing.files.append((relative, InputError(_LINK, source=relative)))
    elif os.path.isdir(path):
        listing.folders.append(relative)
    elif os.path.isfile(path):
        listing.files.append((relative, None))
    else:
        listing.files.append((relative, InputError(_SPECIAL, source=relative)))


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


def submission_files(folder: str) -> Listing:
    """Return the content of a folder without files that hold results, see `list_folder`."""
    listing = list_folder(Path(folder))
    names = {path for path, _ in listing.files}
    return listing._replace(files=[entry for entry in listing.files if not _is_result(entry[0], names)])


def _is_result(path: str, names: set[str]) -> bool:
    inner, name = os.path.split(path)
    return name in _RESULTS and os.path.join(inner, _RESULTS[name]) in names
