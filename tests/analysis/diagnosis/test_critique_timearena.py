"""The critic on TimeArena: every kind of wrong minute by itself, and how runs end."""

from __future__ import annotations

from typing import Any

from planoracle.analysis.diagnosis.critique import Critique
from planoracle.instances.benchmarks.timearena import rules as arena
from planoracle.instances.benchmarks.timearena.problems import world
from planoracle.instances.files import catalog
from tests.support import timearena
from tests.support.critiques import TEA, assert_same_faults, report, single_finding


def minutes(name: str, *decisions: str, **options: Any) -> Critique:
    result = report(catalog.load(name), list(decisions), **options)
    rules = options.get("rules") or arena.PROFILES["paper"]
    assert_same_faults(result, timearena.replay(name, decisions, None, rules).verdict.violations)
    return result


def test_each_kind_of_violation_in_minutes() -> None:
    assert (
        single_finding(minutes(TEA, "juggle cup"), "invalid_action").text == 'Minute 0: "juggle cup" is not an action.'
    )
    assert '"moon"' in single_finding(minutes(TEA, "wash moon"), "nonexistent_object").text
    mismatch = single_finding(minutes(TEA, "wash kettle"), "object_mismatch")
    assert (mismatch.resource, mismatch.start, mismatch.end) == ("kettle", 0, 1)
    occupied = single_finding(minutes(TEA, "activate kettle", "pour kettle into teapot"), "object_occupied")
    role = world(TEA).objects["kettle"].roles["activate", 0]
    assert [tuple(other) for other in occupied.others] == [("activate kettle", 0, role.minutes)]
    assert (occupied.resource, occupied.required) == ("kettle", role.minutes)
    early = single_finding(minutes(TEA, "pour kettle into teapot"), "dependency_violation")
    assert "'activate kettle'" in early.text
    assert "activate kettle" in [other.subject for other in early.others]
    repeated = single_finding(minutes(TEA, "wash cup", "wash cup"), "repeated_completed")
    assert repeated.index == 3


def test_unfinished_work_is_remark_not_violation() -> None:
    result = minutes(TEA, "wash cup")
    section = result.sections[-1]
    assert (section.key, section.status, section.findings) == ("completeness", "fault", ())
    run = timearena.replay(TEA, ["wash cup"])
    assert {remark.violation.subject: remark.violation.actual for remark in section.remarks} == run.verdict.remaining
    assert "activate kettle" in section.text
    assert "wash cup" not in section.text


def test_five_invalid_minutes_end_run() -> None:
    result = minutes(TEA, *["wash moon"] * 6)
    assert result.verdict.fatal == ("nonexistent_object", "wash moon", 4)
    assert "wrong actions in a row ended the run" in result.verdict.text


def test_exit_is_reported_as_end_of_run() -> None:
    result = minutes(TEA, "wash cup", "Quit ", "activate kettle")
    assert "You ended the run yourself before minute 3." in result.verdict.text
    assert (result.verdict.success, result.verdict.fatal) == (False, None)
    assert "activate kettle" in result.sections[-1].text
    priced = report(catalog.load(TEA), ["wash cup", "Quit ", "activate kettle"], regret=True)
    assert priced.decisions is not None
    assert priced.decisions.text.endswith('"exit" (minute 3) ended the run before all tasks were complete.')
    ignored = arena.RULE_SET.profile("paper", exit_ends=False)
    assert single_finding(minutes(TEA, "wash cup", "exit", rules=ignored), "invalid_action").index == 3


def test_container_that_blocks_its_own_task_is_reported() -> None:
    name, command = "timearena/household4+household7", "water fruit_tree by watering_can"
    finding = single_finding(minutes(name, command, rules=arena.PROFILES["released"]), "object_mismatch")
    assert finding.text == f'Minute 0: "{command}" combines fruit_tree and watering_can, which accepts only water_1.'
    finding = single_finding(minutes(name, "add water_2 to watering_can"), "object_mismatch")
    assert finding.text.endswith("combines water_2 and watering_can, which serve different tasks.")
