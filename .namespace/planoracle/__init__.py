"""Proved optimal plans, replay and grading for time-aware multitasking benchmarks of language agents."""

from __future__ import annotations

import os

__version__ = "0.1.0"  # written out, since the build reads it without importing anything

# A checkout without symbolic links (Windows): git has made plain files of them, and the folders are those of the root.
if not os.path.isdir(os.path.join(__path__[0], "solver")):
    __path__.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
