"""Commands in the pages of the documentation site: current output, existing options."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from support.links import pages
from support.pages import PAGES, blocks, generated_pages, output
from support.samples import sample
from typer import Context
from typer.main import get_command

from planoracle.analysis.cli import app
from planoracle.analysis.cli.commands import COMMANDS, load
from planoracle.instances.protocol import registry

ROOT = PAGES.parent
SECTIONS = (
    "Source",
    "Problems",
    "Plan language",
    "Rules",
    "Metrics",
    "Differences between paper and released code",
    "Known errors of references",
    "Live runs",
    "Example",
)
BENCHMARK_PAGES = {name: generated_pages.benchmark_page(name) for name in registry.names()}
each_benchmark = pytest.mark.parametrize("name", BENCHMARK_PAGES)
_PAGES = [page for page in sorted(PAGES.glob("*.md")) if blocks(page.read_text("utf-8"))]


def test_tutorials_contain_commands() -> None:
    assert {"outputs", "schedules", "benchmark", "paper", "training"} <= {page.stem for page in _PAGES}


@pytest.mark.slow
@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.stem)
def test_page_shows_the_current_output(page: Path, tmp_path: Path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("the commands need bash")
    if page.stem == "training":
        pytest.importorskip("gymnasium", reason="the environment needs planoracle[gym]")
    if page.stem == "proved":
        pytest.importorskip("pumpkin_solver", reason="DRCP proofs need planoracle[proofs]")
    for block in blocks(page.read_text("utf-8")):
        assert output(block, tmp_path) == block.text


@each_benchmark
def test_benchmark_page_has_all_sections(name: str) -> None:
    assert re.findall(r"^(\w.*)\n---", BENCHMARK_PAGES[name], re.MULTILINE) == [*SECTIONS]
    *texts, example = re.split(r"^\w.*\n---+$", BENCHMARK_PAGES[name], flags=re.MULTILINE)
    assert all(text.strip() for text in texts)
    assert len(blocks(example)) == len(blocks(BENCHMARK_PAGES[name])) == 1


@pytest.mark.slow
@each_benchmark
def test_benchmark_example_shows_the_current_output(name: str, tmp_path: Path) -> None:
    (block,) = blocks(BENCHMARK_PAGES[name])
    assert output(block, tmp_path) == block.text


@pytest.mark.parametrize(("text", "seen"), [("$ echo 3\n4\n", "$ echo 3\n3\n"), ("$ echo 3\n3\n", "$ echo 3\n3\n")])
def test_output_replaces_wrong_output(text: str, seen: str, tmp_path: Path) -> None:
    (block,) = blocks(f"```console\n{text}```\n")
    assert output(block, tmp_path) == seen


@pytest.mark.parametrize(
    ("command", "seen"),
    sample(
        [
            ("false", "false"),
            ("planoracle nothing > /dev/null", "nothing"),
            ("planoracle solve nowhere.json 2>/dev/null > x.jsonl", "error: no problem, set or file has this name"),
            ("sh -c 'echo warning: half >&2' 2>/dev/null", "warning: half"),
        ],
        several=True,
    ),
)
def test_failing_or_warning_command_is_an_error(command: str, seen: str, tmp_path: Path) -> None:
    (block,) = blocks(f"```console\n$ {command}\n```\n")
    with pytest.raises(AssertionError, match=seen):
        output(block, tmp_path)


def _calls(page: str) -> list[str]:
    """Return the calls of planoracle in text and blocks of a page, without pipes and redirections."""
    calls = re.findall(r"`planoracle ([^`]+)`", page)
    for language, text in re.findall(r"^```(console|sh|bash)\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        prompt = r"\$ " if language == "console" else ""
        calls += re.findall(rf"^{prompt}planoracle (.+)$", text, re.MULTILINE)
    return [re.split(r"[|<>#;&]", call)[0].strip() for call in calls]


# Former commands stand in CHANGELOG.
_TEXTS = {name: text for name, text in pages().items() if name != "CHANGELOG.md" and _calls(text)}


@pytest.mark.parametrize("page", _TEXTS)
def test_commands_and_options_of_a_page_exist(page: str) -> None:
    """Commands outside of blocks are not run, nor those that need a cluster or a key."""
    for call in dict.fromkeys(_calls(_TEXTS[page])):
        words = re.split(r"[\s,]+", call)
        assert {word for word in words if word.startswith("-")} - {"-"} <= _options(words), call


def _options(words: list[str]) -> set[str]:
    """Return the options of the command at the start of the words."""
    command, context = get_command(app), Context(get_command(app))
    if words[0] in COMMANDS:
        command = load(words.pop(0))
    for word in words:
        if word.startswith("-") or not hasattr(command, "get_command"):
            break
        command = command.get_command(context, word)
        assert command is not None, word
    return {option for one in command.get_params(context) for option in (*one.opts, *one.secondary_opts)}


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_pages_contain_only_runnable_blocks(page: Path) -> None:
    """The build of the site runs the gallery; the start page repeats the installation of the README."""
    text = page.read_text("utf-8")
    written = re.findall(r"^```(?:console|sh|bash|shell|pycon|python)\b", text, re.MULTILINE)
    assert page.stem in ("gallery", "index") or len(written) == len(blocks(text))
