"""Who runs which errand and when, by CP-SAT: a schedule that ends as soon as it can."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from planoracle.instances.model.limits import Deadline, Status
from planoracle.solver.exact.cp_model import FAR, CpModel, negated, run
from planoracle.solver.kitchens.transport.transport_tasks import TransportTask

# Units of CP-SAT's deterministic time at most.
_EFFORT = 0.6


class ScheduleInput(NamedTuple):
    """What a schedule has to know of a kitchen.

    Attributes
    ----------
    cooks
        Stations at which the cooks stand, in the order of their turns, beginning with whose turn it is.
    places
        Station of every thing.
    free
        How many stations of every kind there are on which nothing stands that is not carried away.
    standing
        By thing that is carried away, the kind of the station it stands on at the start.
    vessels
        What cannot be put on a pile.
    joint
        Whether time passes once for all cooks' turns.
    late
        Ticks by which an effect may be late, as it misses those in which others end.
    """

    cooks: tuple[str, ...]
    places: dict[str, str]
    free: dict[str, int]
    standing: dict[str, str]
    vessels: frozenset[str]
    joint: bool
    late: int = 0


class CookTurn(NamedTuple):
    """An errand of a schedule: who runs it, and in which of the cook's turns its first action comes, from 0."""

    errand: int
    cook: int
    first: int


def schedule(
    setting: ScheduleInput, listed: Sequence[TransportTask], most: int, deadline: Deadline, seed: int = 0
) -> list[CookTurn] | None:
    """Return a schedule of at most so many steps, as short as can be found, in the order of its turns.

    ``None`` if none is found. Time counts in steps, one turn of one cook each. With another ``seed`` it may be another.
    """
    model = _Schedule(setting, listed, most, deadline)
    found = run(model.model, deadline=deadline, presolve=True, linearization=1, deterministic=_EFFORT, seed=seed)
    if found.status not in (Status.optimal, Status.feasible):
        return None
    return model.read(found.solution)


class _Way(NamedTuple):
    """How a cook comes to an errand: it walks there, or stands there since an earlier errand or the start (-1)."""

    literal: int
    cook: int
    walks: bool
    since: int
    turns: int


class _Schedule:
    """The model. Of an errand it has the turn of its cook and the step of its first action, and who runs it."""

    def __init__(self, setting: ScheduleInput, listed: Sequence[TransportTask], most: int, deadline: Deadline) -> None:
        self.setting, self.listed = setting, listed
        self.n, self.most = len(setting.cooks), most
        self.model = model = CpModel(deadline)
        self.first = [model.integer(0, -(-most // self.n)) for _ in listed]
        self.step = [model.integer(0, most) for _ in listed]
        self.end = model.integer(0, most)
        self.by = [[model.boolean() for _ in range(self.n)] for _ in listed]
        self.walks = [model.boolean() for _ in listed]
        self.ways: list[list[_Way]] = []
        self.busy: list[list[int]] = [[] for _ in range(self.n)]
        for n in range(len(listed)):
            self.ways.append(list(self.state(n)))
            self.choose(n)
        for n, errand in enumerate(listed):
            for earlier in errand.before:
                self.follow(n, earlier)
            for lower in errand.floor:
                model.difference(self.step[n], self.step[lower], 1)
        for intervals in [*self.busy, *self.visits()]:
            model.capacity([(interval, 1) for interval in intervals], 1)
        self.crowds()
        self.work()
        model.minimize(self.end)

    def state(self, n: int) -> Iterator[_Way]:
        """Yield the ways to run an errand, each with the interval of turns that it takes its cook."""
        model, errand, first = self.model, self.listed[n], self.first[n]
        model.linear([(self.step[n], 1), (first, -self.n), *((by, -c) for c, by in enumerate(self.by[n]))], 1, 1)
        model.difference(self.end, self.step[n], self.n * (errand.length - 1))
        # Whoever has poured holds a pot, and has to put it somewhere before going on.
        length = errand.length + 2 * (errand.last == "pour")
        for cook in range(self.n):
            if not errand.saved:
                walk = model.boolean()
                self.busy[cook].append(model.interval(first, length + 1, walk, after=-1))
                yield _Way(walk, cook, True, -1, errand.length + 1)
            if not errand.before and self.setting.cooks[cook] == self.setting.places[errand.thing]:
                here = model.boolean()
                model.linear([(first, 1)], 0, 0, here)
                self.busy[cook].append(model.interval(first, length, here))
                yield _Way(here, cook, False, -1, errand.length)
            for earlier in self.left_at(n):
                stay, gap = model.boolean(), self.gap(earlier)
                turns = self.listed[earlier].length + gap
                model.linear([(first, 1), (self.first[earlier], -1)], turns, turns, stay)
                model.clause(negated(stay), self.by[earlier][cook])
                self.busy[cook].append(model.interval(first, length + gap, stay, after=-gap))
                yield _Way(stay, cook, False, earlier, errand.length + gap)

    def choose(self, n: int) -> None:
        """State that an errand is run in one way."""
        model, ways = self.model, self.ways[n]
        model.exactly_one([way.literal for way in ways])
        for cook, by in enumerate(self.by[n]):
            model.linear([(by, -1), *((way.literal, 1) for way in ways if way.cook == cook)], 0, 0)
        model.linear([(self.walks[n], -1), *((way.literal, 1) for way in ways if way.walks)], 0, 0)
        for way in ways:
            if way.walks:
                model.linear([(self.first[n], 1)], 1, FAR, way.literal)

    def left_at(self, n: int) -> list[int]:
        """Return the errands that end where one begins."""
        errand = self.listed[n]
        return [e for e in errand.before if errand.thing in (self.listed[e].thing, self.listed[e].to)]

    def ticks(self, n: int) -> int:
        """Return the ticks after which an errand has its effect."""
        ticks = self.listed[n].ticks
        return ticks + self.setting.late if ticks else 0

    def gap(self, earlier: int) -> int:
        """Return the turns for which a cook that stays waits."""
        ticks = self.ticks(earlier)
        return max(0, (ticks if self.setting.joint else -(-ticks // self.n)) - 1)

    def follow(self, n: int, earlier: int) -> None:
        """State that an errand comes after one that it needs."""
        model, step, one, other = self.model, self.step, self.listed[n], self.listed[earlier]
        over = self.n * (other.length - 1)  # from its first action to its last
        asked = self.n * (one.length - 1) if one.last == "add" and other.thing != one.thing else 0
        if other.ticks:
            if self.setting.joint:
                lag = other.length - 1 + self.ticks(earlier) - asked // self.n
                model.difference(self.first[n], self.first[earlier], lag)
            else:
                model.difference(step[n], step[earlier], over + self.ticks(earlier) - asked)
        elif one.thing in (other.thing, other.to):
            model.difference(step[n], step[earlier], over + 1)
            # Who comes from elsewhere finds the place left: an action, leaving, coming.
            model.difference(step[n], step[earlier], over + 2 * self.n, self.walks[n])
        else:
            model.difference(step[n], step[earlier], 2 * self.n)  # it was covered: taking, leaving, coming

    def visits(self) -> list[list[int]]:
        """Return by place the intervals of steps in which cooks stand there, who cannot do so at once.

        Places are stations that errands name, as where a dish is made, and pots, wherever they stand.
        """
        found: dict[str, list[int]] = defaultdict(list)
        for n, errand in enumerate(self.listed):
            here = errand.thing if errand.last == "pour" or errand.to in self.setting.free else errand.to
            if errand.last != "pour":
                after = self.n * (errand.carried and not errand.saved)
                found[here].append(self.model.interval(self.step[n], self.n * errand.length - after, after=after))
            if any(self.listed[e].thing == here for e in errand.before) and errand.thing == here:
                found[here].append(self.model.interval(self.step[n], 2 * self.n, self.walks[n], after=-self.n))
            for way in self.ways[n]:
                if way.since >= 0 and errand.thing == here:
                    stood = self.n * (1 + self.gap(way.since))
                    found[here].append(self.model.interval(self.step[n], stood, way.literal, after=self.n - stood))
        return list(found.values())

    def crowds(self) -> None:
        """State that stations of a kind are taken by one thing at a time, where there are fewer than things."""
        model, start = self.model, self.model.integer(0, 0)
        uses: dict[str, list[tuple[int, int, int, int]]] = defaultdict(list)
        for thing, kind in self.setting.standing.items():
            n = next(n for n, errand in enumerate(self.listed) if errand.thing == thing)
            if self.listed[n].carried:  # else it is counted below
                uses[kind].append((start, 0, self.step[n], self.n + 1))
        for n, errand in enumerate(self.listed):
            if errand.to in self.setting.free and errand.last in ("put", ""):
                began = (self.step[n], self.n) if errand.carried else (start, 0)
                later = next((m for m, one in enumerate(self.listed) if m > n and one.thing == errand.thing), None)
                over = (self.end, 1) if later is None else (self.step[later], self.n + 1)
                uses[errand.to].append((*began, *over))
        for kind, times in uses.items():
            needed = (
                errand.deeds or errand.thing in self.setting.vessels for errand in self.listed if errand.to == kind
            )
            if len(times) > self.setting.free[kind] and any(needed):
                model.capacity([(model.stretch(*each, 2 * self.most), 1) for each in times], self.setting.free[kind])

    def work(self) -> None:
        """State that all the work of a cook has to be done by the end; it follows, but is not seen."""
        for cook in range(self.n):
            own = [(way.literal, -self.n * way.turns) for ways in self.ways for way in ways if way.cook == cook]
            self.model.linear([(self.end, 1), *own], cook + 1 - self.n, FAR)

    def read(self, solution: Sequence[int]) -> list[CookTurn]:
        """Return what a solution says."""
        turns = [
            CookTurn(n, next(c for c, by in enumerate(self.by[n]) if solution[by]), solution[self.first[n]])
            for n in range(len(self.listed))
        ]
        return sorted(turns, key=lambda turn: (turn.first, turn.cook))
