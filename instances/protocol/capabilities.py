"""Types of what benchmarks declare: catalogues, generators, limits of submissions, action spaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple, Protocol

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.schedule import Schedule


class Catalog(Protocol):
    """Named problems of one benchmark; names begin with its own.

    An optional ``members(name)`` returns the problems of a set that is no prefix of names, ``()`` if there is no such
    set. An optional ``hint(name)`` returns a remark on a name that matches nothing, or ``""``. An optional
    ``published_name(name)`` returns the problem that the authors call so, or ``""``.
    """

    def names(self) -> tuple[str, ...]:
        """Return the bundled problems in their fixed order."""

    def covers(self, name: str) -> bool:
        """Return True if a name stands for one problem, bundled or combined from bundled tasks."""

    def set_of(self, name: str) -> tuple[str, tuple[str, ...]]:
        """Return the label and the members of the set of a name, ``("", ())`` if there is none."""

    def load(self, name: str) -> Any:
        """Return the problem of a name; raises `UnknownNameError` for one that is not covered."""


class Generator(NamedTuple):
    """Generator of random problems in the style of a benchmark.

    Attributes
    ----------
    parameters, combined
        Names of the parameters that matter, and of those for combinations of bundled tasks (none: not supported).
    usual, make, combine
        Default parameters; function that returns a problem, and a schedule for it if one is known; the same for a
        combination.
    compose
        Function that returns names of combined problems from a kind and a variant (``None`` for the defaults), the
        number of tasks, the number of problems and a seed. With ``combine``, it needs a kind or variant.
    salt
        Text mixed with seeds; by default the benchmark's name.
    """

    parameters: tuple[str, ...]
    usual: Any
    make: Callable[[Random, Any, str], tuple[Problem, Schedule | None]]
    combined: tuple[str, ...] = ()
    combine: Callable[[Random, Any, str], Instance] | None = None
    compose: Callable[[str | None, str | None, int, int, int], Sequence[str]] | None = None
    salt: str = ""


class SubmissionLimit(NamedTuple):
    """Field by which a submission may limit its own run.

    Attributes
    ----------
    field
        Field of a submission.
    most
        Largest limit.
    unit
        Unit of the limit.
    optional
        True if null is accepted for no limit.
    """

    field: str
    most: int
    unit: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class ActionSpace:
    """Possible commands of the live runs of a problem.

    Attributes
    ----------
    names
        In fixed order; the name of every legal command in every state is one of these.
    name_of
        Function that returns the name of a legal command; undefined for other texts.
    timed
        True if commands state times, so that several legal commands have the same name.

    Examples
    --------
    >>> from planoracle.instances.files import catalog
    >>> from planoracle.instances.protocol import registry
    >>> problem = catalog.problem("recipe2plan/timed/Vada_Daikon-Radish")
    >>> space = registry.of(problem).action_space(problem)
    >>> space.names[:2], space.name_of("Step(1, Vada, 00:05:00, 00:02:00)")
    (('Vada/0', 'Vada/1'), 'Vada/1')
    """

    names: tuple[str, ...]
    name_of: Callable[[str], str] = str
    timed: bool = False
