"""Comparison of methods, models, variants and numbers of agents with the proved optimum."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from planoracle.analysis.grading.grade_row import read_grades
from planoracle.analysis.grading.grader import Grade
from planoracle.analysis.intake.record_fields import is_grade
from planoracle.analysis.intake.submissions import Intake
from planoracle.analysis.statistics.summary import mean
from planoracle.heuristics.improve import DEFAULT, Budget
from planoracle.heuristics.registry import HeuristicAnswer, run
from planoracle.heuristics.registry import names as heuristics
from planoracle.instances.errors import InputError, PlanoracleError, UnknownNameError
from planoracle.instances.files.catalog import set_of, short_name
from planoracle.instances.model.agents import MOST_AGENTS, with_agents
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Limit, Status, WorkLimit
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.scoring import Claim, Reference
from planoracle.instances.text import one_of
from planoracle.solver.exact.bounds import windows
from planoracle.solver.result import Result
from planoracle.solver.solve import bundled_result, solve

if TYPE_CHECKING:
    import pandas as pd

#: Work for an exact solve where nothing else is asked for.
WORK = WorkLimit(60.0)

#: Methods that are not called by a name of their own: solving the problem, the main one of its benchmark's references,
#: and the best of the heuristics among these and ``improve``.
OPTIMUM, REFERENCE, BEST = "optimum", "reference", "best_heuristic"
#: Stands for every heuristic for the kind of a problem that is not among its references.
ALL = "all"

_KITCHEN = "the heuristics are for scheduling problems and floors"
_NO_REFERENCE = "the benchmark has no reference for it"


class MethodResult(NamedTuple):
    """What one method says of one problem.

    Attributes
    ----------
    makespan
        Ticks: of the method's schedule; of a reference what it claims. ``None``: no answer.
    status
        That of the method's own answer. A heuristic proves nothing.
    accepted
        Whether the rules accept the schedule; ``None`` if there is only a number, or it solves another problem.
    reason
        Why there is no answer, or why the rules refuse it.
    error
        What went wrong, if anything.
    """

    method: str
    makespan: int | None = None
    status: Status = Status.unknown
    accepted: bool | None = None
    seconds: float | None = None
    reason: str | None = None
    error: PlanoracleError | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What methods say of one problem.

    Attributes
    ----------
    actions
        Their number; ``None`` where they are chosen, as in kitchens.
    exact, lower_bound
        What solving the problem says, and the proved bound on every makespan in ticks.
    entries
        What the methods say, in the order in which they were asked for.
    """

    instance: str
    benchmark: str
    unit: str
    actions: int | None
    exact: MethodResult
    lower_bound: int | None
    entries: tuple[MethodResult, ...]

    @property
    def optimum(self) -> int | None:
        """The least makespan in ticks, if it is proved."""
        return self.exact.makespan if self.exact.status == Status.optimal else None

    @property
    def all(self) -> tuple[MethodResult, ...]:
        """The exact answer, and those of the methods."""
        return self.exact, *(one for one in self.entries if one is not self.exact)

    def gap(self, entry: MethodResult) -> float | None:
        """Return the excess over the optimum as a share of it; negative for a claim that cannot be kept."""
        return _excess(entry.makespan, self.optimum)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per method, as the frame ``comparisons`` has them."""
        shared: dict[str, Any] = {
            "instance": self.instance,
            "benchmark": self.benchmark,
            "unit": self.unit,
            "actions": self.actions,
            "optimum": self.optimum,
            "lower_bound": self.lower_bound,
            "settled": self.exact.status,
        }
        rows = []
        for one in self.entries:
            gaps = {"gap": self.gap(one), "gap_bound": _excess(one.makespan, self.lower_bound)}
            rows.append(shared | one._asdict() | gaps)
            del rows[-1]["error"]
        return rows

    def to_frame(self) -> pd.DataFrame:
        """Return the frame ``comparisons``, a row per method."""
        from planoracle.analysis.frames.schema import from_rows, problem_columns

        return from_rows("comparisons", [problem_columns(self.instance, self.benchmark) | row for row in self.rows()])[
            0
        ]

    def row(self) -> dict[str, Any]:
        """Return all in one row: of every method its makespan, its gap, and whether the rules accept it.

        The names of the last two leave out the word heuristic; ``seconds`` are those of the exact solve.
        """
        others = [(one, one.method.replace("_heuristic", "").replace("heuristic_", "")) for one in self.all[1:]]
        return {
            "instance": self.instance,
            "optimal": self.optimum,
            "lower_bound": self.lower_bound,
            "status": self.exact.status,
            **{one.method: one.makespan for one, _ in others},
            **{f"gap_{short}": self.gap(one) for one, short in others},
            **{f"accepted_{short}": one.accepted for one, short in others},
            "seconds": None if self.exact.seconds is None else round(self.exact.seconds, 6),
        }


def check(methods: Iterable[str]) -> None:
    """Raise `UnknownNameError` for a method that no benchmark has."""
    own = (one.name for name in registry.names() for one in registry.get(name).references)
    known = dict.fromkeys((OPTIMUM, REFERENCE, BEST, ALL, *own, *heuristics()))
    for method in methods:
        if method not in known:
            raise UnknownNameError(one_of(method, known, "methods"), field="method", value=method)


def compare(
    problem: Problem,
    methods: Sequence[str] | None = None,
    *,
    also: Sequence[str] = (),
    time_limit: Limit = WORK,
    budget: Budget = DEFAULT,
) -> Comparison:
    """Solve a problem, and let methods answer it.

    Parameters
    ----------
    methods
        ``optimum``, ``reference``, ``best_heuristic``, names of references (those of other benchmarks have no answer)
        and of heuristics, or ``all`` of these. Default: all references of the problem's benchmark, and
        ``best_heuristic`` but in kitchens.
    also
        More methods, after these.
    time_limit
        Seconds of wall time, or counted work, for the exact solve, which always takes place: gaps are measured by it.
    budget
        Of the heuristics.

    Raises
    ------
    UnknownNameError
        For a method that does not exist. What else goes wrong is said in the entry of the method.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> found = compare(load("timearena/household4"))
    >>> found.optimum, [(one.method, one.makespan, one.accepted) for one in found.entries[:2]]
    (14, [('heuristic_reference', 9, False), ('greedy', 9, False)])
    """
    references = registry.of(problem).references
    if methods is None:
        own = [one.name for one in references]
        methods = own if problem.kind == "kitchen" else [*own, BEST]
    methods = [*methods, *also]
    check(methods)
    run_anyway = {one.source for one in references if isinstance(one.source, str)}
    every = [name for name in heuristics(problem.kind) if name not in run_anyway]
    methods = [one for method in methods for one in (every if method == ALL else [method])]
    asked = _ProblemAnswers(problem, time_limit, budget)
    return Comparison(
        instance=problem.name,
        benchmark=problem.benchmark,
        unit=problem.unit,
        actions=len(of_kind(problem, Instance).actions) if problem.kind == "schedule" else None,
        exact=asked.exact,
        lower_bound=asked.lower_bound,
        entries=tuple(asked.entry(method) for method in dict.fromkeys(methods)),
    )


class _ProblemAnswers:
    """One problem, its exact answer, and those of the heuristics that have been asked."""

    def __init__(self, problem: Problem, time_limit: Limit, budget: Budget) -> None:
        self.problem = problem
        self.time_limit = time_limit
        self.budget = budget
        self.references: Sequence[Reference[Any]] = registry.of(problem).references
        self.lower_bound: int | None = None
        self._answers: dict[tuple[str, Budget], HeuristicAnswer] = {}
        try:
            found = _solved(problem, time_limit)
        except PlanoracleError as error:
            self.exact = MethodResult(OPTIMUM, reason=str(error), error=error)
        else:
            self.lower_bound = found.lower_bound
            none = found.makespan is None
            accepted, reason = (None, found.proof) if none else (True, None)
            self.exact = MethodResult(OPTIMUM, found.makespan, found.status, accepted, found.seconds, reason)

    def entry(self, method: str) -> MethodResult:
        """Ask one method."""
        if method == OPTIMUM:
            return self.exact
        try:
            return self._entry(method)._replace(method=method)
        except PlanoracleError as error:
            return MethodResult(method, reason=str(error), error=error)

    def _entry(self, method: str) -> MethodResult:
        if method == BEST:
            return self._best()
        for own in self.references:
            if own.name == method or (own.main and method == REFERENCE):
                return self._reference(own)
        return self._heuristic(method) if method in heuristics() else MethodResult(method, reason=_NO_REFERENCE)

    def _reference(self, own: Reference[Any]) -> MethodResult:
        if isinstance(own.source, str):
            return self._heuristic(own.source, claims=True)
        try:
            given = own.source(self.problem)
        except UnknownNameError:
            raise
        except InputError as error:  # the other problem cannot be completed
            return MethodResult(own.name, status=Status.infeasible, reason=str(error))
        if not isinstance(given, Claim):
            other = _solved(given, self.time_limit)
            best, reason = (other.makespan, None) if other.status == Status.optimal else (None, other.proof)
            return MethodResult(own.name, best, other.status, seconds=other.seconds, reason=reason)
        if given.makespan is None:
            return MethodResult(own.name, reason=given.reason or _NO_REFERENCE)
        if given.accepted:
            return MethodResult(own.name, given.makespan, Status.feasible, accepted=True)
        refused = given.accepted is False
        reason = f"claimed, but refused by the rules: {given.reason}" if refused else given.reason or None
        return MethodResult(own.name, given.makespan, accepted=given.accepted, reason=reason)

    def _best(self) -> MethodResult:
        names = [one.source for one in self.references if isinstance(one.source, str)]
        entries = [self._heuristic(name) for name in names]
        entries.append(self._heuristic("improve", budget=replace(self.budget, bound=self.lower_bound or 0)))
        known = [(one.makespan, place) for place, one in enumerate(entries) if one.makespan is not None]
        return entries[min(known)[1] if known else -1]

    def _heuristic(self, name: str, *, claims: bool = False, budget: Budget | None = None) -> MethodResult:
        """Run a heuristic, once; as a reference what it claims counts, also where the rules do not allow it."""
        if self.problem.kind == "kitchen":
            return MethodResult(name, reason=_KITCHEN)
        key = name, budget or self.budget
        if key not in self._answers:
            self._answers[key] = run(self.problem, *key)
        found = self._answers[key]
        if claims and found.claim not in (None, found.makespan):
            reason = found.reason or f"claims {found.claim}, but takes {found.makespan}"
            return MethodResult(name, found.claim, accepted=False, seconds=found.seconds, reason=reason)
        if found.makespan is None:
            return MethodResult(name, seconds=found.seconds, reason=found.reason)
        return MethodResult(name, found.makespan, Status.feasible, accepted=True, seconds=found.seconds)


def _solved(problem: Problem, limit: Limit) -> Result:
    """Return what ships about a problem, or else solve it; schedules are solved at once, and so in any case.

    What has been left unproved is tried again where there is another limit than the usual one.
    """
    if problem.kind == "schedule":
        found = solve(problem, time_limit=limit)
        return found if found.status.settled else bundled_result(problem) or found
    shipped = bundled_result(problem)
    if shipped is not None and (shipped.status.settled or limit == WORK):
        return shipped
    found = solve(problem, time_limit=limit)
    return found if found.status.settled else shipped or found


def _excess(makespan: int | None, base: int | None) -> float | None:
    if makespan is None or base is None:
        return None
    return 0.0 if makespan == base else makespan / base - 1 if base else None


def summarize(comparisons: Iterable[Comparison]) -> list[dict[str, Any]]:
    """Compute per set how good each method is.

    Returns
    -------
    list of dict
        ``set`` (of the bundled problems, else the benchmark), ``method, problems``; how many answers are
        ``above, equal, below`` the optimum, where that is proved; ``impossible``: how many the rules refuse; the number
        of problems ``answered`` and their ``mean`` in ticks; the number of answers ``compared`` with a proved optimum,
        and their ``mean_gap, max_gap`` (share of the optimum); ``worst``: where the largest gap is. Then what the
        benchmark adds (`planoracle.instances.protocol.benchmark.Benchmark.summed`).
    """
    import pandas as pd

    answers = [
        {
            "number": number,
            "benchmark": one.benchmark,
            "set": _storable(set_of(one.instance)[0] or one.instance.rpartition("/")[0] or one.benchmark),
            "instance": one.instance,
            "method": _storable(entry.method),
            "makespan": one.optimum if entry is one.exact else entry.makespan,
            "gap": one.gap(entry),
            "refused": entry.accepted is False,
        }
        for number, one in enumerate(comparisons)
        for entry in one.all
    ]
    rows = []
    sets: Any = pd.DataFrame(answers, dtype=object).groupby(["benchmark", "set"], sort=False) if answers else ()
    for (name, label), members in sets:
        benchmark = registry.get(name)
        titles = {own.name: own.title for own in benchmark.references}
        for method, part in members.groupby("method", sort=False):
            makespans, gaps = part["makespan"].dropna(), part["gap"].dropna().astype(float)
            worst = None if gaps.empty else float(gaps.max())
            row = {
                "set": label,
                "method": titles.get(method, method.replace("_", " ")),
                "problems": members["number"].nunique(),
                "above": int((gaps > 0).sum()),
                "equal": int((gaps == 0).sum()),
                "below": int((gaps < 0).sum()),
                "impossible": int(part["refused"].sum()),
                "answered": len(makespans),
                "mean": mean(makespans),
                "compared": len(gaps),
                "mean_gap": mean(gaps),
                "max_gap": worst,
                "worst": short_name(part["instance"][gaps.idxmax()]) if worst and worst > 0 else None,
            }
            rows.append(row | benchmark.paper_averages(row))
    return rows


def _storable(text: str) -> str:
    """Return a text by which a frame can be grouped: surrogates that stand alone are escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


def parted(names: Sequence[str]) -> tuple[list[str], list[Grade]]:
    """Return the names among names, and the grades in those that are files of these.

    Without any other name these are the problems that were graded.

    Raises
    ------
    InputError
        For a file that cannot be read.
    """
    files = [name for name in names if os.path.isfile(name) and _holds_grades(name)]
    grades = [grade for name in files for grade in read_grades(name)]
    left = [name for name in names if name not in files]
    if files and not left:
        left = list(dict.fromkeys(grade.instance for grade in grades if grade.scored and grade.instance is not None))
    return left, grades


def _holds_grades(path: str) -> bool:
    return any(is_grade(entry) for _, (_, entry) in zip(range(1), Intake([path]), strict=False))


def with_models(one: Comparison, grades: Iterable[Grade]) -> Comparison:
    """Return a comparison with an entry for every model: the shortest of its plans that succeed.

    A model all of whose plans fail has no makespan, and says why of the first. One that is called like a method, or
    like another column, is told from it.
    """
    taken = set(one.row())
    groups: dict[str, list[Grade]] = defaultdict(list)
    for grade in grades:
        if grade.instance == one.instance and grade.scored:
            model = grade.model or "no model"
            groups[f"model {model}" if model in taken else model].append(grade)
    return replace(one, entries=(*one.entries, *(_entry(model, found) for model, found in groups.items())))


def _entry(model: str, grades: Sequence[Grade]) -> MethodResult:
    spans = [grade.makespan for grade in grades if grade.success and grade.makespan is not None]
    if spans:
        return MethodResult(model, min(spans), Status.feasible, accepted=True)
    return MethodResult(model, accepted=False, reason=f"no success: {grades[0].violation or 'not all tasks are done'}")


#: Column of the problem itself, which is no variant.
ITSELF = "itself"


def by_variant(comparisons: Iterable[Comparison]) -> list[dict[str, Any]]:
    """Return a row for each problem, with a column for every variant (what stands behind the ``@`` of its name).

    Returns
    -------
    list of dict
        ``problem``; the main reference, if the benchmark has one; by variant the proved optimum, or a text with the
        bounds where none is proved (``27..30``), ``infeasible``, or ``None`` where nothing is known.

    Examples
    --------
    >>> from planoracle.analysis.comparison.compare import compare
    >>> from planoracle.instances.files.catalog import expand, problem
    >>> by_variant(compare(problem(name)) for name in expand(["robotouille/synchronous/0_cheese_sandwich@4*"]))
    [{'problem': 'robotouille/synchronous/0_cheese_sandwich', 'published': 10, '42': 7, '420': 5}]
    """
    rows: dict[str, dict[str, Any]] = {}
    for one in comparisons:
        problem, _, variant = one.instance.partition("@")
        row = rows.setdefault(problem, {"problem": problem})
        benchmark = registry.find(one.benchmark)
        for reference in benchmark.references if benchmark is not None else ():
            if reference.main:
                claimed = next((entry.makespan for entry in one.entries if entry.method == reference.name), None)
                row[reference.name] = row.get(reference.name, claimed) if claimed is None else claimed
        row[variant or ITSELF] = _known(one)
    return list(rows.values())


def _known(one: Comparison) -> int | str | None:
    if one.exact.makespan is None:
        return str(one.exact.status) if one.exact.status.settled else None
    return one.exact.makespan if one.optimum is not None else f"{one.lower_bound or 0}..{one.exact.makespan}"


@dataclass(frozen=True, slots=True)
class Curve:
    """Optima of one problem with 1, 2, ... agents.

    Attributes
    ----------
    makespans
        Ticks, for 1, 2, ... agents; ``None`` where no schedule was found.
    statuses
        As in `planoracle.solver.result.Result`.
    grids
        Ticks; the optima hold for pauses at their multiples.
    critical_path
        Ticks; the longest chain of durations and lags, which no number of agents can beat.
    limit
        Ticks; the optimum if nobody ever has to wait for an agent, objects only; ``None`` if it is not proved.
    """

    instance: str
    set: str
    unit: str
    makespans: tuple[int | None, ...]
    statuses: tuple[Status, ...]
    grids: tuple[int, ...]
    critical_path: int
    limit: int | None

    @property
    def proved(self) -> bool:
        """Whether all of it is."""
        return self.limit is not None and set(self.statuses) == {Status.optimal}

    def speedup(self, agents: int) -> float | None:
        """Return by what factor so many agents are faster than one; ``None`` where one of both is not known."""
        one, several = self.makespans[0], self.makespans[agents - 1]
        return None if one is None or not several else one / several

    @property
    def limit_speedup(self) -> float | None:
        """By what factor an agent for every action is faster than one agent; ``None`` if that is not known."""
        one = self.makespans[0]
        return one / self.limit if one is not None and self.limit else None

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for every number of agents."""
        return [
            {
                "instance": self.instance,
                "set": self.set,
                "agents": agents,
                "status": self.statuses[agents - 1],
                "makespan": makespan,
                "unit": self.unit,
                "speedup": self.speedup(agents),
                "critical_path": self.critical_path,
                "limit": self.limit,
                "grid": self.grids[agents - 1],
            }
            for agents, makespan in enumerate(self.makespans, 1)
        ]


def curve(instance: Instance, most: int = 4, *, time_limit: float = 60.0) -> Curve:
    """Solve a problem with 1 to ``most`` agents, and with one for every action.

    Parameters
    ----------
    instance
        Agents of its own must be alike.
    time_limit
        Seconds for each number of agents.

    Raises
    ------
    InputError
        If agents differ, or ``most`` is out of range.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.recipe2plan.bundled_data import load
    >>> found = curve(load("timed", "Cobbler_Pancakes"), 3)
    >>> found.makespans, found.critical_path, found.limit
    ((4080, 2550, 2400), 2400, 2400)
    """
    found = [solve(with_agents(instance, count), time_limit=time_limit) for count in range(1, most + 1)]
    bounds = windows(instance)
    path = max(h + a.duration + t for h, a, t in zip(bounds.head, instance.actions, bounds.tail, strict=True))
    attended = sum(action.attended > 0 for action in instance.actions)
    limit = solve(with_agents(instance, min(MOST_AGENTS, attended + 1)), time_limit=time_limit)
    return Curve(
        instance=instance.name,
        set=set_of(instance.name)[0],
        unit=instance.unit,
        makespans=tuple(result.makespan for result in found),
        statuses=tuple(result.status for result in found),
        grids=tuple(result.grid for result in found),
        critical_path=path,
        limit=limit.makespan if limit.status == Status.optimal else None,
    )


def summarize_agents(curves: Iterable[Curve]) -> list[dict[str, Any]]:
    """Average curves per set and number of agents, in the order in which the sets come up.

    Returns
    -------
    list of dict
        ``set, agents``; the number of ``problems`` and of those ``proved`` for every number of agents, over which the
        means are; ``mean_makespan`` in ticks, ``unit``; ``mean_speedup`` over one agent and the middle half of the
        speed-ups, ``low`` to ``high``; the shares of problems that more agents cannot make faster, as short as the
        critical path (``at_critical_path``) or as with an agent for every action (``at_limit``); ``limit_speedup``: the
        mean speed-up of the latter.
    """
    import pandas as pd

    points = [
        row | {"set": _storable(one.set or one.instance), "proved": one.proved, "most": one.limit_speedup}
        for one in curves
        for row in one.rows()
    ]
    frame = pd.DataFrame(points, dtype=object)
    rows = []
    groups: Any = frame.groupby(["set", "agents"], sort=False) if len(frame) else ()
    for (label, agents), part in groups:
        proved = part[part["proved"]]
        gains = proved["speedup"].dropna().astype(float)
        rows.append(
            {
                "set": label,
                "agents": agents,
                "problems": len(part),
                "proved": len(proved),
                "mean_makespan": mean(proved["makespan"].dropna()),
                "unit": part["unit"].iloc[0],
                "mean_speedup": mean(gains),
                "low": None if gains.empty else float(gains.quantile(0.25)),
                "high": None if gains.empty else float(gains.quantile(0.75)),
                "at_critical_path": mean(proved["makespan"] == proved["critical_path"]),
                "at_limit": mean(proved["makespan"] == proved["limit"]),
                "limit_speedup": mean(proved["most"].dropna()),
            }
        )
    return rows
