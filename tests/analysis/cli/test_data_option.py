"""Option ``--data``: accepted by every command that takes names of problems, for one call only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.paracook_copies import tiny_copy
from support.runner import invoke
from support.samples import sample

from planoracle.instances.files import catalog
from planoracle.instances.protocol import registry

NAME = "paracook/abstract/egg/seed_1/orders_num_1"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delenv("PLANORACLE_DATA_PARACOOK", raising=False)
    (tmp_path / "copy").mkdir()
    return f"paracook={tiny_copy(tmp_path / 'copy')}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        ["solve", NAME, "--format", "jsonl"],
        ["solve", NAME, "-H", "improve", "--format", "jsonl"],
        ["compare", NAME, "--format", "jsonl"],
        ["compare", NAME, "--agents", "1,2", "--format", "jsonl"],
        ["instances", "paracook/abstract", "--format", "jsonl"],
        ["explain", NAME, "--format", "jsonl"],
        ["run", NAME, "--show-prompts"],
    ],
    ids=" ".join,
)
def test_data_option_resolves_names_in_the_local_copy(data: str, call: list[str]) -> None:
    result = invoke(*call, "--data", data, catch_exceptions=False)
    assert result.exit_code == 0
    assert "paracook/abstract/egg" in result.stdout or call[0] == "run"
    assert registry.data_folder("paracook") is None
    assert not catalog.names_problem(NAME)
    error = invoke(*call).exception
    assert "--data paracook=DIR or set PLANORACLE_DATA_PARACOOK" in str(error) or call[0] == "instances"


@pytest.mark.slow
@pytest.mark.parametrize("subcommand", sample(["grade", "critique", "regret", "repair"]))
def test_submissions_may_name_problems_of_the_local_copy(data: str, subcommand: str, tmp_path: Path) -> None:
    plans = tmp_path / "plans.jsonl"
    plans.write_text(json.dumps({"id": "x", "instance": f"{NAME}~2", "plan": [["a", "b"]]}))
    result = invoke(subcommand, str(plans), "--format", "jsonl", "--data", data, catch_exceptions=False)
    assert result.exit_code == 0
    row = json.loads(result.stdout.splitlines()[0])
    assert row["instance"] == f"{NAME}~2"


@pytest.mark.slow
def test_reports_and_worker_processes_use_the_local_copy(data: str, tmp_path: Path) -> None:
    plans = tmp_path / "plans.jsonl"
    rows = [{"id": n, "instance": f"{NAME}~{1 + n % 3}", "plan": [["a", "b"]]} for n in range(6)]
    plans.write_text("\n".join(map(json.dumps, rows)))
    page = tmp_path / "page.html"
    without = invoke("report", str(plans), "--output", str(page))
    assert without.exit_code == 1  # and no idle worker process is reused
    result = invoke("report", str(plans), "--output", str(page), "--data", data)
    assert result.exit_code == 0, result.output  # 1 if any of them is unscored
    run = ["grade", str(plans), "--format", "jsonl", "--jobs", "2", "--run", str(tmp_path / "run"), "--data", data]
    call = [sys.executable, "-c", "from planoracle.analysis.cli import main; main()", *run]
    done = subprocess.run(call, stdout=subprocess.PIPE, check=True)
    assert [json.loads(line)["success"] for line in done.stdout.splitlines()] == [True] * 6


def test_data_option_refuses_folders_without_the_data(data: str, tmp_path: Path) -> None:
    (tmp_path / "copy" / "orders.json").unlink()
    for wrong, message in (
        (data, "lacks orders.json; must be a clone"),
        (f"paracook={tmp_path}", "is not a copy of ParaCook's data"),
        (f"timearena={tmp_path}", "must be a clone of TimeArena's repository"),
        (f"asynchow={tmp_path}", "must contain async_benchmark.pkl, "),
        ("paracook=nowhere", "must be BENCHMARK=DIR"),
        *((name, "of these benchmarks: ") for name in (f"asynctool={tmp_path}", "robotouille", "robotouille=")),
    ):
        result = invoke("solve", NAME, "--data", wrong, env={"COLUMNS": "400"})
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in " ".join(result.stderr.replace("│", " ").split())


@pytest.mark.slow
def test_data_option_accepts_two_benchmarks_and_environment_variables(
    data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANORACLE_DATA_PARACOOK", str(tmp_path / "nowhere"))
    call = ["solve", NAME, "--format", "jsonl", "--data", data, "--data", f"robotouille={tmp_path}"]
    result = invoke(*call, catch_exceptions=False)
    assert json.loads(result.stdout)["makespan"] == 10
    assert os.environ["PLANORACLE_DATA_PARACOOK"] == str(tmp_path / "nowhere")
    assert registry.data_folder("robotouille") is None


@pytest.mark.slow
def test_collected_submissions_keep_their_orders(data: str, tmp_path: Path) -> None:
    plans, collected = tmp_path / "plans.jsonl", tmp_path / "all.jsonl"
    kitchen = "paracook/cook/egg/seed_1/agent_num_2"
    plans.write_text(json.dumps({"instance": kitchen, "orders": ["fried"] * 2, "plan": {"agent1": []}}))
    assert invoke("grade", str(plans), "--collect", str(collected)).exit_code == 0
    call = ["grade", str(collected), "--format", "jsonl", "--profile", "released", "--data", data]
    row = json.loads(invoke(*call, catch_exceptions=False).stdout)
    assert (row["instance"], row["scored"]) == (f"{kitchen}@fried+fried", True)
