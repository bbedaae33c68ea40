"""Check of schedules by the definitions of the model, tick by tick, independent of the general rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, permutations, product
from typing import NamedTuple

from planoracle.instances.model.instance import Action, Demand, Instance, Variant
from planoracle.instances.model.schedule import Piece
from planoracle.instances.model.transitions import Transitions


class Run(NamedTuple):
    """An executed action.

    Attributes
    ----------
    action, variant
        Action, and the action in the chosen mode.
    pieces
        Pieces by start.
    """

    action: Action
    variant: Variant
    pieces: tuple[Piece, ...]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Begin and end of each stretch that counts as one piece."""
        if self.action.pauses_in_breaks:
            return [(self.pieces[0].start, self.pieces[-1].end)]
        return [(piece.start, piece.end) for piece in self.pieces]

    @property
    def held_spans(self) -> list[tuple[int, int]]:
        """Spans of ticks for which an agent is held."""
        if not self.variant.attended:
            return []
        if self.action.interruptible or self.action.pauses_in_breaks:
            return self.spans
        start = self.pieces[0].start
        return [(start, start + self.variant.attended)]

    @property
    def starts(self) -> list[tuple[str | None, int]]:
        """Agent and instant of each start without attention."""
        if self.variant.attended or not self.variant.agents:
            return []
        pieces = self.pieces[:1] if self.action.pauses_in_breaks else self.pieces
        return [(piece.agent, piece.start) for piece in pieces]


def is_valid(instance: Instance, pieces: Sequence[Piece]) -> bool:
    """Return whether a schedule keeps all rules."""
    runs = _runs(instance, pieces)
    if runs is None or not _is_complete(instance, runs):
        return False
    checks = (_keeps_shape, _keeps_windows, _keeps_off_times)
    if not all(check(instance, run) for check in checks for run in runs.values()):
        return False
    all_checks = (_keeps_budgets, _keeps_agents, _keeps_capacities, _keeps_states, _keeps_ways, _keeps_lags)
    return all(check(instance, runs) for check in all_checks)


def _runs(instance: Instance, pieces: Sequence[Piece]) -> dict[str, Run] | None:
    """Return the executed actions, ``None`` if a mode is wrong."""
    groups: dict[str, list[Piece]] = defaultdict(list)
    for piece in pieces:
        groups[piece.action].append(piece)
    runs = {}
    for name, group in groups.items():
        modes = {piece.mode for piece in group}
        mode = min(modes)
        if len(modes) > 1 or not 0 <= mode < len(instance.variants[name]):
            return None
        group.sort(key=lambda piece: piece.start)
        runs[name] = Run(instance.by_id[name], instance.variants[name][mode], tuple(group))
    return runs


def _is_complete(instance: Instance, runs: dict[str, Run]) -> bool:
    """Return whether each task is executed as a whole, or optional and left out."""
    for task in instance.tasks:
        names = [action.id for action in instance.actions if action.task == task]
        count = sum(name in runs for name in names)
        is_left_out = count == 0 and task in instance.weights
        if count < len(names) and not is_left_out:
            return False
    return True


def _keeps_shape(instance: Instance, run: Run) -> bool:
    """Return whether agents, durations and interruptions are right."""
    action, variant, pieces = run
    if variant.duration == 0:
        if len(pieces) > 1 or pieces[0].duration:
            return False
    elif min(piece.duration for piece in pieces) < 1 or sum(piece.duration for piece in pieces) != variant.duration:
        return False
    if any(later.start < earlier.end for earlier, later in pairwise(pieces)):
        return False
    if len(pieces) > 1 and not (action.interruptible or action.pauses_in_breaks):
        return False
    agents = {piece.agent for piece in pieces}
    if action.pauses_in_breaks and len(agents) > 1:
        return False
    return agents <= set(variant.agents) if variant.agents else agents == {None}


def _keeps_windows(instance: Instance, run: Run) -> bool:
    """Return whether each piece lies in a window that is cut to release and deadline."""
    action = run.action
    latest = [limit for limit in (action.deadline, instance.time_limit) if limit is not None]
    last = min(latest, default=10**12)
    windows = [(max(begin, action.release), min(end, last)) for begin, end in action.windows or ((0, 10**12),)]
    return all(any(begin <= piece.start and piece.end <= end for begin, end in windows) for piece in run.pieces)


def _is_off(instance: Instance, member: str | None, tick: int) -> bool:
    """Return whether a member is off in a tick."""
    for calendar in instance.calendars:
        if member not in calendar.members:
            continue
        for begin, end in calendar.off:
            if calendar.period is None and begin <= tick < end:
                return True
            if calendar.period is not None and (tick - begin) % calendar.period < end - begin:
                return True
    return False


def _keeps_off_times(instance: Instance, run: Run) -> bool:
    """Return whether agents and resources are on, and pauses in breaks are exactly the off-times."""
    variant, first = run.variant, run.pieces[0]
    work = [tick for piece in run.pieces for tick in range(piece.start, piece.end)]
    resources = [demand.resource for demand in variant.demands]
    used = work or [first.start]
    if any(_is_off(instance, name, tick) for name, tick in product(resources, used)):
        return False
    if any(_is_off(instance, agent, instant) for agent, instant in run.starts):
        return False
    if not run.action.pauses_in_breaks:
        for piece in run.pieces:
            if any(_is_off(instance, piece.agent, tick) for tick in _held_ticks(run, piece)):
                return False
        return True
    members = [*resources, first.agent] if variant.attended else resources
    expected: list[int] = []
    tick = first.start
    while len(expected) < variant.duration and tick <= work[-1]:
        if not any(_is_off(instance, member, tick) for member in members):
            expected.append(tick)
        tick += 1
    return expected == work


def _held_ticks(run: Run, piece: Piece) -> range:
    ticks = piece.duration if run.action.interruptible else run.variant.attended
    return range(piece.start, piece.start + ticks) if run.variant.attended else range(0)


def _keeps_budgets(instance: Instance, runs: dict[str, Run]) -> bool:
    for resource in instance.resources:
        demands = chain.from_iterable(run.variant.demands for run in runs.values())
        amount = sum(demand.amount for demand in demands if demand.resource == resource.name)
        if not resource.renewable and amount > resource.capacity:
            return False
    return True


def _keeps_agents(instance: Instance, runs: dict[str, Run]) -> bool:
    """Return whether no agent does two things at once, or starts something inside another."""
    spans_by_agent: dict[str | None, list[tuple[int, int]]] = defaultdict(list)
    for run in runs.values():
        for number, span in enumerate(run.held_spans):
            spans_by_agent[run.pieces[number].agent].append(span)
    for spans in spans_by_agent.values():
        ticks = [tick for begin, end in spans for tick in range(begin, end)]
        if len(set(ticks)) < len(ticks):
            return False
    starts = chain.from_iterable(run.starts for run in runs.values())
    return not any(_is_inside(instant, spans_by_agent[agent]) for agent, instant in starts)


def _is_inside(instant: int, spans: list[tuple[int, int]]) -> bool:
    return any(begin < instant < end for begin, end in spans)


class Use(NamedTuple):
    """Use of a resource by a run, in one of its spans."""

    name: str
    start: int
    end: int
    demand: Demand
    may_pause: bool
    is_attended: bool


def _uses(instance: Instance, runs: dict[str, Run], resource: str) -> list[Use]:
    uses = []
    for name, run in runs.items():
        may_pause = run.action.interruptible or run.action.pauses_in_breaks
        for demand in run.variant.demands:
            if demand.resource == resource:
                for start, end in run.spans:
                    uses.append(Use(name, start, end, demand, may_pause, run.variant.attended > 0))
    return uses


def _state_before(instance: Instance, resource: str, uses: list[Use], use: Use) -> set[str | None]:
    """Return the state, or the states set at one instant, before a use begins."""
    settings = [entry for entry in uses if entry.demand.sets is not None and entry.start < use.start]
    if not settings:
        return {instance.resource[resource].state}
    last = max(entry.start for entry in settings)
    return {entry.demand.sets for entry in settings if entry.start == last}


def _holds(instance: Instance, resource: str, uses: list[Use], use: Use, state: str) -> bool:
    """Return whether a resource is in a state during a use, apart from what the use itself sets."""
    for entry in uses:
        is_during = use.start <= entry.start < max(use.end, use.start + 1)
        if entry is not use and entry.demand.sets not in (None, state) and is_during:
            return False
    return _state_before(instance, resource, uses, use) == {state}


def _keeps_states(instance: Instance, runs: dict[str, Run]) -> bool:
    for resource in instance.resource:
        uses = _uses(instance, runs, resource)
        for use in uses:
            if use.demand.requires is not None and not _holds(instance, resource, uses, use, use.demand.requires):
                return False
    return True


def _keeps_capacities(instance: Instance, runs: dict[str, Run]) -> bool:
    """Return whether no tick has too large a load.

    Settings may share the room of uses over the same interval.
    """
    for resource in instance.resources:
        if not resource.renewable:
            continue
        uses = _uses(instance, runs, resource.name)
        if any(use.demand.amount > resource.capacity for use in uses):
            return False
        loads: dict[int, int] = defaultdict(int)
        for use in uses:
            if _takes_room(instance, resource.name, uses, use):
                for tick in range(use.start, use.end):
                    loads[tick] += use.demand.amount
        if max(loads.values(), default=0) > resource.capacity:
            return False
    return True


def _takes_room(instance: Instance, resource: str, uses: list[Use], use: Use) -> bool:
    if use.demand.sets is None or use.may_pause:
        return True
    if _has_room_of_use(instance, resource, uses, use):
        return False
    same = [entry for entry in uses if _is_same_interval(entry, use) and entry.demand.sets == use.demand.sets]
    rivals = [entry for entry in same if not entry.may_pause and not _has_room_of_use(instance, resource, uses, entry)]
    return max(rivals, key=lambda entry: entry.demand.amount) is use


def _has_room_of_use(instance: Instance, resource: str, uses: list[Use], setting: Use) -> bool:
    """Return whether a setting shares the room of a use that sets nothing."""
    assert setting.demand.sets is not None
    if not _holds(instance, resource, uses, setting, setting.demand.sets):
        return False
    for entry in uses:
        is_plain = entry.demand.sets is None and not entry.may_pause
        comes_first = setting.is_attended or not entry.is_attended
        is_large = entry.demand.amount >= setting.demand.amount
        if is_plain and comes_first and is_large and _is_same_interval(entry, setting):
            return True
    return False


def _is_same_interval(use: Use, other_use: Use) -> bool:
    return (use.start, use.end) == (other_use.start, other_use.end)


def _keeps_ways(instance: Instance, runs: dict[str, Run]) -> bool:
    """Return whether each member with transitions has a path through its visits."""
    for table in instance.transitions:
        for member in table.members:
            visits = sorted(_visits(instance, runs, member))
            groups: dict[tuple[int, int], list[tuple[int, int, str]]] = defaultdict(list)
            for visit in visits:
                groups[visit[:2]].append(visit)
            orders = product(*(permutations(group) for group in groups.values()))
            start = dict(table.start).get(member)
            if not any(_is_path(table, start, list(chain.from_iterable(order))) for order in orders):
                return False
    return True


def _visits(instance: Instance, runs: dict[str, Run], member: str) -> Iterator[tuple[int, int, str]]:
    for run in runs.values():
        place = run.action.place
        if place is not None:
            for number, (begin, end) in enumerate(run.held_spans):
                if run.pieces[number].agent == member:
                    yield begin, end, place
            for agent, instant in run.starts:
                if agent == member:
                    yield instant, instant, place
        for demand in run.variant.demands:
            if demand.resource == member and demand.family is not None:
                for begin, end in run.spans:
                    yield begin, end, demand.family


def _is_path(table: Transitions, start: str | None, visits: list[tuple[int, int, str]]) -> bool:
    times = {(before, after): ticks for before, after, ticks in table.times}
    place, since = start, 0
    for begin, end, target in visits:
        ticks = times.get((str(place), target), 0 if place in (None, target) else None)
        if ticks is None or begin - since < ticks:
            return False
        place, since = target, end
    return True


def _keeps_lags(instance: Instance, runs: dict[str, Run]) -> bool:
    ends = {name: run.pieces[-1].end for name, run in runs.items()}
    for run in runs.values():
        for before in run.variant.after:
            if before in ends and run.pieces[0].start < ends[before]:
                return False
    for lag in instance.lags:
        if lag.before not in runs or lag.after not in runs:
            continue
        starts = [begin for begin, _ in runs[lag.after].spans]
        gaps = [begin - ends[lag.before] for begin in starts]
        if lag.minimum is not None and min(gaps) < lag.minimum:
            return False
        if lag.maximum is not None and max(gaps) > lag.maximum:
            return False
    return True
