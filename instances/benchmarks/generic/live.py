"""Live runs by the general rules: one piece of the schedule a turn, or the whole schedule at once.

They serve every benchmark whose runs are `GenericRun`, in the words of its own plan language.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import gcd
from typing import Any, TypeVar

from planoracle.instances.benchmarks.generic.feedback import describe_violation
from planoracle.instances.benchmarks.generic.run import GenericRun, fault_of
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.state import PartialSchedule
from planoracle.instances.model_output.messages import gives_up, parts
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.describe import brief
from planoracle.instances.protocol.environment import USUAL, CommandOutcome, LegalCommand, Reward, RunConfig
from planoracle.instances.protocol.feedback import sentence
from planoracle.instances.protocol.live import MAX_LENGTHS, ScheduleEnvironment, moments, text_of
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark
from planoracle.instances.protocol.trajectory import DecisionPoint, clock_after, started, wait_words, waited

#: As many commands may be refused; the next refusal ends the run.
MAX_REFUSALS = 10

_TASK = """You plan work, as fast as possible: every action is to be done, for exactly the time it takes. Work by hand
keeps an agent busy; what goes on by itself only has to be started, which nobody can do in the middle of work by hand.
What may be paused may be done in several parts. A resource has room for so much at the same time."""
_CLOSED = f"""{_TASK}
Answer with one command at a time, in the order of their starts. You are told whether it is carried out; what is refused
changes nothing. The run is over when everything has been started. To give up, answer: Finish"""
_OPEN = f"""{_TASK}
Answer with the whole plan, all commands in the order of their starts, a line each."""

_R = TypeVar("_R", bound=Rules)


@dataclass(frozen=True, slots=True)
class LiveState:
    """State of a live run: executed pieces, number of refused commands, and whether the agent gave up."""

    point: DecisionPoint
    refused: int = 0
    finished: bool = False


class GenericEnvironment(ScheduleEnvironment[_R, LiveState]):
    """A live run in which every command is a piece of a schedule.

    The general rules check a schedule as a whole. Here a piece is refused if it breaks a rule beside those before it,
    or makes it impossible to keep one. What is refused is no part of the plan that is handed in. Of a message the first
    command counts.

    Examples
    --------
    >>> from planoracle import environment
    >>> from planoracle.instances.model.instance import Action
    >>> run = environment(Instance("soup", (Action("soup/chop", "soup", 5, 5), Action("soup/boil", "soup", 9, 0))))
    >>> print(run.legal()[0].text)
    {"action": "soup/chop", "start": 0, "duration": 5, "agent": "agent", "mode": 0}
    >>> print(run.step(run.legal()[0]).observation.text)
    soup/chop is begun, and over at tick 5.
    It is tick 5.
    >>> print(run.step('{"action": "soup/boil", "start": 3, "duration": 9, "agent": "agent"}').observation.text)
    Refused: soup/boil starts too early, it is tick 5.
    It is tick 5.
    >>> print(run.step('{"action": "soup/boil", "start": 5, "duration": 9, "agent": "agent"}').observation.text)
    soup/boil is begun, and over at tick 14.
    The run is over: completed.
    """

    def __init__(self, problem: Instance, rules: _R, config: RunConfig = USUAL, reward: Reward | None = None) -> None:
        benchmark = registry.of(problem)
        run = benchmark.run(problem, None, rules)
        if not isinstance(run, GenericRun) or not isinstance(benchmark, ScheduleBenchmark):
            raise InputError(
                "has no live environment: its runs are no GenericRun", field="benchmark", value=benchmark.name
            )
        self._idle = run
        super().__init__(problem, rules, config, reward)

    @property
    def _language(self) -> ScheduleBenchmark[Any, Any]:
        benchmark = self.benchmark
        assert isinstance(benchmark, ScheduleBenchmark)
        return benchmark

    def instructions(self) -> str:
        """Return the instructions: how commands are written."""
        return _OPEN if self.config.loop == "open" else _CLOSED

    def introduction(self) -> str:
        """Return the problem, and a command as an example."""
        action = self.problem.actions[0]
        agents = self.problem.eligible(action) or (None,)
        example = self._idle.words(Piece(action.id, action.release, action.duration, agents[0]))
        return f"{self._describe_problem()}\nA command, as an example: {example}"

    def _describe_problem(self) -> str:
        """Return the problem in words."""
        return brief(self._idle.problem)

    def _begin(self) -> LiveState:
        return LiveState(self._idle.begin)

    def _take(self, world: LiveState, message: object) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        point = world.point
        clock = point.state.clock
        piece = self._piece(message)
        if piece is None:
            text = text_of(message)
            if gives_up(text):
                return replace(world, finished=True), (CommandOutcome("Finish", "close", clock, clock),)
            unread = CommandOutcome(
                text[:200], "lost", clock, clock, "unreadable", "No command can be read in your answer."
            )
            return replace(world, refused=world.refused + 1), (unread,)
        command = self._idle.words(piece)
        wrong = self._wrong(point, piece)
        if wrong is not None:
            kind, text = wrong
            lost = CommandOutcome(command, "lost", clock, clock, kind, f"Refused: {sentence(text)}")
            return replace(world, refused=world.refused + 1), (lost,)
        try:
            after = _after_start(point, piece)
        except PlanError as error:
            lost = CommandOutcome(command, "lost", clock, clock, "too_many", sentence(str(error)))
            return replace(world, refused=world.refused + 1), (lost,)
        now = after.state.clock
        done = CommandOutcome(command, "act", piece.start, max(piece.start, now), None, self._success_message(piece))
        if clock < piece.start <= now:
            wait = CommandOutcome(wait_words(self.problem, piece.start - clock), "wait", clock, piece.start)
            return replace(world, point=after), (wait, done)
        return replace(world, point=after), (done,)

    def _piece(self, message: object) -> Piece | None:
        """Return the first command of a message."""
        text = text_of(message)
        whole: list[object] = [*parts(text)]
        if not text:
            whole = [message if isinstance(message, list) else [message]]
        for part in whole:
            pieces = self._read(part)
            if len(pieces) < 2:  # else the order of the plan need not be that of the message
                if pieces:
                    return pieces[0]
                continue
            actions = {piece.action for piece in pieces}
            single = filter(None, map(self._read, _single(part)))
            return next((one[0] for one in single if one[0].action in actions), pieces[0])
        return None

    def _read(self, part: object) -> tuple[Piece, ...]:
        """Return the pieces of a text, or of a list of commands as plans have them; none if it cannot be read."""
        forms: list[object] = [part]
        if isinstance(part, str):
            value = _json(part)
            forms = [[value]] if isinstance(value, dict) else [part, [part.strip()]]
        for form in forms:
            plan = {"instance": self.problem.name, self.benchmark.plan_fields[-1]: form}
            try:
                read = self._language.parse(self.problem, plan, self.rules)
                pieces = self._language.schedule(self.problem, read).pieces
            except InputError:
                continue
            if pieces:
                return pieces
        return ()

    def _wrong(self, point: DecisionPoint, piece: Piece) -> tuple[str, str] | None:
        """Return kind and message of the first violation of a piece, ``None`` if it keeps the rules."""
        clock = point.state.clock
        if piece.start < clock:
            return "time_error", f"{self.words.name(piece.action)} starts too early, it is {self.words.moment(clock)}"
        violation = fault_of(self._idle.problem, (*point.state.pieces, piece), clock)
        return violation and (violation.kind, describe_violation(self.words, violation))

    def _success_message(self, piece: Piece) -> str:
        name, end = self.words.name(piece.action), self.words.moment(piece.end)
        return sentence(f"{name} is begun, and over at {end}" if piece.duration else f"{name} is done")

    def _over(self, world: LiveState) -> str | None:
        if world.finished:
            return "finished"
        if world.point.complete:
            return "completed"
        return "too_many_refusals" if world.refused > MAX_REFUSALS else None

    def _clock(self, world: LiveState) -> int:
        return world.point.state.clock

    def _running(self, world: LiveState) -> Iterator[Piece]:
        return (piece for piece in world.point.state.pieces if piece.end > world.point.state.clock)

    def _handed_in(self) -> dict[str, object]:
        pieces = self.state.world.point.state.pieces
        plan = self._language.written(self.problem, Schedule.of(self.problem, pieces))
        return {self.benchmark.plan_fields[-1]: plan}

    def _legal(self, world: LiveState) -> list[LegalCommand]:
        """Return every piece that the rules allow, at the clock and at later `moments`; there are others.

        Nothing but the start says a wait. ``Finish`` is offered when nothing else is left.
        """
        problem, point = self._idle.problem, world.point
        pieces = point.state.pieces
        remaining = _remaining(problem, pieces)
        over = [piece.end for piece in pieces]
        over += [piece.start + problem.by_id[piece.action].attended for piece in pieces]
        over += [piece.end + lag for piece in pieces for lag in _lags(problem)]
        over += [action.release for action in problem.actions]
        commands = []
        for start, positions in moments(problem, point.state.clock, over, remaining):
            only = None if positions is None else {problem.actions[one].id for one in positions}
            options = self._idle.acts(waited(point, start), _grid(problem), only)
            commands += [LegalCommand(one.command, one.kind) for one in options]
        return commands or [LegalCommand("Finish", "close")]


def _after_start(point: DecisionPoint, piece: Piece) -> DecisionPoint:
    """Return the point after a piece has been started.

    One that goes on without a gap is a part of the piece before it, as it will be in the plan: time does not pass.
    """
    whole = piece
    for earlier in sorted(point.state.pieces, key=lambda one: one.end, reverse=True):
        if earlier.end == whole.start and earlier[0] == piece[0] and earlier[3:] == piece[3:]:
            whole = whole._replace(start=earlier.start, duration=whole.end - earlier.start)
    after = started(point, piece)
    clock = max(point.state.clock, whole.start, clock_after(point.instance, whole))
    return after if clock == after.state.clock else replace(after, state=PartialSchedule(after.state.pieces, clock))


def _json(text: str) -> object:
    """Return the value that a text is in JSON, ``None`` if it is none."""
    if text.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        return load_json(text, "said")
    except InputError:
        return None


def _single(part: object) -> Iterator[object]:
    """Yield the parts of a text or a list that may hold a command each, in their order."""
    value = _json(part) if isinstance(part, str) else part
    if isinstance(value, list):
        yield from ([one] for one in value)
    elif isinstance(part, str):
        yield from part.splitlines()


def _remaining(problem: Instance, pieces: tuple[Piece, ...]) -> list[int]:
    remaining = [action.duration for action in problem.actions]
    for piece in pieces:
        remaining[problem.index[piece.action]] -= piece.duration
    return remaining


@ProblemCache
def _lags(problem: Instance) -> tuple[int, ...]:
    """Return the different minimum lags."""
    return tuple(sorted({lag.minimum for lag in problem.lags if lag.minimum}))


@ProblemCache
def _grid(problem: Instance) -> int:
    """Return the ticks of which parts of actions are made: few enough for every action that may be paused."""
    limits = (abs(limit) for lag in problem.lags for limit in (lag.minimum, lag.maximum) if limit)
    grid = gcd(*(action.duration for action in problem.actions), *limits) or 1
    longest = max((action.duration for action in problem.actions if action.interruptible), default=1)
    return grid * -(-longest // (MAX_LENGTHS * grid))


def live(problem: Instance, rules: Rules, config: RunConfig, reward: Reward | None) -> GenericEnvironment[Rules]:
    """Return a live run of a benchmark whose runs are `GenericRun`."""
    return GenericEnvironment(problem, rules, config, reward)


def action_space(problem: Instance) -> ActionSpace:
    """Return the action space: all actions, and ``Finish``."""
    return ActionSpace((*problem.index, "Finish"), _name_of, timed=True)


def _name_of(command: str) -> str:
    if not command.startswith("{"):
        return command
    return str(json.loads(command)["action"])
