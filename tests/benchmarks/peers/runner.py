"""Run methods side by side: in rotated order, each on a copy, answers held against the rules and each other."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter, process_time

from planoracle.instances.model import Instance
from planoracle.instances.referee import find_violations
from tests.benchmarks.peers.answer import Answer, UnsupportedError
from tests.benchmarks.peers.methods import method
from tests.benchmarks.peers.sets import Problem

__all__ = ["Measured", "contradictions", "judge", "measure", "warm_up"]

# What takes longer is not repeated.
_ONCE = 0.5


@dataclass(slots=True)
class Measured:
    """What one method did on one instance.

    Attributes
    ----------
    seconds
        Least time of all repetitions, from the instance in memory to the answer, model building included.
    build
        Seconds of it spent on the model, where the method tells.
    fault
        Why the answer is wrong, if it is.
    unsupported
        Why the method cannot state the instance, if so; then nothing else is known.
    """

    status: str = "unknown"
    makespan: int | None = None
    bound: int | None = None
    seconds: float = 0.0
    build: float | None = None
    fault: str = ""
    unsupported: str = ""

    @property
    def proved(self) -> bool:
        """Whether the method says that it knows all."""
        return self.status in ("optimal", "infeasible")


def warm_up(problem: Problem, names: Sequence[str], limit: float) -> None:
    """Import everything, and let every method answer once; then keep the garbage collector off what stays."""
    for name in names:
        _once(name, problem.instance, limit)
    gc.collect()
    gc.freeze()


def measure(
    problem: Problem, names: Sequence[str], limit: float, repeats: int, turn: int, *, cpu: bool = False
) -> dict[str, Measured]:
    """Run the methods on one instance, beginning with another one for every ``turn`` and repetition.

    With ``cpu`` the time that the process spent on its processors is taken, which others on the machine disturb less.
    """
    found: dict[str, Measured] = {}
    for again in range(repeats):
        first = (turn + again) % len(names)
        for name in (*names[first:], *names[:first]):
            known = found.get(name)
            if known is not None and (known.unsupported or known.seconds > _ONCE):
                continue
            now = _once(name, problem.instance, limit, cpu=cpu)
            if known is None or (now.proved, -now.seconds) > (known.proved, -known.seconds):
                now.fault = now.fault or (known.fault if known else "")
                found[name] = now
            elif now.fault:
                known.fault = now.fault
    return {name: found[name] for name in names}


def _once(name: str, instance: Instance, limit: float, *, cpu: bool = False) -> Measured:
    copy = replace(instance)  # what others have worked out about it must not help
    function = method(name)
    clock = process_time if cpu else perf_counter
    gc.collect()
    began = clock()
    try:
        answer = function(copy, limit)
    except UnsupportedError as reason:
        return Measured(unsupported=str(reason))
    seconds = clock() - began
    fault = judge(instance, answer)
    return Measured(answer.status, answer.makespan, answer.bound, seconds, None if cpu else answer.build, fault)


def judge(instance: Instance, answer: Answer) -> str:
    """Judge an answer by itself: the schedule by the general rules, the numbers by the schedule."""
    schedule = answer.schedule(instance)
    if schedule is None:
        claims = answer.status in ("optimal", "feasible") or answer.makespan is not None
        return f"is {answer.status} without a schedule" if claims else ""
    if answer.status not in ("optimal", "feasible"):
        return f"is {answer.status} with a schedule"
    if schedule.makespan != answer.makespan:
        return f"claims {answer.makespan}, the schedule takes {schedule.makespan}"
    if answer.bound is not None and answer.bound > schedule.makespan:
        return f"claims at least {answer.bound}, the schedule takes {schedule.makespan}"
    if answer.status == "optimal" and answer.bound is not None and answer.bound < schedule.makespan:
        return f"claims {schedule.makespan} to be optimal with a lower bound of {answer.bound}"
    return next((violation.message for violation in find_violations(instance, schedule)), "")


def contradictions(problem: Problem, found: dict[str, Measured]) -> list[str]:
    """Hold the answers against each other, and against what the literature knows."""
    lines = [f"{problem.name}: {name} {one.fault}" for name, one in found.items() if one.fault]
    lower: list[tuple[int, str]] = [
        (bound, name)
        for name, one in found.items()
        if (bound := one.makespan if one.status == "optimal" else one.bound) is not None
    ]
    upper = [(one.makespan, name) for name, one in found.items() if one.makespan is not None and not one.fault]
    never = [name for name, one in found.items() if one.status == "infeasible"]
    if problem.known == "infeasible":
        never.append("literature")
    elif isinstance(problem.known, tuple):
        lower += [(bound, "literature") for bound in problem.known[:1] if bound is not None]
        upper += [(bound, "literature") for bound in problem.known[1:] if bound is not None]
    if lower and upper and max(lower)[0] > min(upper)[0]:
        (least, one), (most, other) = max(lower), min(upper)
        lines.append(f"{problem.name}: at least {least} says {one}, at most {most} says {other}")
    if never and upper:
        lines.append(f"{problem.name}: infeasible says {never[0]}, {min(upper)[0]} says {min(upper)[1]}")
    return lines
