"""TimeArena: an action counts where it was first carried out, else where it was first attempted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from planoracle.analysis.judges.common import given, minutes_limit
from planoracle.analysis.repairs.common import Dropped, Reading, Wish, first_or_attempted
from planoracle.instances.errors import InputError
from planoracle.instances.model import Instance
from planoracle.instances.schedule import Piece, Schedule
from planoracle.instances.timearena import encode
from planoracle.instances.timearena.language import parse
from planoracle.instances.timearena.profile import Profile
from planoracle.instances.timearena.rules import Snapshot, as_replay, exits
from planoracle.instances.timearena.rules import replay as run_of
from planoracle.instances.timearena.world import World, world

__all__ = ["TimeArenaReader"]

# A run that wrong decisions, the limit or an exit cut short is followed to the end of its decisions.
_ENDLESS = 10**9


class TimeArenaReader:
    """Reads under one profile; wrong decisions become waits."""

    names: tuple[str, ...] = ("actions", "plan")

    def __init__(self, rules: Profile) -> None:
        self.rules = rules
        self._instances: dict[tuple[str, int], Instance | None] = {}

    def read(self, instance: Instance, submission: dict[str, Any]) -> Reading:
        """Read ``submission["actions"]`` (or ``"plan"``) within ``submission["time_limit"]`` minutes."""
        made = given(submission, *self.names)
        limit = minutes_limit(submission, instance.time_limit)
        scene = world(instance.name)
        decisions = parse(made, scene, self.rules)
        run = as_replay(run_of(scene, decisions, limit, self.rules))
        problem = self._problem(instance.name, limit)
        if problem is None:
            return Reading(None, made, run)
        wishes, dropped = self._wishes(problem, scene, decisions)
        return Reading(problem, made, run, wishes, dropped)

    def write(self, instance: Instance, schedule: Schedule) -> list[str]:
        """Write a schedule as decisions."""
        return encode.decisions(instance, schedule)

    def _problem(self, name: str, limit: int) -> Instance | None:
        """Return what the rules that judge leave to be scheduled, ``None`` if they leave no way."""
        if (name, limit) not in self._instances:
            try:
                problem: Instance | None = replace(encode.instance(world(name), self.rules), time_limit=limit)
            except InputError:  # an action is left without any object to do it with
                problem = None
            self._instances[name, limit] = problem
        return self._instances[name, limit]

    def _wishes(
        self, problem: Instance, scene: World, decisions: list[str]
    ) -> tuple[tuple[Wish, ...], tuple[Dropped, ...]]:
        minutes: list[int] = []

        def watch(now: Snapshot) -> None:
            minutes.append(now.minute)

        asked = [position for position, decision in enumerate(decisions) if not exits(decision, self.rules)]
        endless = replace(self.rules, max_wrong_streak=_ENDLESS)
        run = run_of(scene, (decisions[position] for position in asked), _ENDLESS, endless, watch=watch)
        known = {
            encode.command(action, mode): (action, mode)
            for action in problem.actions
            for mode in range(len(action.modes))
        }
        carried: list[Wish] = []
        attempted: list[tuple[Wish, str]] = []
        exiting = sorted(set(range(len(decisions))) - set(asked))
        nothing = [Dropped(position, decisions[position].strip()[:200], "exit") for position in exiting]
        for position, minute in zip(asked, minutes, strict=False):
            step = run.steps[minute]
            said = step.action[:200]
            if step.kind == "wait":
                continue
            if step.action not in known:
                nothing.append(Dropped(position, said, step.kind))
                continue
            action, mode = known[step.action]
            wish = Wish(position, said, Piece(action.id, minute, action.duration, problem.agents[0], mode))
            if step.kind == "valid":
                carried.append(wish)
            else:
                attempted.append((wish, step.kind))
        wishes, wrong = first_or_attempted(carried, attempted)
        return wishes, (*nothing, *wrong)
