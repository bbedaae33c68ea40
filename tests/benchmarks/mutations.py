"""Grade mutated submissions by the hundred thousand: none may crash, hang, or take more and more memory.

Run ``python tests/benchmarks/mutations.py [COUNT [SEED]]``. Valid submissions of all benchmarks (and, where they are
there, those of a folder of recorded verdicts, ``--verdicts``) are changed in one place or a few, some as bytes; every
line goes through the grader, one in twenty through regret, critique and repair as well. Printed are reasons that are
faults of ours, the slowest lines, memory, and a digest of all grades, which the same seed gives again whatever
``PYTHONHASHSEED`` is. The exit status is 1 if there was a fault of ours.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.hostile import encoded
from support.mutations import Mutator
from support.specimens import submissions, verdicts
from support.trusting import trusting

from planoracle.analysis.diagnosis.critique import critique
from planoracle.analysis.diagnosis.regret import regret
from planoracle.analysis.diagnosis.repair import Repairer
from planoracle.analysis.grading.grader import Grader, grade_all
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.intake.submissions import answers
from tests.support.graded import read_submissions

#: One line in so many is priced, criticised and repaired, too.
SHARE = 20
INTERNAL = "internal error"


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
        line = encoded(submission)
        yield mutator.raw(line).replace(b"\n", b" ") if random.random() < 0.03 else line


def memory() -> int:
    """Return the most memory that was ever in use, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


class Watch:
    """Times calls and keeps what was slowest, what took more memory than anything before, and every fault of ours."""

    def __init__(self) -> None:
        self.largest: list[tuple[int, str, bytes]] = []
        self.slowest: list[tuple[float, str, bytes]] = []
        self.faults: list[tuple[str, str, bytes]] = []
        self.reasons: Counter[str] = Counter()

    def call(self, label: str, line: bytes, function: Callable[[], str | None]) -> None:
        """Time a call that returns a reason, if there is one."""
        before = memory()
        began = perf_counter()
        reason = function()
        if memory() > before + 10:
            self.largest.append((memory() - before, label, line))
        self.slowest = sorted([*self.slowest, (perf_counter() - began, label, line)], reverse=True)[:10]
        if reason and reason.startswith(INTERNAL):
            self.faults.append((label, reason, line))
        self.reasons[f"{label}: {'answered' if reason is None else 'refused'}"] += 1

    def report(self) -> None:
        """Print everything."""
        for name, count in sorted(self.reasons.items()):
            print(f"{name:32} {count:9}")
        for seconds, label, line in self.slowest:
            print(f"{seconds:8.3f} s {label:10} {len(line):9} bytes: {line[:150]!r}")
        for more, label, line in self.largest:
            print(f"{more:8} MiB more: {label:10} {len(line):9} bytes: {line[:150]!r}")
        for label, reason, line in self.faults[:50]:
            print(f"FAULT {label}: {reason[:300]}\n      {line[:500]!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=100_000)
    parser.add_argument("seed", nargs="?", type=int, default=0)
    parser.add_argument("--verdicts", type=Path, help="folder with recorded submissions, one JSON lines file each")
    chosen = parser.parse_args()
    seeds = submissions() + (verdicts(chosen.verdicts) if chosen.verdicts else [])
    print(f"{len(seeds)} valid submissions")
    graders = [Grader(profiles(name), problems=trusting()) for name in ("paper", "released")]
    problems, repairer = trusting(), Repairer(time_limit=1.0)
    tools: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
        "regret": lambda problem, submission: regret(problem, submission, seconds=1.0).as_dict(),
        "critique": lambda problem, submission: critique(problem, submission, seconds=1.0).as_dict(),
        "repair": lambda problem, submission: repairer.repair(problem, submission).as_dict(),
    }
    watch, digest, began = Watch(), hashlib.sha256(), perf_counter()

    def graded(line: bytes, number: int) -> str | None:
        entries = read_submissions(io.BytesIO(line), "lines")
        for grade in grade_all(entries, graders[number % len(graders)]):
            digest.update(json.dumps(grade.row(trace=True)).encode())
            return grade.reason
        return None

    def told(line: bytes, tool: Callable[[Any, dict[str, Any]], Any]) -> str | None:
        for answer in answers(read_submissions(io.BytesIO(line), "lines"), tool, problems):
            json.dumps(answer.value)
            return answer.reason
        return None

    for number, line in enumerate(mutated(chosen.count, chosen.seed, seeds), 1):
        watch.call("grade", line, lambda line=line, number=number: graded(line, number))
        if number % SHARE == 0 and b"multi_agent" not in line:  # which take seconds for every step
            for label, tool in tools.items():
                watch.call(label, line, lambda line=line, tool=tool: told(line, tool))
        if number % max(1, chosen.count // 10) == 0:
            print(
                f"{number:9} lines {perf_counter() - began:8.1f} s {memory():6} MiB {len(watch.faults)} faults",
                flush=True,
            )
    watch.report()
    print(f"digest {digest.hexdigest()}")
    sys.exit(bool(watch.faults))


if __name__ == "__main__":
    main()
