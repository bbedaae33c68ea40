"""What repairs of all benchmarks share: the answer, and what is read of a submission."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Protocol

from planoracle.instances.model import Instance
from planoracle.instances.replay import Replay
from planoracle.instances.schedule import Piece, Schedule
from planoracle.instances.status import Status

__all__ = ["Dropped", "Moved", "Reader", "Reading", "Repair", "Wish", "first_or_attempted"]


class Moved(NamedTuple):
    """An action that is not as submitted: its pieces before and after, and its shift in ticks."""

    action: str
    before: tuple[Piece, ...]
    after: tuple[Piece, ...]
    shift: int


class Dropped(NamedTuple):
    """A command that the repaired plan does without: its position in the submission (from 0), its words, and why."""

    position: int
    command: str
    reason: str


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
        `planoracle.solver.repair.minimal_change.Nearest`. ``None`` without a plan, and for plans for
        kitchens that changed.
    makespan
        Of ``plan``, in ticks.
    optimum
        Least makespan of any plan, proved; else ``None``.
    in_order, in_order_status
        Least makespan that keeps the order of the commands submitted, see `planoracle.solver.repair.fixed_sequence`.
    added
        Actions that the submission lacks; in kitchens the actions that complete it.
    dropped
        Commands that name nothing, repeat what is done, or are refused and made up for.
    plan
        In the benchmark's language; ``grade`` takes it as ``"plan"``.
    grid
        See `planoracle.solver.repair.minimal_change.Nearest`.
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
    in_order: int | None = None
    in_order_status: Status | None = None
    added: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    objectives: tuple[str, ...] = ()
    proved: tuple[str, ...] = ()
    grid: int = 1
    unit: str = "tick"
    plan: Any = None

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


class Wish(NamedTuple):
    """A command of the submission as a piece of an action."""

    position: int
    command: str
    piece: Piece


@dataclass(frozen=True, slots=True)
class Reading:
    """A submission as the scheduling model sees it.

    Attributes
    ----------
    instance
        What is to be scheduled under the rules that judge; ``None`` if they leave no way to complete it.
    plan
        As handed in.
    replay
        What the rules say of it.
    wishes
        In the order of the commands.
    dropped
        Commands that are no piece of any action.
    """

    instance: Instance | None
    plan: Any
    replay: Replay
    wishes: tuple[Wish, ...] = ()
    dropped: tuple[Dropped, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether there is nothing to repair."""
        return self.replay.success and not self.replay.violations


class Reader(Protocol):
    """Reads the submissions of one benchmark, and writes its plans."""

    #: Fields of a submission that may hold the plan, the one that counts first.
    names: tuple[str, ...]

    def read(self, instance: Instance, submission: dict[str, Any]) -> Reading:
        """Read and replay a submission; raises `InputError` for what cannot be read."""
        ...

    def write(self, instance: Instance, schedule: Schedule) -> Any:
        """Write a schedule as a plan."""
        ...


def first_or_attempted(
    carried: Iterable[Wish], attempted: Iterable[tuple[Wish, str]]
) -> tuple[tuple[Wish, ...], tuple[Dropped, ...]]:
    """Put commands that were carried out and attempts together.

    Of an action that was never carried out the first attempt counts. The others are dropped, for the reasons given.
    """
    wishes = list(carried)
    known = {wish.piece.action for wish in wishes}
    dropped = []
    for wish, reason in attempted:
        if wish.piece.action in known:
            dropped.append(Dropped(wish.position, wish.command, reason))
        else:
            known.add(wish.piece.action)
            wishes.append(wish)
    return tuple(sorted(wishes, key=lambda wish: (wish.piece.start, wish.position))), tuple(dropped)
