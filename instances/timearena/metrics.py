"""Metrics of TimeArena (Zhang et al., 2024, section 4.2, Table 4, Figures 3 and 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from planoracle.instances.timearena.rules import Run
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


def measure(run: Run) -> Figures:
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
