"""Prompts: versions, digests, and user files that replace bundled ones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support import prompts

from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import RunConfig
from planoracle.instances.protocol.prompts import Prompt, PromptSet, fill_prompt, load_prompts
from planoracle.instances.protocol.settings import HISTORIES, Sampling, Setting

ALL = [(name, setting) for name in registry.names() for setting in registry.get(name).setting_versions]


def changed(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return folder


def test_changed_prompts_have_a_new_version() -> None:
    """Raise the version in the first line of the file, then run ``python -m tests.support.prompts``."""
    assert prompts.versions(prompts.prompts()) == json.loads(prompts.FILE.read_text(encoding="utf-8"))


def test_every_prompt_has_a_version_and_is_used() -> None:
    bundled = prompts.prompts()
    assert [name for name, one in bundled.items() if name.endswith(".md") and one.version is None] == []
    assert {name.rpartition("/")[2] for name in bundled} == {name for name in prompts.used_names() if "/" not in name}


def test_benchmark_prompt_differs_from_the_shared_one() -> None:
    bundled = prompts.prompts()
    shared = {name.rpartition("/")[2]: one.text for name, one in bundled.items() if name.count("/") == 1}
    assert [
        name for name, one in bundled.items() if name.count("/") > 1 and shared.get(name.rpartition("/")[2]) == one.text
    ] == []


@pytest.mark.parametrize(("owner", "name"), ALL)
def test_every_setting_can_be_loaded(owner: str, name: str) -> None:
    loaded = load_prompts(owner, name)
    setting = loaded.setting
    assert (loaded.benchmark, loaded.name, setting.name) == (owner, name, name)
    assert setting.history in HISTORIES
    assert (setting.history == "full") or setting.turn  # else no message describes the state
    assert json.loads(json.dumps(loaded.record()))["digest"] == loaded.digest
    assert len(loaded.digest) == 16


def test_digests_of_settings_differ() -> None:
    digests: dict[str, dict[str, str]] = {}
    for benchmark, name in ALL:
        digests.setdefault(benchmark, {})[load_prompts(benchmark, name).digest] = name
    assert {name: len(settings) for name, settings in digests.items()} == {
        name: len(registry.get(name).setting_versions) for name in registry.names()
    }


@pytest.mark.parametrize(
    "other",
    [
        {"sampling": Sampling(0.5)},
        {"history": "last"},
        {"config": RunConfig(feedback="terse")},
        {"examples": ("generic/none",)},
    ],
)
def test_digest_depends_on_all_options_but_not_on_the_title(other: dict[str, object]) -> None:
    loaded = load_prompts("timearena", "vanilla")
    assert replace(loaded, setting=replace(loaded.setting, **other)).digest != loaded.digest  # type: ignore[arg-type]
    assert replace(loaded, setting=replace(loaded.setting, title="x")).digest == loaded.digest


def test_user_files_replace_bundled_prompts(tmp_path: Path) -> None:
    ours = load_prompts("timearena", "vanilla")
    assert ours.record()["changed"] == []
    for_all = load_prompts(
        "timearena", "vanilla", changed(tmp_path, "vanilla.md", "version: 7\n\nMine: {{instructions}}")
    )
    assert for_all.prompts["vanilla"][:2] == ("Mine: {{instructions}}", 7)
    assert for_all.prompts["task"] == ours.prompts["task"]
    assert for_all.record()["changed"] == ["vanilla"]
    assert for_all.record()["prompts"] == {"vanilla": 7, "task": 1, "form": 1}
    assert for_all.digest != ours.digest
    own = load_prompts("timearena", "vanilla", changed(tmp_path, "timearena/vanilla.md", "For this benchmark."))
    assert own.prompts["vanilla"][:2] == ("For this benchmark.", None)
    assert own.versions == "vanilla of your own, task 1, form 1"
    forms = load_prompts("robotouille", "react", changed(tmp_path, "turn.md", "version: 9\n\n{{situation}}"))
    assert forms.prompts["turn"].version == 9


def test_digest_does_not_depend_on_the_location_of_prompts(tmp_path: Path) -> None:
    ours = load_prompts("timearena", "vanilla")
    copy = changed(tmp_path, "vanilla.md", f"version: 1\n\n{ours.prompts['vanilla'].text}\n")
    assert load_prompts("timearena", "vanilla", copy).digest == ours.digest


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("vanila.md", "x", "prompts: replaces no bundled prompt; must be one of .*did you mean vanilla.md"),
        ("timearena/believed.md", "x", "must be one of"),  # a prompt of another benchmark
        ("vanilla.md", "Do {{it}}.", r"\{\{...\}\}: must be one of instructions, .*got '\{\{it\}\}'"),
        ("vanilla.md", "version: two\n", "vanilla.md, line 1: version: must be a whole number, at least 1"),
    ],
)
def test_invalid_user_prompts_are_rejected(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_prompts("timearena", "vanilla", changed(tmp_path, name, text))


def test_binary_file_and_missing_folder_of_prompts_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "vanilla.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        load_prompts("timearena", "vanilla", tmp_path)
    with pytest.raises(InputError, match="must be a folder"):
        load_prompts("timearena", "vanilla", tmp_path / "nowhere")


def test_unknown_setting_is_rejected_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="did you mean vanilla"):
        load_prompts("timearena", "vanila")
    assert load_prompts("timearena").name == "closed"


def test_inserted_text_is_not_expanded_again() -> None:
    values = {"instructions": lambda: "say {{introduction}} {{example}}", "introduction": lambda: "the problem"}
    text = "{{ instructions }}, {{introduction}}, {{}} {{{{introduction}}}}"
    with pytest.raises(InputError, match="this placeholder has no value here"):
        fill_prompt(Prompt(text, 1, "x.md"), values)
    result = fill_prompt(Prompt("{{ instructions }}, {{introduction}}\n\n{ {x} }", 1, "x.md"), values)
    assert result == "say {{introduction}} {{example}}, the problem\n\n{ {x} }"


def test_paragraphs_with_empty_placeholders_are_omitted() -> None:
    values = {"memory": lambda: "", "answer": lambda: "\n", "legal": lambda: "wait\n\nact"}
    text = "You know:\n{{memory}}\n\n\nNow {{answer}} and {{legal}}\n\n{{legal}}\n\nEnd."
    assert fill_prompt(Prompt(text, 1, "x.md"), values) == "wait\n\nact\n\nEnd."


def test_prompts_can_be_loaded_by_benchmark_or_name() -> None:
    loaded = load_prompts(registry.get("timearena"), "vanilla")
    assert isinstance(loaded, PromptSet)
    assert loaded == load_prompts("timearena", "vanilla")


def test_another_package_can_provide_prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(tmp_path, "tea_prompts/__init__.py", "")
    changed(tmp_path, "tea_prompts/prompts/system.md", "version: 3\n\nMind the tea. {{instructions}}")
    monkeypatch.syspath_prepend(str(tmp_path))
    setting = Setting("tea", "", "tea_prompts", "task", "system")
    monkeypatch.setattr(type(registry.get("generic")), "settings", {"tea": setting})
    loaded = load_prompts("generic", "tea")
    assert loaded.versions == "system 3, task 1, form 1"  # the others are shared by all benchmarks
    monkeypatch.setattr(type(registry.get("generic")), "settings", {"tea": replace(setting, turn="missing")})
    with pytest.raises(InputError, match=r"tea_prompts: prompt: the package has no such prompt .*missing.md"):
        load_prompts("generic", "tea")
