"""Files that submissions may name, messages about other files, and files that are opened."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from support.runner import CliRunner
from support.samples import sample

from planoracle import grade
from planoracle.analysis.batch.submission_tasks import Grading
from planoracle.analysis.cli import app
from planoracle.analysis.grading.problem_loader import Places, Problems
from planoracle.instances.errors import InputError, _show

SECRET = "hunter2"
ROOT = Path(__file__).parents[3]
PLAN = [{"action": "tea/boil", "start": 0, "duration": 5, "agent": "cook"}]
REFUSED = (
    "instance: no problem has this name; files are accepted only from folders given with --instances, or with "
    "--trust-paths"
)
#: Invalid problem files in every format whose reader quotes unreadable content.
SECRETS = {
    "conf.json": json.dumps({"password": SECRET}),
    "list.json": json.dumps([SECRET]),
    "key.json": json.dumps({"format": "planoracle/instance", "version": 1, "name": "x", "tasks": [], SECRET: SECRET}),
    "own.json": json.dumps({"format": f"planoracle/{SECRET}"}),
    "kitchen.json": json.dumps({"stations": SECRET, "goal": []}),
    "c.txt": f"{SECRET}:0\n",
    "d.sch": f"3 1 0 0\n{SECRET} 1 2\n",
    "e.sm": f"jobs (incl. supersource/sink ): {SECRET}\nPRECEDENCE RELATIONS:\n{SECRET} 1\n",
    "f.jss": f"2 2\n{SECRET} 3 1 2\n",
}
#: Commands that read submissions, with options that write all results to standard output.
COMMANDS = {
    "grade": ("--format", "jsonl", "--jobs", "1", "--no-cache"),
    "critique": ("--format", "jsonl", "--no-regret"),
    "regret": ("--format", "jsonl"),
    "repair": ("--format", "jsonl"),
    "report": ("-o", "page.html", "--regret-seconds", "0"),
    "audit": ("--format", "jsonl"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: problems in ``in``, secrets in ``out``, and links between them."""
    monkeypatch.chdir(tmp_path)
    for name in ("in/deep", "out"):
        (tmp_path / name).mkdir(parents=True)
    tea = (ROOT / "instances/examples/tea.json").read_text()
    for name in ("in/tea.json", "in/deep/tea.json", "out/tea.json", "in/a#b~2.json"):
        (tmp_path / name).write_text(tea)
    for name, text in SECRETS.items():
        (tmp_path / "out" / name).write_text(text)
    for link, target in {
        "leak.json": "../out/tea.json",
        "good.json": "tea.json",
        "up": "../out",
        "no.json": "x",
    }.items():
        (tmp_path / "in" / link).symlink_to(target)
    os.mkfifo(tmp_path / "in/pipe.json")
    return tmp_path


def reason(name: str, **options: Any) -> str | None:
    return grade({"id": "x", "instance": name, "plan": PLAN}, **options).reason


def run(command: str, names: list[str], *more: str) -> Any:
    Path("plans.jsonl").write_text("".join(json.dumps({"instance": name, "plan": PLAN}) + "\n" for name in names))
    return CliRunner().invoke(app, [command, "plans.jsonl", *COMMANDS[command], *more], catch_exceptions=False)


@pytest.mark.parametrize(
    "name", ["tea.json", "in/tea.json", "deep/tea.json", "deep/../tea.json", "good.json", "{}/in/tea.json"]
)
def test_files_are_found_relative_to_allowed_and_working_folder(name: str, folder: Path) -> None:
    whole = name.format(folder)
    for end in ("", "#tea-and-toast", "~2", "#tea-and-toast~2"):
        assert reason(whole + end, instances=["in"]) is None
    assert reason(whole, instances=[folder / "in"]) is None
    assert str(reason(whole)).startswith(f"{REFUSED} (got {whole[:40]!r}"[:-1])  # long names are cut


def test_allowed_files_can_have_any_name(folder: Path) -> None:
    for end in ("", "#tea-and-toast", "~3"):
        assert reason(f"a#b~2.json{end}", instances=["in"]) is None


@pytest.mark.parametrize(
    "name",
    sample(
        [
            *(
                "out/tea.json",
                "../out/tea.json",
                "in/../out/tea.json",
                "{}/out/tea.json",
                "{}/in/../out/tea.json",
                "/etc/passwd",
            ),
            *(
                "out/none.json",
                "../" * 9 + "etc/passwd",
                "~/x.json",
                "file:///etc/passwd",
                "\\\\host\\share\\x",
                "C:\\x",
            ),
            *("/proc/self/environ", "/dev/stdin", "/dev/zero", "/etc/passwd#x", "/etc/passwd~2", "//etc/passwd"),
        ]
    ),
)
def test_error_does_not_reveal_existence_of_other_files(name: str, folder: Path) -> None:
    name = name.format(folder)
    for options in ({}, {"instances": ["in"]}, {"instances": ["in/tea.json"]}):
        assert reason(name, **options) == f"{REFUSED} (got {_show(name)})"


def test_link_to_file_outside_allowed_folders_is_rejected(folder: Path) -> None:
    for name in ("leak.json", "in/leak.json", "up/tea.json", "up/conf.json"):
        assert "is outside the folders" in str(reason(name, instances=["in"]))
    assert reason("up/tea.json", instances=["in", "out"]) is None
    (folder / "linked").symlink_to("in")
    assert reason("tea.json", instances=["linked"]) is None
    assert reason("linked/tea.json", instances=["in"]) == f"{REFUSED} (got 'linked/tea.json')"
    assert "cannot be read" in str(reason("no.json", trust_paths=True, instances=["in"]))


def test_error_does_not_reveal_content_of_file(folder: Path) -> None:
    for options in ({"instances": ["."]}, {"trust_paths": True}):
        for name in SECRETS:
            message = str(reason(f"out/{name}", **options))
            assert "is not a valid problem file" in message, name
            assert SECRET not in message
    (folder / "in/two.json").write_text(json.dumps({"format": "planoracle/instance", "version": 1, "name": SECRET}))
    assert SECRET not in str(reason("in/tea.json#hunter", trust_paths=True))


def test_only_regular_files_are_opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("in/s.json")
        names = [
            "in/pipe.json",
            "in/s.json",
            "in/deep",
            "in",
            "/dev/null",
            "/dev/zero",
            "/dev/stdin",
            "/proc/self/environ",
        ]
        names += ["/proc/self/fd/0", "/proc/self/maps", "/proc/cpuinfo", "/sys/kernel/uevent_seqnum", "/dev"]
        opened: list[object] = []
        real = os.open
        monkeypatch.setattr(
            os, "open", lambda path, *rest, **named: (opened.append(path), real(path, *rest, **named))[1]
        )
        for name in names:
            for options in ({"trust_paths": True}, {"trust_paths": True, "instances": ["/"]}):
                if os.path.exists(name):
                    assert "is not a regular file" in str(reason(name, **options)), name
        assert opened == []
        assert reason("in/tea.json", trust_paths=True) is None
        assert [one for one in opened if folder in Path(str(one)).parents] == [
            str(folder / "in/tea.json")
        ]  # and a cache


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_commands_reject_files_outside_allowed_folders(command: str, folder: Path) -> None:
    names = ["in/tea.json", *(f"out/{name}" for name in SECRETS), "/etc/passwd", "in/pipe.json", "timearena/lab1"]
    for more, good in (
        ((), ()),
        (("--instances", "in"), (0,)),
        (("--problems", "in/tea.json"), (0,)),
        (("--trust-paths",), (0,)),
    ):
        result = run(command, names, *more)
        output = result.stdout + result.stderr
        assert SECRET not in output
        assert "root:" not in output
        refused = [i for i in range(len(names) - 1) if f"line {i + 1}: instance: " in result.stderr]
        assert (0 in refused) == (not good), (command, more, result.stderr)
        assert set(range(1, len(names) - 1)) <= set(refused), (command, more, result.stderr)
    assert result.exit_code == 1


@pytest.mark.slow
def test_named_problems_precede_files_and_missing_folder_is_rejected(folder: Path) -> None:
    assert json.loads(run("grade", ["tea-and-toast"], "--problems", "in/tea.json").stdout)["scored"]
    assert run("grade", ["tea"], "--instances", "none").exit_code == 2
    assert run("grade", ["tea"], "--instances", "in/tea.json").exit_code == 2


def test_workers_accept_the_same_files(folder: Path) -> None:
    places = Places(("in",))
    answer = Grading(is_cached=False, places=places).start()
    for name in ("tea.json", "pipe.json", "out/tea.json", "leak.json"):
        reason = json.loads(answer({"instance": name, "plan": PLAN}).text)["reason"]
        if name == "tea.json":
            assert reason is None
        else:
            with pytest.raises(InputError) as caught:
                Problems(places=places).find(name)
            assert str(caught.value) == reason
