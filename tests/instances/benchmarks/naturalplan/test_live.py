"""Live runs of Natural Plan: plans sentence by sentence, and whole answers."""

from __future__ import annotations

import asyncio

import pytest
from support.live_runs import play_at_random

from planoracle.analysis.agents.agent import play
from planoracle.analysis.agents.solver_agents import Optimal
from planoracle.analysis.diagnosis.regret import regret_of
from planoracle.instances.errors import InputError
from planoracle.instances.files.catalog import load
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, RunConfig
from planoracle.instances.protocol.simulator import CLOSE

_BENCHMARK = registry.get("naturalplan")


def _run(name: str = "naturalplan/meeting/389", loop: str = "closed", profile: str = "exact") -> AnyEnvironment:
    rules = _BENCHMARK.rules.profile(profile)
    return _BENCHMARK.environment(load(name), rules, RunConfig(loop))


def test_sentences_are_carried_out_and_refused_ones_change_nothing() -> None:
    run = _run()
    assert run.step("You travel to Richmond District in 10 minutes.").observation.text == "Done.\nIt is 9:10AM."
    answer = run.step("You meet Mary for 75 minutes from 9:10AM to 10:25AM.").observation
    assert answer.text.startswith("Refused: Mary is there from 1:00PM on")
    assert (answer.clock, run.submission()["plan"]) == (
        10,
        [{"response": "You travel to Richmond District in 10 minutes."}],
    )


def test_message_without_a_sentence_is_refused_with_its_text() -> None:
    message = "I do not know."
    run = _run()
    run.step("You travel to Richmond District in 10 minutes.")
    [step] = run.step(message).outcomes
    assert (step.position, step.command, step.kind, step.start, step.end) == (1, message, "lost", 10, 10)
    assert step.violation is not None
    assert (step.violation.kind, step.violation.subject) == ("unreadable", message)


def test_legal_commands_are_meetings_waits_and_ways() -> None:
    run = _run("naturalplan/meeting/6")
    texts = [command.text for command in run.legal()]
    assert texts == ["You wait until 2:15PM.", "You travel to Nob Hill in 11 minutes and arrive at 9:11AM.", "Finish"]
    run.step("You wait until 2:15PM.")
    run.step("You travel to Nob Hill.")
    assert run.legal()[0].text == "You meet Kenneth for 90 minutes from 2:26PM to 3:56PM."
    name_of = _BENCHMARK.action_space(run.problem).name_of
    assert [name_of(text) for text in texts] == ["wait", "travel to Nob Hill", "Finish"]


@pytest.mark.parametrize("name", ["naturalplan/meeting/389", "naturalplan/meeting/502"])
def test_meetings_are_legal_exactly_if_they_are_carried_out(name: str) -> None:
    facts = load(name).origin
    verdicts = set()
    for seed in range(4):
        run = _run(name)
        for _ in play_at_random(run, seed, odd=lambda random: CLOSE, share=0.0):
            if run.done:
                break
            texts = [command.text for command in run.legal()]
            for person in facts.persons:
                copy = run.fork()
                sentence = f"You meet {person.name} for {person.minutes} minutes"
                is_done = copy.step(f"{sentence}.").observation.text.startswith("Done")
                assert is_done == any(text.startswith(sentence) for text in texts), sentence
                verdicts.add(is_done)
    assert verdicts == {True, False}


def test_run_ends_when_all_are_met_and_a_run_with_some_needs_an_end() -> None:
    run = _run("naturalplan/meeting/6")
    for message in ("You travel to Nob Hill.", "You wait until 2:15PM.", "You meet Kenneth for 90 minutes."):
        run.step(message)
    assert (run.observation.over, run.success, run.run().success) == ("completed", True, True)
    run = _run()
    for message in ("You travel to Richmond District.", "You wait until 1:00PM.", "You meet Mary for 75 minutes."):
        run.step(message)
    assert (run.done, run.run().success) == (False, False)
    run.step("Finish")
    assert (run.observation.over, run.run().success, run.run().weight) == ("finished", True, 1)


def test_run_ends_after_the_eleventh_refusal() -> None:
    run = _run()
    for _ in range(11):
        assert not run.done
        run.step("You meet Nobody for 5 minutes.")
    assert run.observation.over == "too_many_refusals"
    assert not run.run().success


@pytest.mark.parametrize("profile", ["exact", "official"])
@pytest.mark.parametrize("loop", ["closed", "open"])
@pytest.mark.parametrize("name", ["naturalplan/meeting/389", "naturalplan/calendar/17", "naturalplan/trip/21"])
def test_optimal_agent_succeeds(name: str, loop: str, profile: str) -> None:
    played = asyncio.run(play(_run(name, loop, profile), Optimal()))
    assert played.failure is None
    replay = played.environment.run()
    assert replay.success
    assert replay.weight == (3 if "meeting" in name else None)


def test_agent_without_state_values_stops_where_the_run_deviates() -> None:
    run = _run()
    run.step("You wait until 1:00PM.")
    played = asyncio.run(play(run, Optimal()))
    assert played.failure is not None


def test_values_of_states_are_refused_by_name() -> None:
    run = _BENCHMARK.run(load("naturalplan/meeting/6"), "You travel to Nob Hill. You meet Kenneth for 90 minutes.")
    with pytest.raises(InputError, match="cannot respect optional tasks and ways"):
        regret_of(run)


@pytest.mark.parametrize("name", ["naturalplan/calendar/17", "naturalplan/trip/21"])
def test_whole_answer_ends_the_run(name: str) -> None:
    run = _run(name)
    run.step("Let me think about it.")
    assert not run.done
    run.step("Day 1-2: visit Rome\nMonday, 9:00 - 9:30")
    assert (run.observation.over, run.run().success) == ("answered", False)


@pytest.mark.parametrize(
    ("name", "makespan", "answers"),
    [("naturalplan/meeting/6", 405, None), ("naturalplan/calendar/30", 780, 2), ("naturalplan/trip/1009", 22, 2)],
)
def test_published_plan_is_claimed_and_its_pieces_are_the_targets(
    name: str, makespan: int, answers: int | None
) -> None:
    problem = load(name)
    [reference] = _BENCHMARK.metrics.references
    claim = reference.source(problem)
    assert (claim.makespan, claim.accepted, claim.answers) == (makespan, True, answers)
    run = _BENCHMARK.run(problem, claim.plan)
    targets = run.targets()
    assert targets.problem == problem
    rows = [(target.position, target.command, target.piece) for target in targets.targets]
    pieces = run.plan.commands.pieces
    assert rows == [(number, problem.by_id[one.action].label, one) for number, one in enumerate(pieces)]
    assert rows


def test_run_that_ends_without_success_has_no_score_before_it_is_graded() -> None:
    run = _run("naturalplan/meeting/6")
    live_row = _BENCHMARK.metrics.live_row
    assert live_row(run, None) == {"score": 0.0}
    [step] = run.step(CLOSE).outcomes
    assert (step.position, step.kind, run.success) == (0, "close", False)
    run = _run("naturalplan/meeting/6")
    for sentence in ("You travel to Nob Hill.", "You wait until 2:15PM.", "You meet Kenneth for 90 minutes."):
        run.step(sentence)
    assert (run.success, live_row(run, None)) == (True, None)
