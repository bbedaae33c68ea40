"""Setting of ParaCook's abstract part: the lists alone."""

from __future__ import annotations

from planoracle.instances.manner import Manner
from planoracle.instances.settings import Setting, by_name

SETTINGS = by_name([Setting("io", "the lists alone", __package__, "tasks", "io", manner=Manner("open"))])
