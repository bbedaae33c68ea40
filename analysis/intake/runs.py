"""Folders of live runs among other files: only their submissions are submissions."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from planoracle.analysis.live.folder import NAME, SUBMISSIONS, described
from planoracle.instances.errors import InputError

__all__ = ["without_rest"]

_Listed = Sequence[tuple[str, InputError | None]]


def without_rest(
    folder: str, listed: _Listed, told: Callable[[str], None]
) -> tuple[list[tuple[str, InputError | None]], set[str]]:
    """Return the files in a folder without those of live runs that hold no submissions, and those that do.

    Parameters
    ----------
    listed
        Paths in the folder, and what is wrong with them.
    told
        Called with what a person should know: by which rules was played, what is not finished.
    """
    left, runs = list(listed), set[str]()
    for path, error in listed:
        if error is not None or os.path.basename(path) != NAME:
            continue
        inner = os.path.dirname(path)
        place = Path(folder, inner)
        inside = f"{inner}/" if inner else ""
        kept = f"{inside}{SUBMISSIONS}/"
        try:
            document = described(place)
        except InputError as fault:
            left = [*(one for one in left if not one[0].startswith(inside)), (path, fault)]
            continue
        if document is None:
            continue
        left = [one for one in left if not one[0].startswith(inside) or one[0].startswith(kept)]
        planned = len(document["agents"]) * len(document["problems"]) * document["samples"]
        there = [name for name, _ in left if name.startswith(kept)]
        runs.update(there)
        done = sum(_lines(Path(folder, name)) for name in there)
        if not done:
            left.append(
                (path, InputError("is a run without submissions yet; planoracle run goes on with it", source=path))
            )
        elif done < planned:
            told(f"{place}: {done} of {planned} episodes are there; planoracle run goes on with the rest")
        rules = document["settings"]["rules"]
        if rules != {"profile": "paper", "set": {}}:
            single = (f"--set {name}={value}" for name, value in rules["set"].items())
            told(f"{place}: was played by the rules of {' '.join(('--profile', rules['profile'], *single))}")
    return left, runs


def _lines(path: Path) -> int:
    try:
        with path.open("rb") as stream:
            return sum(1 for _ in stream)
    except OSError:
        return 0
