"""All settings of all benchmarks, run by a model that states the commands of the optimal agent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from support import setting_runs
from support.samples import sample
from support.setting_runs import ALL, PROBLEMS, script

from planoracle import load, read, solve
from planoracle.analysis.agents.agent import play
from planoracle.analysis.agents.model_prompts import Speaker, environment_for, example, question_names
from planoracle.analysis.grading.grader import Grader
from planoracle.instances.errors import InputError
from planoracle.instances.files.catalog import read_line
from planoracle.instances.model.cache import of_text
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, Message
from planoracle.instances.protocol.prompts import PromptSet, load_prompts
from planoracle.instances.protocol.settings import Sampling

WITH_EXAMPLES = [
    (benchmark_name, name)
    for benchmark_name, name in ALL
    if registry.get(benchmark_name).setting_versions[name].examples
]


@pytest.mark.parametrize(("benchmark_name", "name"), sample(ALL, several=True))
def test_optimal_model_succeeds_in_every_setting(benchmark_name: str, name: str) -> None:
    prompts = load_prompts(benchmark_name, name)
    (problem,) = read(PROBLEMS[benchmark_name])
    lines = iter(asyncio.run(script(PROBLEMS[benchmark_name], prompts)))
    sent: list[Sequence[Message]] = []

    async def complete(messages: Sequence[Message], sampling: Sampling) -> str:
        sent.append(messages)
        return next(lines)

    speaker = Speaker(complete, setting=prompts)
    result = asyncio.run(play(environment_for(problem, prompts), speaker))
    assert result.failure is None
    assert result.environment.done
    grade = Grader().grade_run(result.environment.run(), result.environment.submission())
    assert grade.success
    assert grade.makespan == grade.optimal_makespan is not None

    texts = [str(message["content"]) for one in sent for message in one]
    assert all(text.strip() for text in texts)
    assert [text for text in texts if "{{" in text] == []
    assert {one[-1]["role"] for one in sent} <= {"user", "tool"}
    questions = len(question_names(prompts, problem))
    assert [message["role"] for message in sent[questions]] == ["system", "user"]
    assert list(lines) == []
    critiques = [texts[-1]["content"] for texts in sent if "has gone through it" in str(texts[-1]["content"])]
    assert len(sent) == questions + len(result.exchanges) + len(critiques)


@pytest.mark.parametrize(("benchmark_name", "name"), sample(WITH_EXAMPLES, several=True))
def test_examples_differ_from_the_problem(benchmark_name: str, name: str) -> None:
    prompts = load_prompts(benchmark_name, name)
    texts = {
        text: example_of(prompts, environment_for(problem, prompts)) for text, problem in examples(prompts).items()
    }
    assert all(texts)
    if len(texts) == 1:
        assert "every example" in texts.popitem()[1]
        return
    introductions = {text: environment_for(one, prompts).introduction() for text, one in examples(prompts).items()}
    for text, prompt in texts.items():
        assert introductions[text] not in prompt


def examples(prompts: PromptSet) -> dict[str, Problem]:
    """Return the example problems of a setting."""
    problems = {}
    for name in prompts.setting.examples:
        text = prompts.prompts[name].text.encode() if name in prompts.prompts else name.encode()
        (problem,) = read_line(text, name)
        assert not isinstance(problem, InputError)
        problems[name] = problem
    return problems


def example_of(prompts: PromptSet, run: AnyEnvironment) -> str:
    """Return the example in the prompt of a problem, or the reason for its absence."""
    try:
        return asyncio.run(example(prompts, run))[prompts.setting.example]
    except InputError as error:
        return str(error)


def test_example_is_an_optimal_plan_of_the_benchmark() -> None:
    prompts = load_prompts("recipe2plan", "react")
    prompt = example_of(prompts, environment_for(load(PROBLEMS["recipe2plan"]), prompts))
    problem = examples(prompts)["timed.json"]
    plan = "\n".join(line for line in prompt.splitlines() if line.startswith("Action: "))
    run = registry.of(problem).run(problem, plan)
    assert run.success
    assert run.makespan == solve(problem, recompute=True).makespan
    untimed = example_of(prompts, environment_for(load("recipe2plan/untimed/Cobbler_Pancakes"), prompts))
    assert ("must start within" in prompt, "must start within" in untimed) == (True, False)


def test_kitchens_with_several_agents_have_such_an_example() -> None:
    prompts = load_prompts("robotouille", "react")
    prompt = example_of(prompts, environment_for(load("robotouille/multi_agent/1_lettuce_burger"), prompts))
    assert "There are 2 players, robot1, robot2" in prompt
    assert "players" not in example_of(prompts, environment_for(load(PROBLEMS["robotouille"]), prompts))


def test_answers_in_natural_language_are_graded() -> None:
    prompts = load_prompts("asynchow", "zero-shot")
    problem = load(PROBLEMS["asynchow"])
    hours = solve(problem).makespan // 3600

    async def complete(messages: Sequence[Message], sampling: Sampling) -> str:
        return f'START - 1\nstep/1: 4320 h - step/2, step/3\nThe shortest time is "{hours} hours".'

    result = asyncio.run(play(environment_for(problem, prompts), Speaker(complete, setting=prompts)))
    assert result.environment.run().success


def test_critic_states_faults_until_the_plan_is_a_success() -> None:
    prompts = load_prompts("recipe2plan", "critic-fix-no-beliefs")
    problem = load(PROBLEMS["recipe2plan"])
    (right,) = asyncio.run(script(PROBLEMS["recipe2plan"], prompts))
    plans = iter(["Step(0, Cobbler, 10 min, 0:00)", "no plan at all", right])
    sent: list[str] = []

    async def complete(messages: Sequence[Message], sampling: Sampling) -> str:
        sent.append(str(messages[-1]["content"]))
        return next(plans)

    result = asyncio.run(play(environment_for(problem, prompts), Speaker(complete, setting=prompts)))
    assert result.environment.run().success
    assert [text.count("has gone through it") for text in sent] == [0, 1, 1]
    assert "Missing" in sent[1]
    assert "optimal" not in sent[1]
    assert "contains no" in sent[2] or "no step" in sent[2], sent[2]


@pytest.mark.parametrize("goal", ["fix", "improve"])
def test_critic_ends_after_ten_rounds(goal: str) -> None:
    prompts = load_prompts("recipe2plan", f"critic-{goal}-no-beliefs")
    count = 0

    async def complete(messages: Sequence[Message], sampling: Sampling) -> str:
        nonlocal count
        count += 1
        return "Step(0, Cobbler, 10 min, 0:00)\nDone"

    problem = load(PROBLEMS["recipe2plan"])
    result = asyncio.run(play(environment_for(problem, prompts), Speaker(complete, setting=prompts)))
    assert count == 11
    assert not result.environment.run().success


def test_critique_for_improvement_names_idle_time_but_no_optimum() -> None:
    prompts = load_prompts("recipe2plan", "critic-improve-no-beliefs")
    lines = iter(asyncio.run(script(PROBLEMS["recipe2plan"], prompts)))
    sent: list[str] = []

    async def complete(messages: Sequence[Message], sampling: Sampling) -> str:
        sent.append(str(messages[-1]["content"]))
        return next(lines)

    environment = environment_for(load(PROBLEMS["recipe2plan"]), prompts)
    asyncio.run(play(environment, Speaker(complete, setting=prompts)))
    assert "You are idle for" in sent[1]
    assert "The optimal plan takes" not in sent[1]
    assert "which is optimal" not in sent[1]


FIRST_WORDING = json.loads((Path(setting_runs.__file__).parent / "first_wording.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sample(FIRST_WORDING))
def test_version_1_sends_the_messages_of_0_11(name: str) -> None:
    """The digests are those of the messages that 0.11 sent, without the system's."""
    benchmark_name, setting = name.split()
    prompts = load_prompts(benchmark_name, f"{setting}@1")
    problem_name = "instances/examples/tea.json" if benchmark_name == "generic" else PROBLEMS[benchmark_name]
    (problem,) = read(problem_name)
    lines = iter(asyncio.run(script(problem_name, prompts)))
    sent: list[list[object]] = []

    async def complete(messages: Sequence[Message], sampling: Sampling) -> str:
        sent.append([message["content"] for message in messages if message["role"] != "system"])
        return next(lines)

    asyncio.run(play(environment_for(problem, prompts), Speaker(complete, setting=prompts)))
    assert of_text(json.dumps(sent))[:16] == FIRST_WORDING[name]
