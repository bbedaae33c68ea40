"""What the graded runs of a model over a set of problems add up to: exact sums per problem, in any order the same."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import fsum, isfinite
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final

from planoracle.analysis.estimators import best_of, pass_at, pass_hat, sizes
from planoracle.analysis.grade import Grade
from planoracle.instances.scoring import Average, Row

if TYPE_CHECKING:
    from planoracle.analysis.bootstrap import Cluster

__all__ = ["LEVEL", "NAMED", "Tally", "comparable", "interval"]

#: Most names of missing problems in a row; no bundled set has more problems.
NAMED: Final = 2000
#: Of all intervals of tables.
LEVEL: Final = 0.95
# Sums are kept as whole numbers of this part of 1, so that the order of what is added does not matter.
_ONE = 1 << 60


def comparable(made: int | None, best: int | None) -> bool:
    """Whether the makespan of a success can be set beside the proved optimum.

    One below it leaves out what the optimum counts, such as the wait for a result that was guessed, and would flatter.

    Examples
    --------
    >>> comparable(6, 6), comparable(5, 6), comparable(6, None)
    (True, False, False)
    """
    return made is not None and bool(best) and made >= (best or 0)


def _gap(row: Row) -> tuple[float, int] | None:
    made, best = row["makespan"], row["optimal_makespan"]
    return (made / best - 1, 1) if row["success"] and comparable(made, best) else None


def _lost(row: Row) -> tuple[float, int] | None:
    return None if row["success"] or row.get("lost") is None else (row["lost"], 1)


#: Figures of every benchmark, behind its own.
_COMMON = (
    Average("gap", "makespan / proved optimum - 1 of successful runs", _gap),
    Average("lost", "what failed runs had lost, as a share of the optimum, when they failed", _lost),
)


class _Problem:
    """The runs of a model for one problem.

    Attributes
    ----------
    rows, scored, successes
        How many there are, how many could be judged, how many of these succeed.
    sums
        Three numbers for every figure: both sums, and how many runs add to them.
    tops, bottoms
        What every run adds to the main figure.
    judged, good
        Runs that count for the rate of success, and those of them that are one.
    samples
        Hashes of what the samples are called, where they have names.
    """

    __slots__ = ("bottoms", "good", "judged", "rows", "samples", "scored", "successes", "sums", "tops")

    def __init__(self, figures: int) -> None:
        self.rows = self.scored = self.successes = self.judged = self.good = 0
        self.sums = [0] * (3 * figures)
        self.tops, self.bottoms, self.samples = array("d"), array("d"), array("q")


class Tally:
    """The graded runs of a model over a set.

    Parameters
    ----------
    averages
        The benchmark's figures.
    members
        Names of all problems of the set, if it is a bundled one.
    """

    def __init__(self, averages: Sequence[Average], members: Sequence[str] = ()) -> None:
        self.figures = (*averages, *_COMMON)
        self.members = tuple(members)
        self.problems: dict[str, _Problem] = {}
        self._there: Mapping[str, None] = dict.fromkeys(members)
        self.absent, self.unjudged = len(self._there), 0
        self._row: dict[str, Any] | None = None
        self._own = len(averages)
        self._totals = [0] * len(self.figures)
        self._counts: list[Counter[str]] = [Counter() for _ in self.figures]
        self._main, self._success = self._place("main"), self._place("success")

    def _place(self, role: str) -> int | None:
        return next((i for i, one in enumerate(self.figures) if role in one.role), None)

    def add(self, grade: Grade, lost: float | None = None) -> None:
        """Count a run; ``lost`` is the share of the optimum that it had lost when it failed, if that is known."""
        found: list[Any] = [None] * len(self.figures)
        if grade.scored:
            row = grade.row() | ({} if lost is None else {"lost": lost})
            found = [_added(average, row) for average in self.figures]  # all, before anything is counted
        self._row = None
        problem = self.problems.get(grade.instance or "")
        if problem is None:
            problem = self.problems[grade.instance or ""] = _Problem(len(self.figures))
        problem.rows += 1
        if grade.sample is not None and grade.instance:  # rows without a problem are no samples of the same one
            problem.samples.append(hash(grade.sample))
        if not grade.scored:
            return
        problem.scored += 1
        problem.successes += bool(grade.success)
        for i, (average, value) in enumerate(zip(self.figures, found, strict=True)):
            if value is None:
                continue
            if average.tally:
                self._counts[i].update(value)
            elif average.total:
                self._totals[i] += value[0]
            else:
                self._sum(problem, i, *value)

    def _sum(self, problem: _Problem, i: int, top: float, bottom: float) -> None:
        sums = problem.sums
        sums[3 * i] += int(top * _ONE)
        sums[3 * i + 1] += int(bottom * _ONE)
        sums[3 * i + 2] += 1
        if i == self._main and bottom:
            problem.tops.append(top)
            problem.bottoms.append(bottom)
        if i == self._success and bottom:
            problem.judged += 1
            problem.good += top >= bottom * self.figures[i].full

    # What it adds up to

    def settle(self, known: Mapping[str, None]) -> None:
        """Say which problems there are if no bundled set says so.

        So many, ``absent``, are without any run here; of so many, ``unjudged``, no run could be judged.
        """
        self._there = dict.fromkeys(self.members) or known
        ours = [problem for name, problem in self.problems.items() if name in self._there]
        self.absent, self.unjudged = len(self._there) - len(ours), sum(not problem.scored for problem in ours)
        self._row = None

    @property
    def scored(self) -> list[str]:
        """Names of the problems with a run that could be judged, in order."""
        return sorted(name for name, problem in self.problems.items() if problem.scored)

    def _terms(self, i: int) -> tuple[list[float], list[float]]:
        """Return for every problem what a run adds to both sums of a figure, on average."""
        parts = [(one.sums[3 * i], one.sums[3 * i + 1], one.sums[3 * i + 2] * _ONE) for one in self.problems.values()]
        return [top / of for top, _, of in parts if of], [bottom / of for _, bottom, of in parts if of]

    def _mean(self, i: int | None, tops: list[float] | None = None) -> float | None:
        """Return a figure: the mean over problems of the means over their runs."""
        if i is None:
            return None
        average = self.figures[i]
        found, bottoms = self._terms(i)
        top, bottom = fsum(found if tops is None else tops), fsum(bottoms)
        if average.absent is not None:
            top += average.absent[0] * self.absent
            bottom += average.absent[1] * self.absent
        return top / bottom if bottom else None

    def _share(self, i: int | None, tops: list[float] | None = None) -> float | None:
        value = self._mean(i, tops)
        return None if value is None or i is None else value / self.figures[i].full

    def _of_all(self, i: int | None) -> float | None:
        """Return a share where problems without a scored run count as failed, whatever the benchmark says."""
        value = self._share(i)
        if value is None or i is None:
            return value
        answered, absent = len(self._terms(i)[0]), self.absent
        counted = answered if self.figures[i].absent is None else answered + absent
        return value * counted / (answered + absent + self.unjudged)

    def row(self) -> dict[str, Any]:
        """Return everything, see `planoracle.analysis.statistics.Averages.rows`; the benchmark's own figures last."""
        figures = self.figures[: self._own]
        own = {average.name: self._figure(i) for i, average in enumerate(figures)}
        runs = {one.name: self._runs(i) for i, one in enumerate(figures) if not (one.tally or one.total)}
        missing = (name for name in self._there if name not in self.problems)
        return {**self.common(), **own, "runs": runs, "missing_names": list(islice(missing, NAMED))}

    def common(self) -> dict[str, Any]:
        """Return what is said of every benchmark; worked out once."""
        if self._row is None:
            self._row = self._worked_out()
        return self._row

    def _worked_out(self) -> dict[str, Any]:
        problems = self.problems.values()
        runs = [problem.scored for problem in problems if problem.scored]
        ends = interval(self.clusters())
        gap, lost = self._own, self._own + 1
        submissions = sum(problem.rows for problem in problems)
        successes = sum(problem.successes for problem in problems)
        return {
            "problems": len(runs),
            "missing": self.absent,
            "submissions": submissions,
            "unscored": submissions - sum(runs),
            "repeated": sum(len(problem.samples) - len({*problem.samples}) for problem in problems),
            "samples_least": min(runs, default=None),
            "samples_most": max(runs, default=None),
            "success": self._share(self._success),
            "success_runs": self._runs(self._success),
            "success_of_all": self._of_all(self._success),
            "main_score": self._share(self._main),
            "main_score_low": ends and ends[0],
            "main_score_high": ends and ends[1],
            "main_score_runs": self._runs(self._main),
            "main_score_of_all": self._of_all(self._main),
            "succeeded": successes,
            "gap": self._mean(gap),
            "gap_runs": self._runs(gap),
            "failed": sum(runs) - successes,
            "lost": self._mean(lost),
            "lost_runs": self._runs(lost),
            **self._several(),
        }

    def _runs(self, i: int | None) -> int:
        return 0 if i is None else sum(problem.sums[3 * i + 2] for problem in self.problems.values())

    def _figure(self, i: int) -> Any:
        if self.figures[i].tally:
            return dict(sorted(self._counts[i].items(), key=str))
        return self._totals[i] if self.figures[i].total else self._mean(i)

    def _several(self) -> dict[str, float | None]:
        """Return pass@k, pass^k and best of k for every k of which all problems have so many samples."""
        judged = [(one.judged, one.good) for one in self.problems.values() if one.judged]
        if max((count for count, _ in judged), default=0) < 2 or self._success is None:
            return {}
        columns: dict[str, float | None] = {}
        full = self.figures[self._success].full
        for name, estimate in (("pass@", pass_at), ("pass^", pass_hat)):
            for size in sizes(min(count for count, _ in judged)):
                tops = [full * estimate(count, good, size) for count, good in judged]
                columns[f"{name}{size}"] = self._share(self._success, tops)
        return columns | self._best()

    def _best(self) -> dict[str, float | None]:
        runs = [one for one in self.problems.values() if len(one.tops)]
        found: dict[str, float | None] = {}
        for size in sizes(min((len(one.tops) for one in runs), default=0)):
            tops = [best_of(_scores(one), size) * fsum(one.bottoms) / len(one.bottoms) for one in runs]
            found[f"best@{size}"] = self._share(self._main, tops)
        return found

    def clusters(self, stratum: str = "") -> list[Cluster]:
        """Return the main score of every run by problem, the problems without any run among them if these count.

        A figure that is one sum by another is taken for a mean over problems: what a run changes in it, times their
        number.
        """
        import numpy as np

        from planoracle.analysis.bootstrap import Cluster

        main = self._main
        mean = self._mean(main)
        if main is None or mean is None:
            return []
        average = self.figures[main]
        named = sorted((name, one) for name, one in self.problems.items() if len(one.tops))
        pairs = [np.array(sorted(zip(one.tops, one.bottoms, strict=True))).T for _, one in named]
        if average.absent is not None:
            pairs += [np.array([average.absent], dtype=float).T] * self.absent
        full = average.full
        most = max([1.0, *(max(_scores(one)) / full for _, one in named)])
        weight = fsum(float(bottoms.mean()) for _, bottoms in pairs) / len(pairs)
        return [
            Cluster((tops / weight + mean * (1 - bottoms / weight)) / full, stratum, 1 / len(pairs), most)
            for tops, bottoms in pairs
        ]


def _scores(problem: _Problem) -> list[float]:
    return [top / bottom for top, bottom in zip(problem.tops, problem.bottoms, strict=True)]


def _added(average: Average, row: Row) -> Any:
    """Return what a run adds to a figure; raises `ValueError` for what is no number that can be added."""
    value = average.of(row)
    try:
        if value is None or average.tally or all(map(isfinite, value)):
            return value
    except OverflowError:
        pass
    raise ValueError(f"{average.name} must be finite")


def interval(clusters: Sequence[Cluster]) -> tuple[float, float] | None:
    """Return the interval of a mean share, see `planoracle.analysis.bootstrap.two_stage`.

    Where all values are the same, drawing them again says nothing. Then the ends are Wilson's: of n problems alike
    no more than ``z² / (n + z²)`` of all can be different, and these have a share of 0, or of 1. Nothing is known of
    others where all are above 1, as a score beside a reference that can be beaten.
    """
    from planoracle.analysis.bootstrap import two_stage

    count = len(clusters)
    if count < 2:
        return None
    first = float(clusters[0].values[0])
    if all(first == value for one in clusters for value in _ends(one)):
        square = NormalDist().inv_cdf((1 + LEVEL) / 2) ** 2
        if first > 1:
            return None
        other = square / (count + square)
        return first * (1 - other), first + (1 - first) * other
    found = two_stage(clusters, level=LEVEL)
    return found and (max(0.0, found[0]), min(max(one.most for one in clusters), found[1]))


def _ends(cluster: Cluster) -> Iterator[float]:
    yield from (float(cluster.values.min()), float(cluster.values.max()))
