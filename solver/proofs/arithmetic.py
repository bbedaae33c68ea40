"""Sums that show a contradiction, for conflicts that a person can add up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.limits import NO_LIMIT, Deadline
from planoracle.instances.model.mode_values import has_values
from planoracle.instances.model.state import NOW
from planoracle.instances.protocol.feedback import span
from planoracle.instances.protocol.schedule_benchmark import moment
from planoracle.solver.exact.bounds import longest_duration, shortest_duration, windows
from planoracle.solver.proofs.constraints import Constraint, beginning_of, deadline_text, member_name, name_of

# Counted work (seconds) of an edge.
_EDGE = 2e-7
_TIMES = {"decision", "clock", "release", "deadline", "window", "minimum", "maximum", "after", "limit"}
_WORK = {"attendance", "start", "eligibility", "calendar"}


def arithmetic(weakened: Instance, constraints: Iterable[Constraint], deadline: Deadline = NO_LIMIT) -> str:
    """Return a contradiction as a sum in one line; empty if there is no such sum, or the deadline passed.

    A contradiction of times compares the least and the largest time between two instants. One of work, of agents or of
    one resource under a time limit, compares the work with the available time.

    Parameters
    ----------
    weakened
        The instance with these constraints only (`planoracle.solver.proofs.constraints.only`).

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action, Lag
    >>> from planoracle.solver.proofs.constraints import constraints
    >>> actions = Action("t/a", "t", 3, 0, agents=()), Action("t/b", "t", 2, 0, agents=())
    >>> hurried = Instance("p", actions, (Lag("t/a", "t/b", 1),), time_limit=5)
    >>> arithmetic(hurried, constraints(hurried))
    '3 ticks (t/a) + 1 tick (from t/a to t/b) + 2 ticks (t/b) = 6 ticks, more than 5 ticks (time limit)'
    """
    kinds = {constraint.kind for constraint in constraints}
    if kinds <= _TIMES:
        return _cycle_text(weakened, deadline)
    if kinds - _TIMES <= _WORK:
        return _work_text(weakened)
    limited = (constraint for constraint in constraints if constraint.kind in ("use", "state"))
    resources = {constraint.subject[1] for constraint in limited}
    if kinds - _TIMES - {"calendar"} == {"use"} and len(resources) == 1:
        return _use_text(weakened, *resources)
    return ""


class _Edge(NamedTuple):
    """``value[target] >= value[source] + ticks``.

    Nodes are 2i for starts, 2i + 1 for finishes, -1 for time 0.
    """

    source: int
    target: int
    ticks: int
    label: str


def _edges(instance: Instance) -> list[_Edge]:
    index = instance.index
    names = [name_of(instance, action.id) for action in instance.actions]
    beginning = beginning_of(instance)
    edges: list[_Edge] = []
    for i, action in enumerate(instance.actions):
        start, finish = 2 * i, 2 * i + 1
        name = names[i]
        edges.append(_Edge(-1, start, action.release, f"release of {name}"))
        edges.append(_Edge(start, finish, shortest_duration(action), name))
        if not (action.interruptible or action.pauses_in_breaks):
            edges.append(_Edge(finish, start, -longest_duration(action), name))
        edges += _window_edges(action, start, finish, name)
        if instance.time_limit is not None:
            edges.append(_Edge(finish, -1, -instance.time_limit, "time limit"))
        if len(action.modes) == 1:
            for before in action.modes[0].after:
                end = 2 * index[before] + 1
                edges.append(_Edge(end, start, 0, ""))
    for lag in instance.lags:
        i, j = index[lag.before], index[lag.after]
        finish, start = 2 * i + 1, 2 * j
        label = f"from {names[i]} to {names[j]}"
        if lag.before in (NOW, beginning):
            label = f"until {names[j]} starts"
        if lag.minimum is not None:
            edges.append(_Edge(finish, start, lag.minimum, label))
        if deadline := deadline_text(instance, lag):
            names_text, ticks = deadline
            label = f"the deadline of {names_text}"
            edges.append(_Edge(start + 1, finish, -ticks, label))
        elif lag.maximum is not None:
            edges.append(_Edge(start, finish, -lag.maximum, label))
    return edges


def _window_edges(action: Action, start: int, finish: int, name: str) -> Iterator[_Edge]:
    """Yield the bounds of an action by its deadline, and by its first and last windows."""
    if action.deadline is not None:
        yield _Edge(finish, -1, -action.deadline, f"the deadline of {name}")
    if action.windows:
        yield _Edge(-1, start, action.windows[0][0], f"the first window of {name}")
        yield _Edge(finish, -1, -action.windows[-1][1], f"the last window of {name}")


def _cycle_text(instance: Instance, deadline: Deadline) -> str:
    nodes = 2 * len(instance.actions) + 1
    cycle = _positive_cycle(nodes, _edges(instance), deadline)
    if not cycle:
        return ""
    needed = [(edge.ticks, edge.label) for edge in cycle if edge.ticks > 0]
    allowed = [(-edge.ticks, edge.label) for edge in cycle if edge.ticks < 0]
    return f"{_sum(instance, needed)}, more than {_sum(instance, allowed)}"


def _positive_cycle(nodes: int, edges: Sequence[_Edge], deadline: Deadline) -> list[_Edge]:
    """Return a cycle of positive length, from its first node in time on (Bellman-Ford).

    Empty if there is none, or none was found before the deadline.
    """
    value = [0] * nodes  # time 0 is the last node
    into: dict[int, _Edge] = {}
    last = None
    for _ in range(nodes + 1):
        if deadline.over(_EDGE * len(edges)):
            return []
        last = None
        for edge in edges:
            if value[edge.source] + edge.ticks > value[edge.target]:
                value[edge.target] = value[edge.source] + edge.ticks
                into[edge.target % nodes] = edge
                last = edge.target % nodes
        if last is None:
            return []
    assert last is not None
    for _ in range(nodes):  # walk back onto the cycle
        last = into[last].source % nodes
    cycle = [into[last]]
    while cycle[-1].source % nodes != last:
        cycle.append(into[cycle[-1].source % nodes])
    cycle.reverse()
    # Begin after the largest allowed time, so that the sum follows the order of time.
    largest_time = min(range(len(cycle)), key=lambda k: cycle[k].ticks)
    turn = largest_time + 1
    return cycle[turn:] + cycle[:turn]


def _sum(instance: Instance, terms: Sequence[tuple[int, str]]) -> str:
    texts = []
    total = 0
    for ticks, label in terms:
        texts.append(f"{span(instance, ticks)} ({label})")
        total += ticks
    if len(texts) == 1:
        return texts[0]
    total_text = span(instance, total)
    return f"{' + '.join(texts)} = {total_text}" if texts else total_text


class _Machine(NamedTuple):
    """Agents or a resource: words that begin a sentence, units of capacity in all, and names."""

    owner: str
    width: int
    names: tuple[str, ...]

    def off_ticks(self, instance: Instance, name: str, begin: int, end: int) -> int:
        """Return for how many ticks of a span an agent or resource is off."""
        ticks = 0
        for off_begin, off_end in instance.off_times[name].until(end) if name in instance.off_times else ():
            ticks += max(0, min(off_end, end) - max(off_begin, begin))
        return ticks

    def available(self, instance: Instance, begin: int, end: int) -> int:
        """Return the time of all units together in a span."""
        off = sum(self.off_ticks(instance, name, begin, end) for name in self.names)
        return self.width * (end - begin) - off * (self.width // len(self.names))

    def reasons(self, instance: Instance, begin: int, end: int) -> Iterator[str]:
        """Yield for how long the agents or the resource are off in a span."""
        for name in self.names:
            if ticks := self.off_ticks(instance, name, begin, end):
                yield f"{member_name(instance, name)} is off for {span(instance, ticks)} of that time"


def _work_text(instance: Instance) -> str:
    attended = []
    agents: set[str] = set()
    for i, action in enumerate(instance.actions):
        if any(map(has_values, action.modes)):
            return ""
        if action.attended:
            attended.append((i, action.attended))
            agents.update(instance.eligible(action))
    owner = "the agent has"
    if len(agents) != 1:
        owner = f"the {len(agents)} agents together have"
    return _load_text(instance, attended, attended, _Machine(owner, len(agents), tuple(sorted(agents))))


def _use_text(instance: Instance, resource: str) -> str:
    members, work = [], []
    for i, action in enumerate(instance.actions):
        if any(map(has_values, action.modes)) or not instance.resource[resource].renewable:
            return ""
        amounts = []
        for mode in action.modes:
            if any(demand.sets is not None for demand in mode.demands):
                return ""  # settings may share capacity
            amounts.append(sum(demand.amount for demand in mode.demands if demand.resource == resource))
        amount = min(amounts)
        if amount and action.duration:
            members.append((i, action.duration))
            work.append((i, action.duration * amount))
    capacity = instance.resource[resource].capacity
    owner = f"the {resource} has"
    if capacity != 1:
        owner = f"the {capacity} units of {resource} together have"
    return _load_text(instance, members, work, _Machine(owner, capacity, (resource,)))


def _latest_end(instance: Instance, members: Sequence[tuple[int, int]], tail: int) -> tuple[int, bool] | None:
    """Return the last tick by which some actions end, and whether it is a deadline; ``None`` without any."""
    deadlines = [instance.actions[i].deadline for i, _ in members]
    last = None if None in deadlines else max(deadline for deadline in deadlines if deadline is not None)
    limit = None if instance.time_limit is None else instance.time_limit - tail
    if last is not None and (limit is None or last < limit):
        return last, True
    return None if limit is None else (limit, False)


def _load_text(
    instance: Instance, members: Sequence[tuple[int, int]], work: Sequence[tuple[int, int]], machine: _Machine
) -> str:
    """Compare the work of some actions with the time available for it.

    It starts after the first head, and ends before the last tail or deadline.
    """
    if not members:
        return ""
    bounds = windows(instance)
    head = min(bounds.head[i] for i, _ in members)
    tails = []
    for i, ticks in members:
        unheld = instance.actions[i].duration - ticks
        tails.append(bounds.tail[i] + unheld)
    tail = min(tails)
    latest = _latest_end(instance, members, tail)
    if latest is None:
        return ""
    end, is_deadline = latest
    available = machine.available(instance, head, end) if end > head else 0
    if sum(ticks for _, ticks in work) <= available:
        return ""
    terms = []
    for i, ticks in work:
        name = name_of(instance, instance.actions[i].id)
        terms.append((ticks, name))
    reasons = []
    if head:
        reasons.append(f"none of these actions can start in the first {span(instance, head)}")
    if is_deadline:
        reasons.append(f"the last of their deadlines is at {moment(instance, end)}")
    elif tail:
        reasons.append(f"at least {span(instance, tail)} must pass after the last of them")
    reasons += machine.reasons(instance, head, end)
    reason = f", as {' and '.join(reasons)}" if reasons else ""
    sum_text = _sum(instance, terms)
    available_text = span(instance, max(0, available))
    return f"{sum_text} of work, but {machine.owner} {available_text} for it{reason}"
