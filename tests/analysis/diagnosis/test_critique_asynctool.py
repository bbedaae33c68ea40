"""The critic on AsyncTool: every kind of fault in a transcript by itself."""

from __future__ import annotations

import json
from typing import Any

from planoracle.analysis.diagnosis.critique import Critique
from planoracle.analysis.grading.oracle import optimum
from planoracle.instances.benchmarks.asynctool import language as talk
from planoracle.instances.benchmarks.asynctool import simulation as turn_rules
from planoracle.instances.benchmarks.asynctool.rules import RULE_SET
from planoracle.instances.files import catalog
from tests.support.critiques import (
    CHAINS,
    OTHER,
    TASK,
    all_findings,
    assert_same_faults,
    finding_kinds,
    report,
    single_finding,
)


def gold(number: int, task: str = TASK) -> dict[str, Any]:
    return talk.call_message(task, CHAINS.origin.by_id[task].reference_calls[number])


PLAY = [gold(0), gold(0, OTHER), gold(1), talk.WAIT, gold(2), talk.CLOSING]


def turns(*messages: Any, **options: str) -> Critique:
    rules = RULE_SET.profile(**options)
    result = report(CHAINS, list(messages), rules=rules)
    assert_same_faults(result, turn_rules.replay(CHAINS.origin, list(messages), rules).violations)
    return result


def test_each_kind_of_violation_in_transcripts() -> None:
    assert finding_kinds(turns(*PLAY)) == set()
    wrong = turns("let me think", *PLAY)
    assert finding_kinds(wrong) == {"unreadable"}
    nowhere = single_finding(turns({"id": "x", "func_name": "f", "params": {}}, *PLAY), "unknown_task")
    assert (nowhere.required, nowhere.index) == ((TASK, OTHER), 0)
    foreign = turns(*PLAY[:3], gold(0, OTHER) | {"id": TASK}, *PLAY[4:])
    assert single_finding(foreign, "other_tool").required == (OTHER,)
    assert (
        single_finding(
            turns(*PLAY[:3], {"id": TASK, "func_name": "g", "params": {}}, *PLAY[4:]), "unknown_tool"
        ).resource
        == "g"
    )
    early = turns(gold(0), gold(1), gold(0, OTHER), talk.WAIT, gold(2), talk.CLOSING)
    assert finding_kinds(early) == {"premature"}
    finding = single_finding(early, "premature")
    assert (finding.index, finding.required, finding.actual, finding.excess) == (1, 2, 1, 1)
    assert [tuple(other) for other in finding.others] == [(f"{TASK}: {gold(0)['func_name']}", 0, 1)]
    assert finding_kinds(turns(*PLAY, talk.WAIT)) == {"after_close"}
    assert finding_kinds(turns(*PLAY[:-1])) == set()
    assert finding_kinds(turns(*PLAY[:-1], closing="required")) == {"not_closed"}
    assert single_finding(turns(*PLAY[:4], talk.CLOSING), "missing_call").text.startswith(f"{TASK} lacks a call")


def test_missing_call_is_named_with_call_in_its_place() -> None:
    name, params = gold(2)["func_name"], gold(2)["params"]
    for instead in (
        gold(2) | {"params": params | {"x": 7}},
        gold(2) | {"params": {"other": 7}},
        gold(2) | {"func_name": name.upper()},
        gold(2) | {"func_name": "g", "params": {f"the_{key}": value for key, value in params.items()}},
        gold(2) | {"id": OTHER},
    ):
        strange = {"id": TASK, "func_name": "h", "params": {"b": "c"}}
        fault = single_finding(turns(*PLAY[:4], strange, instead, talk.CLOSING), "missing_call")
        call = talk.read_message(instead).call
        assert fault.text == (
            f'{TASK} lacks a call of {name} (step 3 of 3); turn 6 called "{instead["id"]}: {call}" instead.'
        )


def test_failed_calls_and_wrong_states_are_reported() -> None:
    seen: set[str] = set()
    for name in ("asynctool/files_1", "asynctool/posts_1", "asynctool/tickets_1", "asynctool/trading_1"):
        problem = catalog.load(name)
        play = [json.loads(line) for line in optimum(problem).plan.splitlines()]
        calls = [message for message in play if "func_name" in message]
        for extra in [*calls, *(call | {"params": {"no such": 1}} for call in calls)]:
            transcript = [*play[:-1], talk.WAIT, extra, talk.CLOSING]
            result = report(problem, transcript)
            run = turn_rules.replay(problem.origin, transcript)
            assert_same_faults(result, run.violations)
            seen |= finding_kinds(result)
    assert {"failed_call", "wrong_state"} <= seen


def test_prose_does_not_reveal_reference_calls() -> None:
    problem = catalog.load("asynctool/files_1")
    result = report(problem, [talk.CLOSING])
    assert any(finding.kind == "missing_call" for finding in all_findings(result))
    text = json.dumps(result.as_dict()) + result.prose()
    values = [v for task in problem.origin.tasks for call in task.reference_calls for v in call.params.values()]
    assert [value for value in values if isinstance(value, str) and len(value) > 3 and value in text] == []
