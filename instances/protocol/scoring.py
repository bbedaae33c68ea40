"""Metrics, averages and references of a benchmark, and the oracle that metrics query."""

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
    """Best known plan and bound of a problem."""

    @property
    def status(self) -> Status:
        """Status of the solve; ``optimal`` if the makespan is proved."""

    @property
    def makespan(self) -> int | None:
        """Makespan of the best known plan, in ticks."""

    @property
    def lower_bound(self) -> int | None:
        """Proved lower bound, in ticks."""

    @property
    def plan(self) -> str | None:
        """Text of the best known plan."""


class Oracle(Protocol):
    """Solver that metrics query; results are cached."""

    def best(self, problem: Problem, rules: Rules) -> BestKnown:
        """Return the best known plan and bound under some rules."""

    def rest(self, run: Run[Any, Any, Any]) -> BestKnown:
        """Return the best completion of a run; its makespan is the remaining time."""

    def values(self, run: Run[Any, Any, Any]) -> Sequence[int | None]:
        """Return the best reachable makespan before and after every step; ``None``: unknown."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Metrics of one run.

    Attributes
    ----------
    optimum
        Proved optimal makespan under the rules of the grade, in ticks; else ``None``.
    metrics
        Metrics of the benchmark by name.
    status, bound
        Status and proved lower bound; by default those of the optimum.
    details
        Function that returns further metrics, step by step, which are rarely needed.
    """

    optimum: int | None
    metrics: dict[str, Any] = field(default_factory=dict)
    status: Status | None = None
    bound: int | None = None
    details: Callable[[], dict[str, Any]] = dict

    @classmethod
    def with_optimum(cls, best: BestKnown, metrics: dict[str, Any]) -> Measured:
        """Return metrics with the status and bounds of the best known plan."""
        optimum = best.makespan if best.status == Status.optimal else None
        return cls(optimum, metrics, best.status, best.lower_bound)

    def __post_init__(self) -> None:
        if self.status is None:
            object.__setattr__(self, "status", Status.unknown if self.optimum is None else Status.optimal)
            object.__setattr__(self, "bound", self.optimum)


class Metric(NamedTuple):
    """Metric in the rows of grades.

    Attributes
    ----------
    kind
        ``number``, ``count``, ``flag`` or ``text``; other kinds have no column in data frames.
    is_shown
        True if the table of grades has it.
    """

    name: str
    meaning: str
    unit: str = ""
    kind: str = "number"
    is_shown: bool = False


class Average(NamedTuple):
    """Average over many grades: one sum divided by another.

    Attributes
    ----------
    of
        Function that returns the two terms of a scored grade, ``None`` for none. With ``total`` the second is ignored;
        with ``tally`` the result is a list of names to count.
    absent
        Terms of a problem of the set without a submission, where missing ones count as failed.
    is_shown
        True if tables for people have it.
    role
        ``success`` for the success rate, ``main`` for the main score, or both.
    full
        Best possible value.
    """

    name: str
    meaning: str
    of: Callable[[Row], Any]
    absent: tuple[float, float] | None = None
    total: bool = False
    tally: bool = False
    is_shown: bool = True
    role: tuple[str, ...] = ()
    full: float = 1


def mean_of(name: str, meaning: str, *, key: str = "", default: float | None = None, **more: Any) -> Average:
    """Return the mean of a metric over the grades that have it; with ``default`` over all grades."""

    def of(row: Row) -> tuple[float, float] | None:
        value = row.get(key or name)
        value = default if value is None else value
        return None if value is None else (value, 1)

    return Average(name, meaning, of, **more)


def ratio_of(name: str, meaning: str, top: str, bottom: str, **more: Any) -> Average:
    """Return the sum of one metric divided by the sum of another."""

    def of(row: Row) -> tuple[float, float] | None:
        return None if row[top] is None or row[bottom] is None else (row[top], row[bottom])

    return Average(name, meaning, of, **more)


def share_of(name: str, meaning: str, condition: Callable[[Row], bool], **more: Any) -> Average:
    """Return the share of the grades that meet a condition."""
    return Average(name, meaning, lambda row: (float(condition(row)), 1), **more)


_P = TypeVar("_P", contravariant=True)


@dataclass(frozen=True, slots=True)
class Claim:
    """Makespan stated by a reference.

    Attributes
    ----------
    makespan
        Ticks; ``None`` if nothing is claimed for this problem.
    accepted
        True if the rules accept a plan of that makespan; ``None`` if there is only a number.
    reason
        Reason why the rules refuse it, or why there is no claim.
    plan
        Plan in a form that submissions may have; ``None`` if there is only a number.
    """

    makespan: int | None
    accepted: bool | None = None
    reason: str = ""
    plan: object = None


@dataclass(frozen=True, slots=True)
class Reference(Generic[_P]):
    """Plan or makespan that plans are compared with, computed on demand.

    Attributes
    ----------
    name, title
        Name of columns and methods, and name in summaries.
    source
        Name of a heuristic (`planoracle.heuristics.registry`), or a function that returns for a problem a claim, or
        another problem whose optimum counts. It raises `InputError` if that problem cannot be completed.
    main
        True for the reference in the benchmark's own metrics.
    published
        Name of a published reference in an audit; ``""`` for others, which are not audited.
    profile
        Default profile of rules for its check.
    about
        Description and source, in one or two sentences.
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
    """Way to pass the released grader with less work than a problem asks for.

    Attributes
    ----------
    name, about
        Name, and the oversight of the grader in a sentence.
    problem
        Name of a bundled problem that shows it.
    plans
        Function that returns plans for the problem that exploit it, in a form that submissions may have; its second
        argument returns a shortest plan of a problem in that form. At least one of the plans passes.
    """

    name: str
    about: str
    problem: str
    plans: Callable[[_P, Callable[[_P], str]], Iterable[object]]
