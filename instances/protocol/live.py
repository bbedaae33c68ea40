"""Texts of live runs: instructions and answers for agents, and commands in their messages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.schedule import Piece
from planoracle.instances.model.violations import Violation
from planoracle.instances.protocol.environment import RunConfig, written_message
from planoracle.instances.protocol.feedback import Words, quoted, sentence
from planoracle.instances.protocol.plan import FAULTS
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.simulator import Step

if TYPE_CHECKING:
    from planoracle.instances.protocol.benchmark import AnyBenchmark

_P = TypeVar("_P", bound=Problem)
_R = TypeVar("_R", bound=Rules)
_S = TypeVar("_S")


def text_of(message: object) -> str:
    """Return the text of a message, also of a chat message; never raises.

    Reasoning in ``<think>`` is left out. A message without text is empty.

    Parameters
    ----------
    message
        Message to a live run.

    Examples
    --------
    >>> text_of({"role": "assistant", "content": "<think>Step(9, Tacos, 0)?</think>Finish"}), text_of(None)
    ('Finish', '')
    """
    if isinstance(message, Mapping):
        message = message.get("content")
    return message.rpartition("</think>")[2] if isinstance(message, str) else ""


class LiveText(ABC, Generic[_P, _R, _S]):
    """Texts of the live runs of a benchmark: instructions and answers, and commands in messages.

    Parameters
    ----------
    problem, rules, config
        Those of the run.
    simulator
        Simulator of the run.

    Attributes
    ----------
    benchmark
        Benchmark of the problem.
    """

    benchmark: AnyBenchmark

    def __init__(self, problem: _P, rules: _R, config: RunConfig, simulator: Any) -> None:
        self.problem = problem
        self.rules = rules
        self.config = config
        self.simulator = simulator

    @property
    def time_limit(self) -> int | None:
        """Ticks to which submissions of the run limit it; ``None`` for the limit of the problem."""
        return None

    @abstractmethod
    def instructions(self) -> str:
        """Return the description of commands and answers, the same for all problems of the benchmark."""

    @abstractmethod
    def introduction(self) -> str:
        """Return the problem in words: tasks, resources, durations."""

    @abstractmethod
    def command(self, state: _S, message: object) -> Any:
        """Return the command of a message, for the simulator; never raises.

        Messages without a command are `Unreadable`; `CLOSE` ends the run.
        """

    @abstractmethod
    def submission(self, state: _S) -> dict[str, object]:
        """Return the run so far as the fields of a submission."""

    def take(self, state: _S, message: object) -> tuple[_S, tuple[Step, ...]]:
        """Apply the command of a message, see `Simulator.apply`."""
        return self.simulator.apply(state, self.command(state, message))  # type: ignore[no-any-return]

    def limit_reached(self, state: _S) -> str | None:
        """Return the limit outside the rules at which a run ends, if it is reached."""
        return None

    def player(self, state: _S) -> str | None:
        """Return the agent whose turn it is, where there are several."""
        return None

    # Answers. They are written when somebody reads them, so they depend on the arguments only.

    def situation(self, state: _S) -> str:
        """Return the situation in words."""
        return f"{self.simulator.clock(state)} {self.problem.unit}s have passed."

    def step_text(self, before: _S, after: _S, step: Step) -> str:
        """Return the effect of a command in detail, ``""`` for none."""
        return ""

    def answer(self, before: _S, after: _S, steps: Sequence[Step], over: str | None) -> str:
        """Return the answer to a message."""
        texts = [""] * len(steps)
        if self.config.feedback == "detailed" and self.config.loop == "open":
            texts = [self.plan_text(step) for step in steps]
        elif self.config.feedback == "detailed":
            texts = [self.step_text(before, after, step) for step in steps]
        lines = [text or terse(step) for text, step in zip(texts, steps, strict=True)]
        return "\n".join([*lines, *ending(over)])

    # Whole plans

    def plan_fields(self, message: object) -> dict[str, object]:
        """Return a whole plan as the fields of a submission."""
        return {self.benchmark.plan_fields[0]: message}

    def is_final(self, state: _S) -> bool:
        """Return True if a whole plan counts, so that there is no second try."""
        return True

    def take_plan(self, state: _S, message: object) -> tuple[_S, tuple[Step, ...]]:
        """Return the state after a whole plan and the steps of its commands; never raises for its content."""
        plan = {"instance": self.problem.name, **self.plan_fields(message)}
        try:
            run = self.benchmark.run(self.problem, plan, self.rules)
            if run.plan.fault:
                raise PlanError(FAULTS[run.plan.fault])
        except PlanError as error:
            subject = written_message(message)[:200]
            fault = Violation(None, "unreadable", subject, actual=str(error))
            return state, (Step(0, subject, "lost", 0, 0, fault),)
        return state, tuple(run.steps)

    def plan_text(self, step: Step) -> str:
        """Return why a whole plan is not understood, ``""`` for its steps."""
        fault = step.violation
        if not fault or fault.kind != "unreadable":
            return ""
        return f"Not understood: {quoted(str(fault.actual), 300)}"


def ending(over: str | None) -> list[str]:
    """Return the last line of a run, if it is over."""
    return [f"The run is over: {over.replace('_', ' ')}."] if over else []


def terse(step: Step) -> str:
    """Return whether a command was carried out."""
    is_refused = step.violation or step.kind == "lost"
    return f"{quoted(step.command, 80)}: {'refused' if is_refused else 'done'}"


class ScheduleText(LiveText[Instance, _R, _S]):
    """Texts of live runs whose commands state start times, so that a later start is a wait."""

    @cached_property
    def words(self) -> Words:
        """Names of actions and times."""
        return Words(self.problem, self.benchmark)

    def running(self, state: _S) -> Iterable[Piece]:
        """Return the running pieces, for `situation`."""
        return ()

    def situation(self, state: _S) -> str:
        """Return the time and the running actions in words."""
        name, moment = self.words.name, self.words.moment
        running = []
        for piece in self.running(state):
            name_of_piece = name(piece.action)
            end = moment(piece.end)
            running.append(f"{name_of_piece} (until {end})")
        goes_on = f" Under way: {', '.join(running)}." if running else ""
        time = sentence(f"it is {moment(self.simulator.clock(state))}")
        return f"{time}{goes_on}"

    def answer(self, before: _S, after: _S, steps: Sequence[Step], over: str | None) -> str:
        """Return the results of the commands other than waits, and with detailed feedback the situation."""
        without_waits = [step for step in steps if step.kind != "wait"]
        text = super().answer(before, after, without_waits, over)
        has_situation = over is None and self.config.feedback != "terse"
        return f"{text}\n{self.situation(after)}" if has_situation else text
