"""What there can be to do by the general rules: actions, by whomever and in whatever mode."""

from __future__ import annotations

import json

from planoracle.instances.model import Instance
from planoracle.instances.repertoire import Repertoire


def repertoire(problem: Instance) -> Repertoire:
    """Return the actions, and ``Finish``."""
    return Repertoire((*problem.index, "Finish"), _name_of, timed=True)


def _name_of(command: str) -> str:
    if not command.startswith("{"):
        return command
    return str(json.loads(command)["action"])
