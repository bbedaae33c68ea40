"""Exhaustive search through the general rules for all features of the scheduling model.

Actions are placed in the order of their first starts, each in every mode, by every agent and at every tick up to the
horizon. Partial schedules are given up only for violations that no later placement can remove. The rules check complete
schedules. The search shares no code with the solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import NamedTuple

from support.model_horizon import horizon as horizon_of
from support.model_horizon import is_off

from planoracle.instances.model.instance import Action, Instance, Variant
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.model.violations import Violation

#: Kinds of violations that a later placement never removes.
LASTING = {
    "wrong_mode",
    "ineligible_agent",
    "release",
    "deadline",
    "window",
    "time_limit",
    "off_time",
    "action_duration",
    "interruptibility",
    "pause",
    "budget",
    "agent_busy",
    "start_attended",
    "maximum_lag",
}


class Answer(NamedTuple):
    """Best schedule of an instance.

    Attributes
    ----------
    status
        ``optimal`` or ``infeasible``.
    weight
        Weight of the executed optional tasks; ``None`` without any optional task, or without a schedule.
    makespan
        Ticks; ``None`` without a schedule.
    schedule
        A schedule of this weight and makespan.
    """

    status: str
    weight: int | None
    makespan: int | None
    schedule: Schedule | None


class Placement(NamedTuple):
    """All pieces of an action; ``number`` is unique in a search."""

    number: int
    start: int
    end: int
    pieces: tuple[Piece, ...]


class TooManyChecksError(Exception):
    """The search checked more schedules than it may."""


class ModelSearch:
    """Search for the best schedules of one instance.

    Parameters
    ----------
    horizon
        Latest tick at which a schedule may end; by default a tick that some best schedule does not exceed.
    max_checks
        Checked schedules, complete or not, after which `TooManyChecksError` is raised.
    ignores
        Condition of violations that do not count.
    is_irregular
        Also leave out actions and try runs in two pieces, for a shorter time and by any agents, so that only the rules
        refuse them.
    """

    def __init__(
        self,
        instance: Instance,
        horizon: int | None = None,
        *,
        max_checks: int = 10**9,
        ignores: Callable[[Violation], bool] | None = None,
        is_irregular: bool = False,
    ) -> None:
        self.instance = instance
        self.horizon = horizon_of(instance) if horizon is None else horizon
        self.ignores = ignores
        self.is_irregular = is_irregular
        self.checks = 0
        self.max_checks = max_checks
        self._compatible: dict[tuple[int, int], bool] = {}
        self._leads_on: dict[tuple[int, ...], bool] = {}
        self._count = 0
        self._stateful = {name for name in instance.resource if self._has_settings(name)}
        self.placements: dict[str, list[Placement]] = {action.id: [] for action in instance.actions}
        self._latest = -1  # end of the placements

    def best(self) -> Answer:
        """Return the schedule of greatest weight, and among these of least makespan."""
        weights = self.instance.weights
        for weight in sorted(self._choices, reverse=True):
            schedules = []
            latest = self.horizon
            for actions in self._choices[weight]:
                schedule = self._shortest(actions, latest)
                if schedule is not None:
                    schedules.append(schedule)
                    latest = schedule.makespan - 1
            if schedules:
                return Answer("optimal", weight if weights else None, schedules[-1].makespan, schedules[-1])
        return Answer("infeasible", None, None, None)

    @property
    def _choices(self) -> dict[int, list[list[Action]]]:
        """Actions of every choice of optional tasks, by weight."""
        choices: dict[int, list[list[Action]]] = {}
        for actions in self._selections():
            executed = {action.task for action in actions}
            weight = sum(weight for task, weight in self.instance.optional if task in executed)
            choices.setdefault(weight, []).append(actions)
        return choices

    def _selections(self) -> Iterator[list[Action]]:
        """Yield every set of actions that may be executed."""
        if self.is_irregular:
            for count in range(len(self.instance.actions), -1, -1):
                yield from map(list, combinations(self.instance.actions, count))
            return
        weights = self.instance.weights
        for flags in product((True, False), repeat=len(weights)):
            omitted = {task for task, flag in zip(weights, flags, strict=True) if not flag}
            yield [action for action in self.instance.actions if action.task not in omitted]

    def _shortest(self, actions: list[Action], latest: int) -> Schedule | None:
        """Return a shortest schedule of exactly some actions that ends by a tick, or ``None``."""
        if not actions:
            empty = Schedule(())
            return empty if latest >= 0 and not any(self._violations(empty)) else None
        excluded = -1  # no schedule ends by this tick
        for action in actions:
            shortest = min(variant.duration for variant in self.instance.variants[action.id])
            if not self.is_irregular:
                excluded = max(excluded, shortest - 1)
        step = 1
        while excluded < latest:
            bound = min(excluded + step, latest)
            schedule = self.schedule_until(actions, bound)
            if schedule is not None:
                return self._improve(actions, schedule, excluded)
            excluded = bound
            step *= 2
        return None

    def _improve(self, actions: list[Action], schedule: Schedule, excluded: int) -> Schedule:
        while schedule.makespan - 1 > excluded:
            shorter = self.schedule_until(actions, schedule.makespan - 1)
            if shorter is None:
                return schedule
            schedule = shorter
        return schedule

    def schedule_until(self, actions: Sequence[Action], latest: int) -> Schedule | None:
        """Return a schedule of exactly some actions that ends by a tick, or ``None``."""
        self._add_placements(latest)
        candidates = []
        for position, action in enumerate(actions):
            for placement in self.placements[action.id]:
                if placement.end <= latest:
                    candidates.append((placement.start, position, placement))
        candidates.sort(key=lambda candidate: candidate[:2])
        return self._extend((), candidates, len(actions))

    def _extend(
        self, placed: tuple[Placement, ...], candidates: list[tuple[int, int, Placement]], missing: int
    ) -> Schedule | None:
        """Place the remaining actions, all of them at the first candidate or later."""
        if not missing:
            schedule = self._schedule(placed)
            return None if any(self._violations(schedule)) else schedule
        for place, (start, position, placement) in enumerate(candidates):
            extended = (*placed, placement)
            if not self._may_lead_on(extended, start):
                continue
            following = []
            for candidate in candidates[place + 1 :]:
                if candidate[1] != position and self._is_compatible(placement, candidate[2]):
                    following.append(candidate)
            if len({candidate[1] for candidate in following}) < missing - 1:
                continue
            schedule = self._extend(extended, following, missing - 1)
            if schedule is not None:
                return schedule
        return None

    def _may_lead_on(self, placed: tuple[Placement, ...], clock: int) -> bool:
        """Return whether no violation of a partial schedule is lasting from a clock on, its last start.

        Searches with later ends meet the same partial schedules again.
        """
        key = tuple(placement.number for placement in placed)
        if key not in self._leads_on:
            violations = self._violations(self._schedule(placed))
            self._leads_on[key] = not any(self._is_lasting(violation, clock) for violation in violations)
        return self._leads_on[key]

    def _is_compatible(self, placement: Placement, candidate: Placement) -> bool:
        """Return whether no violation of two placements alone is lasting."""
        key = placement.number, candidate.number
        if key not in self._compatible:
            violations = self._violations(self._schedule((placement, candidate)))
            self._compatible[key] = not any(self._is_lasting(violation, -1) for violation in violations)
        return self._compatible[key]

    def _is_lasting(self, violation: Violation, clock: int) -> bool:
        """Return whether no piece that starts at a clock or later can remove a violation."""
        kind = violation.kind
        if kind in LASTING:
            return True
        if kind == "minimum_lag":
            return all(conflict.end is not None for conflict in violation.others)
        if kind == "resource_capacity" and violation.resource not in self._stateful:
            return True
        start = violation.start
        if kind == "resource_state":  # later settings do not come before it
            return start is not None and start <= clock
        if kind in ("resource_capacity", "transition"):  # shared room, or a visit in between, begins with it
            return start is not None and start < clock
        return False

    def _violations(self, schedule: Schedule) -> Iterator[Violation]:
        """Yield the violations of a schedule that count."""
        self.checks += 1
        if self.checks > self.max_checks:
            raise TooManyChecksError(self.instance.name)
        for violation in find_violations(self.instance, schedule):
            if self.ignores is None or not self.ignores(violation):
                yield violation

    def _schedule(self, placements: Iterable[Placement]) -> Schedule:
        pieces: list[Piece] = []
        for placement in placements:
            pieces += placement.pieces
        return Schedule.of(self.instance, pieces)

    def _has_settings(self, resource: str) -> bool:
        for action in self.instance.actions:
            for mode in action.modes:
                if any(demand.resource == resource and demand.sets is not None for demand in mode.demands):
                    return True
        return False

    def _add_placements(self, latest: int) -> None:
        """Add the placements that end by a tick and that no rule refuses for good."""
        if latest <= self._latest:
            return
        for action in self.instance.actions:
            for pieces in self._runs_of(action, latest):
                end = max(piece.end for piece in pieces)
                if end <= self._latest:
                    continue
                start = min(piece.start for piece in pieces)
                placement = Placement(self._count, start, end, tuple(pieces))
                violations = self._violations(self._schedule((placement,)))
                if not any(self._is_lasting(violation, -1) for violation in violations):
                    self._count += 1
                    self.placements[action.id].append(placement)
        self._latest = latest

    def _runs_of(self, action: Action, latest: int) -> Iterator[list[Piece]]:
        """Yield the pieces of every run of an action that ends by a tick."""
        for mode, variant in enumerate(self.instance.variants[action.id]):
            yield from self._runs_in(action, mode, variant, variant.agents or (None,), latest)
        if self.is_irregular:
            yield from self._irregular_runs(action, latest)

    def _irregular_runs(self, action: Action, latest: int) -> Iterator[list[Piece]]:
        """Yield runs of one or two pieces by any agents, in any modes and for any time."""
        variants = self.instance.variants[action.id]
        longest = max(variant.duration for variant in variants)
        units = []
        for mode, agent, start in product(range(len(variants)), (None, *self.instance.agents), range(latest + 1)):
            for duration in range(min(longest, latest - start) + 1):
                yield [Piece(action.id, start, duration, agent, mode)]
            if start < latest:
                units.append(Piece(action.id, start, 1, agent, mode))
        if longest > 1:
            yield from map(list, combinations(units, 2))

    def _runs_in(
        self, action: Action, mode: int, variant: Variant, agents: tuple[str | None, ...], latest: int
    ) -> Iterator[list[Piece]]:
        duration = variant.duration
        if action.interruptible and duration > 1:
            for ticks in combinations(range(latest), duration):
                for chosen in product(agents, repeat=duration):
                    yield [Piece(action.id, tick, 1, agent, mode) for tick, agent in zip(ticks, chosen, strict=True)]
            return
        for agent in agents:
            for start in range(latest - duration + 1):
                piece = Piece(action.id, start, duration, agent, mode)
                if action.pauses_in_breaks and duration:
                    yield from self._run_with_pauses(piece, variant, latest)
                else:
                    yield [piece]

    def _run_with_pauses(self, piece: Piece, variant: Variant, latest: int) -> Iterator[list[Piece]]:
        """Yield the pieces of an action that works in every tick in which nothing that it needs is off."""
        ticks = []
        for tick in range(piece.start, latest):
            if not is_off(self.instance, variant, piece.agent, tick):
                ticks.append(tick)
            elif tick == piece.start:
                return
            if len(ticks) == piece.duration:
                units = [piece._replace(start=tick, duration=1) for tick in ticks]
                yield list(Schedule.of(self.instance, units).pieces)
                return


def best_schedule(instance: Instance, horizon: int | None = None) -> Answer:
    """Return the best schedule of an instance by exhaustive search."""
    return ModelSearch(instance, horizon).best()
