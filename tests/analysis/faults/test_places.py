"""Places that are read-only, shared or of other versions, and clocks that jump."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from random import Random

import pytest
from support.batches import finished, start, submissions, write
from support.faults import Broken, Workbench
from support.runner import CliRunner
from support.samples import sample

from planoracle.analysis import optimum as optima
from planoracle.analysis.batch import grading
from planoracle.analysis.batch.journal import NAME
from planoracle.analysis.batch.store import VARIABLE
from planoracle.analysis.cli import app
from planoracle.analysis.optimum import optimum
from planoracle.instances import catalogue

#: Nothing ships about it.
OWN = "timearena/household1+lab2"


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    with Workbench.opened(tmp_path_factory.mktemp("bench")) as made:
        yield made


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    rows = [*submissions(3, problems=3), {"id": "t", "instance": OWN, "actions": []}]
    return write(tmp_path_factory.mktemp("input") / "s.jsonl", rows)


# --- read-only ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_machine_that_can_write_nothing_grades(bench, path, tmp_path, jobs):
    """Neither the packages, nor a home, nor a folder for temporary files: standard output is enough."""
    args = ["grade", path, "--format", "jsonl", "--jobs", jobs]
    expected = bench.run(args, tmp_path, tmp_path / "cache", eager=jobs > 1)
    found = bench.run(args, tmp_path.parents[-1], None, Broken("a disk is read-only", 1), eager=jobs > 1)
    assert (found.status, found.out) == (0, expected.out), found.err
    assert "optima are not kept" in found.err
    assert found.call


# --- shared ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_processes_that_begin_at_once_with_one_run_directory_leave_one_result_each(path, tmp_path):
    expected = finished("grade", path, "--format", "jsonl", "--run", tmp_path / "alone", before="")
    args = ["grade", path, "--format", "jsonl", "--run", tmp_path / "run"]
    for process in [start(*args, before="") for _ in range(3)]:
        out, err = process.communicate(timeout=120)
        refused = f"error: {tmp_path}/run: another process is at work in this run directory\n"
        assert (process.returncode, out) == expected[:2] or (process.returncode, err.decode()) == (1, refused)
    assert finished(*args, before="")[:2] == expected[:2]
    assert (tmp_path / "run" / NAME).read_bytes() == (tmp_path / "alone" / NAME).read_bytes()


def test_two_versions_share_a_cache_and_never_an_entry(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    solved = []
    solve = optima.solve
    monkeypatch.setattr(optima, "solve", lambda *args, **options: solved.append(args) or solve(*args, **options))
    versions = optima.versions()
    for count, version in [(1, "1"), (2, "2"), (2, "1"), (2, "2")]:
        monkeypatch.setattr(optima, "versions", lambda version=version: versions | {"planoracle": version})
        optimum(replace(catalogue.problem(OWN)))  # one that nothing is known of yet
        assert (len(solved), len(list(tmp_path.rglob("*.json")))) == (count, count)
    assert capsys.readouterr().err == ""


def test_two_versions_share_a_run_directory_and_never_a_result():
    keys = {grading.Grading(versions=(("planoracle", version),)).settings for version in "12"}
    assert len(keys) == 2


# --- clocks ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", sample(range(3), 3))
def test_clocks_that_jump_change_no_grade(path, tmp_path, monkeypatch, seed):
    """One look of ours at a clock in ten finds that it has been set: forward by an hour, or back by a second.

    (Back by an hour makes the wait for news last as long; the clocks that are asked promise never to go back at all.)
    """
    args = ["grade", str(path), "--format", "jsonl", "--run"]
    expected = CliRunner().invoke(app, [*args, str(tmp_path / "steady")])
    drawn, looks, ahead = Random(seed), [], [0.0]

    def jumping(clock):
        def look():
            looks.append(clock)
            if drawn.random() < 0.1:
                ahead[0] += drawn.choice([3600, -1])
            return clock() + ahead[0]

        return look

    for module in [module for name, module in sys.modules.items() if name.startswith("planoracle.")]:
        for name in ("monotonic", "perf_counter"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, jumping(getattr(time, name)))
    catalogue.problem(OWN).memos.clear()
    found = CliRunner().invoke(app, [*args, str(tmp_path / "run"), "--no-cache"])
    assert (found.exit_code, found.stdout, found.stderr) == (0, expected.stdout, expected.stderr)
    assert (tmp_path / "run" / NAME).read_bytes() == (tmp_path / "steady" / NAME).read_bytes()
    assert time.monotonic in looks
