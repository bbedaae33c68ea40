"""Measure regret on Recipe2Plan, and list the decisions of the released reference plans that cost most.

Run ``python tests/benchmarks/regret.py`` on a quiet machine; one process, one worker.
"""

from __future__ import annotations

import statistics
from collections import Counter
from random import Random
from time import perf_counter

from planoracle.analysis.regret import regret
from planoracle.instances import registry
from planoracle.instances.catalogue import load
from planoracle.instances.recipe2plan import facts
from planoracle.instances.recipe2plan.profile import PROFILES
from planoracle.instances.wording import action_name, span
from planoracle.solver.states.values import step_of, value_of, values_of

RULES = PROFILES["released"]


def references():
    """Yield every bundled problem that has a released reference plan, with the plan as text."""
    for name in facts.names():
        _, setting, pair = name.split("/")
        plan = facts.reference_plan(setting, pair)
        if plan:
            yield load(name), ", ".join(command.text for command in plan)


def profiles() -> list:
    """Price all reference plans, each from nothing."""
    seconds, found = [], []
    for instance, plan in references():
        instance.memos.clear()
        began = perf_counter()
        found.append(regret(instance, plan, RULES))
        seconds.append(perf_counter() - began)
        assert found[-1].total == found[-1].final - found[-1].optimum
    sizes = [len(one.decisions) for one in found]
    print(f"regret of {len(found)} reference plans, {statistics.median(sizes):.0f} decisions in the median")
    print(f"  milliseconds a plan: median {1000 * statistics.median(seconds):.1f}, worst {1000 * max(seconds):.1f}")
    return found


def states() -> None:
    """Value all situations of the reference plans along the run, then the same ones singly in random order."""
    runs = [registry.of(instance).run(instance, plan, RULES) for instance, plan in references()]
    for run in runs:
        value_of(run.begin, step_of(run))  # builds the model
    began = perf_counter()
    count = sum(len(values_of(run)) for run in runs)
    print(f"  along the runs: {count / (perf_counter() - began):.0f} states/s")
    single = [(situation, step_of(run)) for run in runs for situation in run.points]
    Random(0).shuffle(single)
    began = perf_counter()
    for situation, step in single:
        value_of(situation, step)
    print(f"  one by one, nothing known before: {len(single) / (perf_counter() - began):.0f} states/s")


def table(found: list) -> None:
    """List the dearest decisions, and what all of them cost."""
    rows = [(one, i) for one in found for i in one.costliest(len(one.decisions))]
    rows.sort(key=lambda row: -row[0].decisions[row[1]].cost)
    kinds, cost = Counter(), Counter()
    for one, i in rows:
        kinds[one.decisions[i].kind] += 1
        cost[one.decisions[i].kind] += one.decisions[i].cost
    decisions = sum(len(one.decisions) for one in found)
    for kind in sorted(kinds):
        print(f"{kind}: {kinds[kind]} of {decisions} decisions cost something, {cost[kind] // 60} min in all")
    print("| problem | decision | at | costs |\n|---|---|---|---|")
    for one, i in rows[:12]:
        instance, move = load(one.instance), one.decisions[i]
        name = action_name(instance, one.run.steps[i].after.state.pieces[-1].action) if move.kind == "act" else ""
        label = instance.by_id[one.run.steps[i].after.state.pieces[-1].action].label if name else ""
        at = f"{move.start // 3600:02d}:{move.start // 60 % 60:02d}:{move.start % 60:02d}"
        said = f"{name}: {label}" if name else move.command
        print(f"| `{one.instance.removeprefix('recipe2plan/')}` | {said} | {at} | {span(instance, move.cost)} |")


if __name__ == "__main__":
    priced = profiles()
    states()
    table(priced)
