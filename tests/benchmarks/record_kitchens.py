"""Record plans, bounds and answers about unfinished runs of kitchens in a table, or compare with that table.

``python tests/benchmarks/record_kitchens.py`` compares with `kitchens_0.9.0.csv` and prints each answer that differs.
The exit status is 1 if an answer contradicts the table. ``--write FILE`` writes a table instead, ``--only PREFIX``
takes some problems, ``--rows 4`` takes each fourth row.

Each problem has one row for its solution from the start, by the default rules of ``solve`` and without the bundled
optimum, and three rows for unfinished runs by the paper's rules. Such a run is a part of a good plan with three random
legal commands after it. The table holds the messages of the runs, so a comparison replays the same runs. Effort is
counted work, so answers do not depend on the machine.

An answer is a status, the best makespan and the lower bound, ``-`` where there is none; after ``next`` the number of
commands that cost nothing. The bound of ``repair`` is the proved optimum of the problem. `kitchens_0.9.0.csv` was
written by release 0.9.0 with the extra ``fast``.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from time import process_time
from typing import TypeAlias

from planoracle import environment
from planoracle.analysis.advice import next_of
from planoracle.analysis.agents.agent import AgentError
from planoracle.analysis.agents.optimal import Optimal
from planoracle.analysis.regret import regret_of
from planoracle.analysis.repair import Repairer
from planoracle.instances import catalogue, registry
from planoracle.instances.deadline import Work
from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.problem import Problem
from planoracle.solver.solve import solve

TABLE = Path(__file__).with_name("kitchens_0.9.0.csv")
FIELDS = ("problem", "run", "solve", "next", "regret", "repair", "agent", "messages")
#: Counted work of one solution, and of one question about one state of a kitchen of each kind.
SOLVE, STATE = Work(3.0), {"floor": Work(1.0), "kitchen": Work(0.3)}
#: Random commands of a run, and the most messages of an agent.
OFF_PLAN, MESSAGES = 3, 300

Row: TypeAlias = "dict[str, str]"


def problems() -> list[str]:
    """Return the names of bundled and generated grid kitchens, multi-cook kitchens, and kitchens with a second cook."""
    bundled = catalogue.bundled()
    drawn = [
        f"paracook/cook/own/seed_{seed}/agent_num_{cooks}/orders_num_{orders}"
        for seed in (1, 2, 3, 4)
        for cooks in (1, 2)
        for orders in (1, 2)
    ]
    several = [name for name in bundled if "/multi_agent/" in name]
    replicated = [f"{name}~2" for name in bundled if name.startswith("kitchens/asynchronous/")][:6]
    return drawn + several + replicated


def answer(status: object, makespan: int | None, bound: int | None) -> str:
    """Return an answer as one cell."""
    return f"{status} {'-' if makespan is None else makespan} {'-' if bound is None else bound}"


def makespan_of(problem: Problem, plan: object) -> int | None:
    """Return the makespan of a completed plan by the rules; ``None`` without a plan."""
    return None if plan is None else registry.of(problem).run(problem, {"plan": plan}).makespan


def play(run: AnyEnvironment, limit: int) -> str:
    """Play the optimal agent for at most ``limit`` messages; return how that ended."""
    agent = Optimal(limit=STATE[run.problem.kind])
    try:
        for _ in range(limit):
            said = None if run.done else asyncio.run(agent.act(run))
            if said is None:
                break
            run.step(said)
    except AgentError as error:
        return error.kind
    ended = run.run()
    return "done" if ended.success else "open"


def messages_of(name: str, number: int) -> list[object]:
    """Return the messages of a run that leaves the optimal plan, the later the higher its number (1 to 3)."""
    problem, random = catalogue.problem(name), Random(f"{name} {number}")
    run = environment(problem)
    play(run, MESSAGES)
    length = len(run.turns)
    run = environment(problem)
    play(run, length * (number - 1) // 3)
    for _ in range(OFF_PLAN):
        legal = run.legal()
        if legal:
            run.step(random.choice(legal))
    return [turn.said for turn in run.turns]


def solved(name: str) -> Row:
    """Return the row of the solution from the start."""
    found = solve(catalogue.problem(name), time_limit=SOLVE)
    return {"problem": name, "run": "0", "solve": answer(found.status, found.makespan, found.lower_bound)}


def questioned(name: str, number: str, messages: list[object]) -> Row:
    """Return the row of one unfinished run."""
    problem = catalogue.problem(name)
    live, limit = environment(problem), STATE[problem.kind]
    for message in messages:
        live.step(message)
    run = live.run()
    row = {"problem": name, "run": number, "messages": json.dumps(messages, separators=(",", ":"))}
    advice = next_of(run, everything=True, seconds=limit)
    free = sum(option.cost == 0 for option in advice.options)
    row["next"] = answer(advice.status, makespan_of(problem, advice.plan), advice.best) + f" {free}"
    priced = regret_of(run, seconds=limit)
    last = priced.decisions[-1]
    row["regret"] = answer(priced.completion_status, last.upper, last.lower)
    repaired = Repairer(time_limit=limit).repair(problem, live.submission())
    row["repair"] = answer(repaired.status, repaired.makespan, repaired.optimum)
    ended = play(live, MESSAGES)
    row["agent"] = answer(ended, live.run().makespan if ended == "done" else None, None)
    return row


def rows(known: list[Row], only: str, every: int) -> Iterator[Row]:
    """Yield rows worked out anew: those of a table, or all problems if there is none."""
    wanted = known or [{"problem": name, "run": str(run)} for name in problems() for run in range(4)]
    for row in [row for row in wanted if row["problem"].startswith(only)][::every]:
        name, number = row["problem"], row["run"]
        if number == "0":
            yield solved(name)
        else:
            messages = json.loads(row["messages"]) if known else messages_of(name, int(number))
            yield questioned(name, number, messages)
        print(f"{process_time():6.0f} s {name} {number}", file=sys.stderr, flush=True)


def contradicts(one: str, other: str) -> bool:
    """Tell whether a bound of one answer exceeds a makespan of the other, or only one is infeasible."""
    (status, makespan, bound), (status2, makespan2, bound2) = one.split()[:3], other.split()[:3]
    if "infeasible" in (status, status2) and (makespan, makespan2) != ("-", "-"):
        return True
    pairs = ((bound, makespan2), (bound2, makespan))
    return any("-" not in pair and int(pair[0]) > int(pair[1]) for pair in pairs)


def compare(known: list[Row], made: Iterable[Row]) -> int:
    """Print what differs; return the number of contradictions."""
    before = {(row["problem"], row["run"]): row for row in known}
    counts: Counter[str] = Counter()
    for row in made:
        old = before[row["problem"], row["run"]]
        for field in FIELDS[2:-1]:
            then, now = old[field], row.get(field, "")
            if not then:
                continue
            same = then == now
            conflict = field in ("solve", "regret") and not same and contradicts(then, now)
            counts[f"{field}: {'contradicts' if conflict else 'same' if same else 'differs'}"] += 1
            if not same:
                print(f"{row['problem']} {row['run']} {field}: {then} -> {now}{'  CONTRADICTION' if conflict else ''}")
    for what, count in sorted(counts.items()):
        print(f"{count:5} {what}")
    return sum(count for what, count in counts.items() if what.endswith("contradicts"))


def main() -> int:
    """Write the table, or compare with it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="write a table to this file instead of comparing")
    parser.add_argument("--only", default="", help="first letters of the names of problems")
    parser.add_argument("--rows", type=int, default=1, help="only each so many-th row")
    options = parser.parse_args()
    known: list[Row] = []
    if options.write is None:
        with TABLE.open(encoding="utf-8", newline="") as file:
            known = list(csv.DictReader(file))
    made = rows(known, options.only, options.rows)
    if options.write is None:
        return int(compare(known, made) > 0)
    with options.write.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for row in made:
            writer.writerow(row)
            file.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
