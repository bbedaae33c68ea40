"""Execution of a plan event by event, as the released code does it: the first failure ends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from planoracle.instances.benchmarks.asyncplanning.robot_facts import READY, STACK, WORK, RobotTask
from planoracle.instances.benchmarks.asyncplanning.robot_lines import Line
from planoracle.instances.model.violations import Violation

# States in which an item can be stacked.
_FINISHED = frozenset((READY, *(work.after for work in WORK.values())))
# State of an item during an action.
UNDER_WAY = {action: f"{action} under way" for action in WORK}
# Order of events at one time.
_END, _START = 0, 1


class Event(NamedTuple):
    """Start or end of a line; ends come before starts, and then the order of the lines counts."""

    time: int
    kind: int
    position: int


@dataclass
class RobotState:
    """State of items, stations and robots during a run.

    Attributes
    ----------
    task
        Facts.
    states
        States of the items by name.
    pile
        Stacked items from bottom to top.
    in_use
        Number of running actions by station.
    busy
        Robots that carry out an action.
    clock
        Time of the last event.
    executed
        Number of started lines.
    violation
        First failure, which ended the run.
    """

    task: RobotTask
    states: dict[str, str]
    pile: list[str] = field(default_factory=list)
    in_use: dict[str, int] = field(default_factory=dict)
    busy: set[str] = field(default_factory=set)
    clock: int = 0
    executed: int = 0
    violation: Violation | None = None

    def start(self, position: int, line: Line) -> Violation | None:
        """Start an action, or return why it cannot start."""
        robot = robot_of(self.task, line)
        if robot in self.busy:
            return line_fault("robot_busy", position, line)._replace(resource=robot)
        if line.action not in WORK and line.action != STACK:
            return line_fault("unknown_action", position, line)
        if line.item not in self.states:
            return line_fault("unknown_item", position, line)
        if line.action == STACK:
            violation = self.stack_fault(position, line)
        else:
            violation = self._work_fault(position, line)
        if violation is None:
            self._occupy(line, robot)
        return violation

    def _occupy(self, line: Line, robot: str | None) -> None:
        """Start an action that may start."""
        if robot is not None:
            self.busy.add(robot)
        work = WORK.get(line.action)
        if work is not None:
            self.in_use[work.station] = self.in_use.get(work.station, 0) + 1
            self.states[line.item] = UNDER_WAY[line.action]
        self.executed += 1

    def stack_fault(self, position: int, line: Line) -> Violation | None:
        """Return why an item cannot be stacked."""
        state = self.states[line.item]
        required = self.task.required.get(line.item)
        if state in _FINISHED and required in (None, READY, state):
            return None
        fault = line_fault("not_ready", position, line)
        return fault._replace(required=required or READY, actual=state)

    def _work_fault(self, position: int, line: Line) -> Violation | None:
        """Return why an action on an item cannot start."""
        state = self.states[line.item]
        needed = needed_state(self.task, line)
        if state != needed:
            return line_fault("wrong_state", position, line)._replace(required=needed, actual=state)
        station = WORK[line.action].station
        capacity = self.task.stations.get(station, 1)
        if self.in_use.get(station, 0) < capacity:
            return None
        return line_fault("station_full", position, line)._replace(resource=station, required=capacity)

    def end(self, line: Line) -> None:
        """End an action; one without length ends before it starts."""
        self.busy -= {robot_of(self.task, line)}
        work = WORK.get(line.action)
        if work is not None:
            self.states[line.item] = work.after
            self.in_use[work.station] = max(0, self.in_use.get(work.station, 0) - 1)
        elif line.action == STACK:
            self.pile.append(line.item)


def line_fault(kind: str, position: int, line: Line) -> Violation:
    """Return the violation of a line."""
    return Violation(position, kind, line.words[:200], start=line.start, end=line.end)


def robot_of(task: RobotTask, line: Line) -> str | None:
    """Return the robot of a line with the right number of arguments; ``None`` without robots."""
    return line.arguments[0] if task.robots and line.arguments else None


def needed_state(task: RobotTask, line: Line) -> str:
    """Return the state that an action needs of its item."""
    item = task.by_name.get(line.item)
    return WORK[line.action].before if item is None else item.needed_state(line.action)


def argument_fault(task: RobotTask, position: int, line: Line) -> Violation | None:
    """Return the fault of the number of arguments, or of the robot."""
    expected = 2 if task.robots else 1
    if len(line.arguments) != expected:
        fault = line_fault("arguments", position, line)
        return fault._replace(required=expected, actual=len(line.arguments))
    if task.robots and line.arguments[0] not in task.robots:
        return line_fault("unknown_robot", position, line)._replace(resource=line.arguments[0][:80])
    return None


def first_world(task: RobotTask) -> RobotState:
    """Return the state before the first event."""
    return RobotState(task, {item.name: item.state for item in task.items})


def play(task: RobotTask, lines: Sequence[Line], horizon: int | None = None) -> RobotState:
    """Carry out lines until the first failure.

    Parameters
    ----------
    task
        Facts.
    lines
        Lines in order.
    horizon
        Time of the next event: starts before it, and ends up to it happen; by default all.
    """
    events: list[Event] = []
    for position, line in enumerate(lines):
        if horizon is None or line.start < horizon:
            events.append(Event(line.start, _START, position))
        if horizon is None or line.end <= horizon:
            events.append(Event(line.end, _END, position))
    world = first_world(task)
    for event in sorted(events):
        line = lines[event.position]
        world.clock = event.time
        world.violation = argument_fault(task, event.position, line)
        if world.violation is None and event.kind == _END:
            world.end(line)
        elif world.violation is None:
            world.violation = world.start(event.position, line)
        if world.violation is not None:
            break
    return world
