"""``planoracle doctor``: what is sound, what is wrong, and what to do."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from support.runner import CliRunner

from planoracle import __version__
from planoracle.analysis import checkup as checks
from planoracle.analysis import packages
from planoracle.analysis.checkup import EXTRAS, Finding, checkup
from planoracle.analysis.cli import app
from planoracle.analysis.packages import Licence, Requirement, parsed

PROJECT = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def doctor(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["doctor", *arguments])


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Libraries are not imported, which takes seconds."""
    monkeypatch.setattr(checks, "import_module", lambda name: None)
    return monkeypatch


def test_this_installation_is_looked_at(quick: pytest.MonkeyPatch) -> None:
    rows = {row["check"]: row for row in json.loads(doctor("--format", "json").stdout)}
    assert rows["planoracle"]["found"] == __version__
    assert rows["python"]["found"] == "{}.{}.{}".format(*sys.version_info)
    assert {parsed(line).name for line in PROJECT["dependencies"]} <= rows.keys()
    assert {f"[{name}]" for name in EXTRAS} <= rows.keys()
    assert rows["solve"]["found"] == rows["solve"]["needs"] == "optimal, 11"
    assert rows["grade"]["found"] == "success True, of no plan False"
    assert {name: rows[name]["state"] for name in ("cache", "cores", "memory", "solve", "grade")} == dict.fromkeys(
        ("cache", "cores", "memory", "solve", "grade"), "ok"
    )
    del rows["planoracle"]  # an editable installation may know it by the version that it had
    assert {row["state"] for row in rows.values()} <= {"ok", "missing"}


def test_libraries_are_imported() -> None:
    assert checks._package(Requirement("platformdirs")).state == "ok"
    assert "platformdirs" in sys.modules


def test_every_extra_is_for_users_or_for_developers() -> None:
    assert set(PROJECT["optional-dependencies"]) == {*EXTRAS, "docs", "fuzz", "notebooks", "bench", "test", "dev"}


def test_the_least_python_is_the_one_that_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks._python().needs == PROJECT["requires-python"]
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    found = checks._python()
    assert (found.state, found.found, found.advice) == ("wrong", "3.10.4", "use Python 3.11 or newer")


@pytest.mark.parametrize(
    ("version", "state", "advice"),
    [(None, "wrong", "pip install 'numpy>=2.0.2'"), ("1.26", "wrong", "pip install 'numpy>=2.0.2'"), ("2.1", "ok", "")],
)
def test_a_package_is_there_and_of_a_version_that_will_do(
    quick: pytest.MonkeyPatch, version: str | None, state: str, advice: str
) -> None:
    quick.setattr(Requirement, "installed", property(lambda one: version))
    assert checks._package(parsed("numpy>=2.0.2")) == Finding("numpy", state, version or "", ">=2.0.2", advice=advice)


def test_a_library_that_cannot_be_imported_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise OSError("libz.so.1: no such file")

    monkeypatch.setattr(checks, "import_module", broken)
    found = checks._package(parsed("numpy>=2.0.2"))
    assert (found.state, found.about) == ("wrong", "cannot be imported: libz.so.1: no such file")
    assert found.advice == "pip install --force-reinstall 'numpy>=2.0.2'"
    needed = [Requirement("numpy", extra="fast")]
    assert checks._extra("fast", needed).about == found.about


@pytest.mark.parametrize(
    ("there", "state", "told"),
    [
        ({}, "missing", ""),
        ({"gymnasium": "1.3"}, "missing", "gymnasium 1.3"),
        ({"gymnasium": "1.3", "pettingzoo": "1.25"}, "ok", "gymnasium 1.3, pettingzoo 1.25"),
        ({"gymnasium": "0.29", "pettingzoo": "1.25"}, "wrong", "gymnasium 0.29, pettingzoo 1.25"),
        ({"gymnasium": "0.29"}, "wrong", "gymnasium 0.29"),
    ],
)
def test_extras(quick: pytest.MonkeyPatch, there: dict[str, str], state: str, told: str) -> None:
    quick.setattr(Requirement, "installed", property(lambda one: there.get(one.name)))
    found = checks._extra("gym", [parsed("gymnasium>=1.2"), parsed("pettingzoo>=1.25")])
    assert (found.state, found.found, found.about) == (state, told, EXTRAS["gym"])
    advice = "pip install 'gymnasium>=1.2' 'pettingzoo>=1.25'"
    assert found.advice == ("" if state == "ok" else advice)


def test_the_cache_is_looked_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PLANORACLE_CACHE", "")
    assert (checks._cache().state, checks._cache().found) == ("ok", "off")
    monkeypatch.setenv("PLANORACLE_CACHE", str(tmp_path))
    place = tmp_path / "optima" / "ab"
    place.mkdir(parents=True)
    (place / "abcd.json").write_bytes(bytes(2048))
    found = checks._cache()
    assert (found.state, found.found) == ("ok", str(tmp_path / "optima"))
    assert found.about.startswith("1 optima, 2.0 KiB")
    (tmp_path / "file").touch()
    monkeypatch.setenv("PLANORACLE_CACHE", str(tmp_path / "file"))
    found = checks._cache()
    assert found.state == "wrong"
    assert found.about == "cannot be written: Not a directory"
    assert found.advice.startswith("set PLANORACLE_CACHE to a folder")


@pytest.mark.parametrize(
    ("total", "free", "found", "advised"),
    [(None, None, "unknown", False), (2**34, 2**33, "16.0 GiB", False), (2**30, 2**20, "1.0 GiB", True)],
)
def test_memory(
    monkeypatch: pytest.MonkeyPatch, total: int | None, free: int | None, found: str, advised: bool
) -> None:
    monkeypatch.setattr(checks, "_memories", lambda: (total, free))
    assert checks._memory().found == found
    assert bool(checks._memory().advice) == advised


def test_a_wrong_answer_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    from planoracle.instances.status import Status
    from planoracle.solver.result import Result

    monkeypatch.setattr("planoracle.analysis.api.solve", lambda problem: Result("n", Status.optimal, 12, 12))
    assert (checks._solve().state, checks._solve().found) == ("wrong", "optimal, 12")
    monkeypatch.setattr(
        "planoracle.analysis.api.grade", lambda one: type("Grade", (), {"scored": True, "success": True}), raising=False
    )
    assert (checks._grade().state, checks._grade().found) == ("wrong", "success True, of no plan True")


def test_what_fails_is_told_and_the_rest_is_looked_at(quick: pytest.MonkeyPatch) -> None:
    def fails() -> Finding:
        raise RuntimeError("no such library")

    fails.__name__ = "_solve"
    quick.setattr(checks, "_solve", fails)
    quick.setattr(Requirement, "installed", property(lambda one: "0.1" if one.name == "numpy" else "3000"))
    quick.setattr(checks, "requirements", lambda: [parsed("numpy>=2.0.2"), parsed("pandas>=2")])
    done = doctor("--format", "csv")
    assert done.exit_code == 1
    states = {line.split(",")[0]: line.split(",")[1] for line in done.stdout.splitlines()[1:]}
    assert {name for name, state in states.items() if state == "wrong"} == {"planoracle", "numpy", "solve"}
    assert "error: numpy: 0.1; pip install 'numpy>=2.0.2'\n" in done.stderr
    assert "error: solve: RuntimeError: no such library; install planoracle anew" in done.stderr
    assert done.stderr.endswith(f"3 of {len(states)} checks failed\n")


def test_an_extra_that_is_missing_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = [Finding("a", "ok"), Finding("[yaml]", "missing", advice="pip install 'pyyaml>=6'")]
    monkeypatch.setattr(checks, "checkup", lambda: iter(findings))
    done = doctor()
    assert (done.exit_code, done.stderr) == (0, "note: [yaml]: pip install 'pyyaml>=6'\nall is well\n")


def test_licences_are_listed_and_a_base_one_that_is_not_accepted_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    done = doctor("--licences", "--format", "json")
    assert done.exit_code == 0
    rows = {row["package"]: row for row in json.loads(done.stdout)}
    assert rows["ortools"]["licence"] == "Apache-2.0"
    found = [Licence("one", "1", "MIT"), Licence("two", "2", "unknown", "fast")]
    monkeypatch.setattr(packages, "licences", lambda extras: iter(found))
    assert doctor("--licences").exit_code == 0
    found.append(Licence("three", "3", "AGPL-3.0-only"))
    done = doctor("--licences")
    assert done.exit_code == 1
    assert "error: three 3: its licence is AGPL-3.0-only, which is none of those accepted" in done.stderr


def test_findings_do_not_depend_on_an_installation_by_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "requirements", list)
    first = [one for one, _ in zip(checkup(), range(2), strict=False)]
    assert [(one.check, one.state) for one in first] == [("python", "ok"), ("planoracle", "wrong")]
