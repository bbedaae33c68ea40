"""Gymnasium environments: sampling, spaces, masks, rewards, and grades of the runs."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from functools import partial

import pytest
from support.samples import sample

from planoracle import Model, environment, grade, load, solve
from planoracle.analysis.agents.agent import play
from planoracle.analysis.agents.builtin import agent
from planoracle.instances.errors import InputError
from planoracle.instances.files.instance_file import to_document
from planoracle.instances.protocol import registry

pytest.importorskip("gymnasium", reason="environments for learners need planoracle[gym]")

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from planoracle.analysis.adapters.gym import IDS, LiveEnv
from planoracle.analysis.adapters.gym_spaces import LONGEST, plain

TEA = "timearena/household1"
NAMES = {
    "recipe2plan": "recipe2plan/timed/Vada_Daikon-Radish",
    "timearena": "timearena/household1+lab2",
    "asynctool": "asynctool/files_2",
    "robotouille": "robotouille/synchronous/0_cheese_sandwich",
}


def played(env, seed):
    """Run an agent that takes random legal actions."""
    chance = random.Random(seed)
    seen, info = env.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        assert seen in env.observation_space
        assert (seen["action_mask"] == info["action_mask"]).all()
        seen, reward, ended, cut, info = env.step(chance.choice(np.flatnonzero(info["action_mask"]).tolist()))
        total, over = total + reward, ended or cut
    return total, info


def test_every_benchmark_is_registered():
    assert set(IDS) == set(registry.names())
    assert IDS["recipe2plan"] == "planoracle/Recipe2Plan-v0"
    env = gymnasium.make(IDS["timearena"], instance=TEA, reward="regret")
    assert env.unwrapped.run.problem == load(TEA)
    assert env.spec.id == "planoracle/TimeArena-v0"


@pytest.mark.parametrize("name", IDS)
def test_registered_environments_have_a_default_problem(name):
    own = {"instance": Model("shop").task("bread").action("bake", 2).build()} if name == "generic" else {}
    env = gymnasium.make(IDS[name], reward=None, **own)
    assert env.unwrapped.run.problem.benchmark == name
    _, info = env.reset()
    assert info["action_mask"].any()


#: Sets with problems of different sizes.
SETS = {
    "timearena": "timearena",
    "recipe2plan": [NAMES["recipe2plan"], "recipe2plan/untimed"],
    "robotouille": "robotouille/*/0_*",
}


@pytest.mark.parametrize("form", ["text", "structured"])
@pytest.mark.parametrize("selection", SETS)
def test_environments_of_sets_pass_the_check_of_gymnasium(selection, form):
    env = gymnasium.make(IDS[selection], instance=SETS[selection], reward="success", observation=form).unwrapped
    check_env(env, skip_render_check=True)
    sizes = set()
    for name in [*env.problems][:: len(env.problems) // 5]:
        seen, info = env.reset(options={"instance": name})
        assert (info["instance"], env.run.problem.name) == (name, name)
        assert seen in env.observation_space
        sizes.add(env.actions.count)
        played(env, 0)
    assert max(sizes) <= env.action_space.n
    assert selection == "robotouille" or len(sizes) > 1


def test_seeds_sample_problems_of_the_set():
    env = gymnasium.make(IDS["timearena"], instance="timearena", reward=None)

    def names(seed):
        return [env.reset(seed=seed)[1]["instance"], *(env.reset()[1]["instance"] for _ in range(20))]

    assert names(1) == names(1) != names(2)
    assert len(set(names(1))) > 10
    assert set(names(1)) <= set(env.unwrapped.problems)
    assert len(env.unwrapped.problems) == 90
    assert env.step(int(np.flatnonzero(env.reset(seed=3)[1]["action_mask"])[0]))[4]["instance"] == names(3)[0]


@pytest.mark.parametrize("kind", [SyncVectorEnv, pytest.param(AsyncVectorEnv, marks=pytest.mark.slow)])
def test_vector_environments_sample_independently(kind):
    make = partial(gymnasium.make, IDS["timearena"], instance="timearena/household", observation="structured")
    many = kind([partial(make, reward=None)] * 3)
    seen, info = many.reset(seed=[1, 2, 3])
    assert info["action_mask"].shape == seen["action_mask"].shape == (3, many.single_action_space.n)
    assert info["instance"].tolist() == [make().reset(seed=seed)[1]["instance"] for seed in (1, 2, 3)]
    _, rewards, *_ = many.step(seen["action_mask"].argmax(axis=1))
    assert rewards.tolist() == [0, 0, 0]
    assert set(many.reset(options={"instance": TEA})[1]["instance"]) == {TEA}
    many.close()


#: Problems of the environments that run random steps.
WANDERED = {
    "recipe2plan": "recipe2plan/timed",
    "timearena": "timearena",
    "asynctool": "asynctool",
    "asynchow": "asynchow",
    "asyncplanning": "asyncplanning/xxl/5",
    "naturalplan": "naturalplan/meeting",
    "robotouille": "robotouille",
    "kitchens": "kitchens",
    "paracook": None,
    "paracook_abstract": None,
    "generic": Model("shop").task("bread").action("bake", 2).action("eat", 1, after="bake").build(),
}


def wander(many, steps):
    """Take random legal steps in a vector environment; after a run any action starts the next one."""
    chance = np.random.default_rng(0)
    _, info = many.reset(seed=1)
    for _ in range(steps):
        actions = [chance.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in info["action_mask"]]
        *_, info = many.step(np.array(actions))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "structured"])
@pytest.mark.parametrize("kind", [SyncVectorEnv, AsyncVectorEnv])
@pytest.mark.parametrize("name", IDS)
def test_vector_environments_run_random_legal_steps(name, kind, form):
    selection = WANDERED[name]
    options = {} if selection is None else {"instance": selection}
    many = kind([partial(gymnasium.make, IDS[name], observation=form, **options)] * 2)
    wander(many, 250)
    many.close()


@pytest.mark.parametrize("name", ["recipe2plan", "asynchow"])
def test_vector_environments_accept_regrets_without_a_value_and_implied_waits(name):
    make = partial(gymnasium.make, IDS[name], instance=WANDERED[name], reward="regret", observation="structured")
    many = SyncVectorEnv([make] * 2)
    wander(many, 20)
    many.close()


def test_details_of_a_reward_without_a_value_are_absent():
    env = LiveEnv("recipe2plan", NAMES["recipe2plan"], reward="regret")
    _, info = played(env, 0)
    assert "after" not in info["reward"]
    assert None not in info["reward"].values()
    assert (info["reward"]["status"], info["reward"]["lost"]) == ("infeasible", "over")


@pytest.mark.parametrize(("name", "expected"), [("timearena", "regret"), ("robotouille", "score")])
def test_default_reward_is_the_one_of_the_benchmark(name, expected):
    assert LiveEnv(name, NAMES[name]).run.reward.name == expected


def test_environment_accepts_files_and_problems(tmp_path):
    shops = [Model(name).task("bread").action("bake", 2).build() for name in ("one", "two")]
    path = tmp_path / "shops.jsonl"
    path.write_text("".join(f"{json.dumps(to_document(shop))}\n" for shop in shops))
    env = LiveEnv(instance=[path, Model("three").task("tea").action("boil", 3).build()])
    assert list(env.problems) == ["one", "two", "three"]
    with pytest.raises(InputError, match="must be unique; two problems have it"):
        LiveEnv(instance=[path, Model("two").task("tea").action("boil", 3).build()])


@pytest.mark.parametrize("selection", NAMES)
def test_masks_are_legal_actions_and_rewards_match_grades(selection):
    env = LiveEnv(selection, NAMES[selection], reward=None, observation="structured")
    for seed in range(3):
        played(env, seed)
        result = grade(env.submission())
        assert result.scored
        assert (result.success, result.makespan) == (env.run.run().success, env.run.run().verdict.makespan)
    env.reset()
    assert [one.text for one in env.run.legal()] == sorted(
        (one.text for one in env.commands().values()), key=[one.text for one in env.run.legal()].index
    )


def test_action_numbers_have_one_meaning_in_all_states():
    env = LiveEnv("timearena", TEA, reward=None)
    env.reset()
    meanings: dict[int, set[str]] = {}
    for seed in range(20):
        chance = random.Random(seed)
        env.reset()
        while not env.run.done:
            for number, command in env.commands().items():
                meanings.setdefault(number, set()).add(command.text)
            env.step(chance.choice(list(env.commands())))
    assert all(len(texts) == 1 for texts in meanings.values())
    assert env.action_space.n == len(env.actions.names) >= len(meanings) > 5


def test_regret_sums_to_the_loss_against_the_optimum():
    env = LiveEnv("timearena", TEA, reward="regret")
    for seed in range(5):
        total, _ = played(env, seed)
        result = grade(env.submission())
        if result.success:
            assert total == result.optimal_makespan - result.makespan
    env.reset()
    worth = []
    for text in solve(load(TEA)).plan.splitlines():
        (number,) = (number for number, one in env.commands().items() if one.text == text)
        worth.append(env.step(number)[1])
    assert (set(worth), env.run.done) == ({0.0}, True)


def test_an_illegal_action_changes_nothing():
    env = LiveEnv("timearena", TEA, reward="score")
    seen, info = env.reset()
    (illegal, *_) = np.flatnonzero(info["action_mask"] == 0)
    before = env.run.state
    after, reward, ended, cut, info = env.step(int(illegal))
    assert (env.run.state is before, reward, ended, cut, info["legal"]) == (True, 0.0, False, False, False)
    assert after["text"] == seen["text"]


def total_of(env, chance, policy):
    """Return the sum of the rewards of a run of a policy, and whether the run succeeds."""
    seen, _ = env.reset()
    total, over = 0.0, False
    while not over:
        legal, illegal = np.flatnonzero(seen["action_mask"]).tolist(), np.flatnonzero(seen["action_mask"] == 0).tolist()
        waits = [number for number, one in env.commands().items() if one.kind == "wait"]
        pool = {"illegal": illegal, "idle": waits, "mixed": chance.choice([illegal, legal, legal])}.get(policy, legal)
        seen, reward, ended, cut, _ = env.step(chance.choice(pool or legal))
        total, over = total + reward, ended or cut
    return total, env.run.run().success


PLAYED = {
    **NAMES,
    "timearena": TEA,
    "kitchens": "kitchens/synchronous/0_cheese_sandwich",
    "asynchow": "asynchow/async/0",
    "paracook_abstract": "paracook/abstract/own/seed_1/orders_num_1",
}


@pytest.mark.slow
@pytest.mark.parametrize("count", sample([1, pytest.param(16, marks=pytest.mark.slow)]))
@pytest.mark.parametrize("reward", sample(["regret", "score", "success"]))
@pytest.mark.parametrize("selection", sample(PLAYED))
def test_returns_rank_optimal_runs_above_successes_above_failures(selection, reward, count):
    name = PLAYED[selection]
    best = asyncio.run(play(environment(load(name), reward=reward), agent("optimal")))
    assert best.environment.run().success
    env = LiveEnv(selection, name, reward, limit=40)
    totals = {True: [best.total], False: []}
    for seed in range(count):
        for policy in ("illegal", "idle", "masked", "mixed"):
            total, success = total_of(env, random.Random(seed), policy)
            totals[success].append(total)
    assert max(totals[True] + totals[False]) == best.total
    assert totals[False]
    assert max(totals[False]) <= min(totals[True])
    if reward == "regret":
        assert max(totals[False]) < best.total


def test_illegal_actions_cost_and_actions_outside_the_space_raise():
    env = LiveEnv("timearena", TEA)
    _, info = env.reset()
    (illegal, *_) = np.flatnonzero(info["action_mask"] == 0)
    assert [env.step(int(illegal))[1] for _ in range(3)] == [-1.0, -1.0, -1.0]
    for action in (-1, env.action_space.n, 1.5, "wait", None):
        with pytest.raises(InputError, match="action: must be an action of"):
            env.step(action)


def test_step_limit_truncates_a_run():
    env = LiveEnv("timearena", TEA, reward=None, limit=3)
    env.reset()
    ends = [env.step(next(iter(env.commands())))[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]


def test_structured_observation_counts_executed_actions():
    env = LiveEnv("timearena", TEA, reward=None, observation="structured")
    env.reset()
    number = {one.text: n for n, one in env.commands().items()}
    env.step(number["wash cup"])
    seen, *_ = env.step(number["activate kettle"])
    cup, kettle = env.actions.names.index("wash cup"), env.actions.names.index("activate kettle")
    assert seen["clock"].tolist() == [4]
    assert (seen["count"][cup], seen["spent"][cup], seen["since"][cup]) == (1, 3, 4)
    assert (seen["count"][kettle], seen["since"][kettle]) == (1, 1)
    assert seen["since"].min() == -1


def test_texts_of_observations_are_ascii_and_bounded():
    assert plain("a\x1b\u202eé\n") == "a\\x1b\\u202e\\xe9\n"
    assert len(plain("ä" * LONGEST)) == LONGEST
    env = LiveEnv("timearena", TEA, reward=None, render_mode="ansi")
    seen, _ = env.reset()
    assert env.render() == seen["text"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"instance": NAMES["robotouille"]}, "instance: must be a problem of timearena, not robotouille"),
        ({"instance": []}, "instance: must name a problem, a set or a file"),
        ({"instance": 3}, "must be a problem, as planoracle.load"),
        ({"instance": "timearena/hosehold1"}, "did you mean timearena/household1"),
        ({"instances": "timearena"}, "option: must be one of instance, reward, .*did you mean instance"),
        ({"observation": "smell"}, "observation: must be one of text, structured"),
        ({"reward": "gold"}, "gold"),
        ({"places": 0}, "places: must be a whole number"),
        ({"limit": 0}, "limit: must be a whole number of steps"),
    ],
)
def test_invalid_arguments_of_make_raise(options, message):
    with pytest.raises(InputError, match=message):
        gymnasium.make(IDS["timearena"], **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": TEA}, "option: must be one of instance"),
        ({"instance": "timearena/lab11"}, "one of 90 problems of the environment, .*did you mean timearena/lab1"),
        ({"instance": None}, "one of 90 problems"),
    ],
)
def test_invalid_options_of_reset_raise(options, message):
    env = gymnasium.make(IDS["timearena"], instance="timearena", reward=None)
    with pytest.raises(InputError, match=message):
        env.reset(options=options)


def test_missing_extra_of_gym_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "planoracle.analysis.adapters.gym")
    with pytest.raises(InputError, match=r"pip install 'planoracle\[gym\]'"):
        import planoracle.analysis.adapters.gym  # noqa: F401
