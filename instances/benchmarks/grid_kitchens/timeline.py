"""Runs on grid kitchens as schedules: walks, work, waits, cooking and orders over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from planoracle.instances.benchmarks.grid_kitchens.descriptions import thing_in_words, tile_in_words
from planoracle.instances.benchmarks.grid_kitchens.language import MOVE, PROCESS, whole
from planoracle.instances.benchmarks.grid_kitchens.kitchen_state import Time, Ware
from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun
from planoracle.instances.benchmarks.grid_kitchens.simulation import (
    Simulation,
    StartedAction,
    last_submissions,
)
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule

#: The row in which orders are: each from the one before it to when it is served.
ORDERS = "orders"
# Kinds of stations that have rows.
_BUSY = ("chopping_board", "sink", "stove")
# Tasks, by which colours are told apart.
_WALK, _WORK, _WAIT, _COOK, _ORDER = _TASKS = ("walk", "work", "wait", "cook", "order")


class _Bar(NamedTuple):
    task: str
    number: int
    label: str
    start: int
    end: int
    cook: str | None
    station: str


def as_schedule(run: GridKitchenRun) -> tuple[Instance, Schedule]:
    """Return what was done as actions of a scheduling problem; of fractions of ticks the next whole one.

    What takes no time is left out. Stations at which somebody can work or something can cook are resources.

    Raises
    ------
    InputError
        If nothing was done that takes time.
    """
    unsorted = (bar for bar in (*_deeds(run), *_cooking(run), *_orders(run)) if bar.end > bar.start)
    bars = sorted(unsorted, key=lambda bar: (bar.start, _TASKS.index(bar.task)))
    if not bars:
        raise InputError("there is nothing to show: nothing was done that takes time", field=run.problem.name)
    names = [f"{bar.task}/{bar.number}" for bar in bars]
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
    kitchen = run.problem
    rows = (*(one.name for one in kitchen.stations if one.kind in _BUSY), ORDERS)
    instance = Instance(kitchen.name, actions, (), tuple(map(Resource, rows)), kitchen.agents, unit=kitchen.unit)
    pieces = (Piece(name, bar.start, bar.end - bar.start, bar.cook) for name, bar in zip(names, bars, strict=True))
    return instance, Schedule(tuple(pieces))


def as_schedules(one: GridKitchenRun, other: GridKitchenRun) -> tuple[Instance, Schedule, Schedule]:
    """Return what was done in two runs on a grid kitchen as actions of one problem.

    What somebody does for so long at a place, the first time, the second, ..., is one action, whenever it is done.
    """
    names: dict[tuple[object, ...], str] = {}
    actions: dict[str, Action] = {}
    schedules = []
    for instance, schedule in (as_schedule(one), as_schedule(other)):
        seen: Counter[tuple[object, ...]] = Counter()
        pieces = []
        for piece in schedule.pieces:
            action = instance.by_id[piece.action]
            same = action.task, action.label, action.modes, action.duration, piece.agent
            key = *same, seen[same]
            seen[same] += 1
            name = names.setdefault(key, f"{action.task}/{len(names) + 1}")
            actions[name] = replace(action, id=name)
            pieces.append(piece._replace(action=name))
        schedules.append(Schedule(tuple(pieces)))
    return replace(instance, actions=tuple(actions.values())), schedules[0], schedules[1]


def _deeds(run: GridKitchenRun) -> Iterator[_Bar]:
    clock = run.outcome.clock
    for number, deed in enumerate(clock.deeds, 1):
        end = min(deed.end, max(clock.time, deed.start))  # what the end of the run has cut short
        yield _bar(clock, number, deed, whole(end))


def _bar(clock: Simulation, number: int, deed: StartedAction, end: int) -> _Bar:
    of, act, start = clock.ground, deed.act, whole(deed.start)
    cook = of.cooks[deed.cook]
    if act.word == MOVE:
        return _Bar(_WALK, number, f"to {tile_in_words(act.tile)}", start, end, cook, "")
    if act.word != PROCESS:
        return _Bar(_WAIT, number, "wait", start, end, cook, "")
    word = "wash" if of.kinds[act.station] == "sink" else "chop"
    return _Bar(_WORK, number, word, start, end, cook, of.names[act.station])


def _orders(run: GridKitchenRun) -> Iterator[_Bar]:
    before: Time = 0
    for number, (dish, moment) in enumerate(zip(run.problem.orders, run.outcome.served_at, strict=False), 1):
        yield _Bar(_ORDER, number, dish.name.rpartition("/")[2], whole(before), whole(moment), None, ORDERS)
        before = moment


def _cooking(run: GridKitchenRun) -> Iterator[_Bar]:
    """Yield the intervals in which a vessel on a stove cooks, observed at all moments of the run."""
    started: dict[int, tuple[Time, str]] = {}
    last, number = run.outcome.time, 0
    names = run.outcome.clock.ground.names
    for clock in _moments(run):
        for stove in clock.ground.stoves:
            thing = clock.world.on[stove]
            if isinstance(thing, Ware) and thing.cooking and thing.contents:
                started[stove] = started.get(stove, (clock.time, ""))[0], thing_in_words(thing)
            elif stove in started:
                start, label = started.pop(stove)
                number += 1
                yield _Bar(_COOK, number, label, whole(start), whole(clock.time), None, names[stove])
    for stove, (start, label) in started.items():
        number += 1
        yield _Bar(_COOK, number, label, whole(start), whole(last), None, names[stove])


def _moments(run: GridKitchenRun) -> Iterator[Simulation]:
    """Yield the kitchen of a run, the last one if there were several, at its moments, one after the other."""
    clock = Simulation(run.outcome.clock.ground, keep=False)
    commands = run.plan.commands
    for one in [commands] if isinstance(commands, Mapping) else last_submissions(run.problem, run.rules, commands):
        if isinstance(commands, Mapping):
            clock.load(one)
        else:
            clock.submit(one)
        yield clock
        while not (run.live and clock.decide) and clock.advance():
            yield clock
    yield clock
