"""A run over many problems: what is to be played, what is kept already, and what comes out in the end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planoracle.analysis.batch.journal import Journal
from planoracle.analysis.live.folder import PROBLEMS, Folder, file_name
from planoracle.analysis.live.playing import Episode, Playing, Record
from planoracle.analysis.live.runner import Done, run
from planoracle.analysis.profiles import profiles
from planoracle.instances import catalogue, registry
from planoracle.instances.digest import FORMAT, digest, fingerprint
from planoracle.instances.errors import InputError
from planoracle.instances.problem import Problem
from planoracle.instances.visible import to_json

if TYPE_CHECKING:
    from planoracle.analysis.agents.agent import Agent

__all__ = ["Evaluation", "HopelessError"]

# If the agents' side fails in so many episodes, and in no other, nobody waits for the rest.
_PATIENCE = 20


class HopelessError(Exception):
    """The agents' side has failed in every episode that was played."""


@dataclass
class Evaluation:
    """Agents by problems by samples.

    Parameters
    ----------
    playing
        All that decides about single episodes.
    names
        Of the agents, as on the command line.
    problems
        In the order of the submissions; no two of one name.

    Raises
    ------
    UnknownNameError
        For unknown agents, rules and settings, and options that none of the agents has.
    InputError
        For two problems of one name, and what agents say of their options.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from planoracle import grade, read
    >>> evaluation = Evaluation(Playing(), ["optimal", "random"], read("timearena/lab/1")[:2])
    >>> with TemporaryDirectory() as folder:
    ...     evaluation.play(Path(folder))
    ...     [(one.model, one.success, one.makespan) for one in grade(folder)]
    [('optimal', True, 13), ('optimal', True, 15), ('random', True, 21), ('random', True, 22)]
    """

    playing: Playing
    names: Sequence[str]
    problems: Sequence[Problem]
    samples: int = 1

    def __post_init__(self) -> None:
        profiles(self.playing.profile, dict(self.playing.rules))
        self.playing.check(self.names)
        #: One of each.
        self.agents = {name: self.playing.agent(name) for name in self.names}
        names = Counter(problem.name for problem in self.problems)
        twice = next((name for name, count in names.items() if count > 1), None)
        if twice is not None:
            raise InputError("is the name of two problems", field="name", value=twice)
        self._groups = {name: {one["name"]: one for one in found} for name, found in self._described()}
        self._digests = {
            (agent, benchmark): digest(self.settings, self._groups["agents"][agent], about)
            for agent in self.agents
            for benchmark, about in self._groups["benchmarks"].items()
        }
        #: What is kept, as JSON without the transcript, and what has failed, by key.
        self.records: dict[str, Record] = {}

    @property
    def settings(self) -> dict[str, Any]:
        """What decides about all episodes alike."""
        playing = self.playing
        return {
            "rules": {"profile": playing.profile, "set": dict(playing.rules)},
            "setting": playing.setting,
            "seed": playing.seed,
            "versions": dict(playing.versions),
        }

    def _described(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        benchmarks = dict.fromkeys(problem.benchmark for problem in self.problems)
        yield "agents", [{"name": name, **_about(agent)} for name, agent in self.agents.items()]
        yield "benchmarks", [{"name": name, **self.playing.prompted(name).record()} for name in benchmarks]
        yield "problems", [{"name": one.name, "fingerprint": fingerprint(one)} for one in self.problems]

    @property
    def document(self) -> dict[str, Any]:
        """What ``run.json`` says."""
        groups = {name: list(found.values()) for name, found in self._groups.items()}
        return {"settings": self.settings, **groups, "samples": self.samples}

    def episodes(self) -> Iterator[Episode]:
        """Yield all episodes: the first sample of every problem first, all agents in turn."""
        for sample in range(1, self.samples + 1):
            for problem in self.problems:
                for agent in self.agents:
                    yield Episode(agent, problem, sample)

    def key(self, episode: Episode) -> str:
        """Return what stands for all that an episode depends on."""
        decided = self._digests[episode.agent, episode.problem.benchmark]
        return digest("live", FORMAT, decided, fingerprint(episode.problem), episode.sample)

    def play(
        self,
        path: Path,
        *,
        concurrency: int = 8,
        jobs: int | None = None,
        seen: Done = lambda episode, record: None,
        told: Callable[[str], None] = lambda message: None,
    ) -> None:
        """Play what is not in the folder of the run, and have it there; whatever ends this can be gone on with.

        Parameters
        ----------
        concurrency, jobs
            See `planoracle.analysis.live.runner.run`.
        seen
            Called with every episode that is there or comes, and with what became of it.
        told
            Called with what a person should know of the folder.

        Raises
        ------
        InputError
            If the folder is that of another run.
        StorageError
            If it cannot be written, or another process is at work in it.
        HopelessError
            If the side of agents fails, and nothing else.
        """
        folder = Folder(path)
        with Journal(path, told) as journal:
            self._begin(folder, journal)
            left = []
            for episode in self.episodes():
                record = self.records.get(self.key(episode))
                if record is None:
                    left.append(episode)
                else:
                    seen(episode, record)
            failed = 0

            def done(episode: Episode, record: Record) -> None:
                nonlocal failed
                self._keep(episode, record, folder, journal)
                seen(episode, record)
                failed = failed + 1 if "failure" in record and failed >= 0 else -1
                if failed >= _PATIENCE and waiting:
                    why = record["submission"]["error"]
                    raise HopelessError(f"all {failed} episodes that were played have failed; the last one: {why}")

            waiting = [one for one in left if self.waits(one.agent)]
            computing = [one for one in left if not self.waits(one.agent)]
            try:
                run(self.playing, waiting, computing, done, concurrency=concurrency, jobs=jobs)
            finally:
                if not journal.lost:
                    self._finish(folder)

    def waits(self, agent: str) -> bool:
        """Whether an agent waits for others and does not compute."""
        return bool(getattr(self.agents[agent], "waits", False))

    def _begin(self, folder: Folder, journal: Journal) -> None:
        """Take up what the folder holds."""
        folder.begin(self.document, used=len(journal) > 0)
        for problem in self.problems:
            if not _has_name(problem):
                document = registry.of(problem).document(problem)
                folder.write(f"{PROBLEMS}/{file_name(problem.name)}.json", to_json(document, indent=1) + "\n")
        for episode in self.episodes():
            key = self.key(episode)
            kept = journal.get(key)
            if kept is None:
                continue
            try:
                record = json.loads(kept)
                sound = folder.holds(record["submission"]["transcript"], record["transcript"])
            except (ValueError, KeyError, TypeError):
                sound = False
            if sound:
                self.records[key] = record
            else:
                journal.drop(key)

    def _keep(self, episode: Episode, record: Record, folder: Folder, journal: Journal) -> None:
        """Keep an episode that is over; what the side of an agent has failed is played again another time."""
        place = folder.transcript(episode.agent, episode.problem.name, episode.sample)
        record["submission"]["transcript"] = place
        record["transcript"] = folder.write(place, record["transcript"])
        key = self.key(episode)
        self.records[key] = record
        if "failure" not in record:
            journal.add([(key, to_json(record))])

    def _finish(self, folder: Folder) -> None:
        """Write the submissions of what has been played so far, in the order of the problems."""
        rows: dict[str, list[str]] = {agent: [] for agent in self.agents}
        for agent in self.agents:
            for problem in self.problems:
                for sample in range(1, self.samples + 1):
                    record = self.records.get(self.key(Episode(agent, problem, sample)))
                    if record is not None:
                        rows[agent].append(to_json(record["submission"]))
        folder.write_submissions(rows)

    def failures(self) -> dict[str, Counter[str]]:
        """Return how often the side of which agent has failed, and how."""
        found: dict[str, Counter[str]] = {}
        for record in self.records.values():
            if "failure" in record:
                found.setdefault(record["submission"]["model"], Counter())[record["failure"]] += 1
        return found

    def usage(self, agent: str) -> dict[str, Any]:
        """Return what an agent's episodes took."""
        from planoracle.analysis.agents.usage import total

        records = self.records.values()
        return dict(total([one["usage"] for one in records if one["submission"]["model"] == agent]))


def _about(agent: Agent) -> dict[str, Any]:
    about = getattr(agent, "about", None)
    return {} if about is None else dict(about())


def _has_name(problem: Problem) -> bool:
    """Whether a problem can be found by its name alone."""
    if not catalogue.names_problem(problem.name):
        return False
    return fingerprint(catalogue.problem(problem.name)) == fingerprint(problem)
