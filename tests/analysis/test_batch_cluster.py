"""Batches on a dask.distributed cluster: the same bytes, whatever happens to its workers."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.batches import finished, start, submissions, write
from support.runner import CliRunner

from planoracle.analysis.batch import work as working
from planoracle.analysis.batch.errors import WorkerError
from planoracle.analysis.batch.grading import Grading
from planoracle.analysis.batch.journal import NAME
from planoracle.analysis.batch.work import Chunk
from planoracle.analysis.cli import app
from planoracle.instances import catalogue, files

if find_spec("distributed") is None:
    pytest.skip("distributed is not installed (the extra cluster)", allow_module_level=True)


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes of one thread each."""
    import distributed  # late: it takes a second

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
    ) as made:
        yield made


def invoke(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.mark.slow
def test_a_worker_killed_at_work_costs_nothing(cluster, tmp_path):
    path = write(tmp_path / "many.jsonl", submissions(1500))
    alone = invoke("grade", path, "--format", "jsonl", "--jobs", "1")
    run = tmp_path / "run" / NAME
    args = ["grade", path, "--format", "jsonl", "--cluster", cluster.scheduler_address, "--run", run.parent]
    process = start(*args, before="")
    while not (run.exists() and run.stat().st_size > 20_000):
        assert process.poll() is None
        time.sleep(0.01)
    victim = next(iter(cluster.workers.values())).pid
    os.kill(victim, signal.SIGKILL)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert out == alone.stdout.encode()
    said = [line for line in err.decode().splitlines() if "distributed.client" not in line]  # that it had to ask again
    assert said == alone.stderr.splitlines()
    # Every result is there once, in order: the same as in a run without a cluster.
    assert invoke("grade", path, "--jobs", "1", "--run", tmp_path / "other").exit_code == 0
    assert run.read_bytes() == (tmp_path / "other" / NAME).read_bytes()


@pytest.mark.slow
def test_files_are_read_here_and_shipped(cluster, tmp_path, monkeypatch):
    # Workers do not stand in this folder, so that they would not find the file.
    monkeypatch.chdir(tmp_path)
    instance = catalogue.load("recipe2plan/timed/Cobbler_Pancakes")
    (tmp_path / "own.json").write_text(json.dumps(files.to_document(instance) | {"name": "mine"}))
    address = cluster.scheduler_address
    solved = invoke("solve", "own.json", "kitchens/synchronous/0_cheese_sandwich", "-f", "jsonl", "--cluster", address)
    assert solved.exit_code == 0, solved.stderr
    mine, _ = map(json.loads, solved.stdout.splitlines())
    assert (mine["instance"], mine["status"], mine["makespan"]) == ("mine", "optimal", 4080)
    write(
        tmp_path / "s.jsonl", [{"id": "a", "instance": "own.json", "plan": mine["plan"]}, {"id": "b", "instance": "no"}]
    )
    graded = invoke("grade", "s.jsonl", "-f", "jsonl", "--instances", ".", "--cluster", address)
    assert [json.loads(line)["success"] for line in graded.stdout.splitlines()] == [True, None]
    assert graded.stdout == invoke("grade", "s.jsonl", "-f", "jsonl", "--problems", "own.json").stdout


@pytest.mark.slow
def test_an_interrupt_leaves_the_cluster_as_it_was(cluster, tmp_path):
    path = write(tmp_path / "many.jsonl", submissions(1500))
    args = ["grade", path, "--format", "jsonl", "--cluster", cluster.scheduler_address]
    with open(tmp_path / "out", "wb") as out:
        process = start(*args, before="", stdout=out)
    while (tmp_path / "out").stat().st_size < 1_000:
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err.decode() == "interrupted: nothing is kept; with --run DIR, what is done would be\n"
    assert invoke("solve", "timearena/household1", "--cluster", cluster.scheduler_address).exit_code == 0


@pytest.mark.slow
def test_workers_of_other_versions_are_refused(cluster, tmp_path):
    path = write(tmp_path / "s.jsonl", submissions(3))
    code = "from planoracle.solver import result\nresult.versions = lambda: {'planoracle': '99', 'ortools': '1'}"
    status, out, err = finished("grade", path, "-f", "jsonl", "--cluster", cluster.scheduler_address, before=code)
    assert (status, out) == (1, b"")
    assert "error: a worker has planoracle " in err
    assert err.endswith(", but planoracle 99, ortools 1 is asked for; install the same\n")


def test_a_chunk_for_other_versions_is_refused():
    with pytest.raises(WorkerError, match=r"a worker has planoracle .*, but planoracle 99 is asked for"):
        working.work_on(Grading(versions=(("planoracle", "99"),)), Chunk([]))


@pytest.mark.slow
def test_a_cluster_that_is_not_there_is_an_error(monkeypatch, tmp_path):
    from planoracle.analysis.batch import cluster as module

    monkeypatch.setattr(module, "_SEARCH", 0.5)
    result = invoke("solve", "timearena/household1", "--cluster", "tcp://127.0.0.1:9")
    assert isinstance(result.exception, WorkerError)
    assert "the cluster at tcp://127.0.0.1:9 cannot be reached" in str(result.exception)
    result = invoke("solve", "timearena/household1", "--cluster", "nonsense://")
    assert isinstance(result.exception, WorkerError)


def test_without_distributed_there_is_a_word_on_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = invoke("solve", "timearena/household1", "--cluster", "tcp://127.0.0.1:9")
    assert isinstance(result.exception, WorkerError)
    assert "install planoracle[cluster]" in str(result.exception)


def dask(place, *args, **options):
    """Start a scheduler or a worker, which meet by a file."""
    call = [sys.executable, "-m", "dask", *args, "--no-dashboard", "--host", "127.0.0.1", "--scheduler-file", place]
    return subprocess.Popen([str(arg) for arg in call], stdout=-3, stderr=-3, start_new_session=True, **options)


def end(*processes):
    for one in processes:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(one.pid, signal.SIGKILL)
        one.wait()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl to make certificates")
def test_with_certificates_only_those_who_have_one_get_in(tmp_path):
    """As the README has it."""
    path = write(tmp_path / "s.jsonl", submissions(30))
    text = (Path(__file__).parents[2] / "analysis" / "batch" / "README.md").read_text()
    make = re.search(r"^ *(openssl req .*?)(  #.*)?$", text, re.M)[1]
    exports = dict(re.findall(r"^ *export (DASK_\w+)=\$PWD/(\S+)", text, re.M))
    assert len(exports) == 3
    folders = tmp_path / "ours", tmp_path / "theirs"
    for folder in folders:
        folder.mkdir()
        subprocess.run(shlex.split(make), cwd=folder, check=True, capture_output=True)
    ours, theirs = ({name: str(folder / file) for name, file in exports.items()} for folder in folders)
    place = tmp_path / "scheduler.json"
    options = shlex.split(re.search(r"^ *dask worker --scheduler-file scheduler.json (--tls.*?)$", text, re.M)[1])
    scheduler = dask(place, "scheduler", "--port", "0", "--protocol", "tls", *options, cwd=folders[0])
    worker = dask(place, "worker", "--nthreads", "1", *options, cwd=folders[0])
    try:
        while not place.exists():
            assert scheduler.poll() is None
            time.sleep(0.05)
        address = json.loads(place.read_text())["address"]
        assert address.startswith("tls://")
        call = ["grade", path, "-f", "jsonl", "--cluster"]
        status, out, _ = finished(*call, place, before="", env=os.environ | ours)
        assert (status, out.decode()) == (0, invoke("grade", path, "-f", "jsonl", "--jobs", "1").stdout)
        others = [(address, theirs), (address, {}), (address.replace("tls", "tcp"), {})]
        for where, variables in others:
            status, out, err = finished(*call, where, before="", env=os.environ | variables)
            assert (status, out, err.count("\n")) == (1, b"", 1), err
            assert err.startswith(f"error: the cluster at {where} ")
    finally:
        end(scheduler, worker)


@pytest.mark.slow
def test_a_scheduler_that_goes_away_is_an_error(tmp_path):
    path = write(tmp_path / "many.jsonl", submissions(1500))
    place = tmp_path / "scheduler.json"

    scheduler = dask(place, "scheduler", "--port", "0")
    worker = dask(place, "worker", "--nthreads", "1")
    try:
        run = tmp_path / "run" / NAME
        while not place.exists():
            assert scheduler.poll() is None
            time.sleep(0.05)
        process = start("grade", path, "-f", "jsonl", "--cluster", place, "--run", run.parent, before="")
        while not (run.exists() and run.stat().st_size > 20_000):
            assert process.poll() is None
            time.sleep(0.01)
        os.killpg(scheduler.pid, signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 1
        assert f"error: the cluster at {place} failed" in err.decode()
        assert "Traceback" not in err.decode()
    finally:
        end(scheduler, worker)
    status, out, _ = finished("grade", path, "-f", "jsonl", "--run", run.parent, before="")
    assert (status, out.decode()) == (0, invoke("grade", path, "-f", "jsonl", "--jobs", "1").stdout)
