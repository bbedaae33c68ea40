"""Compare our solver with plain CP-SAT, PyJobShop and an earlier release, with equal limits.

``python tests/benchmarks/solvers.py run SET... --results FILE`` solves, and continues where an earlier call stopped;
``python tests/benchmarks/solvers.py table FILE`` prints the page of results.
"""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".namespace"))

from planoracle.instances.files import catalog
from planoracle.instances.files.instance_file import to_document
from planoracle.instances.generate.styles import generate
from planoracle.instances.model.instance import Instance
from tests.benchmarks.solver_table import core_share, has_commit, page
from tests.support.random_projects import job_shop

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

#: Endings of instance files, and the folders of ``shared`` that have them; a folder is also the name of all its sets.
ENDINGS = ("sm", "sch", "jss", "rcp")
FOLDERS = ("literature", "large")
#: Draws of the generated sets ``generated-N``, of N actions with maximum lags, and ``generated-ordinary-N``, without.
DRAWS = 3
#: Actions from which each solve has a process of its own, so that its peak of memory is its own.
MANY = 80
METHODS = ("ours", "release", "plain", "core", "pyjobshop")


@dataclass(frozen=True)
class Case:
    """Problem of a set.

    Attributes
    ----------
    set, file
        Names in the results.
    source
        Name or path from which `catalog` reads the problem; ``None`` for a generated one.
    best_known
        Best known makespan, or ``"unsat"`` for an infeasible problem.
    """

    set: str
    file: str
    source: str | None
    best_known: int | str | None = None

    def problem(self) -> Any:
        """Read or generate the problem."""
        if self.source is not None:
            return catalog.single(self.source)
        actions = int(self.set.rpartition("-")[2])
        windows = 0.0 if self.set.startswith("generated-ordinary") else 0.3
        size = {"tasks": max(1, actions // 50), "actions": min(actions, 50)}
        kind = {"resources": 4, "agents": 2, "attended": 1, "interruptible": 0.0, "windows": windows}
        return generate("generic", 48, int(self.file), **size, **kind).problem


def cases_of(name: str, shared: Path) -> list[Case]:
    """Return the problems of a set: a folder of ``shared``, a generated set, or names of `catalog`."""
    if re.fullmatch(r"generated-(ordinary-)?\d+", name):
        return [Case(name, str(draw), None) for draw in range(DRAWS)]
    cases = [
        case
        for top in FOLDERS
        for folder in sorted(path for path in (shared / top).rglob("*") if path.is_dir())
        if f"{top}/{(title := folder.relative_to(shared / top).as_posix())}/".startswith((f"{name}/", f"{top}/{name}/"))
        for case in _cases_in(folder, title)
    ]
    return cases or [Case(name, member, member) for member in catalog.expand([name])]


def _cases_in(folder: Path, title: str) -> Iterator[Case]:
    best = {}
    for table in (folder / "best_known.csv", folder / "optimum.csv", folder.parent / "best_known.csv"):
        if table.is_file():
            with table.open(newline="", encoding="utf-8") as stream:
                best |= {row[1]: row[2] for row in map(_columns, csv.reader(stream)) if row[0] in ("", title)}
    files = [path for path in folder.iterdir() if path.suffix[1:] in ENDINGS]
    for path in sorted(files, key=lambda path: [int(part) for part in re.findall(r"\d+", path.name)]):
        yield Case(title, path.name, str(path), _upper(best.get(path.name, "")))


def _columns(row: list[str]) -> tuple[str, str, str]:
    """Return set, file and best known value of a row of a table, in one of its three layouts."""
    if len(row) == 3:
        return row[0], row[1], row[2]
    return "", row[0], row[2 if len(row) > 2 else 1]  # file, lower bound, upper bound, ...; or file, value


def _upper(text: str) -> int | str | None:
    """Return the upper bound of a best known value, such as ``127..138``."""
    upper = text.rpartition("..")[2]
    return int(upper) if upper.isdecimal() else "unsat" if upper == "unsat" else None


def commit_of(checkout: Path) -> str:
    """Return the last commit that changed the solver of a checkout, with a digest of changes since then."""
    folders = ("instances", "heuristics", "solver")

    def git(*arguments: str) -> str:
        return subprocess.run(["git", "-C", checkout, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout

    commit = git("log", "-1", "--format=%h", "--", *folders).strip()
    changes = git("diff", "HEAD", "--", *folders)
    return f"{commit}+{blake2b(changes.encode(), digest_size=2).hexdigest()}" if changes else commit


class Worker:
    """Process that solves problems by one method, with the code of one checkout."""

    def __init__(self, method: str, checkout: Path, warm_up: Path) -> None:
        paths = [str(checkout / ".namespace"), *filter(None, [os.environ.get("PYTHONPATH")])]
        script = Path(__file__).with_name("solver_worker.py")
        self.process = subprocess.Popen(
            [sys.executable, str(script), method, str(warm_up)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,  # an interrupt is for the parent process only
        )
        self.fresh = True
        start = self._answer(120)
        if not Path(start.get("planoracle", "")).is_relative_to(checkout):
            self.close()
            raise RuntimeError(f"worker of {method} does not run the code of {checkout} (got {start})")

    def solve(self, problem: str, seconds: float) -> dict[str, Any]:
        """Return the answer about a problem; the process is killed if there is none long after the limit."""
        assert self.process.stdin is not None
        fresh, self.fresh = self.fresh, False
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps({"problem": problem, "seconds": seconds}) + "\n")
            self.process.stdin.flush()
        answer = self._answer(4 * seconds + 60)
        return answer if fresh else answer | {"peak_mb": None}

    def _answer(self, seconds: float) -> dict[str, Any]:
        assert self.process.stdout is not None
        timer = threading.Timer(seconds, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        return (
            json.loads(line)
            if line
            else {"status": "error", "message": f"no answer within {seconds:g} s, or the process crashed"}
        )

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()


class Measurement:
    """Runs of cases by methods, which are appended to a file of results.

    Parameters
    ----------
    checkouts
        Checkout of each method.
    share
        Earlier runs of a second or more that had less than this share of a core do not count.
    folder
        Folder for problem files of the worker processes.
    """

    def __init__(self, checkouts: dict[str, Path], seconds: float, results: Path, share: float, folder: Path) -> None:
        self.checkouts = checkouts
        self.seconds = seconds
        self.results = results
        self.folder = folder
        self.commits = {method: commit_of(checkout) for method, checkout in checkouts.items()}
        self.ortools = version("ortools")
        data = results.read_bytes() if results.exists() else b""
        if data and not data.endswith(b"\n"):  # of an interrupted run
            os.truncate(results, data.rfind(b"\n") + 1)
        self.done = {self.key(row) for row in read_results(results) if core_share(row) >= share}
        self.lock = threading.Lock()
        self.local = threading.local()
        self.workers: list[Worker] = []
        self.stopped = False
        self.warm_up = folder / "warm_up.json"
        self.warm_up.write_text(json.dumps(to_document(job_shop(6, 6, 1))))

    def key(self, row: dict[str, Any]) -> tuple[Any, ...]:
        """Return what identifies a run: for our own solver, also the commit."""
        commit = row["commit"] if has_commit(row["method"]) else None
        return row["set"], row["file"], row["method"], row["seconds"], row["ortools"], commit

    def row(self, case: Case, method: str) -> dict[str, Any]:
        """Return the fields of a run that are known before it."""
        row = {"set": case.set, "file": case.file, "method": method, "seconds": self.seconds}
        return row | {"commit": self.commits[method], "ortools": self.ortools}

    def pending(self, case: Case) -> list[str]:
        """Return the methods by which a case has not been solved yet."""
        return [method for method in self.checkouts if self.key(self.row(case, method)) not in self.done]

    def run(self, cases: Iterable[Case], jobs: int) -> None:
        """Solve all cases in some threads, each with worker processes of its own."""
        cases = [case for case in cases if self.pending(case)]
        console = Console(stderr=True)
        pool = ThreadPoolExecutor(jobs)
        with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
            bar = progress.add_task("problems", total=len(cases))
            try:
                for future in as_completed([pool.submit(self.solve, case) for case in cases]):
                    future.result()
                    progress.advance(bar)
            finally:
                self.stopped = True
                pool.shutdown(wait=False, cancel_futures=True)
                for worker in self.workers:
                    worker.close()
                pool.shutdown()

    def solve(self, case: Case) -> None:
        """Solve a case by all methods that have not solved it yet."""
        problem = case.problem()
        actions = len(problem.actions) if isinstance(problem, Instance) else None
        name = case.source or ""
        if actions is not None and (not name or catalog.is_file(name)):
            name = str(self.folder / f"{threading.get_ident()}.json")
            Path(name).write_text(json.dumps(to_document(problem)))  # a format that earlier releases read, too
        for method in self.pending(case):
            if self.stopped:
                return
            answer = self.worker(method, fresh=actions is not None and actions >= MANY).solve(name, self.seconds)
            if self.stopped:
                return
            self.write(self.row(case, method) | {"actions": actions, "best_known": case.best_known} | answer)

    def worker(self, method: str, *, fresh: bool) -> Worker:
        """Return this thread's worker for a method, a new one if needed."""
        workers: dict[str, Worker] = self.local.__dict__
        worker = workers.get(method)
        if worker is not None and (fresh or worker.process.poll() is not None):
            worker.close()
            with self.lock:
                self.workers.remove(worker)
            worker = None
        if worker is None:
            worker = workers[method] = Worker(method, self.checkouts[method], self.warm_up)
            with self.lock:
                self.workers.append(worker)
            if self.stopped:
                worker.close()
        return worker

    def write(self, row: dict[str, Any]) -> None:
        """Append a row to the results."""
        with self.lock, self.results.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")
        if row["status"] == "error":
            print(f"{row['set']}/{row['file']}: {row['method']}: {row['message']}", file=sys.stderr)


def read_results(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of results, without a last line that is not complete."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


@app.command()
def run(
    sets: Annotated[
        list[str],
        typer.Argument(help="Sets: rcpsp/j30, rcpsp_max, literature, large, generated-1000, or names of problems."),
    ],
    results: Annotated[Path, typer.Option(help="JSON Lines file; runs in it are not repeated.")],
    methods: Annotated[
        str, typer.Option(help="Methods, separated by commas; -N for N workers.")
    ] = "ours,plain,core,pyjobshop",
    seconds: Annotated[float, typer.Option(help="Wall time limit of each solve (s).")] = 10.0,
    jobs: Annotated[int, typer.Option(help="Number of simultaneous solves.")] = 1,
    files: Annotated[str, typer.Option(help="Only these files, separated by commas, with or without ending.")] = "",
    sample: Annotated[int, typer.Option(help="Number of files to draw at random; 0 for all.")] = 0,
    seed: Annotated[int | None, typer.Option(help="Seed of the draw.")] = None,
    share: Annotated[float, typer.Option(help="Repeat runs that had less than this share of a core.")] = 0.0,
    release: Annotated[Path | None, typer.Option(help="Checkout of the method 'release'.")] = None,
    shared: Annotated[Path, typer.Option(help="Folder with the folders literature and large.")] = SHARED,
) -> None:
    """Solve the problems of some sets by several methods."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends worker processes as Ctrl-C does
    checkouts = {}
    for method in methods.split(","):
        name = re.sub(r"-[1-9]\d*$", "", method)
        if name not in METHODS:
            raise typer.BadParameter(f"must be among {', '.join(METHODS)} (got {method!r})")
        if name == "release" and release is None:
            raise typer.BadParameter("method release requires --release FOLDER")
        if name == "pyjobshop" and find_spec("pyjobshop") is None:
            print("PyJobShop is not installed and is skipped (pip install pyjobshop).", file=sys.stderr)
            continue
        checkouts[method] = release.resolve() if name == "release" and release else ROOT
    cases = list(dict.fromkeys(case for name in sets for case in cases_of(name, shared)))
    if files:
        names = set(files.split(","))
        cases = [case for case in cases if case.file in names or Path(case.file).stem in names]
    if sample:
        seed = Random().randrange(10**6) if seed is None else seed
        print(f"sample of {sample} of {len(cases)} files, seed {seed}", file=sys.stderr)
        cases = Random(seed).sample(cases, min(sample, len(cases)))
    with TemporaryDirectory() as folder:
        Measurement(checkouts, seconds, results, share, Path(folder)).run(cases, jobs)
    print(f"{len(cases)} problems, results in {results}", file=sys.stderr)


@app.command()
def table(
    results: Annotated[list[Path], typer.Argument(help="Files of results.")],
    commit: Annotated[str, typer.Option(help="Commit of our solver; by default, that of the last run.")] = "",
    seconds: Annotated[float, typer.Option(help="Limit of the runs to show; by default, that of the last run.")] = 0,
) -> None:
    """Print one page in Markdown: a table of sets and methods, and exceptions."""
    print(page([row for path in results for row in read_results(path)], commit, seconds))


if __name__ == "__main__":
    app()
