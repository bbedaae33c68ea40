"""The kinds of violation of Recipe2Plan's rules, and the words for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from planoracle.instances.replay import Measure, Violation
from planoracle.instances.visible import format_clock

#: Kinds of violation: those of Table 15, and the missing actions of Table 16.
KINDS = (
    "wrong_recipe",
    "wrong_action",
    "time_error",
    "infeasible_multitask",
    "object_occupancy",
    "object_temperature",
    "dependency",
    "repeated_action",
    "time_constraint",
    "action_duration",
    "execution_interruptibility",
    "no_action",
    "missing_action",
)

_MESSAGES: dict[str, Callable[[Violation], str]] = {
    "wrong_recipe": lambda v: f"the recipes are {v.names}",
    "wrong_action": lambda v: f"steps go from 0 to {v.required}",
    "time_error": lambda v: f"starts at {_clock(v.actual)}, but it is {_clock(v.required)}",
    "infeasible_multitask": lambda _: "two continuous steps cannot run at the same time",
    "object_occupancy": lambda v: f"{v.resource} is occupied",
    "object_temperature": lambda v: (
        f"needs {v.resource} at {v.required}, it is {'cold' if v.actual is None else f'at {v.actual}'}"
    ),
    "dependency": lambda v: f"{v.others[0].subject} is not complete",
    "unfinished": lambda v: f"{v.others[0].subject} is not finished until {_clock(v.required)}",
    "repeated_action": lambda _: "has been carried out already",
    "time_constraint": lambda v: (
        f"must start within {v.required} s of {v.others[0].subject}, starts after {v.actual} s"
    ),
    "action_duration": lambda v: f"takes {v.required} s, not {v.actual}",
    "no_duration": lambda _: "a command must last some time",
    "lack": lambda v: f"lacks {v.excess} s of {v.required}",
    "execution_interruptibility": lambda v: f"must be carried out in one go ({v.required} s)",
    "no_action": lambda _: "the plan holds no command that can be read",
    "empty_answer": lambda _: "the answer holds no command that can be read",
    "missing_action": lambda _: "is never carried out",
}


class Fault(Violation):
    """A violation of these rules; ``case`` is one that is told otherwise than its kind.

    ``unfinished``: a prerequisite that is complete, but not in time. ``lack``: a step that the plan as a whole does
    not bring to an end.
    """

    __slots__ = ()

    @property
    def message(self) -> str:
        """What is said of it."""
        return _MESSAGES[self.case or self.kind](self)


def _clock(seconds: Measure) -> str:
    return format_clock(cast(int, seconds))
