"""Setting files of users: fields, errors that name them, and texts of their own."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support.runner import invoke

from planoracle import load
from planoracle.analysis.agents.agent import play
from planoracle.analysis.agents.model_prompts import Speaker, environment_for
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.protocol.prompts import load_prompts
from planoracle.instances.protocol.settings import Ask, Sampling

HEAD = 'format = "planoracle/setting"\n'
MINE = """format = "planoracle/setting"
title = "mine"
history = "action"
temperature = 0.5
max_tokens = 64
system = "short"
turn = "now"

[texts]
short = "Be brief. {{instructions}}"
now = "{{memory}}\\n\\n{{answer}}"
hint = "What is first in {{name_of_task}}?"

[[questions]]
name = "first"
text = "hint"
each_task = true
max_tokens = 8
"""


def written(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_setting_file_is_played(tmp_path: Path) -> None:
    prompts = load_prompts("timearena", written(tmp_path, MINE))
    setting = prompts.setting
    assert (prompts.name, setting.title, setting.history) == ("mine", "mine", "action")
    assert setting.sampling == Sampling(0.5, 64)
    assert setting.asks == (Ask("first", "hint", Sampling(None, 8), each_task=True),)
    assert prompts.record()["changed"] == ["short", "now", "hint"]
    lines = iter(["wash", "pour", "Action: activate kettle", "exit"])
    sent = []

    async def complete(messages: object, sampling: Sampling) -> str:
        sent.append(messages)
        return next(lines)

    problem = load("timearena/household1+household2")
    asyncio.run(play(environment_for(problem, prompts), Speaker(complete, setting=prompts)))
    questions = [messages[-1]["content"] for messages in sent[:2]]
    assert questions == [f"What is first in {task}?" for task in problem.tasks]
    assert sent[2][0]["content"].startswith("Be brief. You do several tasks")
    assert "Your last action:\nactivate kettle\n\nMinute 0" in sent[3][1]["content"]
    assert "Action: " not in sent[3][1]["content"]


@pytest.mark.parametrize(
    ("history", "parts"),
    [
        ("none", ()),
        ("action", ("Your last action:\nwash cup",)),
        ("last", ("Your last message:\nThen: wash cup",)),
        ("observed", ("Your last message:\nThen: wash cup", "What you saw before it:\nMinute 0: activate kettle")),
    ],
)
def test_histories_retain_parts_of_the_last_turn(tmp_path: Path, history: str, parts: tuple[str, ...]) -> None:
    prompts = load_prompts("timearena", written(tmp_path, MINE.replace('"action"', f'"{history}"')))
    lines = iter(["a", "First: activate kettle", "Then: wash cup", "exit"])
    sent = []

    async def complete(messages: object, sampling: Sampling) -> str:
        sent.append(messages)
        return next(lines)

    asyncio.run(play(environment_for(load("timearena/household1"), prompts), Speaker(complete, setting=prompts)))
    text = sent[-1][-1]["content"]
    expected = {"Your last action:", "Your last message:", "What you saw before it:"}
    assert {label for label in expected if label in text} == {part.partition("\n")[0] for part in parts}
    assert all(part in text for part in parts)


def test_setting_file_extends_a_bundled_setting(tmp_path: Path) -> None:
    base = load_prompts("timearena", "vanilla")
    same = load_prompts("timearena", written(tmp_path, f'{HEAD}extends = "vanilla"\n'))
    assert (same.digest, same.name) == (base.digest, "mine")
    warm = load_prompts("timearena", written(tmp_path, f'{HEAD}extends = "vanilla"\ntemperature = 1\n'))
    assert warm.prompts == base.prompts
    assert warm.digest != base.digest
    older = load_prompts("timearena", written(tmp_path, f'{HEAD}extends = "closed@1"\n'))
    assert older.setting.config.wording == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = 'x'\n", "mine.toml: format: is missing"),
        ('format = "x"\n', "format: must be one of planoracle/setting"),
        ("format = 1 =\n", "mine.toml: is not TOML: .*line 1"),
        (f"{HEAD}histori = 1\n", "histori: unknown key; .*did you mean history"),
        (f'{HEAD}history = "all"\n', r"history: must be one of full, none, action, last, observed \(got 'all'\)"),
        (f'{HEAD}history = "last"\n', "turn: without all earlier messages"),
        (f"{HEAD}temperature = -1\n", r"temperature: must be a number, at least 0 \(got -1\)"),
        (f"{HEAD}temperature = true\n", "temperature: must be a number"),
        (f"{HEAD}temperature = nan\n", "temperature: must be a number"),
        (f"{HEAD}max_tokens = 0\n", "max_tokens: must be a whole number, at least 1"),
        (f"{HEAD}wording = 3\n", "wording: must be one of 1, 2"),
        (f'{HEAD}loop = "half"\n', "loop: must be one of closed, open"),
        (f'{HEAD}system = "mine"\n', r"mine.toml: system: must be a text of this file .*\(got 'mine'\)"),
        (f'{HEAD}[example]\nproblems = ["no.json"]\ntext = "task"\n', "example.problems: must be a bundled example"),
        (f'{HEAD}extends = "vanila"\n', "extends: .*did you mean vanilla"),
        (f'{HEAD}[texts]\nsystem = "{{{{it}}}}"\n', r"texts.system: \{\{...\}\}: must be one of .*got '\{\{it\}\}'"),
        (f"{HEAD}[texts]\nsystem = 1\n", "texts.system: must be text"),
        (f'{HEAD}[[questions]]\nname = "a"\n', r"questions\[0\].text: is missing"),
        (f'{HEAD}[[questions]]\nname = "a b"\ntext = "task"\n', r"questions\[0\].name: must be a name"),
        (f'{HEAD}[[questions]]\nname = "a"\ntext = "task"\nx = 1\n', r"questions\[0\].x: unknown key"),
        (f'{HEAD}[example]\nproblems = "a"\n', "example.problems: must be a list of texts"),
        (f'{HEAD}[critic]\nrounds = 1\ngoal = "fix"\n', "critic.text: is missing"),
        (f'{HEAD}[critic]\nrounds = 1\ngoal = "fix"\ntext = "task"\n', 'critic: needs loop = "open"'),
        (f'{HEAD}[critic]\nrounds = 1\ngoal = "fx"\ntext = "task"\n', "critic.goal: must be one of fix, improve"),
    ],
)
def test_errors_name_the_field(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_prompts("timearena", written(tmp_path, text))


def test_missing_and_binary_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_prompts("timearena", str(tmp_path / "nowhere.toml"))
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8"):
        load_prompts("timearena", str(tmp_path / "mine.toml"))


def test_earlier_versions_can_be_selected() -> None:
    assert load_prompts("timearena", "closed@2").setting == load_prompts("timearena", "closed").setting
    earlier = load_prompts("timearena", "closed@1")
    assert (earlier.name, earlier.setting.version, earlier.setting.config.wording) == ("closed@1", 1, 1)
    with pytest.raises(UnknownNameError, match="must be one of closed@1, closed@2"):
        load_prompts("timearena", "closed@9")


def test_commands_take_a_setting_file(tmp_path: Path) -> None:
    path = written(tmp_path, MINE)
    result = invoke("run", "timearena/household1", "--show-prompts", "--setting", path)
    assert result.exit_code == 0
    assert "setting mine of timearena: mine" in result.stdout
    assert "== first of household1 (at most 8 tokens)" in result.stdout
    results = str(tmp_path / "results")
    played = invoke("run", "timearena/household1", "-a", "optimal", "--setting", path, "--run", results)
    assert played.exit_code == 0, played.output
    assert isinstance(invoke("run", "timearena", "--show-prompts", "--setting", "no.toml").exception, InputError)
