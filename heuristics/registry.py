"""All heuristics by name; each answers with a validated schedule or an explicit failure.

Those of other packages are entry points or registered, see `planoracle.heuristics.package_heuristics`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from itertools import chain
from math import inf
from time import perf_counter

from planoracle.heuristics.generation import generate_parallel, generate_serial
from planoracle.heuristics.genetic import schedule_by_genetic_search
from planoracle.heuristics.improve import (
    DEFAULT,
    IMPROVER,
    LIST_HEURISTICS,
    RULES,
    Budget,
    HeuristicOutcome,
    improve,
    priorities,
)
from planoracle.heuristics.job_shop import TABU_SEARCH
from planoracle.heuristics.package_heuristics import (
    CONTRIBUTIONS,
    GROUP,
    SCHEDULE,
    as_heuristic,
    kind_name,
    package_heuristics,
    plan_of,
)
from planoracle.heuristics.package_heuristics import Heuristic as PackageHeuristic
from planoracle.heuristics.project import GENETIC_SEARCH
from planoracle.heuristics.tabu import schedule_by_tabu
from planoracle.heuristics.timetable import Timetable
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.model.features import Component, Feature
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import deadline_of
from planoracle.instances.model.problem import Problem, check_problem, of_kind
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import certify, settled
from planoracle.instances.text import one_of

#: Name of the greedy schedule of a scheduling problem: that of the algorithm in the benchmark's paper, or else of the
#: first of `_FIXED_RULES` with a schedule that the rules accept.
GREEDY = "greedy"
#: Features that the algorithms of the benchmarks' papers do not respect.
PAPER_HEURISTICS = Component("the heuristics of papers", frozenset(Feature))
#: Heuristics that build one schedule by a fixed rule.
_FIXED_RULES = ("parallel-lpt", "parallel-lst", "parallel-wait", "serial-lst")


@dataclass(frozen=True, slots=True)
class HeuristicAnswer:
    """Outcome of one heuristic: a schedule accepted by the rules, or the ``reason`` why there is none.

    With a schedule, ``reason`` says why a greedy algorithm was replaced by this heuristic, if it was.
    ``makespan`` is in ticks, ``seconds`` is wall time with validation, ``plan`` is in the benchmark's language.
    ``claim`` is the makespan that the algorithm itself reports, if it ignores some rules.
    """

    instance: str
    heuristic: str
    schedule: Schedule | None
    makespan: int | None
    plan: str | None
    reason: str
    seconds: float
    claim: int | None = None


Heuristic = Callable[[Instance, Budget], HeuristicOutcome]
#: Methods of every comparison, which are no heuristics.
METHODS = ("optimum", "reference", "best_heuristic", "all")
_FAILED = "the scheme cannot place an action within its maximum lags, windows, calendars, ways and budgets"


def _generate(
    scheme: Callable[..., Timetable | None], rule: str, instance: Instance, budget: Budget
) -> HeuristicOutcome:
    return HeuristicOutcome(scheme(instance, priorities(instance, rule)), _FAILED)


def _improve(instance: Instance, budget: Budget) -> HeuristicOutcome:
    timetable = improve(
        instance,
        seed=budget.seed,
        iterations=budget.iterations,
        deadline=deadline_of(budget.time_limit),
        bound=budget.bound,
        on_progress=budget.on_progress,
    )
    return HeuristicOutcome(timetable, _FAILED)


def _general() -> dict[str, Heuristic]:
    """Return the heuristics for all problems by name."""
    serial = {f"serial-{rule}": partial(_generate, generate_serial, rule) for rule in RULES}
    parallel = {f"parallel-{rule}": partial(_generate, generate_parallel, rule) for rule in RULES}
    searches = {"improve": _improve, "tabu": schedule_by_tabu, "genetic": schedule_by_genetic_search}
    return {**serial, **parallel, **searches}


_GENERAL = _general()


def component_of(name: str) -> Component:
    """Return the component that says which features a heuristic refuses.

    Heuristics of other packages get all problems: their schedules are replayed.
    """
    if name == "improve":
        return IMPROVER
    if name == "tabu":
        return TABU_SEARCH
    if name == "genetic":
        return GENETIC_SEARCH
    if name in _GENERAL:
        return LIST_HEURISTICS
    if name in _paper_heuristics():
        return PAPER_HEURISTICS
    return Component(name)


@cache
def _paper_heuristics() -> dict[str, str]:
    """Return ``module:function`` of the papers' heuristics by name."""
    places: dict[str, str] = {}
    for benchmark in registry.names():
        places.update(registry.get(benchmark).heuristics)
    return places


def names(kind: str | None = None) -> tuple[str, ...]:
    """Return the names of all heuristics, or of those for a problem kind: those of the papers first.

    Raises
    ------
    InputError
        For a heuristic of another package that cannot be loaded, or whose name is in use.
    """
    external = package_heuristics()
    used_names = _used_names() if external else frozenset()
    for name in external:
        if name in used_names:
            raise InputError("is the name of another heuristic or method", field=GROUP, value=name)
    kinds = dict.fromkeys((*_paper_heuristics(), *_GENERAL), SCHEDULE)
    kinds |= {name: kind_name(heuristic) for name, heuristic in external.items()}
    return tuple(name for name, declared in kinds.items() if kind in (None, declared))


def _used_names() -> frozenset[str]:
    """Return the names that a heuristic of another package must not have."""
    benchmarks = map(registry.get, registry.names())
    references = chain.from_iterable(benchmark.references for benchmark in benchmarks)
    names_of_references = [reference.name for reference in references]
    bundled = (*_paper_heuristics(), GREEDY, *short_names(), *_GENERAL)
    return frozenset((*METHODS, "list", *bundled, *names_of_references))


def register(contribution: AnyBenchmark | PackageHeuristic, name: str | None = None) -> None:
    """Add a benchmark or a heuristic to this process, see `planoracle.register`."""
    if not callable(contribution):
        registry.register(contribution)
        return
    chosen = getattr(contribution, "__name__", "") if name is None else name
    CONTRIBUTIONS.register(contribution, chosen, (*_used_names(), *names()))


def full_name(name: str, benchmark: str) -> str | None:
    """Return the full name of a heuristic, which may be short on problems of its benchmark.

    ``None`` if there is none.

    >>> full_name("dfs", "recipe2plan"), full_name("recipe2plan-dfs", "generic"), full_name("dfs", "generic")
    ('recipe2plan-dfs', 'recipe2plan-dfs', None)
    """
    if name == GREEDY:
        return GREEDY
    known_names = names()
    full = f"{benchmark}-{name}"
    if full in known_names:
        return full
    return name if name in known_names else None


def short_names() -> dict[str, str]:
    """Return the papers' heuristics by the names that suffice on problems of their benchmarks."""
    return {name.partition("-")[2]: name for name in _paper_heuristics()}


def accepted_names() -> tuple[str, ...]:
    """Return the names of `names`, and ``greedy`` and the short names, which some problems refuse."""
    return tuple(dict.fromkeys((*names(), GREEDY, *short_names())))


def check_name(name: str) -> None:
    """Raise `UnknownNameError` unless a heuristic has this name, in full or short."""
    if name not in accepted_names():
        raise UnknownNameError(one_of(name, (GREEDY, *names()), "heuristics"), field="heuristic", value=name)


def _find(name: str) -> Heuristic:
    if name in _GENERAL:
        return _GENERAL[name]
    if name in package_heuristics():
        return as_heuristic(name, package_heuristics()[name])
    module, _, function = _paper_heuristics()[name].partition(":")
    heuristic: Heuristic = getattr(import_module(module), function)
    return heuristic


def run(problem: Problem, name: str, budget: Budget = DEFAULT, *, rules: Rules | None = None) -> HeuristicAnswer:
    """Run one heuristic on a scheduling problem.

    Parameters
    ----------
    problem
        Problem as the rules change it.
    name
        Name of the heuristic, as in `full_name`; ``greedy`` answers with the heuristic that made the schedule.
    budget
        Limits of the heuristic.
    rules
        Rules by which a schedule is replayed; by default those of the problem.

    Raises
    ------
    UnknownNameError
        If there is no heuristic of that name.
    InputError
        If it is not for problems of that kind.
    InternalError, RefusedPlanError
        If the rules reject its schedule.
    HeuristicError
        If a heuristic of another package fails.
    """
    check_name(name)
    full = full_name(name, check_problem(problem).benchmark)
    if full is None:
        message = f"is short for {short_names()[name]}, which does not accept problems of {problem.benchmark}"
        raise InputError(message, field="heuristic", value=name)
    if full == GREEDY and problem.kind == SCHEDULE:
        return _run_greedy(of_kind(problem, Instance), budget, rules)
    if full not in names(problem.kind):
        raise InputError(f"is for {_accepted(full)}, not for a {problem.kind}", field="heuristic", value=name)
    if problem.kind == SCHEDULE:
        return _run_on_instance(of_kind(problem, Instance), full, budget, rules)
    return _run_on_problem(problem, full, budget, rules)


def _accepted(name: str) -> str:
    """Return the problems that a heuristic accepts in words."""
    kind = kind_name(package_heuristics().get(name))
    return "scheduling problems" if kind == SCHEDULE else f"problems of kind {kind}"


def _run_on_problem(problem: Problem, name: str, budget: Budget, rules: Rules | None) -> HeuristicAnswer:
    """Run a heuristic of another package, whose outcome is a plan."""
    began = perf_counter()
    run, reason = plan_of(name, package_heuristics()[name], problem, budget, rules)
    seconds = perf_counter() - began
    if run is None:
        return HeuristicAnswer(problem.name, name, None, None, None, reason, seconds)
    plan = "\n".join(run.command_texts)
    return HeuristicAnswer(problem.name, name, None, run.makespan, plan, "", seconds)


def _run_greedy(instance: Instance, budget: Budget, rules: Rules | None) -> HeuristicAnswer:
    """Return the first schedule of the greedy heuristics, or the failure of the first of them."""
    failure: HeuristicAnswer | None = None
    for name in (*registry.of(instance).greedy_heuristics, *_FIXED_RULES):
        answer = _run_on_instance(instance, name, budget, rules)
        if answer.schedule is not None:
            return answer if failure is None else replace(answer, reason=f"{failure.heuristic} {failure.reason}")
        failure = failure or answer
    assert failure is not None  # the fixed rules accept all scheduling problems
    return failure


def _run_on_instance(instance: Instance, name: str, budget: Budget, rules: Rules | None) -> HeuristicAnswer:
    began = perf_counter()
    refusal = component_of(name).refusal(instance)
    if refusal:
        return HeuristicAnswer(instance.name, name, None, None, None, refusal, perf_counter() - began)
    outcome = _find(name)(instance, budget)
    timetable, reason = outcome.schedule, outcome.reason
    limit = inf if instance.time_limit is None else instance.time_limit
    is_late = timetable is not None and timetable.makespan > limit
    if timetable is None or is_late:
        failure = "the schedule of the heuristic exceeds the time limit" if is_late else reason
        seconds = perf_counter() - began
        return HeuristicAnswer(instance.name, name, None, None, None, failure, seconds, outcome.claim)
    placed = timetable.schedule() if isinstance(timetable, Timetable) else timetable
    schedule = settled(instance, placed)
    plan = certify(instance, schedule, rules=rules)
    seconds = perf_counter() - began
    return HeuristicAnswer(instance.name, name, schedule, schedule.makespan, plan, "", seconds, outcome.claim)
