"""Runs graded again: forged rows are found, all of them or the share that is looked at."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.runner import CliRunner
from support.samples import sample

from planoracle.analysis.cli import app

LINES = [
    {"id": f"{number}", "instance": f"timearena/household{number % 3 + 1}", "plan": ["wash cup", "wait"][: number % 3]}
    for number in range(200)
]


def run(*arguments: str | int | Path) -> Any:
    return CliRunner().invoke(app, [str(one) for one in arguments])


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with submissions, a run, and a file of grades."""
    folder = tmp_path_factory.mktemp("graded")
    text = "".join(f"{json.dumps(line)}\n" for line in LINES)
    (folder / "in.jsonl").write_text(text + '{"id": "no plan"}\n{\n')
    done = run("grade", folder / "in.jsonl", "--run", folder / "run", "-f", "jsonl", "--jobs", "1")
    (folder / "grades.jsonl").write_text(done.stdout)
    return folder


def forged(graded: Path, folder: Path, count: int) -> tuple[Path, Path]:
    """A copy of the run and of the file in which so many rows say something better, with checks that fit."""
    random = Random(count)
    run_lines = (graded / "run" / "results.jsonl").read_bytes().splitlines(keepends=True)
    places = random.sample(range(len(LINES)), count)
    for place in places:
        entry = json.loads(run_lines[place + 1])
        better(entry["row"], random)
        row = json.dumps(entry["row"]).encode()
        check = blake2b(entry["key"].encode() + row, digest_size=8).hexdigest()
        run_lines[place + 1] = b'{"key":"%s","check":"%s","row":%s}\n' % (entry["key"].encode(), check.encode(), row)
    (folder / "run").mkdir()
    (folder / "run" / "results.jsonl").write_bytes(b"".join(run_lines))
    rows = [json.loads(line) for line in (graded / "grades.jsonl").read_text().splitlines()]
    for place in places:
        better(rows[place], random)
    (folder / "grades.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder / "run", folder / "grades.jsonl"


def better(row: dict[str, Any], random: Random) -> None:
    name, value = random.choice(
        [("success", True), ("progress", 1.0), ("makespan", 1), ("violation", "none"), ("id", "x"), ("main_score", 1)]
    )
    row[name] = value if row[name] != value else None


@pytest.mark.slow
def test_what_is_as_it_was_holds(graded: Path) -> None:
    for kept in ("run", "grades.jsonl"):
        done = run("verify", graded / kept, graded / "in.jsonl", "-f", "jsonl", "--jobs", "1")
        assert (done.exit_code, done.stdout) == (0, "")
        assert "rows graded again: none differ" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("place", sample([0, 1]))
def test_all_forged_rows_are_found(graded: Path, tmp_path: Path, place: int) -> None:
    path = forged(graded, tmp_path, 100)[place]
    done = run("verify", path, graded / "in.jsonl", "-f", "jsonl", "--jobs", "1")
    assert done.exit_code == 1
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == len({row["line"] for row in rows}) == 100
    assert all(row["differs"] and row["kept"] != row["again"] for row in rows)
    assert "100 differ" in done.stderr


@pytest.mark.slow
def test_a_sample_finds_its_share(graded: Path, tmp_path: Path) -> None:
    path = forged(graded, tmp_path, 100)[0]
    found = []
    for seed in range(6):
        call = (
            "verify",
            path,
            graded / "in.jsonl",
            "-f",
            "jsonl",
            "--jobs",
            "1",
            "--sample",
            "40",
            "--seed",
            str(seed),
        )
        done = run(*call)
        assert "40 of 20" in done.stderr
        assert run(*call).stdout == done.stdout
        found.append(len(done.stdout.splitlines()))
    assert len(set(found)) > 1
    assert 15 <= sum(found) / len(found) <= 25  # of 40, half of which are forged


@pytest.mark.slow
def test_rows_that_are_missing_or_of_nothing_are_told(graded: Path, tmp_path: Path) -> None:
    lines = (graded / "grades.jsonl").read_text().splitlines(keepends=True)
    more = tmp_path / "more.jsonl"
    more.write_text("".join([*lines, json.dumps(json.loads(lines[0]) | {"line": 999}) + "\n"]))
    done = run("verify", more, graded / "in.jsonl", "--jobs", "1")
    assert done.exit_code == 1
    assert "1 rows are of none of the submissions" in done.stderr
    more.write_text("".join([*lines, lines[0]]))
    done = run("verify", more, graded / "in.jsonl", "--jobs", "1", "-f", "jsonl")
    assert json.loads(done.stdout)["differs"] == "row"
    more.write_text("".join(lines[:5]))
    done = run("verify", more, graded / "in.jsonl", "--jobs", "1")
    assert done.exit_code == 0
    assert "submissions have no row" in done.stderr
    assert "5 of 5 rows" in done.stderr


@pytest.mark.slow
def test_rows_that_say_nothing_of_a_submission_cost_no_other(graded: Path, tmp_path: Path) -> None:
    lines = (graded / "grades.jsonl").read_text().splitlines(keepends=True)
    places = [{"line": value} for value in ([], {}, None, True, 1.0, "1", 10**4000)]
    places += [{"source": value} for value in ([], {"a": []}, 7, False)]
    none = [json.dumps(json.loads(lines[0]) | place) + "\n" for place in places] + ["{\n", '{"plan": "wait"}\n']
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join([*lines, *none]))
    done = run("verify", rows, graded / "in.jsonl", "--jobs", "1")
    assert done.exit_code == 1
    assert f"{len(none)} rows are of none of the submissions" in done.stderr
    assert "202 of 202 rows graded again: none differ" in done.stderr


def test_other_options_are_another_run(graded: Path) -> None:
    before = (graded / "run" / "results.jsonl").read_bytes()
    done = run("verify", graded / "run", graded / "in.jsonl", "--profile", "released", "--jobs", "1")
    assert done.exit_code == 1
    assert "holds no row of these submissions" in done.stderr
    assert (graded / "run" / "results.jsonl").read_bytes() == before


@pytest.mark.parametrize("call", [("--sample", "0"), ("--sample", "some"), ("--seed", "-1")])
def test_calls_that_make_no_sense_are_refused(graded: Path, call: tuple[str, ...]) -> None:
    assert run("verify", graded / "run", graded / "in.jsonl", *call).exit_code == 2
    assert run("verify", graded / "run").exit_code == 2
    assert run("verify", "timearena/household1", graded / "in.jsonl", graded / "in.jsonl").exit_code == 2
