"""Problems of AsyncHow as scheduling problems with as many agents as steps."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from planoracle.instances.benchmarks.asynchow.bundled_data import HowTo, Interval, how_to, longest_path
from planoracle.instances.benchmarks.asynchow.rules import PROFILES, Profile
from planoracle.instances.errors import InputError
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.validation import MAX_TICKS


class Origin(NamedTuple):
    """Facts of a problem, and the rules that determine its durations."""

    facts: HowTo
    rules: Profile


def load(name: str) -> Instance:
    """Return a bundled problem by a name such as ``asynchow/async/829``; raises `UnknownNameError`."""
    return instance(how_to(name.removeprefix("asynchow/")), name)


@lru_cache(maxsize=4096)
def instance(facts: HowTo, name: str, rules: Profile = PROFILES["paper"]) -> Instance:
    """Encode a problem: each step occupies one agent, and there are as many agents as steps.

    Ticks are seconds, but minutes where a step takes longer than the model allows.

    >>> steps = load("asynchow/async/829")
    >>> [action.id for action in steps.actions], steps.agents[-1], least(steps)
    (['step/1', 'step/2', 'step/3', 'step/4'], 'agent4', 6220800)
    """
    seconds = [ends[rules.length == "most"] for ends in facts.seconds(last_unit=rules.units == "last")]
    tick = 1 if max(seconds) <= MAX_TICKS or any(time % 60 for time in seconds) else 60
    labels = facts.sentences or ("",) * len(seconds)
    return Instance(
        name=name,
        actions=tuple(
            Action(f"step/{number}", "step", time // tick, time // tick, label=label)
            for number, (time, label) in enumerate(zip(seconds, labels, strict=True), 1)
        ),
        lags=tuple(Lag(f"step/{before}", f"step/{after}") for before, after in facts.edges),
        agents=tuple(f"agent{number}" for number in range(1, len(seconds) + 1)),
        benchmark="asynchow",
        unit="second" if tick == 1 else "minute",
        seconds_per_tick=tick,
        origin=Origin(facts, rules),
    )


def origin_of(problem: Instance) -> Origin:
    """Return facts and rules of a problem; raises `InputError` for one of another benchmark."""
    if isinstance(problem.origin, Instance):  # the rest of a run
        return origin_of(problem.origin)
    if not isinstance(problem.origin, Origin):
        raise InputError("is no problem of AsyncHow with its facts", value=problem.name)
    return problem.origin


def under(problem: Instance, rules: Profile) -> Instance:
    """Return a problem with the durations of some rules."""
    facts, own = origin_of(problem)
    return problem if own == rules else instance(facts, problem.name, rules)


@ProblemCache
def right_answer(problem: Instance, rules: Profile) -> Interval:
    """Return the seconds that count as right."""
    facts = origin_of(problem).facts
    return facts.released_answer if rules.gold == "released" else facts.answer(last_unit=rules.units == "last")


@ProblemCache
def least(problem: Instance) -> int:
    """Return the longest path in ticks: the optimum with as many agents as steps, else a lower bound."""
    place = {action.id: number for number, action in enumerate(problem.actions, 1)}
    edges = [(place[lag.before], place[lag.after]) for lag in problem.lags]
    return longest_path([action.duration for action in problem.actions], edges)


def with_agents(problem: Instance, schedule: Schedule) -> Schedule:
    """Return a schedule in which every step without an agent has one of its own."""
    if all(piece.agent is not None for piece in schedule.pieces):
        return schedule
    own = dict(zip(problem.index, problem.agents, strict=True))
    return Schedule.of(problem, (_with_agent(piece, own) for piece in schedule.pieces))


def _with_agent(piece: Piece, own: dict[str, str]) -> Piece:
    return piece if piece.agent is not None else piece._replace(agent=own[piece.action])
