"""Batch tasks that play episodes of built-in agents, and the keys of their results."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from planoracle.analysis.agents.agent import AgentError, play
from planoracle.analysis.agents.builtin import agent, content_of
from planoracle.analysis.batch.pool import TaskFailure
from planoracle.analysis.batch.tasks import Item, ResultRow
from planoracle.analysis.grading.rule_options import profiles
from planoracle.instances.errors import PlanoracleError
from planoracle.instances.model.cache import FORMAT, digest, fingerprint
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.result import versions


def is_row(row: Any) -> bool:
    """Return whether an object is a row of `Playing`."""
    return isinstance(row, dict) and row.keys() >= {"id", "instance", "model", "sample"}


@dataclass(frozen=True)
class Playing:
    """Batch work: let one agent play one problem per task.

    A row is a submission, with an ``error`` if the agent failed.

    Attributes
    ----------
    profile, rules
        Name of the rule profile, and single rules by name.
    setting
        Name of the prompt setting; ``""``: ``closed``.
    seed
        Seed of the first sample; each further sample has the next one.
    """

    profile: str = "paper"
    rules: tuple[tuple[str, str], ...] = ()
    setting: str = ""
    seed: int = 0
    versions: tuple[tuple[str, str], ...] = tuple(versions().items())

    def item(self, name: str, problem: Problem, sample: int) -> Item:
        """Return the item of an episode; ``sample`` counts from 1."""
        options = (self.profile, dict(self.rules), self.setting, self.seed + sample - 1, self.versions)
        key = digest("episode", FORMAT, name, content_of(name), sample, options, fingerprint(problem))
        return Item((name, problem, sample), (name, problem, sample), key)

    def start(self) -> Callable[[tuple[str, Problem, int]], ResultRow]:
        """Return the function that plays one episode."""
        return self._answer

    def failure_row(self, episode: tuple[str, Problem, int], failure: TaskFailure) -> ResultRow:
        """Return the row of an episode that ends its worker."""
        return _error_row(_about(*episode), str(failure.error))

    @cached_property
    def _profiles(self) -> dict[str, Rules]:
        return profiles(self.profile, dict(self.rules))

    def _answer(self, episode: tuple[str, Problem, int]) -> ResultRow:
        name, problem, sample = episode
        about = _about(name, problem, sample)
        try:
            benchmark = registry.of(problem)
            config = benchmark.settings[self.setting or "closed"].config
            environment = benchmark.environment(problem, self._profiles[benchmark.name], config)
            played = asyncio.run(play(environment, agent(name, seed=self.seed + sample - 1)))
            if played.failure is not None:
                raise played.failure
            return ResultRow(json.dumps({**about, **environment.submission(), **about}))
        except AgentError as error:
            return _error_row(about, str(error))
        except PlanoracleError as error:
            return _error_row(about, f"cannot be played: {error}")


def _error_row(about: dict[str, Any], reason: str) -> ResultRow:
    """Return a row that no journal stores, so that the episode is played again."""
    return ResultRow(json.dumps({**about, "error": reason}), is_lasting=False)


def _about(name: str, problem: Problem, sample: int) -> dict[str, Any]:
    return {"id": f"{problem.name}#{sample}", "instance": problem.name, "model": name, "sample": sample}
