"""Certificates in files: who may check them, and what a changed one says."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.runner import CliRunner
from support.samples import sample

from planoracle.analysis.cli import app
from planoracle.analysis.verified import certificates, verified
from planoracle.instances.catalogue import expand, load
from planoracle.instances.errors import InputError
from planoracle.instances.files import to_document
from planoracle.solver.exact.solve import solve
from planoracle.solver.explain import checker
from planoracle.solver.explain.certificate import certificate
from planoracle.solver.explain.checker import RefusedError, check

NAME = "timearena/household1"


def run(*arguments: str | Path) -> Any:
    return CliRunner().invoke(app, [str(one) for one in arguments])


def written(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A problem and its certificate as they are in files."""
    problem = load(name)
    proof = certificate(problem, solve(problem).makespan)
    return json.loads(json.dumps(to_document(problem))), json.loads(json.dumps(proof.as_dict()))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    proof, problem = tmp_path / "proof.json", tmp_path / "problem.json"
    assert run("explain", NAME, "--out", proof).exit_code == 0
    problem.write_text(run("instances", NAME, "--export").stdout)
    return problem, proof


# --- the verb ------------------------------------------------------------------------------------


def test_what_is_written_is_verified(files: tuple[Path, Path]) -> None:
    problem, proof = files
    for name in (problem, NAME, "timearena"):
        done = run("verify", name, proof, "--format", "json")
        assert done.exit_code == 0
        assert json.loads(done.stdout) == [
            {"instance": NAME, "kind": "supposition", "bound": 13, "makespan": 13, "holds": True, "reason": ""}
        ]


def test_a_wrong_number_is_refused_and_the_others_are_verified(files: tuple[Path, Path], tmp_path: Path) -> None:
    _, proof = files
    lines = [proof.read_text(), proof.read_text().replace('"ticks": 13', '"ticks": 14'), "{\n", '{"instance": "who"}\n']
    lines += ["[1]\n", '{"instance": 4}\n', json.dumps(written("timearena/household2")[1]) + "\n"]
    several = tmp_path / "several.jsonl"
    several.write_text("".join(lines))
    done = run("verify", "timearena/household", several, "--format", "jsonl")
    assert done.exit_code == 1
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["instance"], row["holds"]) for row in rows] == [
        (NAME, True),
        (NAME, False),
        ("timearena/household2", True),
    ]
    assert "step 5" in rows[1]["reason"]
    for said in (":3", ":4", ":5", ":6", "none of the problems", "'who'"):
        assert said in done.stderr


def test_a_file_without_certificates_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "no.json"
    empty.write_text("nothing")
    for path in (empty, tmp_path / "absent.json"):
        with pytest.raises(InputError, match=path.name):
            list(certificates(str(path)))
        assert run("verify", NAME, path).exit_code != 0


def test_certificates_of_several_problems_go_into_one_file(tmp_path: Path) -> None:
    out = tmp_path / "all.jsonl"
    assert run("explain", "asynctool/files_1", NAME, "--out", out, "--format", "jsonl").exit_code == 0
    problems = {name: load(name) for name in ("asynctool/files_1", NAME)}
    assert [verified(found, problems).holds for _, found in certificates(str(out))] == [True, True]


def test_a_certificate_of_another_problem_of_that_name_is_refused() -> None:
    problem, proof = written("asynctool/files_1")
    problem["tasks"][0]["actions"][0]["duration"] += 1
    with pytest.raises(RefusedError):
        check(problem, proof)
    with pytest.raises(InputError, match="none of the problems"):
        verified(proof, {})


# --- the file that stands alone ------------------------------------------------------------------


def alone(folder: Path, *arguments: Path) -> subprocess.CompletedProcess[str]:
    """Run a copy of the checker in an interpreter that finds nothing else."""
    copied = shutil.copy(str(checker.__file__), folder / "checker.py")
    call = [sys.executable, "-I", "-S", copied, *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True, check=False, cwd=folder)


def test_the_checker_needs_python_alone(files: tuple[Path, Path], tmp_path: Path) -> None:
    done = alone(tmp_path, *files)
    assert (done.returncode, done.stdout) == (0, f"No schedule of {NAME} is shorter than 13 ticks.\n")
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
def test_what_is_no_proof_is_refused(proof: Any) -> None:
    problem, good = written("asynctool/files_1")
    with pytest.raises(RefusedError):
        check(problem, proof)
    with pytest.raises(RefusedError):
        check(problem, good | proof if isinstance(proof, dict) and proof else {})


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
    """A proof in which one number or name is another one, or one part is missing or there twice."""
    found = copy.deepcopy(proof)
    paths = list(places(found))[1:]
    path = random.choice(paths)
    holder, key = at(found, path[:-1]), path[-1]
    value = holder[key]
    if isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int):
        holder[key] = value + random.choice([-1000, -10, -1, 1, 10, 1000])
    elif isinstance(value, str):
        holder[key] = random.choice([at(found, one) for one in paths if isinstance(at(found, one), str)])
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
    return None if json.dumps(found) == json.dumps(proof) else found


SOME = [
    "timearena/lab4+lab5",
    "recipe2plan/timed/Vada_Leche-Asada",
    "asynctool/cross2/13",
    *expand(["timearena"])[::20],
]


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
