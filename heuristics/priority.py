"""Priority rules of project scheduling (Kolisch, 1996), one number per block, small is urgent."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from planoracle.heuristics.generation import Blocks, blocks_of
from planoracle.instances.model.instance import Instance

_Values = list[float]


def _tails(instance: Instance) -> list[int]:
    """Longest path from the start of every action to the end of the project."""
    tail = [action.duration for action in instance.actions]
    for i in reversed(instance.order):
        for j, lag in instance.predecessors[i]:
            tail[j] = max(tail[j], instance.actions[j].duration + max(0, lag) + tail[i])
    return tail


def _successors(instance: Instance) -> list[int]:
    """Bit set of all transitive successors of every action."""
    after = [0] * len(instance.actions)
    for i in reversed(instance.order):
        for j, _ in instance.predecessors[i]:
            after[j] |= after[i] | 1 << i
    return after


def _longest(instance: Instance) -> _Values:
    return [-float(action.duration) for action in instance.actions]


def _shortest(instance: Instance) -> _Values:
    return [float(action.duration) for action in instance.actions]


def _most_successors(instance: Instance) -> _Values:
    return [-float(after.bit_count()) for after in _successors(instance)]


def _latest_start(instance: Instance) -> _Values:
    return [-float(tail) for tail in _tails(instance)]


def _latest_finish(instance: Instance) -> _Values:
    return [float(a.duration - tail) for a, tail in zip(instance.actions, _tails(instance), strict=True)]


def _greatest_rank(instance: Instance) -> _Values:
    """Own duration plus that of all transitive successors (greatest rank positional weight)."""
    durations = [action.duration for action in instance.actions]
    # The actions whose durations have a binary digit, as a bit set: so sums are counts.
    digits = [_bits(d >> digit & 1 for d in durations) for digit in range(max(durations).bit_length())]
    return [
        -float(durations[i] + sum((after & some).bit_count() << digit for digit, some in enumerate(digits)))
        for i, after in enumerate(_successors(instance))
    ]


def _bits(values: Iterable[int]) -> int:
    """Return the number whose binary digits are these, the lowest first."""
    return int("".join(map(str, values))[::-1], 2)


def _unattended_first(instance: Instance) -> _Values:
    """Longest wait (time without the agent) on the way from the action to the end."""
    actions = instance.actions
    wait = [action.duration - action.attended for action in actions]
    for i in reversed(instance.order):
        for j, _ in instance.predecessors[i]:
            wait[j] = max(wait[j], actions[j].duration - actions[j].attended + wait[i])
    return [-float(value) for value in wait]


#: Rules by name; each gives one number per action.
RULES: dict[str, Callable[[Instance], _Values]] = {
    "lpt": _longest,  # longest processing time
    "spt": _shortest,  # shortest processing time
    "mts": _most_successors,  # most total successors
    "lst": _latest_start,  # latest start time
    "lft": _latest_finish,  # latest finish time
    "grpw": _greatest_rank,  # greatest rank positional weight
    "wait": _unattended_first,  # longest unattended way to go
}


def priorities(instance: Instance, rule: str, blocks: Blocks | None = None) -> _Values:
    """Return the priority of every block: that of its most urgent member."""
    values = RULES[rule](instance)
    return [min(values[i] for i in members) for members in (blocks or blocks_of(instance)).members]
