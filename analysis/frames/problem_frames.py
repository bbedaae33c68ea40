"""Frames of problems, of their schedules, and of methods that are compared over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from planoracle.analysis.comparison.compare import WORK, check, compare
from planoracle.analysis.frames.schema import Collector, FrameWithErrors, problem_columns
from planoracle.analysis.run_schedule import plan_rows
from planoracle.heuristics.improve import DEFAULT, Budget
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.limits import Limit
from planoracle.instances.model.problem import Problem, for_kind
from planoracle.solver.exact.bounds import windows


def instances(problems: Iterable[Problem]) -> FrameWithErrors:
    """Say how large problems are, and how much they leave to be done at once: frame ``instances``.

    A problem whose time lags contradict each other has no critical path; it is named among the errors.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> frame, errors = instances([load("recipe2plan/timed/Cobbler_Pancakes")])
    >>> print(*frame[["actions", "work", "critical_path", "busiest"]].iloc[0], len(errors))
    24 6960 2400 oven 0
    """
    rows = Collector("instances")
    for problem in problems:
        row = problem_columns(problem.name, problem.benchmark) | {
            "unit": problem.unit,
            "seconds_per_tick": problem.seconds_per_tick,
            "agents": len(problem.agents),
            "time_limit": problem.time_limit,
        }
        try:
            figures = for_kind(problem, _FIGURES)(problem)
        except InputError as error:
            rows.fail(error, instance=problem.name)
            continue
        if figures.get("critical_path", 0) is None:
            rows.fail(InputError("the time lags contradict each other"), instance=problem.name)
        rows.add(row | figures)
    return rows.build()


def _figures(instance: Instance) -> dict[str, Any]:
    actions, bounds = instance.actions, windows(instance)
    path = max(h + a.duration + t for h, a, t in zip(bounds.head, actions, bounds.tail, strict=True))
    longest = path if bounds.consistent and path else None
    work = sum(action.duration for action in actions)
    attended = sum(action.attended for action in actions)
    uses = {one.name: sum(_least_use(action, one.name) for action in actions) for one in instance.resources}
    used = {d.resource for action in actions for mode in action.modes for d in mode.demands if d.amount}
    loads = {} if longest is None else {name: uses[name] / instance.resource[name].capacity / longest for name in uses}
    busiest = max(loads, key=lambda name: loads[name], default=None)
    return {
        "tasks": len(instance.tasks),
        "actions": len(actions),
        "resources": len(used),
        "autonomous": sum(not action.attended for action in actions),
        "interruptible": sum(action.interruptible for action in actions),
        "alternatives": sum(len(action.modes) > 1 for action in actions),
        "precedences": sum(lag.minimum is not None for lag in instance.lags),
        "windows": sum(lag.maximum is not None for lag in instance.lags),
        "work": work,
        "attended": attended,
        "critical_path": path if bounds.consistent else None,
        "parallelism": None if longest is None else work / longest,
        "agent_load": None if longest is None else attended / max(1, len(instance.agents)) / longest,
        "resource_load": None if busiest is None else loads[busiest],
        "busiest": busiest if busiest is not None and loads[busiest] else None,
    }


def _least_use(action: Action, resource: str) -> int:
    """Return ticks times units that an action takes of a resource, in the mode that takes least."""
    amounts = (sum(d.amount for d in mode.demands if d.resource == resource) for mode in action.modes)
    return action.duration * min(amounts)


def schedules(entries: Iterable[tuple[Problem, str, Any]]) -> FrameWithErrors:
    """List the pieces of schedules: frame ``schedules``.

    Parameters
    ----------
    entries
        Problem, name of the method, and its `Schedule` or an object with one, such as a `Result` or an `Answer` of a
        heuristic. For kitchens a `Result` or a list of actions; for grid kitchens a plan or an object with a ``plan``.
        Entries without a schedule are in the errors.

    Examples
    --------
    >>> from planoracle.heuristics.registry import run
    >>> from planoracle.instances.files.catalog import load
    >>> kitchen = load("recipe2plan/timed/Cobbler_Pancakes")
    >>> frame, errors = schedules([(kitchen, "serial-lpt", run(kitchen, "serial-lpt"))])
    >>> print(*frame[["action", "agent", "start", "end"]].iloc[0])
    Cobbler/0 agent 0 600
    """
    rows = Collector("schedules")
    for problem, method, answer in entries:
        shared = problem_columns(problem.name, problem.benchmark) | {"method": method}
        try:
            rows.add(*({**shared, **row} for row in plan_rows(problem, answer)))
        except InputError as error:
            rows.fail(error, instance=problem.name, method=method)
    return rows.build()


_FIGURES: Final[dict[str, Callable[[Any], dict[str, Any]]]] = {
    "schedule": _figures,
    "kitchen": lambda kitchen: {"objects": len(kitchen.objects)},
    "floor": lambda floor: {"tasks": len(floor.orders)},
}
#: What is compared unless others are asked for.
METHODS = ("optimum", "reference", "improve", "serial-lpt", "parallel-lpt")


def compare_methods(
    names: Iterable[str | Problem],
    methods: Sequence[str] = METHODS,
    *,
    time_limit: Limit = WORK,
    budget: Budget = DEFAULT,
) -> FrameWithErrors:
    """Let methods answer problems: frame ``comparisons``, a row for every problem and method.

    Parameters
    ----------
    names
        Problems, or names, prefixes, globs and files as on the command line.
    methods, time_limit, budget
        See `planoracle.analysis.comparison.compare.compare`; ``reference`` is what the benchmark itself measures
        plans by.

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
        comparison = compare(problem, methods, time_limit=time_limit, budget=budget)
        shared = problem_columns(problem.name, problem.benchmark)
        rows.add(*(shared | row for row in comparison.rows()))
        for entry in comparison.all:
            if entry.error is not None:
                rows.fail(entry.error, instance=problem.name, method=entry.method)
    return rows.build()


def _problems(names: Iterable[str | Problem], rows: Collector) -> Iterator[Problem]:
    for one in [names] if isinstance(names, str) else names:
        if not isinstance(one, str):
            yield one
            continue
        for name in catalog.expand([one]):
            try:
                yield from catalog.read_problems(name)
            except UnknownNameError:
                raise
            except InputError as error:
                rows.fail(error, instance=name)
