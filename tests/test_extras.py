"""Environments with a single extra: the command or class that needs the extra works there."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
import venv
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest

requirements = pytest.importorskip("packaging.requirements")

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: First lines of each script: PLANORACLE is the command line of its environment.
PRELUDE = """
import subprocess, sys
PLANORACLE = [sys.executable, "-c", "from planoracle.analysis.cli import main; main()"]
"""
MODEL = """
words = "run timearena/household1 --model mockllm/model --run results".split()
subprocess.run([*PLANORACLE, *words], check=True)
"""
PARQUET = """
import pandas
rows = [{"id": "1", "instance": "timearena/household1", "plan": "wait"}]
pandas.DataFrame(rows).to_parquet("plans.parquet")
subprocess.run([*PLANORACLE, "grade", "plans.parquet"], check=True)
"""
EXCEL = """
import pandas
rows = [{"action": "cut", "duration": 4}, {"action": "glue", "duration": 3}]
pandas.DataFrame(rows).to_excel("tasks.xlsx")
subprocess.run([*PLANORACLE, "solve", "tasks.xlsx"], check=True)
"""
GYM = """
import gymnasium
import planoracle.analysis.adapters.gym
environment = gymnasium.make("planoracle/TimeArena-v0")
environment.reset(seed=1)
environment.step(environment.action_space.sample())
print("a step")
"""
CLUSTER = """
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=1, processes=False, protocol="tcp", dashboard_address=None) as cluster:
        words = ["solve", "timearena/household1", "--recompute", "--cluster", cluster.scheduler_address]
        subprocess.run([*PLANORACLE, *words], check=True)
"""
MCP = """
import json
client = {"name": "test", "version": "1"}
parameters = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters})
with subprocess.Popen([*PLANORACLE, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
    print(request, file=server.stdin, flush=True)
    answer = json.loads(server.stdout.readline())
    server.stdin.close()
print(answer["result"]["serverInfo"])
"""
PROOFS = """
subprocess.run([*PLANORACLE, "explain", "naturalplan/calendar/1"], check=True)
"""

#: Script per extra, and a text of its output.
DOORS = {
    "inspect": (MODEL, "invalid action"),
    "frames": (PARQUET, "household1"),
    "excel": (EXCEL, "optimal"),
    "gym": (GYM, "a step"),
    "cluster": (CLUSTER, "optimal"),
    "mcp": (MCP, "planoracle"),
    "proofs": (PROOFS, "A DRCP proof of"),
}


def test_each_extra_for_users_has_a_test() -> None:
    assert DOORS.keys() == PROJECT["optional-dependencies"].keys() - {"notebooks", "docs", "test", "dev"}


def distributions_of(lines: list[str]) -> dict[str, Distribution]:
    """Return the installed distributions that requirements need, with those that they need in turn."""
    by_name: dict[str, Distribution] = {}
    pending = [(requirements.Requirement(line), "") for line in lines]
    seen = set()
    while pending:
        requirement, extra = pending.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        installed = by_name.setdefault(name, distribution(requirement.name))
        for group in ("", *requirement.extras):
            if (name, group) not in seen:
                seen.add((name, group))
                pending += [(requirements.Requirement(line), group) for line in installed.requires or ()]
    return by_name


def files_of(package: Distribution) -> Iterator[tuple[Path, Path]]:
    """Yield paths of a distribution relative to the folder of packages, and where they are."""
    for file in package.files or ():
        if ".." not in file.parts and "__pycache__" not in file.parts:
            yield Path(*file.parts), Path(str(package.locate_file(file)))


def python_with(extra: str, place: Path) -> Path:
    """Return the interpreter of a new environment with planoracle, one extra and what they need.

    The environment has links to the packages of this one, so it needs neither pip nor a network.
    """
    try:
        packages = distributions_of([*PROJECT["dependencies"], *PROJECT["optional-dependencies"][extra]])
    except PackageNotFoundError as error:
        pytest.skip(f"planoracle[{extra}] is not installed here: {error}")
    venv.create(place, symlinks=True)
    (site,) = place.rglob("site-packages")
    for package in packages.values():
        for path, source in files_of(package):
            target = site / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                target.symlink_to(source)
    (site / "planoracle.pth").write_text(str(ROOT / ".namespace"), encoding="utf-8")
    return place / "bin" / "python"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="symbolic links need a privilege on Windows")
@pytest.mark.parametrize("extra", DOORS)
def test_door_works_with_its_extra_alone(extra: str, tmp_path: Path) -> None:
    python = python_with(extra, tmp_path / "environment")
    code, expected = DOORS[extra]
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYTEST", "COV"))}
    (tmp_path / "door.py").write_text(PRELUDE + code, encoding="utf-8")
    done = subprocess.run(
        [python, tmp_path / "door.py"],
        cwd=tmp_path,
        env=clean | {"PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1", "XDG_DATA_HOME": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout
