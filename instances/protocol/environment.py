"""What passes between an agent and a live run: messages, commands, outcomes, observations, turns, snapshots."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, Self, TypeVar

from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.feedback import quoted
from planoracle.instances.protocol.plan import FAULTS
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.run import Run

if TYPE_CHECKING:
    from planoracle.instances.protocol.benchmark import AnyBenchmark


_S = TypeVar("_S")

#: A message in the form of chat interfaces: ``role`` and ``content``, perhaps ``tool_calls`` or ``tool_call_id``.
Message = dict[str, Any]


class LegalCommand(NamedTuple):
    """A command that the rules allow now: its text, and whether it is an ``act``, a ``wait`` or the ``close``."""

    text: str
    kind: str


class CommandOutcome(NamedTuple):
    """What became of one command.

    Attributes
    ----------
    command, kind
        As the benchmark writes it; ``act``, ``wait``, ``close``, or ``lost`` (refused, unreadable, or of no use).
    start, end
        Ticks; the time that it took up.
    violation
        Kind of the rule that it broke, ``unreadable`` if it is no command, else ``None``.
    text
        What the agent is told about it in detail.
    """

    command: str
    kind: str
    start: int
    end: int
    violation: str | None = None
    text: str = ""


class Observation:
    """What an agent sees; immutable.

    Parameters
    ----------
    text
        What it is told since its last message, the whole introduction at the beginning; or a function that returns it,
        which is called when the text is first asked for, if ever.

    Attributes
    ----------
    clock
        Ticks.
    player
        Whose turn it is, where there are several; else ``None``.
    over
        Why the run is over, if it is.
    """

    __slots__ = ("_text", "clock", "over", "player")

    def __init__(
        self, text: str | Callable[[], str], clock: int, player: str | None = None, over: str | None = None
    ) -> None:
        self._text = text
        self.clock = clock
        self.player = player
        self.over = over

    @property
    def text(self) -> str:
        """What it is told."""
        if not isinstance(self._text, str):
            self._text = self._text()
        return self._text

    def _told(self) -> tuple[str, int, str | None, str | None]:
        return self.text, self.clock, self.player, self.over

    def __eq__(self, other: object) -> bool:
        return self._told() == other._told() if isinstance(other, Observation) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._told())

    def __repr__(self) -> str:
        return "Observation(text={!r}, clock={!r}, player={!r}, over={!r})".format(*self._told())

    def __reduce__(self) -> tuple[type[Observation], tuple[object, ...]]:
        return Observation, self._told()


class Transition(NamedTuple):
    """What a message led to; ``info`` is what the reward says of itself, such as its ``status``."""

    observation: Observation
    reward: float
    done: bool
    outcomes: tuple[CommandOutcome, ...]
    info: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the agent and what it was answered; ``before`` is the turn before it."""

    said: object
    outcomes: tuple[CommandOutcome, ...]
    observation: Observation
    before: Turn | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Snapshot(Generic[_S]):
    """Everything that changes in a live run; immutable, so that it can be kept, shared and returned to.

    Attributes
    ----------
    world
        State of the benchmark's rules.
    turn, count
        The last message with its answer, and how many there were.
    over
        Why the run is over, if it is.
    memo
        What the reward keeps from step to step.
    """

    world: _S
    turn: Turn | None = None
    count: int = 0
    over: str | None = None
    memo: object = None


class RunConfig(NamedTuple):
    """How a live run is held.

    Attributes
    ----------
    loop
        ``closed``: command by command, each of which is answered; ``open``: one message with the whole plan.
    feedback
        ``terse``: whether a command was carried out; ``detailed``: also why it was not, and what goes on.
    style
        Of messages, where a benchmark has its own: ``paper``, or ``chat`` for the form that chat interfaces demand.
    limit
        Messages of the agent after which the run ends; ``None``: as many as the rules allow.
    bounded
        Whether a run ends where the authors' own harness ends it although their rules do not; where none is known,
        when it leads nowhere.
    """

    loop: str = "closed"
    feedback: str = "detailed"
    style: str = "chat"
    limit: int | None = None
    bounded: bool = True


#: Command by command, in detail.
USUAL = RunConfig()


_P = TypeVar("_P", bound=Problem)
_R = TypeVar("_R", bound=Rules)


class Reward(Protocol):
    """What a step of a run is worth."""

    name: str

    def begin(self, environment: AnyEnvironment) -> object:
        """Return what it keeps at the beginning of a run."""

    def after(self, environment: AnyEnvironment, memo: object) -> tuple[float, object, Mapping[str, object]]:
        """Return what the last step was worth, what it keeps from now on, and what it says of itself."""

    def refused(self, memo: object) -> tuple[float, object]:
        """Return what an action is worth that is not legal and so not carried out, and what it keeps from now on."""


class Environment(ABC, Generic[_P, _R, _S]):
    """One run of an agent; nothing is shared with other runs.

    Parameters
    ----------
    problem, rules
        What is to be done, by which rules.
    manner
        See `RunConfig`.
    reward
        What steps are worth; without one every reward is 0.

    Notes
    -----
    Made by `planoracle.environment`. A room's class says what its state is, by the methods without a body here.
    """

    def __init__(self, problem: _P, rules: _R, manner: RunConfig = USUAL, reward: Reward | None = None) -> None:
        for name, values in (("loop", ("closed", "open")), ("feedback", ("terse", "detailed"))):
            if getattr(manner, name) not in values:
                raise InputError(f"must be one of {', '.join(values)}", field=name, value=getattr(manner, name))
        self.problem = problem
        self.rules = rules
        self.manner = manner
        self.reward = reward
        self.reset()

    @property
    def benchmark(self) -> AnyBenchmark:
        """Whose problem it is."""
        return registry.of(self.problem)

    # What an agent does

    def reset(self, seed: int | None = None) -> Observation:
        """Begin anew and return the first observation.

        ``seed`` is there for agents' frameworks: nothing in these benchmarks is left to chance.
        """
        self.state: Snapshot[_S] = Snapshot(self._begin())
        if self.reward is not None:
            self.state = Snapshot(self.state.world, memo=self.reward.begin(self))
        return self.observation

    def step(self, said: object) -> Transition:
        """Carry out one message of the agent: a command, or what a model wrote; with an open loop the whole plan.

        One of `legal` may be given as it is, or its text.

        Raises
        ------
        InputError
            If the run is over.
        """
        if self.done:
            raise InputError("the run is over", field="said", value=said)
        if isinstance(said, LegalCommand):
            said = said.text
        before = self.state
        over: str | None
        if self.manner.loop == "open":
            world, outcomes = self._whole(before.world, said)
            over = "handed_in" if self._counts(world) else None
        else:
            world, outcomes = self._take(before.world, said)
            over = self._over(world)
        if over is None and self.manner.limit is not None and before.count + 1 >= self.manner.limit:
            over = "message_limit"
        seen = Observation(partial(self._answer, world, outcomes, over), self._clock(world), self._player(world), over)
        turn = Turn(said, outcomes, seen, before.turn)
        self.state = Snapshot(world, turn, before.count + 1, over, before.memo)
        return self._transition(seen, outcomes)

    def stop(self, why: str) -> Transition:
        """End the run for a reason that is none of the rules, such as a limit of steps.

        Raises
        ------
        InputError
            If the run is over.
        """
        if self.done:
            raise InputError("the run is over", field="why", value=why)
        last = self.observation
        self.state = replace(self.state, over=why)
        return self._transition(Observation(last.text, last.clock, last.player, why), ())

    def _transition(self, seen: Observation, outcomes: tuple[CommandOutcome, ...]) -> Transition:
        """Return what has led to the state, and keep in it what the reward keeps."""
        if self.reward is None:
            return Transition(seen, 0.0, self.done, outcomes, {})
        value, memo, info = self.reward.after(self, self.state.memo)
        self.state = replace(self.state, memo=memo)
        return Transition(seen, value, self.done, outcomes, info)

    @property
    def done(self) -> bool:
        """Whether the run is over."""
        return self.state.over is not None

    @property
    def observation(self) -> Observation:
        """What the agent saw last."""
        world, turn = self.state.world, self.state.turn
        return turn.observation if turn else Observation(self.introduction, self._clock(world), self._player(world))

    def legal(self) -> Sequence[LegalCommand]:
        """Return all commands that the rules allow now, in a fixed order; none once the run is over."""
        return () if self.done else self._legal(self.state.world)

    def situation(self) -> str:
        """Return how things stand now, in words, for whoever does not look back at what was answered."""
        return self._situation(self.state.world)

    # Time travel

    def fork(self) -> Self:
        """Return another run that goes on from here; neither changes the other."""
        return copy(self)

    def __deepcopy__(self, memo: object) -> Self:
        return self.fork()

    def restore(self, state: Snapshot[_S]) -> None:
        """Go back to a ``state`` that this run, or a fork of it, had."""
        self.state = state

    # What became of it

    @property
    def turns(self) -> list[Turn]:
        """All turns so far, the first one first."""
        found, turn = [], self.state.turn
        while turn is not None:
            found.append(turn)
            turn = turn.before
        return found[::-1]

    def submission(self) -> dict[str, object]:
        """Return the run so far as a record that ``grade`` reads, without ``id``."""
        plan = self._open_plan() if self.manner.loop == "open" else self._handed_in()
        return {"instance": self.problem.name, **plan}

    def run(self) -> Run[_P, Any, _R]:
        """Return the run so far, replayed from its `submission`.

        Raises
        ------
        PlanError
            With an open loop, if the plan cannot be read.
        """
        return self.benchmark.run(self.problem, self.submission(), self.rules)

    def messages(self) -> list[Message]:
        """Return the run so far as a chat: instructions, introduction, and in turn what was said and answered."""
        found = self.opening()
        for turn in self.turns:
            found += self._exchange(turn)
        return found

    def opening(self) -> list[Message]:
        """Return the messages that a run begins with."""
        return [
            {"role": "system", "content": self.instructions()},
            {"role": "user", "content": self.introduction()},
        ]

    # What a room says

    @abstractmethod
    def instructions(self) -> str:
        """Return how commands are written and what they are answered, the same for all problems of the room."""

    @abstractmethod
    def introduction(self) -> str:
        """Return the problem in words: what is to be done, with what, and how long it takes."""

    @abstractmethod
    def _begin(self) -> _S:
        """Return the state before the first message; immutable, or never changed in place."""

    @abstractmethod
    def _take(self, world: _S, said: object) -> tuple[_S, tuple[CommandOutcome, ...]]:
        """Return the state after a message, and what became of its commands; never raises for what it holds."""

    @abstractmethod
    def _over(self, world: _S) -> str | None:
        """Return why the run has ended, if it has."""

    @abstractmethod
    def _clock(self, world: _S) -> int:
        """Return what time it is, in ticks."""

    @abstractmethod
    def _legal(self, world: _S) -> Sequence[LegalCommand]:
        """Return all commands that the rules allow."""

    @abstractmethod
    def _handed_in(self) -> dict[str, object]:
        """Return the run so far as the fields of a submission."""

    def _situation(self, world: _S) -> str:
        """Return how things stand, in words."""
        return f"{self._clock(world)} {self.problem.unit}s have passed."

    def _player(self, world: _S) -> str | None:
        """Return whose turn it is, where there are several."""
        return None

    def _answer(self, world: _S, outcomes: Sequence[CommandOutcome], over: str | None) -> str:
        """Return what the agent is told after its message; asked for late, if at all, so of the arguments alone."""
        detailed = self.manner.feedback == "detailed"
        lines = [one.text if detailed and one.text else _terse(one) for one in outcomes]
        return "\n".join(lines + ([f"The run is over: {over.replace('_', ' ')}."] if over else []))

    def _exchange(self, turn: Turn) -> list[Message]:
        """Return what was said in a turn and what was answered, as messages."""
        said = _text_of(turn.said)
        answer = [{"role": "user", "content": turn.observation.text}] if turn.observation.text else []
        return [{"role": "assistant", "content": said}, *answer]

    # Whole plans

    def _open_plan(self) -> dict[str, object]:
        turn = self.state.turn
        return self._plan_of(turn.said if turn else "")

    def _plan_of(self, said: object) -> dict[str, object]:
        return {self.benchmark.plan_fields[0]: said}

    def _counts(self, world: _S) -> bool:
        """Return whether a whole plan counts, so that there is no other try."""
        return True

    def _whole(self, world: _S, said: object) -> tuple[_S, tuple[CommandOutcome, ...]]:
        """Return the state after a whole plan, and what became of its commands; never raises for what it holds."""
        plan = {"instance": self.problem.name, **self._plan_of(said)}
        try:
            run = self.benchmark.run(self.problem, plan, self.rules)
            if run.plan.fault:
                raise PlanError(FAULTS[run.plan.fault])
        except PlanError as error:
            return world, (
                CommandOutcome(
                    _text_of(said)[:200], "lost", 0, 0, "unreadable", f"Not understood: {quoted(str(error), 300)}"
                ),
            )
        return world, tuple(
            CommandOutcome(one.command, one.kind, one.start, one.end, one.violation) for one in run.steps
        )


def _text_of(said: object) -> str:
    if isinstance(said, str):
        return said
    try:
        return json.dumps(said, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return f"({type(said).__name__})"


def _terse(one: CommandOutcome) -> str:
    done = one.violation is None and one.kind != "lost"
    return f"{quoted(one.command, 80)}: {'done' if done else 'refused'}"


#: Any environment, where its benchmark does not matter.
AnyEnvironment = Environment[Any, Any, Any]
