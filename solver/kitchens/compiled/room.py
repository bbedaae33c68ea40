"""Room to work in: a table of numbers, whose rows are lists by station, item or role.

The first five rows say what is where, see `planoracle.solver.kitchens.compiled.step.survey`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from planoracle.solver.kitchens.compiled.tables import Fixed

__all__ = [
    "BEFORE",
    "BELOW",
    "BOUND_FOR",
    "CAST",
    "CHOSEN",
    "CIRCLE",
    "COSTS",
    "DIRECT",
    "GOES",
    "LEAST",
    "LEAVING",
    "LISTED",
    "PICKS",
    "SPANS",
    "TABLES",
    "TRIED",
    "USED",
    "room_for",
]

#: By station, whether some item has to leave it; by dish, the station where it is put together, -1 for none, and the
#: least rank of what lies below and has to get there first; by kind, how many lie below.
LEAVING, TABLES, BEFORE, BELOW = range(5, 9)
#: By role of the goal, the object that plays it, and how many have been tried.
CAST, TRIED = 9, 10
#: Of an assignment: items; whether they are taken; the least that is still to come; which is taken for every role, and
#: which was at best.
LISTED, USED, LEAST, PICKS = 11, 12, 13, 14
#: By item, the option that it has, where it is carried straight to, and whether it is in a circle.
CHOSEN, BOUND_FOR, CIRCLE = 16, 17, 18
#: Times at a kind of station.
SPANS = 19
#: From here on by option, three rows each: steps by item; where it comes from if it is carried straight to its dish;
#: whether it has to be put to its place yet.
COSTS, DIRECT, GOES = 20, 21, 22


def room_for(fixed: Fixed) -> Any:
    """Return room to work in."""
    roles = max(len(fixed.allowed), len(fixed.r_name)) + 2
    wide = max(fixed.stations, fixed.items + len(fixed.m_boiled), roles, len(fixed.d_bottom))
    return np.zeros((COSTS + 3 * fixed.options.shape[2], wide), np.int64)
