"""Setting of the ParaCook paper in its kitchens: the whole plan at once."""

from __future__ import annotations

from planoracle.instances.manner import Manner
from planoracle.instances.settings import Setting, by_name

SETTINGS = by_name(
    [Setting("io", "IO: the whole plan at once", __package__, "task", "whole", "again", manner=Manner("open"))]
)
