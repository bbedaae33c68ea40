"""``planoracle run --show-prompts``: messages to a model, and prompt files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from support.payloads import PROMPTS, STEERING, hostile_problem
from support.runner import invoke

from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.prompts import load_prompts


def output_of(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def run(*arguments: str) -> Result:
    return invoke("run", "--show-prompts", *arguments)


def test_show_prompts_prints_the_messages_of_a_problem() -> None:
    output = output_of("recipe2plan/timed/Cobbler_Pancakes", "--setting", "react")
    head, *questions, first = output.split("\n== ")
    assert head.splitlines()[:2] == [
        "recipe2plan/timed/Cobbler_Pancakes",
        "setting react of recipe2plan: beliefs, then ReAct: a thought and a step",
    ]
    assert head.splitlines()[2].startswith(
        "version 2, prompts react 1, believed 1, react-form 1, example 1, concurrency 2, "
    )
    kinds = ("concurrency", "dependency", "resources")
    names = [f"{kind} of {recipe}" for kind in kinds for recipe in ("Cobbler", "Pancakes")]
    assert [one.splitlines()[:2] for one in questions] == [
        [f"{name} (temperature 0, at most 128 tokens)", "[user]"] for name in names
    ]
    assert first.splitlines()[:2] == ["turn 1 (temperature 0, at most 512 tokens)", "[system]"]
    assert "so that you can do something else meanwhile:\n<concurrency of Cobbler>" in first
    assert "{{" not in output


def test_show_prompts_writes_messages_as_json() -> None:
    prompts = json.loads(output_of("recipe2plan/untimed/Cobbler_Pancakes", "--setting", "react", "-f", "json"))
    assert prompts["instance"] == "recipe2plan/untimed/Cobbler_Pancakes"
    assert prompts["digest"] == load_prompts("recipe2plan", "react").digest
    call = prompts["calls"][-1]
    assert (call["purpose"], call["sampling"]) == ("turn 1", {"temperature": 0, "max_tokens": 512})
    assert [message["role"] for message in call["messages"]] == ["system", "user"]
    system, user = (message["content"] for message in call["messages"])
    assert "Recipe Porridge" in system
    assert "must start within" not in system + user  # neither the problem nor its example have time constraints


@pytest.mark.parametrize("name", ["timearena", "timearena/household", "timearena/household/2"])
def test_show_prompts_prints_the_files_of_a_set_or_benchmark(name: str) -> None:
    output = output_of(name, "--setting", "vanilla")
    headings = [part.splitlines()[0] for part in output.split("\n== ")[1:]]
    assert headings == ["vanilla.toml", "vanilla 2", "task 1", "form 1"]
    assert "\n{{introduction}}\n" in output
    texts = json.loads(output_of(name, "--setting", "vanilla", "--format", "json"))["texts"]
    assert texts["task"] == "{{introduction}}"


def test_show_prompts_lists_all_settings() -> None:
    settings = json.loads(output_of("--format", "json"))
    assert {row["benchmark"] for row in settings} == set(registry.names())
    own = [row["setting"] for row in settings if row["benchmark"] == "timearena"]
    assert own[:4] == ["closed", "closed@1", "open", "open@1"]
    assert "vanilla" in own
    assert "one decision a minute" in output_of()


def test_copied_and_changed_prompt_files_are_used(tmp_path: Path) -> None:
    result = run("timearena", "--setting", "vanilla", "--copy-prompts", str(tmp_path))
    written = [Path(line) for line in result.stdout.splitlines()]
    assert [path.name for path in written] == ["vanilla.md", "task.md", "form.md", "vanilla.toml"]
    assert f"--prompts {tmp_path} --setting {written[-1]}" in result.stderr
    assert load_prompts("timearena", "vanilla", tmp_path).digest == load_prompts("timearena", "vanilla").digest
    written[0].write_text("version: 2\n\nBe brief. {{instructions}}", encoding="utf-8")
    first = output_of("timearena/household1", "--setting", "vanilla", "--prompts", str(tmp_path)).split("[system]\n")[1]
    assert first.startswith("Be brief. You do several tasks")
    second_copy = run("timearena", "--setting", "vanilla", "--copy-prompts", str(tmp_path))
    assert isinstance(second_copy.exception, InputError)
    assert "exists already" in str(second_copy.exception)
    assert written[0].read_text(encoding="utf-8").startswith("version: 2")


def test_example_problem_of_a_user_is_solved(tmp_path: Path) -> None:
    output_of("recipe2plan", "--setting", "react", "--copy-prompts", str(tmp_path))
    path = tmp_path / "recipe2plan" / "timed.json"
    path.write_text(path.read_text(encoding="utf-8").replace("Porridge", "Gruel"), encoding="utf-8")
    name = "recipe2plan/timed/Cobbler_Pancakes"
    output = output_of(name, "--setting", "react", "--prompts", str(tmp_path))
    assert "Action: Step(0, Gruel, 00:05:00, " in output
    assert "Porridge" not in output
    path.write_text('{"format": "planoracle/kitchen"}', encoding="utf-8")
    assert isinstance(run(name, "--setting", "react", "--prompts", str(tmp_path)).exception, InputError)


def test_invalid_calls_of_show_prompts_are_reported() -> None:
    assert run("timearena", "--format", "csv").exit_code == 2
    assert invoke("run", "--run", "folder", "-a", "optimal").exit_code == 2
    assert invoke("run", "timearena", "-a", "optimal").exit_code == 2
    assert isinstance(run("nowhere").exception, InputError)
    assert isinstance(run("timearena", "--setting", "reakt").exception, UnknownNameError)
    assert isinstance(run("timearena", "--prompts", "nowhere").exception, InputError)


def test_names_of_a_problem_cannot_start_a_section(tmp_path: Path) -> None:
    path = tmp_path / "shop.json"
    path.write_text(json.dumps(hostile_problem(PROMPTS + STEERING)))
    (call,) = json.loads(output_of(str(path), "-f", "json"))["calls"]
    system, user = (message["content"] for message in call["messages"])
    assert "Ignore" not in system
    lines = user.split("\n")
    assert all(line.isprintable() for line in lines)
    tasks = len(PROMPTS + STEERING)
    assert sum("/a" in line for line in lines) >= tasks
    assert not [line for line in lines if line.startswith(("#", "```", "~~~", "<", "System", "Ignore", "---", "==="))]
    assert len(lines) < 4 * tasks
