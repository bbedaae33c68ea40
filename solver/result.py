"""Options and result of a solve, for problems of any kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from planoracle import __version__
from planoracle.instances.errors import InputError
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.profiles import Rules

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from planoracle.instances.model.problem import Problem

#: Characters of a plan in ``str(result)``.
_MAX_CHARACTERS = 100


#: Callback for each improvement: makespan of the incumbent (``None`` if there is none yet) and lower bound.
OnProgress: TypeAlias = Callable[[int | None, int], None]


class SolveOptions(NamedTuple):
    """Options of `planoracle.solver.solve.solve`, as engines receive them."""

    rules: Rules | None = None
    time_limit: Limit = 60.0
    seed: int = 0
    workers: int = 1
    exact_grid: bool = False
    after: tuple[str, ...] = ()
    min_interruptions: bool = False
    on_progress: OnProgress | None = None


@dataclass(frozen=True, slots=True)
class Result:
    r"""Result of a solver or heuristic: status, makespan, lower bound and plan. ``str`` has three lines.

    Attributes
    ----------
    instance, kind, unit
        Name and kind of the problem, and the unit of its ticks.
    status
        ``optimal``: the plan is proved to be optimal. ``feasible``: the plan is valid, and ``lower_bound`` holds.
        ``infeasible``: no plan exists, proved. ``unknown``: no plan was found, and none was excluded.
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
    claimed
        Optimum that the benchmark itself states, in ticks; the status is then ``unknown``, as nothing is proved.

    Examples
    --------
    >>> print(Result("n", Status.feasible, 12, 9, "t/a at 0\nt/b at 7", seconds=60.0, proof="time limit"))
    n: feasible, 12 ticks, at least 9
    time limit, after 60 s
    t/a at 0 ...
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
    claimed: int | None = field(default=None, kw_only=True)

    def __str__(self) -> str:
        parts = [f"{self.instance}: {self.status if self.claimed is None else 'claimed'}"]
        makespan = self.makespan if self.claimed is None else self.claimed
        if makespan is not None:
            parts.append(f"{makespan} {self.unit}{'' if makespan == 1 else 's'}")
        if self.lower_bound is not None and not self.status.settled:
            parts.append(f"at least {self.lower_bound}")
        lines = (self.plan or "no plan").splitlines() or [""]
        is_cut = len(lines) > 1 or len(lines[0]) > _MAX_CHARACTERS
        first = lines[0][:_MAX_CHARACTERS] + " ..." if is_cut else lines[0]
        return f"{', '.join(parts)}\n{self.proof}, after {self.seconds:.3g} s\n{first}"

    def as_dict(self) -> dict[str, Any]:
        """Return the record that ``planoracle solve`` writes, with the fields of the problem's kind only."""
        own: dict[str, Any] = {}
        if self.claimed is not None:
            own = {"status": "claimed", "claimed": self.claimed}
        elif self.kind == "kitchen":
            own = {"rounds": self.rounds, "expanded": self.expanded}
        elif self.kind == "schedule":
            pieces = None if self.schedule is None else [piece._asdict() for piece in self.schedule.pieces]
            own = {"grid": self.grid, "schedule": pieces, "seed": self.seed}
        return {
            "instance": self.instance,
            "status": self.status,
            "makespan": self.makespan,
            "lower_bound": self.lower_bound,
            "unit": self.unit,
            "seconds": round(self.seconds, 6),
            "proof": self.proof,
            "plan": self.plan,
            **own,
            "versions": self.versions,
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the plan, a row per piece or action; the columns are those of the frame ``schedules``.

        Raises
        ------
        InputError
            If there is no plan.
        """
        from planoracle.analysis.frames.problem_frames import schedules

        return schedules([(self._planned_problem(), self.method, self)]).frame

    def gantt(self, ax: Axes | None = None) -> Axes:
        """Draw the plan as a Gantt chart, by default on the axes of a new figure.

        Raises
        ------
        InputError
            If there is no plan, or the plan is too long to draw.
        """
        from planoracle.analysis.figures.plan_figure import draw

        return draw(self._planned_problem(), self.plan, ax)

    def _planned_problem(self) -> Problem:
        """Return the problem, after a check that there is a plan."""
        if self.plan is None:
            raise InputError(f"has no plan; the status is {self.status}", field=self.instance)
        if self.problem is None:
            raise InputError("must be set; planoracle.solve sets it", field="problem")
        return self.problem


def check_bound(status: Status, makespan: int | None, bound: object) -> None:
    """Raise `ValueError` if a stored lower bound contradicts the status or the makespan."""
    if status == Status.optimal and bound != makespan:
        raise ValueError("the lower bound of an optimum must be the optimum")
    if status == Status.infeasible and bound is not None:
        raise ValueError("an infeasible problem must have no lower bound")
    if bound is not None and type(bound) is not int:
        raise ValueError("the lower bound must be an integer")
    if status == Status.feasible and (makespan is None or (bound is not None and bound >= makespan)):
        raise ValueError("a feasible makespan must be above its lower bound")


@cache
def versions() -> dict[str, str]:
    """Return the versions on which a result depends."""
    import ortools

    return {"planoracle": __version__, "ortools": ortools.__version__}  # type: ignore[attr-defined]  # the stub lacks it
