"""Recorder of the output tables that `tests/test_frozen_tables.py` compares with the current output.

``python -m tests.frozen.record --reason "reason of the change" [NAME ...]`` records the named tables; default: all that
differ. `commands.json` stores the reason next to the command. The tables contain no times.
``python -m tests.frozen.record --submissions`` generates the submissions that several commands read.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planoracle.analysis.cli import app
from planoracle.instances.files import catalog
from planoracle.instances.model.limits import WorkLimit
from planoracle.solver.solve import solve
from tests.support.runner import CliRunner

FOLDER = Path(__file__).resolve().parent
COMMANDS, TABLES = FOLDER / "commands.json", FOLDER / "tables"
#: Columns whose values differ between runs.
TIMES = {"seconds"}
#: Problems of the submissions, five each.
PROBLEMS = (
    "recipe2plan/timed/Cobbler_Pancakes",
    "recipe2plan/untimed/Cobbler_Pancakes",
    "timearena/household1",
    "timearena/cooking1+household2",
    "asynctool/similar2/01",
    "asynchow/async/0",
    "robotouille/synchronous/0_cheese_sandwich",
    "kitchens/synchronous/0_cheese_sandwich",
    "paracook/abstract/own/seed_1/orders_num_1",
    "paracook/cook/own/seed_1/agent_num_1/orders_num_1",
)


def commands() -> dict[str, dict[str, Any]]:
    """Return commands and reasons by the name of the table."""
    read: dict[str, dict[str, Any]] = json.loads(COMMANDS.read_text("utf-8"))
    return read


def table(command: list[str]) -> str:
    """Return the standard output of a command without times; the command ends with status 0 or 1."""
    before = Path.cwd()
    os.chdir(FOLDER)
    try:
        result = CliRunner().invoke(app, command)
    finally:
        os.chdir(before)
    assert result.exit_code in (0, 1), result.stderr
    if "csv" in command:
        return _csv(result.stdout)
    if "jsonl" in command:
        return "".join(f"{json.dumps(_timeless(json.loads(line)))}\n" for line in result.stdout.splitlines())
    return result.stdout


def _csv(text: str) -> str:
    rows = list(csv.DictReader(io.StringIO(text)))
    stream = io.StringIO()
    fields = [field for field in (rows[0] if rows else ()) if field not in TIMES]
    writer = csv.DictWriter(stream, fields, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _timeless(entry) for key, entry in value.items() if key not in TIMES}
    return [_timeless(entry) for entry in value] if isinstance(value, list) else value


def submissions() -> Iterator[dict[str, Any]]:
    """Yield an optimal plan, three altered ones and a text without a plan for each problem."""
    for name in PROBLEMS:
        plan = solve(catalog.problem(name), time_limit=WorkLimit(2)).plan
        assert isinstance(plan, str)
        lines = plan.splitlines()
        variants = {
            "best": plan,
            "short": "\n".join(lines[:-1]) or plan[: len(plan) * 2 // 3],
            "swapped": "\n".join([*lines[1:2], *lines[:1], *lines[2:]]),
            "corrected": f"{lines[0]}\nWait, that is wrong. Final plan:\n{plan}",
            "none": "I do not know.",
        }
        for model, text in variants.items():
            yield {"id": f"{name} {model}", "model": model, "instance": name, "plan": text}


def main() -> None:
    """Record submissions or tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--reason", default="")
    parser.add_argument("--submissions", action="store_true")
    options = parser.parse_args()
    if options.submissions:
        rows = list(submissions())
        subset = [row for row in rows if row["instance"] in (PROBLEMS[0], PROBLEMS[2])]
        (FOLDER / "submissions.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
        (FOLDER / "few.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in subset), "utf-8")
        return
    recorded = commands()
    for name in options.names or recorded:
        text, path = table(recorded[name]["command"]), TABLES / f"{name}.txt"
        if path.exists() and path.read_text("utf-8") == text:
            continue
        if not options.reason:
            parser.error(f"{name} differs: give a --reason")
        path.write_text(text, "utf-8")
        recorded[name]["reason"] = options.reason
        print(name)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in recorded.items())
    COMMANDS.write_text(f"{{\n{lines}\n}}\n", "utf-8")


if __name__ == "__main__":
    main()
