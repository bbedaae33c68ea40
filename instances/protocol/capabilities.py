"""What a benchmark may offer besides problems and rules: names, limits, random and combined problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple, Protocol

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.schedule import Schedule


class Catalog(Protocol):
    """The problems of one benchmark that have names; these begin with its own.

    It may also have ``hint(name)``, which returns what is said of a name that stands for nothing, ``""`` if nothing.
    """

    def names(self) -> tuple[str, ...]:
        """Return the bundled problems in their fixed order."""

    def covers(self, name: str) -> bool:
        """Whether a name stands for one problem, be it bundled or combined from bundled parts."""

    def members(self, name: str) -> tuple[str, ...]:
        """Return the problems of a set that is not all below a prefix, ``()`` if there is no such set."""

    def set_of(self, name: str) -> tuple[str, tuple[str, ...]]:
        """Return the label and the members of the set a name belongs to, ``("", ())`` if to none."""

    def load(self, name: str) -> Any:
        """Return the problem of a name that is covered; raises `UnknownNameError` for others."""


class Generator(NamedTuple):
    """How random problems in a benchmark's style are made, see `planoracle.instances.generate.styles`.

    Attributes
    ----------
    parameters, combined
        Names of the parameters that count, and of those where bundled tasks are combined (none: that cannot be done).
    usual, make, combine
        Values that the parameters usually have; a problem with a schedule for it if one is known; a combination.
    compose
        Return names of combined problems, where they have a kind and a variant: called with the kind and the variant
        (``None`` for the usual ones), the number of tasks, the number of problems and a seed.
    salt
        What seeds are mixed with; by default the benchmark's name.
    """

    parameters: tuple[str, ...]
    usual: Any
    make: Callable[[Random, Any, str], tuple[Problem, Schedule | None]]
    combined: tuple[str, ...] = ()
    combine: Callable[[Random, Any, str], Instance] | None = None
    compose: Callable[[str | None, str | None, int, int, int], Sequence[str]] | None = None
    salt: str = ""


class SubmissionLimit(NamedTuple):
    """The field in which a submission may set its run a limit of its own, and the largest one that is taken.

    ``optional``: it may be null, for none.
    """

    field: str
    most: int
    unit: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class ActionSpace:
    """What there can be to do.

    Attributes
    ----------
    names
        In a fixed order; every legal command in every state is one of these.
    name_of
        Returns the name of a command as `planoracle.instances.protocol.environment` writes it; of others, whatever it
        likes.
    timed
        Whether commands say when or for how long, so that several that are legal have the same name.

    Examples
    --------
    >>> from planoracle.instances.files import catalog
    >>> from planoracle.instances.protocol import registry
    >>> problem = catalog.problem("recipe2plan/timed/Vada_Daikon-Radish")
    >>> found = registry.of(problem).repertoire(problem)
    >>> found.names[:2], found.name_of("Step(1, Vada, 00:05:00, 00:02:00)")
    (('Vada/0', 'Vada/1'), 'Vada/1')
    """

    names: tuple[str, ...]
    name_of: Callable[[str], str] = str
    timed: bool = False
