"""Methods beside each other, in a frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from planoracle.analysis.compare import WORK, check, compare
from planoracle.analysis.frames.schema import Collected, Collector, where
from planoracle.heuristics.budget import DEFAULT, Budget
from planoracle.instances import catalogue
from planoracle.instances.deadline import Limit
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.problem import Problem

#: What is compared unless others are asked for.
METHODS = ("optimum", "reference", "improve", "serial-lpt", "parallel-lpt")


def compare_methods(
    names: Iterable[str | Problem],
    methods: Sequence[str] = METHODS,
    *,
    time_limit: Limit = WORK,
    budget: Budget = DEFAULT,
) -> Collected:
    """Let methods answer problems: frame ``comparisons``, a row for every problem and method.

    Parameters
    ----------
    names
        Problems, or names, prefixes, globs and files as on the command line.
    methods, time_limit, budget
        See `planoracle.analysis.compare.compare`; ``reference`` is what the benchmark itself measures plans by.

    Raises
    ------
    UnknownNameError
        For a name or method that does not exist. All else that goes wrong is among the errors; the method then
        has a row without an answer.

    Examples
    --------
    >>> frame, errors = compare_methods(["timearena/household1+household2"], ["optimum", "serial-lpt"])
    >>> frame[["method", "status", "accepted"]].values.tolist(), len(errors)
    ([['optimum', 'optimal', True], ['serial-lpt', 'feasible', True]], 0)
    """
    check(methods)
    rows = Collector("comparisons")
    for problem in _problems(names, rows):
        found = compare(problem, methods, time_limit=time_limit, budget=budget)
        shared = where(problem.name, problem.benchmark)
        rows.add(*(shared | row for row in found.rows()))
        for entry in found.all:
            if entry.error is not None:
                rows.fail(entry.error, instance=problem.name, method=entry.method)
    return rows.done()


def _problems(names: Iterable[str | Problem], rows: Collector) -> Iterator[Problem]:
    for one in [names] if isinstance(names, str) else names:
        if not isinstance(one, str):
            yield one
            continue
        for name in catalogue.expand([one]):
            try:
                yield from catalogue.read_problems(name)
            except UnknownNameError:
                raise
            except InputError as error:
                rows.fail(error, instance=name)
