"""Results of mutants: the last one counts, scores with and without explained survivors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.mutation import results


def row(number: int, outcome: str) -> results.Row:
    return {"module": "m.py", "function": "f", "diff": f"@@\n-    a\n+    {number}", "outcome": outcome}


def test_last_result_of_a_mutant_counts(tmp_path: Path) -> None:
    path = tmp_path / "mutants.jsonl"
    earlier, later = row(1, "survived"), row(1, "killed")
    path.write_text(f"{json.dumps(earlier)}\n{json.dumps(later)}\n", "utf-8")
    assert [*results.read_results(path).values()] == [later]


def test_explained_survivor_counts_in_the_first_score_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    explained = tmp_path / "survivors.toml"
    explained.write_text(
        '[[survivor]]\nmodule = "m.py"\nfunction = "f"\nchange = """\n-  a\n+  1\n"""\nreason = "Equal."\n', "utf-8"
    )
    monkeypatch.setattr(results, "EXPLAINED", explained)
    rows = [row(1, "survived"), row(2, "survived"), row(3, "timeout"), row(4, "killed")]
    survivors = results.explain_survivors(rows)
    assert [survivor["reason"] for survivor in survivors] == ["Equal.", None]
    assert results.score("m.py", rows, survivors) == ["m.py", 4, 1, 1, 2, 1, 50.0, 66.6]
