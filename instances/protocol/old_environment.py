"""Base class of live runs of benchmarks without a simulator; goes when the last of them has one."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import (
    USUAL,
    CommandOutcome,
    Message,
    Observation,
    Reward,
    RunConfig,
    Snapshot,
    Transition,
    Turn,
)
from planoracle.instances.protocol.feedback import quoted
from planoracle.instances.protocol.plan import FAULTS
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.run import Run
from planoracle.instances.protocol.simulator import LegalCommand

if TYPE_CHECKING:
    from planoracle.instances.protocol.benchmark import AnyBenchmark

_P = TypeVar("_P", bound=Problem)
_R = TypeVar("_R", bound=Rules)
_S = TypeVar("_S")


class OldEnvironment(ABC, Generic[_P, _R, _S]):
    """One live run of an agent, independent of other runs.

    Parameters
    ----------
    problem, rules
        Problem and rules of the run.
    config
        See `RunConfig`.
    reward
        Reward of the steps; without one every reward is 0.

    Notes
    -----
    Created by `planoracle.environment`. Subclasses define the state by the abstract methods.
    """

    def __init__(self, problem: _P, rules: _R, config: RunConfig = USUAL, reward: Reward | None = None) -> None:
        for name, values in (("loop", ("closed", "open")), ("feedback", ("terse", "detailed"))):
            if getattr(config, name) not in values:
                raise InputError(f"must be one of {', '.join(values)}", field=name, value=getattr(config, name))
        self.problem = problem
        self.rules = rules
        self.config = config
        self.reward = reward
        self.reset()

    @property
    def benchmark(self) -> AnyBenchmark:
        """Benchmark of the problem."""
        return registry.of(self.problem)

    # Steps

    def reset(self, seed: int | None = None) -> Observation:
        """Restart the run and return the first observation.

        ``seed`` is accepted for agent frameworks and ignored: nothing in these benchmarks is random.
        """
        self.state: Snapshot[_S] = Snapshot(self._begin())
        if self.reward is not None:
            self.state = Snapshot(self.state.world, memo=self.reward.begin(self))  # type: ignore[arg-type]
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
        before = self.state
        over: str | None
        if self.config.loop == "open":
            world, outcomes = self._whole(before.world, message)
            over = "handed_in" if self._counts(world) else None
        else:
            world, outcomes = self._take(before.world, message)
            over = self._over(world)
        if over is None and self.config.limit is not None and before.count + 1 >= self.config.limit:
            over = "message_limit"
        observation = Observation(
            partial(self._answer, world, outcomes, over), self._clock(world), self._player(world), over
        )
        turn = Turn(message, outcomes, observation, before.turn)
        self.state = Snapshot(world, turn, before.count + 1, over, before.memo)
        return self._transition(observation, outcomes)

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

    def _transition(self, observation: Observation, outcomes: tuple[CommandOutcome, ...]) -> Transition:
        """Return the transition to the current state, and store the state of the reward."""
        if self.reward is None:
            return Transition(observation, 0.0, self.done, outcomes, {})
        value, memo, info = self.reward.after(self, self.state.memo)  # type: ignore[arg-type]
        self.state = replace(self.state, memo=memo)
        return Transition(observation, value, self.done, outcomes, info)

    @property
    def done(self) -> bool:
        """True if the run is over."""
        return self.state.over is not None

    @property
    def observation(self) -> Observation:
        """Last observation of the agent."""
        world, turn = self.state.world, self.state.turn
        return turn.observation if turn else Observation(self.introduction, self._clock(world), self._player(world))

    def legal(self) -> Sequence[LegalCommand]:
        """Return all commands that the rules allow now, in a fixed order; none once the run is over."""
        return () if self.done else self._legal(self.state.world)

    def situation(self) -> str:
        """Return the current situation in words, for agents that do not see earlier answers."""
        return self._situation(self.state.world)

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
        turns, turn = [], self.state.turn
        while turn is not None:
            turns.append(turn)
            turn = turn.before
        return turns[::-1]

    def submission(self) -> dict[str, object]:
        """Return the run so far as a record that ``grade`` reads, without ``id``."""
        plan = self._open_plan() if self.config.loop == "open" else self._handed_in()
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
        """Return the run so far as a chat: instructions, introduction, messages and answers."""
        chat = self.opening()
        for turn in self.turns:
            chat += self._exchange(turn)
        return chat

    def opening(self) -> list[Message]:
        """Return the first messages of a run."""
        return [
            {"role": "system", "content": self.instructions()},
            {"role": "user", "content": self.introduction()},
        ]

    # Defined by each benchmark

    @abstractmethod
    def instructions(self) -> str:
        """Return the description of commands and answers, the same for all problems of the benchmark."""

    @abstractmethod
    def introduction(self) -> str:
        """Return the problem in words: tasks, resources, durations."""

    @abstractmethod
    def _begin(self) -> _S:
        """Return the state before the first message; immutable, or never changed in place."""

    @abstractmethod
    def _take(self, world: _S, message: object) -> tuple[_S, tuple[CommandOutcome, ...]]:
        """Return the state after a message and the results of its commands; never raises for its content."""

    @abstractmethod
    def _over(self, world: _S) -> str | None:
        """Return the reason why the run has ended, if it has."""

    @abstractmethod
    def _clock(self, world: _S) -> int:
        """Return the time in ticks."""

    @abstractmethod
    def _legal(self, world: _S) -> Sequence[LegalCommand]:
        """Return all commands that the rules allow."""

    @abstractmethod
    def _handed_in(self) -> dict[str, object]:
        """Return the run so far as the fields of a submission."""

    def _situation(self, world: _S) -> str:
        """Return the situation in words."""
        return f"{self._clock(world)} {self.problem.unit}s have passed."

    def _player(self, world: _S) -> str | None:
        """Return the agent whose turn it is, where there are several."""
        return None

    def _answer(self, world: _S, outcomes: Sequence[CommandOutcome], over: str | None) -> str:
        """Return the answer to a message. Called later, if at all, so it depends on the arguments only."""
        detailed = self.config.feedback == "detailed"
        lines = [one.text if detailed and one.text else _terse(one) for one in outcomes]
        return "\n".join(lines + ([f"The run is over: {over.replace('_', ' ')}."] if over else []))

    def _exchange(self, turn: Turn) -> list[Message]:
        """Return a turn as messages: that of the agent and the answer."""
        answer = [{"role": "user", "content": turn.observation.text}] if turn.observation.text else []
        return [{"role": "assistant", "content": _text_of(turn.message)}, *answer]

    # Whole plans

    def _open_plan(self) -> dict[str, object]:
        turn = self.state.turn
        return self._plan_of(turn.message if turn else "")

    def _plan_of(self, message: object) -> dict[str, object]:
        return {self.benchmark.plan_fields[0]: message}

    def _counts(self, world: _S) -> bool:
        """Return True if a whole plan counts, so that there is no second try."""
        return True

    def _whole(self, world: _S, message: object) -> tuple[_S, tuple[CommandOutcome, ...]]:
        """Return the state after a whole plan and the results of its commands; never raises for its content."""
        plan = {"instance": self.problem.name, **self._plan_of(message)}
        try:
            run = self.benchmark.run(self.problem, plan, self.rules)
            if run.plan.fault:
                raise PlanError(FAULTS[run.plan.fault])
        except PlanError as error:
            return world, (
                CommandOutcome(
                    _text_of(message)[:200], "lost", 0, 0, "unreadable", f"Not understood: {quoted(str(error), 300)}"
                ),
            )
        return world, tuple(
            CommandOutcome(one.command, one.kind, one.start, one.end, one.violation and one.violation.kind)
            for one in run.steps
        )


def _text_of(message: object) -> str:
    if isinstance(message, str):
        return message
    try:
        return json.dumps(message, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return f"({type(message).__name__})"


def _terse(one: CommandOutcome) -> str:
    done = one.violation is None and one.kind != "lost"
    return f"{quoted(one.command, 80)}: {'done' if done else 'refused'}"
