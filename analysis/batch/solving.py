"""Problems as tasks: what is shipped to solve them, and what their results depend on."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from planoracle.analysis.batch import sofar
from planoracle.analysis.batch.limits import NO_LIMITS, LimitError, Limits
from planoracle.analysis.batch.work import Answer, Chunk, Item, pack
from planoracle.analysis.profiles import profiles
from planoracle.instances import registry
from planoracle.instances.digest import FORMAT, digest, fingerprint
from planoracle.instances.errors import PlanoracleError
from planoracle.instances.problem import Problem
from planoracle.instances.profiles import Rules
from planoracle.solver.result import versions
from planoracle.solver.solve import solve

__all__ = ["Solving", "sound"]

# Keys under which every row has text, and all that every row has.
_TEXTS = ("instance", "status", "unit")
_ROW = {"instance", "status", "makespan", "lower_bound", "unit", "seconds", "proof", "plan", "versions"}


def sound(row: Any) -> bool:
    """Whether an object is a row of `Solving`."""
    return isinstance(row, dict) and row.keys() >= _ROW and all(isinstance(row[name], str) for name in _TEXTS)


@dataclass(frozen=True)
class Solving:
    """Solve problems exactly; the options of `planoracle.solver.solve.solve`.

    Attributes
    ----------
    profile, rules
        By which rules, and single ones of these, see `planoracle.analysis.profiles.profiles`; without a profile those
        that the solver takes by itself.
    """

    time_limit: float = 60.0
    seed: int = 0
    workers: int = 1
    finest: bool = False
    profile: str | None = None
    rules: tuple[tuple[str, str], ...] = ()
    versions: tuple[tuple[str, str], ...] = tuple(versions().items())
    fewest_pieces: bool = False

    def item(self, problem: Problem, *, keyed: bool) -> Item:
        """Return the item of a problem, with a key if its result is to be kept."""
        options: tuple[object, ...] = (self.time_limit, self.seed, self.workers, self.finest)
        if self.profile is not None:
            options += (self.profile, self.rules)
        if self.fewest_pieces:
            options += ("fewest pieces",)
        key = digest("solve", FORMAT, options, self.versions, fingerprint(problem)) if keyed else None
        return Item(problem.name, problem, key, pack(problem))

    def start(self) -> Callable[[Chunk], Iterator[Answer]]:
        """Return what solves chunks in this process."""
        return lambda chunk: (self._answer(pickle.loads(task)) for task in chunk.tasks)

    @property
    def limits(self) -> Limits:
        """None but the time limit, which the solver holds to."""
        return NO_LIMITS

    def refused(self, task: bytes, error: LimitError) -> Answer:
        """Return what is said of a problem that ends the process at work on it."""
        return Answer(None, lasting=False, fault=f"{pickle.loads(task).name}: {error}")

    @cached_property
    def _profiles(self) -> dict[str, Rules]:
        return profiles(self.profile or "", dict(self.rules))

    def _answer(self, problem: Problem) -> Answer:
        try:
            options: dict[str, Any] = {"seed": self.seed, "workers": self.workers, "finest": self.finest}
            if self.fewest_pieces:
                options["fewest_pieces"] = True
            sofar.clear()
            if self.profile is not None:
                rules = self._profiles[problem.benchmark]
                if problem.kind == "schedule":  # its rules are in the problem
                    problem = registry.of(problem).under(problem, rules)
                else:
                    options["rules"] = rules
            result = solve(problem, time_limit=self.time_limit, told=sofar.note, **options)
            return Answer(json.dumps(result.as_dict()))
        except PlanoracleError as error:
            return Answer(None, lasting=False, fault=str(error))
        except MemoryError:
            raise
        except Exception as error:  # one problem our tools fail on must not end the rest
            fault = f"{problem.name}: internal error: {type(error).__name__}: {error}"
            return Answer(None, lasting=False, fault=fault[:1000])
