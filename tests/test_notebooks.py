"""Notebooks: they run, contain no outputs, and their links and those of READMEs have targets."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.pages import generated_pages

from tests.support.notebooks import FOLDER, paths, strip_outputs

ROOT = FOLDER.parent
CODE = ("instances", "heuristics", "solver", "analysis")
PAGES = [
    ROOT / "README.md",
    *(page for name in (*CODE, "notebooks") for page in sorted((ROOT / name).rglob("README.md"))),
]

each_notebook = pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)


def _cells(path: Path, kind: str) -> list[str]:
    book = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == kind]


def test_notebooks_are_numbered_from_one_to_seven() -> None:
    assert [path.name[:2] for path in paths()] == ["1_", "2_", "3_", "4_", "5_", "6_", "7_"]


@each_notebook
def test_notebook_contains_no_outputs(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text == strip_outputs(text), "run python tests/support/notebooks.py"
    ids = [cell["id"] for cell in json.loads(text)["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in ids)


def test_strip_outputs_removes_traces_of_a_run() -> None:
    clean = paths()[0].read_text(encoding="utf-8")
    book = json.loads(clean)
    cell = next(cell for cell in book["cells"] if cell["cell_type"] == "code")
    cell |= {"execution_count": 3, "metadata": {"scrolled": True}}
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["secret"]}]
    book["metadata"]["language_info"]["version"] = "3.99"
    used = json.dumps(book)
    assert used != clean
    assert strip_outputs(used) == clean


@each_notebook
def test_notebook_explains_its_code(path: Path) -> None:
    texts = _cells(path, "markdown")
    assert re.match(rf"# {path.name[0]} \w", texts[0])
    assert len(texts) >= 0.4 * len(_cells(path, "code"))


@pytest.mark.slow
def test_first_notebook_runs_as_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the code without a kernel; `test_notebook_runs` runs all notebooks with one."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for cell in _cells(paths()[0], "code"):
        exec(re.sub(r"^%.*", "", cell, flags=re.M), names)
    assert names["best"].status == "optimal"


@pytest.mark.slow
@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
def test_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    extra = "is in the extra `notebooks` (and `test`)"
    nbformat = pytest.importorskip("nbformat", reason=f"nbformat {extra}")
    nbclient = pytest.importorskip("nbclient", reason=f"nbclient {extra}")
    pytest.importorskip("ipykernel", reason=f"ipykernel {extra}")
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("MPLBACKEND", raising=False)
    book = nbformat.read(path, as_version=4)
    # The notebook runs in an empty folder.
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(book, timeout=600, kernel_name="python3", resources=resources).execute()
    outputs = [output for cell in book.cells for output in cell.get("outputs", ())]
    assert sum(map(_is_picture, outputs)) >= 2
    assert not [output for output in outputs if output.output_type == "error"]


def _is_picture(output: Any) -> bool:
    return "image/png" in output.get("data", ())


def test_every_code_folder_has_a_readme() -> None:
    folders = [ROOT / name for name in (*CODE, "notebooks")]
    assert [str(folder) for folder in folders if not (folder / "README.md").is_file()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_pages_have_targets(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", text):
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in _anchors(file), f"{page.name} links to {target}#{anchor}"


def _anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page; a package stands for the page of its benchmark."""
    package = page.name == "__init__.py"
    text = generated_pages.benchmark_page(page.parent.name) if package else page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)|^(\w.*)\n---", text, re.M)
    return {re.sub(r"[^\w\- ]", "", "".join(heading).lower()).replace(" ", "-") for heading in headings}


@each_notebook
def test_links_of_notebooks_have_targets(path: Path) -> None:
    for text in _cells(path, "markdown"):
        for target in re.findall(r"\]\((?!https?:)([^)#\s]+)", text):
            assert (path.parent / target).exists(), target
