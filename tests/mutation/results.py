"""Results of mutants: a file with a line for each result, scores of modules, diffs of survivors."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

#: Survivors that no test needs to reject, with reasons.
EXPLAINED = Path(__file__).with_name("survivors.toml")
COLUMNS = ("module", "mutants", "killed", "timeout", "survived", "explained", "score", "score_explained")
Row = dict[str, Any]
Identity = tuple[str, ...]


def identity(row: Row) -> Identity:
    """Return what identifies a mutant, whatever its number in the file."""
    return row["module"], row["function"], row["diff"]


def read_results(path: Path) -> dict[Identity, Row]:
    """Return the last result of each mutant."""
    if not path.exists():
        return {}
    results = {}
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        results[identity(row)] = row
    return results


def changed_lines(diff: str) -> str:
    """Return removed and added lines of a diff without their indentation."""
    lines = [line for line in diff.splitlines() if line.startswith(("-", "+"))]
    return "\n".join(line[0] + line[1:].strip() for line in lines)


def explanations() -> dict[Identity, str]:
    """Return the reasons of explained survivors by module, function and changed lines."""
    reasons = {}
    for entry in tomllib.loads(EXPLAINED.read_text("utf-8"))["survivor"]:
        lines = changed_lines(entry["change"])
        reasons[entry["module"], entry["function"], lines] = entry["reason"]
    return reasons


def explain_survivors(rows: list[Row]) -> list[Row]:
    """Return the survivors; ``reason`` of explained ones is the reason, of the other ones ``None``."""
    reasons = explanations()
    survivors = []
    for row in rows:
        if row["outcome"] == "survived":
            key = (row["module"], row["function"], changed_lines(row["diff"]))
            survivors.append({**row, "reason": reasons.get(key)})
    return survivors


def score(module: str, rows: list[Row], survivors: list[Row]) -> list[Any]:
    """Return the columns of a module.

    A mutant that reaches its limit of time counts as rejected. The first score counts explained survivors as survivors,
    the second leaves them out.
    """
    counts = Counter(row["outcome"] for row in rows)
    explained = sum(row["reason"] is not None for row in survivors)
    rejected = len(rows) - len(survivors)
    scores = [percentage(rejected, len(rows)), percentage(rejected, len(rows) - explained)]
    return [module, len(rows), counts["killed"], counts["timeout"], len(survivors), explained, *scores]


def percentage(part: int, total: int) -> float | None:
    """Return a percentage with one decimal, rounded down."""
    return part * 1000 // total / 10 if total else None


def write_survivors(path: Path, survivors: list[Row]) -> None:
    """Write the diffs of survivors, each below its function and its reason."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as stream:
        for row in survivors:
            stream.write(f"# {row['function']}: {row['reason'] or 'not explained'}\n{row['diff']}\n\n")
