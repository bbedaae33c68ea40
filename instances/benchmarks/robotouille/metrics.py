"""Metrics of runs in kitchens: success within the step limit, optimality, and failures."""

from __future__ import annotations

from typing import Any

from planoracle.instances.benchmarks.kitchens.rules import Profile
from planoracle.instances.benchmarks.kitchens.run import KitchenRun, StepRecord
from planoracle.instances.benchmarks.robotouille.failures import failure
from planoracle.instances.benchmarks.robotouille.measures import measure as trace_metrics
from planoracle.instances.benchmarks.robotouille.measures import published_steps, step_limit
from planoracle.instances.model.limits import Status
from planoracle.instances.protocol.scoring import Average, BestKnown, Measured, Metric, Oracle, Row, mean_of, share_of

COLUMNS = (
    Metric("end", "how the run ended", kind="text"),
    Metric("steps_taken", "legal actions", "steps", "count"),
    Metric("attempts", "with refused actions", "steps", "count"),
    Metric("optimal_steps", "proved fewest steps", "steps", "count"),
    Metric("lower_bound", "proved bound on them", "steps", "count"),
    Metric("step_limit", "1.5 times the reference", "steps", "count"),
    Metric("within_limit", "goal reached in so many steps", kind="flag", is_shown=True),
    Metric("within_limit_attempts", "the same with refused actions counted", kind="flag"),
    Metric("optimality", "steps by fewest steps, of a success", "share", is_shown=True),
    Metric("steps_to_go", "fewest steps left by fewest steps", "share"),
    Metric("lost", "steps taken and left by fewest steps - 1, of a failure", "share"),
    Metric("repeated_share", "repeated transitions", "share"),
    Metric("invalid_actions", "refused actions", kind="count"),
    Metric("failure", "class of the failure", kind="text", is_shown=True),
    Metric("cause", "cause of the failure", kind="text", is_shown=True),
)


def averages(rules: Profile) -> tuple[Average, ...]:
    """Return success rates and efficiency (sections 4.2.2 and 4.2.3)."""

    def count_unproved(row: Row) -> tuple[int, int]:
        return int(row["within_limit"] is None), 1

    def list_failures(row: Row) -> list[str]:
        return [] if row["failure"] == "success" else [row["failure"]]

    return (
        mean_of(
            "success",
            "goal reached within the step limit, where that is known",
            key="within_limit",
            role=("success", "main"),
        ),
        Average("unproved", "runs whose step limit is not known", count_unproved, total=True),
        share_of("completed", "goal reached at all", lambda row: row["end"] == "completed"),
        mean_of("optimality", "steps by fewest steps, of runs that reach the goal"),
        mean_of("repeated_share", "repeated transitions", default=0.0),
        mean_of("invalid_actions", "refused actions"),
        Average("failures", "by class", list_failures, tally=True),
    )


def measure(run: KitchenRun, oracle: Oracle) -> Measured:
    """Compute the metrics of a run, which goes to its end, even past the limit of a success.

    ``metrics`` (sections of the paper in brackets; ``|τ|`` steps taken, ``|τ*|`` of a proved optimal plan), the last
    one among the ``details``:

    - ``end``: ``completed``, ``limit`` (the submission's) or ``exhausted``; ``steps_taken``: ``|τ|``;
      ``attempts``: with refused actions;
    - ``optimal_steps``: ``|τ*|``, ``None`` if not proved, and the ``lower_bound`` that is;
    - ``step_limit``: ``floor(1.5 · reference)``, ``None`` if that is not known; ``within_limit``: the goal was
      reached in so many steps, the paper's success [4.2.2, question 1], ``None`` without limit;
      ``within_limit_attempts``: the same if refused actions cost a step as well;
    - ``optimality``: ``|τ| / |τ*|`` of runs that reached the goal [4.2.2, question 2];
    - ``steps_to_go``: ``|τ*_left| / |τ*|``, the steps that an optimal plan needs from the final state over those
      it needs from the start [4.2.2, question 3]; 0 if the goal was reached, ``None`` if one of them is not
      proved or ``price_rest`` is off; ``steps_left``: ``|τ*_left|``; ``rest``: its status (``infeasible``:
      nothing leads to the goal any more); ``lost``: ``(|τ| + |τ*_left|) / |τ*| - 1`` of runs that did not reach it;
    - ``repeated_transitions``, ``repeated_share``, ``invalid_actions``, ``invalid_kinds``: see
      `planoracle.instances.benchmarks.robotouille.measures.measure` [4.2.3];
    - ``prioritised``, ``slow_needed``, ``slow_started``, ``first_slow_start``, ``other_before``: see
      `planoracle.instances.benchmarks.robotouille.measures.foresight` [4.2.4, question 6];
    - ``failure``, ``cause``, ``cause_index``, ``lacks``, ``recovered``: see
      `planoracle.instances.benchmarks.robotouille.failures.failure` [4.2.3, A.9];
    - ``steps``: action, whether it was legal, whether it reached the goal, how many were legal before it.
    """
    rules, record = run.rules, run.record
    best = oracle.best(run.problem, rules)
    optimal = _steps(best, run)
    reference = optimal if rules.limit == "optimum" else published_steps(run.problem.name)
    allowed = None if reference is None else step_limit(reference)
    failed = failure(record, allowed)
    within = None if allowed is None else record.success and record.steps_taken <= allowed
    metrics: dict[str, Any] = {
        "end": record.end,
        "steps_taken": record.steps_taken,
        "attempts": len(record.steps),
        "optimal_steps": optimal,
        "lower_bound": best.lower_bound,
        "step_limit": allowed,
        "within_limit": within,
        "within_limit_attempts": None if allowed is None else record.success and len(record.steps) <= allowed,
        "optimality": record.steps_taken / optimal if record.success and optimal else None,
        **_to_go(run, record.steps_taken, optimal, oracle),
        **trace_metrics(record),
        "failure": failed.kind,
        "cause": failed.cause,
        "cause_index": failed.position,
        "lacks": [
            {
                "kind": lack.kind,
                "condition": list(lack.condition),
                "objects": list(lack.objects),
                "made": lack.is_own_doing,
            }
            for lack in failed.lacks
        ],
        "recovered": failed.recovered,
    }
    return Measured(optimal, metrics, best.status, _rounds(best.lower_bound, run), lambda: _steps_of(record))


def _steps_of(record: StepRecord) -> dict[str, Any]:
    return {"steps": [[act.action, act.valid, act.reached, act.choices] for act in record.steps]}


def _steps(best: BestKnown, run: KitchenRun) -> int | None:
    """Return the proved fewest steps as the rules count them: with joint moves, of all players at once."""
    return _rounds(best.makespan, run) if best.status == Status.optimal else None


def _rounds(steps: int | None, run: KitchenRun) -> int | None:
    return -(-steps // len(run.problem.players)) if steps is not None and run.rules.moves == "joint" else steps


def _to_go(run: KitchenRun, steps: int, optimal: int | None, oracle: Oracle) -> dict[str, Any]:
    if run.success:
        return {"steps_to_go": 0.0 if optimal else None, "steps_left": 0, "rest": Status.optimal, "lost": None}
    if not run.rules.price_rest:
        return {"steps_to_go": None, "steps_left": None, "rest": None, "lost": None}
    rest = oracle.rest(run)
    remaining = _steps(rest, run)
    share = None if remaining is None or not optimal else remaining / optimal
    lost = None if remaining is None or not optimal else (steps + remaining) / optimal - 1
    return {"steps_to_go": share, "steps_left": remaining, "rest": rest.status, "lost": lost}
