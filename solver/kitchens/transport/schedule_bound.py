"""Lower bound of the steps of several cooks: the optimum of a schedule of mandatory work.

``README.md``, section "The bound by a schedule", has the argument; letters in brackets refer to its claims.

"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import islice, permutations
from math import ceil
from typing import NamedTuple

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import State
from planoracle.instances.errors import InternalError
from planoracle.instances.model.limits import Deadline, Status
from planoracle.solver.exact.cp_model import FAR, CpModel, negated, run
from planoracle.solver.kitchens.goals import Group
from planoracle.solver.kitchens.state_view import UNREACHABLE, Abstraction, Context, StateView
from planoracle.solver.kitchens.transport.mandatory_work import Chain, OpenChoiceError, Place, assignments, chains

# Largest number of assignments of items to roles; each takes about 0.1 s.
_MAX_ASSIGNMENTS = 24
# Limit of one schedule in units of CP-SAT's deterministic time.
_EFFORT = 0.6


def schedule_bound(
    context: Context,
    abstraction: Abstraction,
    start: State,
    groups: Sequence[tuple[int, Group]],
    longest: int,
    deadline: Deadline,
) -> int:
    """Return a lower bound of the steps from a state, 0 if there is none.

    It is for cooks that act in turns and have empty hands, before the first meal [A].

    Parameters
    ----------
    groups
        Groups, each with a lower bound.
    longest
        Steps of some plan, or more.

    Raises
    ------
    InternalError
        If even a plan of the longest length contradicts the schedule.
    TimeOverError
        Soon after the deadline.
    """
    view = abstraction.view(start)
    if not _is_suitable(context, abstraction, view):
        return 0
    ways = list(islice(assignments(context, groups), _MAX_ASSIGNMENTS + 1))
    if len(ways) > _MAX_ASSIGNMENTS:
        return 0
    players = abstraction.compiled.kitchen.players
    first = players.index(abstraction.compiled.player(start))
    cooks = [view.at[player] for player in (*players[first:], *players[:first])]  # from the current one on
    lowest = UNREACHABLE
    for bound, group, assignment in ways:
        try:
            listed = chains(context, view, group, assignment, cooks)
        except OpenChoiceError:
            return 0
        schedule = _Schedule(context, cooks, longest, deadline)
        lowest = min(lowest, max(bound, schedule.lower_bound(view, listed)))
    if lowest > longest:
        raise InternalError(f"no schedule has {longest} steps, but a plan has")
    return lowest


def _is_suitable(context: Context, abstraction: Abstraction, view: StateView) -> bool:
    """Return whether the claims hold [A]; all but the order of processes is checked here."""
    is_filling = any(predicate == context.fill.predicate for _, predicate, _ in view.ticks)
    if context.alone or abstraction.compiled.rules.moves != "turns":
        return False
    if view.hands or view.inside or is_filling:
        return False
    return len(view.at) == context.cooks and view.places.keys() >= {*context.items}


class _Event(NamedTuple):
    """Action of a cook: variables of the cook's turn and of the step, both from 0."""

    turn: int
    step: int


class _Carrying(NamedTuple):
    """Time in which a cook holds a thing; ``by`` has a literal for each cook."""

    pick: _Event
    put: _Event
    by: list[int]


class _Schedule:
    """Model of the mandatory work, with the cook and the step of every action."""

    def __init__(self, context: Context, cooks: Sequence[str], longest: int, deadline: Deadline) -> None:
        self.context, self.cooks = context, cooks
        self.n = len(cooks)
        self.longest = longest
        self.deadline = deadline
        self.model = CpModel(deadline)
        self.end = self.model.integer(0, longest)
        self.busy: list[list[int]] = [[] for _ in cooks]
        self.work: list[list[tuple[int, int]]] = [[] for _ in cooks]
        self.first_events: dict[str, _Event] = {}
        self.first_carryings: dict[str, _Carrying] = {}
        self.set_aside: dict[str, int] = {}  # by item, literal: it is carried once before its work begins
        self.deliveries: dict[Place, list[tuple[int, _Carrying]]] = defaultdict(list)
        # Steps from an action at a station to one of the next cook there, after a departure and an arrival [F].
        self.handover = 2 * self.n + 1

    def lower_bound(self, view: StateView, listed: Sequence[Chain]) -> int:
        """Return a lower bound of the steps of a schedule, more than the longest if there is none."""
        model = self.model
        for chain in listed:
            if chain.cover:
                self.set_aside[chain.cover] = model.boolean()
        for chain in listed:
            self.item(chain)
        for chain in listed:
            if chain.cover and chain.item in self.first_events:
                self.uncover(chain)
        self.meals(view)
        for carryings in self.deliveries.values():
            self.deliver(carryings)
        for cook, intervals in enumerate(self.busy):
            model.capacity([(interval, 1) for interval in intervals], 1)
            turns = [(literal, -self.n * length) for literal, length in self.work[cook]]
            model.linear([(self.end, 1), *turns], cook + 1 - self.n, FAR)
        model.minimize(self.end)
        outcome = run(model, deadline=self.deadline, presolve=True, linearization=1, deterministic=_EFFORT)
        if outcome.status == Status.infeasible:
            return self.longest + 1
        return max(0, ceil(outcome.bound - 1e-6))

    def event(self, by: Sequence[int]) -> _Event:
        """Add an action of the cook whose literal holds [B]."""
        model = self.model
        turn = model.integer(0, self.longest // self.n)
        step = model.integer(0, self.longest)
        cooks = [(literal, -cook) for cook, literal in enumerate(by)]
        model.linear([(step, 1), (turn, -self.n), *cooks], 0, 0)
        model.difference(self.end, step, 1)
        return _Event(turn, step)

    def choose_cook(self, *present: int) -> list[int]:
        """Return a literal for each cook, of which one holds, or none if a literal ``present`` does not hold."""
        by = [self.model.boolean() for _ in self.cooks]
        terms = [(literal, 1) for literal in by]
        missing = [(literal, -1) for literal in present]
        number = 0 if present else 1
        self.model.linear([*terms, *missing], number, number)
        return by

    def action(self, length: int, *present: int) -> tuple[_Event, list[int]]:
        """Add an action after which its cook is busy until ``length`` turns are over."""
        by = self.choose_cook(*present)
        event = self.event(by)
        for cook, literal in enumerate(by):
            self.busy[cook].append(self.model.interval(event.turn, length, literal))
            self.work[cook].append((literal, length))
        return event, by

    def carrying(self, *present: int) -> _Carrying:
        """Add a pick, a move and a put of one cook, who does nothing else meanwhile [C]."""
        put, by = self.action(1, *present)
        pick = self.event(by)
        length = self.model.integer(0, self.longest)
        for cook, literal in enumerate(by):
            self.model.difference(put.turn, pick.turn, 2, literal)
            self.busy[cook].append(self.model.span(pick.turn, put.turn, length, literal))
            self.work[cook].append((literal, 2))
        return _Carrying(pick, put, by)

    def walk(self, carrying: _Carrying, cooks: Sequence[int], earlier: _Carrying | None, *unless: int) -> None:
        """Add a move with empty hands before a pick [D].

        The cook needs none if it is one of ``cooks``, put the thing down earlier, or a literal of ``unless`` holds.
        """
        model = self.model
        walks = model.boolean()
        move, by = self.action(1, walks)
        model.difference(carrying.pick.turn, move.turn, 1, walks)
        for cook, literal in enumerate(carrying.by):
            model.clause(negated(by[cook]), literal)
            if cook not in cooks:
                stays = () if earlier is None else (earlier.by[cook],)
                model.clause(negated(literal), walks, *stays, *unless)

    def item(self, chain: Chain) -> None:
        """Add the work on an item [E]."""
        earlier: _Carrying | None = None
        latest: _Event | None = None
        lag = self.n
        for stage in chain.stages:
            if not stage.in_place:
                earlier = self.carry(chain, earlier, latest, lag)
                latest = earlier.put
            lag = self.n
            for _ in range(stage.actions):
                action, _ = self.action(1)
                self.follow(chain, action, latest, lag)
                latest = action
            if stage.actions:
                lag = max(self.n, stage.ticks)
        if chain.place is not None:
            carrying = self.carry(chain, earlier, latest, lag)
            self.deliveries[chain.place].append((chain.rank, carrying))

    def carry(self, chain: Chain, earlier: _Carrying | None, latest: _Event | None, lag: int) -> _Carrying:
        """Add the next carrying of an item."""
        carrying = self.carrying()
        self.follow(chain, carrying.pick, latest, lag)
        if earlier is not None:
            self.walk(carrying, (), earlier)
            return carrying
        unless = [self.set_aside[chain.item]] if chain.item in self.set_aside else []
        self.walk(carrying, chain.cooks, None, *unless)
        self.first_carryings[chain.item] = carrying
        return carrying

    def follow(self, chain: Chain, event: _Event, latest: _Event | None, lag: int) -> None:
        """Let an action on an item come after the latest one."""
        if latest is None:
            self.first_events[chain.item] = event
        else:
            self.model.difference(event.step, latest.step, lag)

    def uncover(self, chain: Chain) -> None:
        """Let the item on an item be taken away first [G]."""
        model, first = self.model, self.first_events[chain.item]
        carrying = self.first_carryings.get(chain.cover)
        if carrying is None:
            pick, _ = self.action(2)
            model.difference(first.step, pick.step, self.handover)
            return
        moved_first = self.set_aside[chain.cover]
        pick, _ = self.action(3, moved_first)
        model.difference(carrying.pick.step, pick.step, 3 * self.n, moved_first)
        model.difference(first.step, pick.step, self.handover, moved_first)
        model.difference(first.step, carrying.pick.step, self.handover, negated(moved_first))

    def deliver(self, carryings: Sequence[tuple[int, _Carrying]]) -> None:
        """Let one cook after the other come to a dish or to the pot of a meal [F]."""
        visits = [self.model.interval(carrying.put.step, self.handover) for _, carrying in carryings]
        self.model.capacity([(visit, 1) for visit in visits], 1)
        for (rank, carrying), (later_rank, later) in permutations(carryings, 2):
            if rank < later_rank:
                self.model.difference(later.put.step, carrying.put.step, self.handover)

    def meals(self, view: StateView) -> None:
        """Add the work on all meals, each in another pot or after another meal [H]."""
        context, model = self.context, self.model
        stations = [view.places[pot][0] for pot in context.pots if pot in view.places]
        moving = [station for station in stations if not context.suits(station, context.fill)]
        cooks = [cook for cook, station in enumerate(self.cooks) if station in moving]
        in_place: list[int] = []
        ways: list[list[int]] = []
        periods: list[tuple[_Event, _Event]] = []
        for number in range(len(context.roles.meals)):
            filling, _ = self.action(1)
            stands, is_carried = model.boolean(), model.boolean()
            carrying = self.carrying(is_carried)
            self.walk(carrying, cooks, None)
            model.difference(filling.step, carrying.put.step, self.n, is_carried)
            in_place.append(stands)
            ways.append([stands, is_carried])
            periods.append((filling, self.meal(number, filling)))
        model.at_most_sum(in_place, len(stations) - len(moving))
        for earlier, later in permutations(range(len(periods)), 2):
            refills = model.boolean()
            ways[later].append(refills)
            model.difference(periods[later][0].step, periods[earlier][1].step, 3 * self.n, refills)
        for literals in ways:
            model.clause(*literals)

    def meal(self, number: int, filling: _Event) -> _Event:
        """Add the work on a meal from its filling on; return its pouring into a bowl, if it is poured [I]."""
        context, model = self.context, self.model
        meal = context.roles.meals[number]
        added = [carrying for _, carrying in self.deliveries["meal", number]]
        filled = max(self.n, context.fill.ticks)
        before_pouring = [(filling, filled)]
        for carrying in added:
            model.difference(carrying.put.step, filling.step, filled)
            before_pouring.append((carrying.put, self.n))
        if meal.boiled:
            to_stove = self.carrying()
            model.difference(to_stove.pick.step, filling.step, filled)
            boiling, _ = self.action(1)
            model.difference(boiling.step, to_stove.put.step, self.n)
            before_pouring.append((boiling, self.n))
        if meal.vessel < 0 or context.roles.vessels[meal.vessel].kind == "pot":
            return filling
        pouring = self.carrying()
        for event, lag in before_pouring:
            model.difference(pouring.pick.step, event.step, lag)
        return pouring.put
