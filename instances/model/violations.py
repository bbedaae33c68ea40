"""What a replay of a plan by the rules yields, in one form for every benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

#: Most other actions that a violation tells of, and most names of what is required that it writes.
MAX_OTHERS, MAX_NAMES = 8, 50

#: What a rule asks for, or a plan has: ticks, units, a name, or names.
Measure: TypeAlias = int | str | tuple[str, ...] | None


class Other(NamedTuple):
    """Another action that has to do with a violation, and when it runs (ticks; ``None``: never, or not known)."""

    subject: str
    start: int | None = None
    end: int | None = None


class Violation(NamedTuple):
    """One broken rule, and what the rules knew of it.

    Attributes
    ----------
    position
        Of the command in order of execution, from 0; ``None`` for a fault of the plan as a whole (a missing action).
    kind
        A name from the benchmark's list.
    subject
        The action concerned, or the name as written.
    case
        Which case of the kind it is, where they are told in different words.
    start, end
        Ticks; when the command runs.
    others
        What stands against it: the prerequisite, what runs at the same time, what came first. At most `MAX_OTHERS`.
    resource
        The agent, object, tool or resource concerned.
    required, actual
        What the rule asks for and what the plan has.
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
        """What is said of it in a few words; every benchmark's own violations have a table of these, by case."""
        return (self.case or self.kind).replace("_", " ")

    @property
    def excess(self) -> int | None:
        """By how much the rule is missed, if both sides are numbers."""
        known = isinstance(self.required, int) and isinstance(self.actual, int)
        return abs(self.actual - self.required) if known else None  # type: ignore[operator]

    @property
    def names(self) -> str:
        """The names that are required, in a line."""
        return ", ".join(self.required[:MAX_NAMES])[:300] if isinstance(self.required, tuple) else str(self.required)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields for JSON; of those from ``start`` on, only the ones that this violation has."""
        index, kind, subject, _, start, end, others, resource, required, actual = self
        row: dict[str, Any] = {"index": index, "kind": kind, "subject": subject, "message": self.message}
        if start is not None:
            row["start"] = start
            row["end"] = end
        if others:
            row["others"] = [list(other) for other in others]
        if resource is not None:
            row["resource"] = resource
        if required is not None:
            row["required"] = list(required[:MAX_NAMES]) if isinstance(required, tuple) else required
        if actual is not None:
            row["actual"] = list(actual[:MAX_NAMES]) if isinstance(actual, tuple) else actual
        return row


class ReplayEvent(NamedTuple):
    """One command as the rules saw it: carried out or refused, and the share of work done after it."""

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
        All violations of the whole plan: after a refused command the replay goes on as if the
        command had been carried out, so that faults further on are found too.
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
