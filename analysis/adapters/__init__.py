"""Adapters to frameworks: inspect_ai, Gymnasium and the Model Context Protocol.

Each adapter needs libraries of an extra, so its module is imported at its first use.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from planoracle.instances.errors import InputError
from planoracle.instances.text import visible

#: As in pyproject.toml.
_OLDEST_INSPECT = (0, 3, 285)


def need(library: str, extra: str) -> None:
    """Import a library of an extra.

    Raises
    ------
    InputError
        If the library or a package that it needs is not installed; the message names the extra.

    Examples
    --------
    >>> need("sundial", "clocks")
    Traceback (most recent call last):
      ...
    planoracle.instances.errors.InputError: sundial: is not installed: pip install 'planoracle[clocks]'
    """
    try:
        import_module(library)
    except ImportError as error:
        is_absent = isinstance(error, ModuleNotFoundError) and error.name == library
        reason = "is not installed" if is_absent else f"cannot be imported ({visible(str(error))})"
        raise InputError(f"{reason}: pip install 'planoracle[{extra}]'", field=library) from None


def _check_release(library: str, oldest: tuple[int, ...], extra: str) -> None:
    """Raise `InputError` if an installed library is older than the oldest release that works."""
    from importlib.metadata import version

    installed = version(library)
    numbers = tuple(map(int, re.findall(r"\d+", installed)[: len(oldest)]))
    if numbers < oldest:
        accepted = ".".join(map(str, oldest))
        message = f"must be {accepted} or later: pip install -U 'planoracle[{extra}]'"
        raise InputError(message, field=library, value=installed)


def import_inspect_tasks() -> Any:
    """Import the module with the tasks for inspect_ai; raises `InputError` without the extra."""
    need("inspect_ai", "inspect")
    need("anyio", "inspect")
    need("pyarrow", "inspect")  # to read the logs
    _check_release("inspect_ai", _OLDEST_INSPECT, "inspect")
    return import_module(f"{__name__}.inspect_tasks")
