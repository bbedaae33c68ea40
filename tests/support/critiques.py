"""Critiques checked for their common invariants, and small problems to criticize."""

from __future__ import annotations

import json
from random import Random
from types import SimpleNamespace
from typing import Any

from planoracle.analysis.diagnosis.critique import VERSION, Critique, critique
from planoracle.analysis.grading.oracle import optimum
from planoracle.instances.benchmarks.asynctool.problem_model import Delays
from planoracle.instances.benchmarks.asynctool.problem_model import instance as encode_problem
from planoracle.instances.benchmarks.kitchens import kitchen as walking
from planoracle.instances.benchmarks.kitchens.simulation import trace
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece
from planoracle.instances.model.violations import Violation
from planoracle.instances.protocol.feedback import FeedbackItem
from tests.support.asynctool import chains
from tests.support.robotouille import kitchen

PAIR = "recipe2plan/timed/Cobbler_Pancakes"
TEA = "timearena/household1"


def report(problem: Any, plan: Any, **options: Any) -> Critique:
    """Return a critique without regret, after checking the invariants of all critiques."""
    result = critique(problem, plan, regret=options.pop("regret", False), **options)
    row = result.as_dict()
    assert json.loads(json.dumps(row)) == row
    assert (row["format"], row["version"]) == ("planoracle/critique", VERSION)
    prose = result.prose()
    assert all(c.isprintable() or c == "\n" for c in prose)
    assert prose.startswith("Result: ")
    for section in result.sections:
        assert section.status == ("fault" if section.findings or section.remarks else section.status)
        assert (f"{section.title}: " in prose) == bool(section.text)
        assert bool(section.text) == bool(section.findings or section.remarks)
        assert {finding.violation.kind for finding in section.findings} <= set(section.kinds)
    return result


def finding_fields(finding: FeedbackItem) -> Any:
    """Return the fields of a finding together with those of its violation."""
    fault = finding.violation
    assert finding.as_dict().keys() == {*fault._fields, "index", "text", "excess"} - {"position", "case"}
    return SimpleNamespace(**fault._asdict(), index=fault.position, text=finding.text, excess=finding.excess)


def all_findings(critique: Critique) -> list[Any]:
    return [finding_fields(finding) for section in critique.sections for finding in section.findings]


def assert_same_faults(critique: Critique, violations: tuple[Violation, ...]) -> None:
    """Check that the findings of each section are the violations of its kinds, in their order."""
    for section in critique.sections:
        theirs = [v[:3] for v in violations if v.kind in section.kinds]
        assert [f.violation[:3] for f in section.findings] == theirs
    assert len(all_findings(critique)) == len(violations)


def single_finding(critique: Critique, kind: str) -> Any:
    """Return the only finding of a kind, after checking that its section is at fault."""
    [finding] = [finding for finding in all_findings(critique) if finding.kind == kind]
    [section] = [section for section in critique.sections if kind in section.kinds]
    assert section.status == "fault"
    return finding


def step(name: str, seconds: int, *uses: Demand, auto: bool = False, cut: bool = False) -> Action:
    attended = 0 if auto else seconds
    return Action(name, name.split("/")[0], seconds, attended, interruptible=cut, modes=(Mode(uses),))


#: Bread: 0 preheat, 1 knead (may be cut), 2 shape within 60 s, 3 bake. Pie: 0 preheat, 1 roll, 2 melt on the stove.
KITCHEN = Instance(
    "kitchen",
    actions=(
        step("Bread/0", 600, Demand("oven", sets="350"), auto=True),
        step("Bread/1", 300, cut=True),
        step("Bread/2", 120),
        step("Bread/3", 1200, Demand("oven", requires="350"), auto=True),
        step("Pie/0", 600, Demand("oven", sets="450"), auto=True),
        step("Pie/1", 180),
        step("Pie/2", 60, Demand("stove"), auto=True),
    ),
    lags=(Lag("Bread/1", "Bread/2", 0, 60), Lag("Bread/0", "Bread/3"), Lag("Bread/2", "Bread/3")),
    resources=(Resource("oven"), Resource("stove")),
    benchmark="recipe2plan",
    unit="second",
    seconds_per_tick=1,
)


def finding_kinds(critique: Critique) -> set[str]:
    return {finding.kind for finding in all_findings(critique)}


def mutated_plan(instance: Instance, random: Random) -> list[list[Any]]:
    """Return an optimal plan with one to three commands shifted, shortened, repeated or removed."""
    schedule = optimum(instance).schedule
    pieces = schedule.pieces if schedule is not None else ()
    commands = [[int(p.action[-1]), p.action[:-2], p.duration, p.start] for p in pieces]
    if not commands:
        commands = [[int(a.id[-1]), a.task, a.duration, random.randint(0, 5)] for a in instance.actions]
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(commands))
        number, recipe, duration, start = commands[at]
        change = random.randrange(6)
        if change == 0 and len(commands) > 1:
            del commands[at]
        elif change == 1:
            commands.append([number, recipe, duration, start + random.randint(0, 3)])
        elif change == 2:
            commands[at] = [number, recipe, duration + random.choice((-1, 1)) if duration > 1 else 2, start]
        elif change == 3:
            commands.append([random.choice((number, 9)), random.choice((recipe, "R7")), 1, start])
        else:
            commands[at] = [number, recipe, duration, max(0, start + random.randint(-3, 3))]
    return commands


def act(name: str, duration: int = 2, attended: int | None = None, *uses: Demand, **more: Any) -> Action:
    options = {"modes": (Mode(uses),)} | more
    return Action(f"t/{name}", "t", duration, duration if attended is None else attended, **options)


def piece(action: str, start: int, duration: int = 2, agent: str | None = "agent", mode: int = 0) -> Piece:
    return Piece(f"t/{action}", start, duration, agent, mode)


A, B = act("a"), act("b")


CHAINS = encode_problem(chains((3, 1), Delays()))


TASK, OTHER = CHAINS.tasks[0], CHAINS.tasks[1]


TABLES = kitchen({"table1": ["bread1"], "table2": []}, goal=[["item_on", "bread#1", "table2"]])


def critique_actions(problem: Any, *actions: str, **options: Any) -> Critique:
    result = report(problem, list(actions), **options)
    assert_same_faults(result, trace(problem, actions, options.get("rules") or walking.PROFILES["paper"]).refusals)
    return result
