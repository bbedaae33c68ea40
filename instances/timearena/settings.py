"""TimeArena's settings: one decision a minute, with thoughts, or with a plan made before."""

from __future__ import annotations

from planoracle.instances.settings import Ask, Setting, by_name

__all__ = ["SETTINGS"]

SETTINGS = by_name(
    [
        Setting("vanilla", "one decision a minute", __package__, "task", "vanilla"),
        Setting("react", "ReAct: a thought and a decision", __package__, "task", "react", form="react-form"),
        Setting(
            "self-plan",
            "self-plan: a plan is made first",
            __package__,
            "planned",
            "vanilla",
            asks=(Ask("outline", "outline"),),
        ),
    ]
)
