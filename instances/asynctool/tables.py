"""What the paper prints about its data: Tables 3 to 5. They are not released, so ours stand beside them."""

from __future__ import annotations

from planoracle.instances.asynctool.compose import SHARES
from planoracle.instances.asynctool.sets import names, tasks
from planoracle.instances.published import Figure, Optimum, Published, mean_of

__all__ = ["TABLES"]

#: The paper's classes with their abbreviation (Table 3): tasks and mean calls (Table 4), and our family of such tools.
_CLASSES = {
    "data management (DM)": (59, 2.14, "records"),
    "file system (FS)": (53, 3.58, "files"),
    "data generation (DG)": (29, 2.14, ""),
    "messages (MA)": (23, 3.48, "messages"),
    "numbers (NO)": (24, 2.12, "numbers"),
    "social (SC)": (18, 4.11, "posts"),
    "strings (SM)": (34, 2.09, "text"),
    "tickets (TP)": (21, 2.81, "tickets"),
    "trading (TB)": (15, 3.27, "trading"),
    "travel (TP*)": (20, 3.10, "travel"),
    "data format (DF)": (44, 2.09, ""),
    "machines (MO)": (18, 3.00, "vehicle"),
}
_OURS = "the paper's data are not released; ours are made after it"


def _table_3(optimum: Optimum) -> list[Figure]:
    families = {one.family for one in tasks().values()}
    lacking = [name for name, (_, _, family) in _CLASSES.items() if family not in families]
    return [Figure("classes of tools", len(_CLASSES), len(families), note=f"{_OURS}; none for {', '.join(lacking)}")]


def _table_4(optimum: Optimum) -> list[Figure]:
    calls = {
        family: [len(one.gold) for one in tasks().values() if one.family == family]
        for _, _, family in _CLASSES.values()
    }
    every = [count for own in calls.values() for count in own]
    printed = sum(count for count, _, _ in _CLASSES.values())
    weighted = sum(count * length for count, length, _ in _CLASSES.values()) / printed
    found = [
        Figure("tasks", 358, len(tasks()), note=f"the columns add up to {printed}"),
        Figure("calls per task", weighted, mean_of(every), 2, "the paper's: mean of the columns, weighted by tasks"),
    ]
    for name, (count, length, family) in _CLASSES.items():
        note = f"our family {family}" if family else "we have no such family"
        found.append(Figure(f"{name}: tasks", count, len(calls[family]), note=note))
        found.append(Figure(f"{name}: calls per task", length, mean_of(calls[family]), 2, note))
    return found


def _table_5(optimum: Optimum) -> list[Figure]:
    total, ours = sum(SHARES.values()), len(names())
    found = [Figure("samples", total, ours, note=_OURS)]
    for (kind, size), count in SHARES.items():
        own = sum(name.startswith(f"asynctool/{kind}{size}/") for name in names())
        found.append(Figure(f"{kind}, {size} tasks: samples", count, own))
        found.append(Figure(f"{kind}, {size} tasks: share, %", round(100 * count / total, 2), 100 * own / ours, 2))
    return found


TABLES = (
    Published("Table 3", "classes of tools", _table_3),
    Published("Table 4", "single tasks and their calls", _table_4),
    Published("Table 5", "samples by kind and number of tasks", _table_5),
)
