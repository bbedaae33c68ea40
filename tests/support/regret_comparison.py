"""Regret and advice in states of random runs, compared with a solve from scratch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from support.random_runs import random_run, solve_from_scratch
from support.replays import run_of

from planoracle.analysis.diagnosis.regret import next_commands, regret
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece
from planoracle.instances.protocol.decision_points import DecisionPoint, started, waited
from planoracle.instances.protocol.schedule_run import ScheduleRun
from planoracle.solver.runs import Option
from planoracle.solver.states.values import step_of


class Comparison(NamedTuple):
    """Computed and expected value; ``context`` is for messages."""

    kind: str
    actual: Any
    expected: Any
    context: Any


def regret_comparisons(instance: Instance, seed: int) -> Iterator[Comparison]:
    """Compare the regret of a random run: kinds ``price`` and ``no_return``."""
    *_, (_, _, last) = random_run(instance, seed, most=20)
    plan = _text(last)
    result = regret(instance, plan)  # raises an error if its completion violates the rules
    assert result.run is not None
    rests = [solve_from_scratch(point) for point in result.run.points]
    for one, before, after in zip(result.decisions, rests, rests[1:], strict=False):
        yield Comparison("price", (one.before, one.after), (before.makespan, after.makespan), (plan, one))
    possible = [rest.status == "optimal" and result.run.in_time(rest.makespan or 0) for rest in rests]
    lost = possible.index(False) - 1 if possible[0] and not all(possible) else None
    yield Comparison("no_return", result.no_return, lost, plan)


def advice_comparisons(instance: Instance, seed: int) -> Iterator[Comparison]:
    """Compare the next commands at one point of a random run: kinds ``best``, ``next``, ``longest``."""
    random = Random(seed)
    point = random.choice([point for _, _, point in random_run(instance, seed, most=8)])
    plan, clock = _text(point), point.state.clock
    run = run_of(instance, plan)
    run.wait_until(clock)
    point = run.points[run.stop]
    advice = next_commands(instance, plan, all_commands=True, clock=clock)
    rest = solve_from_scratch(point)
    yield Comparison("best", (advice.status, advice.best), (rest.status, rest.makespan), point.state)
    for option in advice.options:
        for after in _situations(run, point, option):
            best = solve_from_scratch(after)
            values = (option.best, option.cost, option.status)
            cost = None if None in (best.makespan, rest.makespan) else (best.makespan or 0) - (rest.makespan or 0)
            yield Comparison("next", values, (best.makespan, cost, best.status), (point.state, option))
        if option.kind == "wait" and option.longest is not None:
            later = solve_from_scratch(waited(point, clock + option.longest + step_of(run)))
            yield Comparison("longest", later.makespan == rest.makespan, False, (point.state, option))


def _situations(run: ScheduleRun, point: DecisionPoint, option: Option) -> list[DecisionPoint]:
    """Return the decision points after the shortest and the longest form of an option."""
    if option.kind == "wait":
        ticks = {option.shortest or step_of(run), option.longest or step_of(run)}
        return [waited(point, point.state.clock + one) for one in sorted(ticks)]
    piece = Piece(**json.loads(option.command))
    lengths = {piece.duration, option.shortest or piece.duration}
    return [started(point, piece._replace(duration=length)) for length in sorted(lengths)]


def _text(point: DecisionPoint) -> str:
    return json.dumps([piece._asdict() for piece in point.state.pieces])
