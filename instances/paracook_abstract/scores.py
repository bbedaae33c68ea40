"""The figures of ParaCook's abstract part: success, time, and time by that of the oracle."""

from __future__ import annotations

from planoracle.instances.paracook.profile import Profile
from planoracle.instances.paracook_abstract.run import ParaCookRun
from planoracle.instances.scoring import Average, Column, Measured, Oracle, Row, mean_of, share_of

#: What a failure counts in the average time, by the time of the oracle.
FAILED = 1.2

COLUMNS = (
    Column("done", "whether the plan counts as done", kind="flag"),
    Column("time", "largest clock of an agent, -1 if the plan is not done", "ticks", shown=True),
    Column("optimum_ratio", "time by the optimum; of plans that are done without a loophole", shown=True),
    Column("crash", "exception with which the released code stops at a name that is none", kind="text"),
    Column(
        "loophole",
        "why the plan passes though it is no plan: repeats (a task stands for another, or comes twice), lists (of more "
        "agents than there are); its time is then not comparable with the optimum",
        kind="text",
        shown=True,
    ),
)


def averages(rules: Profile) -> tuple[Average, ...]:
    """Return the released figures; the ratio is that of plans without a loophole, which are counted beside it."""

    def time(row: Row) -> tuple[float, int] | None:
        if row["done"]:
            return row["time"], 1
        return None if row["optimal_makespan"] is None else (FAILED * row["optimal_makespan"], 1)

    def loopholes(row: Row) -> list[str]:
        return [row["loophole"]] if row["loophole"] else []

    return (
        share_of(
            "success_rate", "share of plans that are done", lambda row: bool(row["done"]), role=("success", "main")
        ),
        mean_of("time_ratio", "time by the optimum, of plans that are done without a loophole", key="optimum_ratio"),
        Average("average_time", f"time in ticks, of a failure {FAILED} times the optimum", time),
        Average("loopholes", "plans that pass though they are none, why", loopholes, tally=True),
    )


def measure(run: ParaCookRun, oracle: Oracle) -> Measured:
    """Compute the metrics of a run; what passes through a loophole is not held against the optimum."""
    best = oracle.best(run.problem, run.rules)
    metrics: dict[str, object] = {
        "done": run.success,
        "time": run.verdict.makespan if run.success else -1,
        "optimum_ratio": None,
        "crash": run.crash or None,
        "loophole": run.loophole or None,
    }
    if run.loophole:
        return Measured(None, metrics)
    found = Measured.beside(best, metrics)
    if run.success and found.optimum:
        metrics["optimum_ratio"] = run.verdict.makespan / found.optimum
    return found
