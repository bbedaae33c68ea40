"""Test cases of the kitchen planner with the answers of blind search, and files of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Kitchen, KitchenRules
from planoracle.instances.benchmarks.kitchens.problems import kitchen_from_document
from planoracle.instances.errors import InputError
from planoracle.instances.model.limits import WorkLimit
from planoracle.solver.kitchens.astar import plan
from planoracle.solver.kitchens.heuristic import SearchHeuristic, heuristic
from planoracle.solver.kitchens.state_view import UNREACHABLE
from tests.support.kitchen_grammar import timed_domain
from tests.support.state_graph import min_steps

#: Work limit of one plan, far more than a small kitchen takes, and maximum states of one blind search.
_WORK, _MOST = WorkLimit(120.0), 200_000


@dataclass(frozen=True)
class Case:
    """Kitchen, rules and actions already done, from which the planner must find a plan.

    Attributes
    ----------
    kitchen
        Document of the kitchen.
    counts
        Changed numbers of ticks or repetitions by action.
    rules
        Profile, and optionally `KitchenRules.moves`.
    after
        Actions done before the plan starts.
    """

    kitchen: dict[str, Any]
    counts: dict[str, int] = field(default_factory=dict)
    rules: dict[str, str] = field(default_factory=lambda: {"profile": "paper"})
    after: tuple[str, ...] = ()

    def problem(self) -> Kitchen:
        """Return the kitchen; raises `InputError` if the document is not valid."""
        kitchen = kitchen_from_document(self.kitchen, "case")
        return replace(kitchen, domain=timed_domain(self.counts)) if self.counts else kitchen

    def profile(self) -> KitchenRules:
        """Return the rules."""
        return replace(PROFILES[self.rules["profile"]], moves=self.rules.get("moves", "turns"))

    def state(self, engine: CompiledKitchen) -> State:
        """Return the state after the actions done before; raises `InputError` if one is not legal."""
        state = engine.start()
        for text in self.after:
            deed = engine.find(state, text)
            if deed is None:
                raise InputError("is not a legal action in this state", value=text)
            state = engine.step(state, deed)
        return state

    def min_steps(self) -> int | None:
        """Return the minimum number of steps by blind search; ``None``: infeasible."""
        engine = CompiledKitchen(self.problem(), self.profile())
        return min_steps(engine, self.state(engine), _MOST, at_start=not self.after)

    def bound_fault(self, steps: int | None) -> str:
        """Return a message if the lower bound is above ``steps``, else ``""``."""
        engine = CompiledKitchen(self.problem(), self.profile())
        state, guide = self.state(engine), heuristic(engine)
        if steps is None or (self.after and not steps):
            return ""
        for groups in (guide.root(engine.start()), guide.root(state)):
            value = bound(guide, state, groups)
            if value > steps:
                return f"bound {'none' if value >= UNREACHABLE else value}, truth {steps}"
        return ""

    def plan_fault(self, steps: int | None) -> str:
        """Return a message if the planner finds another status or makespan than ``steps``, else ``""``."""
        try:
            result = plan(self.problem(), rules=self.profile(), after=self.after, time_limit=_WORK)
        except Exception as error:  # any exception of the planner is a fault
            return f"{type(error).__name__}: {error}"
        status = "infeasible" if steps is None else "optimal"
        if (result.status, None if result.plan is None else len(result.actions)) == (status, steps):
            return ""
        return f"plan {result.status} {result.makespan}, truth {status} {steps}"


def bound(guide: SearchHeuristic, state: State, groups: Any) -> int:
    """Return the lower bound of a state for the choices ``groups``; `UNREACHABLE`: infeasible."""
    looked = guide.look(state, tuple((0, group) for _, group in groups), 0, UNREACHABLE).groups
    return looked[0][0] if looked else UNREACHABLE


#: Checks by name: functions of a case and the minimum number of steps that return a message.
FAULTS: Final = {"bound": Case.bound_fault, "plan": Case.plan_fault}


def read_cases(path: Path) -> list[tuple[str, Case, int | None]]:
    """Return label, case and minimum number of steps (``None``: infeasible) for each row of a file."""
    return [
        (each["label"], Case(each["kitchen"], each["counts"], each["rules"], tuple(each["after"])), each["steps"])
        for each in json.loads(path.read_text(encoding="utf-8"))
    ]


def write_cases(path: Path, cases: list[tuple[str, Case, int | None]]) -> None:
    """Write cases as JSON, one per line."""
    rows = [
        {
            "label": label,
            "kitchen": case.kitchen,
            "counts": case.counts,
            "rules": case.rules,
            "after": case.after,
            "steps": steps,
        }
        for label, case, steps in cases
    ]
    path.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", encoding="utf-8")
