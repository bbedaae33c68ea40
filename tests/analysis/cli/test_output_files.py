"""Output files: complete or unchanged after any fault during writing."""

from __future__ import annotations

import ast
import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support.runner import invoke
from support.samples import sample

from planoracle.analysis import console
from planoracle.analysis.cli.commands import run_app
from planoracle.analysis.console import output_file

ROOT = Path(__file__).resolve().parents[3]
NAME = "timearena/household1"
#: Commands that write a file, which is their last argument.
COMMANDS = {
    "gantt": ["gantt", NAME, "-o", "old.svg"],
    "explain": ["explain", NAME, "--out", "old.jsonl"],
    "report": ["report", "s.jsonl", "-o", "old.html", "--regret-seconds", "0"],
    "collect": ["grade", "s.jsonl", "--collect", "old.jsonl"],
    "summary": ["grade", "s.jsonl", "--summary", "old.csv"],
}
#: Commands with an option for an output file, which is the last argument, and its ending.
OPTIONS = {
    "gantt": (["gantt", NAME, "-o"], ".svg"),
    "explain": (["explain", NAME, "--out"], ".jsonl"),
    "report": (["report", "s.jsonl", "--regret-seconds", "0", "-o"], ".html"),
    "collect": (["grade", "s.jsonl", "--collect"], ".jsonl"),
    "summary": (["grade", "s.jsonl", "--summary"], ".csv"),
    "grade --by": (["grade", "s.jsonl", "--by", "cause", "-o"], ".png"),
    "grade --report": (["grade", "s.jsonl", "--report"], ".html"),
    "run --report": (["run", NAME, "--agent", "greedy", "--run", "run", "--report"], ".html"),
    "compare": (["compare", NAME, "--methods", "optimum,greedy", "-o"], ".svg"),
    "export": (["solve", NAME, "--export"], ".mzn"),
}
#: Commands with an option for an output folder, which is the last argument.
FOLDERS = {
    "grade --run": ["grade", "s.jsonl", "--run"],
    "solve --run": ["solve", NAME, "--run"],
    "run --run": ["run", NAME, "--agent", "greedy", "--run"],
    "generate": ["generate", "generic", "--count", "1", "--out"],
    "copy": ["run", "timearena", "--copy-prompts"],
    "benchmark": ["benchmark", "new", "warehouse", "--to"],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "s.jsonl").write_text('{"id": "a", "instance": "timearena/household1", "plan": "wait"}\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.slow
@pytest.mark.parametrize("command", sample(COMMANDS))
def test_full_disk_keeps_the_old_file(folder: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    old = folder / COMMANDS[command][COMMANDS[command].index("old" + Path(COMMANDS[command][3]).suffix)]
    old.write_text("old")
    before = sorted(os.listdir(folder))
    monkeypatch.setattr(console.os, "fsync", full)
    done = invoke(*COMMANDS[command])
    assert done.exit_code != 0
    assert old.read_text() == "old"
    assert sorted(os.listdir(folder)) == before
    monkeypatch.undo()
    os.chdir(folder)
    invoke(*COMMANDS[command])
    assert old.stat().st_size > len("old")
    assert sorted(os.listdir(folder)) == before


def status_of(monkeypatch: pytest.MonkeyPatch, call: list[str]) -> int:
    monkeypatch.setattr(sys, "argv", ["planoracle", *call])
    return run_app()


@pytest.mark.parametrize("command", sample(OPTIONS, 4))
@pytest.mark.parametrize("fault", ["folder", "no folder", "file for a folder", "full"])
def test_output_that_cannot_be_written_has_exit_status_1(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, fault: str
) -> None:
    call, ending = OPTIONS[command]
    if (command, fault) == ("explain", "folder"):
        pytest.skip("a folder is an archive of proofs")
    name = {"no folder": "none/x", "file for a folder": "s.jsonl/x"}.get(fault, "x") + ending
    if fault == "folder":
        (folder / name).mkdir()
    if fault == "full":
        monkeypatch.setattr(console.os, "fsync", full)
    before = sorted(os.listdir(folder))
    assert status_of(monkeypatch, [*call, name]) == 1
    message = capsys.readouterr().err
    assert message.count("cannot be written") == 1
    assert name in message or (command, fault) == ("run --report", "full")  # of which the submissions come first
    assert sorted(name for name in os.listdir(folder) if name != "run") == before


@pytest.mark.parametrize("command", FOLDERS)
def test_output_folder_that_is_a_file_has_exit_status_1(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    before = (folder / "s.jsonl").read_text()
    assert status_of(monkeypatch, [*FOLDERS[command], "s.jsonl"]) == 1
    assert capsys.readouterr().err.startswith("error: s.jsonl")
    assert (folder / "s.jsonl").read_text() == before


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_killed_process_keeps_the_old_file(folder: Path, number: int) -> None:
    (folder / "old.txt").write_text("old")
    code = (
        "import os\nfrom planoracle.analysis.console import output_file\n"
        f"with output_file('old.txt') as stream:\n"
        f"    stream.write('n' * 1_000_000)\n    stream.flush()\n    os.kill(os.getpid(), {int(number)})\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, check=False)
    assert done.returncode == -number
    assert (folder / "old.txt").read_text() == "old"


def test_error_during_writing_keeps_the_old_file(folder: Path) -> None:
    path = folder / "old.txt"
    path.write_text("old")
    with pytest.raises(TypeError), output_file(path) as stream:
        stream.writelines(["new", None])  # type: ignore[list-item]
    assert path.read_text() == "old"
    assert sorted(os.listdir(folder)) == ["old.txt", "s.jsonl"]


def test_errors_name_the_file(folder: Path) -> None:
    for path, number in (("none/a.txt", errno.ENOENT), (".", errno.EISDIR)):
        with pytest.raises(OSError, match=os.strerror(number)) as raised, output_file(path) as stream:
            stream.write("new")
        assert (raised.value.errno, raised.value.filename) == (number, path)


def test_links_and_permissions_are_preserved(folder: Path) -> None:
    target, link = folder / "target.txt", folder / "link.txt"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to("target.txt")
    with output_file(link) as stream:
        stream.write("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_new_files_have_permissions_by_umask(folder: Path) -> None:
    before = os.umask(0o027)
    try:
        with output_file("new.txt") as stream:
            stream.write("new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "new.txt").stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_read_only_file_is_not_replaced(folder: Path) -> None:
    (folder / "s.jsonl").chmod(0o444)
    with pytest.raises(PermissionError), output_file("s.jsonl") as stream:
        stream.write("new")


def test_pipes_are_written(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=-1, cwd=folder) as reader:
        with output_file("pipe") as stream:
            stream.write("new")
        assert reader.communicate(timeout=60)[0] == b"new"
    assert stat.S_ISFIFO((folder / "pipe").stat().st_mode)


@pytest.mark.parametrize("path", ["/dev/stdout", "out.txt"])
def test_standard_output_is_written_in_place(folder: Path, path: str) -> None:
    code = (
        "from planoracle.analysis.console import output_file\n"
        f"with output_file({path!r}) as stream:\n    stream.write('new')"
    )
    for out in ("out.txt", None):
        if path == "out.txt" and out is None:
            continue
        with open(out or os.devnull, "wb") as stream:
            number = os.fstat(stream.fileno()).st_ino
            done = subprocess.run(
                [sys.executable, "-c", code], stdout=stream if out else subprocess.PIPE, cwd=folder, check=True
            )
        if out is None:
            assert done.stdout == b"new"
        else:
            assert ((folder / out).read_text(), (folder / out).stat().st_ino) == ("new", number)


# --- no other place writes files -------------------------------------------------------------------

#: Modules that write streams.
OTHERS = {
    "analysis/cli/output.py",
    "analysis/console.py",
}


def writes(node: ast.AST) -> bool:
    """Return whether a call opens a file for writing, or writes a whole file."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in ("write_text", "write_bytes"):
        return True
    modes = [*node.args, *(word.value for word in node.keywords if word.arg == "mode")]
    texts = [one.value for one in modes if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return name == "open" and any(text in {"w", "wb", "x", "xb", "a", "ab", "w+", "wt"} for text in texts)


@pytest.mark.slow
def test_one_function_writes_all_output_files() -> None:
    modules = set()
    for part in ("analysis", "heuristics", "instances", "solver"):
        for path in (ROOT / part).rglob("*.py"):
            if any(writes(node) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))):
                modules.add(path.relative_to(ROOT).as_posix())
    assert modules == OTHERS
