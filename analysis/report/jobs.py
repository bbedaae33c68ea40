"""The work on all plans, spread over processes: grade and explain all, then price decisions as far as work is allowed.

Work is counted, see `planoracle.instances.deadline`, so that what is priced depends neither on load nor on processes.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from itertools import zip_longest
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

from planoracle.analysis.batch.errors import WorkerError
from planoracle.analysis.batch.team import Team
from planoracle.analysis.report.inputs import Entry
from planoracle.analysis.report.worker import Options, Priced, Shown, charted, priced, shown

__all__ = ["Outcome", "Told", "Work", "work_on"]

# Plans of one problem that are handed to a process at once: to be shown, to be priced.
_SHOWN, _PRICED = 100, 20
# Fewer plans are worked on in this process: starting others takes longer.
_FEW = 60

# Seconds of counted work to price in, if nothing else is said; batches that share what is left of it at once, and the
# share from which on it is not worth while.
_IN_ALL, _AT_ONCE, _WORTH = 25.0, 8, 0.2

_PRICING = "pricing decisions"

_T = TypeVar("_T")
_R = TypeVar("_R")

#: Called with what is being done, how much of it is done, and how much there is.
Told = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Work:
    """Plans that differ, with the lines that hold each; ``lines[i]`` and ``shown[i]`` belong together.

    ``charts`` holds the chart of every problem that exists, by name.
    """

    lines: list[list[Entry]]
    shown: list[Shown]
    priced: dict[int, Priced]
    charts: dict[str, str]


class Outcome(NamedTuple):
    """What a process hands back on one problem."""

    chart: str | None
    shown: list[Shown]


@dataclass(slots=True)
class _Pool:
    """Runs functions over batches, in other processes if there is enough to do."""

    processes: int
    told: Told
    _team: Team | None = None

    def __enter__(self) -> _Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._team is not None:
            self._team.close()

    def run(
        self, label: str, function: Callable[[_T], _R], batches: Sequence[_T], sizes: Sequence[int]
    ) -> Iterator[_R]:
        """Apply a function to batches, and tell how many of so many plans are done."""
        done, total = 0, sum(sizes)
        self.told(label, 0, total)
        for size, result in zip(sizes, self.results(function, batches), strict=True):
            done += size
            self.told(label, done, total)
            yield result

    def results(self, function: Callable[[_T], _R], batches: Sequence[_T]) -> Iterable[_R]:
        """Apply a function to batches."""
        if self.processes == 1:
            return map(function, batches)
        return self._elsewhere(function, batches)

    def _elsewhere(self, function: Callable[[_T], _R], batches: Sequence[_T]) -> Iterator[_R]:
        self._team = self._team or Team(self.processes)
        futures = deque(self._team.submit(function, batch) for batch in batches)
        try:
            while futures:
                yield futures.popleft().result()
        except BrokenExecutor:
            raise WorkerError("a worker process died (of lack of memory?)") from None


def work_on(
    entries: Iterable[Entry],
    options: Options,
    *,
    regret_seconds: float | None,
    processes: int | None = None,
    told: Told = lambda label, done, total: None,
) -> Work:
    """Grade, explain and price all submissions; those that say the same are worked on once.

    Parameters
    ----------
    regret_seconds
        Counted work for the prices of decisions, in seconds of a quiet core, by default `_IN_ALL`. The first plan of
        every model and problem comes first.
    processes
        By default one for every processor.
    """
    lines: dict[str | int, list[Entry]] = defaultdict(list)
    for entry in entries:
        lines[entry.key].append(entry)
    plans = list(lines.values())
    with _Pool(_processes(processes, len(plans)), told) as pool:
        shown, charts = _show_all(plans, options, pool)
        work = Work(plans, shown, {}, charts)
        _price_all(work, options, _IN_ALL if regret_seconds is None else regret_seconds, pool)
    return work


def _show_all(plans: list[list[Entry]], options: Options, pool: _Pool) -> tuple[list[Shown], dict[str, str]]:
    """Return what is shown of every plan, and the charts of all problems by name."""
    by_name: dict[str, list[int]] = defaultdict(list)
    for i, (entry, *_) in enumerate(plans):
        by_name[entry.instance or ""].append(i)
    batches = [(name, part) for name, members in by_name.items() for part in _parts(members, _SHOWN)]
    jobs = [(options, name, [plans[i][0] for i in part]) for name, part in batches]
    shown: dict[int, Shown] = {}
    charts: dict[str, str] = {}
    outcomes = pool.run("grading", _show, jobs, [len(part) for _, part in batches])
    for (name, part), outcome in zip(batches, outcomes, strict=True):
        shown |= zip(part, outcome.shown, strict=True)
        if outcome.chart is not None:
            charts[name] = outcome.chart
    return [shown[i] for i in range(len(plans))], charts


def _price_all(work: Work, options: Options, seconds: float, pool: _Pool) -> None:
    """Fill ``work.priced`` as far as the work allows; no single plan takes a large part of it."""
    batches = list(_ranked(work)) if seconds > 0 else []
    left, most = seconds, max(1.0, seconds / 10)
    done, total = 0, sum(map(len, batches))
    while batches and left > _WORTH:
        some, batches = batches[:_AT_ONCE], batches[_AT_ONCE:]
        pool.told(_PRICING, done, total)
        share = left / len(some)
        jobs = [(options, share, min(most, share), [work.lines[i][0].submission for i in part]) for part in some]
        for part, (found, spent) in zip(some, pool.results(_price, jobs), strict=True):
            work.priced.update((i, one) for i, one in zip(part, found, strict=True) if one is not None)
            left -= spent / 1e9
            done += len(part)
            pool.told(_PRICING, done, total)
    if done < total:
        pool.told(_PRICING, total, total)


def _ranked(work: Work) -> Iterator[list[int]]:
    """Yield plans to be priced, those of one problem together: first one of every model, then by turns."""
    first: dict[str, list[int]] = defaultdict(list)
    later: dict[str, list[int]] = defaultdict(list)
    seen = set()
    for i, (entry, *_) in enumerate(work.lines):
        if entry.submission is None or not work.shown[i].grade.scored:
            continue
        name, model = entry.submission["instance"], entry.submission.get("model")
        (later if (name, model) in seen else first)[name].append(i)
        seen.add((name, model))
    for group in (first, later):
        # Plans for kitchens and floors take much longer.
        names = sorted(group, key=lambda name: work.shown[group[name][0]].kind in ("kitchen", "floor"))
        for parts in zip_longest(*(_parts(group[name], _PRICED) for name in names)):
            yield from (part for part in parts if part is not None)


def _parts(members: list[int], size: int) -> Iterator[list[int]]:
    for start in range(0, len(members), size):
        yield members[start : start + size]


def _processes(wanted: int | None, plans: int) -> int:
    if plans < _FEW:
        return 1
    if wanted is not None:
        return wanted
    from loky import cpu_count

    return int(cpu_count())


def _show(job: tuple[Options, str, list[Entry]]) -> Outcome:
    options, name, entries = job
    chart = charted(options, name)
    fresh = iter(shown(options, [one.submission for one in entries if one.submission]))
    return Outcome(chart, [next(fresh) if one.submission else _graded(one) for one in entries])


def _graded(entry: Entry) -> Shown:
    from planoracle.analysis.report.details import grade_faults, metrics
    from planoracle.analysis.report.encode import packed

    assert entry.grade is not None
    sheet = (
        {"graded": 1, "faults": grade_faults(entry.grade), "metrics": metrics(entry.grade)}
        if entry.grade.scored
        else {}
    )
    return Shown(entry.grade.without_details(), len(entry.grade.violations or ()), packed(sheet))


def _price(job: tuple[Options, float, float, list[Any]]) -> tuple[list[Priced | None], int]:
    """Price some plans, and return besides what work it took, in nanoseconds."""
    options, share, most, submissions = job
    found: list[Priced | None] = []
    spent = 0
    for submission in submissions:
        left = share - spent / 1e9
        one, more = priced(options, submission, min(most, left)) if left > 0 else (None, 0)
        found.append(one)
        spent += more
    return found, spent
