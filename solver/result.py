"""Options and result of a solve, for problems of any kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from planoracle import __version__
from planoracle.instances.errors import RefusedPlanError
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.kinds.registry import find as find_kind

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from planoracle.instances.model.problem import Problem

# Seconds from which on the time is worth a mention.
_LONG = 2.0
# Meaning of each status for plans shorter than that of the result.
_PROOFS = {
    Status.optimal: "no shorter plan exists",
    Status.feasible: "none; a shorter plan may exist",
    Status.infeasible: "no plan exists",
    Status.unknown: "none; no plan was found, and infeasibility is not proved",
    "claimed": "none; the benchmark states this optimum",
}

# The same for plans of a smaller weight, or a greater makespan at the same weight.
_PROOFS_WITH_WEIGHTS = {
    Status.optimal: "no plan has a greater weight, and none of this weight is shorter",
    Status.feasible: "none; a plan of a greater weight, or a shorter plan of this weight, may exist",
}

#: Grades of proofs, from one that a person can follow to the word of the solver.
CERTIFICATE, DRCP = "certificate", "drcp"
TWO_SOLVERS, SOLVER = "two solvers", "solver"
#: Proof of infeasibility by two runs of CP-SAT.
TWO_RUNS = "CP-SAT with presolve on and off"

#: Callback for each improvement: makespan of the incumbent (``None`` if there is none yet) and lower bound.
OnProgress: TypeAlias = Callable[[int | None, int], None]


class SolveOptions(NamedTuple):
    """Options of `planoracle.solver.solve.solve`, as kinds receive them.

    Attributes
    ----------
    rules
        Rules of the problem's benchmark; ``None`` for those by which problems of the kind are solved.
    time_limit
        Seconds of wall time, or counted work.
    seed, workers
        Random seed and number of threads of CP-SAT.
    exact_grid
        Allow interruptions at every tick.
    after
        Actions that have been executed; the plan continues after them.
    min_interruptions
        Among optimal schedules, minimize the number of interruptions.
    engine
        ``auto``, or ``cp-sat`` for a single call of CP-SAT.
    on_progress
        Callback for each improved makespan or lower bound.
    start
        Valid result from whose plan and lower bound the search begins; used in kitchens only.
    """

    rules: Rules | None = None
    time_limit: Limit = 60.0
    seed: int = 0
    workers: int = 1
    exact_grid: bool = False
    after: tuple[str, ...] = ()
    min_interruptions: bool = False
    engine: str = "auto"
    on_progress: OnProgress | None = None
    start: Result | None = None


@dataclass(frozen=True, slots=True)
class Result:
    r"""Result of a solver or heuristic: status, makespan, lower bound and plan; ``str`` shows them.

    Attributes
    ----------
    instance, kind, unit
        Name and kind of the problem, and the unit of its ticks.
    status
        ``optimal``: the plan is proved to be optimal. ``feasible``: the plan is valid, and ``lower_bound`` holds.
        ``infeasible``: no plan exists, proved. ``unknown``: no plan was found, and infeasibility is not proved.
    makespan, lower_bound
        Ticks (of kitchens: steps of all players together); ``None`` if unknown.
    plan
        Plan in the benchmark's language, accepted by its rules.
    seconds
        Wall time, with construction of the model and validation of the plan.
    proof
        Step of the search that settled the status.
    versions, seed
        Versions and random seed on which the result depends.
    schedule
        Left-shifted schedule of the plan; problems of kind ``schedule`` only.
    grid
        Ticks. The status and the lower bound hold for schedules that interrupt actions at multiples of ``grid``. It is
        1 if finer interruptions are proved not to help. Kind ``schedule`` only.
    actions
        Actions of the plan; kind ``kitchen`` only.
    rounds
        Steps divided by the number of players, rounded up; kind ``kitchen`` only.
    expanded
        Number of expanded states; kind ``kitchen`` only.
    problem
        The problem itself; set by `planoracle.solve` and `planoracle.schedule`.
    method
        ``optimum``, or the name of the heuristic that made the schedule.
    effort
        With ``engine="cp-sat"`` the ``branches`` and ``conflicts`` of CP-SAT's search, and its ``cp_sat_seconds``.
    source
        ``solved``, or ``bundled``: the optimum was read from the bundled ones, and its plan replayed.
    weight, weight_bound
        Total weight of the optional tasks that the plan executes, and an upper bound of it; ``None`` if no task is
        optional. The greatest weight comes first, then the least makespan: ``optimal`` means that both are proved, and
        ``lower_bound`` is that of the makespan at the greatest weight (``None`` until that is proved).
    claimed
        Optimum that the benchmark itself states, in ticks; the status is then ``unknown``, as nothing is proved.
    checked_proof
        `CERTIFICATE` or `DRCP`, if such a proof of the optimum was checked; else empty.

    Examples
    --------
    >>> print(Result("n", Status.feasible, 12, 9, "t/a at 0\nt/b at 7", seconds=60.0, proof="time limit"))
    n: feasible
    makespan      12 ticks
    lower bound   9 ticks, gap at most 33.3 %
    proof         none; a shorter plan may exist (time limit, after 60 s)
    """

    instance: str
    status: Status
    makespan: int | None = None
    lower_bound: int | None = None
    plan: str | None = None
    seconds: float = 0.0
    proof: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    seed: int = 0
    kind: str = "schedule"
    unit: str = "tick"
    schedule: Schedule | None = None
    grid: int = 1
    actions: tuple[str, ...] = ()
    rounds: int | None = None
    expanded: int = 0
    problem: Problem | None = field(default=None, kw_only=True, repr=False, compare=False)
    method: str = field(default="optimum", kw_only=True)
    effort: Mapping[str, float] = field(default_factory=dict, kw_only=True, compare=False)
    source: str = field(default="solved", kw_only=True)
    claimed: int | None = field(default=None, kw_only=True)
    checked_proof: str = field(default="", kw_only=True, compare=False)
    weight: int | None = field(default=None, kw_only=True)
    weight_bound: int | None = field(default=None, kw_only=True)

    @property
    def proof_grade(self) -> str | None:
        """Grade of the proof of the status, ``None`` without a proof.

        ``certificate``: a readable proof was checked; ``drcp``: one by Pumpkin; ``two solvers``: CP-SAT proves
        infeasibility with presolve and without it; ``solver``: the word of the solver.
        """
        if not self.status.settled:
            return None
        if self.status == Status.infeasible and self.proof == TWO_RUNS:
            return TWO_SOLVERS
        return self.checked_proof if self.checked_proof and self.status == Status.optimal else SOLVER

    def __str__(self) -> str:
        text: str = _view().as_text(self)
        return text

    def _repr_html_(self) -> str:
        """Return the table of the plan and its Gantt chart, for notebooks."""
        html: str = _view().as_html(self)
        return html

    def as_dict(self) -> dict[str, Any]:
        """Return the record that ``planoracle solve`` writes, with the fields of the problem's kind only."""
        fields_of_kind: dict[str, Any]
        if self.claimed is not None:
            fields_of_kind = {"status": "claimed", "claimed": self.claimed}
        else:
            fields_of_kind = find_kind(self.kind).result_fields(self)
        weights = {} if self.weight_bound is None else {"weight": self.weight, "weight_bound": self.weight_bound}
        return {
            "instance": self.instance,
            "status": self.status,
            "makespan": self.makespan,
            "lower_bound": self.lower_bound,
            **weights,
            "unit": self.unit,
            "seconds": round(self.seconds, 6),
            "proof": self.proof,
            "proof_grade": self.proof_grade,
            "source": self.source,
            **self.effort,
            "plan": self.plan,
            **fields_of_kind,
            "versions": self.versions,
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the plan, a row per piece or action; the columns are those of the frame ``schedules``.

        Raises
        ------
        InputError
            If there is no plan.
        """
        frame: pd.DataFrame = _view().as_frame(self)
        return frame

    def gantt(self, ax: Axes | None = None) -> Axes:
        """Draw the plan as a Gantt chart, by default on the axes of a new figure.

        Parameters
        ----------
        ax
            Axes to draw on; by default those of a new figure.

        Raises
        ------
        InputError
            If there is no plan, or the plan is too long to draw.
        """
        axes: Axes = _view().gantt_chart(self, ax)
        return axes


def _view() -> ModuleType:
    """Return the module of the functions that show results.

    Its import is late, because `analysis` imports this package.
    """
    from planoracle.analysis import result_view

    return result_view


def in_words(row: Mapping[str, Any]) -> str:
    """Return makespan, lower bound and proof of a result as lines of text.

    Parameters
    ----------
    row
        As of `Result.as_dict`, or of a heuristic, with ``heuristic`` and ``reason`` in place of bound and proof.
    """
    best, bound = row["makespan"], row.get("lower_bound")
    has_weights = row.get("weight_bound") is not None
    lines = []
    if has_weights:
        lines += _weight_lines(row)
    for title, value in (("makespan", best), ("claimed", row.get("claimed")), ("lower bound", bound)):
        if value is not None:
            lines.append(f"{title:14}{value} {row['unit']}{'' if value == 1 else 's'}")
    if best and bound and best > bound:
        lines[-1] += f", gap at most {100 * (best / bound - 1):.1f} %"
    if "branches" in row:
        took = f"{row['branches']} branches, {row['conflicts']} conflicts, {row['cp_sat_seconds']:.3g} s"
        lines.append(f"{'CP-SAT':14}{took}")
    reason = row.get("proof") or row.get("reason") or row.get("heuristic")
    time = f"after {row['seconds']:.0f} s" if row["seconds"] >= _LONG else ""
    details = ", ".join(filter(None, (reason, time)))
    proof = _PROOFS[row["status"]]
    if has_weights:
        proof = _PROOFS_WITH_WEIGHTS.get(row["status"], proof)
    if row.get("end_date"):
        lines.append(f"{'end':14}{row['end_date']}")
    lines.append(f"{'proof':14}{proof} ({details})" if details else f"{'proof':14}{proof}")
    if row.get("proof_grade"):
        lines.append(f"{'proof grade':14}{row['proof_grade']}")
    return "\n".join(lines)


def _weight_lines(row: Mapping[str, Any]) -> list[str]:
    """Return lines about the objective with optional tasks, and the tasks that a plan leaves out."""
    best = "no plan" if row["weight"] is None else row["weight"]
    text = f"{best} of at most {row['weight_bound']}; the greatest weight first, then the least makespan"
    lines = [f"{'weight':14}{text}"]
    if row.get("left_out"):
        tasks = [f"{task} (weight {weight})" for task, weight in row["left_out"].items()]
        lines.append(f"{'left out':14}{', '.join(tasks)}")
    return lines


def stored_result(problem: Problem, entry: Mapping[str, Any], **fields: Any) -> Result:
    """Return the result of a problem that an entry of bundled results states, without its plan.

    Parameters
    ----------
    entry
        ``status``, ``makespan``, ``bound``, ``plan`` and ``proof``.
    fields
        Further fields of the result.

    Raises
    ------
    ValueError
        If status, makespan, bound and plan contradict each other.
    """
    status = Status(entry["status"])
    makespan, bound = entry["makespan"], entry["bound"]
    _check_bound(status, makespan, bound)
    has_plan = status in (Status.optimal, Status.feasible)
    if not has_plan and (makespan is not None or entry["plan"]):
        raise ValueError("a result without a makespan must have no plan")
    common = Result(
        problem.name,
        status,
        makespan=makespan,
        lower_bound=bound,
        proof=str(entry["proof"]),
        versions=versions(),
        kind=problem.kind,
        unit=problem.unit,
    )
    return replace(common, **fields)


def _check_bound(status: Status, makespan: int | None, bound: object) -> None:
    """Raise `ValueError` if a stored lower bound contradicts the status or the makespan."""
    if status == Status.optimal and (makespan is None or bound != makespan):
        raise ValueError("the lower bound of an optimal result must equal its makespan")
    if status == Status.infeasible and bound is not None:
        raise ValueError("an infeasible problem must have no lower bound")
    if bound is not None and type(bound) is not int:
        raise ValueError("the lower bound must be an integer")
    if status == Status.feasible and (makespan is None or (bound is not None and bound >= makespan)):
        raise ValueError("the makespan of a feasible result must exceed its lower bound")


def refused_result(problem: Problem, error: RefusedPlanError) -> Result:
    """Return the result of a problem of which a rule that the solver does not know refuses the plan.

    It has no lower bound: rules in code may permit more than the problem, which cannot be excluded here.
    """
    return _result_without_plan(problem, Status.unknown, f"the plan of the solver is refused: {error.message}")


def infeasible_result(problem: Problem, reason: str) -> Result:
    """Return the result of a problem that no plan completes, for a reason that needs no search."""
    return _result_without_plan(problem, Status.infeasible, reason)


def _result_without_plan(problem: Problem, status: Status, proof: str) -> Result:
    return Result(problem.name, status, proof=proof, kind=problem.kind, unit=problem.unit, versions=versions())


@cache
def versions() -> dict[str, str]:
    """Return the versions on which a result depends."""
    import ortools

    return {"planoracle": __version__, "ortools": ortools.__version__}  # type: ignore[attr-defined]  # the stub lacks it
