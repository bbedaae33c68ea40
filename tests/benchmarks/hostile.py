"""Hostile lines through every verb that reads submissions: what one takes at most, and what becomes of the others.

Run ``python tests/benchmarks/hostile.py [VERB ...] [--mutated N] [--made N] [--seed N] [--minutes N]``. Lines are
valid submissions of all benchmarks that were changed at random, and lines made by hand: odd values in every field,
floods, files of other kinds.
Each goes the way of the command line, in a guarded process with limits; after every tenth a sound line must still get
the answer that it gets alone. Printed is, for every verb, how many lines there were, what became of them, the most
processor time (all processes) and memory (the guarded process, and this one) that a line took, crashes (faults of ours,
deaths of processes) and lost neighbours. The exit status is 1 if there was any of these.
"""

from __future__ import annotations

import argparse
import io
import json
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from random import Random
from time import monotonic, process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.mutations import mutated
from support.hostile import FLOODS, HOSTILE, NUMBERS, TEXTS, VALUES, encoded
from support.specimens import submissions

from planoracle.analysis.batch.answering import _Answering
from planoracle.analysis.batch.grading import Grading, Submissions
from planoracle.analysis.batch.guard import Guard
from planoracle.analysis.batch.limits import Limits
from planoracle.analysis.batch.work import Chunk, pack
from planoracle.analysis.cli.grade import items_of
from planoracle.analysis.critique import critique
from planoracle.analysis.problems import Problems
from planoracle.analysis.regret import regret
from planoracle.analysis.repair import Repairer
from planoracle.analysis.report.worker import Options, _Benchwork
from planoracle.analysis.submissions import INTERNAL, read_submissions
from planoracle.instances.deadline import Work
from planoracle.instances.errors import InputError

LIMITS = Limits(30, 1000)
# Work for one question of the verbs that price decisions, in seconds of a quiet core.
PRICE = Work(0.2)
NEIGHBOURS = 10
GOOD = {"id": "good", "instance": "timearena/household1", "plan": ["wash cup", "activate kettle"]}
FIELDS = (
    "instance",
    "plan",
    "id",
    "model",
    "sample",
    "time_limit",
    "limit",
    "actions",
    "turns",
    "response",
    "messages",
)


def made(count: int) -> list[bytes]:
    """Return lines made by hand, the same ones every time."""
    sound = [one for one in submissions() if "\n" not in one["instance"]]
    lines = [data.replace(b"\n", b" ") for data in HOSTILE.values()]
    lines += [encoded(value) for value in VALUES]
    lines += [encoded(GOOD | {field: value}) for field in FIELDS for value in VALUES]
    names = list({one["instance"]: one for one in sound}.values())
    lines += [encoded(one | {"plan": flood * (100_000 // len(flood))}) for one in names for flood in FLOODS]
    lines += [encoded(one | {"plan": [flood] * 2000}) for one in names for flood in FLOODS]
    seeds = (*NUMBERS[:20], *TEXTS[:30], "0-1:3", "~99")
    tails = [f"{sign}{seed}"[:5000] for sign in "@~#" for seed in seeds]
    lines += [encoded(one | {"instance": one["instance"] + tail}) for one in names for tail in tails]
    return Random(0).sample(lines, min(count, len(lines)))


class Verb:
    """One verb: how a line becomes a task, who answers it, and what the answer is."""

    def __init__(self, work: Any, task: Callable[[Any, Any], bytes], *, said: Callable[[Any], tuple[str, Any]]) -> None:
        self.guard, self.task, self.said = Guard(work), task, said

    def answer(self, line: bytes) -> tuple[str, Any]:
        """Return why a line has no answer, or the answer."""
        reason, found = "nothing in it", None
        for place, entry in read_submissions(io.BytesIO(line), "lines"):
            if isinstance(entry, InputError):
                reason = str(entry)
                continue
            try:
                task = self.task(place, entry)
            except (InputError, RecursionError) as error:
                reason = str(error)
                continue
            (one,) = self.guard.run(Chunk([task])).answers
            reason, found = self.said(one)
        return reason, found


def grading() -> Verb:
    work = Grading(cached=False, limits=LIMITS)
    making = Submissions(work, Problems(), keyed=False)

    def task(place: Any, entry: Any) -> bytes:
        (item,) = items_of([(place, entry)], making)
        if item.task is None:
            assert item.answer is not None
            raise InputError(str(json.loads(item.answer.row or "{}")["reason"]))
        return item.task

    def said(answer: Any) -> tuple[str, Any]:
        row = json.loads(answer.row)
        return row["reason"] or "", row

    return Verb(work, task, said=said)


def answering(function: Callable[[Any, dict[str, Any]], Any]) -> Verb:
    def said(answer: Any) -> tuple[str, Any]:
        return answer.value.reason or "", answer.value.value

    return Verb(_Answering(function, Problems(), LIMITS), lambda place, entry: pack((place, entry)), said=said)


def showing() -> Verb:
    def task(place: Any, entry: Any) -> bytes:
        if not isinstance(entry, dict):
            raise InputError("is no object")
        return pack(("show", entry))

    def said(answer: Any) -> tuple[str, Any]:
        return answer.value.grade.reason or "", answer.value.sheet

    return Verb(_Benchwork(Options(limits=LIMITS)), task, said=said)


REPAIRER = Repairer(time_limit=PRICE)
VERBS: dict[str, Callable[[], Verb]] = {
    "grade": grading,
    "regret": lambda: answering(lambda problem, one: regret(problem, one, seconds=PRICE).as_dict()),
    "critique": lambda: answering(lambda problem, one: critique(problem, one, seconds=PRICE).as_dict()),
    "repair": lambda: answering(lambda problem, one: REPAIRER.repair(problem, one).as_dict()),
    "report": showing,
}


def spent(guard: Guard) -> float:
    """Return the processor time so far, of this process, of those that ended, and of the guarded one."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = process_time() + ended.ru_utime + ended.ru_stime
    with suppress(OSError, TypeError):
        fields = Path(f"/proc/{guard._pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / 100
    return total


def peak(pid: int | str | None) -> int:
    """Return the most memory that a process had since it was last asked, in MB."""
    try:
        found = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
        Path(f"/proc/{pid}/clear_refs").write_text("5")
    except (OSError, StopIteration):
        return 0
    return int(found.split()[1]) // 1000


def run(name: str, lines: Iterator[bytes], until: float) -> bool:
    """Put lines through a verb, print its row, and tell whether something went wrong."""
    verb = VERBS[name]()
    _, expected = verb.answer(encoded(GOOD))
    peak(verb.guard._pid), peak("self")
    became: Counter[str] = Counter()
    slowest, largest, here = (0.0, b""), (0, b""), 0
    crashes: list[tuple[str, bytes]] = []
    lost = 0
    for number, line in enumerate(lines, 1):
        if monotonic() > until:
            break
        before = spent(verb.guard)
        reason, _ = verb.answer(line)
        slowest = max(slowest, (spent(verb.guard) - before, line))
        largest = max(largest, (peak(verb.guard._pid), line))
        here = max(here, peak("self"))
        over = "(--line-" in reason
        became["over" if over else "refused" if reason else "answered"] += 1
        if reason.startswith(INTERNAL) or "ends the process" in reason:
            crashes.append((reason, line))
        lost += number % NEIGHBOURS == 0 and verb.answer(encoded(GOOD))[1] != expected
    verb.guard.close()
    print(
        f"{name:9} {became.total():7} {became['answered']:8} {became['refused']:8} {became['over']:5}"
        f" {slowest[0]:8.2f} {largest[0]:7} {here:7} {len(crashes):7} {lost:5}",
        flush=True,
    )
    print(f"  slowest {slowest[1][:120]!r}\n  largest {largest[1][:120]!r}", file=sys.stderr)
    for reason, line in crashes[:10]:
        print(f"  CRASH {reason[:200]}\n        {line[:300]!r}", file=sys.stderr)
    return bool(crashes or lost)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verbs", nargs="*", help=f"of {', '.join(VERBS)}; by default all")
    parser.add_argument("--mutated", type=int, default=1000)
    parser.add_argument("--made", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=1e9, help="for a verb; lines that are left then are left out")
    chosen = parser.parse_args()
    print("verb        lines answered  refused  over  seconds  MB its MB here crashes  lost")
    wrong = False
    for name in chosen.verbs or VERBS:
        fresh = mutated(chosen.mutated, chosen.seed, submissions())
        wrong |= run(name, chain(made(chosen.made), fresh), monotonic() + 60 * chosen.minutes)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
