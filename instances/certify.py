"""Nothing that is computed is handed out without having passed the rules, as text that was written and read again."""

from __future__ import annotations

from typing import Any, cast

from planoracle.instances import registry
from planoracle.instances.errors import InternalError
from planoracle.instances.model import Instance
from planoracle.instances.schedule import Schedule
from planoracle.instances.schedule_benchmark import ScheduleBenchmark


def language(instance: Instance) -> ScheduleBenchmark[Any, Any]:
    """Return the benchmark of a scheduling problem, which can write schedules as plans."""
    return cast("ScheduleBenchmark[Any, Any]", registry.of(instance))


def settled(instance: Instance, schedule: Schedule) -> Schedule:
    """Return a schedule as the rules carry out its plan: sooner, perhaps, where plans say no times."""
    speech = language(instance)
    if not speech.untimed:
        return schedule
    return speech.schedule(instance, speech.parse(instance, speech.written(instance, schedule)))


def agrees(instance: Instance, makespan: int | None, claimed: int | None) -> bool:
    """Whether the makespan that the rules see is the one claimed, or better where plans say no times."""
    if makespan is None or claimed is None:
        return makespan == claimed
    return makespan == claimed or (language(instance).untimed and makespan < claimed)


def certify(instance: Instance, schedule: Schedule, makespan: int | None = None) -> str:
    """Render a schedule, read the text back and replay it by the rules; return the text.

    Raises
    ------
    InternalError
        If the plan breaks a rule, does not finish, or its makespan is not the one claimed.
    """
    text, fault = _replayed(instance, schedule, schedule.makespan if makespan is None else makespan)
    if fault:
        raise InternalError(f"{instance.name}: a schedule of ours does not pass the rules: {fault}")
    return text


def _replayed(instance: Instance, schedule: Schedule, claimed: int) -> tuple[str, str]:
    """Return the text of a schedule, and what the rules have against it."""
    speech = language(instance)
    text = speech.render(instance, schedule)
    verdict = speech.run(instance, text).verdict
    if verdict.violations:
        first = verdict.violations[0]
        return text, f"{first.subject}: {first.message}"
    if not verdict.success or not agrees(instance, verdict.makespan, claimed):
        return text, f"makespan {verdict.makespan}, not {claimed}"
    return text, ""
