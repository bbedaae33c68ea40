"""Normal form of notebooks in the repository: no outputs and nothing else that a run changes.

``python tests/support/notebooks.py`` converts all notebooks.
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
    """Return a notebook without outputs, execution counts and metadata of editors."""
    book = json.loads(text)
    clean = {"cells": [_cell(cell) for cell in book["cells"]], "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(clean, indent=1, ensure_ascii=False) + "\n"


def _cell(cell: dict[str, Any]) -> dict[str, Any]:
    clean = {"cell_type": cell["cell_type"], "id": cell["id"], "metadata": {}, "source": _lines(cell["source"])}
    if cell["cell_type"] == "code":
        clean |= {"execution_count": None, "outputs": []}
    return dict(sorted(clean.items()))


def _lines(source: str | list[str]) -> list[str]:
    return "".join(source).rstrip("\n").splitlines(keepends=True)


if __name__ == "__main__":
    for path in paths():
        path.write_text(strip_outputs(path.read_text(encoding="utf-8")), encoding="utf-8")
