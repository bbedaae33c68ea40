"""Texts of live runs by the general rules: one piece of the schedule per turn, or the whole schedule.

Every benchmark with a `GenericSimulator` uses them, with its own plan language.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

from planoracle.instances.benchmarks.generic.feedback import SENTENCES
from planoracle.instances.benchmarks.generic.rules import GenericSimulator, ScheduleState
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model_output.messages import gives_up, parts
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.describe import brief
from planoracle.instances.protocol.feedback import sentence
from planoracle.instances.protocol.live import ScheduleText, text_of
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import language
from planoracle.instances.protocol.simulator import CLOSE, Step, Unreadable

_TASK = """You plan work, as fast as possible: every action is to be done, for exactly the time it takes. Work by hand
keeps an agent busy; what goes on by itself only has to be started, which nobody can do in the middle of work by hand.
What may be paused may be done in several parts. A resource has room for so much at the same time."""
_CLOSED = f"""{_TASK}
Answer with one command at a time, in the order of their starts. You are told whether it is carried out; what is refused
changes nothing. The run is over when everything has been started. To give up, answer: Finish"""
_OPEN = f"""{_TASK}
Answer with the whole plan, all commands in the order of their starts, a line each."""


class GenericText(ScheduleText[Rules, ScheduleState]):
    """Texts of a live run in which every command is a piece of a schedule.

    Refused pieces are not part of the submitted plan. The first command of a message counts.

    Examples
    --------
    >>> from planoracle import environment
    >>> from planoracle.instances.model.instance import Action, Instance
    >>> run = environment(Instance("soup", (Action("soup/chop", "soup", 5, 5), Action("soup/boil", "soup", 9, 0))))
    >>> print(run.legal()[0].text)
    {"action": "soup/chop", "start": 0, "duration": 5, "agent": "agent", "mode": 0}
    >>> print(run.step(run.legal()[0]).observation.text)
    soup/chop has started and ends at tick 5.
    It is tick 5.
    >>> print(run.step('{"action": "soup/boil", "start": 3, "duration": 9, "agent": "agent"}').observation.text)
    Refused: soup/boil at tick 3 cannot be started by agent, who attends to soup/chop (tick 0 to tick 5).
    It is tick 5.
    >>> print(run.step('{"action": "soup/boil", "start": 5, "duration": 9, "agent": "agent"}').observation.text)
    soup/boil has started and ends at tick 14.
    The run is over: completed.
    """

    simulator: GenericSimulator

    def instructions(self) -> str:
        """Return the instructions: how commands are written."""
        return _OPEN if self.config.loop == "open" else _CLOSED

    def introduction(self) -> str:
        """Return the problem, and a command as an example."""
        action = self.problem.actions[0]
        variant = self.problem.variants[action.id][0]
        agents = variant.agents or (None,)
        piece = Piece(action.id, action.release, variant.duration, agents[0])
        example = self.simulator.words(piece)
        return f"{brief(self.simulator.problem)}\nA command, as an example: {example}"

    def command(self, state: ScheduleState, message: object) -> Piece | Unreadable | str:
        """Return the first piece of a message."""
        piece = self._piece(message)
        if piece is not None:
            return piece
        text = text_of(message)
        return CLOSE if gives_up(text) else Unreadable(text)

    def _piece(self, message: object) -> Piece | None:
        """Return the first command of a message."""
        text = text_of(message)
        message_parts: list[object] = [*parts(text)]
        if not text:
            message_parts = [message if isinstance(message, list) else [message]]
        for part in message_parts:
            pieces = self._read(part)
            if len(pieces) < 2:  # several pieces may be in another order than in the message
                if pieces:
                    return pieces[0]
                continue
            actions = {piece.action for piece in pieces}
            commands = filter(None, map(self._read, _single(part)))
            in_order = (command[0] for command in commands)
            return next((piece for piece in in_order if piece.action in actions), pieces[0])
        return None

    def _read(self, part: object) -> tuple[Piece, ...]:
        """Return the pieces of a text, or of a list of commands as plans have them; none if it cannot be read."""
        forms: list[object] = [part]
        if isinstance(part, str):
            value = _json(part)
            forms = [part, [part.strip()]]
            if isinstance(value, dict):
                forms = [[value]]
        benchmark = language(self.problem)
        for form in forms:
            submission = {"instance": self.problem.name, benchmark.plan_fields[-1]: form}
            try:
                plan = benchmark.parse(self.problem, submission, self.rules)
                pieces = benchmark.schedule(self.problem, plan).pieces
            except InputError:
                continue
            if pieces:
                return pieces
        return ()

    def step_text(self, before: ScheduleState, after: ScheduleState, step: Step) -> str:
        """Return the effect of a piece."""
        fault = step.violation
        if fault is None:
            if step.kind == "close":
                return ""
            return self._start_text(after.point.state.pieces[-1])
        if fault.kind == "unreadable":
            return "Your answer contains no readable command."
        if fault.kind == "too_many":
            return sentence(f"the plan {fault.actual}")
        return f"Refused: {sentence(SENTENCES.describe(self.words, fault))}"

    def _start_text(self, piece: Piece) -> str:
        name = self.words.name(piece.action)
        if not piece.duration:
            return sentence(f"{name} is done")
        end = self.words.moment(piece.end)
        return sentence(f"{name} has started and ends at {end}")

    def running(self, state: ScheduleState) -> Iterator[Piece]:
        """Yield the running pieces."""
        started = state.point.state
        return (piece for piece in started.pieces if piece.end > started.clock)

    def submission(self, state: ScheduleState) -> dict[str, object]:
        """Return the executed pieces as a plan."""
        benchmark = language(self.problem)
        schedule = Schedule.of(self.problem, state.point.state.pieces)
        return {benchmark.plan_fields[-1]: benchmark.written(self.problem, schedule)}


#: Class of the texts of live runs.
TEXT = GenericText


def _json(text: str) -> object:
    """Return the JSON value of a text, ``None`` if it is not JSON."""
    if text.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        return load_json(text, "message")
    except InputError:
        return None


def _single(part: object) -> Iterator[object]:
    """Yield the parts of a text or a list, each of which may contain a command, in order."""
    value = _json(part) if isinstance(part, str) else part
    if isinstance(value, list):
        yield from ([entry] for entry in value)
    elif isinstance(part, str):
        yield from part.splitlines()


def action_space(problem: Instance) -> ActionSpace:
    """Return the action space: all actions, and ``Finish``.

    Parameters
    ----------
    problem
        Scheduling problem.
    """
    return ActionSpace((*problem.index, "Finish"), partial(_name_of, problem), timed=True)


def _name_of(problem: Instance, command: str) -> str:
    """Return the action of a command, which may be in the plan language of another benchmark.

    A command without an action is its own name: ``Finish``, and the waits that starts imply.
    """
    if command == "Finish":
        return command
    if command.startswith("{"):
        return str(json.loads(command)["action"])
    benchmark = language(problem)
    try:
        plan = benchmark.parse(problem, {benchmark.plan_fields[-1]: [command]})
        pieces = benchmark.schedule(problem, plan).pieces
    except InputError:
        return command
    return pieces[0].action if pieces else command
