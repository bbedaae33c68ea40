"""Packages that are needed: their versions, and their licences."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement as Reference

from planoracle.analysis import packages
from planoracle.analysis.packages import Requirement, accepted, licence_of, licences, parsed, requirements

PROJECT = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
LINES = [*PROJECT["dependencies"], *(line for lines in EXTRAS.values() for line in lines)]


VERSIONS = ["0.0.1", "1", "2", "2.9", "2.9.0", "3.0", "9.15.6755", "2024.5.0", "77.0"]


@pytest.mark.parametrize("line", [*LINES, "typer (>=0.15, <1) ; python_version > '3'", "a[b,c]!=2.9 ; extra == 'd'"])
def test_requirements_are_read_as_by_the_library_for_them(line: str) -> None:
    reference, found = Reference(line), parsed(line)
    assert found.name == reference.name
    assert {sign + bound for sign, bound in found.bounds} == {str(one) for one in reference.specifier}
    assert [found.admits(one) for one in VERSIONS] == [reference.specifier.contains(one) for one in VERSIONS]


def test_what_is_needed_is_what_is_installed_with_the_package() -> None:
    references = [Reference(line) for line in requires("planoracle") or ()]
    assert [(one.name, set(one.wanted.split(",")) - {""}) for one in requirements()] == [
        (one.name, {str(bound) for bound in one.specifier}) for one in references
    ]
    assert {one.name for one in requirements() if not one.extra} >= {"ortools", "typer"}
    assert {one.extra for one in requirements() if one.name == "pyarrow"} == {"frames"}


@pytest.mark.parametrize("line", ["", "==3", "a b c", "name>=2 extra"])
def test_what_is_no_requirement_is_told(line: str) -> None:
    with pytest.raises(ValueError, match="no requirement"):
        parsed(line)


def test_all_that_is_always_needed_has_a_licence_that_is_accepted() -> None:
    found = list(licences())
    names = {packages._key(one.package) for one in found}
    assert names >= {packages._key(parsed(line).name) for line in PROJECT["dependencies"]}
    assert {"protobuf", "cycler", "pydantic-core"} <= names  # what these need in turn
    assert [one for one in found if not one.accepted] == []


def test_a_package_is_listed_once_with_the_first_that_brings_it() -> None:
    found = list(licences(extras=["yaml", "cluster"]))
    names = [one.package for one in found]
    assert len(names) == len(set(names))
    assert {one.extra for one in found if one.package.lower() == "pyyaml"} <= {"yaml"}


@pytest.mark.parametrize(
    ("licence", "held"),
    [
        ("MIT", True),
        ("unknown", False),
        ("", False),
        ("GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR GPL-2.0-only) AND Apache-2.0", True),
        ("MIT OR GPL-2.0-only AND AGPL-3.0-only", True),  # AND binds more
        ("Apache-2.0 WITH LLVM-exception", True),
        ("Apache-2.0 WITH LLVM-exception AND SSPL-1.0", False),
        ("(MIT", False),
        ("MIT MIT", False),
        ("MIT AND", False),
        ("Free for non-commercial use", False),
    ],
)
def test_licences_that_are_accepted(licence: str, held: bool) -> None:
    assert accepted(licence) is held


@pytest.mark.parametrize(
    ("told", "licence"),
    [
        ({"license_expression": "MIT AND Zlib", "license": "GPL"}, "MIT AND Zlib"),
        ({"classifier": ["License :: OSI Approved :: MIT License"], "license": "whatever"}, "MIT"),
        (
            {"classifier": ["License :: OSI Approved", "License :: Other/Proprietary License"]},
            "Other/Proprietary License",
        ),
        (
            {"classifier": [f"License :: OSI Approved :: {name} License" for name in ("MIT", "BSD")]},
            "BSD-3-Clause AND MIT",
        ),
        (
            {"classifier": ["Topic :: Software Development"], "license": "BSD 3-Clause License\n\nCopyright"},
            "BSD-3-Clause",
        ),
        ({"license": "Mine alone"}, "Mine alone"),
        ({}, "unknown"),
    ],
)
def test_licences_are_told_in_many_ways(monkeypatch: pytest.MonkeyPatch, told: dict, licence: str) -> None:
    monkeypatch.setattr(packages, "distribution", lambda name: SimpleNamespace(metadata=SimpleNamespace(json=told)))
    assert licence_of("any") == licence


def test_a_package_that_is_not_there_has_neither_version_nor_licence(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(packages, "distribution", none)
    assert Requirement("numpy").installed is None
    assert licence_of("numpy") == "unknown"
    assert requirements() == list(licences()) == []
