"""Minimum makespans by enumeration of all start times, independent of the model of a problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

#: Predicate: the start times of two activities are compatible.
Pair = Callable[[int, int], bool]


def min_makespan(
    durations: Sequence[int],
    demands: Sequence[Sequence[int]],
    capacities: Sequence[int],
    pairs: Mapping[tuple[int, int], Sequence[Pair]],
    horizon: int,
) -> int | None:
    """Return the minimum makespan of activities that start at 0 or later; ``None``: above the horizon."""
    starts: list[int] = []
    best: list[int | None] = [None]

    def fits(k: int, start: int) -> bool:
        fixed = [*starts, start]
        for (i, j), tests in pairs.items():
            if k in (i, j) and max(i, j) <= k and not all(test(fixed[i], fixed[j]) for test in tests):
                return False
        return all(
            sum(demands[i][r] for i, at in enumerate(fixed) if at <= tick < at + durations[i]) <= capacity
            for r, capacity in enumerate(capacities)
            for tick in range(start, start + durations[k])
        )

    def extend(latest: int) -> None:
        k = len(starts)
        if k == len(durations):
            best[0] = latest
            return
        for start in range(horizon - durations[k] + 1):
            finish = max(latest, start + durations[k])
            if best[0] is not None and finish >= best[0]:
                return
            if fits(k, start):
                starts.append(start)
                extend(finish)
                starts.pop()

    extend(0)
    return best[0]


def sch_text(
    arcs: dict[tuple[int, int], int],
    durations: Sequence[int],
    demands: Sequence[Sequence[int]],
    capacities: Sequence[int],
) -> str:
    """Return a project in the SCH format; the first and the last activity are its start and end."""
    lines = [f"{len(durations) - 2}\t{len(capacities)}\t0\t0"]
    for k in range(len(durations)):
        after = [(j, d) for (i, j), d in arcs.items() if i == k]
        lines.append("\t".join(map(str, [k, 1, len(after), *(j for j, _ in after), *(f"[{d}]" for _, d in after)])))
    lines += ["\t".join(map(str, [k, 1, durations[k], *row])) for k, row in enumerate(demands)]
    return "\n".join([*lines, " ".join(map(str, capacities))])
