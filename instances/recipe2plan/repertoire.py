"""What there can be to do in a problem of Recipe2Plan."""

from __future__ import annotations

import re

from planoracle.instances.model import Instance
from planoracle.instances.repertoire import Repertoire

_STEP = re.compile(r"Step\((\d+), ([^,]+), ")


def repertoire(problem: Instance) -> Repertoire:
    """Return the steps, and ``Finish``."""
    return Repertoire((*problem.index, "Finish"), _name_of, timed=True)


def _name_of(command: str) -> str:
    found = _STEP.match(command)
    return command if found is None else f"{found[2]}/{found[1]}"
