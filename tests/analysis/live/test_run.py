"""Runs of agents over many problems: what is kept, what is gone on with, and what is not scored."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.batches import finished, start
from support.fake_openai import Answer, FakeOpenAI, Request, failing
from support.runner import CliRunner
from support.samples import sample

from planoracle import environment, grade, load
from planoracle.analysis.agents.play import play
from planoracle.analysis.agents.registry import agent
from planoracle.analysis.batch.journal import NAME as JOURNAL
from planoracle.analysis.cli import app
from planoracle.analysis.cli.stopping import Stopped
from planoracle.analysis.live.evaluation import Evaluation
from planoracle.analysis.live.playing import Episode, Playing
from planoracle.analysis.live.transcripts import transcript_of
from planoracle.instances import catalogue, registry
from planoracle.instances.errors import UnknownNameError

NAMES = [f"timearena/household{number}" for number in (1, 2, 3)]
KEY = "sk-test-9f8e7d6c5b4a"


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture(scope="module")
def lines() -> dict[str, list[str]]:
    """What a model says to each of the problems: at random, but what can be said."""
    found = {}
    for seed, name in enumerate(NAMES):
        played = asyncio.run(play(environment(load(name)), agent("random", seed=seed)))
        found[played.environment.introduction()] = [one.said.text for one in played.exchanges]
    return found


@pytest.fixture
def server(lines: dict[str, list[str]]) -> Iterator[FakeOpenAI]:
    pytest.importorskip("openai", reason="needs the extra openai")
    with FakeOpenAI(lambda request: said(lines, request)) as found:
        yield found


def said(lines: dict[str, list[str]], request: Request) -> str:
    whole = "\n".join(str(message["content"]) for message in request.messages)
    return next((says[request.turn] for text, says in lines.items() if text in whole), "wait")


def invoke(*args: object) -> Any:
    return CliRunner().invoke(app, ["run", *map(str, args)])


def content(folder: Path) -> dict[str, bytes]:
    """All files of a run, but for the journal, which is in the order in which episodes ended."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != JOURNAL)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    text = (folder / "submissions" / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


# --- what is kept ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_is_kept_and_graded(tmp_path: Path) -> None:
    result = invoke(*NAMES, "--agent", "random", "--samples", 2, "--run", tmp_path / "run")
    assert result.exit_code == 0, result.stderr
    found = rows(tmp_path / "run", "random")
    assert [(row["instance"], row["sample"]) for row in found] == [(name, k) for name in NAMES for k in (1, 2)]
    assert {row["model"] for row in found} == {"random"}
    again = CliRunner().invoke(app, ["grade", str(tmp_path / "run")])
    assert (again.stdout, again.stderr) == (result.stdout, result.stderr)
    grades = grade(tmp_path / "run")
    assert [one.scored for one in grades] == [True] * 6
    journal = [json.loads(line)["row"] for line in (tmp_path / "run" / JOURNAL).read_text().splitlines()[1:]]
    verdicts = {row["submission"]["id"]: (row["success"], row["makespan"]) for row in journal}
    assert verdicts == {one.id: (one.success, one.makespan if one.success else None) for one in grades}


@pytest.mark.slow
def test_samples_differ_and_the_same_seed_says_the_same(tmp_path: Path) -> None:
    invoke(NAMES[0], "--agent", "random", "--samples", 3, "--run", tmp_path / "a")
    invoke(NAMES[0], "--agent", "random", "--seed", 1, "--run", tmp_path / "b")
    plans = [row["actions"] for row in rows(tmp_path / "a", "random")]
    assert plans[0] != plans[1]
    assert [row["actions"] for row in rows(tmp_path / "b", "random")] == plans[1:2]


@pytest.mark.slow
def test_a_run_says_what_it_depends_on(tmp_path: Path) -> None:
    invoke(*NAMES, "--agent", "random", "--limit", 2, "--rules", "released", "--seed", 5, "--run", tmp_path)
    said = json.loads((tmp_path / "run.json").read_text())
    assert said["settings"]["rules"] == {"profile": "released", "set": {}}
    assert said["settings"]["seed"] == 5
    assert set(said["settings"]["versions"]) == {"planoracle", "ortools"}
    assert [one["name"] for one in said["problems"]] == NAMES[:2]
    (benchmark,) = said["benchmarks"]
    assert (benchmark["name"], benchmark["setting"]) == ("timearena", "closed")
    assert benchmark["digest"]
    assert benchmark["prompts"]
    assert "timearena/household1" not in json.dumps(said["settings"])
    graded = CliRunner().invoke(app, ["grade", str(tmp_path)])
    assert "was played by the rules of --profile released" in graded.stderr


@pytest.mark.slow
def test_transcripts_hold_what_was_said_when(tmp_path: Path) -> None:
    invoke(NAMES[0], "--agent", "random", "--run", tmp_path)
    (row,) = rows(tmp_path, "random")
    told = transcript_of(row, tmp_path)
    assert [line["role"] for line in told[:4]] == ["system", "user", "assistant", "user"]
    assert [line["turn"] for line in told[:4]] == [0, 0, 1, 1]
    spoken = [line for line in told if line["role"] == "assistant"]
    assert [line["content"] for line in spoken] == row["actions"]
    clocks = [line["clock"] for line in told]
    assert clocks == sorted(clocks)
    assert clocks[0] == 0
    assert clocks[-1] == grade(tmp_path)[0].makespan


@pytest.mark.slow
def test_transcripts_of_models_hold_what_they_were_sent_and_took(tmp_path: Path, server: FakeOpenAI) -> None:
    result = invoke(NAMES[0], "-a", "openai:fake", "--base-url", server.url, "--run", tmp_path)
    assert result.exit_code == 0, result.stderr
    (row,) = rows(tmp_path, "openai%3Afake")
    told = transcript_of(row, tmp_path)
    sent = [(line["role"], line["content"]) for line in told]
    last = server.requests[-1].messages
    assert sent[: len(last)] == [(one["role"], one["content"]) for one in last]
    assert [role for role, _ in sent[len(last) :]] == ["assistant", "user"]
    spoken = [line for line in told if line["role"] == "assistant"]
    assert all(set(line["usage"]) == {"input_tokens", "output_tokens"} for line in spoken)
    took = [sum(line["usage"][name] for line in spoken) for name in ("input_tokens", "output_tokens")]
    assert f"openai:fake took {took[0]:,} input tokens, {took[1]:,} output tokens" in result.stderr


@pytest.mark.slow
def test_keys_are_nowhere(tmp_path: Path, server: FakeOpenAI) -> None:
    server.script = lambda request: f"my key is {KEY}"  # a server that tells what it was sent
    page = tmp_path / "page.html"
    run = tmp_path / "run"
    result = invoke(NAMES[0], "-a", "openai:fake", "--base-url", server.url, "--run", run, "--report", page)
    assert page.stat().st_size > 10_000
    texts = [result.stdout, result.stderr, page.read_text(), *map(bytes.decode, content(run).values())]
    assert not [text for text in texts if KEY in text]


@pytest.mark.slow
def test_problems_of_ones_own_are_kept_with_the_run(tmp_path: Path) -> None:
    problem = tmp_path / "mine.json"
    known = catalogue.problem(NAMES[0])
    problem.write_text(json.dumps(registry.of(known).document(known) | {"name": "breakfast"}))
    result = invoke(problem, "-a", "random", "--run", tmp_path / "run")
    problem.unlink()
    again = CliRunner().invoke(app, ["grade", str(tmp_path / "run")])
    assert (again.exit_code, again.stdout) == (result.exit_code, result.stdout)
    (one,) = grade(tmp_path / "run")
    assert (one.instance, one.scored) == ("breakfast", True)


# --- going on ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_is_there_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = invoke(*NAMES, "-a", "random", "--run", tmp_path)
    before = content(tmp_path)
    monkeypatch.setattr(Playing, "played", None)
    again = invoke(*NAMES, "-a", "random", "--run", tmp_path)
    assert (again.exit_code, again.stdout) == (0, first.stdout)
    assert content(tmp_path) == before


@pytest.mark.slow
def test_a_run_can_grow(tmp_path: Path) -> None:
    invoke(*NAMES[:2], "-a", "random", "--run", tmp_path / "a")
    kept = (tmp_path / "a" / JOURNAL).read_bytes()
    grown = invoke(*NAMES, "-a", "random", "-k", 2, "--run", tmp_path / "a")
    assert (tmp_path / "a" / JOURNAL).read_bytes().startswith(kept)
    whole = invoke(*NAMES, "-a", "random", "-k", 2, "--run", tmp_path / "b")
    assert grown.stdout == whole.stdout
    assert content(tmp_path / "a") == content(tmp_path / "b")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "told"),
    sample(
        [
            ([*NAMES, "-a", "random", "--seed", 3], ["settings.seed: the run in this folder was begun with 0"]),
            ([*NAMES, "-a", "random", "--rules", "released"], ["settings.rules.profile", '"paper"']),
            ([*NAMES, "-a", "random", "--setting", "open"], ["settings.setting"]),
            (
                [NAMES[0], "-a", "random"],
                ["problems: the run in this folder has timearena/household2, timearena/household3"],
            ),
            ([*NAMES, "-a", "optimal"], ["agents: the run in this folder has random as well"]),
        ],
        several=True,
    ),
)
def test_another_run_is_refused(tmp_path: Path, args: list[object], told: list[str]) -> None:
    invoke(*NAMES, "-a", "random", "--run", tmp_path)
    before = content(tmp_path)
    result = invoke(*args, "--run", tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert all(text in result.stderr for text in told), result.stderr
    assert content(tmp_path) == before


@pytest.mark.slow
def test_a_file_that_has_changed_is_not_gone_on_with(tmp_path: Path) -> None:
    file, line = tmp_path / "said.jsonl", {"instance": NAMES[0], "actions": ["wait"]}
    file.write_text(json.dumps(line))
    args = [NAMES[0], "-a", f"replay:{file}", "--run", tmp_path / "run"]
    assert [invoke(*args).exit_code for _ in range(2)] == [0, 0]
    file.write_text(json.dumps(line | {"actions": ["activate kettle"]}))
    again = invoke(*args)
    assert (again.exit_code, again.stdout) == (2, "")
    assert "said.jsonl.content: the run in this folder was begun with" in again.stderr


def test_other_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"format": "mine"}')
    assert "holds other results; name another folder" in invoke(NAMES[0], "-a", "random", "--run", tmp_path).stderr
    assert json.loads((tmp_path / "run.json").read_text()) == {"format": "mine"}


@pytest.mark.slow
@pytest.mark.parametrize("harm", ["transcript", "journal"])
def test_what_is_damaged_is_played_again(tmp_path: Path, harm: str) -> None:
    first = invoke(*NAMES, "-a", "random", "--run", tmp_path)
    before = content(tmp_path)
    if harm == "transcript":
        (tmp_path / rows(tmp_path, "random")[1]["transcript"]).write_text("")
    else:
        path = tmp_path / JOURNAL
        path.write_bytes(path.read_bytes().replace(b'"success": true', b'"success": null', 1)[:-7])
    again = invoke(*NAMES, "-a", "random", "--run", tmp_path)
    assert again.stdout == first.stdout
    assert "again" in again.stderr or "dropped" in again.stderr
    assert content(tmp_path) == before


@pytest.mark.slow
def test_who_stops_a_run_is_told_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep = Evaluation._keep
    played: list[Episode] = []

    def stopping(self: Evaluation, episode: Episode, *rest: Any) -> None:
        keep(self, episode, *rest)
        played.append(episode)
        if len(played) == 2:
            raise Stopped(130)

    with monkeypatch.context() as patch:
        patch.setattr(Evaluation, "_keep", stopping)
        result = invoke(*NAMES, "-a", "random", "--run", tmp_path / "a")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == (
        f"interrupted: 2 of 3 episodes are in {tmp_path / 'a'}; the same command goes on from there\n"
    )
    assert len(rows(tmp_path / "a", "random")) == 2
    graded = CliRunner().invoke(app, ["grade", str(tmp_path / "a")])
    assert "2 of 3 episodes are there; planoracle run goes on with the rest" in graded.stderr
    assert invoke(*NAMES, "-a", "random", "--run", tmp_path / "a").exit_code == 0
    invoke(*NAMES, "-a", "random", "--run", tmp_path / "b")
    assert content(tmp_path / "a") == content(tmp_path / "b")


# --- the agent's side --------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_model_that_fails_is_not_scored_and_asked_again(
    tmp_path: Path, server: FakeOpenAI, lines: dict[str, list[str]]
) -> None:
    whole = invoke(*NAMES, "-a", "openai:fake", "--base-url", server.url, "--run", tmp_path / "a")
    fine = server.script

    def refusing(request: Request) -> Answer | str:
        second = list(lines)[1] in str(request.messages[1]["content"])
        return Answer(status=401, body='{"error": {"message": "no"}}') if second and request.turn else fine(request)

    server.script = refusing
    result = invoke(*NAMES, "-a", "openai:fake", "--base-url", server.url, "--run", tmp_path / "b")
    assert result.exit_code == 1
    assert "openai:fake: not scored, since the agent's side failed: refused 1" in result.stderr
    assert "2 of 3 episodes are in" in result.stderr
    grades = grade(tmp_path / "b")
    assert [one.scored for one in grades] == [True, False, True]
    assert (grades[1].reason or "").startswith("the run ended with an error: openai:fake: ")
    assert grades[1].main_score is None
    failed = rows(tmp_path / "b", "openai%3Afake")[1]
    assert "actions" not in failed
    told = transcript_of(failed, tmp_path / "b")
    assert [line["role"] for line in told][-2:] == ["user", "error"]
    server.script = fine
    asked = len(server.requests)
    again = invoke(*NAMES, "-a", "openai:fake", "--base-url", server.url, "--run", tmp_path / "b")
    assert (again.exit_code, again.stdout) == (0, whole.stdout)
    assert {one.messages[1]["content"] for one in server.requests[asked:]} == {
        failed_line["content"] for failed_line in told[1:2]
    }
    assert content(tmp_path / "a") == content(tmp_path / "b")


@pytest.mark.slow
def test_a_line_that_fails_now_and_then_changes_nothing(tmp_path: Path, server: FakeOpenAI) -> None:
    invoke(*NAMES, "-a", "openai:fake", "--base-url", server.url, "--run", tmp_path / "a")
    server.script = failing(server.script, 5)
    result = invoke(*NAMES, "-a", "openai:fake", "--base-url", server.url, "--run", tmp_path / "b", "-c", 2)
    assert result.exit_code == 0, result.stderr
    assert any(request.again for request in server.requests)
    assert content(tmp_path / "a") == content(tmp_path / "b")


def test_nobody_waits_for_a_model_that_never_answers(tmp_path: Path, server: FakeOpenAI) -> None:
    server.script = lambda request: Answer(status=401, body='{"error": {"message": "wrong key"}}')
    names = ["timearena/household"]
    result = invoke(*names, "-a", "openai:fake", "--base-url", server.url, "-c", 4, "--run", tmp_path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert (
        "error: all 20 episodes that were played have failed; the last one: openai:fake: the server answered 401: wrong"
        in result.stderr
    )
    assert "0 of 30 episodes are in" in result.stderr
    assert len(server.requests) < 30


def test_patience_is_for_models_only(tmp_path: Path) -> None:
    names = catalogue.expand(["timearena/household"])
    evaluation = Evaluation(Playing(setting="open"), ["random"], list(map(catalogue.problem, names)))
    evaluation.play(tmp_path)  # random has no whole plans
    assert evaluation.failures() == {"random": {"no_plan": 30}}


@pytest.mark.slow
def test_options_are_for_those_who_have_them(tmp_path: Path, server: FakeOpenAI) -> None:
    args = [NAMES[0], "-a", "random", "--base-url", server.url]
    result = invoke(*args, "-a", "openai:fake", "--run", tmp_path / "a")
    assert result.exit_code == 0, result.stderr
    refused = invoke(*args, "--run", tmp_path / "b")
    assert refused.exit_code == 2
    assert refused.stderr.startswith("error: base_url: is no option of random")
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["-a", "opena"], "agent: must be one of optimal, "),
        (["-a", "random", "--rules", "none"], "profile: must be one of paper, released"),
        (["-a", "random", "--setting", "none"], "setting: must be one of closed, open, "),
        (["-a", "replay:no/such/file"], "agent: there is no file no/such/file"),
        (["-a", "openai:m", "--timeout", "0"], "timeout: must be a number of seconds above 0"),
        (["-a", "openai:m", "--key-variable", "PLANORACLE_NO_KEY"], "key_variable: the variable"),
        (["-a", "random", "--report", "/nowhere/page.html"], "there is no folder /nowhere"),
        (["-a", "random", "no/such/problem"], "names no problem, set or file"),
    ],
)
def test_mistakes_in_the_call_are_told_before_anything_is_done(tmp_path: Path, args: list[str], told: str) -> None:
    if "openai:m" in args:
        pytest.importorskip("openai")
    call = ["run", NAMES[0], *args, "--run", str(tmp_path / "run")]
    result = CliRunner().invoke(app, call)
    said = f"{result.stderr} {result.exception}"
    assert result.exit_code == 2 or isinstance(result.exception, UnknownNameError)
    assert told in said
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_ctrl_c_ends_the_run_of_a_person_who_has_not_typed_anything(tmp_path: Path) -> None:
    process = start("run", NAMES[0], "-a", "human", "--run", tmp_path, stdin=subprocess.PIPE)
    told = b""
    while not told.endswith(b"> "):
        told += process.stderr.read(1)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130  # while its input is still open
    assert b"interrupted: 0 of 1 episodes are in" in process.stderr.read()


@pytest.mark.slow
def test_tables_of_several_agents_say_whose_plan_it_is(tmp_path: Path) -> None:
    one = invoke(NAMES[0], "-a", "random", "--run", tmp_path / "one")
    both = invoke(NAMES[0], "-a", "random", "-a", "optimal", "--run", tmp_path / "both")
    heads = [next(line for line in found.stdout.splitlines() if "success" in line).split() for found in (one, both)]
    assert [head[:2] for head in heads] == [["id", "instance"], ["id", "model"]]


@pytest.mark.slow
def test_one_episode_that_our_tools_fail_on_does_not_end_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from planoracle.analysis.agents import random

    def act(self: object, environment: Any) -> None:
        if environment.problem.name == NAMES[1]:
            raise ZeroDivisionError("oh")
        return acts(self, environment)  # type: ignore[no-any-return]

    acts = random.Random.act
    monkeypatch.setattr(random.Random, "act", act)
    result = invoke(*NAMES, "-a", "random", "--run", tmp_path)
    assert result.exit_code == 1
    assert [one.reason for one in grade(tmp_path)] == [
        None,
        "the run ended with an error: internal error: ZeroDivisionError: oh",
        None,
    ]


# --- whoever does the work, and however it ends ------------------------------------------------------


@pytest.mark.slow
def test_processes_play_what_one_process_does(tmp_path: Path, server: FakeOpenAI) -> None:
    args = [*NAMES, "-a", "random", "-k", "4", "--base-url", server.url, "-a", "openai:fake"]
    status, out, err = finished("run", *args, "--run", tmp_path / "a", before="")
    assert status == 0, err
    one = finished("run", *args, "--run", tmp_path / "b", "--jobs", "1", "-c", "1", before="")
    assert (one[0], one[1]) == (0, out)
    assert content(tmp_path / "a") == content(tmp_path / "b")


@pytest.mark.slow
def test_killed_twice_and_gone_on_with(tmp_path: Path, lines: dict[str, list[str]]) -> None:
    """Whatever is killed when, in the end there is what an undisturbed run leaves."""
    pytest.importorskip("openai", reason="needs the extra openai")
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps(lines))
    script = Path(__file__).parents[2] / "support" / "fake_openai.py"
    call = [sys.executable, str(script), "--answers", str(answers), "--fail", "9", "--delay", "0.02"]
    server = subprocess.Popen(call, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        args = ["run", *NAMES, "-k", "4", "-a", "openai:fake", "-a", "random", "--base-url", url, "-c", "3"]
        status, out, err = finished(*args, "--run", tmp_path / "a", before="")
        assert status == 0, err
        journal = tmp_path / "b" / JOURNAL
        for least in (4, 10):
            process = start(*args, "--run", tmp_path / "b", before="")
            while process.poll() is None and (not journal.exists() or journal.read_bytes().count(b"\n") < least):
                time.sleep(0.01)
            process.kill()
            process.communicate()
            assert process.returncode == -9
        done = journal.read_bytes().count(b"\n") - 1
        assert 0 < done < 24
        again = finished(*args, "--run", tmp_path / "b", before="")
        assert (again[0], again[1]) == (0, out)
        assert again[2].replace("/b", "/a") == err
        assert content(tmp_path / "a") == content(tmp_path / "b")
        assert json.loads((tmp_path / "b" / JOURNAL).read_text().splitlines()[0])["format"] == "planoracle/run"
    finally:
        server.kill()
        server.wait()
