"""Checks of a plan as a whole: lines, conflicts, states of items, and the goals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from operator import attrgetter

from planoracle.instances.benchmarks.asyncplanning.robot_events import (
    RobotState,
    argument_fault,
    line_fault,
    needed_state,
    robot_of,
)
from planoracle.instances.benchmarks.asyncplanning.robot_facts import (
    STACK,
    VERBS,
    WORK,
    Candidate,
    KitchenOrder,
    RobotTask,
)
from planoracle.instances.benchmarks.asyncplanning.robot_lines import Line
from planoracle.instances.benchmarks.asyncplanning.robot_rules import RobotRules
from planoracle.instances.model.violations import Other, Violation

# Running lines that a violation names.
MAX_NAMES = 3


def line_faults(task: RobotTask, lines: Sequence[Line], rules: RobotRules) -> Iterator[Violation]:
    """Yield the fault of every line that names something unknown, or breaks a rule by itself."""
    for position, line in enumerate(lines):
        violation = _line_fault(task, position, line, rules)
        if violation is not None:
            yield violation


def _line_fault(task: RobotTask, position: int, line: Line, rules: RobotRules) -> Violation | None:
    """Return the first fault of a line by itself."""
    violation = None
    if rules.execution == "whole":
        violation = _name_fault(task, position, line)
    duration = task.durations.get(line.action)
    if violation is None and rules.action_durations == "exact" and duration not in (None, line.duration):
        violation = line_fault("duration", position, line)._replace(required=duration, actual=line.duration)
    if violation is None and rules.ingredients == "fit" and not _is_fit(task, line):
        violation = line_fault("not_applicable", position, line)
    return violation


def _name_fault(task: RobotTask, position: int, line: Line) -> Violation | None:
    """Return the fault of a line that names something unknown."""
    violation = argument_fault(task, position, line)
    if violation is not None:
        return violation
    if line.action not in VERBS:
        return line_fault("unknown_action", position, line)
    if line.item not in task.by_name:
        return line_fault("unknown_item", position, line)
    return None


def _is_fit(task: RobotTask, line: Line) -> bool:
    item = task.by_name.get(line.item)
    return item is None or line.action not in VERBS or item.is_fit_for(line.action)


def conflicts(task: RobotTask, lines: Sequence[Line]) -> Iterator[Violation]:
    """Yield lines that run at the same time as others: by robot, by station, by item."""

    def robot(line: Line) -> str | None:
        return robot_of(task, line)

    def station(line: Line) -> str | None:
        return WORK[line.action].station if line.action in WORK else None

    yield from _overlaps(lines, "robot_busy", robot, {})
    yield from _overlaps(lines, "station_full", station, task.stations)
    yield from _overlaps(lines, "item_busy", attrgetter("item"), {})


def _overlaps(
    lines: Sequence[Line], kind: str, key: Callable[[Line], str | None], capacities: Mapping[str, int]
) -> Iterator[Violation]:
    """Yield lines that exceed the capacity, by default 1, of what a key returns."""
    running: dict[str, list[tuple[int, int]]] = {}
    for position, line in enumerate(lines):
        name = key(line)
        if name is None or not line.duration:
            continue
        current = running.setdefault(name, [])  # heap of ends and positions
        while current and current[0][0] <= line.start:
            heappop(current)
        capacity = capacities.get(name, 1)
        if len(current) >= capacity:
            running_lines = tuple(_as_other(lines[number]) for _, number in current[:MAX_NAMES])
            fault = line_fault(kind, position, line)
            yield fault._replace(resource=name, others=running_lines, required=capacity)
        heappush(current, (line.end, position))


def _as_other(line: Line) -> Other:
    """Return a line as another action of a violation."""
    return Other(line.words[:200], line.start, line.end)


def state_faults(world: RobotState, lines: Iterable[tuple[int, Line]]) -> Iterator[Violation]:
    """Yield lines whose item does not have the state that they need, and carry out all lines one by one.

    Parameters
    ----------
    world
        State before the first line, which is changed.
    lines
        Lines with their positions, in the order of their starts.
    """
    for position, line in lines:
        violation = None
        if line.action == STACK:
            violation = world.stack_fault(position, line)
        elif world.states[line.item] != needed_state(world.task, line):
            fault = line_fault("wrong_state", position, line)
            violation = fault._replace(required=needed_state(world.task, line), actual=world.states[line.item])
        if violation is not None:
            yield violation
        world.end(line)


def pile_faults(task: RobotTask, lines: Sequence[Line]) -> Iterator[Violation]:
    """Yield faults of the pile: items that are missing or not asked for, then stacks that overlap.

    In an episode, stacks in the wrong order are stacks that do not wait for the end of the one below.
    """
    stacks = [line for line in lines if line.action == STACK]
    complete_orders: list[KitchenOrder] = []
    requested = Counter[str]()
    for order in task.orders:
        requested.update(order.stack)
        items = [line.item for line in stacks if line.item in order.stack]
        is_complete = sorted(items) == sorted(order.stack)
        if is_complete and (items == list(order.stack) or task.is_online):
            complete_orders.append(order)
        else:
            yield Violation(None, "goal_stack", order.name, required=order.stack, actual=tuple(items))
    extra = [line.item for line in stacks if not requested[line.item]]
    if extra:
        yield Violation(None, "goal_stack", "pile", case="extra", actual=tuple(extra))
    for order in complete_orders:
        yield from _overlapping_stacks(order, stacks)


def _overlapping_stacks(order: KitchenOrder, stacks: Sequence[Line]) -> Iterator[Violation]:
    """Yield the stacks of an order that start before the end of the one below."""
    by_item = {line.item: line for line in stacks}
    for below, above in zip(order.stack, order.stack[1:], strict=False):
        lower, upper = by_item[below], by_item[above]
        if upper.start < lower.end:
            fault = Violation(None, "stack_overlap", upper.words, start=upper.start, end=upper.end)
            yield fault._replace(others=(_as_other(lower),), required=lower.end, actual=upper.start)


def goal_faults(task: RobotTask, world: RobotState) -> Iterator[Violation]:
    """Yield the items that do not have their required states at the end."""
    for item, state in task.required.items():
        if world.states[item] != state:
            yield Violation(None, "goal_state", item, required=state, actual=world.states[item])


def pile_of(lines: Iterable[Line]) -> list[str]:
    """Return the stacked items in the order in which their stacks end."""
    stacks = [line for line in lines if line.action == STACK]
    return [line.item for line in sorted(stacks, key=attrgetter("end"))]


def pile_order_faults(task: RobotTask, pile: Sequence[str]) -> Iterator[Violation]:
    """Yield the orders that the pile does not have: of a task exactly, of an episode with others between."""
    for order in task.orders:
        is_stacked = _is_part(order.stack, pile) if task.is_online else list(order.stack) == list(pile)
        if order.stack and not is_stacked:
            yield Violation(None, "goal_stack", order.name, required=order.stack, actual=tuple(pile))


def _is_part(items: Iterable[str], pile: Iterable[str]) -> bool:
    """Return True if items occur in a pile in their order.

    >>> _is_part("ac", "abc"), _is_part("ca", "abc")
    (True, False)
    """
    remaining = iter(pile)
    return all(item in remaining for item in items)


def lag_faults(task: RobotTask, lines: Sequence[Line]) -> Iterator[Violation]:
    """Yield the minimum times that are not kept by the first lines of their actions."""
    first: dict[tuple[str, str], Line] = {}
    for line in lines:
        first.setdefault((line.action, line.item), line)
    for lag in task.lags:
        before = first.get(lag.before)
        after = first.get(lag.after)
        gap = None if before is None or after is None else after.start - before.end
        if gap is None or gap < lag.ticks:
            earlier = Other(" ".join(lag.before)) if before is None else _as_other(before)
            fault = Violation(None, "lag", " ".join(lag.after), others=(earlier,), required=lag.ticks, actual=gap)
            yield fault if after is None else fault._replace(start=after.start, end=after.end)


def deadline_faults(task: RobotTask, end: int) -> Iterator[Violation]:
    """Yield the violation of a late end."""
    if task.deadline is not None and end > task.deadline:
        yield Violation(None, "deadline", "plan", required=task.deadline, actual=end)


def inventory_faults(task: RobotTask, candidates: Iterable[Candidate]) -> Iterator[Violation]:
    """Yield the resources of which candidates take more than there is."""
    used = Counter[str]()
    for candidate in candidates:
        used.update(dict(candidate.cost))
    stock = task.inventory or {}
    for resource, amount in used.items():
        limit = stock.get(resource, amount)
        if amount > limit:
            yield Violation(None, "inventory", "plan", resource=resource, required=limit, actual=amount)
