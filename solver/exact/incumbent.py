"""Incumbent and bounds of the makespan during one solve."""

from __future__ import annotations

from math import ceil

from planoracle.instances.model.schedule import Schedule
from planoracle.solver.result import OnProgress


class Incumbent:
    """Best schedule of one solve, the bounds of the makespan, and their report to the caller.

    Parameters
    ----------
    step
        Ticks of one step of the time grid.
    latest_makespan
        Largest makespan that a schedule may have.
    on_progress
        Callback for better incumbents and bounds, ``None`` for no callback.

    Attributes
    ----------
    schedule
        Best schedule, ``None`` if there is none yet.
    coarse_schedule
        Schedule on a coarse grid, ``None`` without one.
    root_bound
        Lower bound without search.
    lower_bound
        Best lower bound, on the grid.
    """

    def __init__(self, step: int, latest_makespan: int, on_progress: OnProgress | None) -> None:
        self.step = step
        self.latest_makespan = latest_makespan
        self.schedule: Schedule | None = None
        self.coarse_schedule: Schedule | None = None
        self.root_bound = 0
        self.lower_bound = 0
        self._on_progress = on_progress
        self._reported: tuple[int | None, int] = (None, -1)

    @property
    def has_listener(self) -> bool:
        """True if a caller wants to know of progress."""
        return self._on_progress is not None

    @property
    def is_optimal(self) -> bool:
        """True if the makespan of the incumbent is the lower bound."""
        return self.schedule is not None and self.schedule.makespan == self.lower_bound

    def is_near(self, share: float) -> bool:
        """Return whether the makespan exceeds the lower bound by no more than a share of the bound."""
        return self.schedule is not None and self.schedule.makespan <= (1 + share) * self.lower_bound

    def round_up(self, bound: int) -> int:
        """Round a bound up to the grid."""
        return -(-bound // self.step) * self.step

    def accept(self, schedule: Schedule) -> None:
        """Make a schedule the incumbent if it is shorter; it limits the makespan."""
        if self.schedule is None or schedule.makespan < self.schedule.makespan:
            self.schedule = schedule
        self.latest_makespan = min(self.latest_makespan, schedule.makespan)
        self.report()

    def restart(self, schedule: Schedule | None) -> None:
        """Begin again on the finest grid, where only the bound without search holds."""
        self.step = 1
        self.lower_bound = self.root_bound
        self.schedule = schedule
        makespan, _ = self._reported
        self._reported = makespan, self.root_bound

    def report(self, value: float | None = None, bound: float | None = None) -> None:
        """Call ``on_progress`` if the incumbent or the lower bound is better than at the last call.

        ``value`` and ``bound``, in steps of the model, are those of a search that still runs.
        """
        if self._on_progress is None:
            return
        reported_makespan, reported_bound = self._reported
        makespans = [] if reported_makespan is None else [reported_makespan]
        if self.schedule is not None:
            makespans.append(self.schedule.makespan)
        if value is not None:
            makespans.append(round(value) * self.step)
        makespan = min(makespans, default=None)
        lower_bound = max(self.lower_bound, reported_bound)
        if bound is not None:
            lower_bound = max(lower_bound, ceil(bound - 1e-6) * self.step)
        if makespan is not None:
            lower_bound = min(lower_bound, makespan)
        if (makespan, lower_bound) != self._reported:
            self._reported = makespan, lower_bound
            self._on_progress(makespan, lower_bound)

    def proof(self, stage: str) -> str:
        """Return what proved the makespan: a stage, unless the lower bound without search does."""
        assert self.schedule is not None
        is_at_root = self.schedule.makespan <= self.round_up(self.root_bound)
        return "lower bound reached" if is_at_root else stage
