"""Methods beside each other: the optimum, the benchmark's own reference, and the heuristics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter
from typing import Any, NamedTuple

from planoracle.analysis.frames.collected import Collected, Collector, where
from planoracle.analysis.optimum import optimum
from planoracle.heuristics.budget import Budget
from planoracle.heuristics.registry import names as heuristics
from planoracle.heuristics.registry import run
from planoracle.instances import catalogue
from planoracle.instances.errors import InputError, PlanoracleError, UnknownNameError
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.model import Instance
from planoracle.instances.problem import Problem, of_kind
from planoracle.instances.status import Status
from planoracle.solver.solve import solve

__all__ = ["METHODS", "compare_methods"]

#: What is compared unless others are asked for.
METHODS = ("optimum", "reference", "improve", "serial-lpt", "parallel-lpt")

_BUDGET = Budget()
_KITCHEN = "the heuristics are for scheduling problems"
_NO_REFERENCE = "the benchmark has no reference for it"


class _Found(NamedTuple):
    """What one method says of one problem."""

    makespan: int | None
    status: Status = Status.unknown
    accepted: bool | None = None
    seconds: float | None = None
    reason: str | None = None


def compare_methods(
    names: Iterable[str | Problem],
    methods: Sequence[str] = METHODS,
    *,
    time_limit: float = 60.0,
    budget: Budget = _BUDGET,
) -> Collected:
    """Let methods answer problems: frame ``comparisons``, a row for every problem and method.

    Parameters
    ----------
    names
        Problems, or names, prefixes, globs and files as on the command line.
    methods
        ``optimum`` (exact), ``reference`` (the released plan of Recipe2Plan, what the released greedy of TimeArena
        claims, the published number of Robotouille), and names of heuristics.
    time_limit
        Seconds for the exact solve of a problem. It always takes place: gaps are measured by it.
    budget
        Of the heuristics.

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
    for method in methods:
        if method not in ("optimum", "reference", *heuristics()):
            known = ", ".join(("optimum", "reference", *heuristics()))
            raise UnknownNameError(f"must be one of {known}", field="method", value=method)
    rows = Collector("comparisons")
    for problem in _problems(names, rows):
        exact, bound = _exactly(problem, time_limit, rows)
        shared = where(problem.name, problem.benchmark) | {
            "unit": problem.unit,
            "actions": len(problem.actions) if isinstance(problem, Instance) else None,
            "optimum": exact.makespan if exact.status == Status.optimal else None,
            "lower_bound": bound,
            "settled": exact.status,
        }
        for method in dict.fromkeys(methods):
            found = exact if method == "optimum" else _answer(problem, method, budget, rows)
            rows.add(shared | {"method": method} | found._asdict() | _gaps(found.makespan, shared))
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


def _exactly(problem: Problem, time_limit: float, rows: Collector) -> tuple[_Found, int | None]:
    """Return the exact answer and the bound proved."""
    try:
        found = optimum.known(problem)
        if found is None or not found.status.settled:
            found = solve(problem, time_limit=time_limit)
    except PlanoracleError as error:
        rows.fail(error, instance=problem.name, method="optimum")
        return _Found(None, reason=str(error)), None
    accepted = None if found.makespan is None else True
    reason = found.proof if found.makespan is None else None
    return _Found(found.makespan, found.status, accepted, found.seconds, reason), found.lower_bound


def _answer(problem: Problem, method: str, budget: Budget, rows: Collector) -> _Found:
    try:
        if method == "reference":
            return _reference(problem)
        if isinstance(problem, Kitchen):
            return _Found(None, reason=_KITCHEN)
        answer = run(of_kind(problem, Instance), method, budget)
    except PlanoracleError as error:
        rows.fail(error, instance=problem.name, method=method)
        return _Found(None, reason=str(error))
    if answer.makespan is None:
        return _Found(None, seconds=answer.seconds, reason=answer.reason)
    return _Found(answer.makespan, Status.feasible, True, answer.seconds)


def _reference(problem: Problem) -> _Found:
    """Return what the benchmark itself gives as the best plan, and whether the rules accept it."""
    if problem.benchmark == "robotouille":
        from planoracle.instances.robotouille.published import published_steps

        steps = published_steps(problem.name)
        return _Found(None, reason=_NO_REFERENCE) if steps is None else _Found(int(steps), Status.unknown)
    if problem.benchmark == "recipe2plan":
        return _released(of_kind(problem, Instance))
    if problem.benchmark == "timearena":
        from planoracle.heuristics import timearena_greedy

        instance = of_kind(problem, Instance)
        began = perf_counter()
        greedy = timearena_greedy.released(instance)
        schedule, obstacle = timearena_greedy.realise(instance, greedy.starts)
        seconds = perf_counter() - began
        if schedule is None:
            return _Found(greedy.claim, Status.unknown, False, seconds, f"claimed, but impossible: {obstacle}")
        return _Found(greedy.claim, Status.feasible, True, seconds)
    return _Found(None, reason=_NO_REFERENCE)


def _released(instance: Instance) -> _Found:
    from planoracle.instances.recipe2plan.language import Answers
    from planoracle.instances.recipe2plan.rules import replay
    from planoracle.instances.recipe2plan.scores import released_plan

    commands = released_plan(instance)
    if not commands:
        return _Found(None, reason=_NO_REFERENCE)
    makespan = max(command.start + command.duration for command in commands)
    run = replay(instance, Answers((commands,)))
    if run.violations or not run.success:
        fault = run.violations[0].message if run.violations else "it does not finish"
        return _Found(makespan, Status.unknown, False, reason=f"claimed, but refused by the rules: {fault}")
    return _Found(makespan, Status.feasible, True)


def _gaps(makespan: int | None, shared: dict[str, Any]) -> dict[str, Any]:
    return {"gap": _excess(makespan, shared["optimum"]), "gap_bound": _excess(makespan, shared["lower_bound"])}


def _excess(makespan: int | None, base: int | None) -> float | None:
    if makespan is None or base is None:
        return None
    return 0.0 if makespan == base else makespan / base - 1 if base else None
