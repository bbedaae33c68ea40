"""Notes of unreleased changes: names, texts, links, and the text that towncrier makes of them."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.links import links

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "changelog"
NOTES = sorted(FOLDER.glob("*.md"))
TOWNCRIER = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
TYPES = [entry["directory"] for entry in TOWNCRIER["type"]]


def test_names_of_notes_end_with_a_known_type() -> None:
    """A file with another name would be missing in the release."""
    assert TYPES == ["headline", "added", "changed", "removed", "fixed"]
    pattern = re.compile(rf"[a-z0-9-]+\.({'|'.join(TYPES)})\.md")
    files = [path.name for path in FOLDER.iterdir() if path.name != ".gitignore"]
    assert [name for name in files if not pattern.fullmatch(name)] == []


def test_notes_are_single_lines_of_sentences_with_links_to_files() -> None:
    for path in NOTES:
        text = path.read_text(encoding="utf-8")
        assert re.fullmatch(r"\S.*[.)]\n", text), path.name
        targets = [link.target.partition("#")[0] for link in links(text)]
        assert [target for target in targets if ":" not in target and not (ROOT / target).exists()] == [], path.name


def test_a_release_has_at_most_five_headlines() -> None:
    assert len(list(FOLDER.glob("*.headline.md"))) <= 5


def test_release_text_has_every_note_and_the_headlines_on_top() -> None:
    pytest.importorskip("towncrier", reason="towncrier (extra dev) is not installed")
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.9.9", "--date", "2030-01-01"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True)
    lines = run.stdout[run.stdout.index("## 9.9.9 - 2030-01-01") :].splitlines()
    words = " ".join(run.stdout.split())
    assert [path.name for path in NOTES if " ".join(path.read_text(encoding="utf-8").split()) not in words] == []
    headlines = [path.read_text(encoding="utf-8").strip() for path in FOLDER.glob("*.headline.md")]
    top = " ".join(" ".join(lines).partition("### ")[0].split())
    assert all(headline in top for headline in headlines)
