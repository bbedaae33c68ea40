"""Stress test with hostile lines for every command that reads submissions.

Run ``python tests/benchmarks/hostile.py [COMMAND ...] [--mutated N] [--made N] [--seed N] [--minutes N]
[--folder DIR]``. Lines are valid submissions of all benchmarks with random changes, and handmade lines: odd values in
every field, repeated text, content of other file formats.

Each line is processed as on the command line, in a worker process with limits. After every tenth line a valid line
must get the same answer as in a process of its own. The table has a row for each command: numbers of lines by outcome,
maximum processor time of a line (all processes), maximum memory (worker and this process), the longest answer,
crashes (internal errors, ended processes) and lost answers. The exit status is 1 if there is a crash or a lost answer.

With ``--folder`` the figures of every batch are stored, so that a stopped run can continue. ``--write FILE`` only
writes the lines, for commands that read a whole file: ``collect``, ``grade --run``, ``verify``.
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
from planoracle.analysis.batch.submission_tasks import Grading, Submissions, _start
from planoracle.analysis.batch.tasks import ResultRow
from planoracle.analysis.diagnosis.critique import critique
from planoracle.analysis.diagnosis.regret import regret
from planoracle.analysis.diagnosis.repair import Repairer
from planoracle.analysis.grading.problem_loader import Places, Problems
from planoracle.analysis.intake.submissions import INTERNAL, answers
from planoracle.analysis.report.work import ReportOptions
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.limits import WorkLimit
from planoracle.instances.workers.pool import TaskFailure, WorkerPool
from planoracle.instances.workers.worker import TaskLimits
from planoracle.solver.solve import has_solver
from tests.support.grades import read_submissions

LIMITS = TaskLimits(30, 1000)
# Counted work for one state value, in the commands that compute regret.
PRICE = WorkLimit(0.02)
NEIGHBOURS, BATCH = 10, 500
PLACES = Places(EXAMPLES)
# The smallest problems of every benchmark, which occur most often.
SMALL = (
    *("recipe2plan/timed/Vada_Daikon-Radish", "timearena/household1", "timearena/lab1", "asynctool/files_1+text_2"),
    *("asynchow/async/1", "kitchens/synchronous/0_cheese_sandwich", "robotouille/synchronous/0_cheese_sandwich"),
    *("paracook/abstract/own/seed_1/orders_num_1", "paracook/cook/own/seed_1/agent_num_1/orders_num_1"),
)
POOL = submissions() + 4 * submissions(SMALL)
GOOD = [encode_json(next(one for one in POOL if one["instance"] == name)) for name in SMALL]
PLAIN = json.loads(GOOD[1])
# Commands that refuse problems without solver.
NEED_SOLVER = ("regret", "repair")
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


def handmade(count: int) -> list[bytes]:
    """Return handmade lines, the same in every run."""
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
    """Yield valid submissions with random changes as lines; most of them remain JSON."""
    random = Random(seed)
    for _ in range(count):
        mutator = Mutator(random, [one["plan"] for one in random.sample(seeds, 2)])
        submission = random.choice(seeds)
        if random.random() < 0.85:  # most faults are in the plan
            submission = submission | {"plan": mutator.times(mutator.plan, submission["plan"])}
        else:
            submission = mutator.times(mutator.tree, submission)
        line = encode_json(submission)
        yield mutator.raw(line).replace(b"\n", b" ") if random.random() < 0.03 else line


def problems() -> Problems:
    """Return the loader of bundled problems and of example files."""
    return Problems(places=PLACES)


class Command:
    """Command that reads submissions: tasks of a line, worker pool, and answers."""

    def __init__(
        self,
        start: Callable[[], Callable[[Any], Any]],
        task: Callable[[Any, Any], Any],
        *,
        answer_of: Callable[[Any], tuple[str, Any]],
        claims: bool = False,
    ) -> None:
        self.pool, self.task, self.answer_of, self.claims = WorkerPool(start, LIMITS, 1), task, answer_of, claims

    @property
    def pid(self) -> int:
        """Process id of the worker."""
        return self.pool._workers[0].process.pid

    def answer(self, line: bytes) -> tuple[str, Any]:
        """Return the reason why a line has no answer, and the answer."""
        reason, answer = "no submission", None
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
            reason, answer = (str(one.error), None) if isinstance(one, TaskFailure) else self.answer_of(one)
        return reason, answer


def grading() -> Command:
    work = Grading(is_cached=False, limits=LIMITS, places=PLACES)
    making = Submissions(work, is_keyed=False)

    def task(place: Any, entry: Any) -> Any:
        item = making.item(place, entry)
        if isinstance(item.answer, TaskFailure):
            raise InputError(str(item.answer.error))
        return item.task

    def answer_of(answer: ResultRow) -> tuple[str, Any]:
        row = json.loads(answer.text)
        return row["reason"] or "", row

    return Command(work.start, task, answer_of=answer_of)


def answering(function: Callable[[Any, dict[str, Any]], Any]) -> Command:
    each = partial(answers, function=function, problems=problems())
    return Command(
        partial(_start, each), lambda place, entry: (place, entry), answer_of=lambda one: (one.reason or "", one.value)
    )


def auditing() -> Command:
    def answer_of(finding: Any) -> tuple[str, Any]:
        return finding.reason if finding.verdict == ReferenceVerdict.not_checked else "", finding.row()

    start = partial(_start, Auditor(problems=problems()).check_submissions)
    return Command(start, lambda place, entry: (place, entry), answer_of=answer_of, claims=True)


def showing() -> Command:
    def task(place: Any, entry: Any) -> Any:
        if not isinstance(entry, dict):
            raise InputError("must be an object")
        return "show", entry

    start = ReportOptions(limits=LIMITS, places=PLACES).start
    return Command(start, task, answer_of=lambda one: (one.grade.reason or "", one.sheet))


def priced(problem: Any, one: dict[str, Any]) -> Any:
    return regret(problem, one, seconds=PRICE).as_dict()


def criticized(problem: Any, one: dict[str, Any]) -> Any:
    return critique(problem, one, seconds=PRICE).as_dict()


def repaired(problem: Any, one: dict[str, Any]) -> Any:
    return REPAIRER.repair(problem, one).as_dict()


REPAIRER = Repairer(time_limit=PRICE)
COMMANDS: dict[str, Callable[[], Command]] = {
    "grade": grading,
    "regret": lambda: answering(priced),
    "critique": lambda: answering(criticized),
    "repair": lambda: answering(repaired),
    "report": showing,
    "audit": auditing,
}


def spent(pid: int) -> float:
    """Return the processor time of this process, ended processes and the worker, in seconds."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = process_time() + ended.ru_utime + ended.ru_stime
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / 100
    return total


def peak(pid: int | str | None) -> int:
    """Return the peak memory of a process since the last call, in MB."""
    try:
        status_line = next(
            line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM")
        )
        Path(f"/proc/{pid}/clear_refs").write_text("5")
    except (OSError, StopIteration):
        return 0
    return int(status_line.split()[1]) // 1000


class Figures(NamedTuple):
    """Outcomes and maxima of some lines; times in seconds, memory in MB, answers in characters."""

    lines: int = 0
    answered: int = 0
    refused: int = 0
    over: int = 0
    slowest: tuple[float, str] = (0.0, "")
    largest: tuple[int, str] = (0, "")
    parent: int = 0
    longest: tuple[int, str] = (0, "")
    crashes: tuple[tuple[str, str], ...] = ()
    lost: int = 0

    def plus(self, other: Figures) -> Figures:
        """Return the sums and maxima of both."""
        most = {"slowest", "largest", "parent", "longest"}
        return Figures(
            *(max(a, b) if name in most else a + b for name, a, b in zip(self._fields, self, other, strict=True))
        )


def read(row: dict[str, Any]) -> Figures:
    """Return figures from JSON."""
    fields = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return Figures(**fields | {"crashes": tuple(map(tuple, row["crashes"]))})


def alone(name: str) -> list[tuple[bytes, Any]]:
    """Return valid lines, each with its answer in a process of its own."""
    expected = []
    for line in GOOD:
        if name in NEED_SOLVER and not has_solver(catalog.problem(json.loads(line)["instance"])):
            continue
        command = COMMANDS[name]()
        expected.append((line, command.answer(line)[1]))
        command.pool.close()
    assert all(answer for _, answer in expected)
    return expected


def run(command: Command, lines: Iterable[bytes], sound: list[tuple[bytes, Any]]) -> Figures:
    """Process lines by a command."""
    figures = Figures()
    for number, line in enumerate(lines, 1):
        before = spent(command.pid)
        reason, answer = command.answer(line)
        seconds, excerpt = spent(command.pid) - before, repr(line[:300])
        over = "(--line-" in reason
        lost = 0
        if number % NEIGHBOURS == 0:
            good, expected = sound[number // NEIGHBOURS % len(sound)]
            lost = int(command.answer(good)[1] != expected)
        crashed = reason.startswith(INTERNAL) or "ends its worker process" in reason
        figures = figures.plus(
            Figures(
                lines=1,
                answered=int(not reason),
                refused=int(bool(reason) and not over),
                over=int(over),
                slowest=(seconds, excerpt),
                largest=(peak(command.pid), excerpt),
                parent=peak("self"),
                longest=(len(json.dumps(answer, default=str)), excerpt),
                crashes=((reason[:300], excerpt),) if crashed or over else (),
                lost=lost,
            )
        )
    return figures


def batches(made_lines: int, mutated_lines: int, seed: int) -> Iterator[tuple[str, Callable[[], Iterable[bytes]]]]:
    """Yield names of batches, and their lines."""
    if made_lines:
        lines = handmade(made_lines)
        for start in range(0, len(lines), BATCH):
            yield f"made {start}", partial(lines.__getitem__, slice(start, start + BATCH))
    for start in range(0, mutated_lines, BATCH):
        count = min(BATCH, mutated_lines - start)
        yield f"mutated {seed} {start} {count}", partial(mutated, count, seed * 10**6 + start, POOL)


def total(name: str, chosen: argparse.Namespace) -> Figures:
    """Process all lines by a command, except batches with stored figures."""
    until = monotonic() + 60 * chosen.minutes
    stored = None if chosen.folder is None else chosen.folder / f"{name}.jsonl"
    done = {} if stored is None or not stored.exists() else dict(map(json.loads, stored.read_text().splitlines()))
    totals = Figures()
    command, sound = COMMANDS[name](), alone(name)
    for batch, lines in batches(chosen.made, chosen.mutated, chosen.seed):
        if batch in done:
            figures = read(done[batch])
        elif monotonic() > until:
            break
        else:
            command.answer(sound[0][0])
            peak(command.pid), peak("self")
            figures = run(command, lines(), sound)
            if stored is not None:
                with stored.open("a") as file:
                    file.write(json.dumps([batch, figures._asdict()]) + "\n")
        totals = totals.plus(figures)
    command.pool.close()
    return totals


def show(name: str, figures: Figures) -> str:
    """Return the table row of a command."""
    numbers = f"{figures.lines:7} {figures.answered:8} {figures.refused:8} {figures.over:5} {figures.slowest[0]:8.2f}"
    sizes = f"{figures.largest[0]:7} {figures.parent:7} {figures.longest[0]:8}"
    return f"{name:9} {numbers} {sizes} {len(figures.crashes) - figures.over:7} {figures.lost:5}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="*", help=f"any of {', '.join(COMMANDS)} (default: all)")
    parser.add_argument("--mutated", type=int, default=1000)
    parser.add_argument("--made", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--minutes", type=float, default=1e9, help="time limit of each command; remaining lines are skipped"
    )
    parser.add_argument("--folder", type=Path, help="folder for the figures of batches")
    parser.add_argument("--write", type=Path, help="write the lines to a file without processing them")
    chosen = parser.parse_args()
    # Workers import functions of this module and of the tests.
    os.environ["PYTHONPATH"] = os.pathsep.join(map(str, Path(__file__).resolve().parents[1:3]))
    if chosen.write is not None:
        with chosen.write.open("wb") as file:
            for _, lines in batches(chosen.made, chosen.mutated, chosen.seed):
                file.writelines(line.replace(b"\n", b" ") + b"\n" for line in lines())
        return
    print("command     lines answered  refused  over    max s  max MB  own MB  longest crashes  lost")
    wrong = False
    for name in chosen.commands or COMMANDS:
        figures = total(name, chosen)
        print(show(name, figures), flush=True)
        print(f"  slowest {figures.slowest[1][:120]}\n  largest {figures.largest[1][:120]}", file=sys.stderr)
        for reason, line in figures.crashes[:20]:
            print(f"  {reason}\n        {line}", file=sys.stderr)
        wrong |= len(figures.crashes) > figures.over or figures.lost > 0
    sys.exit(wrong)


if __name__ == "__main__":
    from benchmarks import hostile  # workers can import its functions, unlike those of a script

    hostile.main()
