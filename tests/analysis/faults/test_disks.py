"""Every call of a batch to the system fails in turn, until one run gets by without a fault.

``PLANORACLE_FAULTS=1`` breaks every single one; else it is one in so many. The sum is said at the end of a run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter

import pytest
from support.batches import submissions, write
from support.broken import Batch
from support.faults import KINDS, Workbench

from planoracle.instances import catalogue
from planoracle.instances.files import to_document

STEP = int(os.environ.get("PLANORACLE_FAULTS", "0"))
DISKS = [kind for kind in KINDS if kind not in ("no memory", "a disk is read-only")]
#: Nothing ships about these, so that their optima are kept in the cache.
OWN = ["timearena/household1+lab2", "timearena/household2+lab1"]
SUBMISSIONS = [
    *({key: row[key] for key in ("id", "instance", "plan")} for row in submissions(3, problems=3)),
    *({"id": name, "instance": name, "actions": []} for name in OWN),
]


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    with Workbench.opened(tmp_path_factory.mktemp("bench")) as made:
        yield made


@pytest.fixture(scope="module")
def batches(bench, tmp_path_factory):
    """A batch by name: grades, solutions, and grades where some are there, with a torn line behind them."""
    folder = tmp_path_factory.mktemp("batches")
    fresh, half, root = folder / "fresh", folder / "half", folder / "root"
    (fresh / "in").mkdir(parents=True)
    (fresh / "out").mkdir()
    write(fresh / "in" / "s.jsonl", SUBMISSIONS)
    document = to_document(catalogue.load("recipe2plan/timed/Cobbler_Pancakes"))
    (fresh / "in" / "own.json").write_text(json.dumps(document | {"name": "own"}))
    grade = ["grade", root / "in" / "s.jsonl"]
    made = {"grade": Batch(bench, grade, fresh, root)}
    shutil.copytree(root, half)
    results = half / "out" / "run" / "results.jsonl"
    results.write_bytes(results.read_bytes()[:-700])
    solve = ["solve", root / "in" / "own.json", "recipe2plan/timed/Cobbler_Okra-Fry", OWN[0]]
    made["solve"] = Batch(bench, solve, fresh, root)
    made["workers"] = Batch(bench, grade, fresh, root, jobs=2)
    made["go on"] = Batch(bench, grade, half, root)
    return made


def broken(batch, kind, step, place="out"):
    """Break a batch at every ``step``-th call; return which these were, and all that is wrong."""
    calls, wrong = Counter(), []
    at = 1
    while True:
        ended, complaints = batch.hit(kind, at, place)
        wrong += [f"{kind}, call {at} ({ended.call}): {complaint}" for complaint in complaints]
        if not ended.call:
            return calls, wrong
        calls[ended.call] += 1
        at += step


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["a call fails once"])
def test_a_fault_of_a_disk_is_told_and_costs_nothing_in_a_sample(batches, kind, tally):
    calls, wrong = broken(batches["go on"], kind, 9)
    tally(f"go on, {kind}, a sample", calls, wrong)
    assert wrong == []
    assert calls


@pytest.mark.parametrize("kind", DISKS)
@pytest.mark.parametrize("name", ["grade", "solve", "go on"])
@pytest.mark.slow
def test_a_fault_of_a_disk_is_told_and_costs_nothing(batches, name, kind, tally):
    calls, wrong = broken(batches[name], kind, STEP or 40)
    tally(f"{name}, {kind}", calls, wrong)
    assert wrong == []
    assert calls


@pytest.mark.parametrize("kind", [kind for kind in DISKS if KINDS[kind].lives and kind != "a disk gets full"])
@pytest.mark.parametrize("name", ["grade", "solve"])
@pytest.mark.slow
def test_input_that_cannot_be_read_is_told_and_costs_nothing(batches, name, kind, tally):
    calls, wrong = broken(batches[name], kind, STEP or 20, "in")
    tally(f"{name}, input, {kind}", calls, wrong)
    assert wrong == []
    assert calls


@pytest.mark.parametrize("kind", ["killed", "a disk breaks"])
@pytest.mark.slow
def test_workers_that_fail_or_die_at_a_call_cost_nothing(batches, kind, tally):
    calls, wrong = broken(batches["workers"], kind, STEP or 60)
    tally(f"grade, two processes, {kind}", calls, wrong)
    assert wrong == []
    assert calls


@pytest.mark.slow
def test_work_of_a_worker_that_dies_at_a_call_is_given_to_another(batches, tally):
    ended, wrong = batches["workers"].hit("killed", 30)  # in the midst of what they keep
    tally("grade, two processes, one killed", Counter([ended.call]), wrong)
    assert wrong == []
    assert ended.status == 0
    assert re.search(
        "process died.*; its work is (given to new ones|done again)",
        ended.err,
    )
