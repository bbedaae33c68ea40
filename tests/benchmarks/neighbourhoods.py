"""Gain of moves to equal schedules in neighbourhood search.

``python -m tests.benchmarks.neighbourhoods large/jobshop_taillard --most 6`` searches each problem of the sets of
`solvers.py` twice from its list schedule with the same counted effort: by `NeighbourhoodSearch` as it is, and by one
that keeps its schedule unless another is shorter. The last row has the mean distance from the best known makespans.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer

from planoracle.heuristics.improve import list_schedule
from planoracle.instances.model.limits import NO_LIMIT
from planoracle.solver.exact.bounds import common_tick, horizon
from planoracle.solver.exact.cp_model import CpOutcome
from planoracle.solver.exact.neighbourhood import NeighbourhoodSearch
from planoracle.solver.exact.precedence import ordered_windows
from planoracle.solver.exact.schedule_model import ScheduleModel
from tests.benchmarks.solvers import SHARED, cases_of


class ShorterOnly(NeighbourhoodSearch):
    """Neighbourhood search without moves to schedules of the same makespan."""

    def _take(self, outcome: CpOutcome) -> None:
        if outcome.solution and outcome.solution[self.model.makespan] == self.makespan:
            outcome.solution = []
        super()._take(outcome)


def searched_makespan(kind: type[NeighbourhoodSearch], problem: Any, effort: float) -> int | None:
    """Return the makespan after a search from the list schedule, ``None`` without such a schedule."""
    timetable = list_schedule(problem)
    if timetable is None:
        return None
    schedule = timetable.schedule()
    latest = max(horizon(problem), schedule.makespan)
    model = ScheduleModel(problem, ordered_windows(problem), common_tick(problem), 0, latest)
    values = model.values(schedule)
    if values is None:
        return None
    search = kind(model, values, {"presolve": True}, 0)
    search.search(NO_LIMIT, 0, effort)
    return search.makespan * model.step


def table(
    sets: list[str],
    effort: Annotated[float, typer.Option(help="Effort of a search, in CP-SAT's deterministic time.")] = 5.0,
    most: Annotated[int | None, typer.Option(help="Number of problems of a set, from the first.")] = None,
    shared: Annotated[Path, typer.Option(help="Folder with the folders literature and large.")] = SHARED,
) -> None:
    """Print makespans by both searches, and their mean distance from the best known ones."""
    print("| problem | best known | shorter only | also equal |\n|---|--:|--:|--:|")
    gaps: list[tuple[float, float]] = []
    for name in sets:
        for case in islice(cases_of(name, shared), most):
            problem, best = case.problem(), case.best_known
            strict = searched_makespan(ShorterOnly, problem, effort)
            usual = searched_makespan(NeighbourhoodSearch, problem, effort)
            print(f"| {case.file} | {best} | {strict} | {usual} |", flush=True)
            if isinstance(best, int) and strict and usual:
                gaps.append((strict / best - 1, usual / best - 1))
    means = [fmean(column) for column in zip(*gaps, strict=True)]
    print(f"| mean distance of {len(gaps)} | | {' | '.join(f'{mean:.1%}' for mean in means)} |")


if __name__ == "__main__":
    typer.run(table)
