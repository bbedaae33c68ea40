"""Runs of all settings by a scripted model; ``python -m tests.support.setting_runs`` prints a table."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planoracle import read
from planoracle.analysis.agents.model_prompts import question_names, utterances
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import RunConfig
from planoracle.instances.protocol.prompts import PromptSet, load_prompts

PROBLEMS = {
    "asynchow": "asynchow/async/0",
    "asynctool": "asynctool/similar2/01",
    "generic": "recipe2plan/timed/Cobbler_Pancakes~2",
    "kitchens": "kitchens/synchronous/3_burger",
    "paracook": "paracook/cook/own/seed_1/agent_num_1/orders_num_1",
    "paracook_abstract": "paracook/abstract/own/seed_1/orders_num_1",
    "recipe2plan": "recipe2plan/timed/Cobbler_Pancakes",
    "robotouille": "robotouille/synchronous/3_burger",
    "timearena": "timearena/household1+lab1",
}
ALL = [(name, setting) for name in PROBLEMS for setting in registry.get(name).setting_versions]


async def script(name: str, prompts: PromptSet) -> list[str]:
    """Return answers to all questions, then the optimal commands in the form of the setting."""
    (problem,) = read(name)
    setting = prompts.setting
    whole = setting.config.loop == "open"
    loop = "open" if whole and setting.shows == "plan" else "closed"
    config = RunConfig(loop, wording=setting.config.wording)
    run = registry.of(problem).environment(problem, None, config)
    messages = await utterances(prompts, run)
    answers = [f"belief about {question}" for question in question_names(prompts, problem)]
    if not whole:
        return answers + messages
    is_asked_again = setting.critic is not None and setting.critic.goal == "improve"
    return [*answers, "\n".join(messages), *(["Action: Done"] if is_asked_again else [])]


def mock_run(benchmark: str, setting: str, folder: Path) -> dict[str, Any]:
    """Run a setting with inspect_ai's mock model, and return its scores and number of calls."""
    from inspect_ai import eval as evaluate
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from planoracle.analysis.adapters import inspect_tasks  # registers the tasks

    assert inspect_tasks.TASKS
    messages = asyncio.run(script(PROBLEMS[benchmark], load_prompts(benchmark, setting)))
    calls = 0

    def outputs(*_: object) -> ModelOutput:
        nonlocal calls
        output = ModelOutput.from_content("mockllm", messages[calls])
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else it loads a tokenizer
        calls += 1
        return output

    model = get_model("mockllm/model", custom_outputs=outputs)
    arguments = {"instances": PROBLEMS[benchmark], "setting": setting, "prices": False}
    (log,) = evaluate(f"planoracle/{benchmark}", model=model, log_dir=str(folder), display="none", task_args=arguments)
    assert log.status == "success"
    (score,) = log.samples[0].scores.values()
    assert isinstance(score.value, dict), score.explanation
    return {"benchmark": benchmark, "setting": setting, "calls": calls, **score.value}


def rows() -> Iterator[str]:
    """Yield the lines of the table of all settings."""
    yield "| benchmark | setting | calls | success | main score | ratio |"
    yield "|---|---|--:|--:|--:|--:|"
    for benchmark, setting in ALL:
        with tempfile.TemporaryDirectory() as folder:
            run = mock_run(benchmark, setting, Path(folder))
        values = f"{run['success']:.0f} | {run['main_score']:.2f} | {run['ratio']:.2f}"
        yield f"| {benchmark} | `{setting}` | {run['calls']} | {values} |"


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
