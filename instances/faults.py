"""What the general rules say of a schedule: the kinds of violation, and the words for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from planoracle.instances.replay import Measure, Other, Violation
from planoracle.instances.schedule import Piece

#: Pieces with their positions in the schedule.
Pieces = list[tuple[int, Piece]]

#: Kinds of violation of the general rules.
KINDS = (
    "unknown_action",
    "wrong_mode",
    "ineligible_agent",
    "release",
    "time_limit",
    "action_duration",
    "interruptibility",
    "missing_action",
    "agent_busy",
    "start_attended",
    "resource_capacity",
    "resource_state",
    "minimum_lag",
    "maximum_lag",
)

_MESSAGES: dict[str, Callable[[Violation], str]] = {
    "unknown_action": lambda _: "there is no such action",
    "wrong_mode": lambda v: f"mode must lie in 0..{v.required}, not {v.actual}",
    "other_mode": lambda _: "the mode changes between pieces",
    "ineligible_agent": lambda v: f"needs one of {v.names}, not {v.actual}",
    "no_agent": lambda v: f"needs no agent, not {v.actual}",
    "release": lambda v: f"starts at {v.actual}, before {v.required}",
    "time_limit": lambda v: f"ends at {v.actual}, after {v.required}",
    "action_duration": lambda v: f"runs {v.actual} ticks, needs {v.required}",
    "no_duration": lambda _: "a piece must last at least one tick",
    "interruptibility": lambda _: "must run in one piece",
    "overlap": lambda _: "two pieces of the action overlap",
    "missing_action": lambda _: "is never carried out",
    "agent_busy": lambda v: f"{v.resource or 'somebody'} is still busy{_with(v)} until {v.required}",
    "start_attended": lambda v: (
        f"{v.resource} cannot start it in the middle of {v.others[0].subject} ({v.others[0].start} to {v.required})"
    ),
    "resource_capacity": lambda v: f"{v.resource} would carry {v.actual} of {v.required}",
    "resource_state": lambda v: f"needs {v.resource} to be {v.required}, not {v.actual}",
    "order": lambda v: f"starts at {v.start}, before {v.others[0].subject} is finished",
    "minimum_lag": lambda v: (
        f"starts at {v.start}, before {v.others[0].subject} is carried out"
        if v.others[0].end is None
        else f"starts at {v.start}, earliest {_then(v)} after {v.others[0].subject}"
    ),
    "maximum_lag": lambda v: f"starts at {v.start}, latest {_then(v)} after {v.others[0].subject}",
}


def _with(busy: Violation) -> str:
    return f" with {busy.others[0].subject}" if busy.others else ""


def _then(lag: Violation) -> int:
    """Return when a time lag is over."""
    return cast(int, lag.others[0].end) + cast(int, lag.required)


class Fault(Violation):
    """A violation of the general rules."""

    __slots__ = ()

    @property
    def message(self) -> str:
        """What is said of it."""
        return _MESSAGES[self.case or self.kind](self)


def fault(
    kind: str,
    index: int,
    piece: Piece,
    others: tuple[Other, ...] = (),
    *,
    resource: str | None = None,
    required: Measure = None,
    actual: Measure = None,
    case: str = "",
) -> Fault:
    """Return a violation of a piece."""
    name, start, duration = piece[:3]
    return Fault(index, kind, name, case, start, start + duration, others, resource, required, actual)


def other_of(piece: Piece) -> Other:
    """Return a piece as what stands against another."""
    return Other(piece.action, piece.start, piece.start + piece.duration)
