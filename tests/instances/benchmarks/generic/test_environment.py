"""Live runs by the general rules are what the replay of their submission says, step by step."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from random import Random

import pytest

from planoracle.analysis.template import write
from planoracle.instances.benchmarks.generic.rules import fault_of
from planoracle.instances.errors import PlanError
from planoracle.instances.files.catalog import problem as problem_of
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import find_violations
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, RunConfig
from planoracle.instances.protocol.schedule_benchmark import remaining_problem
from planoracle.instances.protocol.simulator import LegalCommand
from planoracle.instances.protocol.trajectory import piece_choices, waited
from planoracle.solver.exact.search import solve
from tests.support.hostile import VALUES
from tests.support.live import at_random, best_end, decisions, fault_kind, replayed, wander
from tests.support.random_instances import workshop

SOUP = Instance(
    "soup",
    (
        Action("soup/chop", "soup", 4, 4, interruptible=True),
        Action("soup/boil", "soup", 9, 0, modes=(Mode((Demand("pot"),)),)),
        Action("soup/stir", "soup", 2, 2),
    ),
    (Lag("soup/boil", "soup/stir", 1, 3),),
    (Resource("pot"),),
)


#: What is wrong with a plan only because it is not finished; an action that is paused seems to have ended early.
UNFINISHED = {"missing_action", "action_duration", "maximum_lag"}


def live(problem: Instance = SOUP, profile: str = "paper", **config: object) -> AnyEnvironment:
    benchmark = registry.of(problem)
    return benchmark.environment(problem, benchmark.rules.profile(profile), RunConfig(**config))


def odd_piece(problem: Instance):
    """Return what makes commands that may be wrong in any way, or none."""

    def odd(random: Random) -> object:
        if random.random() < 0.2:
            return random.choice(VALUES)
        action = random.choice(problem.actions)
        start = random.randrange(4 + sum(one.duration for one in problem.actions))
        duration = random.choice((action.duration, action.duration, 1, 0, start))
        agent = random.choice((*problem.agents, "nobody", None))
        piece = {"action": action.id, "start": start, "duration": duration, "agent": agent}
        return random.choice((piece, json.dumps(piece), f"Thought: why not?\nAction: {json.dumps([piece])}"))

    return odd


def pieces(steps: Iterable[tuple[object, ...]]) -> list[Piece]:
    """Return what was carried out, with its times; the order of what begins at the same instant is the plan's own."""
    found = []
    for command, kind, start, _, violation in steps:
        assert violation is None
        if kind != "wait":
            assert kind == "act"
            found.append(Piece(**json.loads(str(command))))
            assert found[-1].start == start
    return sorted(found, key=lambda one: (one.action, one.start))


def joined(found: Iterable[Piece]) -> list[Piece]:
    """Return pieces with parts of an action that follow each other without a gap as one, as plans have them."""
    merged: list[Piece] = []
    for piece in found:
        last = merged[-1] if merged else None
        if last and last.action == piece.action and last.end == piece.start and last[3:] == piece[3:]:
            merged[-1] = last._replace(duration=last.duration + piece.duration)
        else:
            merged.append(piece)
    return merged


def compare(run: AnyEnvironment, seed: int) -> str:
    """Play at random, compare after every turn; return how the run ended."""
    for step in at_random(run, seed, odd_piece(run.problem)):
        carried = [one for one in decisions(run) if one[1] != "lost"]
        whole = run.run()
        said, had = pieces(carried), pieces(replayed(run))
        assert joined(said) == joined(had)
        assert [one for one in carried if one[1] == "wait"] == [one for one in replayed(run) if one[1] == "wait"]
        assert run.observation.clock == whole.points[-1].state.clock
        assert {one.kind for one in whole.verdict.violations} <= UNFINISHED
        assert whole.success == (step.observation.over == "completed")
        assert run.state.world.point.reached == max((one.end for one in said), default=0)
    return str(run.state.over)


def test_random_runs_are_what_their_submissions_replay_as():
    assert {compare(live(workshop(seed)), seed) for seed in range(8)} == {"completed", "finished"}


@pytest.mark.slow
def test_hundreds_of_random_runs_are_what_their_submissions_replay_as():
    for seed in range(400):
        compare(live(workshop(seed), ("paper", "released")[seed % 2]), seed)


@pytest.mark.slow
def test_random_runs_of_larger_problems():
    for seed, name in enumerate(("recipe2plan/timed/Cobbler_Pancakes~2", "timearena/household1+household2~2") * 8):
        compare(live(problem_of(name)), seed)


@pytest.mark.slow
def test_every_optimum_can_be_said_in_commands():
    for seed in range(40):
        problem = workshop(seed)
        best = solve(problem)
        if best.schedule is None:
            continue
        run = live(problem)
        for piece in best.schedule.pieces:
            assert run.step(json.dumps(piece._asdict())).outcomes[-1].kind == "act"
        assert run.state.over == "completed"
        assert run.run().makespan == best.makespan


@pytest.mark.slow
def test_what_a_state_leaves_can_be_reached_in_commands_that_are_offered():
    from_random_states(range(100, 115))


@pytest.mark.slow
def test_what_many_states_leave_can_be_reached_in_commands_that_are_offered():
    assert from_random_states(range(300)) > 250


def from_random_states(seeds: range) -> int:
    """Compare what a search through legal commands finds with the optimum of what states leave, also if it is none."""
    count = 0
    for seed in seeds:
        run = live(workshop(seed))
        wander(run, seed, 3)
        if not run.done:
            rest = solve(remaining_problem(run.problem, run.run().points[-1].state))
            assert rest.status in ("optimal", "infeasible")
            assert best_end(run, rest.makespan, reached) == rest.makespan, seed
            count += 1
    return count


def reached(run: AnyEnvironment) -> tuple[bool, int]:
    return run.state.over == "completed", run.state.world.point.reached


def test_pieces_are_refused_one_by_one_until_it_is_enough():
    run = live()
    said = {
        '{"action": "soup/stir", "start": 0, "duration": 2, "agent": "agent"}': "minimum_lag",
        '{"action": "soup/chop", "start": 0, "duration": 9, "agent": "agent"}': "action_duration",
        '{"action": "soup/boil", "start": 0, "duration": 9, "agent": "cook"}': "ineligible_agent",
        '{"action": "soup/boil", "start": 0, "duration": 9, "agent": "agent", "mode": 7}': "wrong_mode",
        '{"action": "soup/bake", "start": 0, "duration": 9, "agent": "agent"}': "unreadable",
        "I do not know.": "unreadable",
    }
    for text, kind in said.items():
        [lost] = run.step(text).outcomes
        assert (lost.kind, lost.violation.kind, lost.start, lost.end) == ("lost", kind, 0, 0)
    assert run.submission()["plan"] == []
    run.step('{"action": "soup/boil", "start": 2, "duration": 9, "agent": "agent"}')
    early = run.step('{"action": "soup/chop", "start": 0, "duration": 2, "agent": "agent"}').outcomes[0].violation
    assert (early.kind, early.case) == ("agent_busy", "too_early")
    for _ in range(3):
        assert run.step("?").observation.over is None
    assert run.step("?").observation.over == "too_many_refusals"
    assert run.legal() == ()
    assert run.run().verdict.fatal.kind == "missing_action"


def test_answers_say_what_is_wrong_and_what_goes_on():
    run = live()
    assert run.step('{"action": "soup/boil", "start": 1, "duration": 9, "agent": "agent"}').observation.text == (
        "soup/boil is begun, and over at tick 10.\nIt is tick 1. Under way: soup/boil (until tick 10)."
    )
    assert run.step('{"action": "soup/stir", "start": 10, "duration": 2, "agent": "agent"}').observation.text == (
        "Refused: soup/stir at tick 10 must come 1 tick after soup/boil, which ends at tick 10.\n"
        "It is tick 1. Under way: soup/boil (until tick 10)."
    )
    stir = '{"action": "soup/stir", "start": 11, "duration": 2, "agent": "agent"}'
    last = run.step(f"Thought: later.\nAction: {stir}\nObservation: done\nAction: {stir}")
    assert [one.kind for one in last.outcomes] == ["wait", "act"]
    assert run.situation() == "It is tick 13."
    assert live(feedback="terse").step(stir).observation.text.endswith('mode : 0": refused')


@pytest.mark.parametrize("form", ["{0}\n{1}", "[{0}, {1}]", "Action: {0}\nAction: {1}", "```\n{0}\n{1}\n```"])
def test_the_first_of_several_pieces_counts(form):
    pieces = (Piece("soup/boil", 0, 9, "agent"), Piece("soup/chop", 0, 4, "agent"))
    boil, chop = (json.dumps(piece._asdict()) for piece in pieces)
    for first, second in ((boil, chop), (chop, boil)):
        for said in (form.replace("{0}", first).replace("{1}", second), [json.loads(first), json.loads(second)]):
            [done] = live().step(said).outcomes
            assert done.command == first


def test_starts_that_are_offered_are_those_at_which_something_changes_or_a_time_constraint_wants_it():
    def starts(run: AnyEnvironment) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for one in run.legal():
            piece = json.loads(one.text)
            found.setdefault(piece["action"][5:], []).append(piece["start"])
        return {name: sorted(set(times)) for name, times in found.items()}

    run = live()
    assert starts(run) == {"chop": [0], "boil": [0]}
    run.step(run.legal()[-1])
    assert starts(run) == {"chop": [0, 9, 10], "stir": [10]}


def test_finish_is_offered_where_nothing_else_is_left():
    trap = Instance("trap", (Action("t/a", "t", 2, 0), Action("t/b", "t", 2, 2)), (Lag("t/a", "t/b", 0, 1),))
    run = live(trap)
    run.step('{"action": "t/a", "start": 0, "duration": 2, "agent": "agent"}')
    assert [json.loads(one.text)["start"] for one in run.legal()] == [2]
    blocked = live(Instance("late", trap.actions, trap.lags, time_limit=3))
    blocked.step('{"action": "t/a", "start": 0, "duration": 2, "agent": "agent"}')
    assert blocked.legal() == [LegalCommand("Finish", "close")]
    assert blocked.step("Finish").observation.over == "finished"


@pytest.mark.parametrize("said", ["First I boil it.", "[1,", '{"a": 1, "a": 2}', "", None, {"content": ["a"]}, 3])
def test_an_answer_without_a_plan_ends_an_open_run(said: object) -> None:
    run = live(loop="open")
    assert [one.violation.kind for one in run.step(said).outcomes] == ["unreadable"]
    assert run.done
    if said in ("First I boil it.", ""):
        assert run.run().plan.fault == "no_plan"
        return
    with pytest.raises(PlanError):
        run.run()


def test_a_benchmark_whose_runs_go_by_the_general_rules_has_an_environment(tmp_path: Path, monkeypatch) -> None:
    write("tea_room", tmp_path / "made")
    monkeypatch.syspath_prepend(str(tmp_path / "made"))
    benchmark = import_module("planoracle_tea_room").benchmark
    monkeypatch.setitem(registry._registered, "tea_room", benchmark)
    problem = benchmark.catalog.load("tea_room/breakfast")
    run = benchmark.environment(problem)
    for command in ("0 boil", "Action: 0 slice", "3 toast", "3 steep", "3 set", "5 steep"):
        last = run.step(command)
    assert [fault_kind(turn.outcomes[-1]) for turn in run.turns] == [None, None, None, "minimum_lag", None, None]
    assert last.observation.over == "completed"
    assert run.submission()["plan"] == ["0 boil", "0 slice", "3 toast", "3 set", "5 steep"]
    assert run.run().makespan == 9


@pytest.mark.slow
def test_the_last_piece_is_judged_as_the_whole_schedule_is():
    for seed in range(120):
        problem, random = workshop(seed), Random(seed)
        point, clock = live(problem).state.world.point, 0
        for _ in range(12):
            clock += random.randrange(2)
            tried = list(piece_choices(waited(point, clock), 1))
            if not tried:
                break
            _, after = random.choice(tried)
            found = fault_of(problem, after.state.pieces, clock)
            whole = [
                one
                for one in find_violations(problem, Schedule(after.state.pieces))
                if one.kind not in ("missing_action", "minimum_lag", "maximum_lag")
            ]
            paused = {action.id for action in problem.actions if action.interruptible}
            lasting = [one for one in whole if one.kind != "action_duration" or one.subject not in paused]
            if lasting:
                assert found == lasting[0]
            else:
                assert found is None or found.kind in ("minimum_lag", "maximum_lag", "action_duration", "agent_busy")
            if found is None:
                point = after
