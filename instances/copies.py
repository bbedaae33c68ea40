"""Where the user's copies of authors' own data are: what names mean whose data we may not bundle, or have otherwise.

A copy of a benchmark's data is a folder, told by ``--data NAME=DIR`` or by ``PLANORACLE_DATA_NAME`` in the environment,
where processes that are started from this one find it as well.
"""

from __future__ import annotations

import os
from pathlib import Path

_HEAD = "PLANORACLE_DATA_"


def variable(benchmark: str) -> str:
    """Return the variable of the environment that says where a benchmark's data are.

    >>> variable("tea_time")
    'PLANORACLE_DATA_TEA_TIME'
    """
    return _HEAD + benchmark.upper()


def folder_of(benchmark: str) -> Path | None:
    """Return the folder with a benchmark's data, ``None`` if nobody has told of one."""
    found = os.environ.get(variable(benchmark))
    return Path(found) if found else None


def use(benchmark: str, folder: str | Path | None) -> None:
    """Let names of a benchmark mean what is in a folder, here and in processes started later; ``None`` for none."""
    if folder is None:
        os.environ.pop(variable(benchmark), None)
    else:
        os.environ[variable(benchmark)] = str(Path(folder).absolute())


def given() -> tuple[tuple[str, str], ...]:
    """Return all folders that have been told of: what depends on them can be kept under this."""
    return tuple(sorted((name, value) for name, value in os.environ.items() if name.startswith(_HEAD)))
