"""Libraries that not everybody needs, and what is said where they are missing."""

from __future__ import annotations

from importlib import import_module

from planoracle.instances.errors import InputError


def need(library: str, extra: str) -> None:
    """Import a library of an extra.

    Raises
    ------
    InputError
        If it is not installed; names the extra.

    Examples
    --------
    >>> need("sundial", "clocks")
    Traceback (most recent call last):
      ...
    planoracle.instances.errors.InputError: sundial: is not installed: pip install 'planoracle[clocks]'
    """
    try:
        import_module(library)
    except ImportError:
        raise InputError(f"is not installed: pip install 'planoracle[{extra}]'", field=library) from None
