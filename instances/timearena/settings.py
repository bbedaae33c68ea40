"""Setting of the TimeArena paper: one decision a minute."""

from __future__ import annotations

from planoracle.instances.settings import Setting, by_name

SETTINGS = by_name([Setting("vanilla", "one decision a minute", __package__, "task", "vanilla")])
