"""Checks of deadlines, windows, calendars, transitions, optional tasks and budgets of instances."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from math import lcm
from typing import TYPE_CHECKING, Any

from planoracle.instances.errors import InputError
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.value_checks import (
    MAX_SPANS,
    Faults,
    count_faults,
    name_faults,
    number_faults,
    span_faults,
)
from planoracle.instances.text import one_of

if TYPE_CHECKING:
    from planoracle.instances.model.calendars import Calendar
    from planoracle.instances.model.instance import Action, Demand, Instance, Resource, Variant
    from planoracle.instances.model.transitions import Transitions

#: Largest least common multiple of the periods of all calendars, in ticks; horizons and models grow with it.
MAX_PERIOD = 10**7
#: Most times between places or families in one table of transitions.
MAX_TIMES = 1_000_000


def table_faults(instance: Instance) -> Faults:
    """Yield the faults of the start time, optional tasks, calendars and transitions."""
    if instance.start_time is not None:
        yield from _start_time_faults(instance)
    if instance.optional:
        yield from _optional_faults(instance)
    if instance.calendars:
        yield from _calendar_faults(instance)
    if instance.transitions:
        yield from _transition_faults(instance)


def _start_time_faults(instance: Instance) -> Faults:
    start = instance.start_time
    if not isinstance(start, datetime):
        yield InputError("must be a date with a clock time", field="start_time", value=start)
    elif start.tzinfo is not None:
        yield InputError("must be a local time without a zone", field="start_time", value=start.isoformat())
    if instance.seconds_per_tick is None:
        yield InputError("is missing; a start time needs the length of a tick", field="seconds_per_tick")


def _optional_faults(instance: Instance) -> Faults:
    tasks = {action.task for action in instance.actions}
    yield from name_faults((task for task, _ in instance.optional), "optional")
    for task, weight in instance.optional:
        if task not in tasks:
            yield InputError(one_of(task, instance.tasks, "tasks"), field="optional", value=task)
        yield from number_faults(weight, f"optional[{task}]", minimum=1)


def _member_faults(instance: Instance, members: tuple[str, ...], field: str) -> Faults:
    """Yield the faults of names of agents and resources."""
    agents = _agents(instance)
    yield from name_faults(members, field)
    for member in members:
        resource = instance.resource.get(member)
        if resource is None and member not in agents:
            names = (*instance.agents, *instance.resource)
            yield InputError(one_of(member, names, "agents and resources"), field=field, value=member)
        elif resource is not None and member in agents:
            yield InputError("is the name of an agent and of a resource; rename one", field=field, value=member)
        elif resource is not None and not resource.renewable:
            message = "is a budget, which has neither off-times nor transitions"
            yield InputError(message, field=field, value=member)


@ProblemCache
def _agents(instance: Instance) -> frozenset[str]:
    """Return the names of the agents."""
    return frozenset(instance.agents)


def _calendar_faults(instance: Instance) -> Faults:
    yield from count_faults(instance.calendars, "calendars", MAX_SPANS)
    has_periods = True
    for number, calendar in enumerate(instance.calendars):
        field = f"calendars[{number}]"
        yield from _member_faults(instance, calendar.members, f"{field}.members")
        if calendar.period is not None:
            period_faults = list(number_faults(calendar.period, f"{field}.period", minimum=1))
            yield from period_faults
            has_periods = has_periods and not period_faults
        yield from count_faults(calendar.off, f"{field}.off", MAX_SPANS)
        yield from _off_faults(calendar, f"{field}.off", has_period=has_periods and calendar.period is not None)
    periods = {calendar.period for calendar in instance.calendars if calendar.period is not None}
    if has_periods and lcm(*periods) > MAX_PERIOD:
        message = f"the least common multiple of all periods must be at most {MAX_PERIOD} ticks"
        yield InputError(message, field="calendars", value=sorted(periods))


def _off_faults(calendar: Calendar, field: str, *, has_period: bool) -> Faults:
    """Yield the faults of the off-times of a calendar, which has a valid period or none."""
    faults: list[InputError] = []
    for span in calendar.off:
        faults += span_faults(span, field)
    yield from faults
    if faults:
        return
    for begin, end in calendar.off:
        if begin == end:
            yield InputError("must last at least one tick", field=field, value=[begin, end])
        elif has_period and calendar.period is not None and end - begin >= calendar.period:
            message = f"must be shorter than the period {calendar.period}; use an off-time without a period"
            yield InputError(message, field=field, value=[begin, end])
    for earlier, later in pairwise(calendar.off):
        if later[0] < earlier[1]:
            message = f"must be sorted and disjoint; the one before ends at {earlier[1]}"
            yield InputError(message, field=field, value=list(later))


def _transition_faults(instance: Instance) -> Faults:
    yield from count_faults(instance.transitions, "transitions", MAX_SPANS)
    members: set[str] = set()
    for number, table in enumerate(instance.transitions):
        field = f"transitions[{number}]"
        yield from _member_faults(instance, table.members, f"{field}.members")
        for member in table.members:
            if member in members:
                yield InputError("has transitions already", field=f"{field}.members", value=member)
        members.update(table.members)
        yield from _way_faults(table, field)
        yield from name_faults((member for member, _ in table.start), f"{field}.start")
        for member, place in table.start:
            yield from name_faults((place,), f"{field}.start[{member}]")
            if member not in table.members:
                message = one_of(member, table.members, "members")
                yield InputError(message, field=f"{field}.start", value=member)
        for member in table.members:
            if member in instance.resource:
                yield from _machine_faults(instance.resource[member], f"{field}.members")


def _way_faults(table: Transitions, field: str) -> Faults:
    """Yield the faults of the times of a table of transitions."""
    yield from count_faults(table.times, f"{field}.times", MAX_TIMES)
    seen: set[tuple[str, str]] = set()
    for before, after, ticks in table.times:
        place_field = f"{field}.times[{before} -> {after}]"
        yield from name_faults((before,), place_field)
        yield from name_faults((after,), place_field)
        yield from number_faults(ticks, place_field)
        if (before, after) in seen:
            yield InputError("has a time already", field=place_field, value=ticks)
        seen.add((before, after))


def _machine_faults(resource: Resource, field: str) -> Faults:
    """Yield the faults of a resource with transitions."""
    if resource.capacity != 1:
        message = f"has capacity {resource.capacity}; only resources of capacity 1 can have transitions"
        yield InputError(message, field=field, value=resource.name)
    if resource.state is not None:
        yield InputError("has states; such resources cannot have transitions", field=field, value=resource.name)


@ProblemCache
def transitions_by_member(instance: Instance) -> dict[str, Transitions]:
    """Return the transitions of every agent and resource that has some."""
    tables = {}
    for table in instance.transitions:
        tables.update(dict.fromkeys(table.members, table))
    return tables


@ProblemCache
def _slow_places(instance: Instance) -> dict[str, frozenset[str]]:
    """Return the places or families from which a member needs time to themselves, by member."""
    places = {}
    for table in instance.transitions:
        slow = frozenset(before for before, after, ticks in table.times if before == after and ticks > 0)
        places.update(dict.fromkeys(table.members, slow))
    return places


def action_faults(instance: Instance, action: Action, field: str) -> Faults:
    """Yield the faults of deadline, windows, pauses and place of an action whose ticks are valid."""
    if action.interruptible and action.pauses_in_breaks:
        message = "an interruptible action may pause anywhere, also in breaks; set one of the two"
        yield InputError(message, field=f"{field}.pauses_in_breaks", value=True)
    faults: list[InputError] = []
    if action.deadline is not None:
        faults += number_faults(action.deadline, f"{field}.deadline")
    faults += count_faults(action.windows, f"{field}.windows", MAX_SPANS)
    for window in action.windows:
        faults += span_faults(window, f"{field}.windows")
    yield from faults
    if not faults:
        for earlier, later in pairwise(action.windows):
            if later[0] <= earlier[1]:
                message = f"must begin after {earlier[1]}, the end of the one before; write touching windows as one"
                yield InputError(message, field=f"{field}.windows", value=list(later))
    if action.place is not None:
        yield from name_faults((action.place,), f"{field}.place")


def family_faults(instance: Instance, demand: Demand, field: str) -> Faults:
    """Yield the faults of the family of a demand."""
    yield from name_faults((demand.family,), field)
    if demand.resource not in transitions_by_member(instance):
        message = f"{demand.resource} has no transitions, so its uses have no families"
        yield InputError(message, field=field, value=demand.family)


def use_faults(instance: Instance) -> Faults:
    """Yield the faults of the agents, resources and windows that valid actions need."""
    has_budgets = not all(resource.renewable for resource in instance.resources)
    for action in instance.actions:
        if action.deadline is not None or action.windows:
            yield from _fit_faults(instance, action, f"actions[{action.id}]")
        if action.place is not None or instance.transitions:
            yield from _place_faults(instance, action, f"actions[{action.id}]")
        if has_budgets or instance.transitions:
            yield from _uses_faults(instance, action)


def _uses_faults(instance: Instance, action: Action) -> Faults:
    """Yield the faults of the uses of an action in all modes."""
    for number, variant in enumerate(instance.variants[action.id]):
        for demand in variant.demands:
            field = f"actions[{action.id}].modes[{number}].uses[{demand.resource}]"
            yield from _use_faults(instance, action, variant, demand, field)


def _fit_faults(instance: Instance, action: Action, field: str) -> Faults:
    """Yield the fault of an action of a mandatory task that fits in no window in any mode."""
    if action.task in instance.weights:
        return
    shortest = min(variant.duration for variant in instance.variants[action.id])
    lengths = list(window_lengths(action))
    may_pause = action.interruptible or action.pauses_in_breaks
    available = sum(lengths) if may_pause else max(lengths, default=0)
    if not lengths or available < shortest:
        name = "windows" if action.windows else "deadline"
        value: Any = [list(window) for window in action.windows] or action.deadline
        message = f"leaves too little time for {shortest} ticks from release {action.release} on"
        if action.windows and action.deadline is not None:
            message = f"{message} until deadline {action.deadline}"
        yield InputError(message, field=f"{field}.{name}", value=value)


def window_lengths(action: Action) -> Iterator[int]:
    """Yield the length of each window of an action, cut to release and deadline.

    The action has a deadline or windows; windows of which nothing is left are omitted.
    """
    windows = action.windows
    if not windows:
        assert action.deadline is not None
        windows = ((0, action.deadline),)
    for begin, end in windows:
        start = max(begin, action.release)
        if action.deadline is not None:
            end = min(end, action.deadline)
        if start <= end:
            yield end - start


def _place_faults(instance: Instance, action: Action, field: str) -> Faults:
    """Yield the faults of an action's place, and of agents that need one."""
    tables = transitions_by_member(instance)
    variants = instance.variants[action.id]
    travellers: dict[str, None] = {}
    starts_travellers = False
    for variant in variants:
        agents = [agent for agent in variant.agents if agent in tables]
        travellers.update(dict.fromkeys(agents))
        starts_travellers = starts_travellers or (bool(agents) and not variant.attended)
    place = action.place
    if place is None:
        if travellers:
            message = f"is missing; {next(iter(travellers))} has transitions and can do the action"
            yield InputError(message, field=f"{field}.place")
        return
    if not any(variant.agents for variant in variants):
        yield InputError("no agent does the action, so it has no place", field=f"{field}.place", value=place)
    elif not travellers:
        message = "no agent that can do the action has transitions, so it has no place"
        yield InputError(message, field=f"{field}.place", value=place)
    if not action.interruptible:
        return
    if starts_travellers:
        message = "an action that may pause anywhere and is unattended cannot have a place"
        yield InputError(message, field=f"{field}.place", value=place)
    slow_places = _slow_places(instance)
    if any(place in slow_places[agent] for agent in travellers):
        message = f"an action that may pause anywhere needs transition time 0 from {place} to itself"
        yield InputError(message, field=f"{field}.place", value=place)


def _use_faults(instance: Instance, action: Action, variant: Variant, demand: Demand, field: str) -> Faults:
    """Yield the faults of the use of a budget, or of a resource with transitions."""
    has_state = demand.requires is not None or demand.sets is not None
    if not instance.resource[demand.resource].renewable:
        if has_state:
            name, state = ("sets", demand.sets) if demand.requires is None else ("requires", demand.requires)
            yield InputError(
                f"{demand.resource} is a budget, which has no states", field=f"{field}.{name}", value=state
            )
        return
    if demand.resource not in transitions_by_member(instance):
        return
    subject = f"{demand.resource} has transitions"
    if demand.family is None:
        yield InputError(f"is missing; {subject}", field=f"{field}.family")
    elif action.interruptible and demand.family in _slow_places(instance)[demand.resource]:
        message = f"an action that may pause anywhere needs transition time 0 from {demand.family} to itself"
        yield InputError(message, field=f"{field}.family", value=demand.family)
    if has_state:
        yield InputError(f"{subject}, so it cannot have states", field=field)
    if demand.amount != 1:
        yield InputError(f"must be 1; {subject}", field=f"{field}.amount", value=demand.amount)
    if variant.duration == 0:
        yield InputError(f"{subject}, so a mode of duration 0 cannot use it", field=field, value=0)


def has_absolute_times(instance: Instance) -> bool:
    """Return whether an instance has times that count from tick 0.

    These are calendars, windows, deadlines and starts of members with transitions.
    """
    if instance.calendars or any(table.start for table in instance.transitions):
        return True
    return any(action.deadline is not None or action.windows for action in instance.actions)


def absolute_time_faults(instance: Instance) -> Faults:
    """Yield the fault of absolute times beside maximum lags from a beginning that may come after tick 0.

    In a part of another instance, such as one without some constraints, a milestone may only seem to be the beginning.
    """
    if instance.rest_of is not None or not has_absolute_times(instance):
        return
    beginning = instance.beginning
    if beginning is None or instance.by_id[beginning].deadline == 0:
        return
    for lag in instance.lags:
        if lag.before == beginning and lag.maximum is not None:
            message = "calendars, windows, deadlines and starts count from tick 0; give this action the deadline 0"
            limited = f"because a maximum lag leads from it to {lag.after}"
            yield InputError(f"{message}, {limited}", field=f"actions[{beginning}].deadline")
            return
