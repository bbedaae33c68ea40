"""Certificates that are costly to check: the checkers take linear time in the size of the file."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planoracle.solver.proofs import checker
from planoracle.solver.proofs.checker import RefusedError, check, check_schedule

COUNT = 4000
#: Time limit of a checker, in seconds; each case takes about one.
PATIENCE = 60.0

Files = tuple[dict[str, Any], dict[str, Any]]
BEGIN, END = ["begin", ""], ["end", ""]


def problem(actions: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    tasks = [{"name": "t", "actions": actions}]
    return {"format": "planoracle/instance", "version": 1, "name": "large", "tasks": tasks} | more


def action(name: str, duration: int = 1, **more: Any) -> dict[str, Any]:
    return {"name": name, "duration": duration, "attended": 0, "agents": []} | more


def proof(bound: int, *steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    numbered = [{"number": number} | step for number, step in enumerate(steps, 1)]
    document = {"format": checker.FORMAT, "version": checker.VERSION, "instance": "large", "bound": bound}
    return document | {"makespan": None, "gap": None, "schedule": None, "supposed": None, "steps": numbered} | more


def hop(source: list[str], target: list[str], ticks: int, reason: str, **more: Any) -> dict[str, Any]:
    return {"from": source, "to": target, "ticks": ticks, "why": reason} | more


def start(name: str) -> list[str]:
    return ["start", f"t/{name}"]


def finish(name: str) -> list[str]:
    return ["finish", f"t/{name}"]


def path(*hops: dict[str, Any]) -> dict[str, Any]:
    return {"link": "path", "ticks": sum(one["ticks"] for one in hops), "hops": [*hops]}


def alone(name: str, ticks: int = 1) -> dict[str, Any]:
    """A path of one action."""
    ways = hop(BEGIN, start(name), 0, "release"), hop(start(name), finish(name), ticks, "duration")
    return path(*ways, hop(finish(name), END, 0, "order"))


def load(machine: str, names: list[str], members: list[str], ticks: int = 1) -> dict[str, Any]:
    rows = [
        {
            "action": f"t/{name}",
            "ticks": ticks,
            "before": [hop(BEGIN, start(name), 0, "release")],
            "after": [hop(finish(name), END, 0, "order")],
        }
        for name in members
    ]
    needed = -(-len(rows) * ticks // len(names))
    link = {"link": "load", "from": BEGIN, "to": END, "ticks": needed, "machine": machine, "names": names}
    sums = {"capacity": len(names), "in_turn": False, "first": 0, "work": ticks * len(rows), "needed": needed}
    return link | sums | {"rest": 0, "members": rows}


def order(kind: str, subject: str) -> dict[str, Any]:
    """Action b comes after action a, for which it waits anyway."""
    followed, excluded = hop(finish("a"), start("b"), 0, "case"), hop(finish("b"), start("a"), 0, "case")
    first, last = (hop(start(name), finish(name), 1, "duration") for name in "ab")
    link = {"link": "order", "kind": kind, "about": ["t/a", "t/b", subject], "held": followed, "excluded": excluded}
    return link | {"against": [first, hop(finish("a"), start("b"), 0, "lag"), last]}


def by_load(number: int, ticks: int) -> dict[str, Any]:
    return path(hop(BEGIN, END, ticks, "line", line=number))


def hosts() -> Files:
    """A setting action, and later uses of the resource that might make it unnecessary."""
    names = [f"u{number}" for number in range(COUNT)]
    uses = [{"resource": "oven"}]
    chain = [action(name, uses=uses, after=names[max(0, at - 1) : at] or ["heat"]) for at, name in enumerate(names)]
    heat = action("heat", uses=[{"resource": "oven", "sets": "hot"}])
    resources = [{"name": "oven", "state": "hot"}]
    return problem([heat, *chain], resources=resources), proof(1, load("resource", ["oven"], ["heat"]), by_load(1, 1))


def states() -> Files:
    """A path of uses, each of which waits for the setting before it."""
    names = [f"u{number}" for number in range(COUNT)]
    actions = [
        action(
            name,
            uses=[
                *([{"resource": f"r{at - 1}", "requires": "on"}] if at else []),
                {"resource": f"r{at}", "sets": "on"},
            ],
        )
        for at, name in enumerate(names)
    ]
    hops = [hop(start(one), start(two), 1, "state") for one, two in itertools.pairwise(names)]
    ends = hop(start(names[-1]), finish(names[-1]), 1, "duration"), hop(finish(names[-1]), END, 0, "order")
    resources = [{"name": f"r{at}"} for at in range(COUNT)]
    return problem(actions, resources=resources), proof(
        COUNT, path(hop(BEGIN, start("u0"), 0, "release"), *hops, *ends)
    )


def loads() -> Files:
    """Many loads, each of which is in the path at the end by turns, and a lag of many numbers."""
    lags = [{"action": "a", "min_lag": number} for number in range(COUNT)]
    actions = [action("a", attended=1, agents=["agent"]), action("b", after=lags)]
    steps = [load("agents", ["agent"], ["a"]) for _ in range(COUNT)]
    back = hop(finish("b"), start("b"), -1, "duration")
    forth = hop(start("b"), finish("b"), 1, "duration")
    waits = [hop(finish("a"), start("b"), COUNT - 1, "lag"), forth, *[back, forth] * COUNT]
    first = hop(BEGIN, start("a"), 0, "release"), hop(start("a"), finish("a"), 1, "duration")
    return problem(actions), proof(COUNT + 1, *steps, path(*first, *waits, hop(finish("b"), END, 0, "order")))


def crews() -> Files:
    """As many actions as agents, each of whom may carry out all of them."""
    agents = [f"agent{number}" for number in range(COUNT)]
    names = [f"a{number}" for number in range(COUNT)]
    actions = [{"name": name, "duration": 1} for name in names]
    return problem(actions, agents=agents), proof(1, load("agents", agents, names), by_load(1, 1))


def orders() -> Files:
    """Many orders of the same two actions, among many others."""
    both = [action("a", attended=1, agents=["agent"]), action("b", attended=1, agents=["agent"], after=["a"])]
    others = [action(f"c{number}") for number in range(COUNT)]
    return problem([*both, *others]), proof(1, *[order("agent", "agent")] * COUNT, alone("a"))


def timetables() -> Files:
    """A schedule in which every action has its own agent, resource and state, at the same oven."""
    names = [f"a{number}" for number in range(COUNT)]
    actions = [
        {
            "name": name,
            "duration": 1,
            "agents": [f"by{at}"],
            "uses": [{"resource": f"r{at}"}, {"resource": "oven", "sets": f"s{at}"}],
        }
        for at, name in enumerate(names)
    ]
    resources = [{"name": "oven"}, *({"name": f"r{at}"} for at in range(COUNT))]
    pieces = [
        {"action": f"t/{name}", "start": at, "duration": 1, "agent": f"by{at}", "mode": 0}
        for at, name in enumerate(names)
    ]
    document = {"makespan": COUNT, "gap": COUNT - 1, "schedule": pieces}
    agents = [f"by{at}" for at in range(COUNT)]
    return problem(actions, resources=resources, agents=agents), proof(1, alone("a0"), **document)


LARGE: list[tuple[Callable[[], Files], str]] = [
    (hosts, "t/heat may share units of oven with another action"),
    (states, ""),
    (loads, ""),
    (crews, ""),
    (orders, ""),
    (timetables, ""),
]


@pytest.mark.slow
@pytest.mark.parametrize(("make", "reason"), LARGE, ids=[make.__name__ for make, _ in LARGE])
def test_large_certificates_are_checked_in_linear_time(tmp_path: Path, make: Callable[[], Files], reason: str) -> None:
    paths = [tmp_path / "problem.json", tmp_path / "proof.json"]
    for path, document in zip(paths, make(), strict=True):
        path.write_text(json.dumps(document))
    call = [sys.executable, "-I", "-S", str(checker.__file__), *map(str, paths)]
    done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=PATIENCE)
    if reason:
        assert reason in done.stderr
    else:
        assert (done.returncode, done.stderr) == (0, "")


def test_modes_are_compared_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "MAX_COMPARISONS", 1000)
    modes = [{"name": f"m{number}", "uses": [{"resource": "pan"}]} for number in range(20)]
    actions = [action("a", modes=modes), action("b", modes=modes, after=["a"])]
    large, step = problem(actions, resources=[{"name": "pan"}]), order("modes", "")
    assert check(large, proof(1, step, alone("a"))) == 1
    with pytest.raises(RefusedError, match="exceeds 1000 comparisons"):
        check(large, proof(1, step, step, alone("a")))


def test_time_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 1_000_000, 10))
    monkeypatch.setattr(checker, "process_time", lambda: float(next(clock)))
    actions = [action("a", attended=1, agents=["agent"])]
    few, many = ([load("agents", ["agent"], ["a"]) for _ in range(count)] for count in (4, 7))
    assert check(problem(actions), proof(1, *few, alone("a"))) == 1
    with pytest.raises(RefusedError, match=r"or 60\.0 s"):
        check(problem(actions), proof(1, *many, alone("a")))


@pytest.mark.slow
@pytest.mark.parametrize("depth", [checker.MAX_DEPTH, checker.MAX_DEPTH + 1, 2000])
def test_nested_cases_are_limited(depth: int) -> None:
    names = [f"a{number}" for number in range(depth + 1)]
    actions = [action(name, attended=1, agents=["agent"]) for name in names]
    step, number = alone(names[0]), 2 * depth + 1
    step["number"] = number
    for one, two in itertools.pairwise(names):
        number -= 2
        ways = hop(finish(one), start(two), 0, "case"), hop(finish(two), start(one), 0, "case")
        other = alone(one) | {"number": number + 1}
        cases = [{"assumed": ways[0], "steps": [other]}, {"assumed": ways[1], "steps": [step]}]
        step = {"number": number, "link": "split", "kind": "agent", "about": [f"t/{one}", f"t/{two}", "agent"]}
        step["cases"] = cases
    if depth <= checker.MAX_DEPTH:
        assert check(problem(actions), proof(1, step)) == 1
    else:
        with pytest.raises(RefusedError, match=f"nested at most {checker.MAX_DEPTH} deep"):
            check(problem(actions), proof(1, step))


@pytest.mark.parametrize("number", [10**31, -(10**4299), 10**4299])
def test_numbers_are_limited(number: int) -> None:
    large = problem([action("a", 2)])
    assert check(large, proof(2, alone("a", 2))) == 2
    for wrong in (proof(number, alone("a", 2)), proof(2, alone("a", 2) | {"ticks": number})):
        with pytest.raises(RefusedError, match="must be at most"):
            check(large, wrong)
    piece = {"action": "t/a", "start": number, "duration": 2, "agent": None, "mode": 0}
    with pytest.raises(RefusedError, match="start of a piece must be at most"):
        check_schedule(large, proof(2, alone("a", 2), makespan=2, gap=0, schedule=[piece]))


@pytest.mark.slow
def test_files_are_limited(tmp_path: Path) -> None:
    paths = [tmp_path / "problem.json", tmp_path / "proof.json"]
    for path, document in zip(paths, (problem([action("a")]), proof(1, alone("a"))), strict=True):
        path.write_text(json.dumps(document))
    call = [sys.executable, "-I", "-S", str(checker.__file__), *map(str, paths)]
    assert subprocess.run(call, capture_output=True, check=False).returncode == 0
    paths[1].write_text(" " * checker.MAX_BYTES + paths[1].read_text())
    for proof_file in (paths[1], Path("/dev/zero")):
        done = subprocess.run([*call[:-1], str(proof_file)], capture_output=True, check=False, timeout=PATIENCE)
        assert done.returncode == 1
        assert b"refused" in done.stderr
