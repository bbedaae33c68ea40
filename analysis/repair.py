"""Repair submitted plans: the nearest plan that passes the rules, and the best that keeps the order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from planoracle.analysis.optimum import optimum
from planoracle.analysis.profiles import profiles
from planoracle.analysis.repairs.common import Dropped, Moved, Reader, Reading, Repair
from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.model import Instance
from planoracle.instances.problem import Problem, of_kind
from planoracle.instances.schedule import Piece
from planoracle.instances.status import Status
from planoracle.instances.validate import MAX_TICKS
from planoracle.solver.repair.fixed_sequence import best_in_order
from planoracle.solver.repair.minimal_change import OBJECTIVES, Nearest, checked_objectives, nearest

__all__ = ["OBJECTIVES", "Repair", "Repairer", "repair"]


class Repairer:
    """Repairs submissions; solves what they share once.

    Parameters
    ----------
    rules
        Profiles by benchmark, as `planoracle.analysis.profiles.profiles` returns them; by default those of ``paper``.
    objectives
        What is kept small, the most important first, see
        `planoracle.solver.repair.minimal_change.nearest`. Kitchens know only
        one meaning of near.
    time_limit
        Seconds of wall time for each of the nearest plan, the best one in order, and a kitchen's optimum.
    """

    def __init__(
        self,
        rules: Mapping[str, Any] | None = None,
        *,
        objectives: Sequence[str] = OBJECTIVES,
        time_limit: float = 60.0,
    ) -> None:
        self.rules = profiles("paper") if rules is None else rules
        self.objectives = checked_objectives(objectives)
        self.time_limit = time_limit
        self._readers: dict[str, Reader] = {}
        self._kitchens: dict[Kitchen, Any] = {}

    def repair(self, problem: Problem, submission: Mapping[str, Any]) -> Repair:
        """Repair one submission: an object with a plan, as `planoracle.analysis.grade.Grader` takes it.

        A plan that passes the rules (success, no violation) comes back as it was handed in.

        Raises
        ------
        InputError
            For a submission that cannot be read.
        InternalError
            If a plan of ours does not pass the rules; never returned as an answer.
        """
        if not isinstance(submission, Mapping):
            raise InputError("must be an object with a plan", field="submission", value=submission)
        if isinstance(problem, Kitchen):
            # Imported when needed: a kitchen brings the planner.
            from planoracle.analysis.repairs.robotouille import repair_kitchen
            from planoracle.solver.kitchens.planner import plan

            rules = self.rules["robotouille"]
            if problem not in self._kitchens:
                self._kitchens[problem] = plan(problem, time_limit=self.time_limit, rules=rules)
            return repair_kitchen(problem, dict(submission), rules, self._kitchens[problem], self.time_limit)
        return self._repair(of_kind(problem, Instance), dict(submission))

    def _repair(self, instance: Instance, submission: dict[str, Any]) -> Repair:
        reader = self._reader(instance.benchmark)
        reading = reader.read(instance, submission)
        answer: dict[str, Any] = {
            "instance": instance.name,
            "benchmark": instance.benchmark,
            "violations": len(reading.replay.violations),
            "unit": instance.unit,
            "objectives": self.objectives,
        }
        if reading.instance is None:
            return Repair(status=Status.infeasible, in_order_status=Status.infeasible, **answer)
        best = optimum(reading.instance)
        ordered = best_in_order(reading.instance, [wish.piece for wish in reading.wishes], time_limit=self.time_limit)
        answer |= {
            "optimum": best.makespan if best.status == Status.optimal else None,
            "in_order": ordered.makespan,
            "in_order_status": ordered.status,
        }
        if reading.passes:
            unchanged = {"changed": False, "shift": 0, "makespan": reading.replay.makespan, "plan": reading.plan}
            return Repair(status=Status.optimal, proved=self.objectives, **answer, **unchanged)
        wanted: dict[str, list[Piece]] = {}
        for wish in reading.wishes:
            wanted.setdefault(wish.piece.action, []).append(wish.piece)
        found = nearest(reading.instance, wanted, objectives=self.objectives, time_limit=self.time_limit)
        answer |= {"status": found.status, "proved": found.proved, "grid": found.grid, "added": found.added}
        answer["dropped"] = tuple(sorted((*reading.dropped, *_in_vain(reading, found))))
        if found.schedule is None:
            return Repair(**answer)
        written = reader.write(reading.instance, found.schedule)
        others = {name: value for name, value in submission.items() if name not in reader.names}
        again = reader.read(instance, others | {reader.names[-1]: written})
        if not again.passes or again.replay.makespan != found.makespan:
            raise InternalError(f"{instance.name}: a repaired plan of ours does not pass the rules")
        return Repair(
            changed=True,
            moves=_moves(wanted, found),
            shift=found.shift,
            makespan=found.makespan,
            plan=written,
            **answer,
        )

    def _reader(self, benchmark: str) -> Reader:
        if benchmark not in self._readers:
            self._readers[benchmark] = self._new_reader(benchmark)
        return self._readers[benchmark]

    def _new_reader(self, benchmark: str) -> Reader:
        # Imported when needed: a reader brings its benchmark's rules.
        if benchmark == "recipe2plan":
            from planoracle.analysis.repairs.recipe2plan import Recipe2PlanReader

            return Recipe2PlanReader(self.rules["recipe2plan"])
        if benchmark == "timearena":
            from planoracle.analysis.repairs.timearena import TimeArenaReader

            return TimeArenaReader(self.rules["timearena"])
        if benchmark == "asynctool":
            from planoracle.analysis.repairs.asynctool import AsyncToolReader

            return AsyncToolReader(self.rules["asynctool"])
        from planoracle.analysis.repairs.own import OwnReader

        return OwnReader()


def repair(problem: Problem, submission: Mapping[str, Any], **options: Any) -> Repair:
    """Repair one submission; ``options`` are those of `Repairer`.

    Examples
    --------
    >>> from planoracle.instances.catalogue import load
    >>> made = ["activate kettle", "wash cup", "pour kettle into cup", "wash teapot"]
    >>> found = repair(load("timearena/household1"), {"plan": made})
    >>> found.status, found.changed, found.moved, found.shift, found.makespan, found.optimum
    ('optimal', True, 0, 0, 13, 13)
    """
    return Repairer(**options).repair(problem, submission)


def _moves(wanted: Mapping[str, Sequence[Piece]], found: Nearest) -> tuple[Moved, ...]:
    assert found.schedule is not None
    pieces = found.schedule.pieces
    return tuple(
        Moved(
            name,
            tuple(wanted[name]),
            tuple(piece for piece in pieces if piece.action == name),
            found.shifts[name],
        )
        for name in found.moved
    )


def _in_vain(reading: Reading, found: Nearest) -> list[Dropped]:
    """Name the commands whose pieces are of no use; of equal ones the last."""
    left = Counter(found.in_vain)
    dropped = []
    for wish in reversed(reading.wishes):
        if left[wish.piece]:
            left[wish.piece] -= 1
            dropped.append(Dropped(wish.position, wish.command, _reason(wish.piece)))
    return dropped


def _reason(piece: Piece) -> str:
    if not piece.duration:
        return "lasts no time"
    return "is too late" if piece.start > MAX_TICKS else "repeats what is complete"
