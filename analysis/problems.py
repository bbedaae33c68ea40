"""The problems that submissions name, each loaded once while it is in use."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from planoracle.analysis.recent import Recent
from planoracle.instances import catalogue, registry
from planoracle.instances.errors import InputError
from planoracle.instances.problem import Problem

__all__ = ["Problems"]


class Problems:
    """Finds problems by name or path; keeps those used last.

    Parameters
    ----------
    data
        Folders with copies of the authors' own data, by benchmark, whose files names mean, see
        `planoracle.instances.benchmark.Benchmark.file_of`; beside those that are told for all, see
        `planoracle.instances.copies`.
    named
        Problems that are found by their own names, before all others.
    files
        Whether names may be paths; if not, only those that have been `put` are.

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
        files: bool = True,
    ) -> None:
        self._named = dict(named or {})
        self._data = [(registry.get(name), folder) for name, folder in (data or {}).items()]
        self.files = files
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
        return name in self._named or (self.files and (catalogue.is_file(self._place(name)) or catalogue.copied(name)))

    def _read(self, name: str) -> Problem:
        if name in self._named:
            return self._named[name]
        if not self.files:
            return catalogue.problem(name)
        path = self._place(name)
        problems = catalogue.read_problems(path) if catalogue.is_file(path) else [catalogue.problem(path)]
        if len(problems) != 1:
            raise InputError("must name a single problem", field="instance", value=name)
        return problems[0]

    def _place(self, name: str) -> str:
        """Return the file that a name means, or the name itself."""
        found = next(filter(None, (benchmark.file_of(name, folder) for benchmark, folder in self._data)), None)
        return catalogue.placed(name) if found is None else found
