"""Rules of ParaCook's abstract part: execution of task lists and their violations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from planoracle.instances.benchmarks.paracook.rules import CHOICES as CHOICES
from planoracle.instances.benchmarks.paracook.rules import PROFILES as PROFILES
from planoracle.instances.benchmarks.paracook.rules import Profile
from planoracle.instances.benchmarks.paracook_abstract.problems import by_name, name_of
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.violations import Other, Violation

#: A task of a plan: the number of its list and its place there, both from 0.
Place = tuple[int, int]


class ExecutedTask(NamedTuple):
    """A task that was carried out; times in ticks."""

    task: str
    place: Place
    start: int
    end: int


class PlanRecord(NamedTuple):
    """Execution of a plan.

    Attributes
    ----------
    entries
        Executed tasks, in the order in which they were tried.
    stuck
        Places at which lists wait for tasks that are never executed.
    crash
        The exception with which the released code stops at a name that is none, and where; else ``("", None)``.
    """

    entries: tuple[ExecutedTask, ...]
    stuck: tuple[Place, ...] = ()
    crash: tuple[str, Place | None] = ("", None)

    @property
    def time(self) -> int:
        """The largest clock of an agent."""
        return max((entry.end for entry in self.entries), default=0)

    @property
    def pairs(self) -> int:
        """Number of distinct pairs of task and end, which the released code counts."""
        return len({(entry.task, entry.end) for entry in self.entries})


def carry_out(problem: Instance, lists: Sequence[Sequence[object]]) -> PlanRecord:
    """Carry out lists of tasks: they are tried in turn, one task a try, until a whole round moves nobody.

    A task is ready if each that it waits for has been carried out, by whomever; it begins when its agent is free and
    the last of these, of all times that it was carried out so far, is as long ago as it has to be.

    >>> from planoracle.instances.benchmarks.paracook_abstract.problems import instance
    >>> two = instance("two", [("fry", 3, {}), ("cut", 2, {}), ("serve", 1, {"fry": 10})], 2)
    >>> carry_out(two, [["cut"], ["fry", "serve"]]).entries[-1]
    ExecutedTask(task='serve', place=(1, 1), start=13, end=14)
    >>> carry_out(two, [["serve", "fry"], ["cut"]]).stuck, carry_out(two, [["stir"]]).crash
    (((0, 0),), ('KeyError', (0, 0)))
    """
    tasks, waits = by_name(problem), _waits(problem)
    ends: dict[str, int] = {}
    entries: list[ExecutedTask] = []
    clocks, places = [0] * len(lists), [0] * len(lists)
    open_lists = [number for number, one in enumerate(lists) if one]
    while open_lists:
        before = len(entries)
        for number in open_lists:
            place = number, places[number]
            task = lists[number][place[1]]
            if not isinstance(task, str) or task not in tasks:
                return PlanRecord(tuple(entries), (), (_exception(task), place))
            if not all(other in ends for other, _ in waits[task]):
                continue
            start = max([clocks[number], *(ends[other] + least for other, least in waits[task])])
            clocks[number] = end = start + tasks[task].duration
            ends[task] = max(ends.get(task, 0), end)
            places[number] += 1
            entries.append(ExecutedTask(task, place, start, end))
        open_lists = [number for number in open_lists if places[number] < len(lists[number])]
        if len(entries) == before:
            break
    return PlanRecord(tuple(entries), tuple((number, places[number]) for number in open_lists))


def _waits(problem: Instance) -> dict[str, list[tuple[str, int]]]:
    waits: dict[str, list[tuple[str, int]]] = {name: [] for name in by_name(problem)}
    for lag in problem.lags:
        waits[name_of(lag.after)].append((name_of(lag.before), lag.minimum or 0))
    return waits


def _exception(name: object) -> str:
    """Return the exception of a dictionary that is asked for what it does not have."""
    try:
        hash(name)
    except TypeError:
        return "TypeError"
    return "KeyError"


def count_violations(
    problem: Instance, record: PlanRecord, strict: Sequence[Violation], rules: Profile
) -> list[Violation]:
    """Return the violations that count by the rules; none if the rules accept the plan."""
    counted = [one for one in strict if rules.lists == "agents" or one.kind != "too_many_lists"]
    if rules.repeats == "counted" and not record.crash[0] and record.pairs == len(problem.actions):
        return [one for one in counted if one.kind == "too_many_lists"]
    return counted


def faults(
    problem: Instance, lists: Sequence[Sequence[object]], record: PlanRecord, order: Mapping[Place, int]
) -> list[Violation]:
    """Return all violations of the strict rules, in the order of the plan's commands."""
    violations = [*_in_lists(problem, lists, record, order), *_too_many(problem, lists, order)]
    return sorted(violations, key=lambda one: (one.position is None, one.position or 0))


def _in_lists(
    problem: Instance, lists: Sequence[Sequence[object]], record: PlanRecord, order: Mapping[Place, int]
) -> Iterator[Violation]:
    tasks, waits = by_name(problem), _waits(problem)
    entries = {entry.place: entry for entry in record.entries}
    done = {entry.task for entry in record.entries}
    first: dict[str, int] = {}
    for place in sorted(order, key=order.__getitem__):
        position, task = order[place], lists[place[0]][place[1]]
        entry = entries.get(place)
        times = (None, None) if entry is None else (entry.start, entry.end)
        if not isinstance(task, str) or task not in tasks:
            yield Violation(position, "unknown_task", str(task), "", *times)
        elif task in first:
            yield Violation(position, "repeated_task", tasks[task].id, "", *times)
        else:
            first[task] = position
            if place in record.stuck:
                others = tuple(Other(tasks[other].id) for other, _ in waits[task] if other not in done)
                own = {one for one in lists[place[0]][place[1] + 1 :] if isinstance(one, str)}
                case = "own_list" if any(name_of(other.subject) in own for other in others) else ""
                yield Violation(position, "never_ready", tasks[task].id, case, others=others[:8])
    for name, action in tasks.items():
        if name not in first:
            yield Violation(None, "missing_task", action.id, required=action.duration, actual=0)


def _too_many(problem: Instance, lists: Sequence[Sequence[object]], order: Mapping[Place, int]) -> Iterator[Violation]:
    full = [number for number, one in enumerate(lists) if one]
    most = len(problem.agents)
    if len(full) > most:
        position, number = min((order[number, 0], number) for number in full[most:])
        yield Violation(position, "too_many_lists", str(lists[number][0])[:80], required=most, actual=len(full))
