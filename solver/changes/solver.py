"""Solve the same problem again and again with other numbers.

What was best before is mostly best again, or nearly so, once its pieces are placed anew in their old order. Then only
that nothing is shorter has to be proved: by a bound, or by CP-SAT, which refutes far sooner than it finds. Where that
does not settle it the problem is solved from nothing.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from itertools import islice
from math import inf
from time import perf_counter

from planoracle.heuristics.generation import blocks_of, generate_serial
from planoracle.heuristics.timetable import Timetable
from planoracle.instances.certify import accepted, certify, settled
from planoracle.instances.deadline import Deadline, Limit, TimeOverError, deadline_of
from planoracle.instances.model import Instance
from planoracle.instances.schedule import Schedule
from planoracle.instances.status import Status
from planoracle.solver.changes.numbers import Numbers, changeable, changed
from planoracle.solver.changes.placing import Order, Placer, order_of
from planoracle.solver.exact.bounds import Lags, Windows, common_tick, grid_matters, lower_bound
from planoracle.solver.exact.cp import run
from planoracle.solver.exact.model import ScheduleModel
from planoracle.solver.exact.orders import ordered_windows
from planoracle.solver.exact.solve import solve
from planoracle.solver.result import Result, versions

__all__ = ["ChangeSolver"]

# Orders of actions that are kept, and how many of them are tried, the ones first that were best last.
_KEPT, _TRIED = 12, 8
# CP-SAT's effort to refute that anything is shorter, in deterministic time.
_EFFORT = 0.02
# The same, to refute that finer pauses help: as in the exact solver.
_GRID = 0.01


class ChangeSolver:
    """Best plans for an instance whose numbers change.

    Status, makespan and bound are those of `planoracle.solver.exact.solve.solve` on the `changed` instance. Which of
    several best schedules is returned may depend on what was asked before; it is not the canonical one
    (``canonical`` says so).

    Parameters
    ----------
    instance
        The problem with its own numbers. Where its benchmark knows them from elsewhere, or knows no such numbers (no
        releases, say), it is solved as the scheduling problem it is, under the general rules.

    Examples
    --------
    >>> from planoracle.instances.catalogue import load
    >>> kitchen = ChangeSolver(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> kitchen.solve().makespan, kitchen.solve(Numbers(durations={"Cobbler/7": 5400})).makespan
    (4080, 6060)
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = changeable(instance)
        self._orders: deque[Order] = deque(maxlen=_KEPT)
        self._placer = Placer(self.instance)
        self._lags = Lags(self.instance)
        self._blocks = blocks_of(self.instance)

    def solve(self, numbers: Numbers = Numbers(), *, time_limit: Limit = 60.0) -> Result:  # noqa: B008
        """Find a schedule of least makespan with other numbers, and prove it.

        Parameters
        ----------
        time_limit
            Seconds of wall time, or counted work, as for `planoracle.solver.exact.solve.solve`.

        Raises
        ------
        InputError
            See `planoracle.solver.changes.numbers.changed`.
        InternalError
            If a schedule found does not pass the rules; never returned as an answer.
        """
        began, deadline = perf_counter(), deadline_of(time_limit)
        instance = changed(self.instance, numbers)
        try:
            found = self._again(instance, deadline, began) if self._orders and deadline.left() > 0 else None
        except TimeOverError:  # while a model was made
            found = None
        if found is not None:
            return found
        result = solve(instance, time_limit=deadline)
        if result.schedule is not None:
            self._keep(instance, result.schedule)
        return replace(result, seconds=perf_counter() - began)

    def _again(self, instance: Instance, deadline: Deadline, began: float) -> Result | None:
        """Return the answer, if an old order or CP-SAT's first look gives it."""
        lags = self._lags if self._lags.suits(instance) else Lags(instance)
        question = _Question(instance, lags.windows(instance, deadline), deadline, began)
        if not question.bounds.consistent:
            return None
        best, text = None, None
        if self._placer.suits:
            best = self._placed_in_pieces(question)
            text = None if best is None else accepted(instance, best)
        if best is None or text is None:
            best, text = self._placed(question), None
        if best is None or not question.in_time(best):
            return None
        found, proof = best, "lower bound reached"
        if best.makespan > question.bound(best.makespan):
            found, proof = question.shortened(best)
        if not proof:
            return None
        self._keep(instance, found)
        if text is None or found is not best:
            found = settled(instance, found)
            text = certify(instance, found)
        return question.answer(found, text, proof)

    def _placed_in_pieces(self, question: _Question) -> Schedule | None:
        """Return the best schedule that has its pieces in an order kept, if it obeys what is looked at."""
        best: Schedule | None = None
        for order in islice(self._orders, _TRIED):
            found = self._placer.place(question.instance, question.bounds, question.step, order)
            if found is not None and (best is None or found.makespan < best.makespan):
                best = found
                if best.makespan <= question.bound(best.makespan):
                    break
        return None if best is None else settled(question.instance, best)

    def _placed(self, question: _Question) -> Schedule | None:
        """Return the best schedule that has its actions in an order kept."""
        instance = question.instance
        blocks = self._blocks if instance.lags == self.instance.lags else blocks_of(instance)
        best: Timetable | None = None
        for order in islice(self._orders, _TRIED):
            rank: dict[int, int] = {}
            for place, (i, _) in enumerate(order):
                rank.setdefault(i, place)
            found = generate_serial(instance, [min(rank[i] for i in block) for block in blocks.members], blocks)
            if found is not None and (best is None or found.makespan < best.makespan):
                best = found
                if best.makespan <= question.bound(best.makespan):
                    break
        return None if best is None else best.schedule()

    def _keep(self, instance: Instance, schedule: Schedule) -> None:
        """Keep the order of a schedule, as the first one."""
        order = order_of(instance, schedule)
        if order in self._orders:
            self._orders.remove(order)
        self._orders.appendleft(order)


class _Question:
    """One instance to be solved, of which a schedule is known."""

    def __init__(self, instance: Instance, bounds: Windows, deadline: Deadline, began: float) -> None:
        self.instance, self.bounds, self.deadline, self.began = instance, bounds, deadline, began
        self.step = common_tick(instance)
        self.root = self.least = 0  # lower bounds, that on the grid of steps

    def bound(self, enough: float = inf) -> int:
        """Return a lower bound on the grid; no more than needed is worked out if so much is ``enough``."""
        if self.least < enough:
            self.root = max(self.root, lower_bound(self.instance, self.bounds, enough))
            self.least = -(-self.root // self.step) * self.step
        return self.least

    def in_time(self, schedule: Schedule) -> bool:
        """Whether a schedule keeps the time limit."""
        return self.instance.time_limit is None or schedule.makespan <= self.instance.time_limit

    def shortened(self, best: Schedule) -> tuple[Schedule, str]:
        """Return a best schedule and what proves it: that nothing is shorter than this one, or else the shortest.

        Nothing (``""``) proves it where CP-SAT's effort ends before.
        """
        self.bounds = ordered_windows(self.instance, self.deadline)
        if self.bounds.consistent and best.makespan <= self.bound():
            return best, "lower bound reached"
        model = self._model(self.least, best.makespan - 1)
        model.break_symmetry()
        found = run(model.model, deadline=self.deadline, core=True, lean=True, deterministic=_EFFORT)
        if found.status == Status.infeasible:
            return best, "nothing shorter"
        if found.status == Status.optimal:
            return model.schedule(found.solution), "core search"
        return best, ""

    def _model(self, least: int, most: int, *, relaxed: bool = False) -> ScheduleModel:
        return ScheduleModel(
            self.instance, self.bounds, self.step, least, most, relaxed=relaxed, deadline=self.deadline
        )

    def answer(self, schedule: Schedule, plan: str, proof: str) -> Result:
        """Return a proved result, whose schedule has been replayed by the rules."""
        return Result(
            instance=self.instance.name,
            status=Status.optimal,
            makespan=schedule.makespan,
            lower_bound=schedule.makespan,
            plan=plan,
            proof=proof,
            versions=versions(),
            unit=self.instance.unit,
            schedule=schedule,
            grid=self._grid(schedule.makespan),
            seconds=perf_counter() - self.began,
        )

    def _grid(self, makespan: int) -> int:
        """Return 1 if no finer pauses can help, else the step, as for any result of the exact solver."""
        shorter = makespan - self.step
        if self.step == 1 or shorter < self.root // self.step * self.step or not grid_matters(self.instance):
            return 1
        model = self._model(self.root // self.step * self.step, shorter, relaxed=True)
        model.model.drop_objective()
        found = run(model.model, deadline=self.deadline, deterministic=_GRID)
        return 1 if found.status == Status.infeasible else self.step
