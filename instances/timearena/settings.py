"""TimeArena's settings: one decision a minute, with thoughts, with a plan made before, in several attempts."""

from __future__ import annotations

from planoracle.instances.settings import Ask, Setting, by_name

__all__ = ["SETTINGS"]

_ATTEMPTS = 3

SETTINGS = by_name(
    [
        Setting("vanilla", "one decision a minute", __package__, "task", "vanilla"),
        Setting("react", "ReAct: a thought and a decision", __package__, "task", "react", form="react-form"),
        Setting(
            "reflexion",
            f"Reflexion: ReAct in {_ATTEMPTS} attempts, each with what the failed ones taught",
            __package__,
            "retry",
            "react",
            form="react-form",
            way="episodes",
            rounds=_ATTEMPTS,
            again="lesson",
        ),
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
