"""Live runs in grid kitchens: as the released ones, with the outcomes that the replay of the submission has."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from planoracle.analysis.grading.grader import Grader
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen
from planoracle.instances.benchmarks.grid_kitchens.live import LATEST
from planoracle.instances.benchmarks.grid_kitchens.rules import MAX_ERRORS
from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, RunConfig
from tests.support.grid_kitchens import tiny
from tests.support.live import at_random
from tests.support.paracook import kitchen_of_map, lines
from tests.support.samples import sample

FREE = RunConfig(bounded=False)
PAPER, RELEASED = (registry.get("paracook").rules.profiles[name] for name in ("paper", "released"))


def live(place: GridKitchen, rules: object = PAPER, config: RunConfig = FREE) -> AnyEnvironment:
    return registry.of(place).environment(place, rules, config)


def replayed(run: AnyEnvironment) -> GridKitchenRun:
    found = run.run()
    assert isinstance(found, GridKitchenRun)
    return found


@pytest.mark.slow
def test_grades_of_submissions_are_those_of_the_released_simulator(shared: Path) -> None:
    grader = Grader({"paracook": RELEASED})
    for line in lines(shared, "paracook_live"):
        place, expected = kitchen_of_map(shared, line["map"], line["orders"]), line["expected"]
        record = {"instance": place.name, "submissions": line["submissions"]}
        row = grader.grade_run(registry.of(place).run(place, record, RELEASED), record).row()
        done = expected["served"] == len(line["orders"]) and expected["end"] != "error"
        assert (row["success"], row["makespan"]) == (done, expected["time"]), line["id"]


def odd(random: Random) -> object:
    """Return something that is no legal command."""
    return random.choice(
        [
            "",
            "I do not know.",
            {},
            "{}",
            None,
            3,
            [{"agent1": []}],
            {"agent1": []},
            {"agent1": [{"action": "Wait"}], "agent2": [{"action": "Wait", "duration": 2.5}]},
            {"agent1": [{"action": "MoveTo", "target": [3, 1]}, {"action": "Wait", "duration": 4}]},
            {"agent7": [{"action": "Wait"}]},
            {"agent1": "Wait"},
            {"agent1": [{"action": "Interact", "target": "sofa"}]},
            {"agent2": [object()]},
            'Thought: hm.\n```json\n{"agent1": [{"action": "Wait", "duration": 3}]}\n```',
        ]
    )


def check(run: AnyEnvironment) -> None:
    """Hold what was told against the replay of the submission."""
    found, state = replayed(run), run.state.world
    kitchen = state.kitchen
    assert json.loads(json.dumps(run.submission())) == run.submission()
    ended = run.simulator.ended(state)
    assert (found.errors, found.restarts) == (state.errors, kitchen.error is not None and ended is None)
    assert found.outcome.key() == kitchen.key()
    assert found.outcome.as_dict() == kitchen.as_dict()
    assert found.success == kitchen.done
    assert run.state.turn is None or run.done or not found.success
    assert run.observation.clock == run.simulator.clock(state)
    if run.state.over == "error":
        assert found.lost_at(len(found.steps)) == "over"


@pytest.mark.parametrize("rules", sample([PAPER, RELEASED]), ids=["paper", "released"])
@pytest.mark.parametrize("orders", sample([("chopped",), ("raw", "cooked"), ()]))
def test_random_runs_are_what_their_replay_says(orders: tuple[str, ...], rules: object) -> None:
    for seed in range(6):
        run = live(tiny(*orders, cooks=1 + seed % 3), rules)
        check(run)
        for count, transition in enumerate(at_random(run, seed, odd, share=0.05)):
            assert transition.done == run.done
            check(run)
            if count == 60:
                break


def test_what_is_not_legal_is_an_error() -> None:
    """Of all that there is to do at the stations and tiles, what is left out of the legal commands fails at once."""
    run = live(tiny("cooked", cooks=1))
    stations = [one.name for one in run.problem.stations]
    for seed in range(25):
        legal = {command.text for command in run.legal()}
        for station in [*stations, "wall"]:
            said = json.dumps({"agent1": [{"action": "Interact", "target": station}]})
            assert (run.fork().step(said).outcomes[-1].violation is None) == (said in legal), said
        useful = [one for one in run.legal() if one.kind == "act"]
        run.step(Random(seed).choice(useful))


def test_a_cook_that_is_left_out_holds_up_all_others() -> None:
    run = live(tiny("raw"))
    assert run.step({"agent1": [{"action": "Wait", "duration": 5}]}).observation.clock == 0
    assert {json.loads(one.text).keys() == {"agent2"} for one in run.legal()} == {True}
    assert run.step({"agent2": [{"action": "Wait", "duration": 3}]}).observation.clock == 3
    assert run.step({"agent2": [{"action": "Finish"}]}).observation.clock == 5


def test_an_error_begins_anew_and_the_third_ends_the_run() -> None:
    run = live(tiny("raw", cooks=1))
    for count in range(MAX_ERRORS):
        assert not run.done
        run.step({"agent1": [{"action": "Wait", "duration": 4}]})
        assert run.observation.clock == 4
        transition = run.step("Let me think.")
        assert (transition.done, transition.outcomes[0].violation.kind) == (count == MAX_ERRORS - 1, "unreadable")
        assert run.observation.clock == (4 if run.done else 0)
    assert run.state.over == "error"
    assert len(run.submission()["submissions"]) == 2 * MAX_ERRORS  # type: ignore[arg-type]
    assert not replayed(run).success


def test_whole_plans_are_tried_three_times() -> None:
    place = tiny("raw", cooks=1)
    wait, bad = {"agent1": [{"action": "Wait"}]}, {"agent1": [{"action": "Interact", "target": "wall"}]}
    once = live(place, config=RunConfig("open"))
    assert once.step(json.dumps(wait)).done  # no error, although nothing was served
    again = live(place, config=RunConfig("open"))
    assert not again.step(json.dumps(bad)).done
    assert "Everything begins anew" in again.observation.text
    assert not again.step("no plan").done
    assert again.step(json.dumps(wait)).done
    assert again.submission()["plan"] == json.dumps(wait)
    failed = live(place, config=RunConfig("open"))
    assert [failed.step(json.dumps(bad)).done for _ in range(3)] == [False, False, True]
    assert failed.run().verdict.fatal is not None


def test_runs_that_lead_nowhere_end() -> None:
    run = live(tiny("raw", cooks=1), config=RunConfig())
    assert run.step({"agent1": [{"action": "Wait", "duration": LATEST}]}).done
    assert run.state.over == "too_late"


def test_a_long_run_is_replayed_without_telling_all_of_it_again_in_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    place, turn = tiny("raw", cooks=1), {"agent1": [{"action": "Wait", "duration": 1}]}
    run = live(place)
    for _ in range(3):
        run.step(turn)
    told = replayed(run).outcome.as_dict()

    def forked(clock: Simulation) -> Simulation:
        raise AssertionError("a replay has nothing to go back to")

    monkeypatch.setattr(Simulation, "fork", forked)
    assert registry.of(place).run(place, {"submissions": [turn] * 3}, PAPER).outcome.as_dict() == told
