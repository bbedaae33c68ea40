"""Projects with minimum and maximum time lags (RCPSP/max): the ``.sch`` files of ProGen/max.

The first line holds the number of activities (without beginning and end), of renewable resources, and two zeros.
A line for every activity follows, with its number, the number of its modes (1), of its successors, the successors,
and in brackets the distance from its start to the start of each. Then comes another line for every activity, with
its number, its mode, its duration and its demands. The last line holds the capacities.
"""

from __future__ import annotations

from planoracle.instances.literature.project_network import Distances, Rows, project, tighten
from planoracle.instances.model.instance import Instance

_PLAIN = str.maketrans("[]", "  ")


def read_text(text: str, name: str) -> Instance:
    """Return the instance of a ``.sch`` text.

    Raises
    ------
    InputError
        Naming the line of the first fault.

    Examples
    --------
    >>> text = '''2 1 0 0
    ... 0 1 1 1 [0]
    ... 1 1 2 2 3 [4] [3]
    ... 2 1 2 1 3 [-6] [2]
    ... 3 1 0
    ... 0 1 0 0
    ... 1 1 3 1
    ... 2 1 2 1
    ... 3 1 0 0
    ... 1'''
    >>> [(action.id, action.duration) for action in read_text(text, "tiny").actions]
    [('project/1', 3), ('project/2', 2)]
    >>> read_text(text, "tiny").lags
    (Lag(before='project/1', after='project/2', minimum=1, maximum=3),)
    """
    rows = Rows(text)
    count, renewable, *others = rows.numbers("activities, resources, 0, 0", 4)
    if count < 1 or renewable < 0 or any(others):
        message = "must be a number of activities (at least 1), a number of renewable resources, 0, 0"
        raise rows.fault(message, [count, renewable, *others])
    last = count + 1
    distances: Distances = {}
    for k in range(last + 1):
        _successors(rows, k, last, distances)
    durations, demands = [], []
    for k in range(last + 1):
        number, mode, duration, *demand = rows.numbers("number, mode, duration, demands", 3 + renewable)
        if (number, mode) != (k, 1):
            raise rows.fault(f"must begin with activity {k}, mode 1", [number, mode])
        if duration < 0 or min(demand, default=0) < 0:
            raise rows.fault("neither a duration nor a demand may be negative", [duration, *demand])
        durations.append(duration)
        demands.append(demand)
    capacities = rows.numbers("capacities", renewable) if renewable else []
    if min(capacities, default=0) < 0:
        raise rows.fault("a capacity must not be negative", capacities)
    rows.end()
    return project(name, 0, durations, demands, capacities, distances)


def _successors(rows: Rows, k: int, last: int, distances: Distances) -> None:
    line = rows.line(f"the successors of activity {k}")
    number, modes, many, *row = rows.whole(line.translate(_PLAIN), "number, modes, successors, distances", least=3)
    if (number, modes) != (k, 1):
        raise rows.fault(f"must begin with activity {k} and its number of modes, 1", [number, modes])
    if len(row) != 2 * many or line.count("[") != many or line.count("]") != many:
        raise rows.fault(f"must name {many} successors, and for each a distance in brackets", line.strip())
    for successor, distance in zip(row[:many], row[many:], strict=True):
        if not 0 <= successor <= last or successor == k:
            raise rows.fault(f"a successor of activity {k} must be another activity, 0 to {last}", successor)
        tighten(distances, k, successor, distance)
