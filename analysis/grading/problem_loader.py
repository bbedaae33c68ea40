"""Which files submissions may name: none, those in certain folders, or all; others are not even looked for."""

from __future__ import annotations

import os
import stat
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.files import catalog
from planoracle.instances.files.strict_json import confined
from planoracle.instances.model.agents import split_agent_suffix
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry

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
    crew = split_agent_suffix(name)
    for whole, rest in ((name, ""), *([] if crew is None else [crew])):
        yield whole, rest
        path, sign, inner = whole.rpartition("#")
        if path:
            yield path, sign + inner + rest


class Problems:
    """Finds problems by name; keeps those used last.

    Parameters
    ----------
    data
        Folders with copies of the authors' own data, by benchmark, whose files names mean, see
        `planoracle.instances.protocol.benchmark.Benchmark.file_of`; beside those that are told for all, see
        `planoracle.instances.protocol.registry`.
    named
        Problems that are found by their own names, before all others.
    places
        Which files names may be paths of: without it, none. What such a file holds is not told by any error.

    Examples
    --------
    >>> Problems().find("timearena/household1").name
    'timearena/household1'
    """

    def __init__(
        self,
        data: Mapping[str, Path] | None = None,
        *,
        named: Mapping[str, Problem] | None = None,
        places: Places | None = None,
    ) -> None:
        self._named = dict(named or {})
        self._data = dict(data or {})
        self._places = places or Places()
        self._found: Recent[str, Problem | InputError] = Recent(1024)

    def __reduce__(self) -> Any:
        return partial(Problems, named=self._named, places=self._places), (self._data,)

    def find(self, name: str) -> Problem:
        """Return a problem; raises `InputError` if the name stands for none, or for several."""
        found = self._found.get(name, lambda: self._read(name))
        if isinstance(found, InputError):
            raise found.with_traceback(None)
        return found

    def known(self, name: str) -> Problem | None:
        """Return a problem that has been found before."""
        found = self._found.peek(name)
        return None if isinstance(found, InputError) else found

    def path_of(self, name: str) -> str | None:
        """Return the path of the file that a name stands for, ``None`` if the problem is bundled or was given.

        Raises
        ------
        InputError
            If the file may not be named.
        """
        if name in self._named:
            return None
        path: str | None = self._placed(name)
        if path == name:
            path = None if catalog.names_problem(name) else self._places.find(name)
        return None if path is None else catalog.file_path(path)

    def _read(self, name: str) -> Problem:
        if name in self._named:
            return self._named[name]
        path = self._placed(name)
        if path != name:
            return _single(name, path)
        if catalog.names_problem(name):
            return catalog.problem(name)
        found = self._places.find(name)
        if found is None:
            raise catalog.unknown_name_error(name)
        with confined(self._places.check):
            return _single(name, found)

    def _placed(self, name: str) -> str:
        """Return the file that a name means in a copy of somebody's data, or the name itself."""
        head = name.partition("/")[0]
        found = registry.get(head).file_of(name, self._data[head]) if head in self._data else None
        return catalog.local_path(name) if found is None else found


def _single(name: str, path: str) -> Problem:
    """Return the problem of a file that a submission names; nothing of what is in the file gets into an error."""
    try:
        problems = catalog.read_problems(path)
    except InputError:
        said = "names a file that cannot be read as a problem, or lacks that one; planoracle instances FILE says why"
        raise InputError(said, field="instance", value=name) from None
    except Exception as error:  # a fault of ours
        raise InternalError(f"{type(error).__name__} while a file is read: {name[:200]!r}") from None
    if len(problems) != 1:
        raise InputError("must name a single problem", field="instance", value=name)
    return problems[0]


_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class Recent(Generic[_K, _V]):
    """Keeps at most ``most`` values by key: those used last.

    Examples
    --------
    >>> recent = Recent(2)
    >>> [recent.get(key, lambda: f"made for {key}") for key in "aba"]
    ['made for a', 'made for b', 'made for a']
    >>> recent.put("c", "put"), recent.peek("a"), recent.peek("b")
    (None, 'made for a', None)
    """

    def __init__(self, most: int = 512) -> None:
        self._most = most
        self._kept: OrderedDict[_K, _V] = OrderedDict()

    def get(self, key: _K, make: Callable[[], _V]) -> _V:
        """Return the value of a key, made if it is not there."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        value = make()
        self.put(key, value)
        return value

    def put(self, key: _K, value: _V) -> None:
        """Keep a value, in place of any other of the key."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def peek(self, key: _K) -> _V | None:
        """Return the value of a key if it is there."""
        return self._kept.get(key)

    def drop(self, key: _K) -> None:
        """Forget the value of a key if it is there."""
        self._kept.pop(key, None)
