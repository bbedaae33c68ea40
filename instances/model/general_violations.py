"""Violations of the general rules, and messages for their kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from planoracle.instances.model.schedule import Piece
from planoracle.instances.model.violations import Measure, Other, Violation, message_of

#: Messages by kind or case, in the syntax of ``str.format`` for the violation ``v``.
_MESSAGES = {
    "unknown_action": "there is no such action",
    "wrong_mode": "mode must be from 0 to {v.required}, not {v.actual}",
    "other_mode": "the mode changes between pieces",
    "ineligible_agent": "needs one of {v.names}, not {v.actual}",
    "no_agent": "needs no agent, not {v.actual}",
    "other_agent": "the agent changes between pieces",
    "release": "starts at {v.actual}, before {v.required}",
    "deadline": "ends at {v.actual}, after the deadline {v.required}",
    "window": "lies in none of the windows {v.names}",
    "time_limit": "ends at {v.actual}, after {v.required}",
    "action_duration": "runs {v.actual} ticks, needs {v.required}",
    "no_duration": "a piece must last at least one tick",
    "interruptibility": "must run in one piece",
    "overlap": "two pieces of the action overlap",
    "pause": "pauses from {v.required} to {v.actual}, which is not a break",
    "missing_action": "is never carried out",
    "budget": "{v.actual} units of {v.resource} would be used up, of {v.required}",
    "agent_busy": "{v.resource} is still busy with {v.others[0].subject} until {v.required}",
    "too_early": "starts at {v.actual}, but it is already {v.required}",
    "start_attended": "{v.resource} cannot start it during {v.others[0].subject} ({v.others[0].start} to {v.required})",
    "resource_capacity": "{v.actual} units of {v.resource} would be in use, capacity {v.required}",
    "resource_state": "needs {v.resource} to be {v.required}, not {v.actual}",
    "no_way": "{v.resource} has no way from {v.required[0]} to {v.required[1]}",
    "tied_visits": "{v.resource} cannot make the {v.actual} visits at {v.start} in any order",
    "too_many_visits": "{v.resource} makes more than {v.required} visits at {v.start}",
    "order": "starts at {v.start}, before {v.others[0].subject} is finished",
}


def _off_message(off: Violation) -> str:
    relation = "is started" if off.case == "start_off" else "runs"
    until = "on" if off.required is None else f"to {off.required}"
    return f"{relation} while {off.resource} is off from {off.actual} {until}"


def _transition_message(transition: Violation) -> str:
    if not transition.others:
        return f"starts at {transition.actual}, but {transition.resource} cannot begin it before {transition.required}"
    earlier = transition.others[0].subject
    needs = f"{transition.resource} needs {transition.required} ticks after {earlier}"
    return f"starts at {transition.start}, but {needs}, not {transition.actual}"


def _minimum_lag_message(lag: Violation) -> str:
    before = lag.others[0]
    if before.end is None:
        return f"starts at {lag.start}, before {before.subject} is carried out"
    earliest_start = f"{_lag_end(lag)} is the earliest start"
    return f"starts at {lag.start}, but {earliest_start} after {before.subject}"


def _maximum_lag_message(lag: Violation) -> str:
    latest_start = f"{_lag_end(lag)} is the latest start"
    return f"starts at {lag.start}, but {latest_start} after {lag.others[0].subject}"


def _lag_end(lag: Violation) -> int:
    """Return the tick at which a time lag ends."""
    end = lag.others[0].end
    required = lag.required
    return cast(int, end) + cast(int, required)


#: Functions that write the messages of the other kinds.
_MESSAGE_FUNCTIONS: dict[str, Callable[[Violation], str]] = {
    "off_time": _off_message,
    "start_off": _off_message,
    "transition": _transition_message,
    "minimum_lag": _minimum_lag_message,
    "maximum_lag": _maximum_lag_message,
}


class GeneralViolation(Violation):
    """A violation of the general rules."""

    __slots__ = ()

    @property
    def message(self) -> str:
        """Message of the kind or case."""
        return message_of(self, _MESSAGES, _MESSAGE_FUNCTIONS)


def fault(
    kind: str,
    index: int,
    piece: Piece,
    conflicts: tuple[Other, ...] = (),
    *,
    resource: str | None = None,
    required: Measure = None,
    actual: Measure = None,
    case: str = "",
) -> GeneralViolation:
    """Return a violation of a piece."""
    name, start, duration = piece[:3]
    end = start + duration
    return GeneralViolation(index, kind, name, case, start, end, conflicts, resource, required, actual)


def other_of(piece: Piece) -> Other:
    """Return a piece as the other action of a violation."""
    return Other(piece.action, piece.start, piece.start + piece.duration)
