"""Assignment of transport tasks to cooks and turns by CP-SAT, with minimum makespan."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from planoracle.instances.model.limits import Deadline, Status
from planoracle.solver.exact.cp_model import FAR, CpModel, negated, run
from planoracle.solver.kitchens.transport.transport_tasks import TransportTask

# Limit in units of CP-SAT's deterministic time.
_EFFORT = 0.6


class ScheduleInput(NamedTuple):
    """Data of a kitchen that a schedule needs.

    Attributes
    ----------
    cooks
        Stations of the cooks, in the order of their turns, beginning with the current cook.
    places
        Station of every thing.
    free
        Number of stations of every kind that are empty or will be cleared.
    standing
        By thing that will be carried, the kind of its station at the start.
    vessels
        Things that cannot be put on a pile.
    joint
        True if one tick passes for the turns of all cooks.
    late
        Delay of effects in ticks, because they miss ticks in which others end.
    """

    cooks: tuple[str, ...]
    places: dict[str, str]
    free: dict[str, int]
    standing: dict[str, str]
    vessels: frozenset[str]
    joint: bool
    late: int = 0


class CookTurn(NamedTuple):
    """Scheduled transport task: its cook, and the turn of the cook for its first action, from 0."""

    task: int
    cook: int
    first: int


def schedule(
    setting: ScheduleInput, listed: Sequence[TransportTask], max_steps: int, deadline: Deadline, seed: int = 0
) -> list[CookTurn] | None:
    """Return a schedule of at most so many steps, as short as can be found, in the order of its turns.

    ``None`` if none is found. Times are steps, one turn of one cook each. Other seeds may give other schedules.
    """
    model = _Schedule(setting, listed, max_steps, deadline)
    outcome = run(model.model, deadline=deadline, presolve=True, linearization=1, deterministic=_EFFORT, seed=seed)
    if outcome.status not in (Status.optimal, Status.feasible):
        return None
    return model.read(outcome.solution)


class _Way(NamedTuple):
    """One way in which a cook reaches a task.

    The cook walks there, or stands there since an earlier task or the start (-1).
    """

    literal: int
    cook: int
    walks: bool
    since: int
    turns: int


class _Schedule:
    """Model with the cook of every task, the turn of that cook and the step of the task's first action."""

    def __init__(
        self, setting: ScheduleInput, listed: Sequence[TransportTask], max_steps: int, deadline: Deadline
    ) -> None:
        self.setting, self.listed = setting, listed
        self.n, self.max_steps = len(setting.cooks), max_steps
        self.model = model = CpModel(deadline)
        max_turn = -(-max_steps // self.n)
        self.first = [model.integer(0, max_turn) for _ in listed]
        self.step = [model.integer(0, max_steps) for _ in listed]
        self.end = model.integer(0, max_steps)
        self.by = [[model.boolean() for _ in range(self.n)] for _ in listed]
        self.walks = [model.boolean() for _ in listed]
        self.ways: list[list[_Way]] = []
        self.busy: list[list[int]] = [[] for _ in range(self.n)]
        for n in range(len(listed)):
            self.ways.append(list(self.state(n)))
            self.choose(n)
        for n, task in enumerate(listed):
            for earlier in task.before:
                self.follow(n, earlier)
            for lower in task.before_put:
                model.difference(self.step[n], self.step[lower], 1)
        for intervals in [*self.busy, *self.visits()]:
            model.capacity([(interval, 1) for interval in intervals], 1)
        self.crowds()
        self.work()
        model.minimize(self.end)

    def state(self, n: int) -> Iterator[_Way]:
        """Yield the ways to execute a task, each with the interval of turns that it takes its cook."""
        model, task = self.model, self.listed[n]
        first, step = self.first[n], self.step[n]
        cooks = [(by, -cook) for cook, by in enumerate(self.by[n])]
        terms = [(step, 1), (first, -self.n), *cooks]
        model.linear(terms, 1, 1)
        last_action = self.n * (task.length - 1)
        model.difference(self.end, step, last_action)
        # After pouring, the cook holds a pot and has to put it down first.
        length = task.length + 2 * (task.last == "pour")
        for cook in range(self.n):
            busy = self.busy[cook]
            if not task.saved:
                walk = model.boolean()
                busy.append(model.interval(first, length + 1, walk, after=-1))
                yield _Way(walk, cook, True, -1, task.length + 1)
            if not task.before and self.setting.cooks[cook] == self.setting.places[task.thing]:
                at_start = model.boolean()
                model.linear([(first, 1)], 0, 0, at_start)
                busy.append(model.interval(first, length, at_start))
                yield _Way(at_start, cook, False, -1, task.length)
            for earlier in self.left_at(n):
                stay = model.boolean()
                gap = self.gap(earlier)
                turns = self.listed[earlier].length + gap
                terms = [(first, 1), (self.first[earlier], -1)]
                model.linear(terms, turns, turns, stay)
                model.clause(negated(stay), self.by[earlier][cook])
                busy.append(model.interval(first, length + gap, stay, after=-gap))
                yield _Way(stay, cook, False, earlier, task.length + gap)

    def choose(self, n: int) -> None:
        """Require that a task is executed in one way."""
        model, ways = self.model, self.ways[n]
        model.exactly_one([way.literal for way in ways])
        for cook, by in enumerate(self.by[n]):
            ways_of_cook = [(way.literal, 1) for way in ways if way.cook == cook]
            model.linear([(by, -1), *ways_of_cook], 0, 0)
        walking_ways = [(way.literal, 1) for way in ways if way.walks]
        walk = self.walks[n]
        model.linear([(walk, -1), *walking_ways], 0, 0)
        for way in ways:
            if way.walks:
                start = self.first[n]
                model.linear([(start, 1)], 1, FAR, way.literal)

    def left_at(self, n: int) -> list[int]:
        """Return the tasks that end where one begins."""
        task = self.listed[n]
        tasks_there = []
        for earlier in task.before:
            before = self.listed[earlier]
            if task.thing in (before.thing, before.to):
                tasks_there.append(earlier)
        return tasks_there

    def ticks(self, n: int) -> int:
        """Return the ticks until the effect of a task."""
        ticks = self.listed[n].ticks
        return ticks + self.setting.late if ticks else 0

    def gap(self, earlier: int) -> int:
        """Return the turns for which a cook that stays waits."""
        ticks = self.ticks(earlier)
        turns = ticks if self.setting.joint else -(-ticks // self.n)
        return max(0, turns - 1)

    def follow(self, n: int, earlier: int) -> None:
        """Require that a task comes after one that it needs."""
        model, step = self.model, self.step
        task, before = self.listed[n], self.listed[earlier]
        over = self.n * (before.length - 1)  # from its first action to its last
        needs_effect_at_end = task.last == "add" and before.thing != task.thing
        last_action = self.n * (task.length - 1) if needs_effect_at_end else 0
        if before.ticks:
            ticks = self.ticks(earlier)
            if self.setting.joint:
                lag = before.length - 1 + ticks - last_action // self.n
                model.difference(self.first[n], self.first[earlier], lag)
            else:
                lag = over + ticks - last_action
                model.difference(step[n], step[earlier], lag)
        elif task.thing in (before.thing, before.to):
            model.difference(step[n], step[earlier], over + 1)
            # Another cook arrives after an action, a departure and an arrival.
            arrival = over + 2 * self.n
            model.difference(step[n], step[earlier], arrival, self.walks[n])
        else:
            model.difference(step[n], step[earlier], 2 * self.n)  # it was covered: removal, departure and arrival

    def visits(self) -> list[list[int]]:
        """Return by place the intervals of steps in which cooks stand there, which exclude each other.

        Places are stations named by tasks, such as those of dishes, and pots, wherever they stand.
        """
        by_place: dict[str, list[int]] = defaultdict(list)
        for n, task in enumerate(self.listed):
            is_at_thing = task.last == "pour" or task.to in self.setting.free
            place = task.thing if is_at_thing else task.to
            for interval in self.visits_of_task(n, place):
                by_place[place].append(interval)
        return list(by_place.values())

    def visits_of_task(self, n: int, place: str) -> Iterator[int]:
        """Yield the intervals of steps in which the cook of a task stands at a place."""
        model, task = self.model, self.listed[n]
        step = self.step[n]
        if task.last != "pour":
            after = self.n * (task.carried and not task.saved)
            stay = self.n * task.length - after
            yield model.interval(step, stay, after=after)
        if task.thing != place:
            return
        if any(self.listed[earlier].thing == place for earlier in task.before):
            yield model.interval(step, 2 * self.n, self.walks[n], after=-self.n)
        for way in self.ways[n]:
            if way.since >= 0:
                stood = self.n * (1 + self.gap(way.since))
                yield model.interval(step, stood, way.literal, after=self.n - stood)

    def crowds(self) -> None:
        """Limit the things on stations of a kind to their number."""
        start = self.model.integer(0, 0)
        #: By kind of station, for every thing on one: the first and last time, each as variable and offset.
        uses: dict[str, list[tuple[int, int, int, int]]] = defaultdict(list)
        for thing, kind in self.setting.standing.items():
            n = next(n for n, task in enumerate(self.listed) if task.thing == thing)
            if self.listed[n].carried:  # else it is counted below
                departure = (self.step[n], self.n + 1)
                uses[kind].append((start, 0, *departure))
        for n, task in enumerate(self.listed):
            if task.to in self.setting.free and task.last in ("put", ""):
                arrival = (self.step[n], self.n) if task.carried else (start, 0)
                uses[task.to].append((*arrival, *self.departure(n)))
        for kind, times in uses.items():
            tasks = [task for task in self.listed if task.to == kind]
            is_limited = any(task.actions or task.thing in self.setting.vessels for task in tasks)
            if is_limited and len(times) > self.setting.free[kind]:
                self.limit_crowd(times, self.setting.free[kind])

    def departure(self, n: int) -> tuple[int, int]:
        """Return when the thing of a task is carried away, as variable and offset; else the end."""
        thing = self.listed[n].thing
        for later in range(n + 1, len(self.listed)):
            if self.listed[later].thing == thing:
                return self.step[later], self.n + 1
        return self.end, 1

    def limit_crowd(self, times: Sequence[tuple[int, int, int, int]], number: int) -> None:
        """Limit the things that are on stations at the same time."""
        longest = 2 * self.max_steps
        stretches = [self.model.stretch(*interval, longest) for interval in times]
        self.model.capacity([(stretch, 1) for stretch in stretches], number)

    def work(self) -> None:
        """Require that a cook's work ends by the makespan; redundant, but it strengthens the bound."""
        ways = list(chain.from_iterable(self.ways))
        for cook in range(self.n):
            turns = [(way.literal, -self.n * way.turns) for way in ways if way.cook == cook]
            terms = [(self.end, 1), *turns]
            self.model.linear(terms, cook + 1 - self.n, FAR)

    def read(self, solution: Sequence[int]) -> list[CookTurn]:
        """Return the turns of a solution."""
        turns = []
        for n, first in enumerate(self.first):
            cooks = enumerate(self.by[n])
            cook = next(cook for cook, by in cooks if solution[by])
            turns.append(CookTurn(n, cook, solution[first]))
        return sorted(turns, key=lambda turn: (turn.first, turn.cook))
