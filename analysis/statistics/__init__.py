"""Averages, intervals and paired comparisons over grades.

Modules that need numpy (`bootstrap`, `pairs`) are imported at their first use, as attributes of this package.
"""

from __future__ import annotations

from typing import Any

from planoracle.analysis import module_of


def __getattr__(name: str) -> Any:
    """Return a module of this package."""
    return module_of(__name__, name)
