"""The critic on the recorded verdicts: one finding per violation."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from planoracle.analysis.critique import Critique
from planoracle.instances import catalogue, registry
from planoracle.instances.kitchens import profile as walking
from planoracle.instances.recipe2plan import profile as cooking
from planoracle.instances.recipe2plan import rules as kitchen_rules
from planoracle.instances.recipe2plan.language import parse
from planoracle.instances.replay import Replay
from planoracle.instances.robotouille.reader import load_kitchen
from planoracle.instances.timearena import profile as arena
from planoracle.instances.timearena import rules as minute_rules
from planoracle.instances.timearena.world import world
from tests.support.critiques import one_to_one, report
from tests.support.samples import sample


@cache
def entries(path: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def judged(found: Critique, run: Replay, expected: dict[str, Any]) -> None:
    one_to_one(found, run.violations)
    if run.success and not run.violations:
        assert {section.status for section in found.sections} == {"ok"}
    else:
        assert "fault" in {section.status for section in found.sections}


@pytest.mark.slow
@pytest.mark.parametrize("rules", sample(["released", "paper"], 2))
def test_all_recipe2plan_verdicts(shared: Any, rules: str) -> None:
    lines = entries(shared / "verdicts" / "recipe2plan.jsonl")
    profile = cooking.PROFILES[rules]
    for entry in lines:
        problem = catalogue.load(entry["instance"])
        found = report(problem, {"plan": entry["plan"]}, rules=profile)
        judged(found, kitchen_rules.replay(problem, parse(entry["plan"], problem, profile), profile), entry["expected"])
        if rules == "released":
            assert found.verdict.success == entry["expected"]["success"]
            fatal = found.verdict.fatal
            assert (fatal and fatal[0]) == entry["expected"]["violation"]
    assert len(lines) == 645


@pytest.mark.slow
@pytest.mark.parametrize("rules", sample(["released", "paper"], 2))
def test_all_timearena_verdicts(shared: Any, rules: str) -> None:
    profile = arena.PROFILES[rules]
    verdicts = shared / "verdicts"
    for entry in entries(verdicts / "timearena.jsonl") + entries(verdicts / "timearena_fresh.jsonl")[::5]:
        problem = catalogue.load(entry["instance"])
        found = report(problem, entry, rules=profile)
        from planoracle.instances.timearena.language import parse as read

        scene = world(entry["instance"])
        run = minute_rules.replay(scene, read(entry["actions"], scene, profile), entry["time_limit"], profile)
        judged(found, minute_rules.as_replay(run), entry["expected"])


@pytest.mark.slow
def test_all_robotouille_verdicts(shared: Any) -> None:
    robotouille, rules = registry.get("robotouille"), walking.PROFILES["released"]
    for entry in entries(shared / "verdicts" / "robotouille.jsonl"):
        name = entry["instance"].removeprefix("robotouille/").removesuffix(".json")
        place = load_kitchen(shared / "benchmarks" / "robotouille" / f"{name}.json")
        run = robotouille.run(place, entry, rules)
        examined = robotouille.examine(run)
        assert [f.violation for f in examined.findings] == list(run.verdict.violations)
        assert run.success == entry["expected"]["success"]
        assert bool(examined.remarks) != run.success
