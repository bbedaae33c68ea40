"""Compare our solver with the direct CP-SAT models of `feature_models.py`, side by side in one run.

``python tests/benchmarks/features.py SET... --seconds 10`` prints a line per problem and the means of each set. Sets:
``flexible`` and ``multimode`` (files of ``../shared/literature``), ``tours`` (10, 20 and 40 places, with and without
windows), ``agents`` (2 to 4 agents with 10 to 30 actions).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from math import exp, log
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Annotated, Any, NamedTuple

import typer

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".namespace"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.random_tours import tour

import planoracle
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule_rules import find_violations
from tests.benchmarks.feature_models import solve_directly

SHARED = Path(__file__).resolve().parents[3] / "shared"
SETS = ("flexible", "multimode", "tours", "agents")
#: Times below this many seconds are equal.
SHORTEST = 0.005


class Run(NamedTuple):
    """Answer of a solver, and its processor time."""

    status: str
    makespan: int | None
    bound: int | None
    seconds: float

    @property
    def is_proved(self) -> bool:
        """True for an optimum or a proof that there is no schedule."""
        return self.status in ("optimal", "infeasible")

    def __str__(self) -> str:
        return f"{self.status:10} {self.bound!s:>6} {self.makespan!s:>6} {self.seconds:8.2f}"


def problems(name: str, shared: Path) -> Iterator[Instance]:
    """Yield the problems of a set."""
    if name == "tours":
        for places in (10, 20, 40):
            for windows in (False, True):
                for seed in range(3):
                    yield tour(seed, places, windows=windows)
    elif name == "agents":
        for agents, places in ((2, 10), (2, 20), (3, 15), (3, 30), (4, 20), (4, 30)):
            for windows in (False, True):
                yield tour(0, places, agents=agents, windows=windows)
    else:
        for path in sorted((shared / "literature" / name).iterdir()):
            if path.suffix in (".fjs", ".mm"):
                loaded: Any = planoracle.load(str(path))
                yield loaded


def measured(instance: Instance, seconds: float, *, is_ours: bool) -> Run:
    """Return the answer of our solver or of the direct model; the rules check its schedule."""
    begin = process_time()
    if is_ours:
        answer: Any = planoracle.solve(instance, time_limit=seconds, recompute=True)
    else:
        answer = solve_directly(instance, seconds)
    elapsed = process_time() - begin
    if answer.schedule is not None:
        violations = list(find_violations(instance, answer.schedule, 1))
        if violations:
            raise ValueError(f"{instance.name}: {violations[0].message}")
    return Run(str(answer.status), answer.makespan, answer.lower_bound, elapsed)


def geometric_mean(ratios: list[float]) -> str:
    """Return the geometric mean of some ratios in words."""
    return f"{exp(fmean(map(log, ratios))):.3f} ({len(ratios)})" if ratios else "- (0)"


def summary(runs: list[tuple[Run, Run]]) -> str:
    """Return ratios of our solver to the direct model: times if both prove, else makespans and gaps."""
    times = []
    makespans = []
    gaps = []
    for direct, ours in runs:
        if direct.is_proved and ours.is_proved:
            times.append(max(ours.seconds, SHORTEST) / max(direct.seconds, SHORTEST))
        elif direct.makespan and ours.makespan:
            makespans.append(ours.makespan / direct.makespan)
            gaps.append((_gap(ours) + 0.01) / (_gap(direct) + 0.01))
    proofs = f"proved: direct {sum(d.is_proved for d, _ in runs)}, ours {sum(o.is_proved for _, o in runs)}"
    means = f"time {geometric_mean(times)}, makespan {geometric_mean(makespans)}, gap {geometric_mean(gaps)}"
    return f"{proofs} of {len(runs)}; ours ÷ direct: {means}"


def _gap(run: Run) -> float:
    """Return the relative gap of a makespan."""
    return (run.makespan - (run.bound or 0)) / run.makespan if run.makespan else 1.0


def main(
    sets: Annotated[list[str], typer.Argument(help="flexible, multimode, tours, agents")],
    seconds: Annotated[float, typer.Option(help="Limit of each solve.")] = 10.0,
    step: Annotated[int, typer.Option(help="Take every so many problems of a set.")] = 1,
    shared: Annotated[Path, typer.Option(help="Folder with `literature`.")] = SHARED,
) -> None:
    """Print a table of both solvers."""
    for is_ours in (False, True):  # imports happen in a first solve, which is not counted
        measured(tour(0, 3), 1.0, is_ours=is_ours)
    for name in sets:
        if name not in SETS:
            raise typer.BadParameter(f"{name} is none of {', '.join(SETS)}")
        print(f"{name:34} {'direct':10} {'bound':>6} {'span':>6} {'seconds':>8} | {'ours':10} {'bound':>6} {'span':>6}")
        runs = []
        for number, instance in enumerate(problems(name, shared)):
            if number % step:
                continue
            direct = measured(instance, seconds, is_ours=False)
            ours = measured(instance, seconds, is_ours=True)
            runs.append((direct, ours))
            is_contradiction = direct.is_proved and ours.is_proved and direct.makespan != ours.makespan
            print(f"{instance.name:34} {direct} | {ours}{'  DIFFERENT' if is_contradiction else ''}", flush=True)
        print(f"{summary(runs)}\n", flush=True)


if __name__ == "__main__":
    typer.run(main)
