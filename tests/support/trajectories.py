"""Runs of submissions, in a word."""

from __future__ import annotations

from typing import Any

from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry


def trajectory_of(problem: Problem, submission: Any = None, rules: Any = None) -> Any:
    """Return the run of a submission."""
    return registry.of(problem).run(problem, submission, rules)


def replayed(problem: Problem, submission: Any, rules: Any = None) -> Any:
    """Return the verdict of the rules on a submission."""
    return trajectory_of(problem, submission, rules).verdict
