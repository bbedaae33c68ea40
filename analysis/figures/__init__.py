"""Figures for papers. Each module is imported at its first use, since matplotlib takes half a second."""

from __future__ import annotations

from typing import Any

from planoracle.analysis import module_of


def __getattr__(name: str) -> Any:
    """Return a module of this package."""
    return module_of(__name__, name)
