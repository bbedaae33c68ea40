"""``planoracle run``: built-in agents in one loop, models by inspect_ai, and the table at the end."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from asyncio import CancelledError
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support.batches import stored_rows
from support.runner import invoke, run_program

from planoracle import grade, load
from planoracle.analysis.adapters import import_inspect_tasks
from planoracle.instances.files import catalog
from planoracle.instances.protocol import registry

NAMES = [f"timearena/household{number}" for number in (1, 2, 3)]


def run(*args: object) -> Any:
    return invoke("run", *args)


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "submissions.jsonl").read_text(encoding="utf-8").splitlines()]


def test_run_is_stored_and_graded(tmp_path: Path) -> None:
    result = run(*NAMES, "--agent", "random", "--samples", 2, "--run", tmp_path / "run")
    assert result.exit_code == 0, result.stderr
    submissions = rows(tmp_path / "run")
    assert [(row["instance"], row["sample"]) for row in submissions] == [(name, k) for name in NAMES for k in (1, 2)]
    assert {row["model"] for row in submissions} == {"random"}
    second_grade = invoke("grade", str(tmp_path / "run"))
    assert second_grade.stdout == result.stdout
    assert [one.scored for one in grade(tmp_path / "run")] == [True] * 6
    assert sorted(map(str, stored_rows(tmp_path / "run").values())) == sorted(map(str, submissions))


@pytest.mark.slow
def test_samples_differ_and_a_seed_repeats_them(tmp_path: Path) -> None:
    run(NAMES[0], "--agent", "random", "--samples", 3, "--run", tmp_path / "a")
    run(NAMES[0], "--agent", "random", "--seed", 1, "--run", tmp_path / "b")
    plans = [row["actions"] for row in rows(tmp_path / "a")]
    assert plans[0] != plans[1]
    assert [row["actions"] for row in rows(tmp_path / "b")] == plans[1:2]


@pytest.mark.slow
def test_stored_episodes_are_not_run_again(tmp_path: Path) -> None:
    first = run(*NAMES[:2], "--agent", "optimal", "--run", tmp_path)
    before = stored_rows(tmp_path)
    (tmp_path / "submissions.jsonl").unlink()
    assert run(*NAMES[:2], "--agent", "optimal", "--run", tmp_path).stdout == first.stdout
    assert stored_rows(tmp_path) == before
    run(*NAMES, "--agent", "optimal", "--run", tmp_path)
    after = stored_rows(tmp_path)
    (added,) = after.keys() - before.keys()
    assert after == before | {added: after[added]}
    assert after[added]["instance"] == NAMES[2]


@pytest.mark.slow
def test_optimal_agent_runs_in_every_benchmark(tmp_path: Path) -> None:
    names = [next(iter(catalog.names_of(registry.get(name))), None) for name in registry.names()]
    result = run(*filter(None, names), "--agent", "optimal", "--agent", "greedy", "--run", tmp_path)
    failed = {(row["model"], row["instance"]) for row in rows(tmp_path) if "error" in row}
    assert {name for name, _ in failed} <= {"greedy"}, result.stderr
    assert all(one.success for one in grade(tmp_path) if one.model == "optimal")


@pytest.mark.slow
def test_failed_agent_is_unscored_and_not_stored(tmp_path: Path) -> None:
    result = run("asynctool/files_1", NAMES[0], "--agent", "asynctool-sequential", "--run", tmp_path)
    assert result.exit_code == 1
    assert "asynctool-sequential" in result.stderr
    assert [one.scored for one in grade(tmp_path)] == [True, False]
    assert len(stored_rows(tmp_path)) == 1


@pytest.mark.slow
def test_problems_in_files_are_run_and_graded(tmp_path: Path) -> None:
    benchmark = registry.get("timearena")
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({**benchmark.document(load(NAMES[0])), "name": "mine"}))
    result = run(file, "--agent", "optimal", "--run", tmp_path / "run", "--format", "csv")
    assert (result.exit_code, "True" in result.stdout) == (0, True), result.output


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--agent", "optimall"], "did you mean optimal"),
        (["--agent", "optimal", "--setting", "shout"], "setting: must be a file *.toml or one of closed"),
        (["--agent", "optimal", "--rules", "house"], "house"),
        ([], "an agent (--agent) or a model"),
        (["--model", "mockllm/model", "--model-base-url", "localhost:8000"], "must be the address of a server"),
        (["--model", "mockllm/model", "--temperature", "inf"], "--temperature: must be a number"),
        (
            ["--model", "mockllm/model", "--set", "timearena.stop_on_complete=true"],
            "--set cannot be combined",
        ),
    ],
)
def test_invalid_calls_of_run_have_exit_status_2(tmp_path: Path, args: list[str], message: str) -> None:
    process = run_program("run", NAMES[0], *args, "--run", tmp_path / "run")
    assert process.returncode == 2
    assert message in " ".join(process.stderr.split())
    assert not (tmp_path / "run").exists()


def planoracle(*args: str, before: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(before, *args), check=False, capture_output=True, text=True)


def command(before: str, *args: str) -> list[str]:
    return [sys.executable, "-c", f"{before}\nfrom planoracle.analysis.cli import main\nmain()", *args]


@pytest.mark.parametrize("library", ["inspect_ai", pytest.param("pyarrow", marks=pytest.mark.slow)])
def test_missing_extra_is_named(tmp_path: Path, library: str) -> None:
    if library != "inspect_ai":
        pytest.importorskip("inspect_ai", reason="needs planoracle[inspect]")
    missing = f"import sys; sys.modules[{library!r}] = None"
    process = planoracle("run", NAMES[0], "-m", "mockllm/model", "--run", str(tmp_path / "run"), before=missing)
    assert process.returncode == 2
    assert f"{library}: is not installed: pip install 'planoracle[inspect]'" in process.stderr
    assert not (tmp_path / "run").exists()


# --- models -------------------------------------------------------------------------------------------

#: Slow mock model whose answers depend on the request, and which logs each call.
MOCK = """
import asyncio, hashlib, os
from inspect_ai.model import ModelOutput
from inspect_ai.model._providers.mockllm import MockLLM

async def generate(self, input, tools, tool_choice, config):
    with open(os.environ["CALLS"], "a") as file:
        file.write("call\\n")
    await asyncio.sleep(0.05)
    if os.environ.get("BROKEN"):
        raise RuntimeError("401 for the key " + os.environ["OPENAI_API_KEY"])
    text = "".join(one.text for one in input)
    says = ["activate kettle", "wash teapot", "wash cup", "wait", "do it"]
    answer = says[hashlib.sha256(text.encode()).digest()[0] % len(says)]
    return ModelOutput.from_content("mockllm/model", answer)

MockLLM.generate = generate
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("inspect_ai", reason="needs planoracle[inspect]")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "calls"


def count(file: Path) -> int:
    return file.read_text().count("\n") if file.exists() else 0


def grades(table: str) -> list[dict[str, str]]:
    """Return rows without the names of the logs."""
    return [row | {"source": "", "line": ""} for row in csv.DictReader(table.splitlines())]


def interrupt(args: list[str], calls: Path, target: int, number: signal.Signals) -> tuple[int, str]:
    """Send a signal to the command after a number of calls; return its exit status and standard error."""
    calls.unlink(missing_ok=True)
    with subprocess.Popen(
        command(MOCK, *args), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        while count(calls) < target and process.poll() is None:
            time.sleep(0.01)
        assert process.poll() is None, "the process ended before the signal"
        process.send_signal(number)
        _, messages = process.communicate()
    return process.returncode, messages


@pytest.mark.slow
def test_run_killed_five_times_repeats_only_calls_in_flight(tmp_path: Path, calls: Path) -> None:
    parallel, kills = 2, 5
    args = ["run", *NAMES, "--model", "mockllm/model", "--samples", "4", "-c", str(parallel), "--format", "csv"]
    reference = planoracle(*args, "--run", str(tmp_path / "reference"), before=MOCK)
    assert reference.returncode == 0, reference.stderr
    needed, paid = count(calls), 0
    args += ["--run", str(tmp_path / "killed")]
    for kill in range(kills):
        interrupt(args, calls, (1, needed // 8, needed // 4, needed // 3, 2)[kill], signal.SIGKILL)
        paid += count(calls)
        if kill == 3:  # as if it was killed while it wrote the log
            log = max((tmp_path / "killed" / "logs").glob("*.eval"), key=os.path.getmtime)
            os.truncate(log, log.stat().st_size // 2)
    calls.unlink()
    resumed = planoracle(*args, before=MOCK)
    assert resumed.returncode == 0, resumed.stderr
    assert grades(resumed.stdout) == grades(reference.stdout)
    assert needed <= paid + count(calls) <= needed + kills * parallel
    assert len(list((tmp_path / "killed" / "logs").glob("*.eval"))) == 1
    assert [one.scored for one in grade(tmp_path / "killed")] == [True] * 4 * len(NAMES)


@pytest.mark.slow
def test_interrupted_run_of_a_model_names_the_stored_results(tmp_path: Path, calls: Path) -> None:
    args = ["run", NAMES[0], "-m", "mockllm/model", "--samples", "9", "-c", "1", "--run", str(tmp_path / "run")]
    status, messages = interrupt(args, calls, 3, signal.SIGINT)
    assert status == 130
    assert re.search(r"interrupted: \d of 9 results are in .*the same command resumes from there", messages)
    refused = planoracle(*args, "--temperature", "0.5", before=MOCK)
    assert (refused.returncode, "contains logs of a run with other models, problems or options" in refused.stderr) == (
        2,
        True,
    )


@pytest.mark.slow
@pytest.mark.parametrize("error", [KeyboardInterrupt, CancelledError])
def test_interruption_by_inspect_ai_names_the_stored_results(
    tmp_path: Path, calls: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    """On a terminal inspect_ai reads Ctrl-C as a key, and raises one of these."""

    def interrupted(*_: object, **options: object) -> None:
        raise error

    monkeypatch.setattr(import_inspect_tasks(), "evaluate", interrupted)
    result = run(NAMES[0], "--model", "mockllm/model", "--run", tmp_path / "run")
    assert result.exit_code == 130
    assert "interrupted: 0 of 1 results are in" in result.stderr


@pytest.mark.slow
def test_failed_model_is_unscored_and_repeated_and_its_key_is_not_shown(
    tmp_path: Path, calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-test-9f8e7d6c5b4a"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.setenv("BROKEN", "1")
    args = ["run", NAMES[0], "-m", "mockllm/model", "--format", "jsonl", "--run", str(tmp_path / "run")]
    broken = planoracle(*args, before=MOCK)
    assert broken.returncode == 1
    assert "401 for the key ***" in broken.stderr
    assert key not in broken.stdout + broken.stderr
    monkeypatch.delenv("BROKEN")
    mended = planoracle(*args, before=MOCK)
    assert mended.returncode == 0, mended.stderr
    assert [json.loads(line)["scored"] for line in mended.stdout.splitlines()] == [True]
    second_grade = invoke("grade", str(tmp_path / "run"), "--format", "jsonl")
    assert len(second_grade.stdout.splitlines()) == 1


@pytest.mark.slow
def test_error_of_inspect_ai_is_a_usage_error(tmp_path: Path, calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    args = ["run", NAMES[0], "--run", str(tmp_path / "run"), "--model"]
    assert planoracle(*args, "mockllm/model").returncode == 0
    for model, message in {
        "nowhere/model": "model: Model API nowhere of model 'nowhere/model' not recognized.",
        # The provider's own client is required before its key.
        "openai-api/mine/model": "API_KEY" if find_spec("openai") else "pip install openai",
        "mockllm/other": "contains logs of a run with other models, problems or options; use another folder",
    }.items():
        refused = planoracle(*args, model)
        assert (refused.returncode, message in " ".join(refused.stderr.split())) == (2, True), refused.stderr
        assert "Traceback" not in refused.stderr
