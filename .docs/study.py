"""Tables and figures of the page on recorded answers: ``python .docs/study.py FOLDER...``.

Each folder or file holds recorded answers of models. The page keeps numbers and figures, no texts of answers. Its prose
stays as it is; the parts between two comments ``<!-- NAME -->`` are replaced.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from planoracle.analysis.comparison.recorded_verdicts import (
    cause_table,
    graded_answers,
    size_lines,
    size_table,
    verdict_bars,
    verdict_table,
)
from planoracle.analysis.figures.style import Shape, save, use_shape

PAGE = Path(__file__).with_name("study.md")
PICTURES = PAGE.parents[1] / "notebooks" / "pictures"
# Most causes per part.
_MAX_CAUSES = 6
_HEADINGS = {"without_plan": "without plan", "failure_cause": "cause", "with_plan": "with a plan"}


def main() -> int:
    """Grade the answers, and write tables into the page and figures beside it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("answers", nargs="+", type=Path, help="folders and files with recorded answers")
    options = parser.parse_args()
    frames = []
    for path in options.answers:
        print(f"grading {path}", file=sys.stderr)
        frames.append(graded_answers(path))
    frame = pd.concat(frames, ignore_index=True)
    text = PAGE.read_text("utf-8")
    for name, block in blocks(frame).items():
        text = replaced(text, name, block)
    PAGE.write_text(text, "utf-8")
    for name, draw in figures(frame).items():
        with use_shape(Shape(7.0, title="")):
            print(save(draw, PICTURES / f"{name}.svg"), file=sys.stderr)
    return 0


def blocks(frame: pd.DataFrame) -> dict[str, str]:
    """Return the tables of the page by the names of their places."""
    tables = {}
    for benchmark, answers in frame.groupby("benchmark", sort=True, observed=True):
        tables[f"verdicts {benchmark}"] = markdown(verdict_table(answers))
        tables[f"causes {benchmark}"] = markdown(frequent_causes(cause_table(answers)))
    sized = frame.dropna(subset=["size"])
    if not sized.empty:
        tables["sizes"] = markdown(size_table(sized))
    return tables


def frequent_causes(causes: pd.DataFrame) -> pd.DataFrame:
    """Return the most frequent causes of every part, with their sums instead of the numbers of each model."""
    counts = causes[["part", "failure_cause"]].assign(
        answers=causes.drop(columns=["part", "failure_cause"]).sum(axis=1)
    )
    return counts.groupby("part", sort=False, observed=True).head(_MAX_CAUSES)


def markdown(table: pd.DataFrame) -> str:
    """Return a table in Markdown: numbers to the right, shares in percent."""
    names = [_HEADINGS.get(str(name), str(name)) for name in table.columns]
    rules = ["---:" if pd.api.types.is_numeric_dtype(table[name]) else "---" for name in table.columns]
    lines = [names, rules]
    lines += [[_cell(value) for value in row] for row in table.itertuples(index=False)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: Any) -> str:
    if pd.isna(value):
        return "-"
    return f"{100 * value:.1f} %" if isinstance(value, float) else str(value)


def replaced(text: str, name: str, block: str) -> str:
    """Return a page with another block between two comments; one without them stays as it is."""
    place = re.compile(rf"(<!-- {re.escape(name)} -->\n)(?:.*?\n)??(<!-- end -->)", re.DOTALL)
    return place.sub(lambda match: f"{match[1]}\n{block}\n\n{match[2]}", text)


def figures(frame: pd.DataFrame) -> dict[str, Callable[[], Axes]]:
    """Return the figures by file name: verdicts of each part, and answers by size where sets are sizes."""
    drawings: dict[str, Callable[[], Axes]] = {}
    for part in frame["part"].dropna().unique():
        name = str(part).replace("/", "-")
        drawings[f"verdicts-{name}"] = partial(verdict_bars, frame, part)
        if frame.loc[frame["part"] == part, "size"].notna().any():
            drawings[f"sizes-{name}"] = partial(size_lines, frame, part)
    return drawings


if __name__ == "__main__":
    sys.exit(main())
