"""Texts of live runs for the parts of asyncplanning."""

from __future__ import annotations

from typing import Any

from planoracle.instances.benchmarks.asyncplanning import step_live
from planoracle.instances.benchmarks.asyncplanning.problems import origin_type
from planoracle.instances.benchmarks.asyncplanning.rules import Profile
from planoracle.instances.benchmarks.asyncplanning.step_tasks import StepOrigin
from planoracle.instances.benchmarks.generic.live import action_space as action_space
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.environment import RunConfig
from planoracle.instances.protocol.live import LiveText

_TEXTS: dict[type, type[LiveText[Any, Any, Any]]] = {StepOrigin: step_live.StepText}


def text_of(problem: Instance, rules: Profile, config: RunConfig, simulator: Any) -> LiveText[Any, Any, Any]:
    """Return the texts of a run, by the part of its problem."""
    return _TEXTS[origin_type(problem)](problem, rules, config, simulator)


#: Function that makes the texts of a run.
TEXT = text_of
