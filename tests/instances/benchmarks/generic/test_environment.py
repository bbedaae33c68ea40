"""Live runs by the general rules: refusals, answers, legal commands."""

from __future__ import annotations

import json

import pytest

from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, RunConfig
from planoracle.instances.protocol.schedule_benchmark import remaining_problem
from planoracle.instances.protocol.simulator import LegalCommand
from planoracle.solver.exact.search import solve
from tests.support.live_runs import min_makespan, play_random_commands
from tests.support.random_instances import workshop
from tests.support.samples import sample

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


def live(problem: Instance = SOUP, profile: str = "paper", **config: object) -> AnyEnvironment:
    benchmark = registry.of(problem)
    return benchmark.environment(problem, benchmark.rules.profile(profile), RunConfig(**config))


@pytest.mark.parametrize("part", sample(range(20)))
def test_legal_commands_reach_the_optimum_from_random_states(part):
    assert from_random_states(range(part, 300, 20)) > 10


def from_random_states(seeds: range) -> int:
    """Compare a search through legal commands with the optimum of the remaining problem."""
    count = 0
    for seed in seeds:
        run = live(workshop(seed))
        play_random_commands(run, seed, 3)
        if not run.done:
            rest = solve(remaining_problem(run.problem, run.run().points[-1].state))
            assert rest.status in ("optimal", "infeasible")
            assert min_makespan(run, rest.makespan, reached) == rest.makespan, seed
            count += 1
    return count


def reached(run: AnyEnvironment) -> tuple[bool, int]:
    return run.state.over == "completed", run.state.world.point.reached


def test_invalid_pieces_are_refused_and_the_eleventh_ends_the_run():
    run = live()
    kind_by_command = {
        '{"action": "soup/stir", "start": 0, "duration": 2, "agent": "agent"}': "minimum_lag",
        '{"action": "soup/chop", "start": 0, "duration": 9, "agent": "agent"}': "action_duration",
        '{"action": "soup/boil", "start": 0, "duration": 9, "agent": "cook"}': "ineligible_agent",
        '{"action": "soup/boil", "start": 0, "duration": 9, "agent": "agent", "mode": 7}': "wrong_mode",
        '{"action": "soup/bake", "start": 0, "duration": 9, "agent": "agent"}': "unreadable",
        "I do not know.": "unreadable",
    }
    for text, kind in kind_by_command.items():
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


def test_answers_state_violations_and_running_actions():
    run = live()
    assert run.step('{"action": "soup/boil", "start": 1, "duration": 9, "agent": "agent"}').observation.text == (
        "soup/boil has started and ends at tick 10.\nIt is tick 1. Under way: soup/boil (until tick 10)."
    )
    assert run.step('{"action": "soup/stir", "start": 10, "duration": 2, "agent": "agent"}').observation.text == (
        "Refused: soup/stir at tick 10 must start at least 1 tick after soup/boil, which ends at tick 10.\n"
        "It is tick 1. Under way: soup/boil (until tick 10)."
    )
    stir = '{"action": "soup/stir", "start": 11, "duration": 2, "agent": "agent"}'
    last = run.step(f"Thought: later.\nAction: {stir}\nObservation: done\nAction: {stir}")
    assert [one.kind for one in last.outcomes] == ["wait", "act"]
    assert run.situation() == "It is tick 13."
    assert live(feedback="terse").step(stir).observation.text.endswith('mode : 0": refused')


@pytest.mark.parametrize("form", ["{0}\n{1}", "[{0}, {1}]", "Action: {0}\nAction: {1}", "```\n{0}\n{1}\n```"])
def test_first_of_several_pieces_counts(form):
    pieces = (Piece("soup/boil", 0, 9, "agent"), Piece("soup/chop", 0, 4, "agent"))
    boil, chop = (json.dumps(piece._asdict()) for piece in pieces)
    for first, second in ((boil, chop), (chop, boil)):
        for message in (form.replace("{0}", first).replace("{1}", second), [json.loads(first), json.loads(second)]):
            [done] = live().step(message).outcomes
            assert done.command == first


def test_legal_starts_are_event_times_and_ends_of_lags():
    def starts(run: AnyEnvironment) -> dict[str, list[int]]:
        start_times: dict[str, list[int]] = {}
        for one in run.legal():
            piece = json.loads(one.text)
            start_times.setdefault(piece["action"][5:], []).append(piece["start"])
        return {name: sorted(set(times)) for name, times in start_times.items()}

    run = live()
    assert starts(run) == {"chop": [0], "boil": [0]}
    run.step(run.legal()[-1])
    assert starts(run) == {"chop": [0, 9, 10], "stir": [10]}


def test_finish_is_legal_only_if_no_piece_is():
    trap = Instance("trap", (Action("t/a", "t", 2, 0), Action("t/b", "t", 2, 2)), (Lag("t/a", "t/b", 0, 1),))
    run = live(trap)
    run.step('{"action": "t/a", "start": 0, "duration": 2, "agent": "agent"}')
    assert [json.loads(one.text)["start"] for one in run.legal()] == [2]
    blocked = live(Instance("late", trap.actions, trap.lags, time_limit=3))
    blocked.step('{"action": "t/a", "start": 0, "duration": 2, "agent": "agent"}')
    assert blocked.legal() == [LegalCommand("Finish", "close")]
    assert blocked.step("Finish").observation.over == "finished"


@pytest.mark.parametrize("message", ["First I boil it.", "[1,", '{"a": 1, "a": 2}', "", None, {"content": ["a"]}, 3])
def test_answer_without_a_plan_ends_an_open_loop_run(message: object) -> None:
    run = live(loop="open")
    assert [one.violation.kind for one in run.step(message).outcomes] == ["unreadable"]
    assert run.done
    if message in ("First I boil it.", ""):
        assert run.run().plan.fault == "no_plan"
        return
    with pytest.raises(PlanError):
        run.run()
