"""Hostile lines through every verb that reads submissions: what one takes at most, and what becomes of the others.

Run ``python tests/benchmarks/hostile.py [VERB ...] [--mutated N] [--made N] [--seed N] [--minutes N] [--folder DIR]``.
Lines are valid submissions of all benchmarks that were changed at random, and lines made by hand: odd values in every
field, floods, files of other kinds.
Each goes the way of the command line, in a worker process with limits; after every tenth a sound line, of one
benchmark after the other, must still get the very answer that it gets alone, in a process of its own. Printed is, for
every verb, how many lines there were, what became of them, the most processor time (all processes) and memory (the
worker process, and this one) that a line took, the longest answer, crashes (faults of ours, deaths of processes) and
lost neighbours.
The exit status is 1 if there was any of these.

With ``--folder`` every batch of lines leaves its figures there, and a run that was stopped goes on behind the last one.
``--write FILE`` only writes the lines, for verbs that take a whole file: ``collect``, ``grade --run``, ``verify``.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import resource
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from time import monotonic, process_time
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.hostile_inputs import FLOODS, HOSTILE_FILES, NUMBERS, TEXTS, VALUES, encode_json
from support.mutations import Mutator
from support.valid_inputs import EXAMPLES, submissions

from planoracle.analysis.audit.auditor import Auditor
from planoracle.analysis.audit.finding import ReferenceVerdict
from planoracle.analysis.batch.pool import TaskFailure, WorkerPool
from planoracle.analysis.batch.submission_tasks import Grading, Submissions, _start
from planoracle.analysis.batch.tasks import ResultRow
from planoracle.analysis.batch.worker import TaskLimits
from planoracle.analysis.diagnosis.critique import critique
from planoracle.analysis.diagnosis.regret import regret
from planoracle.analysis.diagnosis.repair import Repairer
from planoracle.analysis.grading.problem_loader import Places, Problems
from planoracle.analysis.intake.submissions import INTERNAL, answers
from planoracle.analysis.report.work import ReportOptions
from planoracle.instances.errors import InputError
from planoracle.instances.model.limits import WorkLimit
from tests.support.grades import read_submissions

LIMITS = TaskLimits(30, 1000)
# Work for one question of the verbs that price decisions, in seconds of a quiet core.
PRICE = WorkLimit(0.02)
NEIGHBOURS, BATCH = 10, 500
PLACES = Places(EXAMPLES)
# The smallest problems of every benchmark, which are worked on most.
SMALL = (
    *("recipe2plan/timed/Vada_Daikon-Radish", "timearena/household1", "timearena/lab1", "asynctool/files_1+text_2"),
    *("asynchow/async/1", "kitchens/synchronous/0_cheese_sandwich", "robotouille/synchronous/0_cheese_sandwich"),
    *("paracook/abstract/own/seed_1/orders_num_1", "paracook/cook/own/seed_1/agent_num_1/orders_num_1"),
)
POOL = submissions() + 4 * submissions(SMALL)
GOOD = [encode_json(next(one for one in POOL if one["instance"] == name)) for name in SMALL]
PLAIN = json.loads(GOOD[1])
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
    lines = [data.replace(b"\n", b" ") for data in HOSTILE_FILES.values()]
    lines += [encode_json(value) for value in VALUES]
    lines += [encode_json(PLAIN | {field: value}) for field in FIELDS for value in VALUES]
    names = list({one["instance"]: one for one in sound}.values())
    lines += [encode_json(one | {"plan": flood * (100_000 // len(flood))}) for one in names for flood in FLOODS]
    lines += [encode_json(one | {"plan": [flood] * 2000}) for one in names for flood in FLOODS]
    seeds = (*NUMBERS[:20], *TEXTS[:30], "0-1:3", "~99")
    tails = [f"{sign}{seed}"[:5000] for sign in "@~#" for seed in seeds]
    lines += [encode_json(one | {"instance": one["instance"] + tail}) for one in names for tail in tails]
    return Random(0).sample(lines, min(count, len(lines)))


def mutated(count: int, seed: int, seeds: list[dict[str, Any]]) -> Iterator[bytes]:
    """Yield lines of JSON, most of them, that were valid submissions once."""
    random = Random(seed)
    for _ in range(count):
        mutator = Mutator(random, [one["plan"] for one in random.sample(seeds, 2)])
        submission = random.choice(seeds)
        if random.random() < 0.85:  # most of what can go wrong is in the plan
            submission = submission | {"plan": mutator.times(mutator.plan, submission["plan"])}
        else:
            submission = mutator.times(mutator.tree, submission)
        line = encode_json(submission)
        yield mutator.raw(line).replace(b"\n", b" ") if random.random() < 0.03 else line


def problems() -> Problems:
    """Return what finds the bundled problems, and our examples, whose files may be named."""
    return Problems(places=PLACES)


class Verb:
    """One verb: how a line becomes a task, the pool that answers it, and what the answer is."""

    def __init__(
        self,
        start: Callable[[], Callable[[Any], Any]],
        task: Callable[[Any, Any], Any],
        *,
        said: Callable[[Any], tuple[str, Any]],
        claims: bool = False,
    ) -> None:
        self.pool, self.task, self.said, self.claims = WorkerPool(start, LIMITS, 1), task, said, claims

    @property
    def pid(self) -> int:
        """The worker process."""
        return self.pool._workers[0].process.pid

    def answer(self, line: bytes) -> tuple[str, Any]:
        """Return why a line has no answer, or the answer."""
        reason, found = "nothing in it", None
        for place, entry in read_submissions(io.BytesIO(line), "lines", claims=self.claims):
            if isinstance(entry, InputError):
                reason = str(entry)
                continue
            try:
                task = self.task(place, entry)
            except InputError as error:
                reason = str(error)
                continue
            (one,) = self.pool.map([task])
            reason, found = (str(one.error), None) if isinstance(one, TaskFailure) else self.said(one)
        return reason, found


def grading() -> Verb:
    work = Grading(is_cached=False, limits=LIMITS, places=PLACES)
    making = Submissions(work, is_keyed=False)

    def task(place: Any, entry: Any) -> Any:
        item = making.item(place, entry)
        if isinstance(item.answer, TaskFailure):
            raise InputError(str(item.answer.error))
        return item.task

    def said(answer: ResultRow) -> tuple[str, Any]:
        row = json.loads(answer.text)
        return row["reason"] or "", row

    return Verb(work.start, task, said=said)


def answering(function: Callable[[Any, dict[str, Any]], Any]) -> Verb:
    each = partial(answers, function=function, problems=problems())
    return Verb(
        partial(_start, each), lambda place, entry: (place, entry), said=lambda one: (one.reason or "", one.value)
    )


def auditing() -> Verb:
    def said(found: Any) -> tuple[str, Any]:
        return found.reason if found.verdict == ReferenceVerdict.not_checked else "", found.row()

    start = partial(_start, Auditor(problems=problems()).handed_in)
    return Verb(start, lambda place, entry: (place, entry), said=said, claims=True)


def showing() -> Verb:
    def task(place: Any, entry: Any) -> Any:
        if not isinstance(entry, dict):
            raise InputError("is no object")
        return "show", entry

    start = ReportOptions(limits=LIMITS, places=PLACES).start
    return Verb(start, task, said=lambda one: (one.grade.reason or "", one.sheet))


def priced(problem: Any, one: dict[str, Any]) -> Any:
    return regret(problem, one, seconds=PRICE).as_dict()


def criticized(problem: Any, one: dict[str, Any]) -> Any:
    return critique(problem, one, seconds=PRICE).as_dict()


def repaired(problem: Any, one: dict[str, Any]) -> Any:
    return REPAIRER.repair(problem, one).as_dict()


REPAIRER = Repairer(time_limit=PRICE)
VERBS: dict[str, Callable[[], Verb]] = {
    "grade": grading,
    "regret": lambda: answering(priced),
    "critique": lambda: answering(criticized),
    "repair": lambda: answering(repaired),
    "report": showing,
    "audit": auditing,
}


def spent(pid: int) -> float:
    """Return the processor time so far, of this process, of those that ended, and of the worker."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = process_time() + ended.ru_utime + ended.ru_stime
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
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


class Figures(NamedTuple):
    """What came of some lines; times in seconds, memory in MB, answers in characters."""

    lines: int = 0
    answered: int = 0
    refused: int = 0
    over: int = 0
    slowest: tuple[float, str] = (0.0, "")
    largest: tuple[int, str] = (0, "")
    here: int = 0
    longest: tuple[int, str] = (0, "")
    crashes: tuple[tuple[str, str], ...] = ()
    lost: int = 0

    def plus(self, other: Figures) -> Figures:
        """Return the figures of both."""
        most = {"slowest", "largest", "here", "longest"}
        return Figures(
            *(max(a, b) if name in most else a + b for name, a, b in zip(self._fields, self, other, strict=True))
        )


def read(row: dict[str, Any]) -> Figures:
    """Return figures that were written as JSON."""
    found = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return Figures(**found | {"crashes": tuple(map(tuple, row["crashes"]))})


def alone(name: str) -> list[tuple[bytes, Any]]:
    """Return sound lines, each with the answer that it gets in a process of its own."""
    found = []
    for line in GOOD:
        verb = VERBS[name]()
        found.append((line, verb.answer(line)[1]))
        verb.pool.close()
    assert all(answer for _, answer in found)
    return found


def run(verb: Verb, lines: Iterable[bytes], sound: list[tuple[bytes, Any]]) -> Figures:
    """Put lines through a verb."""
    found = Figures()
    for number, line in enumerate(lines, 1):
        before = spent(verb.pid)
        reason, answer = verb.answer(line)
        seconds, shown = spent(verb.pid) - before, repr(line[:300])
        over = "(--line-" in reason
        lost = 0
        if number % NEIGHBOURS == 0:
            good, expected = sound[number // NEIGHBOURS % len(sound)]
            lost = int(verb.answer(good)[1] != expected)
        crashed = reason.startswith(INTERNAL) or "ends its worker process" in reason
        found = found.plus(
            Figures(
                lines=1,
                answered=int(not reason),
                refused=int(bool(reason) and not over),
                over=int(over),
                slowest=(seconds, shown),
                largest=(peak(verb.pid), shown),
                here=peak("self"),
                longest=(len(json.dumps(answer, default=str)), shown),
                crashes=((reason[:300], shown),) if crashed or over else (),
                lost=lost,
            )
        )
    return found


def batches(made_lines: int, mutated_lines: int, seed: int) -> Iterator[tuple[str, Callable[[], Iterable[bytes]]]]:
    """Yield names of batches, and their lines."""
    if made_lines:
        lines = made(made_lines)
        for start in range(0, len(lines), BATCH):
            yield f"made {start}", partial(lines.__getitem__, slice(start, start + BATCH))
    for start in range(0, mutated_lines, BATCH):
        count = min(BATCH, mutated_lines - start)
        yield f"mutated {seed} {start} {count}", partial(mutated, count, seed * 10**6 + start, POOL)


def total(name: str, chosen: argparse.Namespace) -> Figures:
    """Put all lines through a verb, but for those whose figures are known already."""
    until = monotonic() + 60 * chosen.minutes
    kept = None if chosen.folder is None else chosen.folder / f"{name}.jsonl"
    done = {} if kept is None or not kept.exists() else dict(map(json.loads, kept.read_text().splitlines()))
    found = Figures()
    verb, sound = VERBS[name](), alone(name)
    for batch, lines in batches(chosen.made, chosen.mutated, chosen.seed):
        if batch in done:
            figures = read(done[batch])
        elif monotonic() > until:
            break
        else:
            verb.answer(sound[0][0])
            peak(verb.pid), peak("self")
            figures = run(verb, lines(), sound)
            if kept is not None:
                with kept.open("a") as file:
                    file.write(json.dumps([batch, figures._asdict()]) + "\n")
        found = found.plus(figures)
    verb.pool.close()
    return found


def show(name: str, found: Figures) -> str:
    """Return the row of a verb."""
    return (
        f"{name:9} {found.lines:7} {found.answered:8} {found.refused:8} {found.over:5} {found.slowest[0]:8.2f}"
        f" {found.largest[0]:7} {found.here:7} {found.longest[0]:8} {len(found.crashes) - found.over:7} {found.lost:5}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verbs", nargs="*", help=f"of {', '.join(VERBS)}; by default all")
    parser.add_argument("--mutated", type=int, default=1000)
    parser.add_argument("--made", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=1e9, help="for a verb; lines that are left then are left out")
    parser.add_argument("--folder", type=Path, help="where the figures of batches are kept")
    parser.add_argument("--write", type=Path, help="write the lines to a file, and do nothing else")
    chosen = parser.parse_args()
    # Where workers find the functions of this module and those of the tests.
    os.environ["PYTHONPATH"] = os.pathsep.join(map(str, Path(__file__).resolve().parents[1:3]))
    if chosen.write is not None:
        with chosen.write.open("wb") as file:
            for _, lines in batches(chosen.made, chosen.mutated, chosen.seed):
                file.writelines(line.replace(b"\n", b" ") + b"\n" for line in lines())
        return
    print("verb        lines answered  refused  over  seconds  MB its MB here  longest crashes  lost")
    wrong = False
    for name in chosen.verbs or VERBS:
        found = total(name, chosen)
        print(show(name, found), flush=True)
        print(f"  slowest {found.slowest[1][:120]}\n  largest {found.largest[1][:120]}", file=sys.stderr)
        for reason, line in found.crashes[:20]:
            print(f"  {reason}\n        {line}", file=sys.stderr)
        wrong |= len(found.crashes) > found.over or found.lost > 0
    sys.exit(wrong)


if __name__ == "__main__":
    from benchmarks import hostile  # whose functions workers can import, unlike those of a script

    hostile.main()
