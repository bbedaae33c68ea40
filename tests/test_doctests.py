"""Doctests of all modules."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.samples import sample

import planoracle

#: Modules that need an optional library.
_EXTRAS = {
    "planoracle.analysis.adapters.gym_spaces": "gymnasium",
    "planoracle.analysis.adapters.gym": "gymnasium",
    "planoracle.analysis.adapters.inspect_": "inspect_ai",
    "planoracle.solver.proofs.pumpkin": "pumpkin_solver",
}


def missing(module: str) -> str | None:
    """Return the missing optional library of a module, or ``None``."""
    needed = next((library for name, library in _EXTRAS.items() if module.startswith(name)), None)
    return needed if needed and find_spec(needed) is None else None


def _fail(name: str) -> None:
    raise ImportError(f"cannot import {name}")


def modules_on_disk(folder: Path, package: str) -> set[str]:
    """Return the names of all modules below a folder, including those outside packages."""
    files = (path.relative_to(folder).with_suffix("").parts for path in folder.rglob("*.py"))
    return {".".join([package, *parts]).removesuffix(".__init__") for parts in files}


# In a checkout the package folders are symbolic links, which `rglob` does not follow; hence the resolved paths.
FOLDERS = ("analysis", "heuristics", "instances", "solver")
TOPS = [Path(importlib.import_module(f"planoracle.{name}").__path__[0]).resolve() for name in FOLDERS]
ON_DISK = sorted(name for top in TOPS for name in modules_on_disk(top, f"planoracle.{top.name}"))
WALKED = [module.name for module in pkgutil.walk_packages(planoracle.__path__, "planoracle.", onerror=_fail)]
MODULES = [name for name in WALKED if name.split(".")[1] in FOLDERS]


@pytest.mark.parametrize("name", sample(ON_DISK))
def test_docstring_examples_pass(name: str) -> None:
    if library := missing(name):
        pytest.skip(f"{library} is not installed")
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_every_source_file_is_in_a_package() -> None:
    """A folder without ``__init__.py`` can be imported, but `pkgutil.walk_packages` does not find it."""
    assert sorted(MODULES) == ON_DISK
    assert {
        "planoracle.instances",
        "planoracle.solver.proofs.checker",
        "planoracle.instances.benchmarks.asynctool.problem_model",
    } <= {*MODULES}


def test_modules_on_disk_include_folders_without_init_file(tmp_path: Path) -> None:
    for path in ("__init__.py", "good/__init__.py", "good/one.py", "bad/two.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).touch()
    assert modules_on_disk(tmp_path, "top") == {"top", "top.good", "top.good.one", "top.bad.two"}


@pytest.mark.slow
def test_many_modules_have_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = [importlib.import_module(name) for name in MODULES if not missing(name)]
    documented = [one for one in modules if any(test.examples for test in finder.find(one))]
    assert len(documented) >= 8
