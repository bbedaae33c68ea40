"""The agent that says again what was said before."""

from __future__ import annotations

import json
from collections import deque
from functools import lru_cache
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Any

from planoracle.analysis.agents.agent import AgentError, Said
from planoracle.analysis.submissions import Intake
from planoracle.instances.benchmark import AnyRun
from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.errors import InputError
from planoracle.instances.plan import given_plan
from planoracle.instances.reading import load_json

__all__ = ["Replaying"]

# Of a transcript, so many characters are read.
_LONGEST = 2**26


class Replaying:
    """Says what a file holds: the plan of a submission, command by command, or the agent's side of a transcript.

    What is said is not looked at: where a command is refused, the next one follows.

    Parameters
    ----------
    file
        Submissions, as ``planoracle grade`` reads them, of which those for the problem count; or a transcript, a JSON
        line per message with ``role`` and ``content``, where ``outcomes`` mark those that were turns of the run.
    seed
        Which of several submissions for the problem it is, counted from 0; those beyond the last begin anew.

    Raises
    ------
    InputError
        If there is no such file.
    """

    waits = False

    def __init__(self, file: str, *, seed: int = 0) -> None:
        self.name = f"replay:{file}"
        if _stamp(file) is None:
            raise InputError(f"there is no file {file}", field="agent")
        self._file = file
        self._seed = seed
        self._left: deque[str] | None = None

    def about(self) -> dict[str, object]:
        """Return what stands for the content of the file: a run is not gone on with when that has changed."""
        if not Path(self._file).is_file():
            return {}
        with Path(self._file).open("rb") as stream:
            return {"content": file_digest(stream, lambda: blake2b(digest_size=16)).hexdigest()}

    async def act(self, environment: AnyEnvironment) -> Said | None:
        """Say the next message, with an open loop the whole plan; ``None`` after the last.

        Raises
        ------
        AgentError
            If the file cannot be read, or holds nothing for the problem that can be said.
        """
        if self._left is None:
            try:
                self._left = deque(self._messages(environment))
            except InputError as error:
                raise AgentError(f"{self.name}: {error}", "no_plan") from error
        return Said(self._left.popleft()) if self._left else None

    def _messages(self, environment: AnyEnvironment) -> list[str]:
        lines, submissions = _read(self._file, _stamp(self._file))
        if lines:
            return list(lines)
        benchmark = environment.benchmark
        fitting = [one for one in submissions if one["instance"] == environment.problem.name]
        if not fitting:
            raise InputError("holds no submission for the problem", value=environment.problem.name)
        submission = fitting[self._seed % len(fitting)]
        run = benchmark.run(environment.problem, submission, environment.rules)
        if environment.manner.loop == "closed":
            return run.said
        given = given_plan(submission, benchmark.plan_fields)
        return [given if isinstance(given, str) else _as_text(environment, given, run)]


def _as_text(environment: AnyEnvironment, given: object, run: AnyRun) -> str:
    """Return a plan that is no text as one that is read as the same."""
    for text in (json.dumps(given), "\n".join(run.said)):
        if environment.benchmark.parse(environment.problem, text, environment.rules).commands == run.plan.commands:
            return text
    raise InputError("cannot be said as text", field="plan")


def _stamp(file: str) -> object:
    """Return what changes when a file does."""
    try:
        found = Path(file).stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=8)
def _read(file: str, stamp: object) -> tuple[tuple[str, ...], tuple[dict[str, Any], ...]]:
    """Return what the agent says in a file that is a transcript, and the submissions in one that is none."""
    said = _transcript(file)
    if said:
        return said, ()
    entries = (entry for _, entry in Intake([file]))
    return (), tuple(one for one in entries if isinstance(one, dict) and isinstance(one.get("instance"), str))


def _transcript(file: str) -> tuple[str, ...]:
    try:
        with Path(file).open(encoding="utf-8") as stream:
            text = stream.read(_LONGEST)
        rows = [load_json(line, "transcript") for line in text.split("\n") if line.strip()]
    except (OSError, ValueError, InputError):
        return ()
    if not all(isinstance(row, dict) and isinstance(row.get("role"), str) and "content" in row for row in rows):
        return ()
    own = [row for row in rows if row["role"] == "assistant"]
    turns = [row for row in own if "outcomes" in row] or own
    return tuple(str(row["content"]) for row in turns)
