"""What finds problems in any file, for submissions that name those of the tests."""

from __future__ import annotations

from planoracle.analysis.grading.problem_loader import Places, Problems


def trusting() -> Problems:
    """Return it, knowing nothing yet."""
    return Problems(places=Places(trusted=True))
