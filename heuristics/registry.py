"""All heuristics by name; each answers with a refereed schedule or an explicit failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter

from planoracle.heuristics import asynctool, recipe2plan_dfs, timearena_greedy
from planoracle.heuristics.generation import generate_parallel, generate_serial
from planoracle.heuristics.improve import improve
from planoracle.heuristics.priority import RULES, priorities
from planoracle.heuristics.timetable import Timetable
from planoracle.instances.benchmarks import certify
from planoracle.instances.deadline import NEVER, Deadline
from planoracle.instances.errors import UnknownNameError
from planoracle.instances.model import Instance
from planoracle.instances.schedule import Schedule

__all__ = ["HEURISTICS", "Answer", "Budget", "run"]


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a heuristic that can go on may go on.

    With ``seconds`` the result depends on the machine; without, only on ``seed`` and ``iterations``.
    ``bound`` is a lower bound at which to stop.
    """

    seed: int = 0
    iterations: int = 300
    seconds: float | None = None
    bound: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """Outcome of one heuristic: a schedule accepted by the rules, or the ``reason`` why there is none.

    ``makespan`` in ticks, ``seconds`` of wall time with refereeing, ``plan`` in the benchmark's language.
    """

    instance: str
    heuristic: str
    schedule: Schedule | None
    makespan: int | None
    plan: str | None
    reason: str
    seconds: float


_Outcome = tuple[Timetable | Schedule | None, str]
_FAILED = "the scheme found no place for an action within its maximum lags"


def _generated(scheme: Callable[..., Timetable | None], rule: str, instance: Instance, budget: Budget) -> _Outcome:
    return scheme(instance, priorities(instance, rule)), _FAILED


def _improved(instance: Instance, budget: Budget) -> _Outcome:
    deadline = NEVER if budget.seconds is None else Deadline(budget.seconds)
    found = improve(instance, seed=budget.seed, iterations=budget.iterations, deadline=deadline, bound=budget.bound)
    return found, _FAILED


def _dfs(waiting: bool, instance: Instance, budget: Budget) -> _Outcome:
    return recipe2plan_dfs.search(instance, waiting=waiting)


def _greedy(algorithm: Callable[[Instance], timearena_greedy.Greedy], instance: Instance, budget: Budget) -> _Outcome:
    if len(instance.agents) != 1:
        return None, "the greedy of TimeArena is for one agent"
    found = algorithm(instance)
    schedule, obstacle = timearena_greedy.realise(instance, found.starts)
    return schedule, f"claims {found.claim} {instance.unit}s, impossible under the rules: {obstacle}"


def _sequential(instance: Instance, budget: Budget) -> _Outcome:
    if instance.benchmark != "asynctool":
        return None, "the sequential agent is for AsyncTool problems"
    return asynctool.sequential(instance), ""


#: Every heuristic: name -> function of an instance and a budget.
HEURISTICS: dict[str, Callable[[Instance, Budget], _Outcome]] = {
    "recipe2plan-dfs": partial(_dfs, True),
    "recipe2plan-dfs-literal": partial(_dfs, False),
    **{f"serial-{rule}": partial(_generated, generate_serial, rule) for rule in RULES},
    **{f"parallel-{rule}": partial(_generated, generate_parallel, rule) for rule in RULES},
    "improve": _improved,
    "asynctool-sequential": _sequential,
    "timearena-greedy": partial(_greedy, timearena_greedy.printed),
    "timearena-greedy-released": partial(_greedy, timearena_greedy.released),
}


def run(instance: Instance, name: str, budget: Budget = Budget()) -> Answer:
    """Run one heuristic on one instance.

    Raises
    ------
    UnknownNameError
        If there is no heuristic of that name.
    InternalError
        If its schedule does not pass the rules.
    """
    if name not in HEURISTICS:
        raise UnknownNameError(f"must be one of {', '.join(HEURISTICS)}", field="heuristic", value=name)
    began = perf_counter()
    found, reason = HEURISTICS[name](instance, budget)
    late = found is not None and instance.time_limit is not None and found.makespan > instance.time_limit
    if found is None or late:
        why = "the schedule found exceeds the time limit" if late else reason
        return Answer(instance.name, name, None, None, None, why, perf_counter() - began)
    schedule = found.schedule() if isinstance(found, Timetable) else found
    plan = certify(instance, schedule)
    return Answer(instance.name, name, schedule, schedule.makespan, plan, "", perf_counter() - began)
