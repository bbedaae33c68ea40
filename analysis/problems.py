"""The problems that submissions name, each loaded once."""

from __future__ import annotations

from pathlib import Path

from planoracle.instances import catalogue
from planoracle.instances.catalogue import Problem
from planoracle.instances.errors import InputError

__all__ = ["Problems"]

# Longer names are no paths of originals.
_MOST = 300


class Problems:
    """Finds problems by name or path.

    Parameters
    ----------
    originals
        A folder with the simulator's kitchens: ``robotouille/asynchronous/…`` and ``seeded/…`` then are its files.

    Examples
    --------
    >>> Problems().find("timearena/household1").name
    'timearena/household1'
    """

    def __init__(self, originals: Path | None = None) -> None:
        self.originals = originals
        self._found: dict[str, Problem] = {}

    def find(self, name: str) -> Problem:
        """Return a problem; raises `InputError` if the name stands for none, or for several."""
        if name not in self._found:
            original = self._original(name)
            path = name if original is None else str(original)
            problems = catalogue.read_problems(path) if catalogue.is_file(path) else [catalogue.problem(path)]
            if len(problems) != 1:
                raise InputError("must name a single problem", field="instance", value=name)
            self._found[name] = problems[0]
        return self._found[name]

    def known(self, name: str) -> Problem | None:
        """Return a problem that has been found before."""
        return self._found.get(name)

    def _original(self, name: str) -> Path | None:
        inner = Path(name.removeprefix("robotouille/"))
        if self.originals is None or len(name) > _MOST or "\0" in name or inner.is_absolute() or ".." in inner.parts:
            return None
        files = (self.originals / inner.parent / f"{inner.name}{ending}" for ending in ("", ".json"))
        return next((path for path in files if path.is_file()), None)
