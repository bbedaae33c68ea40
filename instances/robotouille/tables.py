"""What the paper prints about its tasks: its own line of Table 1, and the horizon lengths of Table 3."""

from __future__ import annotations

from planoracle.instances.published import Figure, Optimum, Published
from planoracle.instances.robotouille.published import published_steps
from planoracle.instances.robotouille.sets import SETS, names, seeds

__all__ = ["TABLES"]

_PLAYED = SETS[:2]


def _tasks(kind: str) -> list[str]:
    """Return the kitchens of a set without their variants."""
    return [name for name in names() if name.startswith(f"robotouille/{kind}/") and "@" not in name]


def _table_1(optimum: Optimum) -> list[Figure]:
    lengths = {name: optimum(name) for kind in _PLAYED for name in _tasks(kind)}
    longest = max((length for length in lengths.values() if length is not None), default=None)
    unproved = sum(length is None for length in lengths.values())
    note = f"optimal plans; {unproved} are not proved" if unproved else "optimal plans of the 20 tasks for one player"
    return [
        Figure("tasks", 30, sum(len(_tasks(kind)) for kind in SETS), note="ten of them for several players"),
        Figure("longest horizon, steps", 82, longest, note=note),
    ]


def _table_3(optimum: Optimum) -> list[Figure]:
    found = []
    for kind in _PLAYED:
        found.append(Figure(f"{kind}: tasks", 10, len(_tasks(kind))))
        found.append(Figure(f"{kind}: instances per task", 10, _variants(kind)))
        for number, name in enumerate(_tasks(kind), 1):
            ours, paper = optimum(name), published_steps(name)
            dish = name.rpartition("/")[2].partition("_")[2].replace("_", " ")
            found.append(Figure(f"{kind} [{number}]", paper, ours, note=f"{dish}{_said(paper, ours)}"))
    return found


def _said(paper: int | None, ours: int | None) -> str:
    """Return what is to be said of a number that differs from the proved least one."""
    if ours is None:
        return "; no optimum is proved"
    if paper is None or paper == ours:
        return ""
    return "; proved: no plan is shorter than ours" if paper > ours else "; proved: no plan takes so few steps"


def _variants(kind: str) -> int:
    """Return the least number of variants of a task."""
    return min(len(seeds(name)) for name in _tasks(kind))


TABLES = (
    Published("Table 1", "tasks and the longest horizon", _table_1),
    Published("Table 3", "horizon lengths", _table_3),
)
