"""Tables of tasks as files: their problems, faults and notes."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from planoracle import load
from planoracle.instances.errors import InputError, InputNote
from planoracle.instances.model.instance import Instance


def table(*lines: str) -> str:
    """Return the text of a table."""
    return "\n".join(lines) + "\n"


def read(folder: Path, text: str | bytes, name: str = "t.csv") -> Instance:
    """Return the problem of a table."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    problem = load(path)
    assert isinstance(problem, Instance)
    return problem


def faults(folder: Path, text: str | bytes, name: str = "t.csv") -> list[str]:
    """Return the faults of a table, without the path of its folder."""
    with pytest.raises(InputError) as caught:
        read(folder, text, name)
    return [str(fault).removeprefix(f"{folder}/") for fault in caught.value.faults]


def notes(folder: Path, text: str, name: str = "t.csv") -> list[str]:
    """Return the notes about a table, without the path of its folder."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read(folder, text, name)
    assert all(warning.category is InputNote for warning in caught)
    return [str(warning.message).removeprefix(f"{folder}/") for warning in caught]
