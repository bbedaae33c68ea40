"""Agent that replays a submission."""

from __future__ import annotations

import json
from collections import deque
from functools import lru_cache
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Any

from planoracle.analysis.agents.agent import AgentError
from planoracle.analysis.intake.submissions import Intake
from planoracle.instances.errors import InputError
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.plan import submitted_plan


class Replaying:
    """Agent that replays the plan of a submission, command by command; refused commands are skipped.

    Parameters
    ----------
    file
        File of submissions, as for ``planoracle grade``; those for other problems are ignored.
    seed
        Index of the submission among those for the problem, modulo their number.

    Raises
    ------
    InputError
        If there is no such file.
    """

    def __init__(self, file: str, *, seed: int = 0) -> None:
        self.name = f"replay:{file}"
        if _stamp(file) is None:
            raise InputError(f"there is no file {file}", field="agent")
        self._file = file
        self._seed = seed
        self._remaining: deque[str] | None = None

    def content(self) -> str:
        """Return a digest of the file, ``""`` for a folder or pipe."""
        if not Path(self._file).is_file():
            return ""
        with Path(self._file).open("rb") as stream:
            return file_digest(stream, lambda: blake2b(digest_size=16)).hexdigest()

    async def act(self, environment: AnyEnvironment) -> str | None:
        """Return the next message, with an open loop the whole plan; ``None`` after the last.

        Raises
        ------
        AgentError
            If the file cannot be read, or has no plan for the problem that can be written as text.
        """
        if self._remaining is None:
            try:
                self._remaining = deque(self._messages(environment))
            except InputError as error:
                raise AgentError(f"{self.name}: {error}", "no_plan") from error
        return self._remaining.popleft() if self._remaining else None

    def _messages(self, environment: AnyEnvironment) -> list[str]:
        benchmark = environment.benchmark
        fitting = [one for one in _read(self._file, _stamp(self._file)) if one["instance"] == environment.problem.name]
        if not fitting:
            raise InputError("holds no submission for the problem", value=environment.problem.name)
        submission = fitting[self._seed % len(fitting)]
        run = benchmark.run(environment.problem, submission, environment.rules)
        if environment.config.loop == "closed":
            return run.command_texts
        plan = submitted_plan(submission, benchmark.plan_fields)
        return [plan if isinstance(plan, str) else _as_text(environment, plan, run)]


def _as_text(environment: AnyEnvironment, plan: object, run: AnyRun) -> str:
    """Return a text that is parsed to the same commands as a plan."""
    for text in (json.dumps(plan), "\n".join(run.command_texts)):
        if environment.benchmark.parse(environment.problem, text, environment.rules).commands == run.plan.commands:
            return text
    raise InputError("cannot be written as text", field="plan")


def _stamp(file: str) -> object:
    """Return time and size of a file, ``None`` if there is none."""
    try:
        status = Path(file).stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=8)
def _read(file: str, stamp: object) -> tuple[dict[str, Any], ...]:
    """Return the submissions in a file that name a problem."""
    entries = (entry for _, entry in Intake([file]))
    return tuple(one for one in entries if isinstance(one, dict) and isinstance(one.get("instance"), str))
