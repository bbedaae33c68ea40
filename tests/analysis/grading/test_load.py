"""Nothing that grades depends on the load of the machine, on what was asked before, or on what is kept."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from support.batches import MAIN
from support.samples import sample

from planoracle.analysis.diagnosis.advice import next_commands
from planoracle.analysis.diagnosis.critique import critique
from planoracle.analysis.diagnosis.regret import regret, regret_of
from planoracle.analysis.diagnosis.repair import repair
from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.report.jobs import work_on
from planoracle.analysis.report.work import ReportOptions, entries_of
from planoracle.instances.files import catalog
from planoracle.instances.model import limits as clock
from planoracle.instances.model.limits import WorkLimit, counted_work, deadline_of
from planoracle.instances.protocol import registry
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.solve import solve

VERDICTS = Path(__file__).parents[4] / "shared" / "verdicts"
PAIR = "recipe2plan/timed/Cobbler_Pancakes"
CASES = [
    (PAIR, "Step(0, Cobbler, 10 min, 00:05:00), Step(0, Cobbler, 10 min, 00:20:00)"),
    ("timearena/household1+lab2", ["activate kettle", "wait", "wash cup", "wait"]),
    ("kitchens/synchronous/1_lettuce_sandwich", ["Wait", "Move robot1 from table1 to table2"]),
    ("asynctool/cross2/01", []),
]


@pytest.fixture
def rushed(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return what makes time fly: every look at the clock finds it an hour later."""

    def rush() -> None:
        hours = count(1)
        monkeypatch.setattr(clock, "perf_counter", lambda: 3600.0 * next(hours))

    return rush


def answers(name: str, given: Any) -> Iterator[Any]:
    """What all that grades says of a plan; problems are read anew, for they remember answers."""
    rules = profiles()

    def problem() -> Any:
        found = catalog.problem(name)
        found.memos.clear()
        return found

    row = {"id": "1", "instance": name, "plan": given}
    grader = Grader(rules | {"robotouille": registry.get("robotouille").rules.profile(price_rest=True)})
    problem()
    yield grader.grade(row).row(trace=True)
    yield regret(problem(), given).as_dict()
    yield next_commands(problem(), given, all_commands=True)
    yield critique(problem(), given, hints=True).as_dict()
    yield repair(problem(), {"plan": given})


@pytest.mark.slow
@pytest.mark.parametrize(("name", "given"), sample(CASES, several=True))
def test_no_grader_looks_at_the_clock(name: str, given: Any, rushed: Callable[[], None], monkeypatch: Any) -> None:
    monkeypatch.setenv("PLANORACLE_CACHE", "")
    calm = list(answers(name, given))
    rushed()
    assert list(answers(name, given)) == calm
    if name == PAIR:
        assert solve(catalog.problem(name), time_limit=60.0).status != "optimal"  # time does fly


@pytest.mark.slow
def test_work_is_the_same_every_time() -> None:
    kitchen = catalog.problem("kitchens/synchronous/7_two_lettuce_chicken_sandwich")
    found = []
    for _ in range(2):
        before = counted_work()
        result = plan(kitchen, time_limit=WorkLimit(0.1))
        found.append((result.status, result.lower_bound, result.actions, result.expanded, counted_work() - before))
    assert found[0] == found[1]
    assert found[0][0] == "feasible"
    assert found[0][-1] == pytest.approx(1e8, rel=0.05)


def test_work_of_a_part_counts_for_the_whole() -> None:
    whole = deadline_of(WorkLimit(1.0))
    assert whole.counted
    assert not whole.over(0.0)
    part = whole.sooner(0.25)
    part.spend(0.25)
    assert part.over(0.0)
    assert whole.remaining() == 0.75
    assert whole.sooner(5.0).remaining() == 0.75
    assert deadline_of(whole) is whole
    assert not deadline_of(60.0).counted


def runs() -> list[Any]:
    """Runs on one problem, so that one may profit from what was asked for another."""
    texts = [
        "Step(1, Cobbler, 2 min, 0:03:00)",
        "Step(0, Pancakes, 00:10:00, 00:00:00)",
        "Step(0, Cobbler, 10 min, 00:05:00), Step(1, Cobbler, 2 min, 00:20:00)",
    ]
    return [registry.get("recipe2plan").run(catalog.problem(PAIR), text) for text in texts]


@pytest.mark.parametrize("seconds", [0.001, 0.01, 0.1])
def test_prices_do_not_depend_on_what_was_priced_before(seconds: float) -> None:
    problem = catalog.problem(PAIR)
    told: list[dict[int, Any]] = []
    for order in ([0, 1, 2], [2, 1, 0], [1, 1, 0, 2]):
        problem.memos.clear()
        found: dict[int, Any] = {}
        for number in order:
            before = counted_work()
            found[number] = regret_of(runs()[number], seconds=WorkLimit(seconds)).as_dict(), counted_work() - before
        told.append(dict(sorted(found.items())))
    assert told[0] == told[1] == told[2]


@pytest.mark.slow
def test_what_a_report_prices_does_not_depend_on_processes() -> None:
    rows = [
        {"id": str(n), "model": "m", "instance": PAIR, "plan": f"Step(0, Cobbler, 10 min, 00:{n:02}:00)"}
        for n in range(24)
    ]
    found = []
    for processes in (1, 2):
        catalog.problem(PAIR).memos.clear()
        work = work_on(entries_of(enumerate(rows, 1)), ReportOptions(), regret_seconds=0.3, processes=processes)
        found.append((sorted(work.priced), [one.sheet for one in work.priced.values()]))
    assert found[0] == found[1]
    assert len(found[0][0]) > 0


@pytest.mark.slow
def test_an_oracle_says_the_same_with_a_warm_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, rules = "kitchens/synchronous/7_two_lettuce_chicken_sandwich", profiles()["robotouille"]
    monkeypatch.setattr("planoracle.analysis.grading.oracle.bundled_result", lambda *_: None)
    monkeypatch.setenv("PLANORACLE_CACHE", str(tmp_path))
    problem = catalog.problem(name)
    found = []
    for seconds in (0.05, 10.0, 0.05):  # more work is done, and kept, between
        problem.memos.clear()
        best = SolverOracle(WorkLimit(seconds)).best(problem, rules)
        found.append((best.status, best.makespan, best.lower_bound, best.plan))
    problem.memos.clear()
    assert found[0] == found[2] != found[1]


# --- the whole evaluation ------------------------------------------------------------------------


def _busy() -> None:
    os.nice(5)  # the machine is loaded, but the tests beside this one get on
    while True:
        sum(range(100_000))


#: What is asked about which verdicts: verb and options, and of how many lines one is taken.
ASKED: list[tuple[str, int, list[str]]] = [
    ("recipe2plan", 1, ["grade", "--trace"]),
    *(("recipe2plan", 40, [verb]) for verb in ("regret", "repair", "critique")),
    ("timearena", 1, ["grade", "--trace", "--set", "timearena.price_waits=true"]),
    *(("timearena", 8, [verb]) for verb in ("regret", "repair", "critique")),
    ("robotouille", 15, ["grade", "--trace"]),
    ("robotouille", 66, ["grade", "--set", "robotouille.price_rest=true"]),
    ("robotouille", 28, ["critique", "--no-regret"]),
    ("asynchow", 1, ["grade"]),
]


def evaluated(folder: Path, *jobs: str) -> dict[str, bytes]:
    """What verbs that write rows say of the verdict files."""
    found = {}
    for stem, step, call in ASKED:
        (path,) = VERDICTS.rglob(f"{stem}.jsonl")
        lines = folder / f"{stem}_{step}.jsonl"
        text = "".join(path.read_text().splitlines(keepends=True)[::step])
        lines.write_text(re.sub(r"seeded/([a-z]+)__(\w+)__(\d+)\.json", rf"{stem}/\1/\2@\3", text))
        verb, *options = call
        options += jobs if verb == "grade" else ()
        done = subprocess.run(
            [sys.executable, "-c", MAIN, verb, str(lines), "--format", "jsonl", *options],
            capture_output=True,
            check=False,
            env=os.environ | {"PLANORACLE_CACHE": str(folder / "cache")},
        )
        assert done.returncode in (0, 1), done.stderr.decode()
        assert done.stdout
        found[" ".join([stem, *call])] = done.stdout
    return found


@pytest.mark.slow
@pytest.mark.skipif(not VERDICTS.exists(), reason="the shared verdicts are not here")
def test_the_whole_evaluation_is_the_same_beside_eight_busy_processes(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=_busy, daemon=True) for _ in range(8)]
    for one in others:
        one.start()
    try:
        loaded = evaluated(tmp_path, "--jobs", "2")
    finally:
        for one in others:
            one.kill()
    quiet = evaluated(tmp_path, "--jobs", "1")
    assert [name for name in loaded if loaded[name] != quiet[name]] == []
    rows = [json.loads(line) for name in quiet if " grade" in name for line in quiet[name].splitlines()]
    assert all(
        row["optimum_status"] in ("optimal", "feasible", "infeasible", "unknown") for row in rows if row["scored"]
    )
