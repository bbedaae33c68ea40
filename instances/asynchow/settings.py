"""AsyncHow's settings: the time alone, with thoughts, or from a graph that is drawn first."""

from __future__ import annotations

from planoracle.instances.manner import Manner
from planoracle.instances.settings import Setting, by_name

__all__ = ["SETTINGS"]

_ANSWER = Manner("open")

SETTINGS = by_name(
    [
        Setting("zero-shot", "the time alone", __package__, "task", "zero-shot", manner=_ANSWER),
        Setting("cot", "chain of thought, then the time", __package__, "task", "cot", manner=_ANSWER),
        Setting("graph", "the graph is drawn first, then the time", __package__, "task", "graph", manner=_ANSWER),
    ]
)
