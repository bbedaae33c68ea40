"""Interface of problems of every kind, and checks of their kind."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol, TypeVar

from planoracle.instances.errors import InputError

_T = TypeVar("_T")

#: Name of the benchmark with the general rules.
GENERAL = "generic"


class Problem(Hashable, Protocol):
    """Problem of any kind, such as a scheduling `Instance` or a kitchen. Immutable and hashable.

    Functions for one kind check it, see `of_kind`; functions for several kinds call `planoracle.solver.kinds`.
    """

    @property
    def name(self) -> str:
        """Name on the command line, e.g. ``recipe2plan/timed/Cobbler_Pancakes``."""

    @property
    def benchmark(self) -> str:
        """Benchmark whose rules and plan language apply; ``"generic"`` for the general ones."""

    @property
    def kind(self) -> str:
        """Name of the kind, which determines the solver, e.g. ``"schedule"``."""

    @property
    def unit(self) -> str:
        """Name of a tick, e.g. ``"second"``."""

    @property
    def seconds_per_tick(self) -> int | None:
        """Length of a tick; ``None`` without a fixed length."""

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents, in a fixed order."""

    @property
    def time_limit(self) -> int | None:
        """Last tick at which an action may end; ``None`` without a limit."""

    @property
    def memos(self) -> dict[object, Any]:
        """Cached values of the problem, see `planoracle.instances.model.cache.CacheHolder`."""


def check_problem(problem: Problem) -> Problem:
    """Return the problem; raises `InputError` for other values, such as a name.

    Examples
    --------
    >>> check_problem("timearena/lab1")
    Traceback (most recent call last):
      ...
    planoracle.instances.errors.InputError: must be a problem, as planoracle.load(NAME) returns it (got \
'timearena/lab1')
    """
    if not hasattr(problem, "memos"):
        raise InputError("must be a problem, as planoracle.load(NAME) returns it", value=problem)
    return problem


def of_kind(problem: Problem, kind: type[_T]) -> _T:
    """Return the problem if it is of a certain kind; raises `InputError` otherwise.

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
    planoracle.instances.errors.InputError: must be of kind Kitchen, not Instance (got 'timearena/lab1')
    """
    if not isinstance(problem, kind):
        actual = type(problem).__name__
        raise InputError(f"must be of kind {kind.__name__}, not {actual}", value=problem.name)
    return problem
