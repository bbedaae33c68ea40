"""Figures for papers. Each module is imported at its first use, since matplotlib takes half a second."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """Return a module of this package."""
    path = f"{__name__}.{name}"
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        if error.name != path:
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
