"""Measures of problems: terms of project scheduling and of the benchmarks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

from planoracle.instances.model.instance import Action, Instance


@dataclass(frozen=True, slots=True)
class Measures:
    """Counts, and shares from 0 to 1; ``None`` for a share of nothing.

    Attributes
    ----------
    tasks, actions, agents, resources
        Numbers.
    work
        Duration of all actions together, in ticks.
    network_complexity
        Precedences that do not follow from others, per action (Kolisch, Sprecher and Drexl, 1995; there a source
        and a sink are added, here not).
    order_strength, task_order_strength
        Share of the pairs of actions that are ordered, directly or not (Mastor, 1970): of all pairs, and of those
        within a task.
    parallelism
        Share of the actions that continue without an agent.
    unattended
        Share of the work without an agent.
    interruptible
        Share of the continuous actions that may be cut.
    windows
        Share of the time lags that have a maximum.
    window_length
        Mean maximum lag, in mean durations (not a share, may exceed 1).
    resource_factor
        Share of the resources that an action uses, mean over actions and their modes (ibid.).
    resource_strength
        Mean over the resources of (capacity - least) / (peak - least), where ``least`` is the largest demand of
        one action in its least demanding mode, and ``peak`` the largest simultaneous use if every action starts as
        early as the precedences allow, in its most demanding mode (ibid.). Resources for which the two are
        equal do not count.
    eligibility
        Share of the agents that are eligible for an action; of the actions that need one.
    """

    tasks: int
    actions: int
    agents: int
    resources: int
    work: int
    network_complexity: float
    order_strength: float | None
    task_order_strength: float | None
    parallelism: float
    unattended: float | None
    interruptible: float | None
    windows: float | None
    window_length: float | None
    resource_factor: float | None
    resource_strength: float | None
    eligibility: float | None

    def row(self) -> dict[str, int | float | None]:
        """Return the measures as a flat row, shares to four decimals."""
        row = {}
        for field in fields(self):
            value = getattr(self, field.name)
            is_share = isinstance(value, float)
            row[field.name] = round(value, 4) if is_share else value
        return row


def describe(instance: Instance) -> Measures:
    """Measure a scheduling problem, bundled, generated or from a file.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> measures = describe(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> measures.actions, measures.parallelism, round(measures.order_strength, 2)
    (24, 0.25, 0.34)
    """
    import networkx as nx  # takes longer than to make a problem

    actions = instance.actions
    count = len(actions)
    work = sum(action.duration for action in actions)
    arcs = [(lag.before, lag.after) for lag in instance.lags if lag.orders]
    order = nx.DiGraph(arcs)
    closure = nx.transitive_closure_dag(order)
    irredundant = nx.transitive_reduction(order).number_of_edges()
    continuous = [action for action in actions if action.continuous]
    parallel = sum(action.attended < action.duration for action in actions)
    interruptible = sum(action.interruptible for action in continuous)
    attended = sum(action.attended for action in actions)
    limits = [lag.maximum for lag in instance.lags if lag.maximum is not None]
    with_agent = [action for action in actions if action.agents != ()]
    numbers_of_agents = [len(instance.eligible(action)) for action in with_agent]
    order_strength = _share(closure.number_of_edges(), _pairs(count))
    interruptible_share = _share(interruptible, len(continuous))
    windows = _share(len(limits), len(instance.lags))
    window_length = _share(sum(limits) * count, len(limits) * work)
    eligibility = _mean(number / len(instance.agents) for number in numbers_of_agents)
    resource_factor = _mean(_shares_in_use(instance))
    resource_strength = _mean(_strengths(instance))
    task_order_strength = _task_order_strength(instance, closure.edges)
    return Measures(
        tasks=len(instance.tasks),
        actions=count,
        agents=len(instance.agents),
        resources=len(instance.resources),
        work=work,
        network_complexity=irredundant / count,
        order_strength=order_strength,
        task_order_strength=task_order_strength,
        parallelism=parallel / count,
        unattended=_share(work - attended, work),
        interruptible=interruptible_share,
        windows=windows,
        window_length=window_length,
        resource_factor=resource_factor,
        resource_strength=resource_strength,
        eligibility=eligibility,
    )


def _task_order_strength(instance: Instance, ordered_pairs: Iterable[tuple[str, str]]) -> float | None:
    """Return the share of the pairs of actions of one task that are ordered."""
    task_of = {action.id: action.task for action in instance.actions}
    ordered_in_task = sum(task_of[before] == task_of[after] for before, after in ordered_pairs)
    sizes = Counter(task_of.values()).values()
    return _share(ordered_in_task, sum(map(_pairs, sizes)))


def _pairs(count: int) -> int:
    """Return the number of pairs of so many things."""
    return count * (count - 1) // 2


def _share(part: float, total: int) -> float | None:
    return part / total if total else None


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return _share(sum(numbers), len(numbers))


def _shares_in_use(instance: Instance) -> Iterator[float]:
    """Yield for every mode the share of the resources that it uses; nothing without resources."""
    if not instance.resources:
        return
    for action in instance.actions:
        for mode in action.modes:
            used = sum(demand.amount > 0 for demand in mode.demands)
            yield used / len(instance.resources)


def _strengths(instance: Instance) -> Iterator[float]:
    for resource, (minimum, peak) in zip(instance.resources, demand_ranges(instance), strict=True):
        if resource.renewable and peak > minimum:
            yield (resource.capacity - minimum) / (peak - minimum)


def demand_ranges(instance: Instance) -> list[tuple[int, int]]:
    """Return for every resource the largest demand of an action and the peak of the earliest schedule."""
    starts = [action.release for action in instance.actions]
    for i in instance.order:
        for j, lag in instance.predecessors[i]:
            end = starts[j] + instance.actions[j].duration
            starts[i] = max(starts[i], end + lag)
    ranges = []
    for resource in instance.resources:
        amounts = [_amounts(action, resource.name) for action in instance.actions]
        changes = []
        for action, start, amounts_of_modes in zip(instance.actions, starts, amounts, strict=True):
            if action.duration:
                largest = max(amounts_of_modes)
                changes += [(start, largest), (start + action.duration, -largest)]
        used = peak = 0
        for _, change in sorted(changes):  # at the same instant, ends come first
            used += change
            peak = max(peak, used)
        ranges.append((max(map(min, amounts)), peak))
    return ranges


def _amounts(action: Action, name: str) -> list[int]:
    amounts = []
    for mode in action.modes:
        amounts_of_mode = [demand.amount for demand in mode.demands if demand.resource == name]
        amounts.append(sum(amounts_of_mode))
    return amounts
