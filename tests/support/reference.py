"""Parameters, options and columns that the reference must have, and anchors in its sources."""

from __future__ import annotations

import enum
import importlib.util
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from typer.testing import CliRunner

from planoracle.analysis.cli import app

DOCS = Path(__file__).parents[2] / ".docs"
_SECTION = r"^(?:Parameters|Other Parameters|Attributes)\n-+\n(.*?)(?=^\w[\w ]*\n-+$|\Z)"


def docs_module(name: str) -> ModuleType:
    """Import a module of the folder of the site."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference_pages = docs_module("reference_pages")


# --- Python ----------------------------------------------------------------------------------------


def documented_parameters(docstring: str) -> set[str]:
    """Return the names in the sections of parameters and attributes of a docstring of numpydoc."""
    sections = re.findall(_SECTION, inspect.cleandoc(docstring), re.MULTILINE | re.DOTALL)
    terms = [line.partition(" : ")[0] for text in sections for line in re.findall(r"^\S.*$", text, re.MULTILINE)]
    return {name.strip(" *") for term in terms for name in term.split(",")}


def undocumented_parameters(name: str, value: Any, *, methods: bool) -> list[str]:
    """Return the parameters of a function, class or its methods that no docstring describes."""
    if inspect.isclass(value):
        if issubclass(value, enum.Enum) or getattr(value, "_is_protocol", False):
            return []
        docs = [one.__doc__ or "" for base in value.__mro__ for one in (base, base.__init__)]
        missing = _missing(name, value, documented_parameters("\n".join(map(inspect.cleandoc, docs))))
        members = [(label, getattr(one, "__func__", one)) for label, one in vars(value).items() if label[0] != "_"]
        return missing + [
            fault
            for label, one in members
            if methods and inspect.isfunction(one)
            for fault in _missing(f"{name}.{label}", one, documented_parameters(one.__doc__ or ""))
        ]
    return _missing(name, value, documented_parameters(value.__doc__ or "")) if inspect.isfunction(value) else []


def _missing(label: str, function: Any, documented: set[str]) -> list[str]:
    parameters = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    return [f"{label}({name})" for name in parameters if name not in documented]


def described_names(page: str) -> set[str]:
    """Return the names that a page of the Python API describes by a directive."""
    names = re.findall(r"^\s*\.\. (?:auto\w+|(?:py:)?data):: (\S+)$", page, re.MULTILINE)
    return {name.rpartition(".")[2] for name in names}


# --- command line ----------------------------------------------------------------------------------


def help_options(command: str) -> set[str]:
    """Return the options of a command that its help text lists."""
    environment = {"COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1", "_TYPER_FORCE_DISABLE_TERMINAL": "1"}
    result = CliRunner().invoke(app, [*command.split(), "--help"], env=environment)
    assert result.exit_code == 0, result.output
    return {*re.findall(r"^. (?:\* )?\s{0,4}(--[a-z][\w-]+)", result.output, re.MULTILINE)} - {"--help"}


def option_anchors(page: str) -> dict[str, set[str]]:
    """Return the options that the page of the command line describes, by command."""
    sections = re.findall(r"```\{program\} planoracle ?(.*?)\n```(.*?)(?=\n#|\Z)", page, re.DOTALL)
    return {
        command: {
            name for line in re.findall(r"```\{option\} (.*)", text) for name in re.findall(r"--[a-z][\w-]+", line)
        }
        for command, text in sections
    }


def missing_options(page: str) -> set[str]:
    """Return ``COMMAND OPTION`` for each option that the page lacks."""
    anchors = option_anchors(page)
    return {
        f"{command} {option}".strip()
        for command in reference_pages.commands()
        for option in help_options(command) - anchors.get(command, set())
    }


# --- columns ---------------------------------------------------------------------------------------


def column_anchors(page: str) -> set[str]:
    """Return the anchors of the columns of a page: ``SECTION-COLUMN``."""
    return {*re.findall(r"^\| \[`[^`]+`\]\{#([^}]+)\}", page, re.MULTILINE)}


def section_of(command: list[str]) -> str:
    """Return the section of the columns of a command."""
    flags = [flag for flag in ("bundled", "tables", "agents", "summary") if f"--{flag}" in command]
    words = [command[0], *flags]
    return "benchmark" if command[0] == "benchmark" and "check" not in command else "-".join(words)


def possible_anchors(section: str, column: str) -> Iterator[str]:
    """Yield the anchors that a column of a command may have: of its own section, its frame or a metric."""
    column = re.sub(r"@\d+$", "@k", re.sub(r"\^\d+$", "^k", column))
    declared = reference_pages.declarations()
    owners = [section, *filter(None, [declared[section].get("frame")])]
    owners += reference_pages.registry.names() if section == "grade" else ()
    owners += ("pairings", "causes") if section == "grade-summary" else ()
    yield from (reference_pages.anchor(owner, column) for owner in owners)
