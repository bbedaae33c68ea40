"""Build of the documentation site: no warnings, and all links have targets."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


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
def test_site_builds_without_warnings_and_broken_links(tmp_path: Path) -> None:
    if find_spec("furo") is None:
        pytest.skip("the site needs planoracle[docs]")
    command = [sys.executable, str(ROOT / ".docs" / "build.py"), str(tmp_path), "--draft"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    pages = {page: _LinkParser() for page in tmp_path.rglob("*.html")}
    for page, links in pages.items():
        links.feed(page.read_text("utf-8"))
    assert len(pages) > 40
    for page, links in pages.items():
        for link in links.targets:
            if link.startswith(("http", "data:", "mailto:")):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path.partition("?")[0]).resolve() if path else page
            assert target.exists(), (page.name, link)
            if anchor and target in pages:
                assert anchor in pages[target].anchors or anchor == "", (page.name, link)
