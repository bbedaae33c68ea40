"""Distribution: the wheel without the repository, releases, the container and the conda package."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import planoracle
from tests.test_repository import GITHUB, PROJECT, ROOT, build, read, wheel_files

WORKFLOWS = GITHUB / "workflows"
CONTAINER = (ROOT / ".ci" / "Containerfile").read_text(encoding="utf-8")
# Names of packages on conda-forge that differ from PyPI.
CONDA = {"ortools": "ortools-python", "matplotlib": "matplotlib-base"}


def steps(job: dict[str, Any], key: str) -> list[str]:
    return [step[key] for step in job["steps"] if key in step]


def test_workflow_tests_the_wheel_on_all_versions() -> None:
    job = read(WORKFLOWS / "ci.yml")["jobs"]["installed"]
    matrix = job["strategy"]["matrix"]
    assert matrix["python"] == re.findall(r"Python :: (3\.[0-9]+)", "\n".join(PROJECT["classifiers"]))
    assert matrix["versions"] == ["lowest", "highest"]
    left_out = {(one["python"], one["versions"]) for one in matrix["exclude"]}
    assert left_out == {("3.13", "lowest"), ("3.14", "lowest")}
    assert steps(job, "run") == [".ci/installed ${{ matrix.versions }} -n auto"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_script_rejects_unknown_versions() -> None:
    result = subprocess.run(
        ["bash", ROOT / ".ci" / "installed", "newest"], capture_output=True, text=True, check=False, timeout=60
    )
    assert (result.returncode, result.stderr) == (2, "lowest or highest, not newest\n")


def test_lowest_versions_are_the_declared_minimums() -> None:
    (pattern,) = re.findall(r"grep -oE '(.*)' pyproject", (ROOT / ".ci" / "installed").read_text(encoding="utf-8"))
    constraints = re.findall(pattern, (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lines = [*PROJECT["dependencies"], *(line for extra in PROJECT["optional-dependencies"].values() for line in extra)]
    bounds = [(one.name, bound) for one in map(Requirement, lines) for bound in one.specifier]
    least = {f'"{name}>={bound.version}' for name, bound in bounds if bound.operator == ">="}
    assert set(constraints) - {'"setuptools>=77'} - {'"python>=3.11'} == least - {'"setuptools>=77'}


def test_release_is_built_once_attested_and_published_without_password() -> None:
    text = (WORKFLOWS / "release.yml").read_text(encoding="utf-8")
    jobs = read(WORKFLOWS / "release.yml")["jobs"]
    assert [job["needs"] for job in jobs.values() if "needs" in job] == ["build", "attest"]
    assert ".ci/installed highest -n auto" in steps(jobs["build"], "run")
    assert jobs["attest"]["permissions"] == {"id-token": "write", "attestations": "write"}
    assert jobs["attest"]["steps"][-1]["with"] == {"subject-path": "dist/*"}
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert [name for name, job in jobs.items() if "permissions" in job] == ["attest", "publish"]
    assert "secrets." not in text
    assert "password:" not in text
    assert steps(jobs["publish"], "uses")[-1].startswith("pypa/gh-action-pypi-publish@")


def test_release_actions_are_pinned_to_commits() -> None:
    text = (WORKFLOWS / "release.yml").read_text(encoding="utf-8")
    used = re.findall(r"uses: (.*)", text)
    assert len(used) >= 7
    assert all(re.fullmatch(r"[a-z-]+/[a-z-]+@[0-9a-f]{40}  # v[0-9]+\.[0-9]+\.[0-9]+", one) for one in used)
    assert len({one.partition("@")[0] for one in used}) == len(set(used))  # one version per action


def test_release_tag_is_compared_with_the_version() -> None:
    (pattern,) = re.findall(r"sed -n '(.*)' CITATION.cff", (WORKFLOWS / "release.yml").read_text(encoding="utf-8"))
    prefix = re.fullmatch(r"s/\^(.*)//p", pattern)
    assert prefix
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert [line.removeprefix(prefix[1]) for line in lines if line.startswith(prefix[1])] == [planoracle.__version__]


def test_conda_recipe_declares_the_project_requirements() -> None:
    recipe = read(ROOT / ".ci" / "conda" / "recipe.yaml")
    assert recipe["context"]["version"] == planoracle.__version__
    requirements = {
        one.name: sorted(map(str, one.specifier), reverse=True) for one in map(Requirement, PROJECT["dependencies"])
    }
    solver = re.fullmatch(r"==(\d+\.\d+)\.\d+", *requirements.pop("ortools"))
    expected = {f"{CONDA.get(name, name)} {','.join(bounds)}" for name, bounds in requirements.items()}
    assert solver is not None
    expected.add(f"{CONDA['ortools']} {solver[1]}.*")
    assert set(recipe["requirements"]["run"]) == expected | {f"python {PROJECT['requires-python']}"}
    assert "setuptools >=77" in recipe["requirements"]["host"]
    assert recipe["build"]["python"]["entry_points"] == [f"planoracle = {PROJECT['scripts']['planoracle']}"]
    assert recipe["about"]["summary"] == PROJECT["description"]
    assert recipe["about"]["license"] == PROJECT["license"]
    assert recipe["about"]["license_file"] == PROJECT["license-files"]


def test_container_runs_as_unprivileged_user() -> None:
    last = CONTAINER.rpartition("\nFROM ")[2]
    assert re.findall(r"^(?:ENTRYPOINT|USER) .*", last, re.M) == ["USER planoracle", 'ENTRYPOINT ["planoracle"]']
    assert "PLANORACLE_CACHE=/cache" in last
    used = re.findall(r"^FROM docker.io/library/python:([0-9.]+)-slim", CONTAINER, re.M)
    assert len(set(used)) == 1
    assert f"Programming Language :: Python :: {used[0]}" in PROJECT["classifiers"]
    assert (
        set(re.findall(r"^ARG EXTRAS=(.*)", CONTAINER, re.M)[0].split(",")) <= PROJECT["optional-dependencies"].keys()
    )
    run = steps(read(WORKFLOWS / "ci.yml")["jobs"]["container"], "run")
    assert run[0] == "docker build -f .ci/Containerfile -t planoracle ."
    assert run[-1].endswith("planoracle solve timearena/household1")


@pytest.mark.slow
def test_container_build_context_gives_the_complete_wheel(tmp_path: Path) -> None:
    lines = (ROOT / ".ci" / "Containerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "**"
    context = tmp_path / "source"
    for name in (line[1:] for line in lines if line.startswith("!")):
        target, source = context / name, ROOT / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(source, target)
    files = wheel_files(build("build_wheel", context, tmp_path))
    sources = {
        path.relative_to(ROOT).as_posix() for top in ("solver", "analysis") for path in (ROOT / top).rglob("*.py")
    }
    assert {f"planoracle/{name}" for name in sources} <= files
    assert "planoracle/analysis/template/files/package/data/problems.json.txt" in files
