"""Files that are no submissions in the folders that `planoracle run` and inspect_ai write."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from planoracle.instances.errors import InputError

#: File of a run directory that holds the plans of built-in agents.
SUBMISSIONS = "submissions.jsonl"

# Files that are no submissions where another file is in the same folder.
_RESULTS = (("results.sqlite", SUBMISSIONS), ("logs.json", "eval-set.json"), ("eval-set.json", "eval-set.json"))
_FORMER = "run.json"
_Listed = tuple[str, InputError | None]


def is_former_run(folder: Path) -> bool:
    """Return whether a folder is a run directory of `planoracle run` before it handed models to inspect_ai."""
    try:
        with (folder / _FORMER).open("rb") as stream:
            return b'"planoracle/live"' in stream.read(200)
    except OSError:
        return False


def without_rest(folder: str, listed: Sequence[_Listed]) -> list[_Listed]:
    """Return the files in a folder that may hold submissions, and an error for a run directory of earlier releases."""
    names = {path for path, _ in listed}
    remaining: list[_Listed] = []
    for path, error in listed:
        inner, name = os.path.split(path)
        if name == _FORMER and is_former_run(Path(folder, inner)):
            message = "is a run of an earlier release; grade the files in its folder submissions"
            remaining = [one for one in remaining if os.path.dirname(one[0]) != inner]
            remaining.append((path, InputError(message, source=path)))
        elif not any(name == own and os.path.join(inner, beside) in names for own, beside in _RESULTS):
            remaining.append((path, error))
    return remaining
