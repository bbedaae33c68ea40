"""Runs on grid kitchens: of a plan for every cook, or of submissions turn by turn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules
from planoracle.instances.benchmarks.grid_kitchens.language import FINISH
from planoracle.instances.benchmarks.grid_kitchens.rules import (
    MAX_ERRORS,
    GridKitchenSimulator,
    WholePlan,
    steps_of,
)
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.run import Run
from planoracle.instances.protocol.simulator import Step, fold

#: Actions by cook; or a list of such, handed in one after the other.
GridKitchenPlan: TypeAlias = Mapping[str, object] | Sequence[object]


class GridKitchenRun(Run[GridKitchen, GridKitchenPlan, GridKitchenRules]):
    """A run on a grid kitchen; every action that is begun is a decision.

    Attributes
    ----------
    outcome
        Simulation at the end of the run, that of the last kitchen.
    live
        True if the plan was handed in turn by turn.
    errors
        How many errors there were; after those before the last one, everything began anew.
    """

    def __init__(self, problem: GridKitchen, plan: Plan[GridKitchenPlan], rules: GridKitchenRules) -> None:
        simulator, commands = GridKitchenSimulator(problem, rules), plan.commands
        self.live = not isinstance(commands, Mapping)
        state, _ = fold(simulator, [WholePlan(commands)] if isinstance(commands, Mapping) else commands)
        self.outcome, self.errors = state.kitchen, state.errors
        super().__init__(problem, plan, rules, simulator.verdict(state))

    @property
    def command_texts(self) -> list[str]:
        """Messages of the run: the plan with final Finish actions, or the submissions by turns."""
        commands = self.plan.commands
        if not isinstance(commands, Mapping):
            return [json.dumps(one) for one in commands]
        plans = {name: commands.get(name, []) for name in (*self.problem.agents, *commands)}
        return [json.dumps({name: _finished(actions) for name, actions in plans.items()})]

    @property
    def restarts(self) -> bool:
        """True if the next submission starts in a fresh kitchen: after an error but the last."""
        return self.live and self.outcome.error is not None and self.errors < MAX_ERRORS

    @property
    def stop(self) -> int:
        """Number of steps up to the end of the run, or up to the one that failed."""
        fault = self.verdict.fatal
        failed = None if fault is None or self.restarts else fault.position
        return len(self.steps) if failed is None else failed

    def lost_at(self, count: int) -> str | None:
        """Return ``over`` after the step by which the run has ended without success."""
        if self.success or self.restarts:
            return None
        fault = self.verdict.fatal
        if fault is not None and fault.position is not None:
            return "over" if count > fault.position else None
        is_over = fault is not None or (self.live and self.outcome.end == "all_finished")
        return "over" if is_over and count == len(self.steps) else None

    @cached_property
    def steps(self) -> list[Step]:
        """All actions begun in the last kitchen, in that order, and the one at which the run ended."""
        return steps_of(self.outcome)


#: Functions of the part ``runs``.
simulator, replay = GridKitchenSimulator, GridKitchenRun


def _finished(actions: object) -> object:
    """Return a list of actions that ends with Finish."""
    end = {"action": FINISH}
    return actions if not isinstance(actions, list) or actions[-1:] == [end] else [*actions, end]
