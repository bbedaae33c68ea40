"""Facts of the papers in `tests/facts`: output of their commands, and the page that lists them."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.pages import PAGES, generated_pages
from support.runner import invoke
from support.samples import sample

ROOT = PAGES.parent
FACTS = generated_pages.facts()
_REQUIRED = {"paper": str, "where": str, "fact": str, "command": str, "find": str, "result": str, "agrees": bool}
_OPTIONAL = {"note": str, "slow": bool}


def output(command: str) -> str:
    """Return the standard output of a command, whose pipe runs in a shell."""
    first, *pipe = command.split(" | ", 1)
    result = invoke(*shlex.split(first)[1:])
    # Status 1 reports a wrong reference or an infeasible problem.
    assert result.exit_code in (0, 1), result.stderr
    assert "Traceback" not in result.stderr
    return piped(result.stdout, *pipe) if pipe else str(result.stdout)


def piped(text: str, commands: str) -> str:
    """Return what commands of a shell print that read a text."""
    if shutil.which("bash") is None:
        pytest.skip("the command needs bash")
    call = f"PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH; set -o pipefail; {commands}"
    ended = subprocess.run(["bash", "-c", call], input=text, text=True, capture_output=True, check=False)
    assert ended.returncode in (0, 1), ended.stderr
    assert "Traceback" not in ended.stderr
    return ended.stdout


def facts_by_command() -> Iterator[Any]:
    """Yield a parameter for each command, with the facts that it reproduces."""
    facts: dict[tuple[str, bool], list[dict[str, Any]]] = {}
    for fact in FACTS:
        facts.setdefault((fact["command"], fact.get("slow", False)), []).append(fact)
    for (command, is_slow), entries in facts.items():
        marks = [pytest.mark.slow] if is_slow else []
        yield pytest.param(command, entries, marks=marks, id=command.removeprefix("planoracle "))


@pytest.mark.parametrize(("command", "facts"), sample(facts_by_command(), 5))
def test_command_reproduces_its_facts(
    command: str, facts: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    printed = output(command)
    for fact in facts:
        match = re.search(fact["find"], printed, re.MULTILINE)
        assert match, f"{fact['fact']}: {command} prints nothing like {fact['find']}:\n{printed}"
        assert match[1] == fact["result"], fact["fact"]


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
