"""Batches on a dask cluster: the same rows as on one machine, and errors that name the cluster."""

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
from importlib.util import find_spec
from pathlib import Path

import pytest
from support import worker_tasks
from support.batches import run_to_end, start, stored_rows, submissions, within, write
from support.runner import invoke

from planoracle.analysis.batch import cluster as module
from planoracle.instances.errors import WorkerError
from planoracle.instances.files import catalog, instance_file
from planoracle.instances.workers.pool import Ready, TaskFailure
from planoracle.instances.workers.worker import NO_LIMITS, TaskLimits

if find_spec("distributed") is None:
    pytest.skip("distributed is not installed (the extra cluster)", allow_module_level=True)


@pytest.fixture(scope="module")
def cluster():
    """Cluster with two worker processes of one thread each, which can import `support.worker_tasks`."""
    import distributed  # late: it takes a second

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "memory_limit": 0}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]), prepend=os.pathsep)
        with distributed.LocalCluster(processes=True, **options) as dask_cluster:
            yield dask_cluster


@pytest.fixture
def many(tmp_path):
    return write(tmp_path / "many.jsonl", submissions(600))


@pytest.mark.slow
def test_answers_are_in_order_and_limits_apply_to_each_task(cluster):
    connected = module.DaskCluster(worker_tasks.start, TaskLimits(0.4, 300), cluster.scheduler_address)
    source = ["sleep 0.2", "spin", "a", Ready("ready"), "divide", "kill", "hog 400", "b", "refuse is odd"]
    answers = [str(one.error) if isinstance(one, TaskFailure) else one for one in connected.map(source)]
    connected.close()
    assert [answer.partition(" (")[0].partition(":")[0] for answer in answers] == [
        *("0.2", "takes more than 0.4 s of processor time", "a", "ready", "ZeroDivisionError"),
        *("ends its worker process", "needs more than 300 MB of memory", "b", "is odd"),
    ]


@pytest.mark.slow
def test_killed_cluster_worker_changes_no_row(cluster, many, tmp_path):
    alone = invoke("grade", many, "--format", "jsonl", "--jobs", "1", "--run", tmp_path / "alone")
    args = ["grade", many, "--format", "jsonl", "--cluster", cluster.scheduler_address, "--run", tmp_path / "run"]
    with open(tmp_path / "out", "wb") as out:
        process = start(*args, stdout=out)
    assert within(30, lambda: (tmp_path / "out").stat().st_size > 20_000)
    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert (tmp_path / "out").read_text() == alone.stdout
    messages = [
        line for line in err.decode().splitlines() if "distributed.client" not in line
    ]  # which requests the tasks again
    assert messages == alone.stderr.splitlines()
    assert stored_rows(tmp_path / "run") == stored_rows(tmp_path / "alone")


@pytest.mark.slow
def test_files_are_read_locally_and_sent_to_the_cluster(cluster, tmp_path, monkeypatch):
    """The workers of the cluster are in another folder."""
    monkeypatch.chdir(tmp_path)
    instance = catalog.load("recipe2plan/timed/Cobbler_Pancakes")
    (tmp_path / "own.json").write_text(json.dumps(instance_file.to_document(instance) | {"name": "mine"}))
    solved = invoke("solve", "own.json", "-f", "jsonl", "--cluster", cluster.scheduler_address)
    mine = json.loads(solved.stdout)
    assert (mine["instance"], mine["status"], mine["makespan"]) == ("mine", "optimal", 4080)
    write(tmp_path / "s.jsonl", [{"id": "a", "instance": "mine", "plan": mine["plan"]}, {"id": "b", "instance": "no"}])
    call = ("grade", "s.jsonl", "-f", "jsonl", "--problems", "own.json")
    graded = invoke(*call, "--cluster", cluster.scheduler_address)
    assert [json.loads(line)["success"] for line in graded.stdout.splitlines()] == [True, None]
    assert graded.stdout == invoke(*call).stdout


def test_task_for_other_versions_is_refused():
    with pytest.raises(WorkerError, match=r"has other versions: planoracle .*; expected planoracle 99"):
        module.run(b"", NO_LIMITS, {"planoracle": "99"}, "a")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://"])
@pytest.mark.slow
def test_unreachable_scheduler_is_an_error(monkeypatch, address):
    monkeypatch.setattr(module, "_SEARCH", 0.5)
    with pytest.raises(WorkerError, match=f"the cluster at {address} cannot be reached"):
        module.DaskCluster(worker_tasks.start, NO_LIMITS, address)


def test_missing_distributed_is_an_error_that_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(WorkerError, match=r"install planoracle\[cluster\]"):
        module.DaskCluster(worker_tasks.start, NO_LIMITS, "tcp://127.0.0.1:9")


def dask(place, *args, **options):
    """Start a scheduler or a worker, which connect by a file."""
    call = [sys.executable, "-m", "dask", *args, "--no-dashboard", "--host", "127.0.0.1", "--scheduler-file", place]
    return subprocess.Popen([str(arg) for arg in call], stdout=-3, stderr=-3, start_new_session=True, **options)


def end(*processes):
    for one in processes:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(one.pid, signal.SIGKILL)
        one.wait()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl to make certificates")
def test_cluster_with_tls_refuses_clients_without_its_certificate(tmp_path):
    """Run the commands of the page on batches."""
    path = write(tmp_path / "s.jsonl", submissions(30))
    text = (Path(__file__).parents[3] / ".docs" / "reference" / "batches.md").read_text()
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
        assert within(30, place.exists)
        address = json.loads(place.read_text())["address"]
        assert address.startswith("tls://")
        call = ["grade", path, "-f", "jsonl", "--cluster"]
        status, out, _ = run_to_end(*call, place, env=os.environ | ours)
        assert (status, out.decode()) == (0, invoke("grade", path, "-f", "jsonl", "--jobs", "1").stdout)
        others = [(address, theirs), (address, {}), (address.replace("tls", "tcp"), {})]
        for other_address, variables in others:
            status, out, err = run_to_end(*call, other_address, env=os.environ | variables)
            assert (status, out, err.count("\n")) == (1, b"", 1), err
            assert err.startswith(f"error: the cluster at {other_address} ")
    finally:
        end(scheduler, worker)


@pytest.mark.slow
def test_scheduler_that_ends_during_a_run_is_an_error(many, tmp_path):
    place = tmp_path / "scheduler.json"
    scheduler, worker = dask(place, "scheduler", "--port", "0"), dask(place, "worker", "--nthreads", "1")
    try:
        assert within(30, place.exists)
        with open(tmp_path / "out", "wb") as out:
            call = ["grade", many, "-f", "jsonl", "--run", tmp_path / "run"]
            process = start(*call, "--cluster", place, stdout=out)
        assert within(30, lambda: (tmp_path / "out").stat().st_size > 1_000)
        os.killpg(scheduler.pid, signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 1
        assert f"error: the cluster at {place} failed" in err.decode()
        assert "Traceback" not in err.decode()
    finally:
        end(scheduler, worker)
    status, out, _ = run_to_end(*call)
    assert (status, out.decode()) == (0, invoke("grade", many, "-f", "jsonl", "--jobs", "1").stdout)
