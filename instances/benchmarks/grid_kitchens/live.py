"""Texts of live runs in grid kitchens: a loop of single actions, or whole plans."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from planoracle.instances.benchmarks.grid_kitchens.descriptions import (
    act_in_words,
    actions_in_words,
    describe,
    kitchen_in_words,
)
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import (
    GridKitchen,
    GridKitchenRules,
    Tile,
    access_tiles,
    tiles,
)
from planoracle.instances.benchmarks.grid_kitchens.language import (
    FINISH,
    INTERACT,
    MOVE,
    PROCESS,
    WAIT,
    excerpt,
    json_number,
)
from planoracle.instances.benchmarks.grid_kitchens.run import (
    GridKitchenSimulator,
    RunState,
    WholePlan,
    submitted,
)
from planoracle.instances.errors import PlanError
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.feedback import quoted
from planoracle.instances.protocol.live import LiveText, ending, terse
from planoracle.instances.protocol.simulator import Step, Unreadable

#: Ticks for each order after which a run with ``RunConfig.bounded`` ends; most plans take a tenth of it.
LATEST: Final = 500
#: Number of actions after which any run ends.
MAX_ACTIONS: Final = 10_000
_FORM: Final = "must be an object with a list of actions for each cook"


class GridKitchenText(LiveText[GridKitchen, GridKitchenRules, RunState]):
    """Texts of live runs on grid kitchens.

    Closed loop: a message is an object of actions by the names of cooks, or its text, see `GridKitchenSimulator`. An
    error restarts the run in a fresh kitchen, the third error ends the run. Open loop: a message is the whole plan;
    after a plan with an error another one may follow, up to three plans, of which the last one counts.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import problem
    >>> from planoracle.instances.protocol import registry
    >>> place = problem("paracook/cook/own/seed_1/agent_num_2/orders_num_1")
    >>> run = registry.of(place).environment(place)
    >>> run.legal()[0].kind, run.step({"agent1": [{"action": "Wait", "duration": 3}]}).observation.clock
    ('act', 0)
    """

    simulator: GridKitchenSimulator

    def instructions(self) -> str:
        """Return the forms of actions and their effects."""
        if self.config.loop == "open":
            form = "Write all actions of every cook from the beginning to the end, as one JSON object:"
        else:
            form = (
                "You are asked whenever a cook has nothing to do. Write the next actions of the cooks as one JSON "
                "object; they follow each cook's remaining actions. Time passes as soon as every cook has something "
                "to do:"
            )
        plan = json.dumps({name: ["..."] for name in self.problem.agents})
        introduction = "Cooks walk in a kitchen and prepare the orders as early as possible. Time is in ticks."
        actions = actions_in_words(self.problem, self.rules)
        return "\n".join((introduction, f"{form} {plan}", "Actions are objects:", *actions))

    def introduction(self) -> str:
        """Return the map, the cooks and the orders."""
        return "\n".join(kitchen_in_words(self.problem))

    def situation(self, state: RunState) -> str:
        """Return the state of the kitchen."""
        return describe(self.simulator.next_kitchen(state))

    def step_text(self, before: RunState, after: RunState, step: Step) -> str:
        """Return the result of an action, or the reason why a message is not an action."""
        fault, kitchen = step.violation, after.kitchen
        if fault is not None and fault.position is None:
            return f"not understood, {fault.actual or fault.message}"
        if fault is not None:
            moment = json_number(kitchen.time)
            return f"{fault.subject} at {moment}: refused, {fault.message}"
        action = kitchen.started_actions[step.position]
        start = json_number(action.start)
        end = json_number(action.end)
        time = f"from {start} to {end}" if action.end > action.start else f"at {start}"
        cook = self.problem.agents[action.cook]
        return f"{cook} {act_in_words(kitchen, action.act)}, {time}"

    def answer(self, before: RunState, after: RunState, steps: Sequence[Step], over: str | None) -> str:
        """Return the results of the actions, and the cooks that need a decision."""
        detailed = self.config.feedback == "detailed"
        lines = []
        for step in steps:
            if detailed:
                lines.append(self.step_text(before, after, step))
            else:
                lines.append(terse(self._as_submitted(after, step)))
        lines += ending(over)
        if over is None and after.kitchen.error is not None:
            if detailed and after.kitchen.time > 0:
                lines.append(f"When that happened:\n{describe(after.kitchen)}")
            lines.append("The attempt starts over in a fresh kitchen.")
        if over is None and self.config.loop == "closed":
            kitchen = self.simulator.next_kitchen(after)
            free = ", ".join(self.problem.agents[cook] for cook in kitchen.decide)
            lines += [describe(kitchen), f"Next actions are needed for: {free}."]
        return "\n".join(line for line in lines if line)

    def _as_submitted(self, after: RunState, step: Step) -> Step:
        """Return a step whose command has the form of plans."""
        if step.position >= len(after.kitchen.started_actions):
            return step
        action = after.kitchen.started_actions[step.position]
        return replace(step, command=submitted(self.simulator.ground, action.cook, action.act))

    # Commands

    def command(self, state: RunState, message: object) -> object:
        """Return the command of a message."""
        try:
            reading = self.benchmark.reading(self.problem, _plain(message), self.rules)
            if not reading.commands and isinstance(message, str):
                raise PlanError("contains no action", field="plan", value=message)
        except PlanError as error:
            text = message[:200] if isinstance(message, str) else type(message).__name__
            return Unreadable(text, quoted(str(error), 300))
        return reading.commands

    def submission(self, state: RunState) -> dict[str, object]:
        """Return the messages of the run."""
        return {"submissions": [None if isinstance(command, Unreadable) else command for command in state.commands]}

    def limit_reached(self, state: RunState) -> str | None:
        """Return ``action_limit`` after `MAX_ACTIONS`, ``too_late`` after `LATEST` ticks for each order."""
        if state.actions >= MAX_ACTIONS:
            return "action_limit"
        latest = LATEST * max(1, len(self.problem.orders))
        is_late = self.config.bounded and state.kitchen.time >= latest
        return "too_late" if is_late else None

    def plan_fields(self, message: object) -> dict[str, object]:
        """Return a whole plan as the fields of a submission."""
        return {"plan": message}

    def take_plan(self, state: RunState, message: object) -> tuple[RunState, tuple[Step, ...]]:
        """Return the state after a whole plan, and its steps; anything else is an error."""
        command = self.command(state, message)
        if isinstance(command, Mapping):
            command = WholePlan(command)
        elif not isinstance(command, Unreadable):  # a run with several tries, which are handed in one by one
            command = Unreadable(excerpt(message), quoted(f"plan: {_FORM}", 300))
        return self.simulator.apply(state, command)

    def is_final(self, state: RunState) -> bool:
        """Return False after an error that does not end the run."""
        return state.kitchen.error is None or self.simulator.ended(state) is not None


def _plain(message: object) -> object:
    """Return a message as JSON values, so that it can be stored, or else as text."""
    if isinstance(message, str):
        return message
    try:
        return json.loads(json.dumps(message))
    except (TypeError, ValueError, RecursionError):
        return repr(type(message))


def action_space(kitchen: GridKitchen) -> ActionSpace:
    """Return all possible commands; walks lead to tiles next to stations."""
    return ActionSpace(tuple(_names(kitchen)), _name, timed=True)


def _names(kitchen: GridKitchen) -> Iterator[str]:
    access = [access_tiles(kitchen, station.name) for station in kitchen.stations]
    useful = set[Tile]().union(*access)
    targets = [tile for tile in tiles(kitchen) if tile in useful]
    workplaces = [station for station in kitchen.stations if station.kind in ("chopping_board", "sink")]
    for cook in kitchen.agents:
        for station in kitchen.stations:
            yield f"{cook}: {INTERACT} {station.name}"
        for station in workplaces:
            yield f"{cook}: {PROCESS} {station.name}"
        for x, y in targets:
            yield f"{cook}: {MOVE} [{x}, {y}]"
        yield f"{cook}: {WAIT}"
        yield f"{cook}: {FINISH}"


@lru_cache(maxsize=4096)
def _name(command: str) -> str:
    """Return the name of a command or of a submission with one action; names of waits have no length."""
    if command.startswith("{"):
        ((cook, (action,)),) = json.loads(command).items()
        target = action.get("target", "")
        command = f"{cook}: {action['action']} {target}".strip()
    head, wait, _ = command.partition(f": {WAIT}")
    return head + wait
