"""Constraints of windows, calendars and pauses in breaks in the CP-SAT model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from planoracle.instances.model.features import Feature, features_of
from planoracle.instances.model.instance import Action
from planoracle.instances.model.working_times import windows_of
from planoracle.solver.exact.cp_model import negated
from planoracle.solver.exact.segments import Segment, Version, literals
from planoracle.solver.exact.start_ranges import Ranges, pause_ranges, starts_in_windows, starts_outside

if TYPE_CHECKING:
    from planoracle.solver.exact.schedule_model import ScheduleModel


def add_time_constraints(model: ScheduleModel) -> None:
    """Let pieces lie in windows, and outside the off-times of their agents and resources."""
    if not features_of(model.instance) & {Feature.WINDOWS, Feature.CALENDARS}:
        return
    constraints = _TimeConstraints(model)
    for i, action in enumerate(model.instance.actions):
        for version in model.versions[i]:
            constraints.add(i, action, version)


class _TimeConstraints:
    """Constraints of windows, calendars and pauses in breaks."""

    def __init__(self, model: ScheduleModel) -> None:
        self.schedule_model = model
        self.model = model.model
        self.instance = model.instance
        self.step = model.step
        self.horizon = model.last_tick
        self._spans: dict[str, list[tuple[int, int]]] = {}

    def add(self, i: int, action: Action, version: Version) -> None:
        """Add the constraints of a version of an action."""
        windows = windows_of(action, self.horizon)
        has_windows = windows != [(action.release, self.horizon)]
        for segment in version.segments:
            if segment.end is not None:
                self._pause(segment, version, windows)
                continue
            if has_windows:
                ranges = starts_in_windows(windows, segment.size * self.step)
                self._in_ranges(segment, ranges, *literals(segment.present))
            if self.instance.calendars:
                self._keep_outside(i, action, version, segment)
        if self.instance.calendars and action.pauses_in_breaks and not version.attended:
            self._start_by_agents(version.segments[0])

    def _in_ranges(self, segment: Segment, ranges: Ranges, *conditions: int) -> None:
        """Let a segment start in one of some ranges of ticks, if all literals hold."""
        steps = []
        for first, last in ranges:
            first_step, last_step = -(-first // self.step), last // self.step
            if first_step <= last_step:
                steps.append((first_step, last_step))
        self.model.in_ranges(segment.start, steps, *conditions)

    def _keep_outside(self, i: int, action: Action, version: Version, segment: Segment) -> None:
        """Keep a segment that never pauses outside the off-times of its agent and its resources."""
        ticks = max(1, segment.size * self.step)
        for number in version.modes:
            used = {demand.resource for demand in action.modes[number].demands}
            for resource in sorted(used & self.instance.off_times.keys()):
                conditions = (*literals(self.schedule_model.modes[i][number]), *literals(segment.present))
                self._in_ranges(segment, self._starts_outside(resource, ticks), *dict.fromkeys(conditions))
        if segment.busy:
            for agent in self._agents_with_calendar(segment):
                ranges = self._starts_outside(agent, segment.busy * self.step)
                self._in_ranges(segment, ranges, *segment.by(agent))
        elif not action.pauses_in_breaks:
            self._start_by_agents(segment)

    def _start_by_agents(self, segment: Segment) -> None:
        """Let the agent that starts a segment be on at that instant."""
        for agent in self._agents_with_calendar(segment):
            self._in_ranges(segment, self._starts_outside(agent, 1), *segment.starts_if, *segment.by(agent))

    def _agents_with_calendar(self, segment: Segment) -> Iterator[str]:
        return (agent for agent in segment.agents if agent in self.instance.off_times)

    def _starts_outside(self, member: str, ticks: int) -> Ranges:
        """Return the starts of a piece of some ticks outside the off-times of an agent or resource."""
        if member not in self._spans:
            self._spans[member] = list(self.instance.off_times[member].until(self.horizon + 1))
        return starts_outside(self._spans[member], ticks, self.horizon)

    def _pause(self, segment: Segment, version: Version, windows: list[tuple[int, int]]) -> None:
        """Let the end of a segment depend on its start by the pauses between them."""
        assert segment.end is not None
        assert version.off_times is not None
        model, step = self.model, self.step
        off_times = version.off_times.until(self.horizon)
        choices = []
        for pause_range in pause_ranges(off_times, windows, version.duration, self.horizon):
            first, last = -(-pause_range.first // step), pause_range.last // step
            if first > last:
                continue
            chosen = model.boolean()
            choices.append(chosen)
            length = segment.size + pause_range.pause // step
            model.in_ranges(segment.start, [(first, last)], chosen)
            model.difference(segment.end, segment.start, length, chosen)
            model.difference(segment.start, segment.end, -length, chosen)
        if segment.present is not None:
            choices.append(negated(segment.present))
        model.exactly_one(choices)
