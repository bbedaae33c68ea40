"""Repository files outside the packages: hooks, workflows, citation, distributions, symbolic links."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

import planoracle

ROOT = Path(__file__).resolve().parents[1]
GITHUB = ROOT / ".github"
TOP_PACKAGES = ("analysis", "heuristics", "instances", "solver")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def hooks() -> dict[str, dict[str, Any]]:
    return {hook["id"]: hook for repo in read(ROOT / ".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]}


@pytest.mark.parametrize("tool", ["ruff", "mypy"])
def test_hooks_use_the_pinned_tool_versions(tool: str) -> None:
    """Hooks with another release of a tool reported errors that CI did not report."""
    assert [entry for entry in PROJECT["optional-dependencies"]["dev"] if re.match(rf"{tool}==[0-9.]+$", entry)]
    tool_hooks = [hook for hook in hooks().values() if re.search(rf"\b{tool}\b", hook["entry"])]
    assert tool_hooks
    for hook in tool_hooks:
        assert hook["entry"].startswith(f".ci/tool {tool}")
        assert hook["language"] == "system"
        assert "additional_dependencies" not in hook


def test_hooks_are_local_and_pinned() -> None:
    assert {repo["repo"] for repo in read(ROOT / ".pre-commit-config.yaml")["repos"]} == {"local"}
    needs = [need for hook in hooks().values() for need in hook.get("additional_dependencies", ())]
    assert needs
    assert all(re.search(r"(==|@)[0-9]+(\.[0-9]+)+$", need) for need in needs)


def test_workflow_and_script_run_all_hooks() -> None:
    run = "pre-commit run --all-files --show-diff-on-failure"
    assert read(GITHUB / "workflows" / "ci.yml")["jobs"]["checks"]["steps"][-1] == {"run": run}
    assert f".venv/bin/{run}\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_workflow_runs_all_checks() -> None:
    job = read(GITHUB / "workflows" / "ci.yml")["jobs"]["everything"]
    assert job["steps"][-1] == {"run": ".ci/run"}
    assert " -m slow " in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_hooks_check_all_report_scripts() -> None:
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


def test_workflow_tests_all_declared_python_versions() -> None:
    jobs = read(GITHUB / "workflows" / "ci.yml")["jobs"]
    matrix = jobs["tests"]["strategy"]["matrix"]
    declared = re.findall(r"Python :: (3\.[0-9]+)", "\n".join(PROJECT["classifiers"]))
    assert matrix["python"] == declared
    assert PROJECT["requires-python"] == f">={declared[0]}"
    assert [system.split("-")[0] for system in matrix["system"]] == ["ubuntu", "macos", "windows"]


def test_workflow_runs_the_readme_commands() -> None:
    command = re.search(r"^python3 -m venv .*pytest.*$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)
    assert command
    _, install, run = command[0].split(" && ")
    steps = [step["run"] for step in read(GITHUB / "workflows" / "ci.yml")["jobs"]["tests"]["steps"] if "run" in step]
    assert steps[-2:] == [
        install.replace(".venv/bin/pip", "python -m pip").replace(" -q", "").replace("'", '"'),
        run.replace(".venv/bin/python", "python"),
    ]


def test_citation_file_matches_the_release() -> None:
    citation = read(ROOT / "CITATION.cff")
    assert citation["version"] == planoracle.__version__
    assert citation["title"] == PROJECT["name"]
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == PROJECT["authors"]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
def test_source_distribution_contains_all_files() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()]
    included = {name for line in lines if line and line[0] in ("graft", "include") for name in line[1:]}
    # setuptools includes these files by default.
    default = {"LICENSE", "MANIFEST.in", "README.md", "pyproject.toml"}
    assert {name.split("/")[0] for name in listed.splitlines()} == included | default


LINKS = {path.name: path for path in (ROOT / ".namespace" / "planoracle").iterdir() if path.is_symlink()}


@pytest.fixture(scope="module")
def tree_without_links(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy of the repository with a text file in place of each symbolic link, as git does on Windows."""
    if not LINKS:
        pytest.skip("this checkout has no symbolic links")
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
def test_editable_install_without_symbolic_links_is_importable(tree_without_links: Path, tmp_path: Path) -> None:
    """An editable install maps the packages to the folders at the root."""
    with zipfile.ZipFile(build("build_editable", tree_without_links, tmp_path)) as wheel:
        wheel.extractall(tmp_path / "site")
    code = (
        "import site, sys; site.addsitedir(sys.argv[1]);"
        "import planoracle.solver, planoracle.instances.files.catalog as c;"
        "print(planoracle.solver.__file__); print(c.load('timearena/lab1').name)"
    )
    # -S leaves out the editable install of this environment; its other packages are on the path.
    paths = os.pathsep.join([str(tmp_path / "site"), sysconfig.get_path("purelib")])
    environment = os.environ | {"PYTHONPATH": paths}
    run = subprocess.run(
        [sys.executable, "-S", "-c", code, str(tmp_path / "site")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.splitlines() == [str(tree_without_links / "solver" / "__init__.py"), "timearena/lab1"]


def build(hook: str, tree: Path, folder: Path) -> Path:
    """Call a hook of the build backend in a folder, as pip does, but without a network."""
    pytest.importorskip("setuptools", "77", reason="the build needs setuptools 77")
    code = f"import sys; from setuptools import build_meta; print(); print(build_meta.{hook}(sys.argv[1]))"
    run = subprocess.run(
        [sys.executable, "-c", code, str(folder)], cwd=tree, capture_output=True, text=True, check=True
    )
    return folder / run.stdout.splitlines()[-1]


def test_listed_packages_are_all_packages() -> None:
    """A package that the list lacks would be missing in the wheel."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    modules = chain.from_iterable((ROOT / folder).rglob("*.py") for folder in TOP_PACKAGES)
    folders = {".".join(path.relative_to(ROOT).parent.parts) for path in modules}
    assert sorted(listed) == sorted({"planoracle", *(f"planoracle.{folder}" for folder in folders)})


def test_links_of_the_project_are_those_of_the_citations() -> None:
    page = (ROOT / ".docs" / "paper.md").read_text(encoding="utf-8")
    assert set(PROJECT["urls"].values()) == set(re.findall(r"^  url +=[^{]*\{(.*)\}", page, re.M))


def wheel_files(wheel: Path) -> set[str]:
    """Return the paths of the package files in a wheel."""
    with zipfile.ZipFile(wheel) as file:
        return {name for name in file.namelist() if name.startswith("planoracle/")}


@pytest.mark.slow
def test_wheel_is_the_same_with_and_without_symbolic_links(tree_without_links: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    shutil.copytree(tree_without_links, linked)
    for name, link in LINKS.items():
        (linked / link.relative_to(ROOT)).unlink()
        (linked / link.relative_to(ROOT)).symlink_to(os.path.join("..", "..", name))
    with tarfile.open(build("build_sdist", linked, tmp_path)) as archive:
        archive.extractall(tmp_path, filter="data")
    source = tmp_path / f"planoracle-{planoracle.__version__}"
    assert not (source / ".namespace" / "planoracle" / "solver").exists()
    of_links, of_files, of_source = (
        wheel_files(build("build_wheel", tree, tmp_path)) for tree in (linked, tree_without_links, source)
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
