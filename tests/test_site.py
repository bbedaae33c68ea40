"""The documentation site is built without a warning, and has what its start page promises."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


class _Links(HTMLParser):
    """Links, pictures and scripts of a page, and the places in it."""

    def __init__(self) -> None:
        super().__init__()
        self.leads: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.leads.append(value)
            elif name == "id" and value:
                self.places.add(value)


@pytest.mark.slow
def test_site(tmp_path: Path) -> None:
    if find_spec("furo") is None:
        pytest.skip("the site needs planoracle[docs]")
    command = [sys.executable, str(ROOT / ".docs" / "build.py"), str(tmp_path), "--draft"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    pages = {page: _Links() for page in tmp_path.rglob("*.html")}
    for page, links in pages.items():
        links.feed(page.read_text("utf-8"))
    assert len(pages) > 40
    for page, links in pages.items():
        for lead in links.leads:
            if lead.startswith(("http", "data:", "mailto:")):
                continue
            path, _, place = lead.partition("#")
            target = (page.parent / path.partition("?")[0]).resolve() if path else page
            assert target.exists(), (page.name, lead)
            if place and target in pages:
                assert place in pages[target].places or place == "", (page.name, lead)
