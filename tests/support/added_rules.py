"""Packages of new benchmarks with rules that their problems do not state."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from planoracle.analysis.template import write
from planoracle.instances.protocol import registry

ROOT = Path(__file__).resolve().parents[2]
_CLASS = re.compile(r"class OurSimulator\(GenericSimulator\):.*?(?=\n\n\n)", re.DOTALL)


def with_rule_of_page(source: str) -> str:
    """Return the module ``run.py`` of a new package with the simulator of the page on adding benchmarks."""
    page = (ROOT / "instances" / "ADDING.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(from planoracle\.plugin import ScheduleState.*?)\n```", page, re.DOTALL)
    imports, _, simulator = example.partition("\n\n\n")
    ruled = _CLASS.sub(lambda match: simulator, source)
    return ruled.replace("from planoracle.plugin import", f"{imports}\nfrom planoracle.plugin import", 1)


def with_methods(source: str, methods: str) -> str:
    """Return the module ``run.py`` of a new package with more methods of its simulator."""
    marker = "\n\n\ndef under("
    return source.replace(marker, f"\n\n{methods}{marker}").replace("GenericRun, ", "GenericRun, Violation, ", 1)


def install(source: str, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Register a new benchmark whose ``run.py`` has another text, and return this module."""
    write(name, folder / name)
    (folder / name / f"planoracle_{name}" / "run.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder / name))
    monkeypatch.setattr(registry, "_registered", {})
    registry.register(import_module(f"planoracle_{name}").benchmark)
    return import_module(f"planoracle_{name}.run")


def template_source(name: str, folder: Path) -> str:
    """Return the text of ``run.py`` of a new package."""
    write(name, folder)
    return (folder / f"planoracle_{name}" / "run.py").read_text(encoding="utf-8")


def forget(name: str) -> None:
    """Remove the modules of a package from this process."""
    for module in [module for module in sys.modules if module.partition(".")[0] == f"planoracle_{name}"]:
        del sys.modules[module]
