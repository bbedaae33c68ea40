"""Live runs of agents: messages, observations, turns, snapshots."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, Self, TypeAlias, TypeVar, final

from planoracle.instances.errors import InputError
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.run import Run
from planoracle.instances.protocol.simulator import LegalCommand, Simulator, Step, entries_of

if TYPE_CHECKING:
    from planoracle.instances.protocol.benchmark import AnyBenchmark
    from planoracle.instances.protocol.live import LiveText


_S = TypeVar("_S")

#: A message in the form of chat interfaces: ``role`` and ``content``.
Message = dict[str, Any]


class Observation:
    """Observation of an agent; immutable.

    Parameters
    ----------
    text
        Answer to its last message, or the introduction at the beginning; or a function that returns it, called on first
        use.

    Attributes
    ----------
    clock
        Ticks.
    player
        Name of the agent whose turn it is, where there are several; else ``None``.
    over
        Reason why the run is over, if it is.
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
        """Text of the observation."""
        if not isinstance(self._text, str):
            self._text = self._text()
        return self._text

    def _fields(self) -> tuple[str, int, str | None, str | None]:
        return self.text, self.clock, self.player, self.over

    def __eq__(self, value: object) -> bool:
        return self._fields() == value._fields() if isinstance(value, Observation) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        return "Observation(text={!r}, clock={!r}, player={!r}, over={!r})".format(*self._fields())

    def __reduce__(self) -> tuple[type[Observation], tuple[object, ...]]:
        return Observation, self._fields()


class Transition(NamedTuple):
    """Result of a message; ``info`` holds details of the reward, such as its ``status``."""

    observation: Observation
    reward: float
    done: bool
    outcomes: tuple[Step, ...]
    info: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the agent and the answer to it; ``before`` is the previous turn."""

    message: object
    outcomes: tuple[Step, ...]
    observation: Observation
    before: Turn | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Snapshot(Generic[_S]):
    """State of a live run; immutable, so that it can be stored, shared and restored.

    Attributes
    ----------
    world
        State of the benchmark's rules.
    turn, count
        Last message with its answer, and the number of messages.
    over
        Reason why the run is over, if it is.
    memo
        State of the reward.
    """

    world: _S
    turn: Turn | None = None
    count: int = 0
    over: str | None = None
    memo: object = None


#: Versions of the texts of environments: those of 0.11, and those that give away no more than the papers' prompts.
WORDINGS = (1, 2)


class RunConfig(NamedTuple):
    """Options of a live run.

    Attributes
    ----------
    loop
        ``closed``: command by command, each of which is answered; ``open``: one message with the whole plan.
    feedback
        ``terse``: only whether a command was carried out; ``detailed``: also reasons, and the situation.
    limit
        Number of messages after which the run ends; ``None``: no limit beside the rules.
    bounded
        True if a run ends where the authors' harness ends it although their rules do not, or, if that is not known,
        when it makes no progress.
    wording
        Version of the texts of the environment, see `WORDINGS`.
    """

    loop: str = "closed"
    feedback: str = "detailed"
    limit: int | None = None
    bounded: bool = True
    wording: int = WORDINGS[-1]


#: Command by command, in detail.
USUAL = RunConfig()


_P = TypeVar("_P", bound=Problem)
_R = TypeVar("_R", bound=Rules)


class Reward(Protocol):
    """Reward of the steps of a run; subclasses without a state need `after` only."""

    name: str

    def begin(self, environment: AnyEnvironment) -> object:
        """Return the state of the reward at the beginning of a run; by default ``None``."""
        return None

    def after(self, environment: AnyEnvironment, memo: object) -> tuple[float, object, Mapping[str, object]]:
        """Return the reward of the last step, the new state, and details."""

    def refused(self, memo: object) -> tuple[float, object]:
        """Return the reward of an illegal action, which is not carried out, and the new state; by default 0."""
        return 0.0, memo


@final
class Environment(Generic[_P, _R, _S]):
    """One live run of an agent, independent of other runs.

    The simulator of the benchmark carries out commands, its `LiveText` reads messages and writes answers.

    Parameters
    ----------
    benchmark, problem, rules
        Benchmark, problem and rules of the run.
    config
        See `RunConfig`.
    reward
        Reward of the steps; without one every reward is 0.

    Notes
    -----
    Created by `planoracle.environment`.
    """

    def __init__(
        self,
        benchmark: AnyBenchmark,
        problem: _P,
        rules: _R,
        config: RunConfig = USUAL,
        reward: Reward | None = None,
    ) -> None:
        for name, values in (("loop", ("closed", "open")), ("feedback", ("terse", "detailed"))):
            value = getattr(config, name)
            if value not in values:
                raise InputError(f"must be one of {', '.join(values)}", field=name, value=value)
        self.benchmark = benchmark
        self.problem = problem
        self.rules = rules
        self.config = config
        self.reward = reward
        self.simulator: Simulator[_S, Any] = benchmark.simulator(problem, rules)
        self.text: LiveText[_P, _R, _S] = benchmark.live.TEXT(problem, rules, config, self.simulator)
        self.text.benchmark = benchmark
        self.reset()

    # Steps

    def reset(self, seed: int | None = None) -> Observation:
        """Restart the run and return the first observation.

        ``seed`` is accepted for agent frameworks and ignored: nothing in these benchmarks is random.
        """
        self.state: Snapshot[_S] = Snapshot(self.simulator.initial())
        if self.reward is not None:
            self.state = Snapshot(self.state.world, memo=self.reward.begin(self))
        return self.observation

    def step(self, message: object) -> Transition:
        """Carry out one message of the agent: a command or model output; with an open loop the whole plan.

        A member of `legal` is accepted, too.

        Raises
        ------
        InputError
            If the run is over.
        """
        if self.done:
            raise InputError("the run is over", field="message", value=message)
        if isinstance(message, LegalCommand):
            message = message.text
        before, text = self.state, self.text
        state = self.simulator.copy(before.world)
        over: str | None
        if self.config.loop == "open":
            state, steps = text.take_plan(state, message)
            over = "handed_in" if text.is_final(state) else None
        else:
            state, steps = text.take(state, message)
            over = self.simulator.ended(state) or text.limit_reached(state)
        if over is None and self.config.limit is not None and before.count + 1 >= self.config.limit:
            over = "message_limit"
        answer = partial(text.answer, before.world, state, steps, over)
        clock = self.simulator.clock(state)
        observation = Observation(answer, clock, text.player(state), over)
        turn = Turn(message, steps, observation, before.turn)
        self.state = Snapshot(state, turn, before.count + 1, over, before.memo)
        return self._transition(observation, steps)

    def stop(self, reason: str) -> Transition:
        """End the run for a reason outside the rules, such as a limit of steps.

        Raises
        ------
        InputError
            If the run is over.
        """
        if self.done:
            raise InputError("the run is over", field="reason", value=reason)
        last = self.observation
        self.state = replace(self.state, over=reason)
        return self._transition(Observation(last.text, last.clock, last.player, reason), ())

    def _transition(self, observation: Observation, outcomes: tuple[Step, ...]) -> Transition:
        """Return the transition to the current state, and store the state of the reward."""
        if self.reward is None:
            return Transition(observation, 0.0, self.done, outcomes, {})
        value, memo, info = self.reward.after(self, self.state.memo)
        self.state = replace(self.state, memo=memo)
        return Transition(observation, value, self.done, outcomes, info)

    @property
    def done(self) -> bool:
        """True if the run is over."""
        return self.state.over is not None

    @property
    def observation(self) -> Observation:
        """Last observation of the agent."""
        state, turn = self.state.world, self.state.turn
        if turn is not None:
            return turn.observation
        clock = self.simulator.clock(state)
        return Observation(self.introduction, clock, self.text.player(state))

    def legal(self) -> Sequence[LegalCommand]:
        """Return all commands that the rules allow now, in a fixed order; none once the run is over."""
        return () if self.done else self.simulator.legal(self.state.world)

    def situation(self) -> str:
        """Return the current situation in words, for agents that do not see earlier answers."""
        return self.text.situation(self.state.world)

    # The state by the rules

    @cached_property
    def _rules_on_problem(self) -> tuple[Problem, str | None]:
        """Problem as the rules change it, and the reason why none of its plans can succeed, if so."""
        try:
            return self.benchmark.under(self.problem, self.rules), None
        except InputError as error:
            return self.problem, str(error)

    @property
    def ruled_problem(self) -> Problem:
        """Problem as the rules change it."""
        return self._rules_on_problem[0]

    @property
    def impossible(self) -> str | None:
        """Reason why every run breaks a rule, if that is so."""
        return self._rules_on_problem[1]

    @property
    def success(self) -> bool:
        """True if a closed-loop run so far is a success."""
        return self.simulator.success(self.state.world)

    @property
    def lost(self) -> str | None:
        """Reason why no success is possible, ``None`` if unknown, see `Run.lost_at`."""
        return self.simulator.lost(self.state.world)

    def in_time(self, ticks: int) -> bool:
        """Return True if a makespan keeps the time limit.

        Parameters
        ----------
        ticks
            Makespan in ticks.
        """
        limit = self.text.time_limit
        if limit is None:
            limit = self.ruled_problem.time_limit
        return limit is None or ticks <= limit

    # Copies and snapshots

    def fork(self) -> Self:
        """Return an independent copy of the run."""
        return copy(self)

    def __deepcopy__(self, memo: object) -> Self:
        return self.fork()

    def restore(self, state: Snapshot[_S]) -> None:
        """Restore an earlier ``state`` of this run or of a fork."""
        self.state = state

    # Results

    @property
    def turns(self) -> list[Turn]:
        """All turns so far, the first one first."""
        return entries_of(self.state.turn)

    def submission(self) -> dict[str, object]:
        """Return the run so far as a record that ``grade`` reads, without ``id``."""
        if self.config.loop == "closed":
            plan = self.text.submission(self.state.world)
        else:
            message = self.state.turn.message if self.state.turn else ""
            plan = self.text.plan_fields(message)
        return {"instance": self.problem.name, **plan}

    def run(self) -> Run[_P, Any, _R]:
        """Return the run so far, replayed from its `submission`.

        Raises
        ------
        PlanError
            With an open loop, if the plan cannot be read.
        """
        return self.benchmark.run(self.problem, self.submission(), self.rules)

    def verdict(self) -> Replay:
        """Return the verdict of the rules on a closed-loop run so far, which grading confirms.

        Raises
        ------
        BenchmarkError
            If the verdict contradicts itself.
        """
        verdict = self.simulator.verdict(self.state.world)
        registry.check_verdict(self.problem, verdict)
        return verdict

    def messages(self) -> list[Message]:
        """Return the run so far as a chat: instructions, introduction, messages and answers."""
        chat = self.opening()
        for turn in self.turns:
            chat.append({"role": "assistant", "content": written_message(turn.message)})
            if turn.observation.text:
                chat.append({"role": "user", "content": turn.observation.text})
        return chat

    def opening(self) -> list[Message]:
        """Return the first messages of a run."""
        instructions, introduction = self.instructions(), self.introduction()
        return [{"role": "system", "content": instructions}, {"role": "user", "content": introduction}]

    def instructions(self) -> str:
        """Return the description of commands and answers, the same for all problems of the benchmark."""
        return self.text.instructions()

    def introduction(self) -> str:
        """Return the problem in words: tasks, resources, durations."""
        return self.text.introduction()


def written_message(message: object) -> str:
    """Return a message of the agent as text."""
    if isinstance(message, str):
        return message
    try:
        return json.dumps(message, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return f"({type(message).__name__})"


#: Any environment, whatever its benchmark.
AnyEnvironment: TypeAlias = Environment[Any, Any, Any]
