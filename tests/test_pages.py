"""What the pages of the documentation site show is what the commands print, in an empty folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.pages import PAGES, blocks, output

_SHOWN = [page for page in sorted(PAGES.glob("*.md")) if blocks(page.read_text("utf-8"))]


def test_every_role_has_a_page_with_commands() -> None:
    assert {"outputs", "schedules", "benchmark", "paper", "training"} <= {page.stem for page in _SHOWN}


@pytest.mark.slow
@pytest.mark.parametrize("page", _SHOWN, ids=lambda page: page.stem)
def test_page(page: Path, tmp_path: Path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("the commands are those of a shell")
    for block in blocks(page.read_text("utf-8")):
        assert output(block, tmp_path) == block.text


@pytest.mark.parametrize(("text", "seen"), [("$ echo 3\n4\n", "$ echo 3\n3\n"), ("$ echo 3\n3\n", "$ echo 3\n3\n")])
def test_a_page_that_lies_is_found(text: str, seen: str, tmp_path: Path) -> None:
    (block,) = blocks(f"```console\n{text}```\n")
    assert output(block, tmp_path) == seen


def test_a_command_that_fails_is_found(tmp_path: Path) -> None:
    (block,) = blocks("```console\n$ false\n```\n")
    with pytest.raises(AssertionError, match="false"):
        output(block, tmp_path)
