"""Runs and verdicts of submissions."""

from __future__ import annotations

from typing import Any

from planoracle.instances.benchmarks.recipe2plan.language import Answers
from planoracle.instances.benchmarks.recipe2plan.rules import PROFILES, Profile
from planoracle.instances.benchmarks.recipe2plan.simulation import replay_answers
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol import registry


def run_of(problem: Problem, submission: Any = None, rules: Any = None) -> Any:
    """Return the run of a submission."""
    return registry.of(problem).run(problem, submission, rules)


def verdict_of(problem: Problem, submission: Any, rules: Any = None) -> Any:
    """Return the verdict of the rules on a submission."""
    return run_of(problem, submission, rules).verdict


def recipe_verdict(problem: Instance, answers: Answers, rules: Profile = PROFILES["paper"]) -> Replay:
    """Return the verdict of the Recipe2Plan rules on commands."""
    return replay_answers(problem, answers, rules)
