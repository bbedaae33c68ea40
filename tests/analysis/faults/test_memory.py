"""Allocations of a batch fail, one at a time: a line may be left without a verdict, and no verdict changes.

``PLANORACLE_FAULTS=1`` has 300 of them fail, at places that are drawn. The interpreter itself does not take all of that
well (it may say `SystemError`), so that of how a run ends only that it fails is asked.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from random import Random

import pytest
from support.batches import submissions, write
from support.broken import Batch
from support.faults import Workbench

if find_spec("_testcapi") is None:
    pytest.skip("this Python has no _testcapi, which makes allocations fail", allow_module_level=True)

FAULTS = 300 if os.environ.get("PLANORACLE_FAULTS") else 12
_CALLS = [{"task": 1, "call": "add_to_watchlist(stock='ZETA')"}, {"task": 2, "call": "place(kind='Buy', n=-20)"}]
SUBMISSIONS = [
    *({key: row[key] for key in ("id", "instance", "plan")} for row in submissions(2, problems=2)),
    {"id": "t", "instance": "timearena/household1+lab2", "actions": []},
    {"id": "a", "instance": "asynctool/cross2/01", "turns": ["1: a(b='x')", "2: c(d=[1, 2])"]},
]


@pytest.mark.slow
def test_memory_that_is_not_there_changes_no_verdict(tmp_path, tally):
    (tmp_path / "before" / "in").mkdir(parents=True)
    (tmp_path / "before" / "out").mkdir()
    write(tmp_path / "before" / "in" / "s.jsonl", SUBMISSIONS)
    root = tmp_path / "root"
    with Workbench.opened(tmp_path) as bench:
        batch = Batch(bench, ["grade", root / "in" / "s.jsonl"], tmp_path / "before", root)
        random, ends, wrong = Random(0), Counter(), []
        for _ in range(FAULTS):
            at = int(10 ** random.uniform(2.5, 5.5))
            ended, complaints = batch.hit("no memory", at)
            ends[ended.status] += 1
            wrong += [f"allocation {at}: {complaint}" for complaint in complaints]
    tally("grade, no memory, by status", ends, wrong)
    assert wrong == []
    assert ends[1]


def test_a_lack_of_memory_is_no_fault_of_a_text(monkeypatch):
    from planoracle.instances import syntax
    from planoracle.instances.asynctool.calls import parse_call

    text = "f(a=1)"
    assert parse_call(text).params == {"a": 1}

    def lacking(*_, **__):
        raise MemoryError

    monkeypatch.setattr(syntax.ast, "parse", lacking)
    monkeypatch.setattr(syntax, "_ROOM", 2**60)
    with pytest.raises(MemoryError):
        parse_call(text)


@pytest.mark.slow
def test_a_line_that_there_is_no_memory_for_costs_no_other():
    """A line of a million objects takes some 300 MB, which a limit of all data makes impossible."""
    code = r"""
import io, resource
from planoracle.analysis.intake.lines import read_lines
from planoracle.instances.errors import InputError
heavy = b'{"plan":[' + b'{"a":"\xe4\xbd\xa0"},' * 900_000 + b"0]}"
stream = io.BytesIO(b'{"id":1}\n' + heavy + b'\n{"id":2}\n')
resource.setrlimit(resource.RLIMIT_DATA, (120 * 10**6, -1))
for number, row in read_lines(stream, "s"):
    print(number, row)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert found.stdout.splitlines() == [
        "1 {'id': 1}",
        "2 s: line 2: cannot be read: there is not enough memory",
        "3 {'id': 2}",
    ]
