"""Projects with precedences (RCPSP): the ``.sm`` files of PSPLIB, one mode per activity.

Sections under headings; those with the precedences, the requests and durations, and the availabilities are read.
"""

from __future__ import annotations

import re

from planoracle.instances.literature.project_network import Distances, Rows, project, whole
from planoracle.instances.model.instance import Instance

_COUNT = re.compile(r"(?:- )?(projects|jobs|renewable|nonrenewable|doubly constrained)\b[^:]*:\s*(\S*)")
_EXPECTED = {"projects": 1, "nonrenewable": 0, "doubly constrained": 0}


def read_text(text: str, name: str) -> Instance:
    """Return the instance of a ``.sm`` text.

    Raises
    ------
    InputError
        Naming the line of the first fault.
    """
    rows = Rows(text, comment=("*", "---"))
    jobs, renewable = _head(rows)
    successors = []
    for k in range(1, jobs + 1):
        number, modes, many, *after = rows.numbers("job, modes, successors", least=3)
        if (number, modes) != (k, 1):
            raise rows.fault(f"must begin with job {k} and its number of modes, 1", [number, modes])
        if len(after) != many:
            raise rows.fault(f"must name {many} successors", after)
        for other in after:
            if not 1 <= other <= jobs or other == k:
                raise rows.fault(f"a successor of job {k} must be another job, 1 to {jobs}", other)
        successors.append(after)
    _heading(rows, "REQUESTS/DURATIONS")
    durations, demands = [], []
    for k in range(1, jobs + 1):
        number, mode, duration, *demand = rows.numbers("job, mode, duration, requests", 3 + renewable)
        if (number, mode) != (k, 1):
            raise rows.fault(f"must begin with job {k}, mode 1", [number, mode])
        if duration < 0 or min(demand, default=0) < 0:
            raise rows.fault("neither a duration nor a request may be negative", [duration, *demand])
        durations.append(duration)
        demands.append(demand)
    _heading(rows, "RESOURCEAVAILABILITIES")
    capacities = rows.numbers("availabilities", renewable) if renewable else []
    if min(capacities, default=0) < 0:
        raise rows.fault("an availability must not be negative", capacities)
    rows.end()
    distances: Distances = {(k, other - 1): durations[k] for k, after in enumerate(successors) for other in after}
    return project(name, 1, durations, demands, capacities, distances)


def _head(rows: Rows) -> tuple[int, int]:
    """Read as far as the precedences; return the numbers of jobs and of renewable resources."""
    counts: dict[str, int] = {}
    for line in rows.rest():
        if found := _COUNT.match(line.strip()):
            key = found[1]
            counts[key] = whole(found[2], f"line {rows.number}: {key}")
            if counts[key] != _EXPECTED.get(key, counts[key]):
                raise rows.fault(f"{key}: must be {_EXPECTED[key]}", counts[key])
        elif line.startswith("pronr."):
            release = rows.numbers("project, jobs, release date", least=3)[2]
            if release:
                raise rows.fault("the release date of the project must be 0", release)
        elif line.startswith("PRECEDENCE RELATIONS"):
            rows.line("the columns of the precedences")
            break
    for key in ("jobs", "renewable"):
        if key not in counts:
            raise rows.fault(f"the number of {key} must stand before the precedences")
    return counts["jobs"], counts["renewable"]


def _heading(rows: Rows, title: str) -> None:
    """Read the title of a section and the line with the names of its columns."""
    if not rows.line(title).startswith(title):
        raise rows.fault(f"{title} must follow")
    rows.line(f"the columns of {title}")
