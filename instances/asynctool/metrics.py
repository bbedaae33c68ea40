"""Metrics of AsyncTool (section 2.3 and appendix B.1 of the paper, Figure 4, Table 12), and ours beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cache
from statistics import fmean

from planoracle.instances.asynctool.calls import Call, canonical
from planoracle.instances.asynctool.encode import optimal_turns
from planoracle.instances.asynctool.problem import Problem
from planoracle.instances.asynctool.profile import Profile
from planoracle.instances.asynctool.rules import Run
from planoracle.instances.asynctool.sets import tasks


@dataclass(frozen=True, slots=True)
class Hits:
    """Labels found, found in vain and missed; F1 is ``2 hits / (2 hits + vain + missed)``, 1 if there are none."""

    hits: int
    vain: int
    missed: int

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = 2 * self.hits + self.vain + self.missed
        return 2 * self.hits / total if total else 1.0


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run is worth.

    Attributes
    ----------
    functions, parameters
        Labels of the step level by the profile's ``f1`` rule: names of functions; and triples of function,
        parameter and value.
    functions_micro, parameters_micro
        The same as multisets of all labels, whatever the rule.
    char, env, accurate
        Number of sub-tasks that pass path matching, state matching, both (B.1).
    streak, streak_excess
        Longest run of calls for one sub-task (3.2, Figure 4), and how far it is above the least possible.
    turns
        Messages of the agent, the closing one included (Table 12).
    optimal_calls
        Least number of turns if no call waited for a result.
    premature_calls
        Calls made before the result they build on was known.
    idle_turns, usable_idle_turns
        Turns without a call before the closing message; and those of them in which the next gold call of some
        sub-task could have been made, its last result being known.
    """

    functions: Hits
    parameters: Hits
    functions_micro: Hits
    parameters_micro: Hits
    char: int
    env: int
    accurate: int
    streak: int
    streak_excess: int
    turns: int
    optimal_calls: int
    premature_calls: int
    idle_turns: int
    usable_idle_turns: int


def measure(run: Run, rules: Profile) -> Figures:
    """Compute the figures of one run."""
    problem = run.problem
    gold = [call for task in problem.tasks for call in task.gold]
    made = [turn.call for turn in run.turns if turn.call is not None]
    idle = [turn.number for turn in run.turns if turn.kind in ("wait", "unreadable", "unknown_task")]
    asked, given = _functions(gold), _parameters(gold)
    functions_micro = _multiset(asked, _functions(made))
    parameters_micro = _multiset(given, _parameters(made))
    if rules.f1 == "micro":
        functions, parameters = functions_micro, parameters_micro
    else:
        offered = {name for task in problem.tasks for name in task.documents}
        known = [call for call in made if call.name in offered]
        functions = _multiset(set(asked), set(_functions(known)))
        parameters = _multiset(set(given), set(_parameters(known)))
    calls = [turn.task for turn in run.turns if turn.call is not None]
    longest = streak(calls)
    return Figures(
        functions=functions,
        parameters=parameters,
        functions_micro=functions_micro,
        parameters_micro=parameters_micro,
        char=sum(outcome.char for outcome in run.outcomes),
        env=sum(outcome.env for outcome in run.outcomes),
        accurate=sum(outcome.accurate for outcome in run.outcomes),
        streak=longest,
        streak_excess=longest - streak_floor(Counter(calls).values()),
        turns=run.length,
        optimal_calls=optimal_turns(problem, strict=False) or 0,
        premature_calls=len(run.premature),
        idle_turns=len(idle),
        usable_idle_turns=len(_usable(problem, run, idle)),
    )


def _functions(calls: Iterable[Call]) -> list[Hashable]:
    return [call.name for call in calls]


def _parameters(calls: Iterable[Call]) -> list[Hashable]:
    return [(call.name, name, canonical(value)) for call in calls for name, value in call.params.items()]


def _multiset(gold: Iterable[Hashable], made: Iterable[Hashable]) -> Hits:
    wanted, found = Counter(gold), Counter(made)
    hits = (wanted & found).total()
    return Hits(hits, found.total() - hits, wanted.total() - hits)


def streak(tasks: Iterable[str]) -> int:
    """Return the length of the longest run of equal entries.

    >>> streak(["a", "a", "b", "a"])
    2
    """
    longest = length = 0
    last = None
    for task in tasks:
        length = length + 1 if task == last else 1
        longest, last = max(longest, length), task
    return longest


def streak_floor(counts: Iterable[int]) -> int:
    """Return the least streak that so many calls per sub-task allow, ``ceil(most / (all others + 1))``.

    >>> streak_floor([5, 1]), streak_floor([2, 2]), streak_floor([])
    (3, 1, 0)
    """
    counts = list(counts)
    most = max(counts, default=0)
    return -(-most // (sum(counts) - most + 1))


def _usable(problem: Problem, run: Run, idle: list[int]) -> list[int]:
    """Return the idle turns in which some gold call could have been made."""
    usable = {(turn.task, turn.step): turn.usable for turn in run.turns if turn.step is not None}
    ready: list[tuple[int, int]] = []  # turns from which on, and before which, a gold call could be made
    for task, outcome in zip(problem.tasks, run.outcomes, strict=True):
        for step, turn in enumerate(outcome.made):
            since = usable.get((task.id, step - 1), 1 if step == 0 else 0)
            if since:
                ready.append((since, turn if turn is not None else len(run.turns) + 1))
    return [number for number in idle if any(since <= number < until for since, until in ready)]


@cache
def published_figures() -> dict[str, float]:
    """Return figures of the paper's Tables 3 and 4, for the bundled tasks and their families."""
    calls: dict[str | None, list[int]] = {}
    for task in tasks().values():
        calls.setdefault(task.family, []).append(len(task.gold))
    per_task = {f"{family}: calls per task": fmean(counts) for family, counts in calls.items()}
    per_task["calls per task"] = fmean(count for counts in calls.values() for count in counts)
    sizes = {f"{family}: tasks": len(counts) for family, counts in calls.items()}
    return {"classes": len(calls), "tasks": len(tasks()), **sizes, **per_task}
