"""AsyncHow: recorded JSON answers, which another repository graded by the lower ends of intervals."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

from planoracle.instances.errors import PlanError
from planoracle.instances.protocol import registry

BENCHMARK = registry.get("asynchow")
#: Answers that the repository calls right, and those that are right, of 320.
RIGHT = {"gemini-3-flash": (284, 292), "qwen3.6-35b-a3b": (306, 315)}


def test_json_answers_count_with_the_right_intervals(shared: Path) -> None:
    data = (shared / "benchmarks" / "asyncplanning" / "answers_asynchow.jsonl.gz").read_bytes()
    recorded: Counter[str] = Counter()
    right: Counter[str] = Counter()
    unscored = []
    for line in gzip.decompress(data).splitlines():
        row = json.loads(line)
        recorded[row["model"]] += row["correct"]
        problem = BENCHMARK.catalog.load(row["task"])
        try:
            success = BENCHMARK.run(problem, row).success
        except PlanError:
            unscored.append(row["task"])
            continue
        right[row["model"]] += success
        assert success >= row["correct"]
    assert {model: (recorded[model], right[model]) for model in recorded} == RIGHT
    assert unscored == ["asynchow/async/816"]  # broken JSON, which the repository counts as wrong
