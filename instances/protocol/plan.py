"""Submissions and the plans in them: fields, readings, and targets for repair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece

#: Fields that may hold the plan in submissions to any benchmark, in order of precedence after its own.
COMMON_FIELDS = ("output", "response", "completion", "messages", "answer")

NO_PLAN = "no_plan"
AMBIGUOUS = "ambiguous"
CUT_OFF = "cut_off"
#: Faults of an answer that is no plan, with their sentences.
FAULTS: dict[str, str] = {
    NO_PLAN: "the answer contains no plan",
    AMBIGUOUS: "the answer contains several plans and does not choose one",
    CUT_OFF: "the answer was cut off before it ended",
}

# Characters of a line that an error shows.
_LONGEST_LINE = 200

_C = TypeVar("_C", covariant=True)
_D = TypeVar("_D")


@dataclass(frozen=True, slots=True)
class Reading(Generic[_C]):
    """Commands read from a submitted plan, and counts of what was not read.

    Attributes
    ----------
    commands
        In the form that the benchmark's rules take.
    read
        Number of steps read; ``None`` where a benchmark does not count them.
    read_from
        Part of the text that they were read from.
    ignored
        Number of lines that hold a step, or look like one, and were not read.
    unread
        Number of those that are neither a draft nor a summary of the plan.
    example
        The first of these, with its line.
    fault
        One of `FAULTS` if the answer is no plan, for which it fails; else empty.
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
        """True if at least two lines, and more than a fifth of all that look like steps, could not be read."""
        lines = self.unread + (self.read or 0)
        return self.unread > 1 and 5 * self.unread > lines

    def of(self, convert: Callable[[_C], _D]) -> Reading[_D]:
        """Return the same reading with its commands in another form."""
        return replace(self, commands=convert(self.commands))  # type: ignore[return-value, arg-type]


class UnreadError(PlanError):
    """Plan of which too many lines could not be read for a verdict."""

    reading: Reading[object] | None = None

    @classmethod
    def of(cls, reading: Reading[object], right_line: str = "") -> UnreadError:
        """Return the error for a reading, with the unread lines and a line of the plan language."""
        among = reading.unread + (reading.read or 0)
        lines = f"{reading.unread} of {among} lines that look like steps could not be read"
        accepted = f"; a line that can be read is {right_line[:_LONGEST_LINE]!r}" if right_line else ""
        example = f"the first is {reading.example}{accepted}"
        error = cls(f"cannot be graded: {lines}; {example}", field="plan")
        error.reading = reading
        return error


@dataclass(frozen=True, slots=True)
class Plan(Generic[_C]):
    """Submitted plan, and the commands that its benchmark read from it.

    Attributes
    ----------
    submitted
        Text, a list, or a log.
    commands
        The same in the form that the benchmark's rules take.
    limit
        Ticks to which the submission limits its own run; ``None`` for those of the problem.
    read, read_from, ignored, fault
        See `Reading`.
    """

    submitted: object
    commands: _C
    limit: int | None = None
    read: int | None = None
    read_from: str | None = None
    ignored: int | None = None
    fault: str = ""


def submitted_plan(submission: object, fields: Sequence[str]) -> object:
    """Return the plan of a submission: its first field among ``fields`` and `COMMON_FIELDS`.

    A submission that is no record is a bare plan.

    Raises
    ------
    InputError
        If a record has none of the fields.

    Examples
    --------
    >>> submitted_plan({"id": "a", "plan": "wash cup"}, ("actions", "plan")), submitted_plan("wash cup", ("plan",))
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


def submitted_limit(submission: object, field: str, maximum: int, unit: str, optional: bool = False) -> int | None:
    """Return the limit of a submission for its own run, ``None`` if it has none.

    Parameters
    ----------
    maximum, unit
        Largest limit, and its unit.
    optional
        Accept null for no limit.

    Raises
    ------
    InputError
        If it is no whole number up to ``maximum``.
    """
    if not isinstance(submission, Mapping) or field not in submission:
        return None
    value = submission[field]
    if value is None and optional:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= maximum:
        raise InputError(f"must be {unit}, at most {maximum}", field=field, value=value)
    return value


class Target(NamedTuple):
    """A command of the submission as a piece of an action.

    Attributes
    ----------
    position
        Position in the submission, from 0.
    command
        Text of the command.
    piece
        Piece that the command stands for.
    """

    position: int
    command: str
    piece: Piece


class DroppedCommand(NamedTuple):
    """Command that a repaired plan leaves out: position in the submission (from 0), text, and reason.

    Attributes
    ----------
    position
        Position in the submission, from 0.
    command
        Text of the command.
    reason
        Reason why it is left out.
    """

    position: int
    command: str
    reason: str


@dataclass(frozen=True, slots=True)
class Targets:
    """Submission in terms of the scheduling model.

    Attributes
    ----------
    problem
        Problem to schedule, with the limits that the rules set for every plan.
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
    """Combine executed commands with attempts, of which the first counts if its action was never executed.

    Other attempts are dropped with their reasons.
    """
    targets = list(carried)
    actions = {target.piece.action for target in targets}
    dropped = []
    for target, reason in attempted:
        if target.piece.action in actions:
            dropped.append(DroppedCommand(target.position, target.command, reason))
        else:
            actions.add(target.piece.action)
            targets.append(target)
    targets.sort(key=lambda target: (target.piece.start, target.position))
    return tuple(targets), tuple(dropped)
