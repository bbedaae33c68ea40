"""Results of mutants: a file with a line per result, scores of modules, and survivors as diffs."""

from __future__ import annotations

import csv
import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

#: Survivors that no test can or need reject, with reasons.
EXPLAINED = Path(__file__).with_name("survivors.toml")
COLUMNS = ("module", "mutants", "killed", "timeout", "survived", "explained", "score", "score_explained")
Row = dict[str, Any]


def identity(row: Row) -> tuple[str, ...]:
    """Return what identifies a mutant, whatever its number in the file."""
    return row["module"], row["function"], row["diff"]


def read_results(path: Path) -> dict[tuple[str, ...], Row]:
    """Return the last result of each mutant."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    rows = map(json.loads, lines)
    return {identity(row): row for row in rows}


def changed_lines(diff: str) -> str:
    """Return removed and added lines without their indentation."""
    lines = [line for line in diff.splitlines() if line[:1] in ("-", "+")]
    return "\n".join(f"{line[0]} {line[1:].strip()}" for line in lines)


def explanations() -> dict[tuple[str, ...], str]:
    """Return the reasons of explained survivors by module, function and changed lines."""
    entries: list[Row] = tomllib.loads(EXPLAINED.read_text("utf-8"))["survivor"]
    return {(entry["module"], entry["function"], changed_lines(entry["change"])): entry["reason"] for entry in entries}


def reason_of(row: Row, reasons: dict[tuple[str, ...], str]) -> str | None:
    """Return the reason of an explained survivor, ``None`` for other mutants."""
    return reasons.get((row["module"], row["function"], changed_lines(row["diff"])))


def score(module: str, rows: list[Row], reasons: dict[tuple[str, ...], str]) -> Row:
    """Return counts and scores of a module.

    A mutant that is ended after its limit of time counts as rejected. ``score`` counts explained survivors as survivors,
    ``score_explained`` leaves them out.
    """
    counts = Counter(row["outcome"] for row in rows)
    survivors = [row for row in rows if row["outcome"] == "survived"]
    explained = sum(reason_of(row, reasons) is not None for row in survivors)
    rejected = counts["killed"] + counts["timeout"]
    return {
        "module": module,
        "mutants": len(rows),
        "killed": counts["killed"],
        "timeout": counts["timeout"],
        "survived": len(survivors),
        "explained": explained,
        "score": share(rejected, len(rows)),
        "score_explained": share(rejected, len(rows) - explained),
    }


def share(part: int, total: int) -> str:
    """Return a percentage with one decimal, rounded down; empty without mutants."""
    return f"{part * 1000 // total / 10}" if total else ""


def write_scores(path: Path, scores: list[Row]) -> None:
    """Write scores as CSV; rows of modules that are not measured now stay."""
    earlier = csv.DictReader(path.read_text("utf-8").splitlines()) if path.exists() else []
    rows = {row["module"]: row for row in [*earlier, *scores]}
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[module] for module in sorted(rows))


def write_survivors(path: Path, rows: list[Row], reasons: dict[tuple[str, ...], str]) -> None:
    """Write the diffs of survivors, each below its function, and below its reason if it has one."""
    texts = []
    for row in rows:
        if row["outcome"] == "survived":
            reason = reason_of(row, reasons)
            note = f"# explained: {reason}\n" if reason else ""
            texts.append(f"# {row['module']}: {row['function']}\n{note}{row['diff']}\n\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(texts), "utf-8")
