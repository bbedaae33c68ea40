"""Modes and agents of actions, in the form in which heuristics choose between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from planoracle.heuristics.earliest_times import AllowedTimes, OffSpans, off_spans
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.calendars import FOREVER, OffTimes
from planoracle.instances.model.features import never_chosen_modes
from planoracle.instances.model.instance import Action, Demand, Instance, Variant
from planoracle.instances.model.resource_rules import budget_limits
from planoracle.instances.model.working_times import calendars_of_members, windows_of

#: Most changes of reserved modes until they satisfy all budgets.
_CHANGES = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """A mode and an agent with which an action can be carried out.

    Attributes
    ----------
    action
        Id of the action.
    mode, agent
        Position of the mode; ``None`` for no agent.
    duration, attended
        Ticks of work, and of those during which a piece holds its agent.
    is_held
        True if every piece holds its agent to its end, whatever its length.
    pauses
        True if it pauses in breaks: then all of it is one piece, which is as long as its work and its pauses.
    shares
        True if its settings take no room beside equal ones.
    fills
        True if it may run in several pieces, between other work of its agent.
    can_be_cut
        True if its agent may start other actions during it.
    demands
        Uses of resources that are not used up.
    after
        Positions of actions that must be finished before.
    costs
        Additional units of budgets, compared with those that are reserved for the action.
    times
        Allowed times; ``None`` for no restriction.
    visits
        Agents and resources with transitions that it visits, each with the place or family.
    """

    action: str
    mode: int
    agent: str | None
    duration: int
    attended: int
    is_held: bool
    pauses: bool
    shares: bool
    fills: bool
    can_be_cut: bool
    demands: tuple[Demand, ...]
    after: tuple[int, ...]
    costs: tuple[tuple[str, int], ...]
    times: AllowedTimes | None
    visits: tuple[tuple[str, str], ...]

    def held_ticks(self, length: int) -> int:
        """Return the ticks for which a piece of some length holds its agent."""
        return length if self.is_held else self.attended


@ProblemCache
def choices_of(instance: Instance) -> tuple[tuple[Choice, ...], ...]:
    """Return the choices of every action, in the order of modes and agents.

    There are none if a budget, a capacity, or windows of which nothing is left forbid all.
    """
    reserved = reserved_modes(instance)
    if reserved is None:
        return ((),) * len(instance.actions)
    rows = []
    for action, modes, number in zip(instance.actions, _usable_modes(instance), reserved, strict=True):
        rows.append(tuple(_choices(instance, action, modes, number)))
    return tuple(rows)


def _choices(instance: Instance, action: Action, modes: Sequence[int], reserved: int) -> Iterator[Choice]:
    has_windows = bool(action.windows) or action.deadline is not None
    if has_windows and not windows_of(action, FOREVER):
        return
    for mode in modes:
        variant = instance.variants[action.id][mode]
        costs = _additional_costs(instance, action, mode, reserved) if budget_limits(instance) else ()
        for agent in variant.agents or (None,):
            yield _choice(instance, action, mode, agent, costs)


def _choice(
    instance: Instance, action: Action, mode: int, agent: str | None, costs: tuple[tuple[str, int], ...]
) -> Choice:
    variant = instance.variants[action.id][mode]
    budgets = budget_limits(instance)
    demands = variant.demands
    if budgets:
        demands = tuple(demand for demand in demands if demand.resource not in budgets)
    visits = tuple(_visits(instance, action, variant, agent)) if instance.transitions else ()
    is_attended = variant.attended > 0
    pauses = action.pauses_in_breaks and bool(instance.calendars) and variant.duration > 0
    can_be_cut = action.interruptible and not visits
    fills = can_be_cut and is_attended and agent is not None and not demands
    return Choice(
        action=action.id,
        mode=mode,
        agent=agent,
        duration=variant.duration,
        attended=variant.attended,
        is_held=is_attended and (pauses or action.interruptible),
        pauses=pauses,
        shares=not action.pauses_in_breaks,
        fills=fills,
        can_be_cut=can_be_cut,
        demands=demands,
        after=tuple(instance.index[name] for name in variant.after),
        costs=costs,
        times=_times(instance, action, variant, agent, pauses=pauses, fills=fills),
        visits=visits,
    )


def _visits(instance: Instance, action: Action, variant: Variant, agent: str | None) -> Iterator[tuple[str, str]]:
    """Yield the members with transitions that an action visits, each with the place or family."""
    members = members_with_transitions(instance)
    if agent in members and action.place is not None:
        yield str(agent), action.place
    for demand in variant.demands:
        if demand.family is not None:
            yield demand.resource, demand.family


@ProblemCache
def members_with_transitions(instance: Instance) -> frozenset[str]:
    """Return the agents and resources that have ways or set-up times."""
    return frozenset(chain.from_iterable(transitions.members for transitions in instance.transitions))


def _times(
    instance: Instance, action: Action, variant: Variant, agent: str | None, *, pauses: bool, fills: bool
) -> AllowedTimes | None:
    """Return the times that windows and calendars allow, ``None`` for no restriction but the release."""
    if not (instance.calendars or action.windows or action.deadline is not None):
        return None
    if not pauses:
        duration = 1 if fills else variant.duration
        attended = 1 if fills else variant.attended
        return times_of_piece(instance, action, variant, agent, duration, attended)
    agent_calendars = calendars_of_members(instance, [agent])
    resource_calendars = calendars_of_members(instance, [demand.resource for demand in variant.demands])
    rests: list[tuple[OffSpans, int]] = []
    if agent_calendars and not variant.attended:
        rests.append((off_spans(instance, agent_calendars), 1))
    pausing = (*resource_calendars, *agent_calendars) if variant.attended else resource_calendars
    breaks = off_spans(instance, pausing)
    period = OffTimes((*agent_calendars, *resource_calendars)).period
    return AllowedTimes(variant.duration, _windows(action), rests, breaks, period)


def times_of_piece(
    instance: Instance, action: Action, variant: Variant, agent: str | None, duration: int, attended: int
) -> AllowedTimes | None:
    """Return the times allowed for a piece that does not pause, ``None`` without restrictions.

    Parameters
    ----------
    duration, attended
        Ticks of the piece, and of those during which it holds its agent.
    """
    windows = _windows(action)
    agent_calendars = calendars_of_members(instance, [agent])
    resource_calendars = calendars_of_members(instance, [demand.resource for demand in variant.demands])
    rests: list[tuple[OffSpans, int]] = []
    if agent_calendars:
        rests.append((off_spans(instance, agent_calendars), max(1, attended)))
    if resource_calendars:
        rests.append((off_spans(instance, resource_calendars), max(1, duration)))
    if not windows and not rests:
        return None
    period = OffTimes((*agent_calendars, *resource_calendars)).period
    return AllowedTimes(duration, windows, rests, None, period)


def _windows(action: Action) -> Sequence[tuple[int, int]]:
    """Return the windows of an action that has windows or a deadline."""
    if not action.windows and action.deadline is None:
        return ()
    return windows_of(action, FOREVER)


# --- budgets -----------------------------------------------------------------------------------------


def _costs(instance: Instance, action: Action, mode: int) -> dict[str, int]:
    """Return the units of budgets that a mode uses up, by name."""
    costs: dict[str, int] = {}
    budgets = budget_limits(instance)
    for demand in action.modes[mode].demands:
        if demand.resource in budgets:
            costs[demand.resource] = costs.get(demand.resource, 0) + demand.amount
    return costs


def _additional_costs(instance: Instance, action: Action, mode: int, reserved: int) -> tuple[tuple[str, int], ...]:
    """Return the units of budgets that a mode uses up in addition to the reserved mode."""
    used = _costs(instance, action, mode)
    reserve = _costs(instance, action, reserved)
    changes = {name: used.get(name, 0) - reserve.get(name, 0) for name in (*used, *reserve)}
    return tuple((name, units) for name, units in changes.items() if units)


@ProblemCache
def _usable_modes(instance: Instance) -> list[list[int]]:
    """Return the modes of every action of which no amount exceeds a capacity or budget."""
    usable = [list(range(len(action.modes))) for action in instance.actions]
    for name, number in never_chosen_modes(instance):
        usable[instance.index[name]].remove(number)
    return usable


@ProblemCache
def spare_units(instance: Instance) -> dict[str, int]:
    """Return the units of each budget that remain if every action is carried out in its reserved mode."""
    spare = dict(budget_limits(instance))
    if not spare:
        return spare
    for action, number in zip(instance.actions, reserved_modes(instance) or (), strict=False):
        for name, units in _costs(instance, action, number).items():
            spare[name] -= units
    return spare


@ProblemCache
def reserved_modes(instance: Instance) -> tuple[int, ...] | None:
    """Return a mode for every action so that all budgets suffice, ``None`` if a local search meets none.

    A mode can be chosen as long as the budgets suffice for the reserved modes of the remaining actions. The search
    begins with the modes that use up the smallest shares, and changes the mode that lowers the excess most.
    """
    usable = _usable_modes(instance)
    if not all(usable):
        return None
    budgets = budget_limits(instance)
    if not budgets:
        return tuple(modes[0] for modes in usable)
    costs = []
    for action, modes in zip(instance.actions, usable, strict=True):
        costs.append({mode: _costs(instance, action, mode) for mode in modes})
    chosen = [min(by_mode, key=lambda mode: _share(by_mode[mode], budgets)) for by_mode in costs]
    return _within_budgets(budgets, costs, chosen)


def _share(costs: Mapping[str, int], budgets: Mapping[str, int]) -> float:
    """Return the share of the budgets that some units are."""
    return sum(units / max(1, budgets[name]) for name, units in costs.items())


def _within_budgets(
    budgets: Mapping[str, int], costs: Sequence[Mapping[int, Mapping[str, int]]], chosen: list[int]
) -> tuple[int, ...] | None:
    """Change single modes until no budget is exceeded."""
    excess = {name: -capacity for name, capacity in budgets.items()}
    for by_mode, mode in zip(costs, chosen, strict=True):
        for name, units in by_mode[mode].items():
            excess[name] += units
    for _ in range(_CHANGES):
        if all(units <= 0 for units in excess.values()):
            return tuple(chosen)
        best = _total(excess, budgets)
        change: tuple[int, int] | None = None
        for i, by_mode in enumerate(costs):
            for mode in by_mode:
                total = _total(_changed(excess, by_mode[chosen[i]], by_mode[mode]), budgets)
                if total < best - 1e-12:
                    best, change = total, (i, mode)
        if change is None:
            return None
        i, mode = change
        excess = _changed(excess, costs[i][chosen[i]], costs[i][mode])
        chosen[i] = mode
    return None


def _changed(excess: Mapping[str, int], before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """Return the excess after a change of one mode."""
    return {name: units - before.get(name, 0) + after.get(name, 0) for name, units in excess.items()}


def _total(excess: Mapping[str, int], budgets: Mapping[str, int]) -> float:
    """Return the excess of all budgets, as shares of them."""
    return sum(max(0, units) / max(1, budgets[name]) for name, units in excess.items())


@ProblemCache
def shortest_durations(instance: Instance) -> tuple[int, ...]:
    """Return the duration of every action in the shortest mode that can be chosen."""
    return tuple(variant.duration for variant in _shortest_variants(instance))


@ProblemCache
def shortest_attended_ticks(instance: Instance) -> tuple[int, ...]:
    """Return the attended ticks of every action in the shortest mode that can be chosen."""
    return tuple(variant.attended for variant in _shortest_variants(instance))


def _shortest_variants(instance: Instance) -> Iterator[Variant]:
    for action, usable in zip(instance.actions, _usable_modes(instance), strict=True):
        variants = instance.variants[action.id]
        if len(variants) == 1:
            yield variants[0]
            continue
        modes = usable or range(len(variants))
        yield min((variants[mode] for mode in modes), key=lambda variant: variant.duration)
