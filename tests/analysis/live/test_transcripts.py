"""Transcripts of live runs: what became of messages stands in their lines, and pages find them."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.runner import CliRunner

from planoracle import environment, load
from planoracle.analysis.agents.agent import Said
from planoracle.analysis.agents.play import Exchange, play
from planoracle.analysis.agents.setting import Call, Speaker
from planoracle.analysis.cli import app
from planoracle.analysis.live.transcripts import Transcript
from planoracle.instances.environment import AnyEnvironment
from tests.support.reports import chunks
from tests.support.samples import sample

HOUSE = "timearena/household1"
TURNS = ["activate kettle", "dance", "wash cup", "wait"]


def lines_of(transcript: Transcript) -> list[dict[str, Any]]:
    return [json.loads(line) for line in transcript.text().splitlines()]


def turns_of(transcript: Transcript) -> list[tuple[int, list[dict[str, Any]]]]:
    """The lines that say what became of them, by their numbers."""
    return [(i, line["outcomes"]) for i, line in enumerate(lines_of(transcript)) if "outcomes" in line]


def told(run: AnyEnvironment, transcript: Transcript, text: str) -> None:
    said = Said(text)
    transcript.told(Exchange(said, run.step(text)))


def call(purpose: str, text: str) -> Call:
    return Call(purpose, ({"role": "user", "content": f"{purpose}?"},), Said(text), 0)


def test_what_became_of_a_message_stands_in_its_line() -> None:
    run = environment(load(HOUSE))
    transcript = Transcript(run)

    async def complete(messages: Sequence[Any], sampling: object) -> Said:
        return Said(TURNS[sum(message["role"] == "assistant" for message in messages)])

    class Four(Speaker):
        async def act(self, environment: AnyEnvironment) -> Said | None:
            return await super().act(environment) if environment.state.count < len(TURNS) else None

    found = asyncio.run(play(run, Four(complete, heard=transcript.heard), told=transcript.told))
    lines = lines_of(transcript)
    outcomes = [line["outcomes"] for line in lines if line["role"] == "assistant"]
    assert [one["kind"] for [one] in outcomes] == ["act", "lost", "act", "wait"]
    for [one], exchange in zip(outcomes, found.exchanges, strict=True):
        [outcome] = exchange.transition.outcomes
        wrong = {"violation": outcome.violation} if outcome.violation else {}
        assert (
            one
            == {"command": outcome.command, "kind": outcome.kind, "start": outcome.start, "end": outcome.end} | wrong
        )
    assert all("outcomes" not in line for line in lines if line["role"] != "assistant")


def test_the_same_for_agents_that_are_no_models() -> None:
    run = environment(load(HOUSE))
    transcript = Transcript(run)
    for text in TURNS:
        told(run, transcript, text)
    assert [outcomes[0]["kind"] for _, outcomes in turns_of(transcript)] == ["act", "lost", "act", "wait"]


def test_answers_that_are_no_turns_are_told_apart_from_turns_of_the_same_words() -> None:
    run = environment(load(HOUSE))
    transcript = Transcript(run)
    transcript.heard(call("beliefs", "activate kettle"))
    transcript.heard(call("turn 1", "activate kettle"))
    told(run, transcript, "activate kettle")
    assert [i for i, _ in turns_of(transcript)] == [3]


def test_of_several_episodes_the_last_one_counts() -> None:
    """They are played within the first turn, and then handed on message by message."""
    run = environment(load(HOUSE))
    transcript = Transcript(run)
    for purpose, text in [("trial 1 turn 1", "wait"), ("trial 1 turn 2", "wash cup"), ("lesson 1", "wash cup"),
                          ("trial 2 turn 1", "wait"), ("trial 2 turn 2", "activate kettle")]:  # fmt: skip
        transcript.heard(call(purpose, text))
    told(run, transcript, "wait")
    told(run, transcript, "activate kettle")
    lines = lines_of(transcript)
    assert [lines[i]["purpose"] for i, _ in turns_of(transcript)] == ["trial 2 turn 1", "trial 2 turn 2"]


def test_a_draft_that_was_improved_is_not_the_turn() -> None:
    run = environment(load(HOUSE))
    transcript = Transcript(run)
    for purpose, text in [("draft 1", "wait"), ("draft 2", "activate kettle"), ("draft 3", "done")]:
        transcript.heard(call(purpose, text))
    told(run, transcript, "activate kettle")
    lines = lines_of(transcript)
    assert [lines[i]["purpose"] for i, _ in turns_of(transcript)] == ["draft 2"]


def ran(*args: object) -> Any:
    return CliRunner().invoke(app, [*map(str, args)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of an agent that needs no model."""
    found = tmp_path_factory.mktemp("runs") / "run"
    done = ran("run", HOUSE, "-a", "random", "-k", 4, "--run", found, "--report", found.parent / "page.html")
    assert done.exit_code == 0, done.stderr
    return found


def said(page: Path) -> list[list[Any]]:
    """The messages of all transcripts on a page that could be read, each with the commands that it led to."""
    index, *_ = data = chunks(page.read_text(encoding="utf-8"))
    found = []
    for number, place in (one for one in index["rows"].get("talk", ()) if one is not None):
        texts, talks = data[number]
        found.append([[role, texts[text], led] for role, text, _, _, led, _ in talks[place].get("said", ())])
    return [one for one in found if one]


@pytest.mark.slow
def test_pages_about_a_run_have_its_transcripts(folder: Path) -> None:
    page = folder.parent / "page.html"
    talks = said(page)
    assert len(talks) == 4
    for talk in talks:
        led = [positions for role, _, positions in talk if role == "assistant"]
        assert all(led)
        assert sorted(one for positions in led for one in positions) == [one for positions in led for one in positions]
    for args in (
        ["report", folder, "-o"],
        ["report", *sorted(folder.glob("submissions/*")), "-o"],
        ["grade", folder, "--report"],
    ):
        other = folder.parent / "other.html"
        assert ran(*args, other).exit_code == 0
        assert said(other) == talks


@pytest.mark.slow
def test_submissions_elsewhere_have_none(folder: Path, tmp_path: Path) -> None:
    """What they name is not looked for: anybody may have written it."""
    (tmp_path / "submissions").mkdir()
    for path in folder.glob("submissions/*"):
        shutil.copy(path, tmp_path / "submissions")
    shutil.copytree(folder / "transcripts", tmp_path / "transcripts")
    done = ran("report", tmp_path / "submissions", "-o", tmp_path / "page.html")
    assert done.exit_code == 0, done.stderr
    assert said(tmp_path / "page.html") == []


@pytest.mark.parametrize(
    "place", sample(["../secret.jsonl", "/etc/hostname", "transcripts/none.jsonl", "transcripts", "", 7])
)
def test_a_transcript_that_is_not_there_is_said_and_stops_nothing(folder: Path, tmp_path: Path, place: Any) -> None:
    run = tmp_path / "run"
    shutil.copytree(folder, run)
    (tmp_path / "secret.jsonl").write_text('{"role": "user", "content": "TOP SECRET"}\n')
    path = run / "submissions" / "random.jsonl"
    first, *rest = path.read_text().splitlines()
    path.write_text("".join(f"{line}\n" for line in (json.dumps({**json.loads(first), "transcript": place}), *rest)))
    done = ran("report", run, "-o", tmp_path / "page.html")
    assert done.exit_code == 0
    assert "random.jsonl, line 1: the page has no transcript" in done.stderr
    assert "TOP SECRET" not in str(chunks((tmp_path / "page.html").read_text()))
    assert len(said(tmp_path / "page.html")) == 3


def test_what_was_taken_back_was_not_said() -> None:
    run = environment(load(HOUSE))
    transcript = Transcript(run)
    told(run, transcript, "activate kettle")
    before = run.state
    told(run, transcript, "wash cup")
    run.restore(before)
    told(run, transcript, "wait")
    spoken = [line for line in lines_of(transcript) if line["role"] == "assistant"]
    assert [(line["content"], line["outcomes"][0]["kind"]) for line in spoken] == [
        ("activate kettle", "act"),
        ("wait", "wait"),
    ]
