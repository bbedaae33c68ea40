"""Earliest starts, latest finishes and lower bounds that need no search."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from math import gcd, inf

from planoracle.instances.model.features import features_of
from planoracle.instances.model.instance import Action, Demand, Instance
from planoracle.instances.model.limits import NO_LIMIT, Deadline
from planoracle.instances.model.transition_rules import MAX_TIED_VISITS
from planoracle.solver.exact.work_bounds import agents_bound, resource_bound

# Ticks of interruptible work of several agents up to which the grid is one tick.
_FEW_TICKS = 100
# Passes over all lags before the search for a positive cycle: most instances need no more.
_PATIENCE = 3
# Largest number of agents among whom the grid divides interruptible work evenly.
_FEW_AGENTS = 4

_Edge = tuple[int, int, int]  # node, node, least distance


@dataclass(frozen=True, slots=True)
class Windows:
    """Longest paths of every action: earliest start ``head``, and least time ``tail`` from finish to end.

    ``fault`` is the reason if the lags alone admit no schedule. ``forced`` holds (i, j, least): in every schedule
    action j starts at least so long after the start of action i, which does not follow from the lags. ``open`` holds
    (i, j, ahead, behind): j starts at least ``ahead`` after the start of i, or i at least ``behind`` after that of j,
    and both may be possible. ``ordered`` holds (i, j, least) for all pairs that cannot overlap and have one order, with
    the longest path between their starts. ``lag_tail`` is the tail by the lags alone, which defines the urgency of
    actions.
    """

    head: list[int]
    tail: list[int]
    lag_tail: list[int]
    fault: str = ""
    forced: tuple[tuple[int, int, int], ...] = ()
    open: tuple[tuple[int, int, int, int], ...] = ()
    ordered: tuple[tuple[int, int, int], ...] = ()

    @property
    def consistent(self) -> bool:
        """True if no contradiction has been proved."""
        return not self.fault


def windows(instance: Instance, deadline: Deadline = NO_LIMIT) -> Windows:
    """Compute longest paths over the lags (Bellman-Ford), with a start and a finish node per action.

    When time is over before all paths are as long as they can be, those found so far still bound all schedules.
    """
    count, index = len(instance.actions), instance.index
    # Starts are nodes 2i, finishes 2i + 1.
    edges: list[_Edge] = []
    for i, action in enumerate(instance.actions):
        edges.append((2 * i, 2 * i + 1, shortest_duration(action)))
    for i, action in enumerate(instance.actions):
        if not (action.interruptible or action.pauses_in_breaks):
            edges.append((2 * i + 1, 2 * i, -longest_duration(action)))
    for lag in instance.lags:
        before, after = 2 * index[lag.before] + 1, 2 * index[lag.after]
        if lag.minimum is not None:
            edges.append((before, after, lag.minimum))
        if lag.maximum is not None:
            edges.append((after, before, -lag.maximum))
    place = [0] * (2 * count)
    for k, i in enumerate(instance.order):
        place[2 * i] = 2 * k
        place[2 * i + 1] = 2 * k + 1
    forward = sorted(edges, key=lambda edge: place[edge[0]])  # precedences are settled in one pass
    edges.sort(key=lambda edge: -place[edge[1]])
    backward = [(v, u, length) for u, v, length in edges]
    head, tail = [0] * (2 * count), [0] * (2 * count)
    head[::2] = [earliest_start(action) for action in instance.actions]
    consistent = _relax(head, forward, deadline) and _relax(tail, backward, deadline)
    return Windows(head[::2], tail[1::2], tail[1::2], "" if consistent else "the time lags contradict each other")


def windows_of_paths(instance: Instance, deadline: Deadline = NO_LIMIT) -> Windows:
    """Return `windows`; with optional tasks the earliest starts only, since their lags may be void."""
    if not instance.optional:
        return windows(instance, deadline)
    none = [0] * len(instance.actions)
    return Windows([earliest_start(action) for action in instance.actions], none, none)


def earliest_start(action: Action) -> int:
    """Return the first tick at which the release and the windows of an action allow a start."""
    openings = [begin for begin, end in action.windows if end >= action.release]
    return max(action.release, min(openings, default=0))


def shortest_duration(action: Action) -> int:
    """Return the ticks that an action takes in its shortest mode."""
    modes = action.modes
    return action.duration_in(modes[0]) if len(modes) == 1 else min(map(action.duration_in, modes))


def longest_duration(action: Action) -> int:
    """Return the ticks that an action takes in its longest mode."""
    return max(map(action.duration_in, action.modes))


def _relax(value: list[int], edges: list[_Edge], deadline: Deadline) -> bool:
    """Raise the values to the longest paths; return whether there is no cycle of positive length."""
    parent = [-1] * len(value)
    for number in range(len(value) + 1):
        changed = False
        for u, v, weight in edges:
            if value[u] + weight > value[v]:
                value[v] = value[u] + weight
                parent[v] = u
                changed = True
        if not changed or deadline.over():
            return True
        if number >= _PATIENCE and _circular(parent):
            return False
    return False


def _circular(parent: list[int]) -> bool:
    """Return whether the parents form a cycle, which then has a positive length.

    >>> _circular([-1, 0, 1]), _circular([2, 0, 1, -1])
    (False, True)
    """
    seen = [-1] * len(parent)  # from which node the walk came by first
    for first in range(len(parent)):
        node = first
        while node >= 0 and seen[node] < 0:
            seen[node] = first
            node = parent[node]
        if node >= 0 and seen[node] == first:
            return True
    return False


def urgent(instance: Instance, bounds: Windows) -> list[int]:
    """Return all actions, most urgent first: the order in which searches place them.

    The action with the longest path from its start to the end comes first. Ties are broken by the order of the
    instance.
    """
    longest_path = [tail + action.duration for tail, action in zip(bounds.lag_tail, instance.actions, strict=True)]
    return sorted(range(len(longest_path)), key=lambda i: (-longest_path[i], i))


def horizon(instance: Instance) -> int:
    """Return a makespan that some optimal schedule does not exceed, if there is a schedule at all.

    Whenever nothing runs, no minimum lag is under way and no release is pending, time can be cut out; but between a
    setting and a use of it there is a tick, even if they take no time.
    """
    longest = dict.fromkeys(instance.by_id, 0)
    for lag in instance.lags:
        if lag.minimum is not None:
            longest[lag.before] = max(longest[lag.before], lag.minimum)
        if lag.maximum is not None:  # a negative one keeps the finish of ``before`` away from this start
            longest[lag.after] = max(longest[lag.after], -lag.maximum)
    total = 0
    for action in instance.actions:
        total += (action.duration or _has_states(action)) + longest[action.id]
    return total + max(action.release for action in instance.actions)


def _has_states(action: Action) -> bool:
    """Return whether a mode of an action requires or sets a state."""
    for mode in action.modes:
        if any(demand.requires is not None or demand.sets is not None for demand in mode.demands):
            return True
    return False


def lower_bound(instance: Instance, bounds: Windows, enough: float = inf) -> int:
    """Return the larger of the critical path and the work of every resource and of the agents.

    For instances with further features it is the path of the shortest modes, and 0 if a task is optional: its lags may
    be void.

    Parameters
    ----------
    enough
        A sufficient bound: once it is reached, better bounds are not computed.
    """
    heads, tails = bounds.head, bounds.tail
    if instance.optional:
        return 0
    paths = zip(heads, instance.actions, tails, strict=True)
    best = max(head + shortest_duration(action) + tail for head, action, tail in paths)
    if features_of(instance):
        return best
    if best < enough:
        best = agents_bound(instance, heads, tails, best)
    if best >= enough:
        return best
    users: dict[str, list[tuple[int, Demand]]] = {resource.name: [] for resource in instance.resources}
    for i, action in enumerate(instance.actions):
        for demand in action.modes[0].demands if len(action.modes) == 1 else ():
            if demand.amount:
                users[demand.resource].append((i, demand))
    for resource in instance.resources:
        best = resource_bound(instance, heads, tails, users[resource.name], resource.capacity, best)
    return best


def common_tick(instance: Instance) -> int:
    """Return the number of ticks by which all times may be divided.

    Without interruptible actions any schedule is an ordering plus difference constraints, so starts can be rounded down
    to multiples of the greatest common divisor of all times. ``solver/exact/README.md`` shows that this also holds for
    one agent whose interruptible actions use no resource and have no maximum lag; a maximum lag before them needs the
    check of `grid_matters`. Otherwise finer interruptions can help (three unit jobs on two machines end at 1.5), and
    the result is 1. Several agents with more than ``_FEW_TICKS`` ticks of such work are an exception: the result
    divides it evenly, and `grid_matters`. The result is also 1 if a use may start a tick after its setting, while that
    runs, or if an agent may have more visits of no length than the rules accept at one instant.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.recipe2plan.problems import load
    >>> common_tick(load("recipe2plan/timed/Cobbler_Pancakes"))
    60
    """
    pausing = [action for action in instance.actions if action.interruptible]
    if pausing and features_of(instance):
        return 1
    agents = len(instance.agents) if pausing else 1
    if pausing and not _pauses_fit_grid(instance, pausing):
        return 1
    if _settings_may_overlap(instance) or _has_many_starts(instance):
        return 1
    step = common_divisor(instance)
    share = agents if agents <= _FEW_AGENTS else 1
    return (step if step % share else step // share) or 1


def _pauses_fit_grid(instance: Instance, pausing: list[Action]) -> bool:
    """Return whether interruptions of these actions may be rounded to a grid, see `common_tick`."""
    if len(instance.agents) > 1 and sum(action.duration for action in pausing) <= _FEW_TICKS:
        return False
    for action in pausing:
        if not action.attended or len(action.modes) != 1 or action.modes[0].demands:
            return False
    limited = (instance.by_id[lag.before] for lag in instance.lags if lag.maximum is not None)
    return not any(action.interruptible for action in limited)


def common_divisor(instance: Instance) -> int:
    """Return the greatest common divisor of all times but the time limit; 0 if all are 0."""
    divisor = 0
    for action in instance.actions:
        divisor = gcd(divisor, action.duration, action.attended, action.release, action.deadline or 0)
        if divisor == 1:
            return divisor
        if action.windows:
            divisor = gcd(divisor, *chain.from_iterable(action.windows))
        for mode in action.modes:
            divisor = gcd(divisor, mode.duration or 0, mode.attended or 0)
    for calendar in instance.calendars:
        divisor = gcd(divisor, calendar.period or 0, *chain.from_iterable(calendar.off))
    for transitions in instance.transitions:
        divisor = gcd(divisor, *(ticks for _, _, ticks in transitions.times))
    for lag in instance.lags:
        divisor = gcd(divisor, lag.minimum or 0, lag.maximum or 0)
    return divisor


def steps(instance: Instance, step: int) -> int:
    """Return how many steps of ``step`` ticks all interruptible actions have together.

    >>> steps(Instance("k", (Action("t/chop", "t", 60, 60, interruptible=True), Action("t/boil", "t", 90, 0))), 30)
    2
    """
    return sum(action.duration // step for action in instance.actions if action.interruptible)


def _settings_may_overlap(instance: Instance) -> bool:
    """Return whether a use may overlap an earlier setting that it needs or may join."""
    uses: list[tuple[int, Demand]] = []
    for action in instance.actions:
        for mode in action.modes:
            duration = action.duration_in(mode)
            uses += [(duration, demand) for demand in mode.demands]
    set_resources = {demand.resource for _, demand in uses if demand.sets is not None}
    if not set_resources:
        return False
    amounts: dict[str, list[int]] = {}
    for _, demand in uses:
        waits_for_setting = demand.requires is not None or demand.sets is None
        if waits_for_setting and demand.resource in set_resources:
            amounts[demand.resource] = []
    for duration, demand in uses:
        if demand.resource in amounts:
            amounts[demand.resource].append(demand.amount if duration else 0)
    for name, units in amounts.items():
        if len(units) > 1 and sum(sorted(units)[:2]) <= instance.resource[name].capacity:
            return True
    return False


def _has_many_starts(instance: Instance) -> bool:
    """Return whether agents with ways may have to begin a visit of no length a tick after others."""
    if not instance.transitions:
        return False
    starts = 0
    for action in instance.actions:
        variants = instance.variants[action.id]
        starts += action.place is not None and not all(variant.attended for variant in variants)
    return starts > MAX_TIED_VISITS


def grid_matters(instance: Instance) -> bool:
    """Return whether interruptions off the grid of `common_tick` could shorten a schedule.

    False is proved; true means that only a search can tell.
    """
    if len(instance.agents) > 1:
        return any(action.interruptible for action in instance.actions)
    limited = (instance.by_id[lag.after] for lag in instance.lags if lag.maximum is not None)
    return any(action.interruptible for action in limited)
