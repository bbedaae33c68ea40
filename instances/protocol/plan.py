"""What is handed in: submissions, and the plans they hold, read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece

#: Fields that may hold the plan of a submission to any benchmark, behind its own; the first that is there counts.
COMMON_FIELDS = ("output", "response", "completion", "messages", "answer")

NO_PLAN, AMBIGUOUS, CUT_OFF = "no_plan", "ambiguous", "cut_off"
#: Why an answer fails that is no plan, and what is said of it.
FAULTS: dict[str, str] = {
    NO_PLAN: "the answer holds no plan",
    AMBIGUOUS: "the answer holds several plans and no word that chooses one",
    CUT_OFF: "the answer was cut off before it ended",
}

_C = TypeVar("_C", covariant=True)
_D = TypeVar("_D")


@dataclass(frozen=True, slots=True)
class Reading(Generic[_C]):
    """What was taken of a plan that was handed in, and what was not.

    Attributes
    ----------
    commands
        In the form that the benchmark's rules take.
    read
        Number of steps taken; ``None`` where a benchmark does not count them.
    read_from
        Which part they were taken from, in a few words.
    ignored
        Lines that hold a step or look as if they should, and were not taken.
    unread
        Those of them for which there is no good reason: neither a draft nor a summary of what was taken.
    example
        The first of these, with its line.
    fault
        Why it is no plan, one of `FAULTS`: it fails for that; empty for a plan.
    """

    commands: _C
    read: int | None = None
    read_from: str | None = None
    ignored: int | None = None
    unread: int = 0
    example: str = ""
    fault: str = ""

    @property
    def doubtful(self) -> bool:
        """Whether at least two lines, and more than a fifth of all that look like steps, could not be read."""
        return self.unread > 1 and 5 * self.unread > self.unread + (self.read or 0)

    def of(self, made: Callable[[_C], _D]) -> Reading[_D]:
        """Return the same reading with its commands in another form."""
        return replace(self, commands=made(self.commands))  # type: ignore[return-value, arg-type]


class UnreadError(PlanError):
    """So much of a plan could not be read that a verdict on the rest would not be one on the plan."""

    reading: Reading[object] | None = None

    @classmethod
    def of(cls, reading: Reading[object]) -> UnreadError:
        """Say what could not be read."""
        among = reading.unread + (reading.read or 0)
        lines = f"{reading.unread} of {among} lines that look like steps could not be read, first {reading.example}"
        error = cls(f"cannot be judged: {lines}", field="plan")
        error.reading = reading
        return error


@dataclass(frozen=True, slots=True)
class Plan(Generic[_C]):
    """A plan as it was handed in, and as its benchmark reads it.

    Attributes
    ----------
    given
        What was handed in: text, a list, a log.
    commands
        The same in the form that the benchmark's rules take.
    limit
        Ticks that the submission itself allows its run; ``None``: those of the problem.
    read, read_from, ignored, fault
        What was taken and what was not, see `Reading`.
    """

    given: object
    commands: _C
    limit: int | None = None
    read: int | None = None
    read_from: str | None = None
    ignored: int | None = None
    fault: str = ""


def given_plan(submission: object, fields: Sequence[str]) -> object:
    """Return the plan of a submission: its first of some fields, or of those that all benchmarks know.

    What is no record is a bare plan.

    Raises
    ------
    InputError
        If a record has none of the fields.

    Examples
    --------
    >>> given_plan({"id": "a", "plan": "wash cup"}, ("actions", "plan")), given_plan("wash cup", ("plan",))
    ('wash cup', 'wash cup')
    """
    if submission is None:  # nothing has been done yet
        return []
    if isinstance(submission, Mapping):
        for field in (*fields, *COMMON_FIELDS):
            if field in submission:
                return submission[field]
        if {"id", "instance"} & submission.keys():
            raise InputError("is missing", field=fields[-1])
    return submission


def given_limit(submission: object, field: str, most: int, what: str, optional: bool = False) -> int | None:
    """Return the limit that a submission sets its own run, ``None`` if it sets none.

    Parameters
    ----------
    most, what, optional
        The largest limit, what it is a number of, and whether it may be null, for none.

    Raises
    ------
    InputError
        If it is no whole number up to ``most``.
    """
    if not isinstance(submission, Mapping) or field not in submission:
        return None
    value = submission[field]
    if value is None and optional:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise InputError(f"must be {what}, at most {most}", field=field, value=value)
    return value


class Target(NamedTuple):
    """A command of the submission as a piece of an action."""

    position: int
    command: str
    piece: Piece


class DroppedCommand(NamedTuple):
    """A command that a repaired plan does without: its position in the submission (from 0), its words, and why."""

    position: int
    command: str
    reason: str


@dataclass(frozen=True, slots=True)
class Targets:
    """A submission as the scheduling model sees it.

    Attributes
    ----------
    problem
        What is to be scheduled, with the limits that the rules set every plan.
    targets
        In the order of the commands.
    dropped
        Commands that are no piece of any action.
    """

    problem: Instance
    targets: tuple[Target, ...] = ()
    dropped: tuple[DroppedCommand, ...] = ()


def first_or_attempted(
    carried: Iterable[Target], attempted: Iterable[tuple[Target, str]]
) -> tuple[tuple[Target, ...], tuple[DroppedCommand, ...]]:
    """Put commands that were carried out and attempts together.

    Of an action that was never carried out the first attempt counts. The others are dropped, for the reasons given.
    """
    targets = list(carried)
    known = {target.piece.action for target in targets}
    dropped = []
    for target, reason in attempted:
        if target.piece.action in known:
            dropped.append(DroppedCommand(target.position, target.command, reason))
        else:
            known.add(target.piece.action)
            targets.append(target)
    return tuple(sorted(targets, key=lambda one: (one.piece.start, one.position))), tuple(dropped)
