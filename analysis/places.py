"""Which files submissions may name: none, those in certain folders, or all; others are not even looked for."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from planoracle.instances.crew import split_crew
from planoracle.instances.errors import InputError

# No path is longer.
_LONGEST = 4096
# Where systems show as files what is none.
_UNREAL = ("/proc", "/sys", "/dev")


@dataclass(frozen=True)
class Places:
    """Where files of problems may be that submissions name.

    A path is taken as one in a folder, else as one from the working directory; links are followed, and must not lead
    out. What is elsewhere is not even looked for, so that nobody learns what files there are.

    Attributes
    ----------
    folders
        Folders, with all that is below them, and single files.
    trusted
        Whether every path may be named; also then only regular files are read, and none of ``/proc``.

    Examples
    --------
    >>> Places().find("/etc/hostname"), Places(("/usr",)).find("../etc/hostname")
    (None, None)
    >>> Places(trusted=True).find("/etc/hostname#kitchen~2")
    '/etc/hostname#kitchen~2'
    """

    folders: tuple[str, ...] = ()
    trusted: bool = False

    def find(self, name: str) -> str | None:
        """Return the path, with what follows it, of a file that a submission may name; ``None`` if there is none.

        Raises
        ------
        InputError
            If it is no regular file, or leads out of the folders.
        """
        if not (self.folders or self.trusted) or len(name) > _LONGEST or "\0" in name:
            return None
        roots = [os.path.abspath(folder) for folder in self.folders]
        for path, rest in _parts(name):
            for base in (*roots, os.curdir):
                whole = os.path.abspath(os.path.join(base, path))
                if (self.trusted or _among(whole, roots)) and os.path.lexists(whole):
                    self.check(whole)
                    return whole + rest
        return None

    def check(self, path: str) -> None:
        """Raise an `InputError` if a path leads out, or to anything but a regular file."""
        real = os.path.realpath(path)
        if not self.trusted and not _among(real, [os.path.realpath(folder) for folder in self.folders]):
            raise InputError("leads out of the folders whose files submissions may name", field="instance")
        try:
            regular = stat.S_ISREG(os.stat(real).st_mode)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", field="instance") from None
        if not regular or any(_among(one, _UNREAL) for one in (os.path.abspath(path), real)):
            raise InputError("is no regular file, and nothing else is read for a submission", field="instance")


#: No files at all.
NO_PLACES = Places()


def _among(path: str, roots: Iterable[str]) -> bool:
    """Whether an absolute path is one of some others, or below one."""
    return any(path == root or path.startswith(root.rstrip(os.sep) + os.sep) for root in roots)


def _parts(name: str) -> Iterator[tuple[str, str]]:
    """Yield the paths that a name may begin with, and what then follows: which problem in the file, for how many."""
    crew = split_crew(name)
    for whole, rest in ((name, ""), *([] if crew is None else [crew])):
        yield whole, rest
        path, sign, inner = whole.rpartition("#")
        if path:
            yield path, sign + inner + rest
