"""CP-SAT model of an instance with the distance of a schedule from a target."""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from math import gcd

from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import variant_of
from planoracle.solver.exact.bounds import Windows, common_divisor, common_tick, longest_duration, lower_bound
from planoracle.solver.exact.cp_model import FAR
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.segments import Segment, Version, literals
from planoracle.solver.repair.target import Stretch, TargetPieces

# Most segments of interruptible actions in a model; beyond, they are made longer.
_MOST_SEGMENTS = 150
# Most pauses that one action may have in the target; more are not looked at.
_MOST_PAUSES = 100


class PerturbationModel(ScheduleModel):
    """The model of an instance with what the distance from the target needs.

    Its step divides all times, those of the target included, so that every action can be where that has it. Where this
    would make too many segments of one step, interruptible actions consist of longer ones.

    Parameters
    ----------
    max_makespan
        Ticks.
    """

    def __init__(
        self, instance: Instance, bounds: Windows, max_makespan: int, places: Mapping[str, TargetPieces]
    ) -> None:
        # Agents cannot be told apart where they are only counted.
        self._named = any(_names_agent(place) for place in places.values())
        self._places = places
        self._latest = max_makespan
        step = common_tick(instance)
        for name, place in places.items():
            for stretch in place.stretches:
                step = gcd(step, stretch.origin, stretch.end if instance.by_id[name].interruptible else 0)
        step = gcd(step, instance.time_limit or 0)
        self._chunk = _chunk(instance, step)
        # Starts that would cut what goes on.
        starts: set[int] = set()
        for place in places.values():
            for piece in place.pieces:
                if not variant_of(instance, piece).attended:
                    starts.add(piece.start)
        self._starts = sorted(starts)
        super().__init__(instance, bounds, step, lower_bound(instance, bounds), max_makespan)

    @property
    def grid(self) -> int:
        """Ticks of work after which an interruptible action can pause; 1 if there is none."""
        actions = self.instance.actions
        is_relevant = any(action.interruptible and longest_duration(action) > 1 for action in actions)
        return self._chunk if is_relevant else 1

    @property
    def coarse(self) -> bool:
        """True if interruptions are possible at fewer places than the target asks for."""
        return self._chunk > self.step

    def _crews(self) -> tuple[tuple[str, ...], ...]:
        is_separate = self._named or self.coarse
        return tuple((agent,) for agent in self.instance.agents) if is_separate else super()._crews()

    # --- interruptible actions in segments of several steps ------------------------------------------

    def _segments_of(self, i: int, action: Action, version: Version, start: int | None) -> list[Segment]:
        if not self.coarse or not action.interruptible or not version.duration:
            return super()._segments_of(i, action, version, start)
        model, cuts = self.model, self._cuts(action, version.duration)
        head = self._heads[i]
        latest = self._last_step - self._tails[i] - version.duration // self.step
        segments = []
        for first, end in pairwise(cuts):
            if not first and start is not None:
                begin = start
            else:
                latest_start = latest + first if first else self._latest_start(i)
                begin = model.integer(head + first, max(head + first, latest_start))
            busy = end - first if version.attended else 0
            segments.append(Segment(begin, end - first, busy, version.present))
        for segment, successor in pairwise(segments):
            model.difference(successor.start, segment.start, segment.size, *literals(version.present))
        return segments

    def _latest_start(self, i: int) -> int:
        """Return the latest start of an action in its shortest mode, in steps."""
        return self._last_step - self._tails[i] - self._shortest[i]

    def _cuts(self, action: Action, duration: int) -> list[int]:
        """Return the work, in steps, between which an action may pause, from 0 to all of it."""
        cuts = {*range(0, duration, self._chunk), duration}
        target = set()
        place = self._places.get(action.id)
        for stretch in place.stretches if place is not None else ():
            inside = range(bisect(self._starts, stretch.piece.start), bisect_left(self._starts, stretch.piece.end))
            target |= {stretch.end, *(self._starts[n] - stretch.origin for n in inside)}
        target = {cut for cut in target if cut <= duration}
        if len(target) <= _MOST_PAUSES:
            cuts |= target
        return sorted(cut // self.step for cut in cuts)

    # --- the distance -----------------------------------------------------------------------------

    def terms(self, objective: str) -> list[tuple[int, int]]:
        """Return the sum to be minimised: pairs of a variable and its coefficient."""
        if objective == "makespan":
            return [(self.makespan, 1)]
        if objective == "shift":
            return [(variable, 1) for variable in self._shifts]
        return [(literal, -1) for literal in self._keeps]

    def figure(self, objective: str, value: int) -> int:
        """Return the objective of the schedule for a value of the sum."""
        if objective == "moved":
            return len(self._places) + value
        return value * (self.step if objective == "makespan" else self._unit)

    def _targets(self, name: str, version: Version) -> Iterator[tuple[Segment, list[Stretch], list[int]]]:
        """Yield the segments of a version, their stretches in the target, and the starts that keep them there."""
        first = 0
        for segment in version.segments:
            end = first + segment.size * self.step
            stretches = self._places[name].within(first, end)
            yield segment, stretches, [stretch.origin + first for stretch in stretches]
            first = end

    def _all_targets(self, name: str) -> Iterator[tuple[Segment, list[Stretch], list[int]]]:
        """Yield the segments of all versions of an action as `_targets` does."""
        for version in self.versions[self.instance.index[name]]:
            yield from self._targets(name, version)

    @cached_property
    def _keeps(self) -> list[int]:
        """A literal for every action that may stay as in the target; if it holds, the action does."""
        keeps = []
        for name, place in self._places.items():
            assignments = self._assignments(name) if place.complete else None
            if assignments is not None:
                keep = self.model.boolean()
                for variable, value in assignments:
                    self.model.linear([(variable, 1)], value, value, keep)
                keeps.append(keep)
        return keeps

    def _assignments(self, name: str) -> list[tuple[int, int]] | None:
        """Return values of variables that leave an action as in the target, ``None`` if nothing can."""
        i = self.instance.index[name]
        assignments = []
        modes = {piece.mode for piece in self._places[name].pieces}
        mode = modes.pop()
        if modes or not 0 <= mode < len(self.modes[i]):
            return None
        assignments += [(literal, 1) for literal in literals(self.modes[i][mode])]
        version = next(version for version in self.versions[i] if mode in version.modes)
        for segment, stretches, starts in self._targets(name, version):
            if len(set(starts)) > 1 or starts[0] % self.step:
                return None
            assignments.append((segment.start, starts[0] // self.step))
            for agent in {stretch.piece.agent for stretch in stretches} - {None}:
                if agent not in segment.agents:
                    return None
                assignments += [(literal, 1) for literal in literals(segment.agents[agent])]
        return assignments

    @cached_property
    def _unit(self) -> int:
        """The ticks in which shifts are counted."""
        unit = self.step
        for name in self._places:
            for _, _, starts in self._all_targets(name):
                unit = gcd(unit, *starts)
        return unit

    @cached_property
    def _shifts(self) -> list[int]:
        """A variable for every action, at least the shift of any unit of its work."""
        variables = []
        scale = self.step // self._unit
        for name in self._places:
            rows = []
            for segment, _, starts in self._all_targets(name):
                if starts:
                    rows.append((segment, min(starts) // self._unit, max(starts) // self._unit))
            farthest = max(max(last, -first) for _, first, last in rows)
            shift = self.model.integer(0, farthest + self._latest // self._unit)
            for segment, first, last in rows:
                present = literals(segment.present)
                self.model.linear([(shift, 1), (segment.start, -scale)], -first, FAR, *present)
                self.model.linear([(shift, 1), (segment.start, scale)], last, FAR, *present)
            variables.append(shift)
        return variables


def _names_agent(place: TargetPieces) -> bool:
    """Return whether a piece of the target names its agent."""
    return any(piece.agent is not None for piece in place.pieces)


def _chunk(instance: Instance, step: int) -> int:
    """Return the ticks of work after which interruptible actions may pause.

    A step of the grid, or the common divisor of all times if there would be too many segments.
    """
    work = sum(longest_duration(action) for action in instance.actions if action.interruptible)
    if work // step <= _MOST_SEGMENTS:
        return step
    chunk = max(step, common_divisor(instance))
    return chunk if work // chunk <= 2 * _MOST_SEGMENTS else -(-work // (_MOST_SEGMENTS * step)) * step
