"""How fast submissions are graded each of which is for another kitchen: ``python tests/benchmarks/cold.py``.

The 200 released variants of Robotouille's kitchens, in a new process with an empty cache: best plans, plans with
something broken, random legal walks, and a third of each. What the first three lines take, beginning and all, is told
by itself; processor time, the least of ``--repeats``. ``--bare``: without the optima that ship, so that all are
searched for. ``--write FILE`` only writes the submissions.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from planoracle.instances.kitchens.compiled import Compiled
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.robotouille import sets
from planoracle.solver.known import known

_FIRST = 3  # lines, one of every kind, with which all is loaded
_SHIPPED = "from planoracle.analysis.cli import main; main()"
_BARE = f"from planoracle.instances.robotouille import benchmark; benchmark.optima = {{}}; {_SHIPPED}"


def best(kitchen: Kitchen, rng: random.Random) -> list[str]:
    """Return the plan that ships."""
    found = known(kitchen)
    assert found is not None
    return list(found.actions)


def broken(kitchen: Kitchen, rng: random.Random) -> list[str]:
    """Return the plan that ships with one to three changes: actions lost, doubled, swapped, of other objects."""
    actions = best(kitchen, rng)
    names = [name for name, _ in kitchen.objects]
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(actions))
        match rng.randrange(5):
            case 0:
                del actions[at]
            case 1:
                actions.insert(at, actions[at])
            case 2:
                actions[at - 1], actions[at] = actions[at], actions[at - 1]
            case 3:
                actions[at] = actions[at].replace(rng.choice(names), rng.choice(names))
            case _:
                actions[at] = rng.choice(("Wait", "Cook patty9 on stove7 using robot1", "Finish", ""))
    return actions


def walk(kitchen: Kitchen, rng: random.Random) -> list[str]:
    """Return legal actions at random, as many as the best plan has."""
    engine = Compiled(kitchen)
    state, actions = engine.start(), []
    for _ in best(kitchen, rng):
        text, deed = rng.choice(sorted(engine.texts(state).items()))
        actions.append(text)
        state = engine.step(state, deed)
    return actions


KINDS: dict[str, Callable[[Kitchen, random.Random], list[str]]] = {"best": best, "broken": broken, "walk": walk}


def submissions(kinds: list[str], seed: int = 0) -> list[str]:
    """Return a line for each of the 200 variants, of the kinds in turn."""
    names = [name for label in ("synchronous", "asynchronous") for name in sets.members(f"robotouille/{label}@*")]
    rng = random.Random(seed)
    rng.shuffle(names)
    lines = []
    for place, name in enumerate(names):
        kind = kinds[place % len(kinds)]
        actions = KINDS[kind](sets.kitchen(name), rng)
        lines.append(json.dumps({"id": f"{place}", "model": kind, "instance": name, "actions": actions}))
    return lines


def seconds(lines: list[str], code: str, *, bare: bool) -> float:
    """Return the processor time of ``planoracle grade`` in a new process, with an empty cache.

    ``code`` is a folder with our modules as bytecode, which an installation has, or where that is to be kept.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "submissions.jsonl"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = [sys.executable, "-c", _BARE if bare else _SHIPPED]
        command += ["grade", str(file), "--jobs", "1", "--format", "jsonl"]
        environment = os.environ | {"PLANORACLE_CACHE": str(Path(folder) / "cache"), "PYTHONPYCACHEPREFIX": code}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["scored"] for row in rows] == [True] * len(lines), done.stderr[-2000:]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure, and print a line for every kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--kinds", nargs="*", default=["best", "broken", "walk", "mixed"])
    parser.add_argument("--write", type=Path)
    chosen = parser.parse_args()
    if chosen.write is not None:
        chosen.write.write_text("\n".join(submissions(list(KINDS))) + "\n", encoding="utf-8")
        return
    with tempfile.TemporaryDirectory() as code:
        seconds(submissions(list(KINDS))[:_FIRST], code, bare=chosen.bare)
        for kind in chosen.kinds:
            lines = submissions(list(KINDS) if kind == "mixed" else [kind])
            first, whole = (
                min(seconds(part, code, bare=chosen.bare) for _ in range(chosen.repeats))
                for part in (lines[:_FIRST], lines)
            )
            each = (whole - first) / (len(lines) - _FIRST)
            print(
                f"{kind:8} {len(lines)} in {whole:6.2f} s, the first {_FIRST} in {first:5.2f} s; "
                f"of the others {1 / each:6.1f} a second, {1000 * each:5.2f} ms each",
                flush=True,
            )


if __name__ == "__main__":
    main()
