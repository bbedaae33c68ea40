"""Live runs of the Robo Challenge: a whole plan, or an action at a time; in episodes orders arrive."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from planoracle.instances.benchmarks.asyncplanning.robot_facts import STACK, TICKS, VERBS, RobotTask
from planoracle.instances.benchmarks.asyncplanning.robot_language import name_of, pieces_of, task_in, wait_line
from planoracle.instances.benchmarks.asyncplanning.robot_lines import Line, line_of
from planoracle.instances.benchmarks.asyncplanning.robot_run import RobotSimulator, Wait
from planoracle.instances.benchmarks.asyncplanning.robot_tasks import instance, robot_origin
from planoracle.instances.benchmarks.generic.live import GenericText
from planoracle.instances.benchmarks.generic.rules import ScheduleState
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.decision_points import DecisionPoint
from planoracle.instances.protocol.describe import brief
from planoracle.instances.protocol.feedback import clean
from planoracle.instances.protocol.live import text_of
from planoracle.instances.protocol.simulator import CLOSE, Step, Unreadable

_TASK = """You run a kitchen. Every item goes through its actions one after the other, and is then stacked if an order
asks for it, from bottom to top, each stack after the end of the one below. A station has room for so many actions at
the same time, and an item for one. If there are robots, each action keeps one of them busy until it ends. Everything is
to be done as soon as possible. Of optional items the greatest total weight counts first."""
_FORM = """A command is a line: start, action, item and duration in seconds, such as 0.000: (grill patty)  [10.000],
with robots 0.000: (grill robot1 patty)  [10.000]."""
_CLOSED = f"""{_TASK}
{_FORM} A command without times, such as grill patty, starts now; wait 2.5 lets time pass, at most up to the next order.
Answer with one command at a time, in the order of the starts. You are told whether it is carried out; what is refused
changes nothing. New orders may arrive while you work; you are told of them when their time has come. When nothing is
left to do, or to give up, answer: Finish"""
_OPEN = f"""{_TASK}
{_FORM} Answer with the whole plan, a line for each action."""

_WAIT = re.compile(r"wait\s+([0-9]{1,6}(?:\.[0-9]{1,3})?)\s*s?(?:econds?)?", re.IGNORECASE)
_SHORT = re.compile(rf"({'|'.join(VERBS)})\s+([\w-]+)(?:\s+([\w-]+))?", re.IGNORECASE)
_WAITING = "wait"
_CLOSING = re.compile(CLOSE, re.IGNORECASE)


class RobotText(GenericText):
    """Texts of live runs in kitchens.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("asyncplanning/online/easy/online_easy_02_fried_fish_plate"))
    >>> print(run.step("fry fish").observation.text)
    Fry fish has started and ends at 8 s.
    It is 0 s. Under way: fry fish (until 8 s).
    >>> print(run.step("wait 5").observation.text)
    Order event_1_order_1 arrives: online_cut_02_11 must be cut; stack online_cut_02_11.
    New item: online_cut_02_11 (cut 3 s, stack 1 s).
    It is 2 s. Under way: fry fish (until 8 s).
    """

    simulator: RobotSimulator

    def instructions(self) -> str:
        """Return the instructions: how commands are written."""
        if self.config.loop != "open":
            return _CLOSED
        if task_in(self.problem).is_online:
            message = "must be closed for episodes, whose orders arrive while the run goes on"
            raise InputError(message, field="loop", value="open")
        return _OPEN

    def introduction(self) -> str:
        """Return the kitchen and the orders of the beginning."""
        return words(self.problem)

    def command(  # type: ignore[override]  # the simulator takes waits, too
        self, state: ScheduleState, message: object
    ) -> Piece | Wait | Unreadable | str:
        """Return the first command of a message."""
        text = text_of(message)
        for row in text.splitlines():
            command = self._command(state, row.strip(" \t`*-"))
            if command is not None:
                return command
        return Unreadable(text)

    def _command(self, state: ScheduleState, row: str) -> Piece | Wait | Unreadable | str | None:
        """Return the command of a line, ``None`` if it holds none."""
        if _CLOSING.fullmatch(row.rstrip(".")):
            return CLOSE
        clock = self.simulator.clock(state)
        match = _WAIT.fullmatch(row.rstrip("."))
        if match is not None:
            return Wait(clock + round(float(match[1]) * TICKS))
        try:
            line = line_of(row) or self._short_line(clock, row)
        except PlanError as error:
            return Unreadable(row, str(error))
        if line is None:
            return None
        arrived = self.simulator.task_at(max(clock, line.start)).by_name
        pieces = pieces_of(self.simulator.problem, (line,)) if line.item in arrived else []
        return pieces[0] if pieces else Unreadable(row, "no item needs this action, or a name is unknown")

    def _short_line(self, clock: int, row: str) -> Line | None:
        """Return the line of an action without times, which starts now."""
        match = _SHORT.fullmatch(row)
        if match is None:
            return None
        action = match[1].lower()
        arguments = [argument for argument in match.groups()[1:] if argument]
        return Line(clock, action, tuple(arguments), task_in(self.problem).durations[action])

    def step_text(self, before: ScheduleState, after: ScheduleState, step: Step) -> str:
        """Return the effect of a command, or why it is not understood."""
        fault = step.violation
        if fault is not None and fault.kind == "unreadable" and fault.actual:
            return f"Not understood: {clean(str(fault.actual), 200)}."
        if fault is not None and fault.kind == "no_wait":
            return "Refused: no order is awaited. State a later start instead."
        return super().step_text(before, after, step)

    def submission(self, state: ScheduleState) -> dict[str, object]:
        """Return the executed actions as a plan, and the time that has passed if no action shows it."""
        fields = super().submission(state)
        clock = self.simulator.clock(state)
        point = DecisionPoint(self.problem)
        for piece in state.point.state.pieces:
            point = self.simulator.after_piece(point, piece)
        if clock <= point.state.clock:
            return fields
        stage = self.simulator.stage(clock)
        field = self.benchmark.plan_fields[-1]
        plan = fields[field]
        if isinstance(plan, dict):
            begin = task_in(self.problem).moments[stage]
            lines = [plan["stages"][stage], wait_line(clock - begin)]
            plan["stages"][stage] = "\n".join(filter(None, lines))
        return fields

    def answer(self, before: ScheduleState, after: ScheduleState, steps: Sequence[Step], over: str | None) -> str:
        """Return the effects of the commands, and what has arrived."""
        text = super().answer(before, after, steps, over)
        task = task_in(self.problem)
        first = self.simulator.stage(self.simulator.clock(before)) + 1
        last = self.simulator.stage(self.simulator.clock(after))
        lines: list[str] = []
        for stage in range(first, last + 1):
            lines += _arrival(task, stage)
        lines += text.splitlines()
        return "\n".join(filter(None, lines))


#: Class of the texts of live runs.
TEXT = RobotText


def words(problem: Instance) -> str:
    """Return the kitchen, and the orders of the beginning, in words."""
    origin = robot_origin(problem)
    beginning = origin.task.until(0)
    known_problem = instance(beginning, origin.rules) if beginning is not origin.task else problem
    return brief(known_problem, name_of)


def _arrival(task: RobotTask, stage: int) -> Iterator[str]:
    """Yield what arrives with an event."""
    for order in task.orders:
        if order.stage == stage:
            states = [f"{item} must be {state}" for item, state in order.required]
            stack = f"; stack {', '.join(order.stack)}" if order.stack else ""
            yield f"Order {clean(order.name)} arrives: {', '.join(states)}{stack}."
    for candidate in task.candidates:
        if candidate.stage == stage:
            cost = ", ".join(f"{amount} {resource}" for resource, amount in candidate.cost)
            yield f"New goal of weight {candidate.reward}: {candidate.item} {candidate.state}; takes {cost}."
    for item in task.items:
        if item.stage == stage:
            yield f"New item: {item.name} ({', '.join(_steps(task, item.name))})."
    for lag in task.lags:
        if lag.stage == stage:
            yield f"{' '.join(lag.after)} starts at least {lag.ticks / TICKS:g} s after {' '.join(lag.before)}."


def _steps(task: RobotTask, name: str) -> list[str]:
    """Return the actions that an item needs, with their durations."""
    goals = task.required | {candidate.item: candidate.state for candidate in task.candidates}
    item = task.by_name[name]
    verbs = list(item.chain_to(goals.get(name, item.state)))
    if any(name in order.stack for order in task.orders):
        verbs.append(STACK)
    return [f"{verb} {task.durations[verb] / TICKS:g} s" for verb in verbs]


def action_space(problem: Instance) -> ActionSpace:
    """Return the action space: all actions, waits, and ``Finish``."""
    return ActionSpace((*problem.index, _WAITING, CLOSE), partial(_action_of, problem), timed=True)


def _action_of(problem: Instance, command: str) -> str:
    """Return the action of a command; waits that starts imply are named as they are."""
    if _WAIT.fullmatch(command):
        return _WAITING
    line = line_of(command)
    action = "" if line is None else f"{line.item}/{line.action}"
    return action if action in problem.by_id else command
