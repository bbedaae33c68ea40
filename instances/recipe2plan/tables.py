"""What the paper prints about its recipes and instances: Table 2 (Wu et al., 2025)."""

from __future__ import annotations

from planoracle.instances.model import Instance
from planoracle.instances.published import Figure, Optimum, Published, mean_of
from planoracle.instances.recipe2plan.facts import load, names, reference_plan
from planoracle.instances.recipe2plan.generator import recipes
from planoracle.instances.recipe2plan.language import Command
from planoracle.instances.recipe2plan.metrics import reference_efficiency

__all__ = ["TABLES", "executable"]

_RELEASED = "of the 24 released recipes; five of the paper's 29 are not released"


def executable(instance: Instance, commands: tuple[Command, ...]) -> float | None:
    """Return how many actions could start whenever one of a plan starts: what they depend on is finished. A mean."""
    before: dict[str, list[str]] = {action.id: [] for action in instance.actions}
    for lag in instance.lags:
        before[lag.after].append(lag.before)
    ends: dict[str, int] = {}
    counts = []
    for command in sorted(commands, key=lambda one: one.start):
        finished = {action for action, end in ends.items() if end <= command.start}
        counts.append(sum(one not in ends and finished.issuperset(before[one]) for one in before))
        ends[f"{command.recipe}/{command.step}"] = command.start + command.duration
    return mean_of(counts)


def _table_2(optimum: Optimum) -> list[Figure]:
    pairs = list(dict.fromkeys(name.rpartition("/")[2] for name in names()))
    untimed, timed = ({pair: load(setting, pair) for pair in pairs} for setting in ("untimed", "timed"))
    parts = {task: one for one in timed.values() for task in one.tasks}
    actions = {task: [action for action in parts[task].actions if action.task == task] for task in recipes()}
    every = [action for own in actions.values() for action in own]
    windows = [
        lag.maximum
        for task in actions
        for lag in parts[task].lags
        if lag.maximum is not None and parts[task].by_id[lag.after].task == task
    ]
    count = len(actions)
    steps, efficiency = [], {}
    for setting, problems in (("untimed", untimed), ("timed", timed)):
        plans = {pair: plan for pair in pairs if (plan := reference_plan(setting, pair))}
        values = (reference_efficiency(problems[pair], plan) for pair, plan in plans.items())
        efficiency[setting] = mean_of(None if value is None else 100 * value for value in values)
        if setting == "untimed":
            steps = [executable(problems[pair], plan) for pair, plan in plans.items()]
    return [
        Figure("recipes", 29, count, note="24 are released, and in every pair; the paper's other five are in none"),
        Figure("actions per recipe", 13.1, len(every) / count, 1, _RELEASED),
        Figure("autonomous actions per recipe", 3.4, sum(not one.attended for one in every) / count, 1, _RELEASED),
        Figure("interruptible actions per recipe", 3.9, sum(one.interruptible for one in every) / count, 1, _RELEASED),
        Figure("time constraints per recipe", 3.1, len(windows) / count, 1, f"maximum lags; {_RELEASED}"),
        Figure("minutes per action", 5.7, sum(one.duration for one in every) / len(every) / 60, 1, "over all actions"),
        Figure("minutes of a restriction", 2.7, sum(windows) / len(windows) / 60, 1, "mean of all maximum lags: 2.75"),
        Figure("instances", 65, len(pairs)),
        Figure(
            "executable actions per step",
            3.1,
            mean_of(steps),
            1,
            "not defined; here: actions whose predecessors are finished when a step of the untimed reference starts",
        ),
        Figure(
            "efficiency without time constraints, %",
            86.1,
            efficiency["untimed"],
            1,
            "equation 1 for the 65 reference plans",
        ),
        Figure(
            "efficiency with time constraints, %",
            73.7,
            efficiency["timed"],
            1,
            "equation 1 for 64 reference plans; Pizza_Chocolate-Egg has none",
        ),
    ]


TABLES = (Published("Table 2", "recipes and multitasking instances", _table_2),)
