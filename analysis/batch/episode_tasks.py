"""Batch tasks that play episodes of built-in agents, and the keys of their results."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from planoracle.analysis.agents.agent import AgentError, play
from planoracle.analysis.agents.builtin import agent
from planoracle.analysis.batch.tasks import Item, ResultRow, Work
from planoracle.instances.errors import PlanoracleError
from planoracle.instances.model.cache import fingerprint
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry, tool_classes
from planoracle.instances.protocol.prompts import load_setting
from planoracle.instances.workers.pool import TaskFailure


def is_row(row: Any) -> bool:
    """Return whether an object is a row of `Playing`."""
    return isinstance(row, dict) and row.keys() >= {"id", "instance", "model", "sample"}


@dataclass(frozen=True)
class Playing(Work):
    """Batch work: let one agent play one problem per task.

    A row is a submission, with an ``error`` if the agent failed.

    Attributes
    ----------
    setting
        Name or file of the prompt setting; ``""``: ``closed``.
    seed
        Seed of the first sample; each further sample has the next one.
    """

    setting: str = ""
    seed: int = 0

    def item(self, name: str, problem: Problem, sample: int) -> Item:
        """Return the item of an episode; ``sample`` counts from 1."""
        episode = (name, problem, sample)
        key = self.key(name, sample, fingerprint(problem), *tool_classes.digests())
        return Item(episode, episode, key)

    def failure_row(self, episode: tuple[str, Problem, int], failure: TaskFailure) -> ResultRow:
        """Return the row of an episode that ends its worker."""
        return _error_row(_about(*episode), str(failure.error))

    def start(self) -> Callable[[tuple[str, Problem, int]], ResultRow]:
        """Return the function that plays one episode."""
        return self.answer

    def answer(self, task: tuple[str, Problem, int]) -> ResultRow:
        """Play one episode."""
        name, problem, sample = task
        about = _about(name, problem, sample)
        try:
            benchmark = registry.of(problem)
            config = load_setting(benchmark, self.setting).config
            environment = benchmark.environment(problem, self.rules_by_benchmark[benchmark.name], config)
            played = asyncio.run(play(environment, agent(name, seed=self.seed + sample - 1)))
            if played.failure is not None:
                raise played.failure
            return ResultRow(json.dumps({**about, **environment.submission(), **about}))
        except AgentError as error:
            return _error_row(about, str(error))
        except PlanoracleError as error:
            return _error_row(about, f"cannot be run: {error}")


def _error_row(about: dict[str, Any], reason: str) -> ResultRow:
    """Return a row that no journal stores, so that the episode is played again."""
    return ResultRow(json.dumps({**about, "error": reason}), is_lasting=False)


def _about(name: str, problem: Problem, sample: int) -> dict[str, Any]:
    return {"id": f"{problem.name}#{sample}", "instance": problem.name, "model": name, "sample": sample}
