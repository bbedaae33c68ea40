"""What problems of every kind have in common."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Protocol, TypeVar

from planoracle.instances.errors import InputError

_T = TypeVar("_T")

#: The benchmark of problems by the general rules.
GENERAL = "generic"


class Problem(Hashable, Protocol):
    """A problem of any kind, such as a scheduling `Instance` or a `Kitchen`. Immutable and hashable.

    What needs no more than this takes a `Problem`; what serves several kinds has a table of them, see `for_kind`; what
    needs a certain one says which, see `of_kind`.
    """

    @property
    def name(self) -> str:
        """As on the command line, e.g. ``recipe2plan/timed/Cobbler_Pancakes``."""

    @property
    def benchmark(self) -> str:
        """Whose rules and plan language apply; ``"generic"`` for the general ones."""

    @property
    def kind(self) -> str:
        """Which solver it needs: ``"schedule"``, ``"kitchen"`` or ``"floor"``."""

    @property
    def unit(self) -> str:
        """What a tick is called, e.g. ``"second"``."""

    @property
    def seconds_per_tick(self) -> int | None:
        """Length of a tick; ``None`` where it has no fixed length."""

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of those who act, in their fixed order."""

    @property
    def time_limit(self) -> int | None:
        """Tick after which nothing may end; ``None`` without one."""

    @property
    def memos(self) -> dict[object, Any]:
        """What modules keep about it, as `planoracle.instances.model.cache.Remembering` has it."""


def a_problem(given: Problem) -> Problem:
    """Return what is given, a problem; raises `InputError` for what is none, such as its name.

    Examples
    --------
    >>> a_problem("timearena/lab1")
    Traceback (most recent call last):
      ...
    planoracle.instances.errors.InputError: must be a problem, as planoracle.load(NAME) returns it (found \
'timearena/lab1')
    """
    if not hasattr(given, "memos"):
        raise InputError("must be a problem, as planoracle.load(NAME) returns it", value=given)
    return given


def of_kind(problem: Problem, kind: type[_T]) -> _T:
    """Return a problem that must be of a certain kind, as that kind; raises `InputError` if it is another.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import problem
    >>> from planoracle.instances.model.instance import Instance
    >>> of_kind(problem("timearena/lab1"), Instance).tasks
    ('lab1',)
    >>> from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
    >>> of_kind(problem("timearena/lab1"), Kitchen)
    Traceback (most recent call last):
      ...
    planoracle.instances.errors.InputError: must be of kind Kitchen, not Instance (found 'timearena/lab1')
    """
    if not isinstance(problem, kind):
        raise InputError(f"must be of kind {kind.__name__}, not {type(problem).__name__}", value=problem.name)
    return problem


def for_kind(problem: Problem, choices: Mapping[str, _T]) -> _T:
    """Return what there is for the kind of a problem; raises `InputError` if there is nothing.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import problem
    >>> for_kind(problem("timearena/lab1"), {"schedule": "pieces", "kitchen": "steps"})
    'pieces'
    """
    if a_problem(problem).kind not in choices:
        known = " or ".join(f"a {kind}" for kind in choices)
        raise InputError(f"{problem.name} must be {known}", field="kind", value=problem.kind)
    return choices[problem.kind]
