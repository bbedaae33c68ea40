"""Facts of the papers in `tests/facts`: output of their commands, and the page that lists them."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.pages import PAGES, generated_pages
from support.runner import invoke

ROOT = PAGES.parent
FACTS = generated_pages.facts()
_REQUIRED = {"paper": str, "where": str, "fact": str, "command": str, "find": str, "result": str, "agrees": bool}
_OPTIONAL = {"note": str, "slow": bool}


@cache
def output(command: str) -> str:
    """Return the standard output of a command; run commands with a pipe in a shell."""
    if "|" in command:
        if shutil.which("bash") is None:
            pytest.skip("the command needs bash")
        call = f"PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH; set -o pipefail; {command}"
        done = subprocess.run(["bash", "-c", call], text=True, capture_output=True, check=False)
        status, printed, errors = done.returncode, done.stdout, done.stderr
    else:
        result = invoke(*shlex.split(command)[1:])
        status, printed, errors = result.exit_code, result.stdout, result.stderr
    # Status 1 reports a wrong reference or an infeasible problem.
    assert status in (0, 1), errors
    assert "Traceback" not in errors
    return printed


@pytest.mark.parametrize(
    "fact",
    [pytest.param(fact, marks=[pytest.mark.slow] * fact.get("slow", False), id=fact["fact"][:60]) for fact in FACTS],
)
def test_command_reproduces_the_fact(fact: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    match = re.search(fact["find"], output(fact["command"]), re.MULTILINE)
    assert match, f"{fact['command']} prints nothing like {fact['find']}:\n{output(fact['command'])}"
    assert match[1] == fact["result"]


def test_every_fact_has_all_fields() -> None:
    fields = {**_REQUIRED, **_OPTIONAL}
    for fact in FACTS:
        assert _REQUIRED.keys() <= fact.keys() <= fields.keys(), fact
        assert all(isinstance(value, fields[key]) and value != "" for key, value in fact.items()), fact
        assert fact["command"].startswith("planoracle "), fact
        assert re.compile(fact["find"]).groups == 1, fact
    assert len(FACTS) >= 60
    assert len({fact["fact"] for fact in FACTS}) == len(FACTS)


def test_facts_page_is_current() -> None:
    page = (PAGES / "facts.md").read_text("utf-8")
    assert generated_pages.facts_page(page) == page, "python tests/support/pages.py .docs/facts.md"
