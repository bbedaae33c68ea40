"""What a replay of a plan by the rules yields, in one form for every benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["Event", "Replay", "Violation"]


class Violation(NamedTuple):
    """One broken rule.

    ``position`` is that of the command in order of execution, ``None`` for a fault of the plan
    as a whole (a missing action); ``kind`` a name from the benchmark's list; ``subject`` the action
    (or name as written) concerned.
    """

    position: int | None
    kind: str
    subject: str
    message: str

    def as_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {"index": self.position, "kind": self.kind, "subject": self.subject, "message": self.message}


class Event(NamedTuple):
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

    events: tuple[Event, ...]
    violations: tuple[Violation, ...]
    fatal: Violation | None
    executed: int
    progress: float
    goal_ratio: float
    success: bool
    makespan: int
    remaining: dict[str, int]
    idle: tuple[tuple[int, int], ...]
