"""Metrics of the Robo Challenge: rewards, ratios of makespans, and the published optima."""

from __future__ import annotations

from typing import Any

from planoracle.instances.benchmarks.asyncplanning.robot_lines import witness_text
from planoracle.instances.benchmarks.asyncplanning.robot_tasks import robot_origin
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.scoring import Average, Claim, Measurement, Metric, Row

_REWARD = "reward of the attained goals, also of a failure"
_RATIO = "makespan of a success divided by the published optimum, of an episode by that of hindsight"
_MEAN_RATIO = "mean of makespan divided by optimum, over successes"
_LOST = "mean seconds above the optimum, over successes"
_SHARE = "reward of a success divided by the best reward, else 0"


def reward_share(row: Row) -> float | None:
    """Return the share of the best reward; ``None`` for problems without rewards.

    >>> reward_share({"success": True, "weight": 33, "best_weight": 44}), reward_share({"success": True})
    (0.75, None)
    """
    best = row.get("best_weight")
    weight = row.get("weight")
    return weight / best if best and weight is not None else None


def _ratio(measurement: Measurement[Any]) -> float | None:
    """Return makespan divided by optimum for a success; the published optimum counts if there is one."""
    run = measurement.run
    published = getattr(getattr(run.problem.origin, "task", None), "optimum", None)
    optimum = published or measurement.optimum.makespan
    return run.makespan / optimum if run.success and optimum else None


def _lost_seconds(row: Row) -> float | None:
    """Return the seconds above the optimum; ``None`` for failures."""
    optimum = row["optimal_makespan"]
    if not row["success"] or not optimum or not row["makespan"]:
        return None
    lost: float = row["seconds"] * (1 - optimum / row["makespan"])
    return lost


def _collected(measurement: Measurement[Any]) -> int | None:
    reward: int | None = getattr(measurement.run, "collected_reward", None)
    return reward


#: Metrics beside those of all parts.
COLLECTED_REWARD = Metric("collected_reward", _REWARD, _collected)
MAKESPAN_RATIO = Metric(
    "makespan_ratio", _RATIO, _ratio, average=Average("mean_makespan_ratio", _MEAN_RATIO, is_shown=False)
)
LOST_SECONDS = Average("lost_seconds", _LOST, _lost_seconds, is_shown=False)
REWARD_SHARE = Average("reward_share", _SHARE, reward_share, is_shown=False)


def published_claim(problem: Instance) -> Claim:
    """Return the published optimum of a task, with its plan; episodes have none."""
    task = robot_origin(problem).task
    if task.optimum is None:
        return Claim(None)
    return Claim(task.optimum, plan=witness_text(task) if task.witness else None)
