"""Runs on floors as schedules: who walks, works and waits when, what cooks meanwhile, and when orders are served."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from planoracle.instances.floors.acts import MOVE, WAIT, whole
from planoracle.instances.floors.clock import Clock, Deed
from planoracle.instances.floors.describe import thing_in_words
from planoracle.instances.floors.loop import last_of
from planoracle.instances.floors.run import FloorRun
from planoracle.instances.floors.world import Time, Ware
from planoracle.instances.model import Action, Demand, Instance, Mode, Resource
from planoracle.instances.schedule import Piece, Schedule

__all__ = ["ORDERS", "as_schedule"]

#: The row in which orders are: each from the one before it to when it is served.
ORDERS = "orders"
# Tasks, by which colours are told apart.
_WALK, _WORK, _WAIT, _COOK, _ORDER = _TASKS = ("walk", "work", "wait", "cook", "order")


class _Bar(NamedTuple):
    task: str
    label: str
    start: int
    end: int
    cook: str | None
    station: str


def as_schedule(run: FloorRun) -> tuple[Instance, Schedule]:
    """Return what was done as actions of a scheduling problem; of fractions of ticks the next whole one.

    What takes no time is left out. Stations at which somebody works or something cooks are resources.
    """
    bars = sorted((*_deeds(run), *_cooking(run), *_orders(run)), key=lambda bar: (bar.start, _TASKS.index(bar.task)))
    names = [f"{bar.task}/{number} {bar.label}" for number, bar in enumerate(bars, 1)]
    stations = dict.fromkeys(bar.station for bar in bars if bar.station)
    actions = tuple(
        Action(
            name,
            bar.task,
            bar.end - bar.start,
            0 if bar.cook is None else bar.end - bar.start,
            modes=(Mode((Demand(bar.station),) if bar.station else ()),),
            agents=() if bar.cook is None else None,
            label=bar.label,
        )
        for name, bar in zip(names, bars, strict=True)
    )
    rows = tuple(Resource(name, len(run.problem.agents)) for name in stations)
    instance = Instance(run.problem.name, actions, (), rows, run.problem.agents, unit=run.problem.unit)
    pieces = (Piece(name, bar.start, bar.end - bar.start, bar.cook) for name, bar in zip(names, bars, strict=True))
    return instance, Schedule(tuple(pieces))


def _deeds(run: FloorRun) -> Iterator[_Bar]:
    clock = run.outcome.clock
    for deed in clock.deeds:
        end = min(deed.end, max(clock.time, deed.start))  # what the end of the run has cut short
        if whole(end) > whole(deed.start):
            yield _bar(clock, deed, whole(end))


def _bar(clock: Clock, deed: Deed, end: int) -> _Bar:
    of, act, start = clock.ground, deed.act, whole(deed.start)
    cook = of.cooks[deed.cook]
    if act.word == MOVE:
        return _Bar(_WALK, f"to [{act.tile[0]}, {act.tile[1]}]", start, end, cook, "")
    if act.word == WAIT:
        return _Bar(_WAIT, "wait", start, end, cook, "")
    word = "wash" if of.kinds[act.station] == "sink" else "chop"
    return _Bar(_WORK, word, start, end, cook, of.names[act.station])


def _orders(run: FloorRun) -> Iterator[_Bar]:
    before: Time = 0
    for dish, moment in zip(run.problem.orders, run.outcome.served_at, strict=False):
        if whole(moment) > whole(before):
            yield _Bar(_ORDER, dish.name, whole(before), whole(moment), None, ORDERS)
        before = moment


def _cooking(run: FloorRun) -> Iterator[_Bar]:
    """Yield from when to when what is in a vessel on a stove cooks: from the outside, at all moments of the run."""
    begun: dict[int, tuple[Time, str]] = {}
    last: Time = 0
    for clock in _moments(run):
        last = clock.time
        for stove in clock.ground.stoves:
            thing = clock.world.on[stove]
            cooks = isinstance(thing, Ware) and thing.cooking and bool(thing.contents)
            if cooks:
                start = begun.get(stove, (last, ""))[0]
                begun[stove] = start, thing_in_words(thing)
            elif stove in begun:
                yield from _cooked(run, clock, stove, begun.pop(stove), last)
    for stove, known in begun.items():
        yield from _cooked(run, run.outcome.clock, stove, known, last)


def _cooked(run: FloorRun, clock: Clock, stove: int, known: tuple[Time, str], end: Time) -> Iterator[_Bar]:
    start, label = known
    if whole(end) > whole(start):
        yield _Bar(_COOK, label, whole(start), whole(end), None, clock.ground.names[stove])


def _moments(run: FloorRun) -> Iterator[Clock]:
    """Yield the kitchen of a run, the last one if there were several, at its moments, one after the other."""
    clock = Clock(run.outcome.clock.ground, keep=False)
    given = run.plan.commands
    for one in [given] if isinstance(given, Mapping) else last_of(run.problem, run.rules, given):
        if isinstance(given, Mapping):
            clock.load(one)
        else:
            clock.submit(one)
        yield clock
        while not (run.live and clock.decide) and clock.advance():
            yield clock
    yield clock
