"""Loader of problems by name or path, limited to the paths that submissions may name."""

from __future__ import annotations

import os
import stat
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.files import catalog
from planoracle.instances.files.strict_json import confined
from planoracle.instances.model.agents import split_agent_suffix
from planoracle.instances.model.problem import Problem

# Maximum length of a path.
_LONGEST = 4096
# Folders of pseudo files, which are not read.
_UNREAL = ("/proc", "/sys", "/dev")


@dataclass(frozen=True)
class Places:
    """Folders and files that submissions may name.

    A path is relative to one of the folders, else to the working directory. Links must not lead out of the folders.
    Other paths are not looked up, so that a submission cannot learn which files exist.

    Attributes
    ----------
    folders
        Folders, with all files below them, and single files.
    trusted
        True if every path may be named; only regular files are read, and none of ``/proc``.

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
        """Return the path of a file that a submission may name, with its suffix; ``None`` if there is none.

        Raises
        ------
        InputError
            If it is not a regular file, or is outside the folders.
        """
        if not (self.folders or self.trusted) or len(name) > _LONGEST or "\0" in name:
            return None
        roots = [os.path.abspath(folder) for folder in self.folders]
        for path, suffix in _parts(name):
            for base in (*roots, os.curdir):
                full_path = os.path.abspath(os.path.join(base, path))
                if (self.trusted or _among(full_path, roots)) and os.path.lexists(full_path):
                    self.check(full_path)
                    return full_path + suffix
        return None

    def check(self, path: str) -> None:
        """Raise an `InputError` for a path outside the folders and for one that is not a regular file."""
        real = os.path.realpath(path)
        if not self.trusted and not _among(real, [os.path.realpath(folder) for folder in self.folders]):
            raise InputError("is outside the folders that submissions may name (--instances)", field="instance")
        try:
            regular = stat.S_ISREG(os.stat(real).st_mode)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", field="instance") from None
        if not regular or any(_among(location, _UNREAL) for location in (os.path.abspath(path), real)):
            raise InputError("is not a regular file; submissions can name regular files only", field="instance")


#: No files at all.
NO_PLACES = Places()


def _among(path: str, roots: Iterable[str]) -> bool:
    """Return True if an absolute path is one of the roots or below one."""
    return any(path == root or path.startswith(root.rstrip(os.sep) + os.sep) for root in roots)


def _parts(name: str) -> Iterator[tuple[str, str]]:
    """Yield each split of a name into a path and a suffix with problem, variant and number of agents."""
    crew = split_agent_suffix(name)
    splits = [(name, "")]
    if crew is not None:
        splits.append(crew)
    base, agents = splits[-1]
    variant = catalog.split_variant(base)
    if variant is not None:
        original, label = variant
        splits.append((original, f"@{label}{agents}"))
    for head, suffix in splits:
        yield head, suffix
        path, sign, problem = head.rpartition("#")
        if path:
            yield path, sign + problem + suffix


class Problems:
    """Loader of problems by name, with a cache of the problems used last.

    Parameters
    ----------
    named
        Problems by name, which precede all others, also with variants and agents (``soup@42~2``).
    places
        Files that names may be paths of; by default none. Errors do not reveal the content of such a file.

    Examples
    --------
    >>> Problems().find("timearena/household1").name
    'timearena/household1'
    """

    def __init__(self, named: Mapping[str, Problem] | None = None, places: Places | None = None) -> None:
        self._named = dict(named or {})
        self._places = places or Places()
        self._cache: Recent[str, Problem] = Recent(1024)

    def __reduce__(self) -> Any:
        return Problems, (self._named, self._places)

    def find(self, name: str) -> Problem:
        """Return a problem; raises `InputError` unless the name stands for exactly one."""
        return self._cache.get(name, lambda: self._read(name))

    def peek(self, name: str) -> Problem | None:
        """Return a problem of the cache."""
        return self._cache.peek(name)

    def path_of(self, name: str) -> str | None:
        """Return the path of the file that a name stands for, ``None`` for a bundled or named problem.

        Raises
        ------
        InputError
            If the file may not be named.
        """
        if name in self._named:
            return None
        path: str | None = catalog.local_path(name)
        if path == name:
            path = None if catalog.names_problem(name) else self._places.find(name)
        return None if path is None else catalog.file_path(path)

    def _read(self, name: str) -> Problem:
        derived = catalog.DerivedName.of(name, self._named)
        if derived is not None:
            return derived.derive(self._named[derived.original])
        path = catalog.local_path(name)
        if path != name:
            return _single(name, path)
        if catalog.names_problem(name):
            return catalog.problem(name)
        path_in_places = self._places.find(name)
        if path_in_places is None:
            name_of_ours = catalog.published_name(name)
            if name_of_ours:
                return catalog.problem(name_of_ours)
            raise catalog.unknown_name_error(name).at("", "instance")
        with confined(self._places.check):
            return _single(name, path_in_places)


def _single(name: str, path: str) -> Problem:
    """Return the problem of a file that a submission names; errors do not reveal its content."""
    try:
        problems = catalog.read_problems(path)
    except InputError:
        reason = (
            "is not a valid problem file, or the file lacks this problem; planoracle instances FILE reports the error"
        )
        raise InputError(reason, field="instance", value=name) from None
    except Exception as error:  # an internal error
        raise InternalError(f"{type(error).__name__} while reading the problem file {name[:200]!r}") from None
    if len(problems) != 1:
        raise InputError("must name a single problem", field="instance", value=name)
    return problems[0]


_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class Recent(Generic[_K, _V]):
    """Cache of the ``most`` most recently used values by key.

    Examples
    --------
    >>> recent = Recent(2)
    >>> [recent.get(key, lambda: f"made for {key}") for key in "aba"]
    ['made for a', 'made for b', 'made for a']
    >>> recent.get("c", lambda: "made for c"), recent.peek("a"), recent.peek("b")
    ('made for c', 'made for a', None)
    """

    def __init__(self, max_values: int = 512) -> None:
        self._max_values = max_values
        self._values: OrderedDict[_K, _V] = OrderedDict()

    def get(self, key: _K, make: Callable[[], _V]) -> _V:
        """Return the value of a key; create it if it is missing."""
        if key not in self._values:
            self._values[key] = make()
        self._values.move_to_end(key)
        if len(self._values) > self._max_values:
            self._values.popitem(last=False)
        return self._values[key]

    def peek(self, key: _K) -> _V | None:
        """Return the value of a key, ``None`` if it is missing."""
        return self._values.get(key)
