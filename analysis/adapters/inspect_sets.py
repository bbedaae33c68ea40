"""Models on problems by inspect_ai's ``eval_set``, which resumes, retries and keeps the logs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from inspect_ai import eval_set
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import get_model

from planoracle.analysis.adapters.inspect_tasks import TASKS, place_of
from planoracle.instances.errors import InputError
from planoracle.instances.problem import Problem


def evaluate(
    models: Sequence[str],
    problems: Iterable[tuple[str, Problem]],
    folder: Path,
    *,
    samples: int = 1,
    task: dict[str, Any],
    **options: Any,
) -> tuple[bool, list[Path]]:
    """Let models play problems; a call that was interrupted goes on where it was.

    Parameters
    ----------
    models
        Names of models as inspect_ai takes them.
    problems
        Problems, each with the name or file from which it was read.
    folder
        Folder of the logs, with nothing else in it.
    task
        Arguments of the tasks of `planoracle.analysis.adapters.inspect_tasks`.
    options
        More arguments of ``eval_set``.

    Returns
    -------
    tuple
        Whether all samples have ended without an error, and the files of the logs.

    Raises
    ------
    InputError
        If inspect_ai refuses a model, or the folder holds logs of another call.
    """
    groups: dict[str, list[str]] = {}
    for name, problem in problems:
        groups.setdefault(problem.benchmark, []).append(place_of(name, problem))
    tasks = [TASKS[benchmark](instances=names, prices=False, **task) for benchmark, names in groups.items()]
    try:
        for model in models:
            get_model(model, base_url=options.get("model_base_url"))
    except (PrerequisiteError, ValueError) as error:
        raise InputError(_plain(error), field="model") from None
    try:
        with redirect_stdout(sys.stderr):  # standard output is for the table
            success, logs = eval_set(
                tasks,
                str(folder),
                model=list(models),
                epochs=samples,
                # A sample that fails does not end the others, and the same call plays it again.
                fail_on_error=True,
                continue_on_fail=True,
                retry_attempts=0,
                retry_immediate=False,
                log_buffer=1,  # a sample is in the log as soon as it is over
                display=None if sys.stderr.isatty() else "none",
                **options,
            )
    except PrerequisiteError as error:
        message = _plain(error)
        if "not associated with a task" in message:
            message = "holds logs of a command with other models, problems or options; name another folder"
        raise InputError(message, source=str(folder)) from None
    return success, [Path(unquote(urlsplit(log.location).path)) for log in logs]


def _plain(error: Exception) -> str:
    """Return the message of an error of inspect_ai on one line, without rich's markup."""
    return " ".join(re.sub(r"\[/?[a-z ]+\]", "", str(error)).replace("\\n", " ").split())
