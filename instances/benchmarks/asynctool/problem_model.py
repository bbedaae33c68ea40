"""AsyncTool problems: sub-tasks with their reference calls, and how long results take."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

from planoracle.instances.benchmarks.asynctool.calls import Call
from planoracle.instances.benchmarks.asynctool.families import family_of
from planoracle.instances.errors import UnknownNameError

#: Longest delay, in turns.
MAX_DELAY = 1_000


@dataclass(frozen=True)
class Delays:
    """Delays of results: the result of a call in turn t with delay d can be used in turn t + 1 + d.

    Attributes
    ----------
    least, most
        Every call of a sub-task has a delay of its own from this range, drawn from ``seed``, the sub-task's
        id and the number of the call within the sub-task; so a plan cannot change the delays it meets.
    tools
        Delays of single tools, which go before.
    """

    least: int = 1
    most: int = 1
    seed: int = 0
    tools: Mapping[str, int] = field(default_factory=dict)

    @property
    def constant(self) -> bool:
        """True if all calls have the same delay."""
        return self.least == self.most and all(delay == self.least for delay in self.tools.values())

    def of(self, task: str, number: int, tool: str) -> int:
        """Return the delay of the call with a number (from 0) within its sub-task."""
        if tool in self.tools:
            return self.tools[tool]
        if self.least == self.most:
            return self.least
        digest = blake2b(f"{self.seed}/{number}/{task}".encode(errors="backslashreplace"), digest_size=8).digest()
        return self.least + int.from_bytes(digest, "big") % (self.most - self.least + 1)

    @classmethod
    def parse(cls, text: str) -> Delays:
        """Read ``1``, ``0-2`` or ``0-2:seed``; raises `UnknownNameError`.

        >>> Delays.parse("0-1:7")
        Delays(least=0, most=1, seed=7, tools={})
        """
        match = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4})(?::(\d{1,9}))?)?", text, re.ASCII)
        least = int(match[1]) if match else 1
        most = int(match[2]) if match and match[2] else least
        if not match or not least <= most <= MAX_DELAY:
            raise UnknownNameError("must be turns, a range or range:seed (1, 0-1, 1-2:7)", field="delay", value=text)
        return cls(least, most, int(match[3] or 0))

    def __str__(self) -> str:
        if self.least == self.most:
            return str(self.least)
        return f"{self.least}-{self.most}" + (f":{self.seed}" if self.seed else "")


@dataclass(frozen=True)
class ReferenceResults:
    """Results of the reference calls of a sub-task in order, and the final state."""

    results: tuple[Any, ...]
    state: Any


@dataclass(frozen=True)
class SubTask:
    """One of the tasks an agent works on at the same time.

    Attributes
    ----------
    id
        Which the agent must give with every call.
    question
        What the agent is asked to do.
    reference_calls
        The calls that do it, in order (the ground truth).
    family
        Its executor, see `planoracle.instances.benchmarks.asynctool.families.family_of`.
    documents
        Documents of the tools offered, by name.
    initial
        State to begin with.
    """

    id: str
    question: str
    reference_calls: tuple[Call, ...]
    family: str | None
    documents: dict[str, dict[str, Any]]
    initial: dict[str, Any]

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """Names of the reference calls as actions of an instance: ``task/number function``, numbered from 1."""
        return tuple(f"{self.id}/{number} {call.name}" for number, call in enumerate(self.reference_calls, 1))

    @cached_property
    def solved(self) -> ReferenceResults:
        """Results and final state of the reference calls."""
        executor = family_of(self.family)(self.initial)
        results = tuple(executor.call(call.name, call.params) for call in self.reference_calls)
        return ReferenceResults(results, executor.state())


@dataclass(frozen=True)
class AsyncToolProblem:
    """Sub-tasks to be carried out at the same time, one call a turn."""

    name: str
    tasks: tuple[SubTask, ...]
    delays: Delays = field(default_factory=Delays)

    @cached_property
    def by_id(self) -> dict[str, SubTask]:
        """Sub-tasks by id."""
        return {task.id: task for task in self.tasks}

    @cached_property
    def reference_delays(self) -> dict[str, tuple[int, ...]]:
        """Delay of every reference call, by sub-task."""
        return {
            task.id: tuple(self.delays.of(task.id, i, call.name) for i, call in enumerate(task.reference_calls))
            for task in self.tasks
        }
