"""What a run is worth: the figures of a benchmark, who answers what they need to know, and how they are summed up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from planoracle.instances.model.limits import Status

if TYPE_CHECKING:
    from planoracle.instances.model.problem import Problem
    from planoracle.instances.protocol.profiles import Rules
    from planoracle.instances.protocol.run import Run


#: A grade as a flat row, see `planoracle.analysis.grading.grader.Grade.row`.
Row = Mapping[str, Any]


class BestKnown(Protocol):
    """What is known about the best plans of a problem."""

    @property
    def status(self) -> Status:
        """Whether the best makespan is proved."""

    @property
    def makespan(self) -> int | None:
        """Ticks, of the best plan known."""

    @property
    def lower_bound(self) -> int | None:
        """Ticks, proved."""

    @property
    def plan(self) -> str | None:
        """That plan as text."""


class Oracle(Protocol):
    """Answers what only a solver knows; every question is asked once."""

    def best(self, problem: Problem, rules: Rules) -> BestKnown:
        """Return what is known about the best plans under some rules."""

    def rest(self, run: Run[Any, Any, Any]) -> BestKnown:
        """Return the best way to go on where a run ended; the makespan is that of what is left."""

    def values(self, run: Run[Any, Any, Any]) -> Sequence[int | None]:
        """Return the best makespan within reach before the first and after every step, ``None`` where unknown."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of one run.

    Attributes
    ----------
    optimum
        Proved least makespan under the rules that grade, in ticks; else ``None``.
    metrics
        The benchmark's own, by name.
    status, bound
        What is known of the best plans, and what they take at least, proved; by default what the optimum says of it.
    details
        Returns further metrics, which tell step by step what nobody asks for as a rule.
    """

    optimum: int | None
    metrics: dict[str, Any] = field(default_factory=dict)
    status: Status | None = None
    bound: int | None = None
    details: Callable[[], dict[str, Any]] = dict

    @classmethod
    def beside(cls, best: BestKnown, metrics: dict[str, Any]) -> Measured:
        """Return figures beside what is known about the best plans."""
        optimum = best.makespan if best.status == Status.optimal else None
        return cls(optimum, metrics, best.status, best.lower_bound)

    def __post_init__(self) -> None:
        if self.status is None:
            object.__setattr__(self, "status", Status.unknown if self.optimum is None else Status.optimal)
            object.__setattr__(self, "bound", self.optimum)


class Metric(NamedTuple):
    """A metric in the rows of grades: its name, what it says, its unit, whether the table of grades shows it.

    ``kind`` is ``number``, ``count``, ``flag`` or ``text``; what is none of these has no column of a frame.
    """

    name: str
    meaning: str
    unit: str = ""
    kind: str = "number"
    shown: bool = False


class Average(NamedTuple):
    """A figure over many grades: one sum by another.

    Attributes
    ----------
    of
        Returns what a scored grade adds to both, ``None`` for nothing; with a ``total`` the second does not count,
        with a ``tally`` it is a list of names that are counted.
    absent
        What a problem of a set adds that nobody has handed a plan in for, where that counts as failed.
    shown
        Whether the table that people read has it.
    role, full
        ``success`` for the rate of success, ``main`` for the main figure, or both; and what the best value is.
    """

    name: str
    meaning: str
    of: Callable[[Row], Any]
    absent: tuple[float, float] | None = None
    total: bool = False
    tally: bool = False
    shown: bool = True
    role: tuple[str, ...] = ()
    full: float = 1


def mean_of(name: str, meaning: str, *, key: str = "", default: float | None = None, **more: Any) -> Average:
    """Return the mean of a metric over the grades that have it; with a ``default``, over all."""

    def of(row: Row) -> tuple[float, float] | None:
        value = row.get(key or name)
        value = default if value is None else value
        return None if value is None else (value, 1)

    return Average(name, meaning, of, **more)


def ratio_of(name: str, meaning: str, top: str, bottom: str, **more: Any) -> Average:
    """Return the sum of one metric by that of another."""

    def of(row: Row) -> tuple[float, float] | None:
        return None if row[top] is None or row[bottom] is None else (row[top], row[bottom])

    return Average(name, meaning, of, **more)


def share_of(name: str, meaning: str, whether: Callable[[Row], bool], **more: Any) -> Average:
    """Return the share of the grades of which something holds."""
    return Average(name, meaning, lambda row: (float(whether(row)), 1), **more)


if TYPE_CHECKING:
    from planoracle.instances.model.problem import Problem


_P = TypeVar("_P", contravariant=True)


@dataclass(frozen=True, slots=True)
class Claim:
    """A makespan that somebody states.

    Attributes
    ----------
    makespan
        Ticks; ``None``: nothing is claimed of this problem.
    accepted
        Whether the rules accept a plan of that makespan; ``None``: there is a number only.
    reason
        Why the rules refuse it, or why there is none.
    plan
        The plan itself, in a form that submissions may have; ``None``: there is a number only.
    """

    makespan: int | None
    accepted: bool | None = None
    reason: str = ""
    plan: object = None


@dataclass(frozen=True, slots=True)
class Reference(Generic[_P]):
    """Something to compare plans with. Nothing is worked out before it is asked for.

    Attributes
    ----------
    name, title
        A plain word, as columns and methods are called, and what summaries call it.
    source
        The name of a heuristic (`planoracle.heuristics.registry`); or what returns, for a problem, a claim, or another
        problem, whose optimum counts. `InputError` says that this other problem cannot be completed.
    main
        Whether it is the one that the benchmark itself measures plans by.
    published
        What an audit calls it if somebody has published it, in a word; ``""``: it is checked by none.
    profile
        The rules that it is checked by where nobody says others: those that it was made for.
    about
        What it is and where it was published, in a sentence or two.
    """

    name: str
    title: str
    source: str | Callable[[_P], Claim | Problem]
    main: bool = False
    published: str = ""
    profile: str = "paper"
    about: str = ""


@dataclass(frozen=True, slots=True)
class Loophole(Generic[_P]):
    """A way to pass the released grader by less work than a problem asks for.

    Attributes
    ----------
    name, about
        A plain word, and what the grader overlooks, in a sentence.
    problem
        By name: a bundled one that shows it.
    plans
        Returns plans for the problem that use the way, in a form that submissions may have: made of what the second
        argument returns, a shortest plan of a problem in that form. At least one of them passes.
    """

    name: str
    about: str
    problem: str
    plans: Callable[[_P, Callable[[_P], str]], Iterable[object]]
