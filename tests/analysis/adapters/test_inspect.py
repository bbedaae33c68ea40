"""inspect_ai: tasks, solvers and scorer with offline mock models, and grades of their logs."""

from __future__ import annotations

import json
import subprocess
import sys
from math import isnan

import pytest
from support import samples, setting_runs

from planoracle import grade, load, solve
from planoracle.analysis.grading.grader import Grader, grade_all
from planoracle.analysis.intake.submissions import Intake
from planoracle.instances.errors import InputError
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.prompts import load_prompts

pytest.importorskip("inspect_ai", reason="tasks for inspect_ai need planoracle[inspect]")

from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate

from planoracle.analysis.adapters import inspect_solvers
from planoracle.analysis.adapters.inspect_tasks import TASKS

pytestmark = pytest.mark.slow  # to import it takes seconds

TEA, DISHES = "timearena/household1", "timearena/household2"
KITCHEN = "robotouille/synchronous/0_cheese_sandwich"


def model(say):
    """Return a model with the output ``say(messages, number)``; its usage makes a tokenizer unnecessary."""

    def outputs(messages, tools, tool_choice, config):
        message = say(messages, sum(one.role == "assistant" for one in messages))
        output = message if isinstance(message, ModelOutput) else ModelOutput.from_content("mockllm", message)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=outputs)


def evaluated(task, folder, say=lambda messages, number: "wait", **options):
    (log,) = evaluate(f"planoracle/{task}", model=model(say), log_dir=str(folder), display="none", **options)
    assert log.status == "success"
    return log


def score_of(sample):
    (score,) = sample.scores.values()
    return score


def following(name):
    plan = solve(load(name)).plan.splitlines()
    return lambda messages, number: f"Thought: next\nAction: {plan[number] if number < len(plan) else 'wait'}"


def assert_graded_alike(log, folder):
    """Assert that the scorer and ``planoracle grade`` agree on a log."""
    grades = {(one.instance, one.sample): one for one in grade_all(Intake([folder]), Grader())}
    assert len(grades) == len(log.samples)
    for sample in log.samples:
        result = grades[sample.id, sample.epoch]
        row = json.loads(json.dumps(result.row()))
        assert result.scored
        metadata = score_of(sample).metadata
        ignored = {"violations", "metadata", "model", "sample", "source", "line", "steps"}
        assert {name: metadata[name] for name in row if name not in ignored} == {
            name: value for name, value in row.items() if name not in ignored
        }


def test_model_runs_and_its_log_has_the_same_grade(tmp_path):
    log = evaluated("timearena", tmp_path, following(TEA), task_args={"instances": [TEA, DISHES]}, epochs=2)
    best, failed = log.samples[0], log.samples[1]
    assert score_of(best).value == {"success": 1.0, "main_score": 1.0, "ratio": 1.0, "regret": 0.0}
    assert {name: value for name, value in score_of(failed).value.items() if not isnan(value)} == {
        "success": 0.0,
        "main_score": 0.0,
    }
    explanation = score_of(failed).explanation
    assert explanation.startswith(f"{DISHES}: failure (refused: nonexistent object)")
    assert '"activate kettle" (minute 0) by 1 min' in explanation
    assert [one.role for one in best.messages][:4] == ["system", "user", "assistant", "user"]
    figures = {one.name: (one.metrics["mean"].value, one.scored_samples, one.unscored_samples)
               for one in log.results.scores}  # fmt: skip
    assert figures == {"success": (0.5, 2, 0), "main_score": (0.5, 2, 0), "ratio": (1.0, 1, 1), "regret": (0.0, 1, 1)}
    assert_graded_alike(log, tmp_path)


def test_open_loop_submits_the_whole_plan(tmp_path):
    plan = solve(load(TEA)).plan
    say = lambda messages, number: plan  # noqa: E731
    log = evaluated("timearena", tmp_path, say, task_args={"instances": TEA, "setting": "open"})
    assert (score_of(log.samples[0]).value["ratio"], len(log.samples[0].messages)) == (1.0, 4)
    assert log.eval.metadata["setting"]["setting"] == "open"
    assert_graded_alike(log, tmp_path)


def test_environment_as_a_tool(tmp_path):
    plan = solve(load(TEA)).plan.splitlines()

    def say(messages, number):
        if number == len(plan):
            return "done"
        return ModelOutput.for_tool_call("mockllm", "act", {"command": plan[number]})

    log = evaluated("timearena", tmp_path, say, task_args={"instances": TEA}, solver=inspect_solvers.tools())
    assert score_of(log.samples[0]).value["ratio"] == 1.0
    assert [one.role for one in log.samples[0].messages][2:4] == ["assistant", "tool"]
    assert_graded_alike(log, tmp_path)


def test_built_in_agents_are_solvers_without_model_calls(tmp_path):
    def say(messages, number):
        raise AssertionError("nobody should ask")

    log = evaluated(
        "robotouille", tmp_path / "a", say, task_args={"instances": KITCHEN}, solver=inspect_solvers.optimal()
    )
    assert score_of(log.samples[0]).value == {"success": 1.0, "main_score": 1.0, "ratio": 1.0, "regret": 0.0}
    assert_graded_alike(log, tmp_path / "a")
    log = evaluated(
        "timearena", tmp_path / "b", say, task_args={"instances": TEA}, solver=inspect_solvers.random(), epochs=3
    )
    assert_graded_alike(log, tmp_path / "b")
    entries = [entry for _, entry in Intake([tmp_path / "b"])]
    assert {entry["model"] for entry in entries} == {"random"}
    assert len({str(entry["plan"]) for entry in entries}) > 1  # each epoch has a seed of its own


@pytest.mark.parametrize(
    "name", ["recipe2plan/timed/Vada_Daikon-Radish", "asynctool/files_2", "asynchow/async/829", KITCHEN, TEA]
)
def test_model_that_repeats_the_optimal_agent_has_its_score(name, tmp_path):
    task, options = name.partition("/")[0], {"task_args": {"instances": name}}
    ours = evaluated(task, tmp_path / "ours", solver=inspect_solvers.optimal(), **options)
    assert (score_of(ours.samples[0]).value["ratio"], score_of(ours.samples[0]).value["regret"]) == (1.0, 0.0)
    utterances = [one.text for one in ours.samples[0].messages if one.role == "assistant"]
    theirs = evaluated(task, tmp_path / "theirs", lambda messages, number: utterances[number], **options)
    assert score_of(theirs.samples[0]).value == score_of(ours.samples[0]).value
    assert_graded_alike(theirs, tmp_path / "theirs")


@pytest.mark.parametrize("name", [KITCHEN, TEA])
def test_settings_of_papers_send_the_same_requests_in_inspect_ai(name, tmp_path):
    benchmark = registry.get(name.partition("/")[0])
    setting = list(benchmark.settings)[-1]
    requests = []

    def say(messages, number):
        requests.append(messages)
        return following(name)(messages, len(requests) - 1)

    log = evaluated(benchmark.name, tmp_path, say, task_args={"instances": name, "setting": setting})
    assert log.eval.metadata["setting"] == load_prompts(benchmark, setting).record()
    assert len(requests) >= 8
    assert_graded_alike(log, tmp_path)


@pytest.mark.parametrize(("benchmark", "setting"), samples.sample(setting_runs.ALL, several=True))
def test_every_setting_is_run_and_graded_with_the_mock_model(benchmark, setting, tmp_path):
    run = setting_runs.mock_run(benchmark, setting, tmp_path)
    assert (run["success"], run["ratio"]) == (1.0, 1.0)


def test_failed_model_call_is_unscored(tmp_path):
    def say(messages, number):
        if number == 2:
            raise RuntimeError("the line is dead")
        return "wait"

    log = evaluated("timearena", tmp_path, say, task_args={"instances": TEA})
    assert not log.samples[0].scores
    assert "the line is dead" in log.samples[0].error.message
    (result,) = grade_all(Intake([tmp_path]), Grader())
    assert (result.scored, result.instance, result.success) == (False, TEA, None)
    assert "the run ended with an error" in result.reason


HALF = "wait \ud83d"


def with_half_in_content():
    output = ModelOutput.from_content("mockllm", "x")
    output.completion = HALF
    return output


def with_error():
    raise RuntimeError(f"server says {HALF}")


@pytest.mark.parametrize(
    ("task", "options", "bad", "reason"),
    [
        ("timearena", {}, lambda: HALF, "the answer has half a surrogate pair"),
        ("timearena", {"solver": inspect_solvers.tools()}, with_half_in_content, "the answer has half"),
        (
            "timearena",
            {"solver": inspect_solvers.tools()},
            lambda: ModelOutput.for_tool_call("mockllm", "act", {"command": HALF}),
            "the answer has half a surrogate pair",
        ),
        ("timearena", {}, with_error, "server says wait"),
    ],
    ids=["text", "completion", "tool call", "error"],
)
def test_half_a_surrogate_pair_fails_one_sample_only(tmp_path, task, options, bad, reason):
    calls = []

    def say(messages, number):
        calls.append(number)
        return bad() if len(calls) == 1 else "wait"

    about = {"task_args": {"instances": [TEA, DISHES]}, "max_connections": 1, "max_samples": 1, "fail_on_error": False}
    log = evaluated(task, tmp_path, say, **about, **options)
    failed, graded = sorted(log.samples, key=lambda one: one.error is None)
    assert reason in failed.error.message
    assert "ud83d" in failed.error.message
    assert not failed.scores
    assert score_of(graded).value["success"] == 0.0
    assert [one.scored for one in grade_all(Intake([tmp_path]), Grader())].count(True) == 1


def test_problem_with_half_a_surrogate_pair_is_refused_before_the_first_call(tmp_path):
    tasks = [{"name": "a", "actions": [{"name": "b", "duration": 9, "attended": 0}]}]
    path = tmp_path / "p.jsonl"
    problem = {"format": "planoracle/instance", "version": 1, "name": HALF, "tasks": tasks}
    path.write_text("".join(json.dumps(problem | name) + "\n" for name in ({}, {"name": "q"})))
    with pytest.raises(InputError, match=r"has half a surrogate pair \(\\ud83d\), which no log can hold"):
        TASKS["generic"](instances=f"{path}#{HALF}")


def test_run_ended_by_a_limit_is_graded(tmp_path):
    log = evaluated("timearena", tmp_path, following(TEA), task_args={"instances": TEA}, message_limit=6)
    assert log.samples[0].limit.type == "message"
    assert score_of(log.samples[0]).metadata["executed"] == 2
    assert_graded_alike(log, tmp_path)


def test_answers_of_other_solvers_are_graded_as_plans(tmp_path):
    plan = solve(load(TEA)).plan
    say = lambda messages, number: plan if messages[-1].text.startswith("The tasks") else "?"  # noqa: E731
    log = evaluated("timearena", tmp_path, say, task_args={"instances": TEA}, solver=generate())
    assert score_of(log.samples[0]).value["success"] == 1.0
    assert_graded_alike(log, tmp_path)


def test_invalid_task_arguments_are_reported():
    assert set(TASKS) == set(registry.names())
    with pytest.raises(InputError, match="is a problem of timearena, not robotouille"):
        TASKS["robotouille"](instances=TEA)
    with pytest.raises(InputError, match="or one of closed, open"):
        TASKS["timearena"](setting="shouting")
    with pytest.raises(InputError, match="must name problems"):
        TASKS["generic"]()


def test_inspect_command_line_finds_tasks_and_solvers_by_name(tmp_path):
    command = ["-m", "inspect_ai", "eval", "planoracle/timearena", "--model", "mockllm/model", "--limit", "2"]
    options = ["--solver", "planoracle/random", "--log-dir", str(tmp_path), "--display", "plain"]
    run = subprocess.run([sys.executable, *command, *options], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "main_score" in run.stdout
    assert all(one.scored for one in grade_all(Intake([tmp_path]), Grader()))


def test_log_metadata_contains_only_the_submission(tmp_path):
    """The store of a sample contains the plan, but neither model nor instance."""
    metadata = {"submission": {"actions": ["wait"], "instance": DISHES, "id": "x", "model": "y"}, "by": None}
    log = {
        "version": 2,
        "status": "success",
        "eval": {"model": "m"},
        "samples": [{"id": TEA, "epoch": 1, "store": {"planoracle": metadata}, "messages": [], "output": {}}],
    }
    (tmp_path / "log.json").write_text(json.dumps(log))
    ((_, entry),) = Intake([tmp_path / "log.json"])
    assert (entry["instance"], entry["model"], entry["id"]) == (TEA, "m", f"{TEA}_epoch_1")
    assert grade(entry).executed == 0
