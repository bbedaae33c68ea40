"""Recipe2Plan: every command counts where it stands; of a log, those that were carried out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from planoracle.analysis.judges.common import given
from planoracle.analysis.repairs.common import Dropped, Reading, Wish, first_or_attempted
from planoracle.instances.model import Instance
from planoracle.instances.recipe2plan.language import Command, Plan, parse, render
from planoracle.instances.recipe2plan.profile import Profile
from planoracle.instances.recipe2plan.rules import replay
from planoracle.instances.replay import Replay
from planoracle.instances.schedule import Piece, Schedule

__all__ = ["Recipe2PlanReader"]


class Recipe2PlanReader:
    """Reads under one profile."""

    names: tuple[str, ...] = ("plan",)

    def __init__(self, rules: Profile) -> None:
        self.rules = rules

    def read(self, instance: Instance, submission: dict[str, Any]) -> Reading:
        """Read ``submission["plan"]``."""
        text = given(submission, *self.names)
        plan = parse(text, instance, self.rules)
        run = replay(instance, plan, self.rules)
        carried: list[Wish] = []
        attempted: list[tuple[Wish, str]] = []
        nothing: list[Dropped] = []
        for position, (command, accepted) in enumerate(_said(plan, run)):
            name = f"{command.recipe}/{command.step}"
            said = command.text[:200]
            if name not in instance.by_id:
                nothing.append(Dropped(position, said, "names no step"))
                continue
            wish = Wish(position, said, Piece(name, command.start, command.duration, instance.agents[0]))
            if accepted:
                carried.append(wish)
            else:
                attempted.append((wish, "was refused"))
        wishes, refused = first_or_attempted(carried, attempted)
        return Reading(instance, text, run, wishes, (*nothing, *refused))

    def write(self, instance: Instance, schedule: Schedule) -> str:
        """Write a schedule as text."""
        return render(schedule)


def _said(plan: Plan, run: Replay) -> Iterator[tuple[Command, bool]]:
    """Yield every command, and whether it counts: all of a whole plan, of a log those that were carried out."""
    done = Counter((event.subject, event.start, event.end) for event in run.events if event.accepted)
    for command in plan.commands:
        key = (f"{command.recipe}/{command.step}", command.start, command.start + command.duration)
        yield command, not plan.interactive or done[key] > 0
        done[key] -= 1
