"""The form in which notebooks are kept: no outputs, nothing that changes when they are merely run.

``python tests/support/notebooks.py`` brings all notebooks into it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def paths() -> list[Path]:
    return sorted(FOLDER.glob("*.ipynb"))


def strip_outputs(text: str) -> str:
    """Return a notebook without outputs, execution counts and what editors leave in its metadata."""
    book = json.loads(text)
    kept = {"cells": [_cell(cell) for cell in book["cells"]], "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(kept, indent=1, ensure_ascii=False) + "\n"


def _cell(cell: dict[str, Any]) -> dict[str, Any]:
    kept = {"cell_type": cell["cell_type"], "id": cell["id"], "metadata": {}, "source": _lines(cell["source"])}
    if cell["cell_type"] == "code":
        kept |= {"execution_count": None, "outputs": []}
    return dict(sorted(kept.items()))


def _lines(source: str | list[str]) -> list[str]:
    return "".join(source).rstrip("\n").splitlines(keepends=True)


if __name__ == "__main__":
    for path in paths():
        path.write_text(strip_outputs(path.read_text(encoding="utf-8")), encoding="utf-8")
