"""Gymnasium: its own checks pass, masks are what is legal, and what is handed in is graded alike."""

from __future__ import annotations

import asyncio
import random
import sys

import pytest
from support.samples import sample

from planoracle import Model, environment, grade, load, solve
from planoracle.analysis.agents.agent import play
from planoracle.analysis.agents.builtin import agent
from planoracle.instances.errors import InputError
from planoracle.instances.protocol import registry

pytest.importorskip("gymnasium", reason="environments for learners need planoracle[gym]")

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

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
    """A run of an agent that takes what is legal."""
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
    made = gymnasium.make(IDS["timearena"], instance=TEA, reward="regret")
    assert made.unwrapped.run.problem == load(TEA)
    assert made.spec.id == "planoracle/TimeArena-v0"


@pytest.mark.parametrize("name", IDS)
def test_every_registered_environment_has_a_default_problem_but_that_of_own_problems(name):
    own = {"instance": Model("shop").task("bread").action("bake", 2).build()} if name == "generic" else {}
    made = gymnasium.make(IDS[name], reward=None, **own)
    assert made.unwrapped.run.problem.benchmark == name
    _, info = made.reset()
    assert info["action_mask"].any()


@pytest.mark.parametrize("form", ["text", "structured"])
@pytest.mark.parametrize("which", NAMES)
def test_gymnasium_finds_no_fault(which, form):
    made = gymnasium.make(IDS[which], instance=NAMES[which], reward="success", observation=form)
    check_env(made.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("which", NAMES)
def test_masks_are_what_is_legal_and_runs_are_graded_alike(which):
    env = LiveEnv(which, NAMES[which], reward=None, observation="structured")
    for seed in range(3):
        played(env, seed)
        found = grade(env.submission())
        assert found.scored
        assert (found.success, found.makespan) == (env.run.run().success, env.run.run().verdict.makespan)
    env.reset()
    assert [one.text for one in env.run.legal()] == sorted(
        (one.text for one in env.commands().values()), key=[one.text for one in env.run.legal()].index
    )


def test_actions_mean_the_same_in_every_state_where_what_there_is_to_do_is_known():
    env = LiveEnv("timearena", TEA, reward=None)
    env.reset()
    meant: dict[int, set[str]] = {}
    for seed in range(20):
        chance = random.Random(seed)
        env.reset()
        while not env.run.done:
            for number, command in env.commands().items():
                meant.setdefault(number, set()).add(command.text)
            env.step(chance.choice(list(env.commands())))
    assert all(len(texts) == 1 for texts in meant.values())
    assert env.action_space.n == len(env.actions.names) >= len(meant) > 5


def test_regret_sums_to_the_loss_against_the_optimum():
    env = LiveEnv("timearena", TEA, reward="regret")
    for seed in range(5):
        total, _ = played(env, seed)
        found = grade(env.submission())
        if found.success:
            assert total == found.optimal_makespan - found.makespan
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
    after, reward, ended, cut, told = env.step(int(illegal))
    assert (env.run.state is before, reward, ended, cut, told["legal"]) == (True, 0.0, False, False, False)
    assert after["text"] == seen["text"]


def total_of(env, chance, policy):
    """What a run of a policy returns, and whether it succeeds."""
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
@pytest.mark.parametrize("which", sample(PLAYED))
def test_no_policy_returns_more_than_an_optimal_run_and_no_failure_more_than_a_success(which, reward, count):
    name = PLAYED[which]
    best = asyncio.run(play(environment(load(name), reward=reward), agent("optimal")))
    assert best.environment.run().success
    env = LiveEnv(which, name, reward, limit=40)
    found = {True: [best.total], False: []}
    for seed in range(count):
        for policy in ("illegal", "idle", "masked", "mixed"):
            total, success = total_of(env, random.Random(seed), policy)
            found[success].append(total)
    assert max(found[True] + found[False]) == best.total
    assert found[False]
    assert max(found[False]) <= min(found[True])
    if reward == "regret":
        assert max(found[False]) < best.total


def test_illegal_actions_cost_and_actions_outside_the_space_raise():
    env = LiveEnv("timearena", TEA)
    _, info = env.reset()
    (illegal, *_) = np.flatnonzero(info["action_mask"] == 0)
    assert [env.step(int(illegal))[1] for _ in range(3)] == [-1.0, -1.0, -1.0]
    for action in (-1, env.action_space.n, 1.5, "wait", None):
        with pytest.raises(InputError, match="action: must be an action of"):
            env.step(action)


def test_a_limit_cuts_a_run_off():
    env = LiveEnv("timearena", TEA, reward=None, limit=3)
    env.reset()
    ends = [env.step(next(iter(env.commands())))[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]


def test_numbers_of_an_observation_tell_what_was_done():
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


def test_vector_environments_stack_the_masks():
    many = gymnasium.make_vec(IDS["timearena"], num_envs=3, instance=TEA, reward=None, observation="structured")
    seen, info = many.reset(seed=1)
    size = many.single_action_space.n
    assert info["action_mask"].shape == seen["action_mask"].shape == (3, size)
    seen, rewards, *_ = many.step(np.array([int(np.flatnonzero(mask)[0]) for mask in seen["action_mask"]]))
    assert rewards.tolist() == [0, 0, 0]


def test_texts_are_plain_and_not_too_long():
    assert plain("a\x1b\u202eé\n") == "a\\x1b\\u202e\\xe9\n"
    assert len(plain("ä" * LONGEST)) == LONGEST
    env = LiveEnv("timearena", TEA, reward=None, render_mode="ansi")
    seen, _ = env.reset()
    assert env.render() == seen["text"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"benchmark": "timearena", "instance": NAMES["robotouille"]}, "must be a problem of timearena"),
        ({"benchmark": "generic"}, "instance: must be the name or file"),
        ({"benchmark": "timearena", "observation": "smell"}, "observation: must be one of text, structured"),
        ({"benchmark": "timearena", "reward": "gold"}, "gold"),
        ({"benchmark": "timearena", "places": 0}, "places: must be a whole number"),
    ],
)
def test_what_is_wrong_with_a_call_is_told(options, said):
    with pytest.raises(InputError, match=said):
        LiveEnv(**options)


def test_the_extra_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "planoracle.analysis.adapters.gym")
    with pytest.raises(InputError, match=r"pip install 'planoracle\[gym\]'"):
        import planoracle.analysis.adapters.gym  # noqa: F401
