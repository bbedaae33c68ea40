"""Descriptions of tasks and actions in the user's clone of TimeArena's repository.

The repository states no licence, so nothing of it is bundled. The files are Python. The texts are literals in them,
which are parsed; no code is run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import lru_cache
from os.path import isfile
from pathlib import Path
from typing import Any, Final, NamedTuple

from planoracle.instances.benchmarks.timearena.problems import task_names
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import parse_expression, read_bytes
from planoracle.instances.protocol import registry

_TASK: Final = "TimeArena/specificTasks/{}.py"
_ACTIONS: Final = "TimeArena/actions.py"
# Text of a task, and texts of actions by verb.
_NAME = re.compile(r"self\.name *= *(.+)")
_DESCRIPTIONS = re.compile(r"self\.description *= *(\{.*?\n *\})", re.DOTALL)


class Texts(NamedTuple):
    """Descriptions of tasks by name, and of actions by verb."""

    tasks: Mapping[str, str]
    actions: Mapping[str, str]


def texts() -> Texts | None:
    """Return the texts of the user's clone, ``None`` without one; raises `InputError` like `texts_in`."""
    folder = registry.data_folder("timearena")
    return None if folder is None else texts_in(folder)


@lru_cache(maxsize=8)
def texts_in(folder: Path) -> Texts:
    """Return the texts in a clone.

    Raises
    ------
    InputError
        For a folder without one of the files, or naming file and field of a text that cannot be read.
    """
    paths = {name: folder / _TASK.format(name) for name in task_names()}
    missing = [str(path) for path in (folder / _ACTIONS, *paths.values()) if not isfile(path)]
    if missing:
        message = f"lacks {missing[0]}; must be a clone of TimeArena's repository"
        raise InputError(message, field=registry.data_variable("timearena"), value=str(folder))
    tasks = {name: _literal(path, _NAME, str) for name, path in paths.items()}
    actions = _literal(folder / _ACTIONS, _DESCRIPTIONS, dict)
    return Texts(tasks, {str(verb): str(text) for verb, text in actions.items()})


def _literal(path: Path, pattern: re.Pattern[str], kind: type) -> Any:
    """Return the literal that a pattern finds in a file."""
    field = "self.name" if pattern is _NAME else "self.description"
    match = pattern.search(read_bytes(path).decode(errors="replace"))
    try:
        value = None if match is None else ast.literal_eval(parse_expression(match[1]))
    except (SyntaxError, ValueError, RecursionError):
        value = None
    if not isinstance(value, kind) or not value:
        expected = "a text" if kind is str else "a dictionary of texts"
        raise InputError(f"must be {expected}", source=str(path), field=field)
    return value
