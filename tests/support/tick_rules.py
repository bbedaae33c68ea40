"""Second implementation of the general rules: tick by tick, slow, and without the code of the first.

It only says whether a schedule keeps all rules. Its clauses follow the page on the model, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, combinations, groupby, pairwise, permutations, product
from typing import NamedTuple

from planoracle.instances.model.instance import Action, Demand, Instance, Variant
from planoracle.instances.model.schedule import Piece, Schedule


class Use(NamedTuple):
    """Use of a resource over an interval, which covers the pauses of an action that pauses in breaks."""

    action: Action
    variant: Variant
    demand: Demand
    start: int
    end: int


class Visit(NamedTuple):
    """Visit of an agent or a resource."""

    start: int
    end: int
    place: str | None


class TickRules:
    """Rules for one schedule in normal form."""

    def __init__(self, instance: Instance, schedule: Schedule) -> None:
        self.instance = instance
        self.runs: dict[str, list[Piece]] = {}
        for piece in sorted(schedule.pieces, key=lambda piece: piece.start):
            self.runs.setdefault(piece.action, []).append(piece)

    def are_kept(self) -> bool:
        """Return whether the schedule keeps all rules."""
        if not self.has_right_actions() or not all(map(self.is_right_run, self.runs)):
            return False
        clauses = (
            self.respects_calendars,
            self.respects_agents,
            self.respects_capacities,
            self.respects_budgets,
            self.respects_states,
            self.respects_transitions,
            self.respects_lags,
        )
        return all(clause() for clause in clauses)

    def has_right_actions(self) -> bool:
        """Return whether every mandatory task is executed, and every optional one as a whole or not at all."""
        for task in self.instance.tasks:
            flags = {action.id in self.runs for action in self.instance.actions if action.task == task}
            if flags not in ({True}, {False}) or (flags == {False} and task not in self.instance.weights):
                return False
        return True

    def parts(self, name: str) -> tuple[Action, Variant, list[Piece]]:
        """Return an action, its variant and its pieces."""
        pieces = self.runs[name]
        return self.instance.by_id[name], self.instance.variants[name][pieces[0].mode], pieces

    def is_right_run(self, name: str) -> bool:
        """Return whether modes, agents, durations, windows and pauses of an action are right."""
        action = self.instance.by_id[name]
        pieces = self.runs[name]
        if any(not 0 <= piece.mode < len(action.modes) or piece.mode != pieces[0].mode for piece in pieces):
            return False
        variant = self.instance.variants[name][pieces[0].mode]
        agents = {piece.agent for piece in pieces}
        if action.pauses_in_breaks and not variant.attended and pieces[0].agent is not None:
            agents.discard(None)  # nobody has to resume it
        if not agents <= set(variant.agents or (None,)):
            return False
        if action.pauses_in_breaks and len(agents) > 1:
            return False
        if sum(piece.duration for piece in pieces) != variant.duration:
            return False
        if any(piece.duration < min(variant.duration, 1) for piece in pieces):
            return False
        if any(second.start < first.end for first, second in pairwise(pieces)):
            return False
        if len(pieces) > 1 and not action.interruptible and not (action.pauses_in_breaks and variant.duration):
            return False
        return all(self.is_in_window(action, piece) for piece in pieces) and self.pauses_in_breaks_only(name)

    def is_in_window(self, action: Action, piece: Piece) -> bool:
        """Return whether a piece lies inside a window cut to release and deadline."""
        limits = [limit for limit in (action.deadline, self.instance.time_limit) if limit is not None]
        latest = min(limits, default=10**9)
        for begin, end in action.windows or ((0, 10**9),):
            if max(begin, action.release) <= piece.start and piece.end <= min(end, latest):
                return True
        return False

    def pauses_in_breaks_only(self, name: str) -> bool:
        """Return whether an action that pauses in breaks works in exactly the ticks in which it can."""
        action, variant, pieces = self.parts(name)
        if not action.pauses_in_breaks:
            return True
        worked = {tick for piece in pieces for tick in range(piece.start, piece.end)}
        needed = [demand.resource for demand in variant.demands]
        if variant.attended and pieces[0].agent is not None:
            needed.append(pieces[0].agent)
        for tick in range(pieces[0].start, pieces[-1].end):
            is_break = any(self.is_off(member, tick) for member in needed)
            if (tick in worked) == is_break:
                return False
        return True

    def is_off(self, member: str | None, tick: int) -> bool:
        """Return whether a member is off in a tick."""
        for calendar in self.instance.calendars:
            if member not in calendar.members:
                continue
            for begin, end in calendar.off:
                if calendar.period is None:
                    instants = [tick]
                else:  # an off-time is shorter than a period
                    instants = [tick % calendar.period, tick % calendar.period + calendar.period]
                if any(begin <= instant < end for instant in instants):
                    return True
        return False

    def respects_calendars(self) -> bool:
        """Return whether nothing works, starts or is used while it is off."""
        for name in self.runs:
            action, variant, pieces = self.parts(name)
            for number, piece in enumerate(pieces):
                ticks = range(piece.start, max(piece.end, piece.start + 1))
                for demand in variant.demands:
                    if any(self.is_off(demand.resource, tick) for tick in ticks):
                        return False
                attended = ticks[: variant.attended]
                if variant.attended and (action.interruptible or action.pauses_in_breaks):
                    attended = ticks
                if any(self.is_off(piece.agent, tick) for tick in attended):
                    return False
                is_start = number == 0 or not action.pauses_in_breaks
                if is_start and self.is_off(piece.agent, piece.start):
                    return False
        return True

    def spans(self, name: str) -> list[tuple[int, int, str | None]]:
        """Return start and end of the attendance of each piece, or its start twice, and the agent."""
        action, variant, pieces = self.parts(name)
        if action.pauses_in_breaks:
            end = pieces[-1].end if variant.attended else pieces[0].start
            return [(pieces[0].start, end, pieces[0].agent)]
        if action.interruptible and variant.attended:
            return [(piece.start, piece.end, piece.agent) for piece in pieces]
        return [(piece.start, piece.start + variant.attended, piece.agent) for piece in pieces]

    def respects_agents(self) -> bool:
        """Return whether no agent attends to two actions, or starts an action strictly inside another one."""
        spans = [span for name in self.runs for span in self.spans(name)]
        for first, second in combinations(spans, 2):
            if first[2] is None or first[2] != second[2]:
                continue
            for (start, end, _), (begin, stop, _) in ((first, second), (second, first)):
                if start < begin < end or (start == begin and start < end and begin < stop):
                    return False
        return True

    def uses(self, resource: str) -> list[Use]:
        """Return the uses of a resource."""
        uses = []
        for name in self.runs:
            action, variant, pieces = self.parts(name)
            intervals = [(piece.start, piece.end) for piece in pieces]
            if action.pauses_in_breaks:
                intervals = [(pieces[0].start, pieces[-1].end)]
            for demand in variant.demands:
                if demand.resource == resource:
                    uses += [Use(action, variant, demand, start, end) for start, end in intervals]
        return uses

    def respects_capacities(self) -> bool:
        """Return whether the amounts in use exceed no capacity, without those that take no room."""
        for resource in self.instance.resources:
            uses = self.uses(resource.name)
            if any(use.demand.amount > resource.capacity for use in uses):
                return False
            if not resource.renewable:
                continue
            counted = [use for number, use in enumerate(uses) if self.takes_room(number, uses)]
            for tick in {use.start for use in uses}:
                if sum(use.demand.amount for use in counted if use.start <= tick < use.end) > resource.capacity:
                    return False
        return True

    def takes_room(self, number: int, uses: list[Use]) -> bool:
        """Return whether a use takes room beside the uses over exactly the same interval."""
        use = uses[number]
        if use.demand.sets is None or use.action.pauses_in_breaks:
            return True
        if self.is_beside_larger_use(use, uses):
            return False
        for place, rival in enumerate(uses):
            if place == number or (rival.start, rival.end) != (use.start, use.end) or rival.action.pauses_in_breaks:
                continue
            is_first = (-rival.demand.amount, place) < (-use.demand.amount, number)
            if is_first and rival.demand.sets == use.demand.sets and not self.is_beside_larger_use(rival, uses):
                return False
        return True

    def is_beside_larger_use(self, use: Use, uses: list[Use]) -> bool:
        """Return whether a use that sets nothing makes room for a setting of the state that the resource has."""
        sets = use.demand.sets
        assert sets is not None
        if not self.is_state(use, sets, uses):
            return False
        for rival in uses:
            may_pause = rival.action.interruptible or rival.action.pauses_in_breaks
            if rival.demand.sets is not None or may_pause or (rival.start, rival.end) != (use.start, use.end):
                continue
            if rival.demand.amount >= use.demand.amount and (use.variant.attended or not rival.variant.attended):
                return True
        return False

    def is_state(self, use: Use, state: str, uses: list[Use]) -> bool:
        """Return whether a resource has a state before a use, and no other action sets another one during it."""
        settings = [rival for rival in uses if rival.demand.sets is not None and rival is not use]
        earlier = [rival for rival in settings if rival.start < use.start]
        before: set[str | None] = {self.instance.resource[use.demand.resource].state}
        if earlier:
            latest = max(rival.start for rival in earlier)
            before = {rival.demand.sets for rival in earlier if rival.start == latest}
        end = max(use.end, use.start + 1)
        during = {rival.demand.sets for rival in settings if use.start <= rival.start < end}
        return before == {state} and during <= {state}

    def respects_budgets(self) -> bool:
        """Return whether the amounts of all executed actions exceed no budget."""
        for resource in self.instance.resources:
            if resource.renewable:
                continue
            total = 0
            for name in self.runs:
                _, variant, _ = self.parts(name)
                total += sum(demand.amount for demand in variant.demands if demand.resource == resource.name)
            if total > resource.capacity:
                return False
        return True

    def respects_states(self) -> bool:
        """Return whether every required state is there."""
        for resource in self.instance.resources:
            uses = self.uses(resource.name)
            for use in uses:
                if use.demand.requires is not None and not self.is_state(use, use.demand.requires, uses):
                    return False
        return True

    def visits(self, member: str) -> Iterator[Visit]:
        """Yield the visits of an agent or a resource."""
        for name in self.runs:
            action = self.instance.by_id[name]
            for start, end, agent in self.spans(name):
                if agent == member:
                    yield Visit(start, end, action.place)
        for use in self.uses(member):
            yield Visit(use.start, use.end, use.demand.family)

    def respects_transitions(self) -> bool:
        """Return whether the visits of each member have an order with enough time in between."""
        for transitions in self.instance.transitions:
            ways = {(before, after): ticks for before, after, ticks in transitions.times}
            for member in transitions.members:
                visits = sorted(self.visits(member), key=lambda visit: visit[:2])
                groups = [list(group) for _, group in groupby(visits, key=lambda visit: visit[:2])]
                start = dict(transitions.start).get(member)
                first = [] if start is None else [Visit(0, 0, start)]
                orders = product(*(list(permutations(group)) for group in groups))
                if not any(_is_path([*first, *chain.from_iterable(order)], ways) for order in orders):
                    return False
        return True

    def respects_lags(self) -> bool:
        """Return whether time lags and predecessors of modes are respected; void ones are left out."""
        ends = {name: max(piece.end for piece in pieces) for name, pieces in self.runs.items()}
        for name in self.runs:
            _, variant, pieces = self.parts(name)
            if any(before in ends and pieces[0].start < ends[before] for before in variant.after):
                return False
        for lag in self.instance.lags:
            if lag.before not in ends or lag.after not in ends:
                continue
            action, _, pieces = self.parts(lag.after)
            starts = [piece.start - ends[lag.before] for piece in pieces]
            if lag.minimum is not None and starts[0] < lag.minimum:
                return False
            latest = starts[0] if action.pauses_in_breaks else starts[-1]
            if lag.maximum is not None and latest > lag.maximum:
                return False
        return True


def _is_path(visits: list[Visit], ways: Mapping[tuple[str, str], int]) -> bool:
    """Return whether consecutive visits have a way between them, and time for it."""
    for before, after in pairwise(visits):
        assert before.place is not None
        assert after.place is not None
        way = ways.get((before.place, after.place), 0 if before.place == after.place else None)
        if way is None or after.start < before.end + way:
            return False
    return True
