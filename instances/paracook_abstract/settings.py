"""Settings of ParaCook's abstract part: the lists alone, or with thoughts before them."""

from __future__ import annotations

from planoracle.instances.manner import Manner
from planoracle.instances.settings import Setting, by_name

__all__ = ["SETTINGS"]


def _setting(name: str, title: str) -> Setting:
    return Setting(name, title, __package__, "tasks", name, manner=Manner("open"))


SETTINGS = by_name([_setting("io", "the lists alone"), _setting("cot", "chain of thought, then the lists")])
