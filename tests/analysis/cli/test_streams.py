"""Standard streams that are closed, full or broken: exit status and message, without lost results."""

from __future__ import annotations

import gzip
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.batches import MAIN, stored_rows, submissions, write
from support.samples import sample

from planoracle.analysis.cli.commands import COMMANDS
from planoracle.instances.files.catalog import load
from planoracle.solver.proofs.certificate import certificate

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")

NAME = "recipe2plan/timed/Cobbler_Pancakes"
# A quick call of each command; the last two read standard input.
CALLS = {
    "audit": "audit timearena/household4 --format csv",
    "benchmark": "benchmark list --format csv",
    "instances": "instances --schema",
    "solve": f"solve {NAME} nothing.json --format csv",
    "grade": "grade s.jsonl --format jsonl",
    "compare": f"compare {NAME} --format csv",
    "critique": "critique s.jsonl --no-regret",
    "explain": f"explain {NAME}",
    "gantt": f"gantt {NAME} -o gantt.svg",
    "generate": "generate --count 1 --seed 1",
    "next": f"next {NAME}",
    "regret": "regret one.jsonl --format jsonl",
    "repair": "repair one.jsonl --format jsonl",
    "run": "run timearena/household1 --agent random --run played --format csv",
    "report": "report s.jsonl -o page.html --regret-seconds 0",
    "verify": f"verify {NAME} proof.json --format csv",
    "--help": "--help",
}
READING = {"grade -": "grade - --format jsonl", "solve -": "solve -", "next -": f"next {NAME} --after -"}
BAD = "the output cannot be written: "
# Faults of standard output: redirection and message; a closed pipe is not a fault.
OUTPUTS = {"closed": (">&-", f"{BAD}Bad file descriptor"), "full": (">/dev/full", f"{BAD}No space left on device")}
DIAGNOSTICS = {"closed": "2>&-", "full": "2>/dev/full", "broken": "2 broken", "all but the output": "<&- 2>&-"}
BROKEN = {"1 broken": "stdout", "2 broken": "stderr"}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    rows = submissions(4)
    write(folder / "one.jsonl", rows[:1])
    problem = load(NAME)
    write(folder / "proof.json", [certificate(problem, 4080).as_dict()])
    write(folder / "s.jsonl", rows).open("a").write('{"bad\n')
    return folder


def run(folder, call, redirection="", stdin=b""):
    """Run a call by the shell; return status, output and messages. `BROKEN` redirects to a closed pipe."""
    reading, writing = os.pipe()
    os.close(reading)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if redirection in BROKEN:
        pipes[BROKEN[redirection]] = writing
        redirection = ""
    program = shlex.join([sys.executable, "-c", MAIN])
    try:
        done = subprocess.run(
            ["sh", "-c", f"{program} {call} {redirection}"], cwd=folder, input=stdin, timeout=100, check=False, **pipes
        )
    finally:
        os.close(writing)
    message = (done.stderr or b"").decode()
    assert "Traceback" not in message, message
    assert "Exception ignored" not in message, message
    return done.returncode, timeless(done.stdout or b""), message


def timeless(out):
    """Return output without times."""
    lines = out.decode().splitlines()
    if not lines or "seconds" not in lines[0].split(","):
        return lines
    place = lines[0].split(",").index("seconds")
    return [",".join(cell for n, cell in enumerate(line.split(",")) if n != place) for line in lines]


def test_calls_cover_every_command():
    assert CALLS.keys() == {*COMMANDS, "--help"} - {"mcp"}  # which speaks with a client


@pytest.mark.slow
@pytest.mark.parametrize("subcommand", sample(sorted(CALLS), 12))
def test_commands_run_without_standard_error_and_report_lost_output(place, subcommand):
    status, out, err = run(place, CALLS[subcommand])
    assert err or status == 0
    kind = sorted(DIAGNOSTICS)[len(subcommand) % len(DIAGNOSTICS)]  # all of them below
    assert run(place, CALLS[subcommand], DIAGNOSTICS[kind])[:2] == (status, out)
    lost, _, message = run(place, CALLS[subcommand], OUTPUTS["closed"][0])
    if out:
        assert lost == 1
        assert message.endswith(f"error: {BAD}Bad file descriptor\n")
    else:  # it has none
        assert (lost, message) == (status, err)


@pytest.mark.slow
@pytest.mark.parametrize("subcommand", sample(["instances", "grade", "critique"], 3))
def test_all_faults_of_streams_are_reported_by_three_commands(place, subcommand):
    status, out, _ = run(place, CALLS[subcommand])
    for redirection in DIAGNOSTICS.values():
        assert run(place, CALLS[subcommand], redirection)[:2] == (status, out)
    for redirection, word in OUTPUTS.values():
        lost, _, message = run(place, CALLS[subcommand], redirection)
        assert lost == 1
        assert message.endswith(f"error: {word}\n")
    assert run(place, CALLS[subcommand], "1 broken")[:2] == (1, [])
    assert run(place, CALLS[subcommand], "<&- >&- 2>&-")[:2] == (1, [])


@pytest.mark.slow
@pytest.mark.parametrize("call", sample(READING, 3))
def test_unreadable_standard_input_is_reported(place, call):
    status, _, err = run(place, READING[call], "<&-")
    assert status == 1
    assert "Bad file descriptor" in err
    assert "output" not in err


@pytest.mark.parametrize(
    ("call", "word"),
    sample(
        [
            ("solve -", "a name must have at most 65536 bytes"),
            ("grade -", "cannot be read any further: line 1 has no end"),
            ("next -", "-: is larger than 16777216 bytes"),
        ],
        3,
        several=True,
    ),
)
def test_endless_input_is_refused(place, call, word):
    status, _, err = run(place, READING[call], "</dev/zero")
    assert status == 1
    assert word in err


@pytest.mark.slow
def test_run_directory_contains_only_results(place):
    """Closed streams leave their numbers to the next files that are opened."""
    assert run(place, "grade s.jsonl --run calm", "")[0] == 1
    assert run(place, "grade s.jsonl --run closed", "<&- >&- 2>&-")[0] == 1
    calm, closed = (stored_rows(place / name) for name in ("calm", "closed"))
    assert len(calm) == 4
    assert calm == closed


@pytest.mark.slow
def test_names_may_hold_any_byte(place):
    status, _, err = run(place, "solve -", stdin=b"\xff\xfe.json\n")
    assert status == 1
    assert err.startswith("error: \\udcff\\udcfe.json: cannot be read: No such file")


# --- compressed files ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    sample(["solve - < {}", "instances ./{}"], 2),
)
def test_compressed_file_of_problems_is_refused_with_its_format(place, call):
    (place / "problem.json.gz").write_bytes(gzip.compress(b"{}"))
    status, _, err = run(place, call.format("problem.json.gz"))
    assert status == 1
    assert err.count("is compressed (gzip); decompress it first") == err.count("error") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "call", sample(["grade {}", "grade - < {}", "critique {} --no-regret", "grade {} --collect -"], 4)
)
def test_compressed_submissions_are_read(place, call):
    text = "".join(json.dumps(row) + "\n" for row in submissions(3)).encode()
    (place / "t.jsonl").write_bytes(text)
    (place / "t.jsonl.gz").write_bytes(gzip.compress(text))
    assert run(place, call.format("t.jsonl")) == run(place, call.format("t.jsonl.gz"))
