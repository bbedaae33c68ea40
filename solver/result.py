"""Options of a solve, and its result, for problems of any kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from planoracle import __version__
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.profiles import Rules

# Characters of a plan that are shown in one line.
_SHOWN = 100


#: Callback for each improvement: makespan of the best plan, ``None`` if there is none yet, and the lower bound.
Told: TypeAlias = Callable[[int | None, int], None]


class SolveOptions(NamedTuple):
    """Options of `planoracle.solver.solve.solve`, for engines."""

    rules: Rules | None = None
    time_limit: Limit = 60.0
    seed: int = 0
    workers: int = 1
    finest: bool = False
    after: tuple[str, ...] = ()
    fewest_pieces: bool = False
    told: Told | None = None


@dataclass(frozen=True, slots=True)
class Result:
    r"""What is known about a problem; ``print`` says it in three lines.

    Attributes
    ----------
    instance, kind, unit
        Name of the problem, its kind, and what its ticks are called.
    status
        ``optimal``: the plan is best, proved. ``feasible``: there is a plan, and ``lower_bound`` holds.
        ``infeasible``: proved that there is none. ``unknown``: neither found nor excluded.
    makespan, lower_bound
        Ticks (of kitchens: steps, of all players together); ``None`` where unknown.
    plan
        The plan as text in the benchmark's language, accepted by its rules.
    seconds
        Wall time, model building and refereeing included.
    proof
        In which step or way the status was settled.
    versions, seed
        What the result depends on besides.
    schedule
        The plan as a left-shifted schedule. Like the next one, of problems of kind ``schedule`` only.
    grid
        Ticks; statements about all schedules (``optimal``, ``infeasible``, ``lower_bound``) hold for schedules
        that pause interruptible actions at multiples of it. 1 where finer pauses are proved not to help,
        which is the case but for rare combinations of pauses and maximum lags.
    actions
        The plan as a list of actions. Like ``rounds``, of problems of kind ``kitchen`` only.
    rounds
        Steps by number of players, rounded up.
    expanded
        States whose successors were looked at, of problems of kind ``kitchen`` only.

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

    def __str__(self) -> str:
        known = [f"{self.instance}: {self.status}"]
        if self.makespan is not None:
            known.append(f"{self.makespan} {self.unit}{'' if self.makespan == 1 else 's'}")
        if self.lower_bound is not None and not self.status.settled:
            known.append(f"at least {self.lower_bound}")
        lines = (self.plan or "no plan").splitlines() or [""]
        cut = len(lines) > 1 or len(lines[0]) > _SHOWN
        first = lines[0][:_SHOWN] + " ..." if cut else lines[0]
        return f"{', '.join(known)}\n{self.proof}, after {self.seconds:.3g} s\n{first}"

    def as_dict(self) -> dict[str, Any]:
        """Return what ``planoracle solve`` writes: JSON, with the fields of the problem's kind only."""
        own: dict[str, Any]
        if self.kind == "floor":
            own = {}
        elif self.kind == "kitchen":
            own = {"rounds": self.rounds, "expanded": self.expanded}
        else:
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


def check_bound(status: Status, makespan: int | None, bound: object) -> None:
    """Raise `ValueError` if a lower bound that has been kept makes no sense."""
    if status == Status.optimal and bound != makespan:
        raise ValueError("the bound of an optimum must be the optimum")
    if status == Status.infeasible and bound is not None:
        raise ValueError("a bound where there is no plan")
    if bound is not None and type(bound) is not int:
        raise ValueError("no bound")
    if status == Status.feasible and (makespan is None or (bound is not None and bound >= makespan)):
        raise ValueError("nothing is left to be proved")


@cache
def versions() -> dict[str, str]:
    """Versions that a result depends on."""
    import ortools

    return {"planoracle": __version__, "ortools": ortools.__version__}  # type: ignore[attr-defined]  # the stub lacks it
