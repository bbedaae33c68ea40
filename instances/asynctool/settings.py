"""Setting of the AsyncTool paper: one call in every message, without an example."""

from __future__ import annotations

import json

from planoracle.instances.asynctool.encode import problem_of
from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.settings import Setting, by_name


def _questions(environment: AnyEnvironment) -> str:
    """Return the tasks without the functions."""
    tasks = problem_of(environment.problem).tasks
    return "\n".join(json.dumps({"id": task.id, "question": task.question}) for task in tasks)


SETTINGS = by_name(
    [Setting("zero-shot", "one call a message", __package__, "task", "system", words={"questions": _questions})]
)
