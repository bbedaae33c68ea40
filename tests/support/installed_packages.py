"""Virtual environments that can import planoracle, with packages installed by pip."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

import planoracle as planoracle_package


def run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    # The settings of this test run must not affect the process.
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "PYTHON", "COV"))}
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=environment | {"PYTHONUTF8": "1", "COLUMNS": "200"},
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )


def create_environment(place: Path) -> None:
    """Create a virtual environment in a folder; skip the test without pip and a recent setuptools."""
    pytest.importorskip("setuptools", "77", reason="the build of the new package needs setuptools 77")
    if run(sys.executable, "-m", "pip", "--version", folder=place).returncode:
        pytest.skip("pip is not installed")
    command = "import json, sys; print(json.dumps(sys.path))"
    # The planoracle of the tests comes first, also where another one is installed.
    paths = [str(Path(planoracle_package.__file__).parents[1])]
    paths += json.loads(run(sys.executable, "-I", "-c", command, folder=place).stdout)
    venv.create(place / "venv", symlinks=os.name != "nt")
    (site,) = (place / "venv").rglob("site-packages")
    # Plain paths, so that of the .pth files of this environment only an editable install of planoracle is processed.
    for file in Path(sysconfig.get_path("purelib")).glob("__editable__*planoracle*.pth"):
        paths += file.read_text(encoding="utf-8").splitlines()
    (site / "ours.pth").write_text("\n".join(paths), encoding="utf-8")


def install(place: Path, package: Path) -> None:
    """Install a package by pip, without its dependencies."""
    options = ("--no-deps", "--no-build-isolation", "--no-index")
    done = run(sys.executable, "-m", "pip", "--python", python(place), "install", *options, package, folder=place)
    assert done.returncode == 0, done.stderr


def python(place: Path) -> Path:
    return place / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def planoracle(place: Path) -> tuple[str | Path, ...]:
    return python(place), "-c", "from planoracle.analysis.cli import main; main()"
