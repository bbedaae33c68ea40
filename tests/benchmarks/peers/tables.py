"""Figures of a comparison: per set and method, and against what is wanted."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from tests.benchmarks.peers.methods import DIRECT, OURS, PYJOBSHOP
from tests.benchmarks.peers.runner import Measured

__all__ = ["Row", "geometric_mean", "left_open", "summary", "verdicts"]

#: Instance: name, number of actions, what every method did.
Row = tuple[str, int, dict[str, Measured]]


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean, 1 of nothing."""
    return statistics.geometric_mean(values) if values else 1.0


def _shared(rows: Sequence[Row], name: str) -> list[tuple[Measured, Measured]]:
    """Return (theirs, ours) on the instances that both can state."""
    pairs = [(found[name], found[OURS]) for _, _, found in rows if name in found and OURS in found]
    return [(theirs, ours) for theirs, ours in pairs if not theirs.unsupported]


def _total(measured: Sequence[Measured]) -> float:
    return sum(one.seconds for one in measured)


def summary(label: str, rows: Sequence[Row], names: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a table: every method beside ours on the instances that it can state."""
    yield (
        f"| {label} | instances | optimal | infeasible | open | total s | median ms | worst ms | of it build "
        "| total / ours | geometric mean / ours |"
    )
    yield "|---|" + "---:|" * 10
    for name in names:
        done = [found[name] for _, _, found in rows if not found[name].unsupported]
        if not done:
            continue
        count = {status: sum(one.status == status for one in done) for status in ("optimal", "infeasible")}
        seconds = [one.seconds for one in done]
        built = [one.build for one in done if one.build is not None]
        pairs = _shared(rows, name)
        ratio = _total([theirs for theirs, _ in pairs]) / _total([ours for _, ours in pairs]) if pairs else 0.0
        mean = geometric_mean([theirs.seconds / ours.seconds for theirs, ours in pairs])
        cells = [
            name,
            len(done),
            count["optimal"],
            count["infeasible"],
            len(done) - sum(count.values()),
            f"{sum(seconds):.2f}",
            f"{1000 * statistics.median(seconds):.2f}",
            f"{1000 * max(seconds):.0f}",
            f"{sum(built) / sum(seconds):.0%}" if built else "-",
            f"{ratio:.2f}" if pairs else "-",
            f"{mean:.2f}" if pairs else "-",
        ]
        yield f"| {' | '.join(map(str, cells))} |"


def left_open(rows: Sequence[Row]) -> Iterator[str]:
    """Yield, for every instance that ours or a direct model left open, the makespan and the bound of each method."""
    for name, _, found in rows:
        exact = {n: one for n, one in found.items() if not one.unsupported and n != "released"}
        if all(one.proved for method, one in exact.items() if method not in PYJOBSHOP):
            continue
        told = []
        for method, one in exact.items():
            span = one.status
            if one.status == "optimal":
                span = str(one.makespan)
            elif not one.proved:
                span = f"{one.bound if one.bound is not None else '?'}..{one.makespan or '?'}"
            told.append(f"{method} {span}")
        yield f"{name}: {', '.join(told)}"


def _gaps(rows: Sequence[Row], name: str) -> list[float]:
    return [
        theirs.makespan / ours.makespan - 1
        for theirs, ours in _shared(rows, name)
        if theirs.makespan and ours.makespan and ours.status == "optimal"
    ]


def verdicts(label: str, rows: Sequence[Row], limit: float) -> Iterator[str]:
    """Yield one line per thing that is wanted of ours, with what was measured."""
    ours = [found[OURS] for _, _, found in rows if OURS in found]
    if not ours:
        return
    proved = sum(one.proved for one in ours)
    yield f"{label}: {proved} of {len(ours)} proved in {limit:g} s" + _whose(
        [n for n, _, f in rows if not f[OURS].proved]
    )
    thirty = [1000 * found[OURS].seconds for _, actions, found in rows if actions == 30]
    if thirty:
        median = statistics.median(thirty)
        yield f"{label}: {median:.2f} ms in the median of {len(thirty)} instances of 30 actions; wanted 2 at most"
    totals = {}
    for name in DIRECT:
        pairs = _shared(rows, name)
        if pairs:
            totals[name] = _total([mine for _, mine in pairs]) / _total([theirs for theirs, _ in pairs])
            theirs_proved, ours_proved = sum(t.proved for t, _ in pairs), sum(o.proved for _, o in pairs)
            if theirs_proved > ours_proved:
                yield f"{label}: {name} proves {theirs_proved}, ours {ours_proved}"
    for family in (DIRECT[:2], DIRECT[2:]):
        worst = max(((totals[name], name) for name in family if name in totals), default=None)
        if worst:
            yield f"{label}: total time {worst[0]:.2f} of the better direct profile ({worst[1]}); wanted 1.15 at most"
    yield from _losses(label, rows)
    for name in PYJOBSHOP:
        small = [row for row in rows if row[1] <= 30]
        pairs = _shared(small, name)
        if pairs:
            mean = geometric_mean([theirs.seconds / mine.seconds for theirs, mine in pairs])
            yield f"{label}: {mean:.1f} times as fast as {name} (geometric mean, up to 30 actions); wanted 8 at least"
    gaps = _gaps(rows, "released")
    if gaps:
        worse = sum(gap > 0 for gap in gaps)
        yield (
            f"{label}: the released algorithm answers {len(gaps)}, {worse} of them above the optimum, "
            f"by {statistics.mean(gaps):.1%} in the mean and {max(gaps):.1%} at most"
        )


def _losses(label: str, rows: Sequence[Row]) -> Iterator[str]:
    """Name the instances on which ours loses most time to the best direct model."""
    lost = []
    for name, _, found in rows:
        theirs = [found[n].seconds for n in DIRECT if n in found and found[n].proved]
        if theirs and found[OURS].seconds > min(theirs):
            lost.append((found[OURS].seconds - min(theirs), name, found[OURS].seconds, min(theirs)))
    lost.sort(reverse=True)
    if lost:
        told = [f"{name} {1000 * ours:.1f} ms, not {1000 * best:.1f}" for _, name, ours, best in lost[:4]]
        yield f"{label}: most is lost on {'; '.join(told)} (best direct model)"


def _whose(names: Sequence[str]) -> str:
    shown = ", ".join(names[:12]) + (" ..." if len(names) > 12 else "")
    return f" (open: {shown})" if names else ""
