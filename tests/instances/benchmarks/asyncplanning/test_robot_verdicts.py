"""Robo Challenge and its online part: recorded and made plans get the verdicts of independent graders."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from planoracle.instances.benchmarks.asyncplanning.problems import load
from planoracle.instances.benchmarks.asyncplanning.robot_run import RobotRun, replay
from planoracle.instances.benchmarks.asyncplanning.rules import PROFILES
from planoracle.instances.protocol import registry
from planoracle.solver.exact.search import solve

BENCHMARK = registry.get("asyncplanning")
#: Profiles of planoracle by the fields of the verdict files, with the fields of their optima.
VERDICTS = {"exact": ("paper", "exact"), "released": ("released", "loose")}


def rows_of(shared: Path, name: str) -> list[dict[str, Any]]:
    path = shared / "verdicts" / "asyncplanning" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def violation_of(run: RobotRun) -> str | None:
    """Return the name of the first violation; that of an empty stage has its number."""
    violation = run.fault
    if violation is None:
        return None
    is_stage = violation.kind == "no_plan" and violation.required is not None
    return f"no_plan@{violation.required}" if is_stage else violation.kind


def verdict_of(run: RobotRun) -> dict[str, Any]:
    seconds = None if run.seconds is None else float(run.seconds)
    return {"success": run.success, "makespan": seconds, "violation": violation_of(run)}


@pytest.mark.parametrize("part", ["robo", "online"])
def test_verdicts_equal_those_of_independent_graders(shared: Path, part: str) -> None:
    differing = []
    rows = rows_of(shared, part)
    for row in rows:
        problem = load(row["task"])
        for field, (profile, _) in VERDICTS.items():
            run = BENCHMARK.run(problem, {"plan": row["plan"]}, PROFILES[profile])
            expected = dict(row[field])
            reward = expected.pop("reward", None)
            aim = expected.pop("oracle_reward", None)
            is_reward_equal = reward is None or run.collected_reward == reward
            is_aim_equal = aim is None or run.outcome.aim == aim
            if verdict_of(run) != expected or not is_reward_equal or not is_aim_equal:
                differing.append(f"{row['id']} {field}: {verdict_of(run)}, not {row[field]}")
    assert len(rows) > 200
    assert differing == []


@pytest.mark.parametrize("part", ["robo", "online"])
def test_optima_equal_those_of_independent_solvers(shared: Path, part: str) -> None:
    optima = {row["task"]: row["optimum"] for row in rows_of(shared, part)}
    differing = []
    for name, expected in optima.items():
        for profile, field in VERDICTS.values():
            result = solve(BENCHMARK.under(load(name), PROFILES[profile]))
            is_equal = result.status == "optimal" and result.makespan == round(1000 * expected[field])
            if profile == "paper":
                is_equal = is_equal and result.weight == expected.get("reward")
            if not is_equal:
                differing.append(f"{name} {field}: {result.status} {result.makespan} {result.weight}, not {expected}")
    assert differing == []


def test_recorded_successes_of_the_released_code_are_successes_of_the_released_profile(shared: Path) -> None:
    data = (shared / "benchmarks" / "asyncplanning" / "answers_robo.jsonl.gz").read_bytes()
    rows = [json.loads(line) for line in gzip.decompress(data).splitlines()]
    verdicts = {}
    for row in rows:
        run = BENCHMARK.run(load(row["task"]), {"response": row["response"]}, PROFILES["released"])
        verdicts[row["task"], row["model"]] = run.success
    assert verdicts == {(row["task"], row["model"]): row["success"] for row in rows}


def test_recorded_episodes_beat_their_oracle_but_not_hindsight(shared: Path) -> None:
    """The released "continuation oracle" is no bound; the optimum in hindsight is one."""
    data = (shared / "benchmarks" / "asyncplanning" / "answers_online.jsonl.gz").read_bytes()
    below_oracle = 0
    for line in gzip.decompress(data).splitlines():
        row = json.loads(line)
        if row["makespan_ratio"] is None or not row["success"]:
            continue
        below_oracle += row["makespan_ratio"] < 1
        run = BENCHMARK.run(load(row["task"]), {"responses": row["responses"]}, PROFILES["released"])
        if not run.problem.optional:
            assert run.verdict.makespan >= solve(run.problem).makespan, row["task"]
    assert below_oracle > 0


def test_hindsight_plans_are_accepted_stage_by_stage_in_both_profiles() -> None:
    names = [name for name in BENCHMARK.catalog.names() if name.startswith("asyncplanning/online/")]
    assert len(names) == 140
    for name in names:
        problem = load(name)
        plan = solve(problem).plan
        for rules in PROFILES.values():
            run = replay(problem, BENCHMARK.parse(problem, plan, rules), rules)
            assert run.success, (name, run.fault)
