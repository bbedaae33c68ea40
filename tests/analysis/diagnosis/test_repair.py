"""Repairs: correct plans come back as they were, broken ones pass the rules, and are near."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.runner import CliRunner

from planoracle.analysis.cli import app
from planoracle.analysis.diagnosis.repair import Repairer, repair
from planoracle.analysis.grading.grader import Grader
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.intake.submissions import answers
from planoracle.instances.benchmarks.kitchens import kitchen as robotouille
from planoracle.instances.benchmarks.kitchens.problems import kitchen_from_document
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.files.catalog import load, problem
from planoracle.instances.files.instance_file import to_document
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.model.validation import MAX_TICKS
from planoracle.solver.exact.search import solve
from planoracle.solver.kitchens.astar import plan as plan_kitchen

COBBLER = "recipe2plan/timed/Cobbler_Pancakes"
WAIT = {"content": "WAIT"}


def of_profile(name):
    """A repairer and a grader under the same rules."""
    rules = profiles(name)
    return Repairer(rules), Grader(rules)


def passes(grader, name, plan, **more):
    grade = grader.grade({"id": "1", "instance": name, "plan": plan} | more)
    return grade.scored and grade.success and not grade.violations


def check(repaired, grader, name, **more):
    """A repaired plan passes the rules, and there is nothing more to repair."""
    assert repaired.changed is True
    grade = grader.grade({"id": "1", "instance": name, "plan": repaired.plan} | more)
    assert grade.success
    assert not grade.violations
    assert grade.makespan == repaired.makespan
    assert repaired.makespan >= repaired.optimum
    json.dumps(repaired.as_dict())


def verdicts(shared, benchmark):
    with (shared / "verdicts" / f"{benchmark}.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


# --- correct plans ------------------------------------------------------------------------------------


# --- broken plans -------------------------------------------------------------------------------------


def command(step, recipe, minutes, start):
    return f"Step({step}, {recipe}, {minutes} min, {start // 60:02}:{start % 60:02}:00)"


def test_recipe2plan_unknown_and_repeated_steps_are_dropped_and_pieces_move():
    best = solve(load(COBBLER)).plan
    for wrong, dropped, moved in (
        (command(0, "Soup", 1, 300), [("is not a step of the problem", "Step(0, Soup, 00:01:00, 05:00:00)")], 0),
        (command(99, "Cobbler", 1, 0), [("is not a step of the problem", "Step(99, Cobbler, 00:01:00, 00:00:00)")], 0),
        (
            command(7, "Cobbler", 30, 90),
            [("the action is already complete", "Step(7, Cobbler, 00:30:00, 01:30:00)")],
            0,
        ),
        (command(7, "Cobbler", 0, 0), [("has duration 0", "Step(7, Cobbler, 00:00:00, 00:00:00)")], 0),
    ):
        repaired = repair(load(COBBLER), {"plan": f"{best}, {wrong}"})
        assert [(one.reason, one.command) for one in repaired.dropped] == dropped
        assert (repaired.changed, repaired.plan, repaired.moved, repaired.shift) == (True, best, moved, 0)
    assert best.count("Step(7, Cobbler, 00:30:00") == 1
    longer = best.replace("Step(7, Cobbler, 00:30:00", "Step(7, Cobbler, 00:40:00")
    repaired = repair(load(COBBLER), {"plan": longer})
    assert (repaired.plan, repaired.shift, repaired.dropped) == (best, 0, ())
    (move,) = repaired.moves
    assert (move.action, move.before[0].duration, move.after[0].duration) == ("Cobbler/7", 2400, 1800)


def test_recipe2plan_excessive_times_are_repaired():
    best = solve(load(COBBLER)).plan
    start = best.split("Step(7, Cobbler, 00:30:00, ")[1].split(")")[0]
    for hours in ("9" * 30, "400000"):
        late = best.replace(f"Step(7, Cobbler, 00:30:00, {start})", f"Step(7, Cobbler, 00:30:00, {hours}:00:00)")
        assert repair(load(COBBLER), {"plan": late}).changed is False  # nothing forbids it
        repaired = repair(load(COBBLER), {"plan": f"{late}, {command(0, 'Soup', 1, 0)}"})
        assert [one.reason for one in repaired.dropped] == [
            "is not a step of the problem",
            f"starts after tick {MAX_TICKS}",
        ]
        assert (repaired.added, repaired.moved, repaired.makespan) == (("Cobbler/7",), 0, 4080)


def test_timearena_repair_respects_time_limit():
    name = "timearena/household1"
    least = solve(load(name)).makespan
    late = ["wait"] * 5 + ["activate kettle"]
    tight = repair(load(name), {"actions": late, "time_limit": least})
    assert (tight.status, tight.makespan) == ("optimal", least)
    check(tight, Grader(), name, time_limit=least)
    assert repair(load(name), {"actions": late, "time_limit": least - 1}).status == "infeasible"
    with pytest.raises(InputError, match="time_limit"):
        repair(load(name), {"actions": late, "time_limit": "soon"})


@pytest.mark.slow
def test_timearena_released_reservations_can_make_repair_infeasible(shared):
    repairer, _ = of_profile("released")
    stuck = [
        row["instance"]
        for row in verdicts(shared, "timearena")
        if repairer.repair(load(row["instance"]), row).status == "infeasible"
    ]
    assert stuck


def test_pieces_of_unknown_actions_are_dropped():
    instance = Instance("two", (Action("t/a", "t", 2, 2), Action("t/b", "t", 3, 0)), (Lag("t/a", "t/b"),))
    plan = [
        {"action": "t/z", "start": 0, "duration": 1},
        {"action": "t/a", "start": 1, "duration": 2, "agent": "agent"},
        {"action": "t/b", "start": 2, "duration": 3, "agent": "agent"},
    ]
    repaired = repair(instance, {"plan": plan})
    assert [(one.position, one.command) for one in repaired.dropped] == [(0, "t/z")]
    assert (repaired.moved, repaired.shift, repaired.makespan, repaired.optimum) == (1, 1, 5, 5)
    row = repaired.as_dict()
    assert row["moves"][0].keys() == {"action", "from", "to", "shift"}
    assert row["moved"] == 1
    later = [plan[1], plan[2] | {"start": 2}, plan[2] | {"start": 9, "duration": 1}]
    assert repair(instance, {"plan": later}, objectives=("moved", "shift")).makespan == 5
    plan[1]["start"], plan[2]["start"] = 4, 5
    assert repair(instance, {"plan": plan}).makespan == 8
    by_makespan = repair(instance, {"plan": plan}, objectives=("makespan", "moved"))
    assert (by_makespan.makespan, by_makespan.moved) == (5, 2)


@pytest.mark.parametrize(
    "plan",
    [None, 5, {"b": 1}, [None], [[]], [{"action": 1, "start": 0, "duration": 1}], "[" * 9000, "{}", "[1e999]",
     [{"action": "t/a", "start": -1, "duration": 1}], [{"action": "t/a", "start": True, "duration": 1}]],
)  # fmt: skip
def test_unreadable_plans_are_rejected(plan):
    instance = Instance("one", (Action("t/a", "t", 2, 2),))
    with pytest.raises(PlanError) if not isinstance(plan, str) else pytest.raises(InputError):
        repair(instance, {"plan": plan})


def test_objectives_are_checked_before_reading():
    with pytest.raises(InputError, match="objectives"):
        Repairer(objectives=("speed",))


# --- kitchens -----------------------------------------------------------------------------------------


SIMPLE = "kitchens/synchronous/0_cheese_sandwich"


def test_kitchen_plan_that_reaches_goal_is_unchanged_without_rejected_actions():
    best = plan_kitchen(problem(SIMPLE), rules=robotouille.PROFILES["paper"])
    actions = list(best.actions)
    repaired = repair(problem(SIMPLE), {"actions": actions})
    assert (repaired.changed, repaired.moved, repaired.shift, repaired.status) == (False, 0, 0, "optimal")
    assert repaired.plan is actions
    odd = repair(problem(SIMPLE), {"actions": [actions[0], "Jump", *actions[1:]]})
    assert (odd.changed, odd.plan, odd.status, odd.added) == (True, actions, "optimal", ())
    assert [(one.position, one.command) for one in odd.dropped] == [(1, "Jump")]


def test_kitchen_plan_that_stops_is_completed_within_limit_if_possible():
    best = plan_kitchen(problem(SIMPLE), rules=robotouille.PROFILES["paper"])
    prefix = [*best.actions[:4], "Do nothing", "Do nothing"]
    repaired = repair(problem(SIMPLE), {"actions": prefix})
    assert (repaired.status, repaired.plan[:6], repaired.makespan) == ("optimal", prefix, best.makespan + 2)
    tight = repair(problem(SIMPLE), {"actions": prefix, "limit": best.makespan + 1})
    assert (tight.status, tight.plan[:5], tight.makespan) == ("optimal", prefix[:5], best.makespan + 1)
    assert [one.position for one in tight.dropped] == [5]
    assert repair(problem(SIMPLE), {"actions": prefix, "limit": best.makespan - 1}).status == "infeasible"


def test_kitchen_plan_is_cut_to_last_state_with_reachable_goal():
    document = {
        "format": "planoracle/kitchen",
        "version": 1,
        "name": "tiny",
        "stations": {"board1": ["lettuce1"], "table1": []},
        "players": {"robot1": {"at": "board1"}},
        "traits": {"lettuce1": ["iscuttable"]},
        "goal": [["has_item", "robot1", "lettuce#1"]],
        "less": [],
    }
    tiny = kitchen_from_document(document, "example")
    repaired = repair(tiny, {"actions": ["Do nothing", "Fly"]})
    assert (repaired.status, repaired.makespan, len(repaired.added)) == ("optimal", 2, 1)


# --- command line -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_command_repairs_readable_lines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    instance = Instance("two", (Action("t/a", "t", 2, 2), Action("t/b", "t", 3, 0)), (Lag("t/a", "t/b"),))
    Path("two.json").write_text(json.dumps(to_document(instance)))
    lines = [
        {
            "id": "own",
            "instance": "two.json",
            "plan": [{"action": "t/a", "start": 1, "duration": 2, "agent": "agent"}],
        },
        {"id": "nothing", "instance": "no/such", "plan": ""},
        {"id": "empty", "instance": COBBLER, "plan": ""},
        {"instance": COBBLER, "plan": ""},
        {"id": "kitchen", "instance": SIMPLE, "actions": ["Do nothing"]},
    ]
    text = "\n".join([*map(json.dumps, lines), "no json", json.dumps([1])])
    result = CliRunner().invoke(app, ["repair", "-", "--format", "jsonl", "--instances", "."], input=text)
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 1
    assert [row["status"] for row in rows] == ["optimal", None, "optimal", "optimal", "optimal", None, None]
    assert [row["line"] for row in rows] == [1, 2, 3, 4, 5, 6, 7]
    assert rows[0]["plan"][0] == {"action": "t/a", "start": 1, "duration": 2, "agent": "agent", "mode": 0}
    assert (rows[0]["moved"], rows[0]["added"], rows[0]["makespan"]) == (0, ["t/b"], 6)
    assert rows[2]["makespan"] == rows[2]["optimum"] == 4080
    assert result.stderr.count("error: line") == 3
    assert (rows[3]["id"], rows[3]["method"]) == ("4", "repair")
    for form in ("table", "csv", "json"):
        one = CliRunner().invoke(app, ["repair", "-", "-f", form, "--instances", "."], input=json.dumps(lines[0]))
        assert one.exit_code == 0
        assert "two.json" in one.stdout


@pytest.mark.slow
def test_command_rejects_unknown_objectives():
    submission = json.dumps({"id": "1", "instance": "timearena/household1", "actions": ["wait"] * 3})
    good = CliRunner().invoke(app, ["repair", "-", "--objective", "makespan, moved", "-f", "jsonl"], input=submission)
    assert json.loads(good.stdout)["objectives"] == ["makespan", "moved"]
    bad = CliRunner().invoke(app, ["repair", "-", "--objective", "speed"], input=submission)
    assert bad.exit_code == 2
    assert CliRunner().invoke(app, ["repair", "no-such-file"]).exit_code == 2


def test_unreadable_submissions_have_rows():
    plans = ({}, {"plan": 7}, {"plan": {"response": 1}}, {"plan": [[1, 2]]})
    entries = [(n, {"id": "a", "instance": COBBLER} | plan) for n, plan in enumerate(plans)]
    rows = list(answers(entries, Repairer().repair))
    assert [answer.value for answer in rows] == [None] * len(plans)
    assert all(answer.reason and "internal" not in answer.reason for answer in rows)
    with pytest.raises(InputError):
        repair(load(COBBLER), ["no", "object"])
