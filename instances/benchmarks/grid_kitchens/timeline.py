"""Runs on grid kitchens as schedules: walks, work, waits, cooking and orders over time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from planoracle.instances.benchmarks.grid_kitchens.descriptions import thing_in_words, tile_in_words
from planoracle.instances.benchmarks.grid_kitchens.kitchen_state import Time
from planoracle.instances.benchmarks.grid_kitchens.language import MOVE, PROCESS, whole
from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule

#: The row in which orders are: each from the one before it to when it is served.
ORDERS = "orders"
# Kinds of stations that have rows.
_BUSY = ("chopping_board", "sink", "stove")
# Tasks, by which colours are told apart.
_WALK, _WORK, _WAIT, _COOK, _ORDER = _TASKS = ("walk", "work", "wait", "cook", "order")


_Bar: TypeAlias = tuple[Action, Piece]


def _bar(task: str, number: int, label: str, start: Time, end: Time, cook: str | None = None, at: str = "") -> _Bar:
    """Return an action of a task, perhaps of a cook and at a station, and when it is carried out."""
    name, ticks = f"{task}/{number}", whole(end) - whole(start)
    attended, agents = (0, ()) if cook is None else (ticks, None)
    modes = (Mode((Demand(at),) if at else ()),)
    action = Action(name, task, ticks, attended, modes=modes, agents=agents, label=label)
    return action, Piece(name, whole(start), ticks, cook)


def as_schedule(run: GridKitchenRun) -> tuple[Instance, Schedule]:
    """Return what was done as actions of a scheduling problem; of fractions of ticks the next whole one.

    What takes no time is left out. Stations at which somebody can work or something can cook are resources.

    Raises
    ------
    InputError
        If nothing was done that takes time.
    """
    unsorted = [bar for bar in (*_deeds(run), *_cooking(run), *_orders(run)) if bar[1].duration > 0]
    bars = sorted(unsorted, key=lambda bar: (bar[1].start, _TASKS.index(bar[0].task)))
    if not bars:
        raise InputError("there is nothing to show: nothing was done that takes time", field=run.problem.name)
    actions, pieces = zip(*bars, strict=True)
    kitchen = run.problem
    rows = (*(one.name for one in kitchen.stations if one.kind in _BUSY), ORDERS)
    instance = Instance(kitchen.name, actions, (), tuple(map(Resource, rows)), kitchen.agents, unit=kitchen.unit)
    return instance, Schedule(pieces)


def _deeds(run: GridKitchenRun) -> Iterator[_Bar]:
    kitchen = run.outcome
    for number, deed in enumerate(kitchen.deeds, 1):
        act, end = deed.act, min(deed.end, max(kitchen.time, deed.start))  # what the end of the run has cut short
        task, label, station = _WAIT, "wait", ""
        if act.word == MOVE:
            task, label = _WALK, f"to {tile_in_words(act.tile)}"
        elif act.word == PROCESS:
            task, station = _WORK, kitchen.ground.names[act.station]
            label = "wash" if kitchen.ground.kinds[act.station] == "sink" else "chop"
        yield _bar(task, number, label, deed.start, end, kitchen.ground.cooks[deed.cook], station)


def _orders(run: GridKitchenRun) -> Iterator[_Bar]:
    before: Time = 0
    for number, (dish, moment) in enumerate(zip(run.problem.orders, run.outcome.served_at, strict=False), 1):
        yield _bar(_ORDER, number, dish.name.rpartition("/")[2], before, moment, at=ORDERS)
        before = moment


def _cooking(run: GridKitchenRun) -> Iterator[_Bar]:
    """Yield the intervals in which a vessel on a stove cooks, labelled with what was in it last."""
    kitchen, started = run.outcome, dict[str, tuple[Time, str]]()
    names = [kitchen.ground.names[number] for number in kitchen.ground.stoves]
    number = 0
    for moment, wares in (*kitchen.on_stoves, (kitchen.time, kitchen.cooking()), (kitchen.time, [None] * len(names))):
        for name, ware in zip(names, wares, strict=True):
            if ware is not None:
                started[name] = started.get(name, (moment, ""))[0], thing_in_words(ware)
            elif name in started:
                start, label = started.pop(name)
                number += 1
                yield _bar(_COOK, number, label, start, moment, at=name)
