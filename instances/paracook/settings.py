"""ParaCook's settings in its kitchens: the whole plan at once, plain, with thoughts or from a graph; and ReAct."""

from __future__ import annotations

from planoracle.instances.manner import Manner
from planoracle.instances.settings import Setting, by_name

__all__ = ["SETTINGS"]


def _whole(name: str, title: str, prompt: str, form: str = "form") -> Setting:
    return Setting(name, title, __package__, "task", prompt, "again", form, manner=Manner("open"))


def _stepwise(name: str, title: str, prompt: str) -> Setting:
    return Setting(name, title, __package__, "task", prompt, form="react-form")


SETTINGS = by_name(
    [
        _whole("io", "IO: the whole plan at once", "whole"),
        _whole("cot", "CoT: the whole plan, after thoughts step by step", "cot", "cot-form"),
        _whole("plag", "PLaG: the whole plan, from a graph that is drawn first", "graph", "graph-form"),
        _stepwise("react", "ReAct: a thought and an action for each cook", "react"),
        _stepwise("react-multi", "multi-step ReAct: a thought and several actions for each cook", "react-multi"),
    ]
)
