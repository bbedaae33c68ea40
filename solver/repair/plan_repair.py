"""Repair of runs on scheduling problems: the nearest valid plan, and its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.schedule import Piece
from planoracle.instances.model.validation import MAX_TICKS
from planoracle.instances.protocol.plan import DroppedCommand, Target
from planoracle.instances.protocol.registry import contradiction
from planoracle.instances.protocol.schedule_benchmark import agrees, language, replay_rules
from planoracle.instances.protocol.schedule_run import AnyScheduleRun
from planoracle.instances.protocol.scoring import BestKnown
from planoracle.solver.repair.minimal_change import MinimalChange, minimal_change


class MovedAction(NamedTuple):
    """An action that is not as submitted: its pieces before and after, and its shift in ticks."""

    action: str
    before: tuple[Piece, ...]
    after: tuple[Piece, ...]
    shift: int


@dataclass(frozen=True, slots=True)
class Repair:
    """The plan nearest to a submitted one that passes the rules.

    Attributes
    ----------
    status
        ``optimal``: no plan that passes the rules is nearer, proved; or there was nothing to repair. ``feasible``:
        ``plan`` passes the rules, but only the objectives in ``proved`` are known to be least. ``infeasible``: proved
        that no plan passes the rules. ``unknown``: neither found nor excluded.
    changed
        False if the submission passes the rules (success, and no violation); ``plan`` then is what was handed in.
        ``None`` without a plan.
    violations
        How many the submission has.
    moves
        The actions that moved: a piece is not as submitted in start, duration, mode (the second object of TimeArena)
        or agent.
    shift
        Ticks; sum over all actions submitted of the largest shift of a unit of their work, see
        `planoracle.solver.repair.minimal_change.MinimalChange`. ``None`` without a plan, and for plans for
        kitchens that changed.
    makespan
        Of ``plan``, in ticks.
    optimum
        Least makespan of any plan, proved; else ``None``.
    added
        Actions that the submission lacks; in kitchens the actions that complete it.
    dropped
        Commands that name nothing, repeat what is done, or are refused and made up for.
    plan
        In the benchmark's language; ``grade`` takes it as ``"plan"``.
    grid
        See `planoracle.solver.repair.minimal_change.MinimalChange`.
    """

    instance: str
    benchmark: str
    status: Status
    changed: bool | None = None
    violations: int = 0
    moves: tuple[MovedAction, ...] = ()
    shift: int | None = None
    makespan: int | None = None
    optimum: int | None = None
    added: tuple[str, ...] = ()
    dropped: tuple[DroppedCommand, ...] = ()
    objectives: tuple[str, ...] = ()
    proved: tuple[str, ...] = ()
    grid: int = 1
    unit: str = "tick"
    plan: object = None

    @property
    def moved(self) -> int | None:
        """Number of actions moved, ``None`` where there is no ``shift``."""
        return None if self.shift is None else len(self.moves)

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as a JSON object; ``moved`` is the number, ``moves`` the list."""
        row: dict[str, Any] = {}
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name == "moves":
                row["moved"] = self.moved
                value = [_move(move) for move in value]
            elif entry.name == "dropped":
                value = [command._asdict() for command in value]
            row[entry.name] = list(value) if isinstance(value, tuple) else value
        return row


def _move(move: MovedAction) -> dict[str, Any]:
    return {
        "action": move.action,
        "from": [_place(piece) for piece in move.before],
        "to": [_place(piece) for piece in move.after],
        "shift": move.shift,
    }


def _place(piece: Piece) -> dict[str, Any]:
    return {name: value for name, value in piece._asdict().items() if name != "action"}


def repair_schedule(
    run: AnyScheduleRun,
    best: Callable[[Problem], BestKnown],
    objectives: tuple[str, ...],
    time_limit: Limit,
    salvaged: tuple[DroppedCommand, ...] = (),
) -> Repair:
    """Repair a run, see `planoracle.solver.runs.RunSolver.repaired`."""
    verdict, instance = run.verdict, run.problem
    answer: dict[str, Any] = {
        "instance": instance.name,
        "benchmark": instance.benchmark,
        "violations": len(verdict.violations),
        "unit": instance.unit,
        "objectives": objectives,
    }
    if run.impossible is not None:
        return Repair(status=Status.infeasible, **answer)
    targets = run.targets()
    problem, pieces = targets.problem, [target.piece for target in targets.targets]
    exact = best(problem)
    answer["optimum"] = exact.makespan if exact.status == Status.optimal else None
    if verdict.success and not verdict.violations:
        unchanged: dict[str, Any] = {
            "changed": False,
            "shift": 0,
            "makespan": verdict.makespan,
            "plan": run.plan.submitted,
        }
        return Repair(status=Status.optimal, proved=objectives, **answer, **unchanged)
    by_action: dict[str, list[Piece]] = {}
    for piece in pieces:
        by_action.setdefault(piece.action, []).append(piece)
    rules = replay_rules(problem, run.rules)
    change = minimal_change(problem, by_action, objectives=objectives, time_limit=time_limit, rules=rules)
    answer |= {"status": change.status, "proved": change.proved, "grid": change.grid, "added": change.added}
    answer["dropped"] = tuple(sorted((*salvaged, *targets.dropped, *_redundant(targets.targets, change))))
    if change.schedule is None:
        return Repair(**answer)
    written = language(problem).written(problem, change.schedule)
    parsed = replace(language(problem).parse(problem, written, run.rules), limit=run.plan.limit)
    passed = language(problem).replay(problem, parsed, run.rules).verdict
    if passed.violations or not passed.success or not agrees(problem, passed.makespan, change.makespan):
        raise contradiction(problem, "its rules reject a repaired plan that satisfies all constraints of the problem")
    return Repair(
        changed=True,
        moves=_moves(by_action, change),
        shift=change.shift,
        makespan=passed.makespan,
        plan=written,
        **answer,
    )


def _moves(by_action: Mapping[str, Sequence[Piece]], change: MinimalChange) -> tuple[MovedAction, ...]:
    assert change.schedule is not None
    moves = []
    for name in change.moved:
        before = tuple(by_action[name])
        after = tuple(piece for piece in change.schedule.pieces if piece.action == name)
        moves.append(MovedAction(name, before, after, change.shifts[name]))
    return tuple(moves)


def _redundant(targets: Sequence[Target], change: MinimalChange) -> list[DroppedCommand]:
    """Return the commands whose pieces are redundant; of equal ones the last."""
    remaining = Counter(change.redundant)
    dropped = []
    for target in reversed(targets):
        if remaining[target.piece]:
            remaining[target.piece] -= 1
            dropped.append(DroppedCommand(target.position, target.command, _reason(target.piece)))
    return dropped


def _reason(piece: Piece) -> str:
    if not piece.duration:
        return "has duration 0"
    return f"starts after tick {MAX_TICKS}" if piece.start > MAX_TICKS else "the action is already complete"
