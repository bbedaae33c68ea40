"""The problems that submissions name, each loaded once while it is in use; a name is no path unless that is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from planoracle.analysis.places import Places
from planoracle.analysis.recent import Recent
from planoracle.instances import catalogue, registry
from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.problem import Problem
from planoracle.instances.reading import confined

__all__ = ["Problems"]


class Problems:
    """Finds problems by name; keeps those used last.

    Parameters
    ----------
    data
        Folders with copies of the authors' own data, by benchmark, whose files names mean, see
        `planoracle.instances.benchmark.Benchmark.file_of`; beside those that are told for all, see
        `planoracle.instances.copies`.
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

    def find(self, name: str) -> Problem:
        """Return a problem; raises `InputError` if the name stands for none, or for several."""
        found = self._found.get(name, lambda: self._read(name))
        if isinstance(found, InputError):
            raise found.with_traceback(None)
        return found

    def put(self, name: str, problem: Problem | InputError) -> None:
        """Let a name stand for a problem, or for the error there is instead."""
        self._found.put(name, problem)

    def forget(self, name: str) -> None:
        """Let a name stand for what it did before it was `put`."""
        self._found.drop(name)

    def known(self, name: str) -> Problem | None:
        """Return a problem that has been found before."""
        found = self._found.peek(name)
        return None if isinstance(found, InputError) else found

    def in_file(self, name: str) -> bool:
        """Whether a name stands for a file, or for something in one, or in a copy of somebody's data."""
        if name in self._named or self._placed(name) != name or catalogue.copied(name):
            return True
        try:
            return not catalogue.names_problem(name) and self._places.find(name) is not None
        except InputError:  # which finding it raises again
            return True

    def _read(self, name: str) -> Problem:
        if name in self._named:
            return self._named[name]
        path = self._placed(name)
        if path != name:
            return _single(name, path)
        if catalogue.names_problem(name):
            return catalogue.problem(name)
        found = self._places.find(name)
        if found is None:
            raise catalogue.unknown(name)
        with confined(self._places.check):
            return _single(name, found)

    def _placed(self, name: str) -> str:
        """Return the file that a name means in a copy of somebody's data, or the name itself."""
        head = name.partition("/")[0]
        found = registry.get(head).file_of(name, self._data[head]) if head in self._data else None
        return catalogue.placed(name) if found is None else found


def _single(name: str, path: str) -> Problem:
    """Return the problem of a file that a submission names; nothing of what is in the file gets into an error."""
    try:
        problems = catalogue.read_problems(path)
    except InputError:
        said = "names a file that cannot be read as a problem, or lacks that one; planoracle instances FILE says why"
        raise InputError(said, field="instance", value=name) from None
    except Exception as error:  # a fault of ours
        raise InternalError(f"{type(error).__name__} while a file is read: {name[:200]!r}") from None
    if len(problems) != 1:
        raise InputError("must name a single problem", field="instance", value=name)
    return problems[0]
