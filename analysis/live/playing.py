"""One episode: an agent plays one problem once, and what is kept of it."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, NotRequired, TypedDict

from planoracle.analysis.batch.work import Answer, Chunk, Packed, pack
from planoracle.analysis.live.transcripts import Transcript
from planoracle.analysis.profiles import profiles
from planoracle.analysis.recent import Recent
from planoracle.instances import registry
from planoracle.instances.digest import fingerprint
from planoracle.instances.errors import PlanError, PlanoracleError, UnknownNameError
from planoracle.instances.problem import Problem
from planoracle.instances.profiles import Rules
from planoracle.solver.result import versions

if TYPE_CHECKING:
    from planoracle.analysis.agents.agent import Agent, AgentError
    from planoracle.instances.environment import AnyEnvironment
    from planoracle.instances.prompted import Prompted

__all__ = ["Episode", "Playing", "Record"]


class Episode(NamedTuple):
    """Who plays what, for which time (from 1)."""

    agent: str
    problem: Problem
    sample: int

    def __str__(self) -> str:
        return f"{self.agent}, {self.problem.name}, sample {self.sample}"


class Record(TypedDict):
    """What became of an episode.

    ``submission`` is what ``grade`` reads, with the run's own verdict beside it; of an episode that is not to be
    scored it has an ``error`` and no plan, and ``failure`` says in a word why.
    """

    submission: dict[str, Any]
    transcript: str
    seconds: float
    turns: int
    usage: dict[str, Any]
    success: bool | None
    makespan: int | None
    failure: NotRequired[str]


@dataclass(frozen=True)
class Playing:
    """Play episodes; all that decides how.

    Attributes
    ----------
    profile, rules
        Name of the rule profile, and single rules by name.
    setting, prompts
        Name of the setting (empty: that of the environment), and a folder with prompts of one's own.
    seed
        Of the first sample; the next one has the next.
    options
        Of agents, by name; each is given those that it has.
    """

    profile: str = "paper"
    rules: tuple[tuple[str, str], ...] = ()
    setting: str = ""
    prompts: Path | None = None
    seed: int = 0
    options: tuple[tuple[str, object], ...] = ()
    versions: tuple[tuple[str, str], ...] = tuple(versions().items())

    def start(self) -> Callable[[Chunk], list[Answer]]:
        """Return what plays chunks of episodes in a process."""
        shipped: Recent[str, Problem] = Recent()  # the same object each time, for what is known of it

        def run(chunk: Chunk) -> list[Answer]:
            (packed,) = chunk.problems.values()
            problem = shipped.get(packed.fingerprint, lambda: pickle.loads(packed.data))
            episodes = [Episode(agent, problem, sample) for agent, sample in map(pickle.loads, chunk.tasks)]
            return [Answer(json.dumps(asyncio.run(self.played(episode)))) for episode in episodes]

        return run

    @staticmethod
    def chunk(episode: Episode) -> Chunk:
        """Return an episode as `start` takes it."""
        problem = episode.problem
        packed = Packed(fingerprint(problem), pack(problem))
        return Chunk([pack((episode.agent, episode.sample))], {problem.name: packed})

    def agent(self, name: str, sample: int = 1, **more: object) -> Agent:
        """Return a new agent for one episode.

        Raises
        ------
        InputError
            As `planoracle.analysis.agents.registry.agent`.
        """
        from planoracle.analysis.agents.registry import agent, options

        known = options(name)
        given = {key: value for key, value in (*self.options, *more.items()) if key in known}
        return agent(name, seed=self.seed + sample - 1, **given)

    def check(self, names: Iterable[str]) -> None:
        """Raise `UnknownNameError` for an agent that there is not, and an option that none of them has."""
        from planoracle.analysis.agents.registry import options

        known = {name: options(name) for name in names}
        for option, value in self.options:
            if not any(option in having for having in known.values()):
                raise UnknownNameError(f"is no option of {', '.join(known)}", field=option, value=value)

    def prompted(self, benchmark: str) -> Prompted:
        """Return the setting with its prompts as a benchmark has it."""
        return _prompted(benchmark, self.setting, self.prompts)

    async def played(self, episode: Episode) -> Record:
        """Play an episode; never raises for what happens in it."""
        from planoracle.analysis.agents.agent import AgentError
        from planoracle.analysis.agents.play import play
        from planoracle.analysis.agents.setting import environment_for

        began = perf_counter()
        problem, transcript, result = episode.problem, None, _Result()
        try:
            prompted = self.prompted(problem.benchmark)
            rules = _profiles(self.profile, self.rules)[problem.benchmark]
            environment = environment_for(problem, prompted, rules)
            transcript = Transcript(environment)
            player = self.agent(episode.agent, episode.sample, setting=prompted, heard=transcript.heard)
            found = await play(environment, player, told=transcript.told)
            failure, result = found.failure, _result(environment)
        except AgentError as error:
            failure = error
        except PlanoracleError as error:  # it cannot be played at all, or not by this agent
            failure = AgentError(str(error), "refused")
        except Exception as error:  # one episode that our tools fail on must not end the rest
            failure = AgentError(f"internal error: {type(error).__name__}: {error}"[:1000], "internal")
        return _record(episode, transcript, result, failure, perf_counter() - began)


@cache
def _profiles(profile: str, rules: tuple[tuple[str, str], ...]) -> dict[str, Rules]:
    return profiles(profile, dict(rules))


@cache
def _prompted(benchmark: str, setting: str, folder: Path | None) -> Prompted:
    from planoracle.instances.prompted import prompted

    return prompted(registry.get(benchmark), setting, folder)


class _Result(NamedTuple):
    """What was handed in, after how many turns, and the run's own verdict."""

    handed: Mapping[str, object] = {}
    turns: int = 0
    success: bool | None = None
    makespan: int | None = None


def _result(environment: AnyEnvironment) -> _Result:
    handed, turns = environment.submission(), environment.state.count
    try:
        verdict = environment.run().verdict
    except PlanError:  # a whole plan that cannot be read, as grading will say
        return _Result(handed, turns)
    return _Result(handed, turns, verdict.success, verdict.makespan if verdict.success else None)


def _record(
    episode: Episode, transcript: Transcript | None, result: _Result, failure: AgentError | None, seconds: float
) -> Record:
    from planoracle.analysis.agents.usage import total

    name = episode.problem.name
    about = {"id": f"{name}#{episode.sample}", "instance": name, "model": episode.agent, "sample": episode.sample}
    usages = [] if transcript is None else transcript.usages
    if failure is not None and failure.usage is not None:
        usages = [*usages, failure.usage]
    record: Record = {
        "submission": {**about, **({**result.handed, **about} if failure is None else {"error": str(failure)})},
        "transcript": "" if transcript is None else transcript.text(failure),
        "seconds": round(seconds, 3),
        "turns": result.turns,
        "usage": total(usages),
        "success": result.success if failure is None else None,
        "makespan": result.makespan if failure is None else None,
    }
    if failure is not None:
        record["failure"] = failure.kind
    return record
