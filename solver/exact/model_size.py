"""Estimate of the size of an instance's CP-SAT model, without building it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from planoracle.instances.model.agents import interchangeable
from planoracle.instances.model.instance import Action, Demand, Instance
from planoracle.solver.exact.bounds import Windows, longest_duration
from planoracle.solver.exact.model_of_agents import starts_are_counted
from planoracle.solver.exact.precedence import closure
from planoracle.solver.exact.search_params import FeatureParams


def model_size(instance: Instance, bounds: Windows, step: int) -> int:
    """Return about how many variables and constraints a `ScheduleModel` has; as a rule it has fewer.

    All terms that grow faster than the instance are counted: steps of interruptible actions; pairs of an unattended
    action and a piece inside which it must not start; pairs of a setting and a use that it serves, disturbs or joins.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action
    >>> from planoracle.solver.exact.precedence import ordered_windows
    >>> def boiling(count: int) -> Instance:
    ...     return Instance("k", tuple(Action(f"t/{n}", "t", 9, 9 * (n % 2)) for n in range(count)))
    >>> for count in 10, 100, 1000:
    ...     print(count, model_size(boiling(count), ordered_windows(boiling(count)), 1))
    10 240
    100 11875
    1000 7000
    """
    segments = [_number_of_segments(action, step) for action in instance.actions]
    crews = interchangeable(instance)
    head_of: dict[str, str] = {}
    for crew in crews:
        head_of.update(dict.fromkeys(crew, crew[0]))
    eligible_crews: list[set[str] | None] = []
    for action in instance.actions:
        heads = None if action.agents is None else {head_of[agent] for agent in action.agents}
        eligible_crews.append(heads)
    size = 2 * len(instance.lags)
    for count, heads in zip(segments, eligible_crews, strict=True):
        number = len(crews if heads is None else heads)
        size += count * (3 + 2 * number)
    size += len(bounds.forced) + len(bounds.ordered)
    size += 3 * len(bounds.open)
    size += _starts(instance, step, segments, eligible_crews, crews)
    size += sum(len(transitions.members) for transitions in instance.transitions) * sum(segments) ** 2
    users: dict[str, list[tuple[int, Demand]]] = {resource.name: [] for resource in instance.resources}
    for i, action in enumerate(instance.actions):
        for mode in action.modes:
            size += 1 + len(mode.after)
            for demand in mode.demands:
                users[demand.resource].append((i, demand))
    return size + sum(_uses(instance, segments, uses) for uses in users.values())


def _number_of_segments(action: Action, step: int) -> int:
    if not action.interruptible:
        return 1
    return max(1, longest_duration(action) // step)


def _starts(
    instance: Instance,
    step: int,
    segments: list[int],
    eligible_crews: list[set[str] | None],
    crews: Sequence[Sequence[str]],
) -> int:
    """Count the constraints that keep starts of unattended actions out of the pieces of others."""
    maximum_lags = (lag for lag in instance.lags if lag.maximum is not None)
    bounded = {instance.index[lag.after] for lag in maximum_lags}
    starts: Counter[str | None] = Counter()  # by the crews that may do it; None: all
    blocks: Counter[str | None] = Counter()
    starters = blockers = 0  # as bit sets
    for i, action in enumerate(instance.actions):
        heads, count = eligible_crews[i], 0
        if not action.attended:
            counter = starts
            count = segments[i] if heads != set() else 0
            starters |= bool(count) << i
        elif i in bounded if segments[i] > 1 else action.attended > step:  # a run that must go on, or a piece
            counter, count = blocks, segments[i]
            blockers |= 1 << i
        for head in (None,) if heads is None else heads:
            if count:
                counter[head] += count
    pairs = together = 0
    for alike in crews:
        head = alike[0]
        begin = starts[None] + starts[head]
        inside = blocks[None] + blocks[head]
        if starts_are_counted(len(alike), begin, inside):
            together += begin + inside
        else:
            pairs += 3 * begin * inside
    crossing = starters.bit_count() * blockers.bit_count()
    if not pairs or not crossing:
        return together + pairs
    ordered = 0
    for i, before in enumerate(closure(instance)):
        if starters >> i & 1:
            ordered += (before & blockers).bit_count()
        elif blockers >> i & 1:
            ordered += (before & starters).bit_count()
    return together + pairs * (crossing - ordered) // crossing


def _uses(instance: Instance, segments: list[int], uses: list[tuple[int, Demand]]) -> int:
    """Count the constraints of the uses of one resource."""
    size = sum(segments[i] for i, _ in uses)
    settings = Counter(demand.sets for _, demand in uses if demand.sets is not None)
    requiring = [(i, demand.requires) for i, demand in uses if demand.requires is not None]
    if not settings:
        return size + sum(segments[i] for i, _ in requiring)
    total = settings.total()

    def serving(state: str) -> int:
        good = settings[state]
        return (total - good) * 3 + good * (2 + total - good)

    size += sum(segments[i] * serving(state) for i, state in requiring)
    alike: Counter[tuple[int, str | None]] = Counter()
    for i, demand in uses:
        if segments[i] == 1:
            alike[instance.actions[i].duration, demand.sets] += 1
    for (duration, state), count in alike.items():
        if state is not None:  # settings that may share the room of others, or of uses in this state
            pairs = count * (count - 1) // 2
            pairs_with_uses = count * alike[duration, None]
            size += pairs * 5 + pairs_with_uses * (5 + serving(state))
    return size


def has_many_off_times(instance: Instance, horizon: int, limit: int = FeatureParams.max_off_times) -> bool:
    """Return whether all members together have more than ``limit`` off-times until a horizon in ticks.

    >>> from planoracle.instances.model.calendars import Calendar
    >>> from planoracle.instances.model.instance import Action
    >>> nights = Instance("i", (Action("t/a", "t", 1, 1),), calendars=(Calendar(("agent",), ((1, 2),), 2),))
    >>> has_many_off_times(nights, 20, 9), has_many_off_times(nights, 20, 10)
    (True, False)
    """
    count = 0
    for times in instance.off_times.values():
        for _ in times.until(horizon):
            count += 1
            if count > limit:
                return True
    return False
