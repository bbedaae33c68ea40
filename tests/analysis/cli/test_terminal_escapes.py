"""Output on a terminal: text, lines, and colours of tables only, for any submissions."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from planoracle.instances.text import visible
from tests.support.payloads import STEERING, hostile_problem
from tests.support.reports import COBBLER, FILES, HOUSE, KITCHEN

pytestmark = pytest.mark.slow

#: All commands that read submissions.
SUBCOMMANDS = (
    ("grade", "{plans}", "--jobs", "1", "--no-cache", "--instances", "{folder}"),
    ("critique", "{plans}", "--no-regret", "--instances", "{folder}"),
    ("regret", "{plans}", "--time-limit", "0.05", "--instances", "{folder}"),
    ("repair", "{plans}", "--time-limit", "0.05", "--instances", "{folder}"),
    ("report", "{plans}", "-o", "{folder}/page.html", "--regret-seconds", "0", "--instances", "{folder}"),
    ("audit", "{plans}"),
    ("grade", "{plans}", "--collect", "-"),
)
# Sequences that rich writes: colours, weights, and those of progress bars for lines and cursor.
_OURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[[12]?K|\x1b\[[0-9]*A|\r")
# Colours and weights of tables; those in the submissions are others.
_FOREIGN = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:31|5|8|7)m")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory: Path = tmp_path_factory.mktemp("steering")
    (directory / "shop.json").write_text(json.dumps(hostile_problem(STEERING[:8])))
    places = ((HOUSE, "actions"), (COBBLER, "plan"), (FILES, "turns"), (KITCHEN, "actions"), ("shop.json", "plan"))
    rows = []
    for number, text in enumerate(STEERING):
        name, field = places[number % 5]
        plan = f"Step(0, Cobbler, 10 min, 0:00) Step(1, {text}, 1, 1)" if name == COBBLER else [text, "wait", text * 3]
        rows.append({"id": f"{text}{number}", "model": text, "sample": text, "instance": name, field: plan})
        rows.append({"id": text, "model": text, "instance": text, field: text, text: text})
    lines = [*map(json.dumps, rows), f'{{"{STEERING[0]}']
    (directory / "plans.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return directory


def on_a_terminal(folder: Path, *args: str) -> str:
    """Run a command with both streams on a terminal of 100 columns; return the output."""
    termios = pytest.importorskip("termios")
    master, slave = os.openpty()
    termios.tcsetwinsize(slave, (24, 100))
    arguments = [one.format(plans=folder / "plans.jsonl", folder=folder) for one in args]
    call = [sys.executable, "-c", "from planoracle.analysis.cli import main; main()", *arguments]
    env = {**os.environ, "TERM": "xterm-256color", "PLANORACLE_CACHE": ""}
    env.pop("NO_COLOR", None)
    with subprocess.Popen(call, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=env, cwd=folder) as process:
        os.close(slave)
        output = b""
        try:
            while part := os.read(master, 65_536):
                output += part
        except OSError:  # the other end is closed (Linux)
            pass
        assert process.wait(60) in (0, 1)
    os.close(master)
    return output.decode("utf-8")


@pytest.mark.parametrize("args", SUBCOMMANDS, ids=lambda args: args[0] if args[-1] != "-" else "collect")
def test_output_contains_no_control_sequences(folder: Path, args: tuple[str, ...]) -> None:
    output = on_a_terminal(folder, *args)
    assert "Traceback" not in output
    assert not _FOREIGN.search(output)
    assert "\\x1b" in output or "\\u001b" in output or args[0] in ("report", "audit") or "--collect" in args
    text = _OURS.sub("", output.replace("\r\n", "\n"))
    assert {letter for letter in text if not letter.isprintable()} <= {"\n"}
    assert visible(text, keep="\n") == text
    assert not re.search("[\\x80-\\x9f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]", output)
    if args[0] == "grade" and "--collect" not in args:
        assert "[red]rich" in text  # texts that look like markup of rich
