"""Violations, events and verdicts of a replay, in one form for every benchmark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

#: Most other actions of a violation, and most required names in its text.
MAX_OTHERS, MAX_NAMES = 8, 50

#: Required or actual value of a rule: ticks, units, a name, or names.
Measure: TypeAlias = int | str | tuple[str, ...] | None


class Other(NamedTuple):
    """Another action in a violation, and when it runs (ticks; ``None``: never, or unknown).

    Attributes
    ----------
    subject
        Name of the action.
    start, end
        Ticks; ``None``: never, or unknown.
    """

    subject: str
    start: int | None = None
    end: int | None = None


class Violation(NamedTuple):
    """Violation of one rule.

    Attributes
    ----------
    position
        Position of the command in order of execution, from 0; ``None`` for a fault of the whole plan (a missing
        action).
    kind
        A name from the benchmark's list.
    subject
        The action, or the name as written.
    case
        Case of the kind, if its cases have different messages.
    start, end
        Ticks; when the command runs.
    others
        Conflicting actions: the prerequisite, those that run at the same time, or the earlier one. At most
        `MAX_OTHERS`.
    resource
        The agent, object, tool or resource.
    required, actual
        Value that the rule requires, and value in the plan.
    """

    position: int | None
    kind: str
    subject: str
    case: str = ""
    start: int | None = None
    end: int | None = None
    others: tuple[Other, ...] = ()
    resource: str | None = None
    required: Measure = None
    actual: Measure = None

    @property
    def message(self) -> str:
        """Short message; subclasses have a table of messages by case."""
        return (self.case or self.kind).replace("_", " ")

    @property
    def excess(self) -> int | None:
        """Difference between the required and the actual value, if both are numbers."""
        if isinstance(self.required, int) and isinstance(self.actual, int):
            return abs(self.actual - self.required)
        return None

    @property
    def names(self) -> str:
        """Required names, in one line."""
        if not isinstance(self.required, tuple):
            return str(self.required)
        return ", ".join(self.required[:MAX_NAMES])[:300]

    def as_dict(self) -> dict[str, Any]:
        """Return the fields for JSON; empty fields from ``start`` on are omitted."""
        index, kind, subject, _, start, end, conflicts, resource, required, actual = self
        row: dict[str, Any] = {"index": index, "kind": kind, "subject": subject, "message": self.message}
        if start is not None:
            row["start"] = start
            row["end"] = end
        if conflicts:
            row["others"] = [list(conflict) for conflict in conflicts]
        if resource is not None:
            row["resource"] = resource
        if required is not None:
            row["required"] = _json_value(required)
        if actual is not None:
            row["actual"] = _json_value(actual)
        return row


def message_of(
    violation: Violation, messages: Mapping[str, str], functions: Mapping[str, Callable[[Violation], str]]
) -> str:
    """Return the message of the case or kind of a violation, whose fields it names by ``v``.

    ``functions`` write the messages that are no plain texts.
    """
    case = violation.case or violation.kind
    write = functions.get(case)
    return messages[case].format(v=violation) if write is None else write(violation)


def _json_value(measure: Measure) -> object:
    """Return a value for JSON, of many names the first ones."""
    return list(measure[:MAX_NAMES]) if isinstance(measure, tuple) else measure


class ReplayEvent(NamedTuple):
    """Command that was accepted or rejected, and the share of work done after it.

    Attributes
    ----------
    position
        Position of the command, from 0.
    subject
        Action of the command.
    start, end
        Ticks.
    accepted
        True if the rules carried it out.
    progress
        Share of the work done after it.
    """

    position: int
    subject: str
    start: int
    end: int
    accepted: bool
    progress: float


@dataclass(frozen=True, slots=True)
class Replay:
    """Verdict of the rules on one plan. Times in ticks.

    Attributes
    ----------
    events
        One per command the run reached, in order of execution.
    violations
        All violations of the whole plan. After a rejected command, the replay continues as if the command had been
        carried out, so that later faults are reported, too.
    fatal
        The violation at which the run ends, or ``None``.
    executed
        Commands carried out before that.
    progress, goal_ratio
        Share of actions, and of tasks, done when the run ends.
    success
        Every task done and, unless the plan was handed in answer by answer, no fatal violation.
    makespan
        Latest end of a command carried out (also for failed plans).
    remaining
        Ticks left of every action not done when the run ends.
    idle
        Intervals in which no agent is busy, of the whole plan up to its end.
    """

    events: tuple[ReplayEvent, ...]
    violations: tuple[Violation, ...]
    fatal: Violation | None
    executed: int
    progress: float
    goal_ratio: float
    success: bool
    makespan: int
    remaining: dict[str, int]
    idle: tuple[tuple[int, int], ...]

    @property
    def progress_over_time(self) -> list[tuple[int, float]]:
        """Ticks at which work ends, each with the share of the work done by then.

        The last tick is the makespan.
        """
        gains: dict[int, float] = {}
        before = 0.0
        for event in self.events:
            gains[event.end] = gains.get(event.end, 0.0) + event.progress - before
            before = event.progress
        progress = 0.0
        points: list[tuple[int, float]] = []
        for end, gain in sorted(gains.items()):
            progress += gain
            if gain:
                points.append((end, round(progress, 9)))
        if not points or points[-1][0] < self.makespan:
            points.append((self.makespan, round(progress, 9)))
        return points

    @property
    def contradiction(self) -> str:
        """Contradiction between the parts of the verdict in words, ``""`` if there is none."""
        return self._value_fault() or (self._success_fault() if self.success else "")

    def _value_fault(self) -> str:
        """Return the part with a value that no verdict has."""
        for name in ("progress", "goal_ratio"):
            share = getattr(self, name)
            if not isinstance(share, int | float) or not 0 <= share <= 1:
                return f"{name} is {share!r}, not a share from 0 to 1"
        for name in ("makespan", "executed"):
            number = getattr(self, name)
            if not isinstance(number, int) or number < 0:
                return f"{name} is {number!r}, not a whole number from 0 on"
        if self.fatal is not None and self.fatal not in self.violations:
            return f"the fatal violation {self.fatal.kind!r} is not among the violations"
        return ""

    def _success_fault(self) -> str:
        """Return the part that contradicts a success."""
        if self.fatal is not None:
            return f"success, with the fatal violation {self.fatal.kind!r} of {self.fatal.subject}"
        if self.goal_ratio < 1:
            return f"success, with goal_ratio {self.goal_ratio:g}"
        unfinished = next((name for name, ticks in self.remaining.items() if ticks), None)
        return "" if unfinished is None else f"success, although {unfinished} is not done"
