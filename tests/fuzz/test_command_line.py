"""Command line with odd arguments and files: exit status 0, 1 or 2, and no traceback."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path
from random import Random

import pytest
from support.hostile_inputs import HOSTILE_FILES, TEXTS, encode_json
from support.mutations import Mutator
from support.samples import sample
from support.valid_inputs import EXAMPLES, documents, submissions

from planoracle.analysis.cli.commands import run_app

# Subcommand, kind of its input, and options that are tried with any value.
COMMANDS = {
    "instances": ("problem", ["--format", "--export", "--schema"]),
    "solve": ("problem", ["--format", "--seed", "--agents", "--only", "--exact-grid", "--heuristic", "--iterations"]),
    "compare": ("problem", ["--format"]),
    "explain": ("problem", ["--format"]),
    "next": ("problem", ["--format", "--after", "--clock", "--profile", "--all"]),
    "gantt": ("problem", ["--heuristic", "--plan", "--against"]),
    "grade": (
        "submissions",
        [
            "--format",
            "--profile",
            "--rule",
            "--data",
            "--trace",
            "--map",
            "--pattern",
            "--model",
            "--problems",
            "--instances",
        ],
    ),
    "regret": ("submissions", ["--format", "--profile", "--worst", "--data", "--instances"]),
    "critique": ("submissions", ["--format", "--profile", "--failed", "--data", "--instances"]),
    "repair": ("submissions", ["--format", "--profile", "--objective", "--data", "--instances"]),
    "report": ("submissions", ["--profile", "--title", "--data", "--instances"]),
    "audit": ("submissions", ["--format", "--profile", "--data", "--map", "--problems"]),
}
NEAR = ["--instances", str(Path(EXAMPLES[0]).parent)]  # folder of the problems of the specimens
FLAGS = {"--export", "--schema", "--exact-grid", "--all", "--trace", "--failed"}
FIXED = {
    **{subcommand: ["--jobs", "1"] for subcommand in ("solve", "grade", "audit")},
    **{subcommand: ["--time-limit", "0.1"] for subcommand in ("explain", "next", "regret", "critique", "repair")},
    "gantt": ["-o", "out.png", "--time-limit", "0.1"],
    "report": ["-o", "out.html", "--regret-seconds", "0.1"],
}
GOOD = [
    "json",
    "csv",
    "table",
    "jsonl",
    "paper",
    "released",
    "0",
    "2",
    "plan.txt",
    "-",
    "list",
    "optimum",
    "moved,shift",
    "cross",
]
ODD = [text for text in TEXTS if "\0" not in text and text.isprintable() and len(text) < 5_000]
ODD += ["\x1b[2J", "a\nb", "a\udcff", "/dev/null", "missing/x", ".", "nan", "inf", "-inf", "1e309", "9" * 19]
NAMES = [
    "recipe2plan/timed/Vada_Daikon-Radish",
    "timearena/household1",
    "asynctool/files_1",
    "kitchens/synchronous/3_burger",
]
PLACES = ["problem.json", "problem.json#x", "folder", "pipe", "loop", "empty", "missing.json", *NAMES]


class _Stream(io.BytesIO):
    def close(self) -> None:
        """Stay readable."""


def command(monkeypatch: pytest.MonkeyPatch, *arguments: str, stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    """Run the command line in this process; return exit status and streams."""
    streams = {"stdout": _Stream(), "stderr": _Stream()}
    with monkeypatch.context() as patch:
        patch.setattr(sys, "argv", ["planoracle", *arguments])
        patch.setattr(sys, "stdin", io.TextIOWrapper(_Stream(stdin), encoding="utf-8"))
        patch.setattr(sys, "stdout", io.TextIOWrapper(streams["stdout"], encoding="utf-8"))
        patch.setattr(sys, "stderr", io.TextIOWrapper(streams["stderr"], encoding="utf-8", errors="backslashreplace"))
        status = run_app()
        sys.stdout.flush()
        sys.stderr.flush()
    return status, streams["stdout"].getvalue(), streams["stderr"].getvalue()


def check(arguments: list[str], status: int, out: bytes, err: bytes) -> None:
    assert status in (0, 1, 2), arguments
    assert b"Traceback" not in err, arguments
    assert b"internal error" not in out + err, arguments
    assert b"\x1b[2J" not in out + err, arguments
    assert status == 0 or err, arguments


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working directory with a folder, a pipe, a link to itself and an empty file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("folder").mkdir()
    Path("loop").symlink_to("loop")
    Path("empty").touch()
    os.mkfifo("pipe")
    return tmp_path


def fill(random: Random) -> bytes:
    """Write a problem, a plan and submissions, some of them valid; return the submissions."""
    quick = [one for one in submissions() if "multi_agent" not in one["instance"]]
    mutator = Mutator(random, [one["plan"] for one in quick])
    document = encode_json(mutator.times(mutator.tree, random.choice(list(documents().values()))))
    Path("problem.json").write_bytes(mutator.raw(document) if random.random() < 0.2 else document)
    Path("plan.txt").write_bytes(encode_json(mutator.plan(random.choice(quick)["plan"])))
    lines = [encode_json(random.choice((one, mutator.tree(one)))) for one in random.sample(quick, 2)]
    data = b"\r\n".join(mutator.raw(line) if random.random() < 0.1 else line for line in lines)
    Path("lines.jsonl").write_bytes(data)
    return data


def arguments_of(random: Random, subcommand: str) -> list[str]:
    kind, options = COMMANDS[subcommand]
    places = {
        "problem": PLACES,
        "submissions": ["lines.jsonl"] * 4 + ["-", "folder", "loop", "problem.json"],
    }
    arguments = [subcommand, *FIXED.get(subcommand, []), *(NEAR if "--instances" in options else ())]
    arguments.append(random.choice((*places[kind], random.choice(ODD))))
    for option in random.sample(options, min(len(options), random.choice((0, 0, 1, 2)))):
        arguments += [option] if option in FLAGS else [option, random.choice(random.choice((GOOD, ODD)))]
    return arguments


@pytest.mark.slow
@pytest.mark.parametrize("subcommand", sample(COMMANDS, 10))
def test_odd_arguments_and_files_end_with_a_status_and_a_message(
    folder: Path, monkeypatch: pytest.MonkeyPatch, subcommand: str
) -> None:
    statuses = set()
    for seed in range(12):
        random = Random(f"{subcommand} {seed}")
        data = fill(random)
        arguments = arguments_of(random, subcommand)
        status, out, err = command(monkeypatch, *arguments, stdin=data)
        check(arguments, status, out, err)
        statuses.add(status)
    assert len(statuses) > (subcommand == "instances")


@pytest.mark.parametrize("name", sample(HOSTILE_FILES, 5))
def test_error_for_a_foreign_file_names_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    Path("file").write_bytes(HOSTILE_FILES[name])
    status, out, err = command(monkeypatch, "solve", "file", "--format", "jsonl", "--jobs", "1")
    assert (status, out) == (1, b"")
    assert re.match(rb"error: file(, line \d+)?: ", err)
    assert len(err) < 5_000
    status, out, err = command(monkeypatch, "grade", "file", "--format", "jsonl", "--jobs", "1")
    check(["grade", name], status, out, err)
    assert status == (0 if name in ("nothing", "a byte order mark", "spaces") and not out else 1)


@pytest.mark.parametrize(
    "place", sample(["folder", "pipe", "loop", "missing.json", "/dev/zero", "a" * 5000, "a\udcff", "", "[", "\n"])
)
def test_invalid_problem_argument_is_a_usage_error(folder: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    for subcommand in ("solve", "instances", "compare", "explain"):
        status, out, err = command(monkeypatch, subcommand, place)
        check([subcommand, place], status, out, err)
        assert (status, out) == (2, b"")


def test_file_names_cannot_send_terminal_control_sequences(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evil = "\x1b[2J\x1b]0;title\x07\x9b2J"
    Path(f"{evil}.json").write_text("{}")
    for arguments in (["next", f"{evil}.json"], ["gantt", f"{evil}.json", "-o", "x.png"], ["solve", f"{evil}.json"]):
        status, out, err = command(monkeypatch, *arguments)
        assert status == 1
        assert b"\x1b" not in out + err
        assert "\x9b".encode() not in out + err


def test_read_error_in_submissions_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/proc/self/mem").exists():
        pytest.skip("this system has no file that can be opened but not read")
    for subcommand in ("critique", "regret", "repair"):
        status, _, err = command(monkeypatch, subcommand, "/proc/self/mem")
        assert status == 1
        assert b"cannot be read any further" in err
