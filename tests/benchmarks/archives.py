"""Table of archives of proofs: sizes, times, and a check of all files.

``planoracle explain NAMES --out FOLDER/`` writes archives, ``python tests/benchmarks/archives.py FOLDER...`` prints a
row for each. With ``--check``, each proof is checked by the checker in its archive, in a process without planoracle.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

HEADINGS = (
    *("set", "problems", "certificate", "DRCP", "solver", "open", "proof, median", "largest", "proof time, median"),
    *("all", "check time, median", "longest"),
)

Row = dict[str, str]


def read_rows(folder: Path) -> list[Row]:
    """Return the rows of the index of an archive."""
    with (folder / "index.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def size_text(size: float) -> str:
    """Write a number of bytes with its unit.

    >>> size_text(812), size_text(13_767), size_text(2_900_000)
    ('812 B', '14 kB', '2.9 MB')
    """
    if size < 1_000:
        return f"{size:.0f} B"
    return f"{size / 1_000:.0f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def seconds_text(seconds: float) -> str:
    """Write a time in seconds, or in milliseconds below a second."""
    return f"{seconds * 1_000:.0f} ms" if seconds < 1 else f"{seconds:,.1f} s"


def table_row(name: str, rows: list[Row]) -> list[str]:
    """Return the cells of an archive; sizes and times of checks are those of proofs that a checker reads."""
    grades = [row["grade"] for row in rows]
    searched = grades.count("solver") + grades.count("two solvers")
    counts = [str(count) for count in (grades.count("certificate"), grades.count("drcp"), searched, grades.count(""))]
    proofs = [row for row in rows if row["checker"]]
    cells = [name, str(len(rows)), *counts]
    sizes = [int(row["bytes"]) for row in proofs]
    proof_times = [float(row["proof_seconds"]) for row in rows if row["proof_seconds"]]
    check_times = [float(row["check_seconds"]) for row in proofs]
    cells += [size_text(median(sizes)), size_text(max(sizes))] if sizes else ["-", "-"]
    cells += [seconds_text(median(proof_times)), seconds_text(sum(proof_times))] if proof_times else ["-", "-"]
    cells += [seconds_text(median(check_times)), seconds_text(max(check_times))] if check_times else ["-", "-"]
    return cells


def refused(folder: Path, rows: list[Row]) -> list[str]:
    """Return the instances whose proofs the checker in the archive refuses."""
    names = []
    for row in rows:
        if row["checker"]:
            command = [sys.executable, "-I", "-S", row["checker"], row["problem"], row["proof"]]
            if subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode:
                names.append(row["instance"])
    return names


def main(
    folders: Annotated[list[Path], typer.Argument(help="Archives.")],
    check: Annotated[bool, typer.Option(help="Check each proof by the checker in its archive.")] = False,
) -> None:
    """Print a Markdown table of archives."""
    print(f"| {' | '.join(HEADINGS)} |")
    print(f"|---|{'--:|' * (len(HEADINGS) - 1)}")
    failures = []
    for folder in folders:
        rows = read_rows(folder)
        print(f"| {' | '.join(table_row(folder.name, rows))} |")
        if check:
            failures += refused(folder, rows)
    if failures:
        sys.exit(f"refused: {', '.join(failures)}")


if __name__ == "__main__":
    typer.run(main)
