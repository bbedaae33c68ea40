"""The problems that submissions name, each loaded once while it is in use."""

from __future__ import annotations

from os.path import isfile
from pathlib import Path

from planoracle.analysis.recent import Recent
from planoracle.instances import catalogue
from planoracle.instances.errors import InputError
from planoracle.instances.problem import Problem

__all__ = ["Problems"]

# Longer names are no paths of originals.
_MOST = 300


class Problems:
    """Finds problems by name or path; keeps those used last.

    Parameters
    ----------
    originals
        A folder with the simulator's kitchens: ``robotouille/asynchronous/…`` and ``seeded/…`` then are its files.
    files
        Whether names may be paths; if not, only those that have been `put` are.

    Examples
    --------
    >>> Problems().find("timearena/household1").name
    'timearena/household1'
    """

    def __init__(self, originals: Path | None = None, *, files: bool = True) -> None:
        self.originals = originals
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

    def known(self, name: str) -> Problem | None:
        """Return a problem that has been found before."""
        found = self._found.peek(name)
        return None if isinstance(found, InputError) else found

    def in_file(self, name: str) -> bool:
        """Whether a name stands for a file, or for something in one."""
        return self.files and (self._original(name) is not None or catalogue.is_file(name))

    def _read(self, name: str) -> Problem:
        if not self.files:
            return catalogue.problem(name)
        original = self._original(name)
        path = name if original is None else str(original)
        problems = catalogue.read_problems(path) if catalogue.is_file(path) else [catalogue.problem(path)]
        if len(problems) != 1:
            raise InputError("must name a single problem", field="instance", value=name)
        return problems[0]

    def _original(self, name: str) -> Path | None:
        inner = Path(name.removeprefix("robotouille/"))
        if self.originals is None or len(name) > _MOST or "\0" in name or inner.is_absolute() or ".." in inner.parts:
            return None
        files = (self.originals / inner.parent / f"{inner.name}{ending}" for ending in ("", ".json"))
        return next((path for path in files if isfile(path)), None)  # which raises for no path
