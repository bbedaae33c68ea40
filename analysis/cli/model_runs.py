"""Runs of models for ``planoracle run``: check before the first call, journal and interruptions."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Sequence
from functools import partial
from math import isfinite
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import urlsplit

from planoracle.analysis.adapters import import_inspect_tasks
from planoracle.analysis.batch.journal import Journal
from planoracle.analysis.cli.progress import SignalExit, stoppable
from planoracle.analysis.console import collect, tell, write_groups
from planoracle.instances.errors import InputError, StorageError
from planoracle.instances.model.problem import Problem


def generation_options(
    concurrency: int | None, temperature: float | None, max_tokens: int | None, base_url: str | None
) -> dict[str, Any]:
    """Return options of the command line as arguments for inspect_ai, without those that are not given.

    Raises
    ------
    InputError
        If a number is not finite, or the address is not one of a server.
    """
    if temperature is not None and not isfinite(temperature):
        raise InputError("must be a number", field="--temperature", value=temperature)
    if base_url is not None:
        address = urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.netloc:
            raise InputError(
                "must be the address of a server, such as http://localhost:8000/v1",
                field="--model-base-url",
                value=base_url,
            )
    options = {
        "max_connections": concurrency,
        "temperature": temperature,
        "max_tokens": max_tokens,
        "model_base_url": base_url,
    }
    return {name: value for name, value in options.items() if value is not None}


class ModelRun:
    """Run of models on problems, resumed if the folder has results of the same run.

    Parameters
    ----------
    folder
        Folder of the run: answers are stored in its journal, logs in its folder ``logs``.
    arguments
        Arguments of the tasks, see `planoracle.analysis.adapters.inspect_tasks.prepare`.
    options
        See `generation_options`.

    Raises
    ------
    InputError
        If something that the run needs is missing. No model was called.
    """

    def __init__(
        self,
        models: Sequence[str],
        problems: Sequence[tuple[str, Problem]],
        folder: Path,
        samples: int,
        arguments: dict[str, Any],
        options: dict[str, Any],
    ) -> None:
        self._tasks_module = import_inspect_tasks()
        self._models = list(dict.fromkeys(models))
        self._folder = folder
        self._samples = samples
        self._total = len(self._models) * len(problems) * samples
        self._options = options
        self._tasks = self._tasks_module.prepare(self._models, problems, arguments, options)

    def evaluate(self) -> tuple[bool, list[Path]]:
        """Return whether all samples have ended without an error, and the files of the logs.

        An interruption is reported with the number of results in the folder.
        """
        logs = self._folder / "logs"
        with stoppable():
            try:
                with Journal(self._folder, partial(collect, "", kind="warning")) as journal:
                    _check_writable(logs)
                    success, paths = self._tasks_module.evaluate(
                        self._models, self._tasks, logs, journal, samples=self._samples, options=self._options
                    )
                return success, paths
            # On a terminal inspect_ai reads Ctrl-C as a key.
            except (KeyboardInterrupt, CancelledError, SignalExit) as interruption:
                write_groups()
                tell(self._stored_results(logs), "interrupted")
                raise SignalExit(getattr(interruption, "code", 130)) from None

    def _stored_results(self, logs: Path) -> str:
        finished = self._tasks_module.finished_samples(logs)
        stored = f"{finished} of {self._total} results are in {self._folder}, and all answers of models so far"
        return f"{stored}; the same command resumes from there"


def _check_writable(folder: Path) -> None:
    """Create a folder; raise `StorageError` if files cannot be written to it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise StorageError(f"{folder}: cannot be written: {error.strerror}") from None
