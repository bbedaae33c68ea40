"""Large-neighbourhood search: reschedule a window of time while the rest keeps its order.

What ends before the window stays where it is. What starts after it keeps its modes, its agents and its order on every
unit of a resource and on every agent, and with it the ways and set-ups between, so that it moves earlier as soon as
the window becomes shorter (partial-order schedules: Godard, Laborie and Nuijten 2005). Each step only restricts the
model, so that every solution of it is a schedule of the whole problem; it proves nothing about other schedules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any, NamedTuple

from planoracle.instances.model.limits import Deadline, Status
from planoracle.instances.model.schedule import Schedule
from planoracle.solver.exact.cp_model import CpModel, CpOutcome, run
from planoracle.solver.exact.schedule_model import ScheduleModel

# Effort of one step, in CP-SAT's deterministic time.
_EFFORT = 0.02
# Share of all segments in the first window, and its limits.
_SHARE = 0.2
_MIN_SHARE, _MAX_SHARE = 0.02, 0.9
# Factor by which a window grows after a step that is solved to the end, or shrinks after one that is not.
_FACTOR = 1.05
# Number of segments in the smallest window.
_LEAST_WINDOW = 5


class _Item(NamedTuple):
    """A segment in the current schedule; times in steps of the model."""

    start: int
    action: int
    number: int
    end: int


class _Use(NamedTuple):
    """Use of units of a resource, or of an agent, from ``start`` to ``end`` in the current schedule.

    Attributes
    ----------
    variable
        Variable of the start.
    finish, behind
        A variable, and the steps behind it at which the use ends.
    """

    start: int
    variable: int
    end: int
    finish: int
    behind: int
    units: int


class NeighbourhoodSearch:
    """Search around one schedule, which it replaces by others that are no longer.

    Parameters
    ----------
    model
        Model without symmetry breaking, since other solvers' schedules need not satisfy it.
    values
        Values of the starts, modes and agents of the first schedule, see `ScheduleModel.values`.
    settings
        Settings of CP-SAT for every step.
    on_improvement
        Called with the makespan (in steps of the model) of each shorter schedule of a search by one worker.

    Attributes
    ----------
    values
        Values of the variables in the current schedule.
    is_stopped
        True after Ctrl-C: the next step is the last one.
    share
        Share of all segments in the next window.
    """

    def __init__(
        self,
        model: ScheduleModel,
        values: Mapping[int, int],
        settings: Mapping[str, Any],
        seed: int,
        on_improvement: Callable[[int], None] = lambda makespan: None,
    ) -> None:
        self.model = model
        self.values = values
        self._settings = settings
        self._random = Random(seed)
        self._on_improvement = on_improvement
        self.share = _SHARE
        self.is_stopped = False

    @property
    def makespan(self) -> int:
        """Makespan of the current schedule in steps of the model."""
        return self.values[self.model.makespan]

    def schedule(self) -> Schedule:
        """Return the current schedule."""
        solution = [self.values[variable] for variable in range(self.model.model.variables)]
        return self.model.schedule(solution)

    def search(self, deadline: Deadline, lower_bound: int, effort: float, workers: int = 1) -> None:
        """Make steps until their effort, the deadline, or a lower bound of the makespan (in steps) is reached.

        With several workers as many searches start here at the same time, and the best of their schedules is kept.
        """
        seeds = [self._random.randrange(2**30) for _ in range(workers - 1)]
        searches = [self]
        for seed in seeds:
            extra_search = NeighbourhoodSearch(self.model, self.values, self._settings, seed)
            extra_search.share = self.share
            searches.append(extra_search)
        self.model.model.parse()  # before several threads copy it
        if workers == 1:
            self.make_steps(deadline, lower_bound, effort)
        else:
            with ThreadPoolExecutor(workers) as pool:
                try:
                    list(pool.map(lambda search: search.make_steps(deadline, lower_bound, effort), searches))
                except BaseException:  # such as Ctrl-C; the pool waits for its threads
                    for search in searches:
                        search.is_stopped = True
                    raise
        best = min(searches, key=lambda search: search.makespan)
        self.values, self.share = best.values, best.share

    def make_steps(self, deadline: Deadline, lower_bound: int, effort: float) -> None:
        """Make steps with one worker, see `search`."""
        while effort > 0 and self.makespan > lower_bound and deadline.remaining() > 0 and not self.is_stopped:
            model, seed = self._neighbourhood(lower_bound), self._random.randrange(2**30)
            outcome = run(model, deadline=deadline, deterministic=_EFFORT, seed=seed, **self._settings)
            self._take(outcome)
            effort -= max(_EFFORT / 4, outcome.effort)

    def _take(self, outcome: CpOutcome) -> None:
        previous, makespan = self.makespan, self.model.makespan
        if outcome.solution and outcome.solution[makespan] <= previous:
            self.values = dict(enumerate(outcome.solution))
            if self.makespan < previous:
                self._on_improvement(self.makespan)
        self.share *= _FACTOR if outcome.status == Status.optimal else 1 / _FACTOR
        self.share = min(_MAX_SHARE, max(_MIN_SHARE, self.share))

    def _neighbourhood(self, lower_bound: int) -> CpModel:
        """Return the model with a window of the current schedule free, and the rest restricted."""
        items = sorted(self._items())
        size = max(_LEAST_WINDOW, round(self.share * len(items)))
        first = self._random.randrange(-size // 2, len(items) - size // 2)
        begin = items[max(0, first)].start
        end = items[min(len(items), first + size) - 1].start
        before = [item for item in items if item.end <= begin and item.start < begin]
        after = [item for item in items if item.start > end]
        model = self.model.model.copy()
        model.restrict(self.model.makespan, lower_bound, self.makespan)
        for item in before:
            start = self.model.segments[item.action][item.number].start
            model.restrict(start, item.start, item.start)
        for item in (*before, *after):
            for literal in self._choices(item):
                model.restrict(literal, self.values[literal], self.values[literal])
        for earlier, later, distance in self._orders(after):
            model.difference(later, earlier, distance)
        for arc in self._arcs_within(before, after):
            model.restrict(arc, self.values[arc], self.values[arc])
        if self.model.arcs:
            model.hint(self.values)  # circuits are hard to find again
        return model

    def _items(self) -> Iterator[_Item]:
        """Yield the segments of the current schedule."""
        for i, segments in enumerate(self.model.segments):
            for k, segment in enumerate(segments):
                if segment.present is None or self.values[segment.present]:
                    start = self.values[segment.start]
                    finish, behind = segment.finish
                    yield _Item(start, i, k, self.values[finish] + behind)

    def _arcs_within(self, *parts: Sequence[_Item]) -> Iterator[int]:
        """Yield the literals of known value that a visit follows another one of the same part of the schedule."""
        part_of: dict[int, int] = {}
        for number, part in enumerate(parts):
            for item in part:
                part_of[self.model.segments[item.action][item.number].start] = number
        for arc in self.model.arcs:
            part_of_earlier = part_of.get(arc.earlier)
            is_within = part_of_earlier is not None and part_of_earlier == part_of.get(arc.later)
            if is_within and arc.literal in self.values:
                yield arc.literal

    def _choices(self, item: _Item) -> Iterator[int]:
        """Yield the literals that choose the mode and the agent of a segment."""
        agents = self.model.segments[item.action][item.number].agents.values()
        for literal in (*self.model.modes[item.action], *agents):
            if literal is not None:
                yield literal

    def _orders(self, items: Sequence[_Item]) -> set[tuple[int, int, int]]:
        """Return the orders of segments on all units: end, start, and the least distance between them."""
        uses: dict[tuple[str, str], list[_Use]] = {}
        for item in items:
            segment = self.model.segments[item.action][item.number]
            finish, behind = segment.finish
            for resource, units in self._demands(item.action) if segment.size else ():
                use = _Use(item.start, segment.start, item.end, finish, behind, units)
                uses.setdefault(("resource", resource), []).append(use)
            for agent, literal in segment.agents.items() if segment.busy else ():
                if literal is None or self.values[literal]:
                    attendance = _Use(item.start, segment.start, item.end, finish, behind, 1)
                    if segment.end is None:
                        end = item.start + segment.busy
                        attendance = attendance._replace(end=end, behind=segment.busy)
                    uses.setdefault(("crew", agent), []).append(attendance)
        capacities = {("resource", resource.name): resource.capacity for resource in self.model.instance.resources}
        capacities |= {("crew", crew[0]): len(crew) for crew in self.model.crews}
        orders: set[tuple[int, int, int]] = set()
        for name, uses_of_one in uses.items():
            orders.update(_orders_on_units(uses_of_one, capacities[name]))
        return orders

    def _demands(self, action: int) -> Iterator[tuple[str, int]]:
        """Yield resource and units of the uses of an action that share their units with no other."""
        modes = self.model.instance.actions[action].modes
        for mode, literal in zip(modes, self.model.modes[action], strict=True):
            for demand in mode.demands if literal is None or self.values[literal] else ():
                is_renewable = self.model.instance.resource[demand.resource].renewable
                if demand.amount and demand.sets is None and is_renewable:
                    yield demand.resource, demand.amount


def _orders_on_units(uses: Sequence[_Use], capacity: int) -> Iterator[tuple[int, int, int]]:
    """Yield consecutive uses of every unit: each use takes the units that were released last.

    An order is a variable, the start of a later use, and the least distance between them.

    >>> uses = [_Use(0, 10, 2, 10, 2, 1), _Use(0, 11, 3, 11, 3, 1), _Use(3, 12, 7, 12, 4, 2)]
    >>> list(_orders_on_units(uses, 2))
    [(11, 12, 3), (10, 12, 2)]
    """
    unused, released = capacity, list[_Use]()  # the uses of which units are not yet used again
    for use in sorted(uses):
        missing = use.units - unused
        unused = max(0, -missing)
        remaining = []
        for earlier in sorted(released, key=_end, reverse=True):
            units = min(missing, earlier.units) if earlier.end <= use.start else 0
            if units > 0:
                missing -= units
                yield earlier.finish, use.variable, earlier.behind
            if units < earlier.units:
                remaining.append(earlier._replace(units=earlier.units - max(0, units)))
        released = [*remaining, use]


def _end(use: _Use) -> int:
    return use.end
