"""Abstract problems from the user's copy of the data: the compact file, or the released ones, one problem each."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from planoracle.instances.model import Instance
from planoracle.instances.paracook.released import an_object, copy_of, rows_of, within
from planoracle.instances.paracook_abstract.encode import instance

#: How names of abstract problems begin.
ABSTRACT: Final = "paracook/abstract/"


def recognises(document: Any) -> bool:
    """Whether a document has problems by name, as the compact file, or tasks with dependencies, as a released one."""
    if isinstance(document, dict):
        return "format" not in document and isinstance(document.get("problems"), dict)
    first = document[0] if isinstance(document, list) and document else None
    return isinstance(first, dict) and {"name", "time", "dependencies"} <= set(first)


def read(document: Any, source: str) -> list[Instance]:
    """Return the problems of a document that is recognised, each for one agent; raises `InputError`."""
    with within(source):
        if isinstance(document, dict):
            problems = an_object(document["problems"], "problems")
            return [instance(ABSTRACT + name, rows_of(rows, f"problems.{name}")) for name, rows in problems.items()]
        copy = copy_of(source)
        names = [] if copy is None else copy.held_in(source, copy.abstract)
        return [instance(ABSTRACT + names[0] if names else Path(source).stem, rows_of(document, ""))]
