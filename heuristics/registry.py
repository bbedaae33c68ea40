"""All heuristics by name; each answers with a validated schedule or an explicit failure."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from time import perf_counter

from planoracle.heuristics.budget import DEFAULT, Budget, HeuristicOutcome
from planoracle.heuristics.generation import generate_parallel, generate_serial
from planoracle.heuristics.improve import improve
from planoracle.heuristics.priority import RULES, priorities
from planoracle.heuristics.timetable import Timetable
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen
from planoracle.instances.errors import InputError, InternalError, UnknownNameError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import NEVER, Deadline
from planoracle.instances.model.problem import Problem, check_problem, of_kind
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.schedule_benchmark import certify, settled
from planoracle.instances.text import one_of

#: Heuristics that build one schedule by a fixed rule, in the order in which the agent `greedy` tries them.
GREEDY = ("parallel-lpt", "parallel-lst", "parallel-wait", "serial-lst")


@dataclass(frozen=True, slots=True)
class HeuristicAnswer:
    """Outcome of one heuristic: a schedule accepted by the rules, or the ``reason`` why there is none.

    On floors there is a ``plan`` only. ``makespan`` in ticks, ``seconds`` of wall time with refereeing, ``plan`` in the
    benchmark's language; ``claim``: ticks that the algorithm itself expects it to take, if it does not know all the
    rules.
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
_KINDS = {"schedule": "scheduling problems", "floor": "floors"}
_FAILED = "the scheme found no place for an action within its maximum lags"


def _generated(
    scheme: Callable[..., Timetable | None], rule: str, instance: Instance, budget: Budget
) -> HeuristicOutcome:
    return HeuristicOutcome(scheme(instance, priorities(instance, rule)), _FAILED)


def _improved(instance: Instance, budget: Budget) -> HeuristicOutcome:
    deadline = NEVER if budget.seconds is None else Deadline(budget.seconds)
    found = improve(instance, seed=budget.seed, iterations=budget.iterations, deadline=deadline, bound=budget.bound)
    return HeuristicOutcome(found, _FAILED)


_OURS: dict[str, Heuristic] = {
    **{f"serial-{rule}": partial(_generated, generate_serial, rule) for rule in RULES},
    **{f"parallel-{rule}": partial(_generated, generate_parallel, rule) for rule in RULES},
    "improve": _improved,
}


@cache
def _papers() -> dict[str, str]:
    """Return where the heuristics of the papers are, by name."""
    return {name: where for each in registry.names() for name, where in registry.get(each).heuristics.items()}


def names(kind: str | None = None) -> tuple[str, ...]:
    """Return the names of all heuristics, or of those for a kind of problems: those of the papers first."""
    from planoracle.heuristics.grid_kitchens import BY_NAME

    of_kind = {"schedule": (*_papers(), *_OURS), "floor": tuple(BY_NAME)}
    return tuple(dict.fromkeys(name for one, own in of_kind.items() for name in own if kind in (None, one)))


def _find(name: str) -> Heuristic:
    if name in _OURS:
        return _OURS[name]
    module, _, function = _papers()[name].partition(":")
    found: Heuristic = getattr(import_module(module), function)
    return found


def run(problem: Problem, name: str, budget: Budget = DEFAULT) -> HeuristicAnswer:
    """Run one heuristic on one scheduling problem, or on one floor, by the released rules.

    Raises
    ------
    UnknownNameError
        If there is no heuristic of that name.
    InputError
        If it is not for problems of that kind.
    InternalError
        If its schedule does not pass the rules.
    """
    if name not in names():
        raise UnknownNameError(one_of(name, names(), "heuristics"), field="heuristic", value=name)
    kinds = [kind for kind in _KINDS if name in names(kind)]
    if check_problem(problem).kind not in kinds:
        known = " and ".join(_KINDS[kind] for kind in kinds)
        raise InputError(f"is for {known}, not for a {problem.kind}", field="heuristic", value=name)
    if problem.kind == "floor":
        return _planned(of_kind(problem, GridKitchen), name, budget)
    return _scheduled(of_kind(problem, Instance), name, budget)


def _planned(floor: GridKitchen, name: str, budget: Budget) -> HeuristicAnswer:
    from planoracle.heuristics.grid_kitchens import BY_NAME

    began = perf_counter()
    benchmark = registry.of(floor)
    rules = benchmark.profiles["released"]
    try:
        found = BY_NAME[name](floor, rules, budget)
    except InputError as error:
        return HeuristicAnswer(floor.name, name, None, None, None, error.message, perf_counter() - began)
    run = benchmark.run(floor, {"plan": found}, rules)
    if not run.success:
        raise InternalError(f"{floor.name}: a plan of {name} does not pass the rules")
    return HeuristicAnswer(floor.name, name, None, run.makespan, json.dumps(found), "", perf_counter() - began)


def _scheduled(instance: Instance, name: str, budget: Budget) -> HeuristicAnswer:
    heuristic = _find(name)
    began = perf_counter()
    outcome = heuristic(instance, budget)
    found, reason = outcome.schedule, outcome.reason
    late = found is not None and instance.time_limit is not None and found.makespan > instance.time_limit
    if found is None or late:
        why = "the schedule found exceeds the time limit" if late else reason
        return HeuristicAnswer(instance.name, name, None, None, None, why, perf_counter() - began, outcome.claim)
    schedule = settled(instance, found.schedule() if isinstance(found, Timetable) else found)
    plan = certify(instance, schedule)
    seconds = perf_counter() - began
    return HeuristicAnswer(instance.name, name, schedule, schedule.makespan, plan, "", seconds, outcome.claim)
