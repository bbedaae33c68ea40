"""Episodes of built-in agents as batch tasks: what is shipped to play them, and what their results depend on."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from planoracle.analysis.agents.agent import AgentError
from planoracle.analysis.agents.play import play
from planoracle.analysis.agents.registry import agent, content_of
from planoracle.analysis.batch.limits import NO_LIMITS, LimitError, Limits
from planoracle.analysis.batch.work import Answer, Chunk, Item, pack
from planoracle.analysis.profiles import profiles
from planoracle.instances import registry
from planoracle.instances.digest import FORMAT, digest, fingerprint
from planoracle.instances.errors import PlanoracleError
from planoracle.instances.problem import Problem
from planoracle.instances.profiles import Rules
from planoracle.solver.result import versions

__all__ = ["Playing", "is_row"]


def is_row(row: Any) -> bool:
    """Return whether an object is a row of `Playing`."""
    return isinstance(row, dict) and row.keys() >= {"id", "instance", "model", "sample"}


@dataclass(frozen=True)
class Playing:
    """Play one problem by one agent per task. A row is a submission, with an ``error`` if the agent failed.

    Attributes
    ----------
    profile, rules
        Name of the rule profile, and single rules by name.
    setting
        Name of the setting, which decides how a run is held; ``""``: ``closed``.
    seed
        Of the first sample; each further sample has the next one.
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
        return Item(f"{name}, {problem.name}, sample {sample}", None, key, pack((name, problem, sample)))

    def start(self) -> Callable[[Chunk], Iterator[Answer]]:
        """Return a function that plays chunks in this process."""
        return lambda chunk: (self._answer(*pickle.loads(task)) for task in chunk.tasks)

    @property
    def limits(self) -> Limits:
        """None: agents limit their own work."""
        return NO_LIMITS

    def refused(self, task: bytes, error: LimitError) -> Answer:
        """Return the row of an episode that ends the process at work on it."""
        name, problem, sample = pickle.loads(task)
        return self._failed(_about(name, problem, sample), str(error))

    @cached_property
    def _profiles(self) -> dict[str, Rules]:
        return profiles(self.profile, dict(self.rules))

    def _answer(self, name: str, problem: Problem, sample: int) -> Answer:
        about = _about(name, problem, sample)
        try:
            benchmark = registry.of(problem)
            manner = benchmark.settings[self.setting or "closed"].manner
            environment = benchmark.environment(problem, self._profiles[benchmark.name], manner)
            played = asyncio.run(play(environment, agent(name, seed=self.seed + sample - 1)))
            if played.failure is not None:
                raise played.failure
            return Answer(json.dumps({**about, **environment.submission(), **about}))
        except AgentError as error:
            return self._failed(about, str(error))
        except PlanoracleError as error:
            return self._failed(about, f"cannot be played: {error}")
        except MemoryError:
            raise
        except Exception as error:  # an internal error in one episode must not end the rest
            return self._failed(about, f"internal error: {type(error).__name__}: {error}"[:1000])

    @staticmethod
    def _failed(about: dict[str, Any], reason: str) -> Answer:
        """Return an answer that is not kept, so that the episode is played again."""
        return Answer(json.dumps({**about, "error": reason}), lasting=False)


def _about(name: str, problem: Problem, sample: int) -> dict[str, Any]:
    return {"id": f"{problem.name}#{sample}", "instance": problem.name, "model": name, "sample": sample}
