"""Random legal runs, and optimal completions computed independently of the state solver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from support.random_instances import workshop
from support.replays import run_of

from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Instance, Lag
from planoracle.instances.protocol.decision_points import DecisionPoint, waited
from planoracle.instances.protocol.schedule_benchmark import remaining_problem
from planoracle.instances.protocol.schedule_run import ScheduleRun
from planoracle.solver.exact.search import solve
from planoracle.solver.result import Result
from planoracle.solver.states.values import step_of, value_of


def random_run(
    instance: Instance, seed: int, rules: Any = None, *, lazy: float = 0.3, most: int = 60
) -> Iterator[tuple[ScheduleRun, int, DecisionPoint]]:
    """Yield the decision points of a random run; it ends at the third infeasible one."""
    random = Random(seed)
    course = run_of(instance, None, rules)
    step, point, hopeless = step_of(course), course.points[0], 0
    for _ in range(most):
        yield course, step, point
        hopeless += value_of(point, step).status == "infeasible"
        if point.complete or hopeless > 2:
            return
        *acts, wait = course.simulator.choices(point, step)
        assert wait.kind == "wait"
        if not acts or random.random() < lazy:
            point = waited(point, point.state.clock + step * random.choice((1, 1, 1, 2, 3, 7)))
        else:
            point = course.simulator.after_piece(point, random.choice(acts).piece)


def solve_from_scratch(point: DecisionPoint) -> Result:
    """Solve the remaining problem of a run as a separate instance, without the time limit."""
    whole = replace(point.instance, time_limit=None)
    return solve(remaining_problem(whole, point.state), time_limit=30)


def odd_workshop(seed: int) -> Instance:
    """Return a workshop with actions of length 0, releases, and lags that are negative or backwards."""
    random = Random(seed)
    while True:
        plain = workshop(random.randrange(10**6))
        actions = [
            replace(action, duration=0, attended=0) if random.random() < 0.15 and not action.interruptible else action
            for action in plain.actions
        ]
        actions = [
            replace(action, release=random.randint(0, 5)) if random.random() < 0.2 else action for action in actions
        ]
        try:
            lags = tuple(_odd(random, lag) for lag in plain.lags)
            return replace(plain, name=f"odd-{seed}", actions=tuple(actions), lags=lags)
        except InputError:  # a cycle of lags, a state that no action sets
            continue


def _odd(random: Random, lag: Lag) -> Lag:
    if random.random() < 0.6:
        return lag
    ends = (lag.before, lag.after) if random.random() < 0.7 else (lag.after, lag.before)
    least = random.randint(-4, 1) if random.random() < 0.7 else None
    most = random.randint(-3, 3) if least is None or random.random() < 0.4 else None
    return Lag(*ends, least, most if least is None or most is None else max(least, most))
