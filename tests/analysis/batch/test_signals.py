"""Signals: at the start, with worker processes, and during the writing of files."""

from __future__ import annotations

import json
import os
import re
import signal
from threading import Thread
from time import monotonic

import pytest
from support.batches import has_ended, run_to_end, session_processes, start, within
from support.random_instances import job_shop
from support.samples import sample

from planoracle.analysis.grading.oracle import optimum
from planoracle.instances.files.catalog import load
from planoracle.instances.files.instance_file import to_document

# Enough plans for several processes, whose regrets take long.
NAME = "timearena/household1"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    plan = optimum(load(NAME)).plan.splitlines()
    rows = [
        {"id": f"{k}-{n}", "instance": NAME, "actions": [*plan[:k], "wait", *plan[k:]] + ["wait"] * n}
        for k in range(len(plan))
        for n in range(200)
    ]
    path = tmp_path_factory.mktemp("runs") / "runs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("number", sample([signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL], 3))
@pytest.mark.parametrize("subcommand", sample(["report", "grade", "solve"], 3))
def test_workers_end_with_the_process_that_started_them(runs, tmp_path, subcommand, number):
    if number != signal.SIGKILL and signal.getsignal(number) == signal.SIG_IGN:
        pytest.skip("the signal is ignored here, as nohup has it")
    calls = {
        "report": ["report", runs, "-o", tmp_path / "page.html", "--regret-seconds", "600"],
        "grade": ["grade", runs, "--set", "price_waits=true", "--jobs", "2", "--no-cache", "--format", "jsonl"],
        "solve": ["solve", "kitchens/multi_agent", "timearena", "--recompute", "--jobs", "2", "--format", "jsonl"],
    }
    pipes = {"stdout": -3, "stderr": (tmp_path / "stderr").open("wb")}
    process = start(*calls[subcommand], **pipes)
    assert within(60, lambda: len(session_processes(process.pid)) >= 3)  # two workers
    process.send_signal(number)
    status = process.wait(timeout=30)
    report = (tmp_path / "stderr").read_text()
    assert status == (-9 if number == signal.SIGKILL else 128 + number), report
    assert has_ended(process.pid)
    if number != signal.SIGKILL:
        messages = [line for line in report.splitlines() if not line.startswith("note: ")]
        assert messages in ([], ["interrupted: no results are stored; --run DIR stores them"])
        assert os.listdir(tmp_path) == ["stderr"]


# Ends the program once an improvement is reported.
IMPATIENT = """
import os, signal
from planoracle.analysis.cli import solve
improve = solve._ProblemList.improve
solve._ProblemList.improve = lambda self, best: improve(self, best) or os.kill(os.getpid(), signal.SIGTERM)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="no signals are sent here")
def test_interrupted_solve_prints_its_incumbent():
    name = "kitchens/multi_agent/10_potato_tomato_chicken_soup_potato_cheese_onion_soup"
    status, out, message = run_to_end("solve", name, "--time-limit", 600, before=IMPATIENT)
    assert (status, out) == (128 + signal.SIGTERM, b"")
    assert re.match(rf"stopped: {name}: (no plan yet, bound \d+|best \d+, bound \d+, gap [\d.]+%)\n", message)
    assert len(message.splitlines()) == 2


# Sends Ctrl-C half a second after an incumbent is reported.
CTRL_C = """
import os, signal, threading
from planoracle.analysis.cli import solve
original = solve._ProblemList.improve
def improve(self, best):
    original(self, best)
    if best.makespan is not None and not done:
        done.append(threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start())
done = []
solve._ProblemList.improve = improve
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="no signals are sent here")
@pytest.mark.parametrize("options", [(), ("--threads", "2"), ("--heuristic", "improve", "--iterations", "1000000")])
def test_ctrl_c_writes_the_incumbent(options: tuple[str, ...], tmp_path):
    (tmp_path / "shop.json").write_text(json.dumps(to_document(job_shop())))
    call = ["solve", tmp_path / "shop.json", "--time-limit", 600, *options, "--format", "json"]
    began = monotonic()
    status, out, message = run_to_end(*call, before=CTRL_C)
    assert monotonic() - began < 30
    assert (status, message) == (130, "interrupted: no results are stored; --run DIR stores them\n")
    (row,) = json.loads(out)
    assert (row["status"], row.get("proof", row.get("reason"))) == ("feasible", "interrupted")
    assert max(piece["start"] + piece["duration"] for piece in row["schedule"]) == row["makespan"]


# Modules during whose import Ctrl-C is sent: of the start, of a command, and of libraries.
MODULES = ["typer", "planoracle.analysis.cli.commands", "planoracle.analysis.cli.progress"]


@pytest.mark.parametrize("module", sample(MODULES))
def test_ctrl_c_at_the_start_exits_with_130_without_output(module):
    code = (
        "import os, signal, sys\n"
        f"sys.addaudithook(lambda event, about: event == 'import' and about[0] == {module!r}"
        " and os.kill(os.getpid(), signal.SIGINT))"
    )
    assert run_to_end("solve", NAME, before=code) == (130, b"", "")


# --- pages half written --------------------------------------------------------------------------


# The system refuses files of more than 999 bytes.
FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (999, 999))"
# The signal is sent after the new page is written, before it replaces the old one.
SIGNAL = """
import os, sys
def strike(event, about):
    if event == "os.rename" and str(about[1]).endswith("page.html"):
        os.kill(os.getpid(), {number})
sys.addaudithook(strike)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="no signals are sent here")
@pytest.mark.parametrize("old", ["", "an old page"])
@pytest.mark.parametrize(
    ("before", "status", "word"),
    [
        (FULL, 1, "page.html: cannot be written: File too large"),
        (SIGNAL.format(number=int(signal.SIGTERM)), 143, ""),
        (SIGNAL.format(number=int(signal.SIGINT)), 130, ""),
    ],
    ids=["full disk", "SIGTERM", "SIGINT"],
)
def test_interrupted_report_keeps_the_old_page(tmp_path, before, status, word, old):
    row = {"id": "a", "instance": NAME, "actions": []}
    (tmp_path / "runs.jsonl").write_text(json.dumps(row) + "\n")
    page = tmp_path / "page.html"
    if old:
        page.write_text(old)
    call = ["report", tmp_path / "runs.jsonl", "-o", page, "--regret-seconds", "0"]
    ended, _, err = run_to_end(*call, before=before)
    assert (ended, "Traceback" in err) == (status, False)
    assert word in err
    assert sorted(os.listdir(tmp_path)) == (["page.html", "runs.jsonl"] if old else ["runs.jsonl"])
    assert not old or page.read_text() == old


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_report_is_written_into_a_pipe(tmp_path):
    (tmp_path / "runs.jsonl").write_text(json.dumps({"id": "a", "instance": NAME, "actions": []}) + "\n")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = start("report", tmp_path / "runs.jsonl", "-o", pipe, "--regret-seconds", "0")
    read: list[str] = []
    reader = Thread(target=lambda: read.append(pipe.read_text()), daemon=True)  # would wait for ever for a dead writer
    reader.start()
    assert process.wait(timeout=60) == 0
    reader.join(timeout=10)
    assert read[0].endswith("</html>\n")
    process.communicate()
    assert pipe.is_fifo()
