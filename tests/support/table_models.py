"""Plain CP-SAT models of random tables of tasks: links between tasks, and the makespan."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from ortools.sat.python import cp_model


def draw_links(
    random_source: random.Random,
    share: float,
    model: cp_model.CpModel,
    starts: Sequence[cp_model.LinearExprT],
    ends: Sequence[cp_model.LinearExprT],
) -> list[str]:
    """Draw links from a share of the earlier tasks to the last one, and add them to a model.

    Return their texts, which name tasks by their positions.
    """
    links = []
    i = len(starts) - 1
    for before in range(i):
        if random_source.random() < share:
            kind = random_source.choice(["FS", "SS", "FF", "SF"])
            lag = random_source.randint(-2, 3)
            links.append(f"{before}{kind}{lag:+d}")
            first = starts[before] if kind[0] == "S" else ends[before]
            second = starts[i] if kind[1] == "S" else ends[i]
            model.add(second >= first + lag)
    return links


def best_makespan(
    model: cp_model.CpModel,
    ends: Sequence[cp_model.LinearExprT],
    machines: Iterable[Sequence[cp_model.IntervalVar]],
) -> int | None:
    """Return the least makespan, ``None`` without a schedule; intervals of one machine do not overlap."""
    for intervals in machines:
        model.add_no_overlap(intervals)
    makespan = model.new_int_var(0, 70, "")
    model.add_max_equality(makespan, ends)
    model.minimize(makespan)
    solver = cp_model.CpSolver()
    is_optimal = solver.solve(model) == cp_model.OPTIMAL
    return round(solver.objective_value) if is_optimal else None
