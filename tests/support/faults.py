"""A batch whose calls to the system fail where they are told to, as in SQLite's tests.

``faults.c`` stands before the C library, so that whatever asks for a file can be refused, in Python or below it. A
process that has imported everything is forked for every case: a thousand take a minute or two.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pytest

__all__ = ["KINDS", "Broken", "Ended", "Fault", "Workbench", "shim"]

_SOURCE = Path(__file__).with_suffix(".c")
_ORDERS = struct.Struct("qqqqqq32s984s")
_FAIL, _BREAK, _FILL, _SHORT, _KILL, _TEAR = range(6)


class Fault(NamedTuple):
    """How calls fail: what ``faults.c`` does, with which ``errno``, and whether the process is there afterwards."""

    what: int
    error: int = 0
    lives: bool = True

    @property
    def lasts(self) -> bool:
        """Whether later calls fail as well."""
        return self.what in (_BREAK, _FILL)


#: Kinds of faults by name.
KINDS = {
    "a disk gets full": Fault(_FILL, 28),
    "a call fails once": Fault(_FAIL, 5),
    "a disk breaks": Fault(_BREAK, 5),
    "a call is interrupted": Fault(_FAIL, 4),
    "data comes in parts": Fault(_SHORT),
    "killed": Fault(_KILL, lives=False),
    "killed while writing": Fault(_TEAR, lives=False),
    "a disk is read-only": Fault(_FILL, 30),
    "no memory": Fault(_FAIL),
}


class Ended(NamedTuple):
    """What became of a command.

    ``call`` is the first that failed, empty if none did; a ``status`` below zero is that of a signal.
    """

    status: int
    out: bytes
    err: str
    call: str


class Broken(NamedTuple):
    """Where a batch is to be broken: which call, or which allocation."""

    kind: str
    at: int


def shim(folder: Path) -> Path:
    """Compile ``faults.c``; skips where that cannot be done, or would do nothing."""
    if sys.platform != "linux":
        pytest.skip("calls to the system are caught by LD_PRELOAD, and by the names that they have on Linux")
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    made = folder / "faults.so"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", made, _SOURCE, "-ldl"], check=True)
    return made


class Workbench:
    """Runs commands of planoracle, each in a process of its own that is forked from one that is ready."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "orders").write_bytes(bytes(_ORDERS.size))
        environment = os.environ | {"LD_PRELOAD": str(shim(folder)), "PYTHONUNBUFFERED": ""}
        environment.pop("FAULTS", None)
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(folder / "faults.so"), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd=folder,
            text=True,
        )

    @classmethod
    @contextmanager
    def opened(cls, folder: Path) -> Iterator[Workbench]:
        """Have one for a while, which keeps what it needs in a folder."""
        bench = cls(folder)
        try:
            yield bench
        finally:
            assert bench._process.stdin is not None
            bench._process.stdin.close()
            bench._process.wait()
            assert bench._process.stdout is not None
            bench._process.stdout.close()

    def run(
        self,
        args: Sequence[object],
        root: Path,
        cache: Path | None,
        broken: Broken | None = None,
        *,
        eager: bool = False,
    ) -> Ended:
        """Run a command; calls on what is below ``root`` can fail; if that is called ``out``, output as well.

        Parameters
        ----------
        cache
            Folder of the cache of optima; ``None``: where it is by itself, for somebody who has no home.
        eager
            Start other processes at once, if they may be. In these calls fail as well.
        """
        memory = None
        with open(self._folder / "orders", "r+b") as file, mmap.mmap(file.fileno(), 0) as orders:
            if broken is not None and broken.kind == "no memory":
                memory, plan = broken.at, bytes(_ORDERS.size)
            elif broken is not None:
                kind = KINDS[broken.kind]
                plan = _ORDERS.pack(0, broken.at, kind.what, kind.error, 0, root.name == "out", b"", os.fsencode(root))
            else:
                plan = bytes(_ORDERS.size)
            orders[:] = plan
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            task = {"args": [str(arg) for arg in args], "cache": cache and str(cache), "memory": memory}
            task |= {"plain": broken is None, "eager": eager}
            print(json.dumps(task), file=self._process.stdin, flush=True)
            status = int(self._process.stdout.readline())
            _, _, _, _, fired, _, call, _ = _ORDERS.unpack(orders[:])
        out, err = ((self._folder / name).read_bytes() for name in ("out", "err"))
        return Ended(status, out, err.decode(errors="replace"), call.rstrip(b"\0").decode() if fired else "")


def _serve(library: str, folder: Path) -> None:
    """Run the commands that come in, one a line; what was imported for one is there for those that follow."""
    from planoracle.analysis.cli import main

    modules = folder / "modules"
    for line in sys.stdin:
        child = os.fork()
        if not child:
            _command(json.loads(line), library, folder, main)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        names = modules.read_text().splitlines() if modules.exists() else []
        for name in (name for name in names if name not in sys.modules):
            with suppress(ImportError):
                import_module(name)


def _command(task: dict[str, Any], library: str, folder: Path, main: Any) -> None:
    """Become the command."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115  # as long as the process
    for name in ("PLANORACLE_CACHE", *(("HOME", "XDG_CACHE_HOME") if task["cache"] is None else ())):
        os.environ.pop(name, None)
    if task["cache"] is not None:
        os.environ["PLANORACLE_CACHE"] = task["cache"]
    os.environ["FAULTS"] = str(folder / "orders")
    sys.argv = ["planoracle", *task["args"]]
    if task["eager"]:
        from planoracle.analysis.batch import pool

        pool._WORTH = 0.0
    leave = os._exit

    def told(status: int) -> NoReturn:
        (folder / "modules").write_text("\n".join(sys.modules))
        leave(status)

    if task["plain"]:
        os._exit = told  # type: ignore[assignment]
    ctypes.CDLL(library).faults_attach(os.fsencode(folder / "orders"))
    status = 99
    try:
        if task["memory"] is not None:
            import _testcapi

            _testcapi.set_nomemory(task["memory"], task["memory"] + 1)
        main()
    except SystemExit as end:  # a process with others that end at exit
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        import traceback

        traceback.print_exc()
    os._exit(status)


if __name__ == "__main__":
    _serve(sys.argv[1], Path(sys.argv[2]))
