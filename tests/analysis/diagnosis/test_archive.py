"""Archives of proofs: files that the checker beside them accepts, an index, and continuation."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from support.runner import CliRunner

from planoracle.analysis.cli import app
from planoracle.analysis.diagnosis.archive import COLUMNS, INDEX, Archive, prove
from planoracle.instances.files.catalog import load
from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.instance import Action, Instance
from planoracle.solver.proofs import drcp

COBBLER, SANDWICH = "recipe2plan/timed/Cobbler_Pancakes", "kitchens/synchronous/0_cheese_sandwich"


def _explain(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["explain", *map(str, arguments)])


def _rows(folder: Path) -> list[dict[str, str]]:
    with (folder / INDEX).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _shop(duration: int, name: str = "shop") -> Instance:
    return Instance(name, (Action("t/a", "t", duration, duration), Action("t/b", "t", 2, 2)))


def _add(archive: Archive, instance: Instance) -> dict[str, Any]:
    return archive.add(prove(instance, archive.complete))


def test_checker_in_the_archive_accepts_its_files_without_planoracle(tmp_path: Path) -> None:
    assert _explain(COBBLER, SANDWICH, "--out", tmp_path).exit_code == 0
    cobbler, sandwich = _rows(tmp_path)
    assert list(cobbler) == list(COLUMNS)
    assert (cobbler["instance"], cobbler["bound"], cobbler["makespan"]) == (COBBLER, "4080", "4080")
    assert (cobbler["status"], cobbler["kind"], cobbler["grade"]) == ("optimal", "busy time", "certificate")
    proof = (tmp_path / cobbler["proof"]).read_bytes()
    assert (int(cobbler["bytes"]), cobbler["sha256"]) == (len(proof), sha256(proof).hexdigest())
    command = [sys.executable, "-I", "-S", cobbler["checker"], cobbler["problem"], cobbler["proof"]]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert f"No schedule of {COBBLER} is shorter than 4080 ticks." in checked.stdout
    assert (sandwich["grade"], sandwich["checker"], sandwich["makespan"]) == ("solver", "", "12")


def test_unreadable_file_has_a_row_and_the_others_are_proved(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"format": "planoracle/instance", "version": 2, "name": "=bad", "tasks": 3}')
    (tmp_path / "good.json").write_text(json.dumps(to_document(_shop(3))))
    result = _explain(tmp_path / "bad.json", tmp_path / "good.json", "--out", f"{tmp_path}/proofs/")
    assert result.exit_code == 1
    rows = {row["status"]: row for row in _rows(tmp_path / "proofs")}
    assert set(rows) == {"optimal", "error"}
    assert rows["error"]["instance"].endswith("bad.json")
    assert "tasks" in rows["error"]["reason"]
    assert rows["optimal"]["bound"] == "5"


def test_infeasible_problem_without_a_document_has_no_checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drcp, "is_available", lambda: False)
    row = _add(Archive(tmp_path), replace(_shop(3), time_limit=4))
    assert (row["status"], row["proof"], row["checker"]) == ("infeasible", "", "")
    assert row["grade"] in ("solver", "two solvers")


@pytest.mark.skipif(not drcp.is_available(), reason="proofs are written by planoracle[proofs]")
def test_refutation_is_archived_with_both_files_of_its_checker(tmp_path: Path) -> None:
    row = _add(Archive(tmp_path), replace(_shop(3), time_limit=4))
    assert (row["status"], row["grade"], row["checker"]) == ("infeasible", "drcp", "drcp_checker.py")
    command = [sys.executable, "-I", "-S", row["checker"], row["problem"], row["proof"]]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)


def test_complete_problems_are_skipped(tmp_path: Path) -> None:
    row = _add(Archive(tmp_path), _shop(3))
    archive = Archive(tmp_path)
    assert prove(_shop(3), archive.complete).proof is None
    assert _add(archive, _shop(3)) == row
    assert _rows(tmp_path) == [row]


@pytest.mark.parametrize("column", ["problem", "proof"])
def test_damaged_files_are_proved_again(tmp_path: Path, column: str) -> None:
    row = _add(Archive(tmp_path), _shop(3))
    content = (tmp_path / row[column]).read_bytes()
    (tmp_path / row[column]).write_bytes(content[:-9])
    assert _add(Archive(tmp_path), _shop(3))["sha256"] == row["sha256"]
    assert (tmp_path / row[column]).read_bytes() == content


def test_interrupted_index_loses_no_complete_problem(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    first, _ = _add(archive, _shop(3, "first")), _add(archive, _shop(4, "second"))
    index = (tmp_path / INDEX).read_text(encoding="utf-8")
    (tmp_path / INDEX).write_text(index[:-100], encoding="utf-8")
    assert Archive(tmp_path).complete == {first["problem_sha256"]}


def test_changed_problem_replaces_its_row(tmp_path: Path) -> None:
    _add(Archive(tmp_path), _shop(3))
    assert _add(Archive(tmp_path), _shop(4))["bound"] == "6"
    (row,) = _rows(tmp_path)
    assert row["bound"] == "6"
    assert len(list(tmp_path.glob("*.proof.json"))) == 1


def test_problems_of_equal_names_have_their_own_files(tmp_path: Path) -> None:
    for _ in range(2):
        archive = Archive(tmp_path)
        rows = [_add(archive, _shop(3)), _add(archive, _shop(4)), _add(archive, _shop(5, "SHOP"))]
        assert [row["bound"] for row in rows] == ["5", "6", "7"]
        assert len({row["proof"].lower() for row in rows}) == 3
        assert _rows(tmp_path) == rows


def test_names_of_files_stay_in_the_folder(tmp_path: Path) -> None:
    row = _add(Archive(tmp_path / "proofs"), _shop(3, "../=up"))
    assert (tmp_path / "proofs" / row["proof"]).is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["proofs"]


def test_index_names_no_file_elsewhere(tmp_path: Path) -> None:
    row = _add(Archive(tmp_path / "proofs"), _shop(3))
    index = tmp_path / "proofs" / INDEX
    index.write_text(index.read_text(encoding="utf-8").replace(row["proof"], f"../proofs/{row['proof']}"))
    assert Archive(tmp_path / "proofs").complete == frozenset()


def test_bundled_certificate_is_archived_where_the_search_is_weaker() -> None:
    cobbler = load(COBBLER)
    archived = prove(cobbler, frozenset(), time_limit=0.0)
    assert archived.proof is not None
    row = archived.row
    assert (row["status"], row["bound"], row["makespan"], row["grade"]) == ("optimal", 4080, 4080, "certificate")
    assert (row["kind"], row["checker"]) == ("bundled proof", "checker.py")
