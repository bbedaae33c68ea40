"""Event simulation of a grid kitchen: moments at which actions end, and the order of cooks' turns.

A plan can be loaded before moment 0 and run to its end, or handed in piece by piece at the moments at which a cook
needs a decision. `fork` for trying things out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules, StationMap, ground
from planoracle.instances.benchmarks.grid_kitchens.kitchen_state import KitchenState, Time, Ware, written
from planoracle.instances.benchmarks.grid_kitchens.language import (
    FINISH,
    INTERACT,
    MOVE,
    PROCESS,
    WAIT,
    CookAction,
    json_number,
    read,
)

_T = TypeVar("_T")


class History(Generic[_T]):
    """Sequence that grows at its end; forks share what they have in common, so that a fork takes no time."""

    __slots__ = ("_count", "_items")

    def __init__(self) -> None:
        self._items: list[_T] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[_T]:
        return islice(self._items, self._count)

    def __getitem__(self, number: int) -> _T:
        return self._items[number]

    def append(self, item: _T) -> None:
        """Append an item; after another fork has appended one, to a list of its own."""
        if len(self._items) > self._count:
            self._items = self._items[: self._count]
        self._items.append(item)
        self._count += 1

    def fork(self) -> History[_T]:
        """Return a history of its own with the same items."""
        copied: History[_T] = History()
        copied._items, copied._count = self._items, self._count
        return copied


class RunError(NamedTuple):
    """Error that ended a run.

    Attributes
    ----------
    kind
        Kind of the violation.
    cook, position
        Numbers of the cook and of the action; ``None`` for an error of a whole submission.
    name
        Name of the cook that such a submission addresses.
    """

    kind: str
    cook: int | None = None
    position: int | None = None
    name: str = ""


class StartedAction(NamedTuple):
    """Action that a cook started, with its start and end."""

    cook: int
    act: CookAction
    start: Time
    end: Time


class Simulation:
    """A run.

    Attributes
    ----------
    world
        The state at the moment.
    queues, started
        Actions handed in for every cook, and how many of them have been started.
    acts, ends
        What every cook is doing, ``None`` if nothing, and until when.
    finished
        Who has done Finish.
    started_actions, trace
        All actions started, and moment, cook and index of those that took effect, in order; only if they are kept.
    on_stoves
        Moment, and the vessel that cooks on each stove (``None``: none), whenever its contents change; only if they are
        kept.
    served_at
        The moments at which dishes were served.
    error
        Why the run has ended, if it has by a fault.
    """

    __slots__ = (
        "_entered", "_round", "acts", "ends", "error", "finished", "ground", "keep", "on_stoves", "opened",
        "queues", "served_at", "started", "started_actions", "trace", "world",
    )  # fmt: skip

    def __init__(self, ground: StationMap, keep: bool = True) -> None:
        count = len(ground.cooks)
        self.ground = ground
        self.world = KitchenState(ground)
        self.keep = keep
        self.queues: list[tuple[CookAction, ...]] = [()] * count
        self.started = [0] * count
        self.acts: list[CookAction | None] = [None] * count
        self.ends: list[Time] = [0] * count
        self.finished = [False] * count
        self.started_actions: History[StartedAction] = History()
        self.trace: History[tuple[Time, int, int]] = History()
        self.on_stoves: History[tuple[Time, tuple[Ware | None, ...]]] = History()
        self.served_at: tuple[Time, ...] = ()
        self.error: RunError | None = None
        self.opened = False  # whether moment 0 has been
        self._round = 0
        self._entered = [0] * count  # in which round everybody's end was entered

    @classmethod
    def of(cls, kitchen: GridKitchen, rules: GridKitchenRules, keep: bool = True) -> Simulation:
        """Return a run at moment 0; with ``keep`` it records its started actions and trace."""
        return cls(ground(kitchen, rules), keep)

    def fork(self) -> Simulation:
        """Return a run of its own that is where this one is."""
        copy: Simulation = object.__new__(Simulation)
        copy.ground = self.ground
        copy.keep = self.keep
        copy.world = self.world.copy()
        copy.queues = self.queues[:]
        copy.started = self.started[:]
        copy.acts = self.acts[:]
        copy.ends = self.ends[:]
        copy._entered = self._entered[:]
        copy.finished = self.finished[:]
        copy.started_actions = self.started_actions.fork()
        copy.trace = self.trace.fork()
        copy.on_stoves = self.on_stoves.fork()
        copy.served_at = self.served_at
        copy.error = self.error
        copy.opened = self.opened
        copy._round = self._round
        return copy

    def _agenda(self) -> list[int]:
        """Return who is doing something, in the order in which they will have their turns."""
        ends, entered = self.ends, self._entered
        busy = [cook for cook, act in enumerate(self.acts) if act is not None]
        if len(busy) > 1:
            busy.sort(key=lambda cook: (ends[cook], entered[cook], cook))
        return busy

    # What is handed in

    def load(self, plan: Mapping[str, object]) -> bool:
        """Append to what cooks are given to do, by name; return whether that is no fault."""
        ground = self.ground
        for name, actions in plan.items():
            cook = ground.cook_numbers.get(name)
            if cook is None:
                self.error = RunError("unknown_agent", name=str(name)[:40])
                return False
            if not isinstance(actions, list | tuple):
                self.error = RunError("plan_not_a_list", name=name)
                return False
            acts = [action if type(action) is CookAction else read(ground, action) for action in actions]
            self.give(cook, *acts)
        return True

    def carry_out(self, plan: Mapping[str, object]) -> None:
        """Load a whole plan before moment 0 and go on to its end."""
        if self.load(plan):
            while self.advance():
                pass

    def give(self, cook: int, *acts: CookAction) -> None:
        """Append actions that have been read to what a cook is given to do."""
        self.queues[cook] += acts

    def submit(self, plan: Mapping[str, object]) -> None:
        """Hand in a part of a plan: cooks who have nothing to do begin at once. See `until_decision`."""
        if not self.end and self.load(plan):
            self.begin()

    def begin(self) -> None:
        """Let cooks who have nothing to do begin what they have been given."""
        for cook, act in enumerate(self.acts):
            if act is None and not self._chain(cook):
                return
        self._enter()

    # What happens

    @property
    def time(self) -> Time:
        """The moment."""
        return self.world.clock

    @property
    def over(self) -> bool:
        """True if the run has ended by an error, or with the last dish where that ends it."""
        ends_when_served = self.ground.rules.end == "served"
        return self.error is not None or (ends_when_served and self.world.all_served)

    def last_action(self, cook: int) -> tuple[int, StartedAction]:
        """Return the last action that a cook has started, and its number."""
        number = len(self.started_actions) - 1
        while self.started_actions[number].cook != cook:
            number -= 1
        return number, self.started_actions[number]

    def advance(self) -> bool:
        """Go to the next moment and let everything there happen; return whether the run goes on."""
        agenda = self._agenda()
        if self.over or (self.opened and not agenda):
            return False
        world = self.world
        moment = world.clock = self.ends[agenda[0]] if self.opened else 0
        world.update()
        turn = agenda if self.opened else range(len(self.acts))
        self.opened = True
        for cook in turn:
            act = self.acts[cook]
            if act is not None and self.ends[cook] > moment:
                continue
            if (act is not None and not self._effect(cook, act)) or not self._chain(cook):
                return False
        self._enter()
        return not self.over

    def until_decision(self) -> None:
        """Go on until a cook needs a decision, or the run is over."""
        while not self.decide and self.advance():
            pass

    @property
    def decide(self) -> list[int]:
        """Cooks that need a decision: idle, without queued actions, and not finished."""
        cooks = []
        for cook, act in enumerate(self.acts):
            if act is None and not self.finished[cook] and self.started[cook] == len(self.queues[cook]):
                cooks.append(cook)
        return cooks

    @property
    def end(self) -> str:
        """End of a run that is handed in piece by piece: ``error``, ``all_finished``, ``done``; else ``""``.

        After ``all_finished`` orders may be open; after ``done`` all are served.
        """
        if self.error is not None:
            return "error"
        if all(self.finished):
            return "all_finished"
        return "done" if self.world.all_served else ""

    def _enter(self) -> None:
        """Enter everybody who does something that is not entered yet."""
        self._round += 1
        for cook, act in enumerate(self.acts):
            if act is not None and not self._entered[cook]:
                self._entered[cook] = self._round
        if self.keep:
            wares = self.cooking()
            if not self.on_stoves or self.on_stoves[len(self.on_stoves) - 1][1] != wares:
                self.on_stoves.append((self.time, wares))

    def cooking(self) -> tuple[Ware | None, ...]:
        """Return the vessel that cooks on each stove, without its times; ``None`` for none."""
        on = [self.world.on[number] for number in self.ground.stoves]
        return tuple(
            ware._replace(stamp=0, remaining=0) if isinstance(ware, Ware) and ware.cooking and ware.contents else None
            for ware in on
        )

    def _chain(self, cook: int) -> bool:
        """Let a cook begin his next action, and all those that take no time before it."""
        world = self.world
        while self.started[cook] < len(self.queues[cook]):
            act = self.queues[cook][self.started[cook]]
            fault, duration = self.start(cook, act)
            if fault:
                self.error = RunError(fault, cook, self.started[cook])
                return False
            now = world.clock
            if self.keep:
                self.started_actions.append(StartedAction(cook, act, now, now + duration))
            self.started[cook] += 1
            self.acts[cook] = act
            self.ends[cook] = now + duration
            self._entered[cook] = 0
            if duration:
                return True
            if not self._effect(cook, act):
                return False
            if world.all_served and self.over:
                return False
        return True

    def start(self, cook: int, act: CookAction) -> tuple[str, Time]:
        """Return why a cook cannot begin an action now, ``""`` if he can, and for how many ticks."""
        word, world = act.word, self.world
        ground = self.ground
        if act.fault:
            return act.fault, 0
        if self.finished[cook] and word != FINISH and ground.rules.finish == "final":
            return "after_finish", 0
        if word == MOVE:
            distance = ground.walks(world.tiles[cook]).get(act.tile)
            if distance is None:
                return "unreachable", 0
            return "", distance * ground.facts.move
        if word == WAIT:
            return "", act.duration
        if word == FINISH:
            return "", 0
        duration: Time = 0
        if word == PROCESS:
            fault, duration = world.work(act.station)
            if fault:
                return fault, 0
        if world.tiles[cook] not in ground.near[act.station]:
            return "not_adjacent", 0
        if act.station in ground.exclusive:
            for running in self.acts:
                if running is not None and running.word == PROCESS and running.station == act.station:
                    return "station_in_use", 0
        return "", duration

    def refusal(self, cook: int, act: CookAction) -> str:
        """Return the violation with which an action would fail now, at its start or end; ``""`` for none."""
        fault, _ = self.start(cook, act)
        if not fault and act.word == INTERACT:
            return self.world.copy().interact(cook, act.station)
        if fault or act.word != PROCESS:
            return fault
        return self.world.copy().process(act.station)

    def _effect(self, cook: int, act: CookAction) -> bool:
        """Let an action take effect; return whether that is no fault."""
        word, world = act.word, self.world
        fault = ""
        self.acts[cook] = None
        if word == MOVE:
            world.tiles[cook] = act.tile
        elif word == INTERACT:
            before = world.served
            fault = world.interact(cook, act.station)
            if world.served != before:
                self.served_at += (world.clock,)
        elif word == PROCESS:
            fault = world.process(act.station)
        elif word == FINISH:
            self.finished[cook] = True
        if fault:
            self.error = RunError(fault, cook, self.started[cook] - 1)
            return False
        if self.keep:
            self.trace.append((world.clock, cook, self.started[cook] - 1))
        return True

    # Result

    @property
    def done(self) -> bool:
        """True if every order was served without a fault."""
        return self.world.all_served and self.error is None

    def as_dict(self) -> dict[str, Any]:
        """Return the figures of the run for JSON, cooks by name.

        ``agents`` has, for every cook, ``progress`` (actions begun, and how many there are) and ticks of its actions,
        each in full from its beginning. ``final`` is what cooks and stations hold, and the dirty plates at the plate
        return.
        """
        world, names = self.world, self.ground.cooks
        trace = [[json_number(moment), names[cook], index] for moment, cook, index in self.trace]
        return {
            "done": self.done,
            "all_served": world.all_served,
            "error": self._error_as_dict(),
            "time": json_number(self.time),
            "served": world.served,
            "agents": self._ticks_of_cooks(),
            "trace": trace,
            "final": self._final_things(),
        }

    def _error_as_dict(self) -> dict[str, Any] | None:
        error = self.error
        if error is None:
            return None
        name = None if error.cook is None else self.ground.cooks[error.cook]
        return {"kind": error.kind, "agent": name, "index": error.position}

    def _ticks_of_cooks(self) -> dict[str, dict[str, Any]]:
        """Return progress and ticks of every cook by name."""
        cooks = self.ground.cooks
        ticks: list[dict[str, Time]] = [{MOVE: 0, WAIT: 0, PROCESS: 0} for _ in cooks]
        for action in self.started_actions:
            word = action.act.word if action.act.word in (MOVE, WAIT) else PROCESS
            ticks[action.cook][word] += action.end - action.start
        agents = {}
        for cook, name in enumerate(cooks):
            ticks_of_cook = ticks[cook]
            agents[name] = {
                "progress": [self.started[cook], len(self.queues[cook])],
                "busy": json_number(sum(ticks_of_cook.values())),
                "waiting": json_number(ticks_of_cook[WAIT]),
                "moving": json_number(ticks_of_cook[MOVE]),
                "processing": json_number(ticks_of_cook[PROCESS]),
            }
        return agents

    def _final_things(self) -> dict[str, Any]:
        """Return the things of cooks and stations by name, and the number of dirty plates."""
        world = self.world
        agents = {}
        for name, tile, thing in zip(self.ground.cooks, world.tiles, world.hands, strict=True):
            agents[name] = [*tile, written(thing)]
        stations = {}
        for name, thing in zip(self.ground.names, world.on, strict=False):
            if thing is not None:
                stations[name] = written(thing)
        return {"agents": agents, "stations": stations, "dirty": world.dirty}


def carry_out(kitchen: GridKitchen, plan: Mapping[str, object], rules: GridKitchenRules) -> Simulation:
    """Load a plan before moment 0 and go on to the end. Never raises for what the plan holds."""
    run = Simulation.of(kitchen, rules)
    run.carry_out(plan)
    return run
