"""Live runs of ParaCook's kitchens: the texts of grid kitchens, and the prompt setting of the paper."""

from __future__ import annotations

from planoracle.instances.benchmarks.grid_kitchens.live import GridKitchenText
from planoracle.instances.benchmarks.grid_kitchens.live import action_space as action_space

#: Class of the texts of live runs.
TEXT = GridKitchenText
