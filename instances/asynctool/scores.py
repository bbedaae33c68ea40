"""Accuracy in AsyncTool at the levels of step, sub-task and task, turns against the optimum, causes of failure."""

from __future__ import annotations

from dataclasses import asdict

from planoracle.instances.asynctool.causes import causes
from planoracle.instances.asynctool.encode import optimal_turns
from planoracle.instances.asynctool.metrics import measure as figures_of
from planoracle.instances.asynctool.profile import Profile
from planoracle.instances.asynctool.run import AsyncToolRun
from planoracle.instances.deadline import Status
from planoracle.instances.scoring import Average, Column, Measured, Oracle, Row, mean_of

COLUMNS = (
    Column("func_f1", "F1 of the functions called", "share"),
    Column("param_f1", "F1 of functions, parameters and values", "share"),
    Column("subtask_char", "sub-tasks whose path of calls matches", "share"),
    Column("subtask_env", "sub-tasks whose state matches", "share"),
    Column("subtask_acc", "sub-tasks solved", "share", shown=True),
    Column("task_char", "all paths match", kind="flag"),
    Column("task_env", "all states match", kind="flag"),
    Column("overall", "all sub-tasks are solved and the run is closed", kind="flag"),
    Column("streak", "longest run of calls of one sub-task", kind="count"),
    Column("streak_excess", "beyond what was needed", kind="count"),
    Column("turns", "turns taken", "turns", "count"),
    Column("optimal_turns", "least turns", "turns", "count"),
    Column("optimal_calls", "least turns if no call waited", "turns", "count"),
    Column("turn_efficiency", "optimal turns by turns of a success", "share"),
    Column("premature_calls", "calls before their result was there", kind="count"),
    Column("idle_turns", "turns without a call", kind="count"),
    Column("usable_idle_turns", "those in which a call could have been made", kind="count"),
    Column("func_f1_micro", "F1 of all functions as multisets", "share"),
    Column("param_f1_micro", "F1 of all parameters as multisets", "share"),
    Column("cause", "first cause of failure", kind="text", shown=True),
    Column("subtasks", "number of sub-tasks", kind="count"),
    Column("closed", "whether the run was closed", kind="flag"),
)


def averages(rules: Profile) -> tuple[Average, ...]:
    """Return the columns of the paper's Tables 1 and 12 and Figure 4, and ours.

    By the rule ``f1`` the step level is averaged over runs, or pools all labels.
    """

    def pooled(level: str) -> Average:
        def of(row: Row) -> tuple[float, float]:
            hits, vain, missed = (row["labels"][level].get(key, 0) for key in ("hits", "vain", "missed"))
            return 2 * hits, 2 * hits + vain + missed

        short = {"functions": "func", "parameters": "param"}[level]
        return Average(f"{short}_micro", f"F1 of all {level}, pooled", of, shown=False)

    def of_subtasks(name: str) -> Average:
        def of(row: Row) -> tuple[float, float]:
            return row[f"subtask_{name}"] * row["subtasks"], row["subtasks"]

        return Average(name, "share of the sub-tasks", of, role=("main",) if name == "acc" else ())

    def finished(name: str, key: str) -> Average:
        def of(row: Row) -> tuple[float, float] | None:
            done = row["overall"] and row["closed"] and row[key] is not None
            return (row[key], 1) if done else None

        return Average(name, "over the runs that succeed", of)

    def failed(row: Row) -> list[str]:
        return [cause["cause"] for cause in row["causes"] if cause["failed"]]

    micro = pooled("functions"), pooled("parameters")
    first = mean_of("func", "step level", key="func_f1"), mean_of("param", "step level", key="param_f1")
    if rules.f1 == "micro":
        first = micro[0]._replace(name="func", shown=True), micro[1]._replace(name="param", shown=True)
    return (
        *first,
        *map(of_subtasks, ("char", "env", "acc")),
        mean_of("task_char", "share of the runs"),
        mean_of("task_env", "share of the runs"),
        mean_of("overall", "share of the runs", role=("success",)),
        mean_of("streak", "longest run of calls of one sub-task"),
        mean_of("streak_excess", "beyond what was needed"),
        finished("turns", "turns"),
        finished("efficiency", "turn_efficiency"),
        mean_of("premature", "calls before their result was there", key="premature_calls"),
        mean_of("idle", "turns without a call", key="idle_turns", shown=False),
        mean_of("usable_idle", "of these, usable ones", key="usable_idle_turns"),
        *micro,
        Average("causes", "failed sub-tasks by cause", failed, tally=True),
    )


def measure(run: AsyncToolRun, oracle: Oracle) -> Measured:
    """Compute the metrics of a run."""
    record, rules = run.record, run.rules
    figures = figures_of(record, rules)
    found = causes(record)
    best = optimal_turns(run.task)
    exact = oracle.best(run.problem, rules) if best is None else None
    if exact is not None and exact.status == Status.optimal:
        best = exact.makespan
    tasks = len(run.task.tasks)
    metrics = {
        "func_f1": figures.functions.f1,
        "param_f1": figures.parameters.f1,
        "subtask_char": figures.char / tasks,
        "subtask_env": figures.env / tasks,
        "subtask_acc": figures.accurate / tasks,
        "task_char": figures.char == tasks,
        "task_env": figures.env == tasks,
        "overall": record.success,
        "streak": figures.streak,
        "streak_excess": figures.streak_excess,
        "turns": figures.turns,
        "optimal_turns": best,
        "optimal_calls": figures.optimal_calls,
        "turn_efficiency": best / figures.turns if record.success and best else None,
        "premature_calls": figures.premature_calls,
        "idle_turns": figures.idle_turns,
        "usable_idle_turns": figures.usable_idle_turns,
        "func_f1_micro": figures.functions_micro.f1,
        "param_f1_micro": figures.parameters_micro.f1,
        "cause": next((cause.cause for cause in found if cause.failed), None),
        "causes": [cause._asdict() for cause in found],
        "subtasks": tasks,
        "labels": {"functions": asdict(figures.functions_micro), "parameters": asdict(figures.parameters_micro)},
        "closed": record.closed,
    }
    return Measured(best, metrics) if exact is None else Measured.beside(exact, metrics)
