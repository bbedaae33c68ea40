"""What the paper prints about its tasks: Table 1, and the Oracle's rows of Table 2 (Zhang et al., 2024)."""

from __future__ import annotations

from planoracle.instances.published import Figure, Optimum, Published, mean_of
from planoracle.instances.timearena.encode import load
from planoracle.instances.timearena.sets import SCENARIOS, scenario_set

__all__ = ["TABLES"]

#: Mean minutes of the paper's Oracle for one, two and three tasks (Table 2), with the decimals printed.
_ORACLE = {"cooking": (18.9, 35.0, 52.5), "household": (12.8, 23.6, 35.4), "lab": (16.1, 24.6, 35.5)}
_UNREAD = "a picture in the paper, whose text does not tell it"


def _table_1(optimum: Optimum) -> list[Figure]:
    found = []
    for scenario in SCENARIOS:
        names = scenario_set(scenario, 1)
        problems = [load(name) for name in names]
        found += [
            Figure(f"{scenario}: actions per task", None, mean_of(len(one.actions) for one in problems), 1, _UNREAD),
            Figure(f"{scenario}: objects per task", None, mean_of(len(one.resources) for one in problems), 1, _UNREAD),
            _minutes(scenario, 1, f"{scenario}: shortest completion, minutes", optimum),
        ]
    return found


def _table_2(optimum: Optimum) -> list[Figure]:
    return [
        _minutes(scenario, size, f"{scenario}: Oracle's CT, {size} tasks", optimum)
        for scenario in SCENARIOS
        for size in (2, 3)
    ]


def _minutes(scenario: str, size: int, what: str, optimum: Optimum) -> Figure:
    """Compare with the proved optimum: the paper's comes from a greedy strategy that knows of no occupied objects."""
    ours, paper = mean_of(map(optimum, scenario_set(scenario, size))), _ORACLE[scenario][size - 1]
    notes = ["the paper's: the Oracle of Table 2"] if size == 1 else []
    if ours is None:
        notes.append("an optimum is not proved")
    elif round(ours, 1) < paper:
        notes.append("the paper's Oracle is greedy, not optimal")
    elif round(ours, 1) > paper:
        notes.append("the rules allow no less; the paper's Oracle knows of no occupied objects")
    return Figure(what, paper, ours, 1, "; ".join(notes))


TABLES = (
    Published("Table 1", "actions, objects and shortest completion per task", _table_1),
    Published("Table 2", "the Oracle's mean completion time of combined tasks", _table_2),
)
