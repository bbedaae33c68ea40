"""Objects of other packages by name: entry points, and registration in this process."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import ClassVar, Generic, TypeVar

from planoracle.instances.errors import InputError

_T = TypeVar("_T")


class Contributions(Generic[_T]):
    """Objects of other packages by name.

    Parameters
    ----------
    group
        Group of the entry points.
    noun
        What the objects are, for messages.
    check
        Raises `InputError` for an object, with its name, that is none of these.
    """

    #: Form of the names.
    NAME: ClassVar[re.Pattern[str]] = re.compile("[a-z][a-z0-9]*([-_][a-z0-9]+)*")
    NAME_IN_WORDS: ClassVar[str] = "must be lower-case letters and digits, with words joined by - or _"

    def __init__(self, group: str, noun: str, check: Callable[[object, str], None]) -> None:
        self.group = group
        self.noun = noun
        self._check_type = check
        self._registered: dict[str, _T] = {}
        self._from_packages = cache(self._load)

    def by_name(self) -> dict[str, _T]:
        """Return all objects by name, those of entry points first.

        Raises
        ------
        InputError
            For an entry point that cannot be loaded, or whose name or object is not valid.
        """
        return {**self._from_packages(), **self._registered}

    def register(self, contribution: _T, name: str, used: Iterable[str]) -> None:
        """Add an object to this process; raises `InputError` for a name that is ``used``."""
        if self._registered.get(name) is contribution:
            return
        self._check(contribution, name, used)
        self._registered[name] = contribution

    def _load(self) -> dict[str, _T]:
        """Return the objects of all entry points."""
        from importlib.metadata import entry_points  # slow to import

        contributions: dict[str, _T] = {}
        for point in sorted(entry_points(group=self.group), key=lambda point: point.name):
            try:
                contribution = point.load()
            except (ImportError, AttributeError) as error:
                message = f"cannot be loaded from {point.value} ({error}); repair or uninstall this package"
                raise InputError(message, field=self.group, value=point.name) from error
            self._check(contribution, point.name, used=contributions)
            contributions[point.name] = contribution
        return contributions

    def _check(self, contribution: object, name: str, used: Iterable[str]) -> None:
        """Raise `InputError` for a name that is not valid or in use, and for an object of another type."""
        if not self.NAME.fullmatch(name):
            raise InputError(self.NAME_IN_WORDS, field=self.group, value=name)
        if name in used:
            raise InputError(f"is the name of another {self.noun}", field=self.group, value=name)
        self._check_type(contribution, name)
