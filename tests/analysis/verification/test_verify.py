"""Certificates in files: checks by planoracle and by the stand-alone checkers, with changed ones."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.random_instances import kitchen
from support.runner import invoke, values_in_this_process
from support.samples import sample, some_problems

from planoracle.analysis.verification import verify as module
from planoracle.analysis.verification.bundled_checks import BundledEntry, bundled_entries, select_names
from planoracle.analysis.verification.verify import (
    derive_certificates,
    read_certificates,
    verify_bundled,
    verify_named,
)
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.files.catalog import expand, load
from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.features import features_of
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.model.limits import Status
from planoracle.instances.model.problem import of_kind
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import referee
from planoracle.instances.protocol import bundled_results, registry
from planoracle.instances.protocol.bundled_results import Entry
from planoracle.instances.protocol.schedule_benchmark import certify
from planoracle.solver.exact.search import solve
from planoracle.solver.explanation import plan_document
from planoracle.solver.proofs import checker
from planoracle.solver.proofs.certificate import certificate
from planoracle.solver.proofs.checker import VERSIONS, RefusedError
from planoracle.solver.solve import bundled_result

NAME = "timearena/household1"


@pytest.fixture
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verify in this process: a worker takes a second to start."""
    monkeypatch.setattr("planoracle.analysis.cli.verify.each_in_worker", values_in_this_process)


def check(problem: Any, proof: Any) -> int:
    """Check the schedule and the bound of a proof."""
    checker.check_schedule(problem, proof)
    return checker.check(problem, proof)


def written(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a problem and its certificate, as written to files."""
    problem = load(name)
    result = solve(problem)
    proof = certificate(problem, result.makespan, result.schedule)
    return json.loads(json.dumps(to_document(problem))), json.loads(json.dumps(proof.as_dict()))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    proof, problem = tmp_path / "proof.json", tmp_path / "problem.json"
    assert invoke("explain", NAME, "--out", proof).exit_code == 0
    problem.write_text(invoke("instances", NAME, "--export").stdout)
    return problem, proof


# --- the command ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_written_certificate_is_verified(files: tuple[Path, Path]) -> None:
    problem, proof = files
    for name in (problem, "timearena/household?"):
        done = invoke("verify", name, proof, "--format", "json")
        assert done.exit_code == 0
        assert json.loads(done.stdout) == [
            {
                "instance": NAME,
                "makespan": 13,
                "bound": 13,
                "proved": "certificate",
                "holds": True,
                "reason": "",
                "profile": "",
            }
        ]


@pytest.mark.slow
@pytest.mark.usefixtures("no_worker")
def test_certificate_with_a_wrong_number_is_refused_and_the_others_are_verified(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    _, proof = files
    lines = [proof.read_text(), proof.read_text().replace('"ticks": 13', '"ticks": 14'), "{\n", '{"instance": "who"}\n']
    lines += ["[1]\n", '{"instance": 4}\n', json.dumps(written("timearena/household2")[1]) + "\n"]
    several = tmp_path / "several.jsonl"
    several.write_text("".join(lines))
    done = invoke("verify", "timearena/household?", several, "--format", "jsonl")
    assert done.exit_code == 1
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["instance"], row["holds"]) for row in rows] == [
        (NAME, True),
        (NAME, False),
        ("timearena/household2", True),
    ]
    assert "step 3" in rows[1]["reason"]
    for message in (", line 3", ", line 4", "2 certificates (first: ", ", line 5", "one of the problems", "'who'"):
        assert message in done.stderr


@pytest.mark.usefixtures("no_worker")
def test_a_file_without_certificates_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "no.json"
    empty.write_text("nothing")
    for path in (empty, tmp_path / "absent.json"):
        with pytest.raises(InputError, match=path.name):
            list(read_certificates(str(path)))
        assert invoke("verify", NAME, path).exit_code != 0


def test_files_of_proofs_have_a_limit_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "proof.json"
    path.write_text("{}" + " " * 20)
    monkeypatch.setattr("planoracle.instances.files.strict_json.MAX_BYTES", 10)
    assert list(read_certificates(str(path))) == [(str(path), {})]
    monkeypatch.setattr("planoracle.solver.proofs.drcp_checker.MAX_BYTES", 21)
    with pytest.raises(InputError, match="is larger than 21 bytes"):
        list(read_certificates(str(path)))


def test_certificate_of_another_problem_with_the_same_name_is_refused() -> None:
    problem, proof = written("asynctool/files_1")
    problem["tasks"][0]["actions"][0]["duration"] += 1
    with pytest.raises(RefusedError):
        check(problem, proof)
    with pytest.raises(InputError, match="one of the problems"):
        verify_named(proof, {})


# --- claims without a certificate -----------------------------------------------------------------

UNCHECKED = "plan holds, bound not checked"
SLOW = "recipe2plan/timed/Cobbler_Pancakes"
KITCHEN = "kitchens/synchronous/0_cheese_sandwich"


def claim(name: str, bound: int | None, later: int = 0) -> dict[str, Any]:
    """Return the bundled plan of a problem, its last action later, with a claimed bound."""
    problem = catalog.problem(name)
    optimum = bundled_result(problem)
    assert optimum is not None
    if later:
        assert optimum.schedule is not None
        *pieces, last = sorted(optimum.schedule.pieces, key=lambda piece: piece.start)
        schedule = Schedule((*pieces, last._replace(start=last.start + later)))
        plan = certify(of_kind(problem, Instance), schedule)
        optimum = replace(optimum, plan=plan, makespan=schedule.makespan)
    return plan_document(replace(optimum, lower_bound=bound), "released")


@pytest.mark.usefixtures("no_worker")
@pytest.mark.parametrize(
    ("name", "bound", "later", "holds", "reason"),
    [
        (SLOW, 4200, 120, False, "contradicts the known optimum: a plan with makespan 4080 exists"),
        (SLOW, 4081, 120, False, "contradicts the known optimum: a plan with makespan 4080 exists"),
        (SLOW, 4080, 120, None, UNCHECKED),
        (SLOW, 4080, 0, None, UNCHECKED),
        (SLOW, None, 120, True, ""),
        (KITCHEN, 12, 0, None, UNCHECKED),
        (KITCHEN, None, 0, True, ""),
    ],
)
def test_bound_without_certificate_is_not_checked(
    tmp_path: Path, name: str, bound: int | None, later: int, holds: bool | None, reason: str
) -> None:
    proof = tmp_path / "proof.json"
    proof.write_text(json.dumps(claim(name, bound, later)))
    done = invoke("verify", name, proof, "--format", "json")
    assert done.exit_code == (1 if holds is False else 0)
    (row,) = json.loads(done.stdout)
    assert (row["holds"], row["reason"], row["proved"]) == (holds, reason, "search")
    table = invoke("verify", name, proof).stdout
    assert (" yes" in table) == (holds is True)


def test_plan_below_a_bundled_bound_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, optimum = catalog.problem(KITCHEN), bundled_result(catalog.problem(KITCHEN))
    assert optimum is not None
    worse = replace(optimum, makespan=14, lower_bound=13)
    none = replace(optimum, status=Status.infeasible, makespan=None, lower_bound=None, plan=None)
    for other, reason in ((worse, "the proved lower bound is 13"), (none, "the bundled result is infeasible")):
        monkeypatch.setattr(module, "bundled_result", lambda *_, other=other: other)
        one = verify_named(claim(KITCHEN, None), {problem.name: problem})
        assert one.holds is False
        assert one.reason.endswith(reason)


def test_certificate_above_a_known_makespan_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, (_, proof) = load(NAME), written(NAME)
    optimum = bundled_result(problem)
    assert optimum is not None
    assert verify_named(proof, {NAME: problem}).holds is True
    monkeypatch.setattr(module, "bundled_result", lambda *_: replace(optimum, makespan=12, lower_bound=11))
    assert verify_named(proof, {NAME: problem}).reason.endswith("a plan with makespan 12 exists")


def test_plan_below_the_optimum_of_a_formula_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    (way,) = list(bundled_entries("asynchow/async/0"))[:1]
    least = registry.of(way.problem).formula_optimum(way.problem)
    assert least is not None
    one = module._refute_by_optimum(module.Verification(way.problem.name, least - 1, None, "", True), way.problem)
    assert one.holds is False
    assert (
        module._refute_by_optimum(module.Verification(way.problem.name, least, least, "", True), way.problem).holds
        is True
    )


def test_infeasibility_without_certificate_is_not_checked() -> None:
    problem = Instance("hasty", (Action("t/a", "t", 4, 4), Action("t/b", "t", 4, 4)), time_limit=5)
    entry: Entry = {"status": "infeasible", "makespan": None, "bound": None, "plan": [], "proof": "search"}
    one = module._verify_entry(BundledEntry(problem, ("paper",), None, entry))
    assert (one.holds, one.reason) == (None, "no plan, and no certificate that there is none")


# --- the file that stands alone ------------------------------------------------------------------


def alone(folder: Path, *arguments: Path) -> subprocess.CompletedProcess[str]:
    """Run a copy of the checker in an interpreter without other modules."""
    copied = shutil.copy(str(checker.__file__), folder / "alone.py")
    call = [sys.executable, "-I", "-S", copied, *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.slow
def test_stand_alone_checker_needs_only_python(files: tuple[Path, Path], tmp_path: Path) -> None:
    answer = f"No schedule of {NAME} is shorter than 13 ticks.\nThere is a schedule of {NAME} of 13 ticks.\n"
    done = alone(tmp_path, *files)
    assert (done.returncode, done.stdout) == (0, answer)
    problem, proof = files
    proof.write_text(proof.read_text().replace('"bound": 13', '"bound": 14'))
    done = alone(tmp_path, problem, proof)
    assert (done.returncode, done.stdout) == (1, "")
    assert "refused" in done.stderr
    for wrong in ((problem,), (), (problem, tmp_path / "absent.json"), (proof, problem)):
        done = alone(tmp_path, *wrong)
        assert (done.returncode, done.stdout) == (1, "")
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "proof",
    [None, 4, [], {}, "text", {"steps": []}, {"steps": None}],
)
def test_documents_without_a_proof_are_refused(proof: Any) -> None:
    problem, good = written("asynctool/files_1")
    for document in (proof, good | proof if isinstance(proof, dict) and proof else {}):
        with pytest.raises(RefusedError):
            checker.check(problem, document)


# --- forged ones ---------------------------------------------------------------------------------


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*path, key))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def forged(proof: dict[str, Any], random: Random) -> dict[str, Any] | None:
    """Return a proof with a changed number or name, or with a missing or repeated part."""
    changed = copy.deepcopy(proof)
    paths = list(places(changed))[1:]
    path = random.choice(paths)
    holder, key = at(changed, path[:-1]), path[-1]
    value = holder[key]
    if isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int):
        holder[key] = value + random.choice([-1000, -10, -1, 1, 10, 1000])
    elif isinstance(value, str):
        holder[key] = random.choice([at(changed, one) for one in paths if isinstance(at(changed, one), str)])
    elif isinstance(value, list) and value and random.random() < 0.5:
        value.append(copy.deepcopy(random.choice(value)))
    elif isinstance(value, list) and value:
        del value[random.randrange(len(value))]
    elif value is None:
        holder[key] = random.choice([0, 1, False, "text", []])
    elif isinstance(holder, list):
        del holder[key]
    else:
        holder[key] = None
    return None if json.dumps(changed) == json.dumps(proof) or is_true(changed, proof) else changed


def needed(value: Any) -> Any:
    """Return steps without the precedences that a load may have."""
    if isinstance(value, list):
        return [needed(entry) for entry in value]
    if isinstance(value, dict):
        return {key: needed(entry) for key, entry in value.items() if key != "precedences"}
    return value


def is_true(changed: dict[str, Any], proof: dict[str, Any]) -> bool:
    """Return whether the change leaves a right proof: another valid schedule, or what no step needs."""
    if any(changed.get(key) != proof[key] for key in proof if key not in ("schedule", "steps", "version")):
        return False
    if needed(changed.get("steps")) != needed(proof["steps"]) or changed.get("version") not in VERSIONS:
        return False
    try:
        schedule = Schedule(tuple(Piece(**row) for row in changed["schedule"]))
        replay = referee(load(proof["instance"]), schedule)
    except (TypeError, InputError):
        return False
    return replay.success and replay.makespan == proof["makespan"]


SOME = [
    "timearena/lab4+lab5",
    "recipe2plan/timed/Tacos_Smore-Bars",
    "recipe2plan/timed/Vada_Leche-Asada",
    "asynctool/cross2/13",
    *expand(["timearena"])[::20],
]


@pytest.mark.slow
@pytest.mark.parametrize("seed", sample(range(10), 10))
def test_changed_certificates_are_refused(seed: int) -> None:
    random = Random(seed)
    pairs = [written(name) for name in SOME]
    for problem, proof in pairs:
        assert check(problem, proof) == proof["bound"]
    count = 0
    while count < 200:
        problem, proof = random.choice(pairs)
        changed = forged(proof, random)
        if changed is not None:
            with pytest.raises(RefusedError):
                check(problem, changed)
            count += 1


# --- schedules ------------------------------------------------------------------------------------


def faulty(problem: Instance, schedule: Schedule) -> bool:
    return not referee(problem, schedule).success


def is_refused(problem: Instance, schedule: Schedule) -> bool:
    """Return whether the stand-alone checker refuses a schedule."""
    proof = {
        "format": checker.FORMAT,
        "version": checker.VERSION,
        "instance": problem.name,
        "bound": 0,
        "makespan": schedule.makespan,
        "gap": schedule.makespan,
        "schedule": [piece._asdict() for piece in schedule.pieces],
        "supposed": None,
        "steps": [],
    }
    try:
        checker.check_schedule(to_document(problem), proof)
    except RefusedError:
        return True
    return False


@pytest.mark.parametrize("seed", sample(range(40), 15))
def test_checker_refuses_schedules_that_break_rules(seed: int) -> None:
    random = Random(seed)
    problem = kitchen(seed)
    schedule = solve(problem).schedule
    if schedule is None:
        return
    assert not is_refused(problem, schedule)
    both = 0
    for _ in range(40):
        pieces = list(schedule.pieces)
        place = random.randrange(len(pieces))
        change = {"start": random.randrange(-1, schedule.makespan + 1)}
        if random.random() < 0.3:
            change = {"mode": random.randrange(2), "agent": random.choice([*problem.agents, None])}
        pieces[place] = pieces[place]._replace(**change)
        changed = Schedule(tuple(pieces))
        assert is_refused(problem, changed) == faulty(problem, changed)
        both += faulty(problem, changed)
    assert both


@pytest.mark.parametrize(("resumed", "refused"), [(4, False), (5, True)])
def test_resumption_after_the_maximum_lag_is_refused(resumed: int, refused: bool) -> None:
    actions = Action("t/a", "t", 2, 0), Action("t/b", "t", 3, 3, interruptible=True)
    problem = Instance("paused", actions, (Lag("t/a", "t/b", 0, 2),))
    pieces = Piece("t/a", 0, 2, "agent"), Piece("t/b", 2, 1, "agent"), Piece("t/b", resumed, 2, "agent")
    schedule = Schedule(pieces)
    assert is_refused(problem, schedule) == faulty(problem, schedule) == refused


# --- bundled certificates -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_bundled_schedule_has_a_bundled_certificate() -> None:
    names = [*select_names([]), *expand(["asynctool"])]
    problems = [(way.problem, way.profiles) for name in names for way in bundled_entries(name)]
    schedules = [(one, by) for one, by in problems if one.kind == "schedule" and not features_of(one)]
    lacking = [(one.name, by) for one, by in schedules if module.bundled_proof(one) is None]
    assert lacking == []


@pytest.mark.parametrize("name", sample(some_problems(), 10))
def test_bundled_certificates_hold(name: str) -> None:
    verdicts = list(verify_bundled(name))
    assert verdicts
    for one in verdicts:
        problem = catalog.problem(name)
        has_proof = one.proved in ("certificate", "drcp")
        if problem.kind == "schedule" and (has_proof or not features_of(of_kind(problem, Instance))):
            assert (has_proof, one.holds, one.reason) == (True, True, "")
        else:
            assert (one.holds, one.reason) == (None, UNCHECKED)
            assert one.proved in ("search", "search, release 0.9.0", "search from the bundled plan")


def test_valid_bundled_certificates_are_reused_and_others_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    (key, proof), *_ = derive_certificates("asynctool/files_1").items()
    read = {key: proof}
    monkeypatch.setattr(registry.get("asynctool"), "proofs", read)
    assert derive_certificates("asynctool/files_1")[key] is proof
    read[key] = proof | {"bound": 5}
    assert not next(verify_bundled("asynctool/files_1")).holds
    assert derive_certificates("asynctool/files_1")[key] == proof


def test_file_of_certificates_is_deterministic() -> None:
    certificates = {**derive_certificates("asynctool/files_1"), **derive_certificates(NAME)}
    assert bundled_results.proofs_bytes(certificates) == bundled_results.proofs_bytes(
        dict(reversed(certificates.items()))
    )


def test_verify_checks_bundled_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = {
        "timearena/lab7+lab8+lab9": ["certificate", "certificate"],
        "recipe2plan/timed/Tacos_Smore-Bars": ["certificate"],
        "kitchens/synchronous/0_cheese_sandwich": ["search", "search"],
    }
    for name, proved in ways.items():
        done = invoke("verify", name, "-f", "jsonl")
        assert done.exit_code == 0
        assert [json.loads(line)["proved"] for line in done.stdout.splitlines()] == proved
    monkeypatch.setattr(module, "bundled_proof", lambda problem: {"steps": []})
    done = invoke("verify", NAME)
    assert done.exit_code == 1
    assert "2 refuted" in done.stderr


@pytest.mark.usefixtures("no_worker")
@pytest.mark.parametrize(
    "name", ["kitchens/synchronous/0_cheese_sandwich", "paracook/cook/own/seed_2/agent_num_2/orders_num_1"]
)
def test_plans_proved_by_search_are_replayed(name: str, tmp_path: Path) -> None:
    out = tmp_path / "plan.json"
    result = next(bundled_entries(name)).result()
    assert result is not None
    document = plan_document(result, "paper")
    out.write_text(json.dumps(document))
    done = invoke("verify", name, out, "-f", "json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)[0]["proved"] == "search"
    problems = {name: catalog.problem(name)}
    for change in (
        {"makespan": document["makespan"] - 1},
        {"bound": document["makespan"] + 1},
        {"plan": ""},
        {"proved": "certificate"},
        {"profile": "none"},
        {"version": 2},
        {"more": 1},
    ):
        assert not verify_named(document | change, problems).holds
