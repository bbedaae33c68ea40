"""Clauses of the general rules, each as a condition of the violations that it yields."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.violations import Violation

Clause = Callable[[Instance, Violation], bool]


def _is(kind: str, case: str, _: Instance, violation: Violation) -> bool:
    return (violation.kind, violation.case) == (kind, case)


def _has_kind(kind: str, _: Instance, violation: Violation) -> bool:
    return violation.kind == kind


def _concerns_agent(kind: str, instance: Instance, violation: Violation) -> bool:
    return violation.kind == kind and violation.resource in instance.agents


def _concerns_resource(kind: str, instance: Instance, violation: Violation) -> bool:
    return violation.kind == kind and violation.resource in instance.resource


def _exceeds_capacity_alone(instance: Instance, violation: Violation) -> bool:
    return violation.kind == "resource_capacity" and not violation.others


def _is_first_way(_: Instance, violation: Violation) -> bool:
    return violation.kind == "transition" and not violation.others


def _is_rest_at_place(instance: Instance, violation: Violation) -> bool:
    """Return whether ticks from a place or family to itself are missing."""
    if violation.kind != "transition" or len(violation.others) != 1:
        return False
    before = instance.by_id[violation.others[0].subject]
    after = instance.by_id[violation.subject]
    return violation.resource in instance.agents and before.place == after.place


#: Clauses that only irregular runs violate, see `ModelSearch`.
IRREGULAR = {
    "two modes of an action",
    "agent that is not eligible",
    "another agent after a break",
    "wrong duration",
    "pieces of an action that must not pause",
    "pieces of an action at once",
    "pause while nothing is off",
    "missing action",
}
#: Clauses by what they forbid. An agent where none is needed never makes a schedule better, so that clause is omitted.
CLAUSES: dict[str, Clause] = {
    "two modes of an action": partial(_is, "wrong_mode", "other_mode"),
    "agent that is not eligible": partial(_is, "ineligible_agent", ""),
    "another agent after a break": partial(_is, "ineligible_agent", "other_agent"),
    "start before the release": partial(_has_kind, "release"),
    "end after the deadline": partial(_has_kind, "deadline"),
    "piece in no window": partial(_has_kind, "window"),
    "end after the time limit": partial(_has_kind, "time_limit"),
    "work while the agent is off": partial(_is, "off_time", ""),
    "start while the agent is off": partial(_is, "off_time", "start_off"),
    "use of a resource that is off": partial(_concerns_resource, "off_time"),
    "wrong duration": partial(_is, "action_duration", ""),
    "pieces of an action that must not pause": partial(_is, "interruptibility", ""),
    "pieces of an action at once": partial(_is, "interruptibility", "overlap"),
    "pause while nothing is off": partial(_has_kind, "pause"),
    "missing action": partial(_has_kind, "missing_action"),
    "more than a budget": partial(_has_kind, "budget"),
    "agent with two actions": partial(_has_kind, "agent_busy"),
    "start by a busy agent": partial(_has_kind, "start_attended"),
    "more than a capacity": partial(_has_kind, "resource_capacity"),
    "amount above a capacity": _exceeds_capacity_alone,
    "wrong state": partial(_has_kind, "resource_state"),
    "too little time for a way": partial(_concerns_agent, "transition"),
    "too little time for a set-up": partial(_concerns_resource, "transition"),
    "missing way": partial(_is, "transition", "no_way"),
    "no order of visits at an instant": partial(_is, "transition", "tied_visits"),
    "too little time for the first way": _is_first_way,
    "too little time between visits of a place": _is_rest_at_place,
    "start before the predecessor of a mode": partial(_is, "minimum_lag", "order"),
    "less than a minimum lag": partial(_is, "minimum_lag", ""),
    "more than a maximum lag": partial(_has_kind, "maximum_lag"),
}
