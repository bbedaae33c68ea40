"""AsyncTool: gold calls count in the turns that make them; every other message becomes a wait."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from planoracle.analysis.judges.common import given
from planoracle.analysis.repairs.common import Dropped, Reading, Wish
from planoracle.instances.asynctool import encode
from planoracle.instances.asynctool.language import MAX_MESSAGES, Said, messages, read_message
from planoracle.instances.asynctool.problem import Problem
from planoracle.instances.asynctool.profile import Profile
from planoracle.instances.asynctool.rules import as_replay, replay
from planoracle.instances.model import Instance
from planoracle.instances.schedule import Piece, Schedule

__all__ = ["AsyncToolReader"]


class AsyncToolReader:
    """Reads under one profile; messages after the closing one count as well."""

    names: tuple[str, ...] = ("turns", "plan")

    def __init__(self, rules: Profile) -> None:
        self.rules = rules
        self._limited: dict[int, tuple[Instance, Instance]] = {}  # by identity: instances may share a name

    def read(self, instance: Instance, submission: dict[str, Any]) -> Reading:
        """Read ``submission["turns"]`` (or ``"plan"``)."""
        turns = given(submission, *self.names)
        said = messages(turns)
        problem = encode.problem_of(instance)
        run = as_replay(replay(problem, said, self.rules))
        left = _gold(problem)
        closed = False
        wishes, dropped = [], []
        for turn, message in enumerate(said):
            read = read_message(message, self.rules)
            if read.kind == "wait":
                continue
            name = encode.CLOSE if read.kind == "close" else _take(left, read)
            if name is None or (read.kind == "close" and closed):
                reason = {"call": "is none of the calls to make", "close": "closes again"}.get(read.kind, read.reason)
                dropped.append(Dropped(turn, str(read.call or read.text)[:200], reason))
                continue
            closed = closed or read.kind == "close"
            wishes.append(Wish(turn, name, Piece(name, turn, 1, instance.agents[0])))
        return Reading(self._problem(instance), turns, run, tuple(wishes), tuple(dropped))

    def write(self, instance: Instance, schedule: Schedule) -> list[dict[str, Any]]:
        """Write a schedule as messages."""
        return encode.transcript(encode.problem_of(instance), schedule)

    def _problem(self, instance: Instance) -> Instance:
        """Return the instance with a limit: a longer transcript would not be read."""
        if id(instance) not in self._limited:
            self._limited[id(instance)] = instance, replace(instance, time_limit=MAX_MESSAGES)
        return self._limited[id(instance)][1]


_Left = dict[str, list[tuple[Any, str]]]


def _gold(problem: Problem) -> _Left:
    """Return the calls to make, by sub-task: what is said, and the action."""
    return {
        task.id: [(call.key, f"{task.id}/{number} {call.name}") for number, call in enumerate(task.gold, 1)]
        for task in problem.tasks
    }


def _take(left: _Left, said: Said) -> str | None:
    """Return the first action not yet taken that a call stands for."""
    for entry in left.get(said.task, ()):
        if said.call is not None and entry[0] == said.call.key:
            left[said.task].remove(entry)
            return entry[1]
    return None
