"""Runs on grid kitchens, of whole plans or turn by turn: simulator, trajectories, timelines."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import product
from typing import Final, NamedTuple, TypeAlias

from planoracle.instances.benchmarks.grid_kitchens.descriptions import cooking_left, thing_in_words, tile_in_words
from planoracle.instances.benchmarks.grid_kitchens.feedback import action_text, fault_of
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules, StationMap, ground
from planoracle.instances.benchmarks.grid_kitchens.kitchen_state import Time
from planoracle.instances.benchmarks.grid_kitchens.language import (
    FINISH,
    INTERACT,
    MOVE,
    PROCESS,
    WAIT,
    CookAction,
    excerpt,
    json_number,
    whole,
    written,
)
from planoracle.instances.benchmarks.grid_kitchens.simulation import History, RunError, Simulation
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.violations import Replay, ReplayEvent
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.run import Run
from planoracle.instances.protocol.simulator import LegalCommand, Simulator, Step, Unreadable, fold

#: Number of errors that end the run; after fewer it restarts in a fresh kitchen.
MAX_ERRORS: Final = 3
_KINDS: Final = {WAIT: "wait", FINISH: "close"}


class WholePlan(NamedTuple):
    """Plan that is carried out from tick 0 to its end: actions by the names of cooks."""

    actions: Mapping[str, object]


class RunState(NamedTuple):
    """State of a run.

    Attributes
    ----------
    kitchen
        Simulation at a moment at which a cook needs a decision, at its end, or at an error.
    errors
        Number of errors, in earlier kitchens as well.
    commands
        Commands so far, and number of their ``actions``, at least one for each command.
    """

    kitchen: Simulation
    commands: History[object]
    errors: int = 0
    actions: int = 0


class GridKitchenSimulator(Simulator[RunState, object]):
    """Rules of one grid kitchen.

    A command contains actions by the names of cooks. Idle cooks start at once, and time passes until a cook needs a
    decision. A `WholePlan` runs to its end. Anything else is an error, like an action that fails.
    """

    def __init__(self, problem: GridKitchen, rules: GridKitchenRules) -> None:
        self.ground = ground(problem, rules)

    def initial(self) -> RunState:
        """Return the state before the first submission."""
        return RunState(Simulation(self.ground), History())

    def copy(self, state: RunState) -> RunState:
        """Return a copy of a state."""
        return state._replace(kitchen=state.kitchen.fork(), commands=state.commands.fork())

    def apply(self, state: RunState, command: object) -> tuple[RunState, tuple[Step, ...]]:
        """Return the state after a submission, and the started steps, a failed one last."""
        kitchen = self.next_kitchen(state)
        since = len(kitchen.started_actions)
        if isinstance(command, WholePlan):
            kitchen.carry_out(command.actions)
        elif isinstance(command, Mapping) and command:
            kitchen.submit(command)
            kitchen.until_decision()
        else:
            kitchen.error = RunError("empty" if isinstance(command, Mapping) else "unreadable")
        state.commands.append(command)
        errors = state.errors + (kitchen.error is not None)
        actions = state.actions + _count(command)
        after = RunState(kitchen, state.commands, errors, actions)
        fault = fault_of(kitchen)
        if fault is not None and fault.position is None:
            text = excerpt(command)
            now = whole(kitchen.time)
            if isinstance(command, Unreadable):
                text = command.text
                fault = fault._replace(actual=command.reason or None)
            return after, (Step(since, text, "lost", now, now, fault),)
        steps = steps_of(kitchen, since)
        return after, tuple(sorted(steps, key=lambda step: step.violation is not None))

    def next_kitchen(self, state: RunState) -> Simulation:
        """Return the kitchen for the next submission, a fresh one after an error."""
        restarts = state.kitchen.error is not None and self.ended(state) is None
        return Simulation(self.ground) if restarts else state.kitchen

    def legal(self, state: RunState) -> list[LegalCommand]:
        """Return single actions of the cooks that need a decision, see `choices`."""
        kitchen = self.next_kitchen(state)
        commands = []
        for cook in kitchen.decide:
            for act in choices(kitchen, cook):
                command = submitted(self.ground, cook, act)
                commands.append(LegalCommand(command, _KINDS.get(act.word, "act")))
        return commands

    def ended(self, state: RunState) -> str | None:
        """Return ``done``, ``all_finished`` or ``error``, ``None`` during the run."""
        if state.kitchen.error is not None and state.errors < MAX_ERRORS:
            return None
        return state.kitchen.end or None

    def clock(self, state: RunState) -> int:
        """Return the time in ticks, a fraction only if a plan waits for fractions."""
        return json_number(self.next_kitchen(state).time)  # type: ignore[return-value]

    def success(self, state: RunState) -> bool:
        """Return True if every order was served without a fault."""
        return state.kitchen.done

    def verdict(self, state: RunState) -> Replay:
        """Return the verdict on the last kitchen; progress is the share of orders served."""
        kitchen = state.kitchen
        orders = len(self.ground.dishes)
        served = kitchen.world.served
        share = served / orders if orders else float(kitchen.done)
        fault = fault_of(kitchen)
        events = []
        for step, action in zip(steps_of(kitchen), kitchen.started_actions, strict=False):
            progress = bisect_right(kitchen.served_at, action.end) / orders if orders else 0.0
            is_accepted = step.violation is None
            event = ReplayEvent(step.position, step.command, step.start, step.end, is_accepted, progress)
            events.append(event)
        violations = () if fault is None else (fault,)
        return Replay(
            events=tuple(events),
            violations=violations,
            fatal=fault,
            executed=len(kitchen.trace),
            progress=share,
            goal_ratio=share,
            success=kitchen.done,
            makespan=whole(kitchen.time),
            remaining={},
            idle=_idle(kitchen),
        )


def steps_of(kitchen: Simulation, since: int = 0) -> list[Step]:
    """Return the steps of a kitchen, starting at a number.

    A step is a started action, or the failed one with any number. A violation by a whole submission is not a step.
    """
    fault, started_actions = fault_of(kitchen), kitchen.started_actions
    failed = None if fault is None else fault.position
    numbers = list(range(since, len(started_actions)))
    if failed is not None and failed < since:
        numbers.insert(0, failed)
    steps = []
    for number in numbers:
        action = started_actions[number]
        violation = fault if number == failed else None
        kind = "wait" if action.act.word == WAIT else "act"
        if violation:
            kind = "lost"
        command = action_text(kitchen, action.cook, action.act)
        start = whole(action.start)
        end = whole(action.end)
        steps.append(Step(number, command, kind, start, end, violation))
    if fault is not None and failed == len(started_actions):
        now = whole(kitchen.time)
        subject = fault.subject[:200]
        steps.append(Step(failed, subject, "lost", now, now, fault))
    return steps


def _count(command: object) -> int:
    """Return the number of submitted actions, at least one for a command."""
    plans = command.values() if isinstance(command, Mapping) else ()
    counts = [len(actions) for actions in plans if isinstance(actions, list | tuple)]
    return max(1, sum(counts))


def _idle(kitchen: Simulation) -> tuple[tuple[int, int], ...]:
    """Return the intervals in which no cook walks or works."""
    intervals, until = [], 0
    for action in sorted(kitchen.started_actions, key=lambda action: action.start):
        if action.act.word != WAIT and action.end > action.start:
            if action.start > until:
                intervals.append((until, whole(action.start)))
            until = max(until, whole(action.end))
    end = whole(kitchen.time)
    return (*intervals, (until, end)) if end > until else tuple(intervals)


def choices(kitchen: Simulation, cook: int) -> Iterator[CookAction]:
    """Yield the actions of a cook that are not errors in the current state.

    Walks lead to tiles next to stations; waits take one tick, or end with a running action or process.
    """
    ground = kitchen.ground
    position = kitchen.world.tiles[cook]
    if not (kitchen.finished[cook] and ground.rules.finish == "final"):
        adjacent = [number for number, near in enumerate(ground.near) if position in near]
        for word, number in product((INTERACT, PROCESS), adjacent):
            act = CookAction(word, station=number)
            if not kitchen.refusal(cook, act):
                yield act
        useful_tiles = [tile for tile in ground.walks(position) if tile in ground.useful]
        for tile in sorted(tile for tile in useful_tiles if tile != position):
            yield CookAction(MOVE, tile)
        for duration in _waits(kitchen):
            yield CookAction(WAIT, duration=duration)
    yield CookAction(FINISH)


def _waits(kitchen: Simulation) -> list[Time]:
    """Return one tick, and the ticks until the end of each running action or process."""
    world = kitchen.world
    until = []
    for end, act in zip(kitchen.ends, kitchen.acts, strict=True):
        if act is not None:
            until.append(end - world.clock)
    until += [moment - world.clock for moment in world.coming]
    for number in kitchen.ground.stoves:
        ticks_left = cooking_left(kitchen, number)
        if ticks_left is not None:
            until.append(ticks_left)
    return sorted({1, *(ticks for ticks in until if ticks > 0)})


@lru_cache(maxsize=4096)
def submitted(ground: StationMap, cook: int, act: CookAction) -> str:
    """Return an action as a separate submission."""
    return json.dumps({ground.cooks[cook]: [written(ground, act)]})


#: Actions by cook, or a list of such submissions.
GridKitchenPlan: TypeAlias = Mapping[str, object] | Sequence[object]


class GridKitchenRun(Run[GridKitchen, GridKitchenPlan, GridKitchenRules]):
    """Run on a grid kitchen; every started action is a decision.

    Attributes
    ----------
    outcome
        Simulation of the last kitchen at the end of the run.
    live
        True if the plan was submitted turn by turn.
    errors
        Number of errors; each error before the last one restarted the run.
    """

    def __init__(self, problem: GridKitchen, plan: Plan[GridKitchenPlan], rules: GridKitchenRules) -> None:
        simulator, commands = GridKitchenSimulator(problem, rules), plan.commands
        self.live = not isinstance(commands, Mapping)
        submissions = [WholePlan(commands)] if isinstance(commands, Mapping) else commands
        state, _ = fold(simulator, submissions)
        self.outcome, self.errors = state.kitchen, state.errors
        super().__init__(problem, plan, rules, simulator.verdict(state))

    @property
    def command_texts(self) -> list[str]:
        """Messages of the run: the plan with final Finish actions, or the submissions by turns."""
        commands = self.plan.commands
        if not isinstance(commands, Mapping):
            return [json.dumps(submission) for submission in commands]
        plans = {}
        for name in (*self.problem.agents, *commands):
            plans[name] = _with_finish(commands.get(name, []))
        return [json.dumps(plans)]

    @property
    def restarts(self) -> bool:
        """True if the next submission starts in a fresh kitchen, after an error that does not end the run."""
        return self.live and self.outcome.error is not None and self.errors < MAX_ERRORS

    @property
    def stop(self) -> int:
        """Number of steps up to the end of the run or up to the failed step."""
        fault = self.verdict.fatal
        failed = None if fault is None or self.restarts else fault.position
        return len(self.steps) if failed is None else failed

    def lost_at(self, count: int) -> str | None:
        """Return ``over`` after the step by which the run has ended without success."""
        if self.success or self.restarts:
            return None
        fault = self.verdict.fatal
        if fault is not None and fault.position is not None:
            return "over" if count > fault.position else None
        is_over = fault is not None or (self.live and self.outcome.end == "all_finished")
        return "over" if is_over and count == len(self.steps) else None

    @cached_property
    def steps(self) -> list[Step]:
        """All started actions of the last kitchen in order of starts, and the one at which the run ended."""
        return steps_of(self.outcome)


#: Functions of the part ``runs``.
simulator, replay = GridKitchenSimulator, GridKitchenRun


def _with_finish(actions: object) -> object:
    """Return a list of actions that ends with Finish."""
    end = {"action": FINISH}
    if not isinstance(actions, list) or actions[-1:] == [end]:
        return actions
    return [*actions, end]


#: Row of the orders; an order lasts from the end of the previous one until it is served.
ORDERS = "orders"
# Kinds of stations that have rows.
_BUSY = ("chopping_board", "sink", "stove")
# Tasks, by which colours are told apart.
_WALK: Final = "walk"
_WORK: Final = "work"
_WAIT: Final = "wait"
_COOK: Final = "cook"
_ORDER: Final = "order"
_TASKS = (_WALK, _WORK, _WAIT, _COOK, _ORDER)


_Bar: TypeAlias = tuple[Action, Piece]


def _bar(task: str, number: int, label: str, start: Time, end: Time, cook: str | None = None, at: str = "") -> _Bar:
    """Return an action of a task, optionally of a cook and at a station, and its interval."""
    name = f"{task}/{number}"
    ticks = whole(end) - whole(start)
    attended, agents = (0, ()) if cook is None else (ticks, None)
    modes = (Mode((Demand(at),) if at else ()),)
    action = Action(name, task, ticks, attended, modes=modes, agents=agents, label=label)
    return action, Piece(name, whole(start), ticks, cook)


def as_schedule(run: GridKitchenRun) -> tuple[Instance, Schedule]:
    """Return the run as actions of a scheduling problem; fractions of ticks are rounded up.

    Actions without duration are excluded. Stations for work or cooking are resources.

    Raises
    ------
    InputError
        If no action takes time.
    """
    all_bars = (*_bars_of_actions(run), *_cooking(run), *_orders(run))
    timed_bars = [bar for bar in all_bars if bar[1].duration > 0]
    bars = sorted(timed_bars, key=_by_start_and_task)
    if not bars:
        raise InputError("there is nothing to show: no action takes time", field=run.problem.name)
    actions, pieces = zip(*bars, strict=True)
    kitchen = run.problem
    stations = [station.name for station in kitchen.stations if station.kind in _BUSY]
    rows = tuple(Resource(name) for name in (*stations, ORDERS))
    instance = Instance(kitchen.name, actions, (), rows, kitchen.agents, unit=kitchen.unit)
    return instance, Schedule(pieces)


def _by_start_and_task(bar: _Bar) -> tuple[int, int]:
    action, piece = bar
    return piece.start, _TASKS.index(action.task)


def _bars_of_actions(run: GridKitchenRun) -> Iterator[_Bar]:
    kitchen, ground = run.outcome, run.outcome.ground
    for number, action in enumerate(kitchen.started_actions, 1):
        act = action.act
        cook = ground.cooks[action.cook]
        end = min(action.end, max(kitchen.time, action.start))  # cut by the end of the run
        if act.word == MOVE:
            label = f"to {tile_in_words(act.tile)}"
            yield _bar(_WALK, number, label, action.start, end, cook)
        elif act.word == PROCESS:
            label = "wash" if ground.kinds[act.station] == "sink" else "chop"
            station = ground.names[act.station]
            yield _bar(_WORK, number, label, action.start, end, cook, station)
        else:
            yield _bar(_WAIT, number, "wait", action.start, end, cook)


def _orders(run: GridKitchenRun) -> Iterator[_Bar]:
    before: Time = 0
    for number, (dish, moment) in enumerate(zip(run.problem.orders, run.outcome.served_at, strict=False), 1):
        label = dish.name.rpartition("/")[2]
        yield _bar(_ORDER, number, label, before, moment, at=ORDERS)
        before = moment


def _cooking(run: GridKitchenRun) -> Iterator[_Bar]:
    """Yield the intervals in which a vessel on a stove cooks, labelled with its last contents."""
    kitchen = run.outcome
    started: dict[str, tuple[Time, str]] = {}
    names = [kitchen.ground.names[number] for number in kitchen.ground.stoves]
    number = 0
    at_end = (kitchen.time, kitchen.cooking())
    empty = (kitchen.time, (None,) * len(names))
    for moment, wares in (*kitchen.on_stoves, at_end, empty):
        for name, ware in zip(names, wares, strict=True):
            if ware is not None:
                start, _ = started.get(name, (moment, ""))
                started[name] = start, thing_in_words(ware)
            elif name in started:
                start, label = started.pop(name)
                number += 1
                yield _bar(_COOK, number, label, start, moment, at=name)
