"""Live runs in grid kitchens: grades equal to the released simulator's, turns, errors, and ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planoracle.analysis.grading.grader import Grader
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen
from planoracle.instances.benchmarks.grid_kitchens.live import LATEST
from planoracle.instances.benchmarks.grid_kitchens.run import MAX_ERRORS
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, RunConfig
from tests.support.grid_kitchens import tiny
from tests.support.paracook import kitchen_of_map, verdicts

FREE = RunConfig(bounded=False)
PAPER, RELEASED = (registry.get("paracook").rules.profiles[name] for name in ("paper", "released"))


def live(place: GridKitchen, rules: object = PAPER, config: RunConfig = FREE) -> AnyEnvironment:
    return registry.of(place).environment(place, rules, config)


@pytest.mark.slow
def test_grades_of_submissions_equal_those_of_the_released_simulator(shared: Path) -> None:
    grader = Grader({"paracook": RELEASED})
    for line in verdicts(shared, "paracook_live"):
        place, expected = kitchen_of_map(shared, line["map"], line["orders"]), line["expected"]
        record = {"instance": place.name, "submissions": line["submissions"]}
        row = grader.grade_run(registry.of(place).run(place, record, RELEASED), record).row()
        done = expected["served"] == len(line["orders"]) and expected["end"] != "error"
        assert (row["success"], row["makespan"]) == (done, expected["time"]), line["id"]


def test_clock_advances_only_when_every_cook_has_an_action() -> None:
    run = live(tiny("raw"))
    assert run.step({"agent1": [{"action": "Wait", "duration": 5}]}).observation.clock == 0
    assert {json.loads(one.text).keys() == {"agent2"} for one in run.legal()} == {True}
    assert run.step({"agent2": [{"action": "Wait", "duration": 3}]}).observation.clock == 3
    assert run.step({"agent2": [{"action": "Finish"}]}).observation.clock == 5


def test_errors_restart_the_run_and_the_third_error_ends_the_run() -> None:
    run = live(tiny("raw", cooks=1))
    for count in range(MAX_ERRORS):
        assert not run.done
        run.step({"agent1": [{"action": "Wait", "duration": 4}]})
        assert run.observation.clock == 4
        transition = run.step("Let me think.")
        step = transition.outcomes[0]
        assert (transition.done, step.violation.kind) == (count == MAX_ERRORS - 1, "unreadable")
        assert (step.command, "contains no action" in step.violation.actual) == ("Let me think.", True)
        assert run.observation.clock == (4 if run.done else 0)
    assert run.state.over == "error"
    waiting = {"agent1": [{"action": "Wait", "duration": 4}]}
    assert run.submission()["submissions"] == [waiting, None] * MAX_ERRORS
    assert not run.run().success


def test_open_loop_runs_accept_three_plans() -> None:
    place = tiny("raw", cooks=1)
    wait, bad = {"agent1": [{"action": "Wait"}]}, {"agent1": [{"action": "Interact", "target": "wall"}]}
    once = live(place, config=RunConfig("open"))
    assert once.step(json.dumps(wait)).done  # no error, although nothing was served
    second = live(place, config=RunConfig("open"))
    assert not second.step(json.dumps(bad)).done
    assert "The attempt starts over" in second.observation.text
    assert not second.step("no plan").done
    assert second.step(json.dumps(wait)).done
    assert second.submission()["plan"] == json.dumps(wait)
    failed = live(place, config=RunConfig("open"))
    assert [failed.step(json.dumps(bad)).done for _ in range(3)] == [False, False, True]
    assert failed.run().verdict.fatal is not None


def test_bounded_runs_end_after_the_latest_tick() -> None:
    run = live(tiny("raw", cooks=1), config=RunConfig())
    assert run.step({"agent1": [{"action": "Wait", "duration": LATEST}]}).done
    assert run.state.over == "too_late"
