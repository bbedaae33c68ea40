"""Plan language: a list of the names of jobs, or text of a model with a name in each line."""

from __future__ import annotations

import re

from planoracle.plugin import Grammar, PlanError, Reading, Rules, StepMatch, read_list, read_output

from .shop import BlockingShop


class Jobs(Grammar[str]):
    """Names of jobs in text."""

    def __init__(self, shop: BlockingShop) -> None:
        names = "|".join(re.escape(job.name) for job in shop.jobs)
        self._name = re.compile(rf"\b(?:{names})\b")

    def find(self, text: str) -> list[StepMatch[str]]:
        """Return the names in a line."""
        return [StepMatch(len(match[0]), match[0]) for match in self._name.finditer(text)]

    def key(self, step: str) -> None:
        """Return ``None``: plans repeat jobs."""


def reading(problem: BlockingShop, submitted: object, rules: Rules) -> Reading[list[str]]:
    """Read a plan, a list of names or text; raises `PlanError`."""
    if isinstance(submitted, list) and all(isinstance(name, str) for name in submitted):
        return read_list(submitted)
    if isinstance(submitted, str):
        return read_output(submitted, Jobs(problem))
    raise PlanError("must be text or a list of jobs", field="plan", value=submitted)
