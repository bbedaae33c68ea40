"""The score of a run in TimeArena over time, and what its waits cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from planoracle.instances.deadline import Status
from planoracle.instances.scoring import Average, Column, Measured, Oracle, Row, ratio_of
from planoracle.instances.timearena.profile import Profile
from planoracle.instances.timearena.rules import Run
from planoracle.instances.timearena.run import TimeArenaRun
from planoracle.instances.timearena.simulation import KINDS


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run is worth.

    Attributes
    ----------
    best_score
        Highest progress score reached, in percent (P of the paper).
    best_time
        Minutes until it was first reached (T); 0 if the score stayed 0.
    kinds
        Number of minutes per feedback kind.
    necessary_waits, unnecessary_waits
        Waits in minutes in which no action could be started, and in which one could.
    curve
        Score at the end of every minute (Figure 5).
    """

    best_score: float
    best_time: int
    kinds: dict[str, int]
    necessary_waits: int
    unnecessary_waits: int
    curve: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """The paper's four metrics over several runs; ``None`` where nothing is there to average.

    ``average_score`` (AS) and ``completion_rate`` (CR) in percent, ``completion_speed`` (CS) in percent a
    minute, ``completion_time`` (CT) in minutes over the completed runs.
    """

    average_score: float | None
    completion_speed: float | None
    completion_rate: float | None
    completion_time: float | None

    @classmethod
    def of_sums(cls, runs: int, reached: float, spent: float, completed: int, minutes: float) -> Summary:
        """Compute them from numbers of runs, the sums of best scores and times, and the minutes of completed runs."""
        return cls(
            average_score=reached / runs if runs else None,
            completion_speed=reached / spent if spent else None,
            completion_rate=100 * completed / runs if runs else None,
            completion_time=minutes / completed if completed else None,
        )


def figures_of(run: Run) -> Figures:
    """Compute the figures of one run."""
    best = max(run.scores, default=0.0)
    kinds = Counter(step.kind for step in run.steps)
    return Figures(
        best_score=best,
        best_time=run.scores.index(best) + 1 if best else 0,
        kinds={kind: kinds[kind] for kind in KINDS if kinds[kind]},
        necessary_waits=sum(run.necessary),
        unnecessary_waits=kinds["wait"] - sum(run.necessary),
        curve=run.scores,
    )


def summarize(runs: Sequence[tuple[float, int, int | None]]) -> Summary:
    """Compute AS, CS, CR and CT; a combination of tasks counts as one.

    Parameters
    ----------
    runs
        For every run its ``best_score`` and ``best_time``, and the minutes it took if it was completed.

    Examples
    --------
    >>> summarize([(100.0, 20, 20), (50.0, 30, None)])
    Summary(average_score=75.0, completion_speed=3.0, completion_rate=50.0, completion_time=20.0)
    """
    times = [total for _, _, total in runs if total is not None]
    spent = sum(best_time for _, best_time, _ in runs)
    reached = sum(best_score for best_score, _, _ in runs)
    return Summary.of_sums(len(runs), reached, spent, len(times), sum(times))


COLUMNS = (
    Column("end", "how the run ended", kind="text"),
    Column("total_time", "minutes that passed", "minutes", "count"),
    Column("score", "progress at the end", "percent"),
    Column("best_score", "highest progress", "percent", shown=True),
    Column("best_time", "minutes until it was first reached", "minutes", "count"),
    Column("necessary_waits", "waits in which nothing could be started", kind="count"),
    Column("unnecessary_waits", "waits in which something could", kind="count"),
)


def averages(rules: Profile) -> tuple[Average, ...]:
    """Return AS, CS, CR and CT of the paper's Table 2."""

    def completed(row: Row) -> tuple[float, int]:
        return 100.0 * bool(row["success"]), 1

    def minutes(row: Row) -> tuple[int, int] | None:
        return (row["makespan"], 1) if row["success"] else None

    return (
        Average("AS", "mean of the best scores, percent", lambda row: (row["best_score"], 1), role=("main",), full=100),
        ratio_of("CS", "percent a minute, up to the best score", "best_score", "best_time"),
        Average("CR", "runs completed, percent", completed, role=("success",), full=100),
        Average("CT", "minutes of completed runs", minutes),
    )


def measure(run: TimeArenaRun, oracle: Oracle) -> Measured:
    """Compute the metrics of a run; with the rule ``price_waits`` also what its waits cost."""
    record = run.record
    figures = figures_of(record)
    best = None if run.impossible is not None else oracle.best(run.problem, run.rules)
    metrics = {
        "end": record.end,
        "total_time": record.total_time,
        "score": record.score,
        "best_score": figures.best_score,
        "best_time": figures.best_time,
        "kinds": figures.kinds,
        "necessary_waits": figures.necessary_waits,
        "unnecessary_waits": figures.unnecessary_waits,
        "steps": [list(step) for step in record.steps],
    }
    if run.rules.price_waits:
        metrics |= _priced(run, oracle)
    return Measured(None, metrics, Status.infeasible) if best is None else Measured.beside(best, metrics)


def _priced(run: TimeArenaRun, oracle: Oracle) -> dict[str, Any]:
    values = oracle.values(run)
    costs = [
        None if before is None or after is None else after - before
        for step, before, after in zip(run.steps, values, values[1:], strict=False)
        if step.kind == "wait"
    ]
    known = [cost for cost in costs if cost is not None]
    return {
        "costless_waits": known.count(0),
        "costly_waits": len(known) - known.count(0),
        "unpriced_waits": len(costs) - len(known),
        "wait_cost": sum(known),
    }
