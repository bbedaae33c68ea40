"""Submissions for report pages, and readers of the data in a page."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any

from planoracle.analysis.grading.oracle import optimum
from planoracle.instances.files.catalog import load

MARKUP = "<img src=x onerror=alert(1)>"
COBBLER = "recipe2plan/timed/Cobbler_Pancakes"
HOUSE = "timearena/household1"
FILES = "asynctool/files_1"
KITCHEN = "kitchens/synchronous/0_cheese_sandwich"
ROGUE = "</script><script>alert(2)</script><svg onload=alert(3)>\u202e\x1b[31m"


def submissions() -> list[dict[str, Any]]:
    """Return good and bad plans of several benchmarks, a duplicate, and hostile texts."""
    cobbler = optimum(load(COBBLER)).plan
    house = optimum(load(HOUSE)).plan
    assert cobbler is not None
    assert house is not None
    files = optimum(load(FILES)).plan
    late = cobbler.replace("00:00:00", "00:01:00", 1)
    return [
        {"id": "good", "model": "oracle", "instance": COBBLER, "plan": cobbler},
        {"id": "again", "model": "echo", "instance": COBBLER, "plan": cobbler},
        {"id": "late", "model": "sloth", "instance": COBBLER, "plan": late},
        {"id": "half", "model": "sloth", "instance": COBBLER, "plan": cobbler[: len(cobbler) // 2]},
        {"id": "good", "model": "oracle", "instance": HOUSE, "actions": house.splitlines()},
        {"id": "slow", "model": "sloth", "instance": HOUSE, "actions": ["wait", "dance", *house.splitlines()]},
        {"id": "good", "model": "oracle", "instance": FILES, "turns": files},
        {"id": "lost", "model": "sloth", "instance": KITCHEN, "actions": ["Do nothing", "Fly home"]},
        {"id": MARKUP, "model": MARKUP, "instance": COBBLER, "plan": f"Step(0, {MARKUP}, 10 min, 0:00) {ROGUE}"},
        {"id": "twin", "model": "sloth", "instance": HOUSE, "actions": ["wait"]},
        {"id": "twin", "model": "sloth", "instance": HOUSE, "actions": ["wait", "wait"]},
        {"id": "a/b~c #%", "model": "sloth", "instance": HOUSE, "actions": [MARKUP, ROGUE]},
        {"id": "nowhere", "model": "sloth", "instance": f"{MARKUP}/x", "plan": []},
    ]


def write(path: Path, rows: list[Any]) -> Path:
    """Write submissions as JSON lines."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def chunks(page: str) -> list[Any]:
    """Return the decoded data of a page."""
    matches = re.findall(r'<script type="application/x-planoracle" id="chunk-(\d+)">([^<]*)</script>', page)
    assert [int(number) for number, _ in matches] == list(range(len(matches)))
    return [json.loads(zlib.decompress(b64decode(content))) for _, content in matches]


def best_plan(page: str, instance: str) -> dict[str, Any]:
    """Return the chart of the best plan of a problem."""
    index, *_ = data = chunks(page)
    (place,) = (row[-1] for row in index["problems"] if row[0] == instance)
    chart: dict[str, Any] = data[place]
    return chart


def sheet(page: str, name: str, instance: str) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return the data of the first submission with a name, and the regret of its decisions."""
    index, *_ = data = chunks(page)
    rows = index["rows"]
    problems = [row[0] for row in index["problems"]]
    row = next(i for i, each in enumerate(rows["id"]) if each == name and problems[rows["instance"][i]] == instance)
    data_sheet, priced = data[rows["chunk"][row]][rows["place"][row]]
    return data_sheet, priced
