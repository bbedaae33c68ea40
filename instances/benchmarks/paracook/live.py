"""Live runs of ParaCook's kitchens: the texts of grid kitchens, and the prompt setting of the paper."""

from __future__ import annotations

from planoracle.instances.benchmarks.grid_kitchens.live import GridKitchenText
from planoracle.instances.benchmarks.grid_kitchens.live import action_space as action_space
from planoracle.instances.protocol.environment import RunConfig
from planoracle.instances.protocol.settings import Setting, by_name

#: Class of the texts of live runs.
TEXT = GridKitchenText

#: The setting of the paper: the whole plan at once.
SETTINGS = by_name(
    [Setting("io", "IO: the whole plan at once", __package__, "task", "whole", "again", config=RunConfig("open"))]
)
