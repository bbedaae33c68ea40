"""Documentation site: built without a warning; links, anchors of the reference, and search."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support.chromium import BINARY
from support.reference import column_anchors, option_anchors, reference_pages

import planoracle

ROOT = Path(__file__).parents[1]
PAGES = reference_pages.reference_pages()
#: Searches of newcomers, each with the section that it must show first.
QUERIES = {
    "setup time": "scope#setup-times",
    "dates": "problem_files#dates",
    "compare two models": "reference/comparisons#compare-two-models",
    "missing plans": "reference/comparisons#missing-plans",
    "significance": "reference/comparisons#significance",
}


class _LinkParser(HTMLParser):
    """Parser that collects the links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.targets.append(value)
            elif name == "id" and value:
                self.anchors.add(value)


@pytest.mark.slow
def test_built_site_has_working_links_anchors_and_search(tmp_path: Path) -> None:
    """All checks use one build, which takes most of the time."""
    if find_spec("furo") is None:
        pytest.skip("the site needs planoracle[docs]")
    site = build(tmp_path / "site")
    assert len(site) > 40
    check_links(site)
    check_anchors(site)
    check_search_index(site)
    for words, result in QUERIES.items():
        assert search_titles(site, words) == [result]
    if BINARY is not None:
        check_search(site, "regret", "api.html#planoracle.regret")
        check_search(site, "certificate", "solver/proofs/README.html#certificates-as-files")
        check_search(site, "--time-limit", "cli.html#cmdoption-planoracle-solve-time-limit")


def build(folder: Path) -> dict[Path, _LinkParser]:
    """Build the site without running the notebooks, and return its pages."""
    command = [sys.executable, str(ROOT / ".docs" / "build.py"), str(folder), "--draft"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0, run.stderr
    pages = {page: _LinkParser() for page in folder.rglob("*.html")}
    for page, links in pages.items():
        links.feed(page.read_text("utf-8"))
    return pages


def _named(site: dict[Path, _LinkParser], name: str) -> Path:
    return next(page for page in site if page.as_posix().endswith(f"/{name}"))


def check_links(site: dict[Path, _LinkParser]) -> None:
    """Check that links lead to pages and anchors that exist."""
    for page, links in site.items():
        for link in links.targets:
            if link.startswith(("http", "data:", "mailto:")):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path.partition("?")[0]).resolve() if path else page
            assert target.exists(), (page.name, link)
            if anchor and target in site:
                assert anchor in site[target].anchors, (page.name, link)


def check_anchors(site: dict[Path, _LinkParser]) -> None:
    """Check that public names, their parameters, options and columns have anchors."""
    anchors = site[_named(site, "api.html")].anchors
    assert {f"planoracle.{name}" for name in planoracle.__all__} - anchors == set()
    functions = [name for name in planoracle.__all__ if inspect.isfunction(getattr(planoracle, name))]
    parameters = [
        f"{name}.{one}" for name in functions for one in inspect.signature(getattr(planoracle, name)).parameters
    ]
    assert [name for name in parameters if f"planoracle.{name}" not in anchors] == []
    anchors = site[_named(site, "cli.html")].anchors
    options = option_anchors(PAGES["cli.md"])
    expected = {
        f"cmdoption-planoracle {name}".strip().replace(" ", "-") + one[1:] for name in options for one in options[name]
    }
    assert expected - anchors == set()
    anchors = site[_named(site, "reference/columns.html")].anchors
    assert column_anchors(PAGES["reference/columns.md"]) - anchors == set()


def search_index(site: dict[Path, _LinkParser]) -> dict[str, Any]:
    """Return the index of the search."""
    text = _named(site, "search.html").with_name("searchindex.js").read_text("utf-8")
    index: dict[str, Any] = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    return index


def search_titles(site: dict[Path, _LinkParser], words: str) -> list[str]:
    """Return the sections that a search shows first: with the words in a title at most twice as long."""
    index = search_index(site)
    sections = []
    for title, places in index["alltitles"].items():
        if words in title.lower() and len(title) <= 2 * len(words):
            sections += [f"{index['docnames'][page]}#{anchor}" for page, anchor in places]
    return sections


def check_search_index(site: dict[Path, _LinkParser]) -> None:
    """Check that the index of the search has words, options and names."""
    index = search_index(site)
    assert {"regret", "certif", "makespan", "unscor"} <= {*index["terms"]}
    assert {"--time-limit", "--profile"} <= {name for objects in index["objects"].values() for *_, name in objects}
    assert {"solve", "grade"} <= {name for *_, name in index["objects"]["planoracle"]}


def check_search(site: dict[Path, _LinkParser], words: str, result: str) -> None:
    """Check that a search in Chromium shows a result among the first twenty."""
    address = f"{_named(site, 'search.html').as_uri()}?q={words}"
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=8000", "--dump-dom"]
    page = subprocess.run([BINARY, *flags, address], capture_output=True, text=True, timeout=120, check=True).stdout
    results = re.findall(r'<li class="kind-[^>]*><a href="([^"?]+)', page)
    assert result in results[:20]
