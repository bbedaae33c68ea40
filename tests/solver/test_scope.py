"""Objectives and constraints of the page `scope`, expressed as makespans, against all orders."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest

from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.solver.exact.search import solve


@pytest.mark.parametrize("seed", range(12))
def test_tails_model_the_maximum_lateness(seed: int) -> None:
    random = Random(seed)
    jobs = [(random.randint(1, 5), random.randint(1, 12)) for _ in range(4)]
    last = max(due for _, due in jobs)
    actions, lags = [], []
    for number, (length, due) in enumerate(jobs):
        actions += [
            Action(f"t/{number}", "t", length, length),
            Action(f"t/tail{number}", "t", last - due, 0, agents=()),
        ]
        lags.append(Lag(f"t/{number}", f"t/tail{number}"))
    lateness = []
    for order in permutations(jobs):
        clock, worst = 0, -last
        for length, due in order:
            clock += length
            worst = max(worst, clock - due)
        lateness.append(worst)
    result = solve(Instance("late", tuple(actions), tuple(lags)))
    assert (result.status, result.makespan) == ("optimal", last + min(lateness))


@pytest.mark.parametrize("seed", range(24))
def test_lags_from_a_milestone_model_releases_deadlines_and_breaks(seed: int) -> None:
    random = Random(seed)
    jobs = [(random.randint(1, 4), random.choice((0, 0, 3)), random.choice((99, 99, 8, 6))) for _ in range(4)]
    noon, over = 5, 7
    actions = [Action("t/begin", "t", 0, 0, agents=()), Action("t/break", "t", over - noon, over - noon)]
    lags = [Lag("t/begin", "t/break", noon, noon)]
    for number, (length, release, deadline) in enumerate(jobs):
        actions += [Action(f"t/{number}", "t", length, length), Action(f"t/done{number}", "t", 0, 0, agents=())]
        lags += [Lag("t/begin", f"t/{number}", release), Lag(f"t/{number}", f"t/done{number}")]
        lags.append(Lag("t/begin", f"t/done{number}", None, deadline))
    ends = []
    for order in permutations(jobs):
        clock, on_time = 0, True
        for length, release, deadline in order:
            start = max(clock, release)
            start = over if start < over and start + length > noon else start
            clock = start + length
            on_time &= clock <= deadline
        if on_time:
            ends.append(max(clock, over))
    result = solve(Instance("day", tuple(actions), tuple(lags)))
    assert (result.status, result.makespan) == (("optimal", min(ends)) if ends else ("infeasible", None))


@pytest.mark.parametrize("seed", range(12))
def test_states_model_set_up_times(seed: int) -> None:
    random = Random(seed)
    kinds = {
        kind: (random.randint(1, 4), random.randint(1, 3), random.randint(1, 3)) for kind in ("red", "blue", "tin")
    }
    ready = {kind: random.randint(0, 9) for kind in kinds}  # when the work of a kind is delivered
    actions = []
    for kind, (set_up, *works) in kinds.items():
        sets, needs = (Mode((Demand("booth", sets=kind),)),), (Mode((Demand("booth", requires=kind),)),)
        actions.append(Action(f"{kind}/fill", kind, set_up, set_up, modes=sets))
        actions += [
            Action(f"{kind}/{n}", kind, length, length, modes=needs, release=ready[kind])
            for n, length in enumerate(works)
        ]
    ends = []
    for order in permutations(kinds):
        clock = 0
        for kind in order:
            set_up, *works = kinds[kind]
            clock = max(clock + set_up, ready[kind]) + sum(works)
        ends.append(clock)
    result = solve(Instance("booth", tuple(actions), resources=(Resource("booth", state="clean"),)))
    assert (result.status, result.makespan) == ("optimal", min(ends))


def _shortest_day(jobs: list[tuple[int, int, bool]], noon: int, over: int) -> int:
    """Return the minimum length of a day with attended work, an oven and a break, by exhaustive search.

    The agent does not work from ``noon`` to ``over``. A job has attended work, unattended baking in the only oven, and
    a flag for interruptible work. Baking starts only while the agent is free.
    """
    best = over + sum(length + baking for length, baking, _ in jobs)
    seen = set()
    todo = [
        (0, tuple(length for length, _, _ in jobs), (0,) * len(jobs), -1)
    ]  # remaining work, ends of baking, uninterruptible job in progress
    while todo:
        state = clock, remaining, baked, ongoing = todo.pop()
        if state in seen or clock >= best:
            continue
        seen.add(state)
        if all(baked):
            best = min(best, max(clock, over, *baked))
            continue
        if ongoing < 0 and not noon < clock < over:
            ready = [i for i, rest in enumerate(remaining) if not rest and not baked[i] and max(baked) <= clock]
            todo += [
                (clock, remaining, tuple(clock + jobs[i][1] if i == j else end for j, end in enumerate(baked)), -1)
                for i in ready
            ]
        if ongoing < 0:
            todo.append((clock + 1, remaining, baked, ongoing))
        for i, rest in enumerate(remaining):
            if rest and ongoing in (-1, i) and not noon <= clock < over:
                less = tuple(n - (i == j) for j, n in enumerate(remaining))
                todo.append((clock + 1, less, baked, i if rest > 1 and not jobs[i][2] else -1))
    return best


@pytest.mark.parametrize("seed", range(16))
def test_break_interrupts_attended_work_but_not_unattended_work(seed: int) -> None:
    random = Random(seed)
    jobs = [(random.randint(1, 3), random.randint(1, 4), random.random() < 0.5) for _ in range(3)]
    noon = random.randint(1, 5)
    over = noon + random.randint(1, 3)
    actions = [Action("t/begin", "t", 0, 0, agents=()), Action("t/break", "t", over - noon, over - noon)]
    lags = [Lag("t/begin", "t/break", noon, noon)]
    for number, (length, baking, pausable) in enumerate(jobs):
        oven = (Mode((Demand("oven"),)),)
        actions += [
            Action(f"t/{number}", "t", length, length, interruptible=pausable),
            Action(f"t/bake{number}", "t", baking, 0, modes=oven),
        ]
        lags += [Lag("t/begin", f"t/{number}"), Lag(f"t/{number}", f"t/bake{number}")]
    result = solve(Instance("day", tuple(actions), tuple(lags), resources=(Resource("oven"),)))
    assert (result.status, result.makespan) == ("optimal", _shortest_day(jobs, noon, over))
