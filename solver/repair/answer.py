"""The answer to a request for repair."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from planoracle.instances.deadline import Status
from planoracle.instances.plan import Dropped
from planoracle.instances.schedule import Piece


class Moved(NamedTuple):
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
    moves: tuple[Moved, ...] = ()
    shift: int | None = None
    makespan: int | None = None
    optimum: int | None = None
    added: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
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
                value = [one._asdict() for one in value]
            row[entry.name] = list(value) if isinstance(value, tuple) else value
        return row


def _move(move: Moved) -> dict[str, Any]:
    return {
        "action": move.action,
        "from": [_place(piece) for piece in move.before],
        "to": [_place(piece) for piece in move.after],
        "shift": move.shift,
    }


def _place(piece: Piece) -> dict[str, Any]:
    return {name: value for name, value in piece._asdict().items() if name != "action"}
