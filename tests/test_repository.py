"""What guards the tree outside Python: hooks, workflow, forms, citation, source distribution."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

import planoracle

ROOT = Path(__file__).resolve().parents[1]
GITHUB = ROOT / ".github"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def hooks() -> dict[str, dict[str, Any]]:
    return {hook["id"]: hook for repo in read(ROOT / ".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]}


@pytest.mark.parametrize("tool", ["ruff", "mypy"])
def test_tools_have_one_version(tool: str) -> None:
    """A hook with a release of its own found errors where CI found none."""
    assert [entry for entry in PROJECT["optional-dependencies"]["dev"] if re.match(rf"{tool}==[0-9.]+$", entry)]
    ours = [hook for hook in hooks().values() if re.search(rf"\b{tool}\b", hook["entry"])]
    assert ours
    for hook in ours:
        assert hook["entry"].startswith(f".ci/tool {tool}")
        assert hook["language"] == "system"
        assert "additional_dependencies" not in hook


def test_hooks_are_of_this_tree_or_of_one_release() -> None:
    assert {repo["repo"] for repo in read(ROOT / ".pre-commit-config.yaml")["repos"]} == {"local"}
    needs = [need for hook in hooks().values() for need in hook.get("additional_dependencies", ())]
    assert needs
    assert all(re.search(r"(==|@)[0-9]+(\.[0-9]+)+$", need) for need in needs)


def test_the_workflow_and_the_script_run_all_hooks() -> None:
    run = "pre-commit run --all-files --show-diff-on-failure"
    assert read(GITHUB / "workflows" / "ci.yml")["jobs"]["checks"]["steps"][-1] == {"run": run}
    assert f".venv/bin/{run}\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_workflow_runs_what_must_hold_as_a_whole() -> None:
    job = read(GITHUB / "workflows" / "ci.yml")["jobs"]["everything"]
    assert job["steps"][-1] == {"run": ".ci/run"}
    assert " -m slow " in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_scripts_of_the_page_are_checked() -> None:
    scripts = sorted((ROOT / "analysis" / "report" / "assets").glob("*.js"))
    assert len(scripts) >= 9
    assert all(path.read_text(encoding="utf-8").startswith("// @ts-check\n") for path in scripts)
    for name in ("tsc", "prettier"):
        hook = hooks()[name]
        assert hook["language"] == "node"
        assert all(re.search(hook["files"], path.relative_to(ROOT).as_posix()) for path in scripts)
    options = json.loads((ROOT / ".ci" / "jsconfig.json").read_text(encoding="utf-8"))
    assert options["include"] == ["../analysis/report/assets/*.js"]
    assert options["compilerOptions"].items() >= {"checkJs": True, "strict": True}.items()


def test_the_workflow_runs_the_versions_that_are_declared() -> None:
    jobs = read(GITHUB / "workflows" / "ci.yml")["jobs"]
    matrix = jobs["tests"]["strategy"]["matrix"]
    declared = re.findall(r"Python :: (3\.[0-9]+)", "\n".join(PROJECT["classifiers"]))
    assert matrix["python"] == declared
    assert PROJECT["requires-python"] == f">={declared[0]}"
    assert [system.split("-")[0] for system in matrix["system"]] == ["ubuntu", "macos", "windows"]


def test_the_workflow_runs_the_command_of_the_readme() -> None:
    command = re.search(r"^python3 -m venv .*pytest.*$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)
    assert command
    _, install, run = command[0].split(" && ")
    steps = [step["run"] for step in read(GITHUB / "workflows" / "ci.yml")["jobs"]["tests"]["steps"] if "run" in step]
    assert steps[-2:] == [
        install.replace(".venv/bin/pip", "python -m pip").replace(" -q", "").replace("'", '"'),
        run.replace(".venv/bin/python", "python"),
    ]


def test_the_citation_is_of_this_version() -> None:
    citation = read(ROOT / "CITATION.cff")
    assert citation["version"] == planoracle.__version__
    assert citation["title"] == PROJECT["name"]
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == PROJECT["authors"]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout, so nobody knows what belongs to the tree")
def test_the_source_distribution_holds_the_whole_tree() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()]
    included = {name for line in lines if line and line[0] in ("graft", "include") for name in line[1:]}
    # These, and the packages of .namespace, are there by themselves.
    itself = {".namespace", "LICENSE", "MANIFEST.in", "README.md", "pyproject.toml"}
    assert {name.split("/")[0] for name in listed.splitlines()} == included | itself


LINKS = {path.name: path for path in (ROOT / ".namespace" / "planoracle").iterdir() if path.is_symlink()}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the tree in which every symbolic link is a file with its target, as git makes it on Windows."""
    if not LINKS:
        pytest.skip("this tree has no symbolic links itself")
    copy = tmp_path_factory.mktemp("plain") / "planoracle"
    unwanted = shutil.ignore_patterns(".git", ".venv", "tests", "build", "*.egg-info", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, copy, symlinks=True, ignore=unwanted)
    for link in (path for path in copy.rglob("*") if path.is_symlink()):
        target = os.readlink(link)
        link.unlink()
        link.write_text(target, encoding="utf-8")
    assert all((copy / path.relative_to(ROOT)).is_file() for path in LINKS.values())
    return copy


@pytest.mark.slow
def test_a_checkout_without_symbolic_links_can_be_imported(plain: Path) -> None:
    """An editable install is no more than this folder on the path; the parts are then those of the root."""
    code = (
        "import planoracle.solver, planoracle.instances.files.catalog as c;"
        "print(planoracle.solver.__file__); print(c.load('timearena/lab1').name)"
    )
    environment = os.environ | {"PYTHONPATH": str(plain / ".namespace")}
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=plain.parent, env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == [str(plain / "solver" / "__init__.py"), "timearena/lab1"]


def build(hook: str, tree: Path, place: Path) -> Path:
    """Let the build backend of a tree make something, as pip does but without a network."""
    pytest.importorskip("setuptools", "77", reason="the build needs setuptools 77")
    code = f"import sys; sys.path.insert(0, '.ci'); import backend; print(); print(backend.{hook}(sys.argv[1]))"
    run = subprocess.run([sys.executable, "-c", code, str(place)], cwd=tree, capture_output=True, text=True, check=True)
    return place / run.stdout.splitlines()[-1]


def wheel_files(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as file:
        return {name for name in file.namelist() if name.startswith("planoracle/")}


@pytest.mark.slow
def test_every_form_of_the_tree_gives_the_same_wheel(plain: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    shutil.copytree(plain, linked)
    for name, link in LINKS.items():
        (linked / link.relative_to(ROOT)).unlink()
        (linked / link.relative_to(ROOT)).symlink_to(os.path.join("..", "..", name))
    with tarfile.open(build("build_sdist", linked, tmp_path)) as archive:
        archive.extractall(tmp_path, filter="data")
    source = tmp_path / f"planoracle-{planoracle.__version__}"
    assert not (source / ".namespace" / "planoracle" / "solver").exists()
    of_links, of_files, of_source = (
        wheel_files(build("build_wheel", tree, tmp_path)) for tree in (linked, plain, source)
    )
    assert of_links == of_files == of_source
    template = "planoracle/analysis/template/files/package/data/problems.json.txt"
    assert {
        "planoracle/__init__.py",
        "planoracle/py.typed",
        "planoracle/plugin.py",
        "planoracle/solver/solve.py",
        template,
    } <= of_links
