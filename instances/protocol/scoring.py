"""Declarations of metrics, averages and references of a benchmark, and the oracle of metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from planoracle.instances.errors import BenchmarkError
from planoracle.instances.model.limits import Status

if TYPE_CHECKING:
    from planoracle.instances.model.problem import Problem
    from planoracle.instances.protocol.environment import AnyEnvironment
    from planoracle.instances.protocol.profiles import Rules
    from planoracle.instances.protocol.run import Run


#: A grade as a flat row, see `planoracle.analysis.grading.grader.Grade.row`.
Row = Mapping[str, Any]

#: Metrics of benchmarks of which more is better, beside the common shares of grades.
HIGHER_IS_BETTER: Final = (
    "efficiency",
    "turn_efficiency",
    "r_efficiency",
    "r_efficiency_optimal",
    "multitasking_score",
)


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


class Optimum(NamedTuple):
    """Optimum that a grade reports: makespan if it is proved, status, and proved lower bound; in ticks.

    Attributes
    ----------
    makespan
        Proved optimum in ticks; ``None`` if it is not proved.
    status
        Status of the solve.
    lower_bound
        Proved lower bound in ticks.
    weight
        Proved greatest weight of executed optional tasks, for which makespan and bound hold; ``None`` if it is not
        proved, or no task is optional.
    weight_bound
        Proved upper bound of this weight.
    """

    makespan: int | None = None
    status: Status = Status.unknown
    lower_bound: int | None = None
    weight: int | None = None
    weight_bound: int | None = None

    @classmethod
    def of(cls, best: BestKnown) -> Optimum:
        """Return the optimum of a solve."""
        is_proved = best.status == Status.optimal
        makespan = best.makespan if is_proved else None
        weight = getattr(best, "weight", None)
        weight_bound = getattr(best, "weight_bound", None)
        best_weight = weight if weight == weight_bound else None
        return cls(makespan, best.status, best.lower_bound, best_weight, weight_bound)

    def at_weight(self, weight: int | None) -> Optimum:
        """Return the optimum for a plan of a weight: without ticks if they hold for another weight.

        Makespans of plans with different weights are not compared.
        """
        if weight is None or weight == self.weight:
            return self
        return self._replace(makespan=None, lower_bound=None)


_Run = TypeVar("_Run", bound="Run[Any, Any, Any]")
_R = TypeVar("_R", bound="Rules")


class Measurement(Generic[_Run]):
    """Run, oracle, and values that several metrics of the run share.

    A benchmark derives a class of its own, whose attributes are computed once per run.

    Parameters
    ----------
    run
        Replay of a submission, which names its benchmark.
    oracle
        Solver of optima.
    """

    def __init__(self, run: _Run, oracle: Oracle) -> None:
        self.run = run
        self.oracle = oracle

    @cached_property
    def best(self) -> BestKnown:
        """Best known plan and bound under the rules of the run."""
        return self.oracle.best(self.run.problem, self.run.rules)

    @cached_property
    def optimum(self) -> Optimum:
        """Optimum that the grade reports; by the formula of the benchmark where there is one.

        It has no makespan if the plan leaves out more optional tasks than it has to, see `Optimum.at_weight`.
        """
        makespan = self.run.benchmark.formula_optimum(self.run.problem)
        if makespan is None:
            optimum = Optimum.of(self.best)
            return optimum.at_weight(self.run.weight) if self.run.success else optimum
        return Optimum(makespan, Status.optimal, makespan)


_M = TypeVar("_M", bound=Measurement[Any])
#: Kinds of metrics. ``json``: any value, without a column in frames and tables.
Kind = Literal["number", "count", "flag", "text", "json"]
#: Common field of rows with the progress over time, see `planoracle.instances.model.violations.Replay`.
PROGRESS_OVER_TIME: Final = "progress_over_time"
#: Names of metrics that describe every step. Rows have them on request only.
DETAILS: Final = frozenset({"steps", "trace", "final", PROGRESS_OVER_TIME})


class Average(NamedTuple):
    """Aggregate of many grades.

    Attributes
    ----------
    name, meaning
        Column of summaries, and its help text.
    of
        Function of the row of a scored grade, ``None`` for a grade that does not count. A number is averaged, a pair is
        numerator and denominator of a ratio of sums, and ``counts`` takes a list of names. By default the value of the
        metric that has the average, else of the field ``name``.
    aggregate
        ``mean``: sum of the numerators divided by the sum of the denominators; ``sum``; ``max``, of whole
        numbers; or ``counts``: how often each name of a list occurs, or the sums of a mapping of names to counts.
    counts_missing
        True if a problem of the set without a submission counts as 0.
    is_shown
        True if tables for people have it.
    role
        ``success`` for the success rate, ``main`` for the main score, or both. A benchmark has an average of each role.
    full
        Best possible value.
    """

    name: str
    meaning: str
    of: Callable[[Row], Any] | None = None
    aggregate: Literal["mean", "sum", "max", "counts"] = "mean"
    counts_missing: bool = False
    is_shown: bool = True
    role: tuple[str, ...] = ()
    full: float = 1

    def terms(self, row: Row) -> Any:
        """Return numerator and denominator of a scored grade, or its names to count; ``None`` for none."""
        value = row.get(self.name) if self.of is None else self.of(row)
        if value is None or isinstance(value, tuple) or self.aggregate == "counts":
            return value
        return value, 1


@dataclass(frozen=True, slots=True)
class Metric(Generic[_M]):
    """Metric of a single run.

    Attributes
    ----------
    name
        Key in rows of grades.
    meaning, unit
        Help text, and unit of the values (empty for none).
    of
        Function that returns the value, ``None`` where it is undefined.
    kind
        Kind of the values, see `Kind`.
    is_shown
        True if the table of grades has it.
    rule
        Name of a rule, such as ``price_waits``: rows have the metric only if it is set.
    average
        Its aggregate over many grades, if any.
    """

    name: str
    meaning: str
    of: Callable[[_M], Any]
    unit: str = ""
    kind: Kind = "number"
    is_shown: bool = False
    rule: str = ""
    average: Average | None = None


#: Metrics, and averages that belong to no single metric, in the order of rows and tables.
Declarations: TypeAlias = tuple[Metric[_M] | Average, ...]


def without_live_row(environment: AnyEnvironment, oracle: Oracle) -> Row | None:
    """Return ``None``: the run has to be graded, see `MetricSet.live_row`."""
    return None


def live_row_of_failure(environment: AnyEnvironment, oracle: Oracle) -> Row | None:
    """Return the row of a run without success for ``MetricSet.live_row``; a success has to be graded.

    Parameters
    ----------
    environment
        Live run, which may not have ended.
    oracle
        Source of optima, which no failure needs.
    """
    return None if environment.success else {"success": False}


class MetricSet(Generic[_M, _R]):
    """Metrics of a benchmark. Rows, tables, frames, reports and averages follow from its declarations.

    Attributes
    ----------
    measurement
        Class whose objects are passed to `Metric.of`.
    declare
        Function that returns the declarations under some rules, which may change the averages only.
    references
        Plans and makespans to compare with, see `Benchmark`.
    tables
        Further tables of summaries by title: functions of the rows of sets, see
        `planoracle.analysis.statistics.summary.summarize`.
    live_row
        Function that returns all values on which the main score depends, from the state of a closed-loop live run. They
        are equal to those of the grade. It returns ``None`` for a state that has to be graded, which takes as long as
        the run. By default every state is graded.
    published_figures
        Function that recomputes figures which the paper prints about its problems, by the names in
        ``data/published.json``.
    """

    def __init__(
        self,
        measurement: type[_M],
        declare: Callable[[_R], Declarations[_M]],
        references: Sequence[Reference[Any]] = (),
        published_figures: Callable[[], Mapping[str, float]] = dict,
        tables: Mapping[str, Callable[[Sequence[Row]], list[dict[str, Any]]]] | None = None,
        live_row: Callable[[AnyEnvironment, Oracle], Row | None] = without_live_row,
    ) -> None:
        self.measurement = measurement
        self.declare = cache(declare)
        self.references = references
        self.published_figures = published_figures
        self.tables = tables or {}
        self.live_row = live_row

    def columns(self, rules: _R) -> tuple[Metric[_M], ...]:
        """Return the metrics that have a column in frames and tables."""
        metrics = (declared for declared in self.declare(rules) if isinstance(declared, Metric))
        return tuple(metric for metric in metrics if metric.kind != "json")

    def averages(self, rules: _R) -> tuple[Average, ...]:
        """Return the aggregates over many grades; raises `BenchmarkError` if a role is missing."""
        averages = tuple(filter(None, map(_average_of, self.declare(rules))))
        for role in ("success", "main"):
            if not any(role in average.role for average in averages):
                raise BenchmarkError(f"must declare an average with the role {role!r}", field=self.declare.__module__)
        return averages

    def values(self, measurement: _M, *, details: bool = True) -> dict[str, Any]:
        """Return the metrics of a run by name; without ``details`` those of `DETAILS` are missing."""
        rules = measurement.run.rules
        values = {}
        for declared in self.declare(rules):
            if not isinstance(declared, Metric) or (declared.rule and not getattr(rules, declared.rule)):
                continue
            if details or declared.name not in DETAILS:
                values[declared.name] = declared.of(measurement)
        return values


def _average_of(declared: Metric[Any] | Average) -> Average | None:
    """Return the average that a declaration has, with its function."""
    if isinstance(declared, Average):
        return declared
    average, name = declared.average, declared.name
    if average is None or average.of is not None:
        return average
    return average._replace(of=lambda row: row.get(name))


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
    answers
        Number of right answers, if the task asks for any of them and not for the shortest plan; else ``None``.
    """

    makespan: int | None
    accepted: bool | None = None
    reason: str = ""
    plan: object = None
    answers: int | None = None


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
    """

    name: str
    title: str
    source: str | Callable[[_P], Claim | Problem]
    main: bool = False
    published: str = ""
    profile: str = "paper"
