"""What must hold of a batch that a fault was put into: an honest end, and no byte lost or changed when it goes on."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planoracle.analysis.batch.journal import NAME
from tests.support.faults import KINDS, Broken, Ended, Fault, Workbench

__all__ = ["Batch", "timeless"]

# What is said of a result that is there and is no good: no fault of a call may lead to one.
_SPOILT = ("damaged", "not what it should be", "does not hold", "is no regular file")


def timeless(data: bytes) -> bytes:
    """Return results without the seconds that they took."""
    return re.sub(rb'"seconds": ?[0-9.e-]+', b'"seconds":0', re.sub(rb'"check":"[0-9a-f]+"', b'"check":""', data))


@dataclass
class Batch:
    """A command and what it gives where nothing disturbs it.

    Attributes
    ----------
    before
        Folder with its input (``in``), and with what a run before it has left (``out``), if there was one.
    root
        The copy of that in which it is at work: ``out`` holds the run directory and the cache.
    """

    bench: Workbench
    args: Sequence[object]
    before: Path
    root: Path
    jobs: int = 1

    def __post_init__(self) -> None:
        self._call = [*self.args, "--format", "jsonl", "--jobs", self.jobs, "--run", self.root / "out" / "run"]
        self._results = self.root / "out" / "run" / NAME
        self._begin()
        found = self._run()
        assert found.status == 0, found.err
        self.expected = timeless(found.out)
        self.kept = timeless((self._results).read_bytes())
        self.entries = self._entries()

    def hit(self, kind: str, at: int, place: str = "out") -> tuple[Ended, list[str]]:
        """Run it with a fault and go on after it; return how it ended and all that is wrong.

        Parameters
        ----------
        place
            The folder whose calls fail.
        """
        self._begin()
        ended = self._run(Broken(kind, at), place)
        # A line without an answer is none to be kept: it comes after the others.
        lenient = place == "in" or kind == "no memory"
        if not KINDS[kind].lives:
            # That of a worker is nobody's end: others do its work.
            survived = ended.status == 0 and timeless(ended.out) == self.expected
            wrong = [] if survived or (ended.call and ended.status == 137) else [f"ends with {ended.status}"]
        elif lenient:
            wrong = list(self._mistaken(ended, kind == "no memory"))
        else:
            wrong = list(self._dishonest(ended, KINDS[kind]))
        again = self._run()
        if again.status != 0:
            wrong.append(f"does not go on: {again.status} {again.err}")
        if timeless(again.out) != self.expected:
            wrong.append("gives other bytes when it goes on")
        kept = timeless(self._results.read_bytes())
        if kept != self.kept and not (lenient and sorted(kept.split(b"\n")) == sorted(self.kept.split(b"\n"))):
            wrong.append("keeps other bytes when it goes on")
        wrong += [f"says {line!r}" for line in again.err.splitlines() if any(said in line for said in _SPOILT)]
        entries = self._entries()
        wrong += [f"has another entry {name}" for name in entries if entries[name] != self.entries.get(name)]
        return ended, wrong

    def _begin(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.before, self.root)

    def _run(self, broken: Broken | None = None, place: str = "out") -> Ended:
        return self.bench.run(self._call, self.root / place, self.root / "out" / "cache", broken, eager=self.jobs > 1)

    def _dishonest(self, ended: Ended, fault: Fault) -> Iterator[str]:
        if ended.status not in (0, 1):
            yield f"ends with {ended.status}: {ended.err[-500:]}"
        if "Traceback" in ended.err:
            yield f"prints a traceback: {ended.err[-1000:]}"
        if ended.status == 0 and timeless(ended.out) != self.expected:
            yield "says that all is well, and gives other bytes"
        if ended.status == 0:
            return
        # Others may still say something of the cache before they are stopped.
        last = next((line for line in reversed(ended.err.splitlines()) if line.startswith("error: ")), "")
        if not last:
            yield f"fails without a word of why: {ended.err[-500:]}"
        of_output = "the output cannot be written" in last
        if of_output != (ended.call == "output") and not fault.lasts:
            yield f"blames another file: {last}"
        if not (of_output or str(self.root) in last):
            yield f"names no file: {last}"
        if not self.expected.startswith(timeless(ended.out)):
            yield "gives other bytes before it fails"
        if said := re.search(r"(\d+) results are in", last):
            there = sum(line.endswith(b"}\n") for line in self._results.read_bytes().splitlines(keepends=True)[1:])
            if int(said[1]) > there:
                yield f"says that {said[1]} results are kept, where {there} are"

    def _mistaken(self, ended: Ended, memory: bool) -> Iterator[str]:
        """Without memory or input a line may have no verdict, or all may end; but none has another, and it is said."""
        if not memory and ("Traceback" in ended.err or ended.status not in (0, 1, 2)):
            yield f"ends with {ended.status}: {ended.err[-1000:]}"
        if ended.status == 0 and timeless(ended.out) != self.expected:
            yield "says that all is well, and gives other bytes"
        if ended.status and not ("error: " in ended.err or (memory and "Error" in ended.err)):
            yield f"fails without a word of why: {ended.err[-500:]}"
        expected = self.expected.splitlines()
        for line in timeless(ended.out).splitlines(keepends=True):
            if line[:-1] not in expected and line.endswith(b"\n") and b'"scored": false' not in line:
                yield f"has another row: {line!r}"

    def _entries(self) -> dict[str, Any]:
        found = {}
        for path in sorted((self.root / "out" / "cache").rglob("*.json")):
            _, _, text = path.read_bytes().partition(b"\n")
            found[path.name] = json.loads(timeless(text))
        return found
