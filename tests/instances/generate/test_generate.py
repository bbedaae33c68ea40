"""Random problems: validity, reproducibility, feasibility, and measured parameters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from itertools import pairwise
from random import Random
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.samples import examples, sample

from planoracle.instances.benchmarks.recipe2plan import problems
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.generate.network_measures import describe
from planoracle.instances.generate.parameters import Parameters
from planoracle.instances.generate.random_network import random_precedences
from planoracle.instances.generate.styles import draw, generate, style, styles
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.protocol.registry import get, names, of
from planoracle.instances.protocol.schedule_benchmark import certify
from planoracle.solver.exact.search import solve
from planoracle.solver.kitchens.astar import plan

STYLES = styles()
SCHEDULING = [name for name in STYLES if name not in ("robotouille", "paracook")]


def _reread(problem):
    """Return the problem that is read from the document of a problem."""
    document = json.loads(json.dumps(of(problem).document(problem)))
    (result,) = next(one for one in map(get, names()) if one.recognises(document)).read(document, "test")
    return result


@pytest.mark.parametrize("name", STYLES)
def test_written_problem_reads_back_equal(name: str) -> None:
    for number in range(5):
        problem = generate(name, 3, number).problem
        assert _reread(problem) == problem
        assert problem.name == f"generated/{name}/v1/3-{number}"


@pytest.mark.parametrize("name", sample(SCHEDULING))
def test_witness_is_valid_and_not_shorter_than_the_optimum(name: str) -> None:
    for number in range(4):
        drawn = generate(name, 5, number)
        assert isinstance(drawn.problem, Instance)
        assert drawn.witness is not None
        certify(drawn.problem, drawn.witness)
        best = solve(drawn.problem, time_limit=10)
        assert best.status in ("optimal", "feasible")
        assert best.makespan <= drawn.witness.makespan


def test_generated_kitchens_can_be_solved() -> None:
    for number in range(4):
        kitchen = generate("robotouille", 2, number, actions=1).problem
        assert plan(kitchen, time_limit=20).status == "optimal"
    assert len(generate("robotouille", agents=3).problem.players) == 3


# A change of a digest requires a higher `VERSION`.
@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("generic", "fb5d41a9498bc10e"),
        ("recipe2plan", "0bd561143c50990d"),
        ("timearena", "57669e354d4fc334"),
        ("asynctool", "079fd84241f03a4d"),
        ("robotouille", "912f502bb38ffe6a"),
        ("paracook", "0250408f64ebb176"),
        ("paracook_abstract", "314e001cc44aece2"),
    ],
)
def test_generated_problems_are_reproducible(name: str, digest: str) -> None:
    problems = [generate(name, 11, number).problem for number in range(3)]
    text = json.dumps([of(problem).document(problem) for problem in problems])
    assert sha256(text.encode()).hexdigest()[:16] == digest


@pytest.mark.slow
def test_generated_problems_do_not_depend_on_hash_seed() -> None:
    code = (
        "import json; from planoracle.instances.generate.styles import generate, styles\n"
        "from planoracle.instances.protocol.registry import of\n"
        "problems = [generate(name, 1).problem for name in styles()]\n"
        "for problem in problems: print(json.dumps(of(problem).document(problem)))"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, stdout=-1, check=True)
        for seed in ("1", "2")
    ]
    assert runs[0].stdout == runs[1].stdout
    assert runs[0].stdout.count(b"\n") == len(STYLES)


def test_seeds_and_numbers_give_different_problems() -> None:
    action_tuples = [generate("generic", seed, number).problem.actions for seed in range(3) for number in range(3)]
    assert len(set(action_tuples)) == len(action_tuples)


SHARES = st.integers(0, 20).map(lambda twentieths: twentieths / 20)


@pytest.mark.slow
@examples(60)
@given(
    tasks=st.integers(1, 3),
    actions=st.integers(1, 9),
    resources=st.integers(0, 3),
    agents=st.integers(1, 4),
    attended=st.integers(0, 3),
    shares=st.fixed_dictionaries(
        dict.fromkeys(
            (
                "order_strength",
                "parallelism",
                "interruptible",
                "windows",
                "tightness",
                "resource_factor",
                "resource_strength",
                "eligibility",
            ),
            SHARES,
        )
    ),
    feasible=st.booleans(),
)
def test_measures_of_generated_problem_equal_parameters(
    tasks, actions, resources, agents, attended, shares, feasible
) -> None:
    counts = {"tasks": tasks, "actions": actions, "resources": resources, "agents": agents, "attended": attended}
    drawn = generate("generic", 9, feasible=feasible, **counts, **shares)
    problem = drawn.problem
    assert _reread(problem) == problem
    assert (drawn.witness is not None) or not feasible
    measured = describe(problem)
    assert (measured.tasks, measured.actions) == (tasks, tasks * actions)
    assert (measured.agents, measured.resources) == (agents, resources)
    assert all(1 <= action.duration <= 10 for action in problem.actions)

    def near(value: float | None, share: float, whole: int) -> bool:
        return whole == 0 or abs(value - share) <= 0.5 / whole + 1e-9

    pairs = actions * (actions - 1) // 2
    assert near(measured.task_order_strength, shares["order_strength"], pairs)
    assert near(measured.parallelism, shares["parallelism"], measured.actions)
    continuous = sum(action.continuous for action in problem.actions)
    assert near(measured.interruptible, shares["interruptible"], continuous)
    assert near(measured.windows, shares["windows"], len(problem.lags))
    assert near(measured.resource_factor, shares["resource_factor"], measured.actions * resources)
    assert near(measured.eligibility, max(shares["eligibility"], 1 / agents), measured.actions * agents)
    if measured.resource_strength is not None:  # capacities are whole numbers
        assert abs(measured.resource_strength - shares["resource_strength"]) <= 0.5


@examples(30)
@given(
    name=st.sampled_from(["recipe2plan", "timearena", "asynctool"]),
    tasks=st.integers(1, 3),
    actions=st.integers(1, 12),
    parallelism=SHARES,
)
def test_problems_of_every_size_have_a_witness(name: str, tasks: int, actions: int, parallelism: float) -> None:
    share = {} if name == "asynctool" else {"parallelism": parallelism}
    drawn = generate(name, 4, tasks=tasks, actions=actions, **share)
    assert isinstance(drawn.problem, Instance)
    assert len(drawn.problem.actions) == tasks * actions + (name == "asynctool")
    assert drawn.witness is not None
    assert _reread(drawn.problem) == drawn.problem


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameter", "values", "measure"),
    sample(
        [
            ("generic", "order_strength", (0.1, 0.4, 0.8), "network_complexity"),
            ("generic", "order_strength", (0.1, 0.4, 0.8), "order_strength"),
            ("generic", "parallelism", (0.1, 0.5, 0.9), "unattended"),
            ("generic", "tightness", (1.0, 0.6, 0.2), "window_length"),
            ("generic", "resource_strength", (0.0, 0.4, 0.8), "resource_strength"),
            ("generic", "resource_factor", (0.2, 0.5, 0.9), "resource_factor"),
            ("generic", "longest", (5, 10, 20), "work"),
            ("generic", "eligibility", (0.3, 0.6, 0.9), "eligibility"),
            ("recipe2plan", "order_strength", (0.3, 0.6, 0.9), "task_order_strength"),
            ("recipe2plan", "parallelism", (0.1, 0.3, 0.6), "unattended"),
            ("recipe2plan", "interruptible", (0.1, 0.4, 0.9), "interruptible"),
            ("recipe2plan", "windows", (0.1, 0.3, 0.9), "windows"),
            ("timearena", "parallelism", (0.1, 0.3, 0.5), "unattended"),
            ("timearena", "agents", (1, 2, 3), "agents"),
        ],
        several=True,
    ),
)
def test_measure_increases_with_its_parameter(name: str, parameter: str, values, measure: str) -> None:
    more = {"agents": 4} if parameter == "eligibility" else {}
    means = [
        mean(
            getattr(describe(generate(name, 6, number, **more, **{parameter: value}).problem), measure)
            for number in range(10)
        )
        for value in values
    ]
    assert all(first < second for first, second in pairwise(means)), means


def test_delays_lengthen_the_witness() -> None:
    short, long = (
        [generate("asynctool", 1, number, shortest=d, longest=d).witness.makespan for number in range(5)]
        for d in (0, 3)
    )
    assert all(first < second for first, second in zip(short, long, strict=True))


def test_infeasible_option_does_not_widen_maximum_lags() -> None:
    parameters = {"windows": 1.0, "tightness": 1.0, "tasks": 2, "actions": 5}
    hard = [generate("generic", 1, number, feasible=False, **parameters) for number in range(10)]
    assert all(lag.maximum == 0 for drawn in hard for lag in drawn.problem.lags)
    assert any(drawn.witness is None for drawn in hard)
    assert any(solve(drawn.problem).status == "infeasible" for drawn in hard)
    eased = [generate("generic", 1, number, **parameters) for number in range(10)]
    assert any(lag.maximum > 0 for drawn in eased for lag in drawn.problem.lags)


def test_generated_recipes_have_durations_of_bundled_ones() -> None:
    bundled = {(a.duration, not a.attended) for name in problems.names() for a in catalog.load(name).actions}
    minutes = {(-(-duration // 60) * 60, alone) for duration, alone in bundled}
    heated = 0
    for number in range(20):
        problem = generate("recipe2plan", 8, number).problem
        assert {(a.duration, not a.attended) for a in problem.actions} <= minutes
        for action in problem.actions:
            required = [demand for demand in action.modes[0].demands if demand.requires]
            heated += len(required)
            for demand in required:  # its own recipe has heated the oven before
                setting = [problem.by_id[lag.before] for lag in problem.lags if lag.after == action.id]
                assert any(d.sets == demand.requires for a in setting for d in a.modes[0].demands)
    assert heated > 5


def test_combinations_consist_of_bundled_tasks() -> None:
    recipes = [drawn.problem for drawn in draw("recipe2plan", 1, tries=40, combine=True)]
    assert len({frozenset(one.tasks) for one in recipes}) == len(recipes) <= 40
    book = {action.id: action for name in problems.names() for action in catalog.load(name).actions}
    assert all(book[action.id] == action for one in recipes for action in one.actions)
    for drawn in draw("timearena", 1, tries=5, combine=True, tasks=3):
        assert catalog.load(drawn.problem.name) == drawn.problem
    assert len(list(draw("recipe2plan", tries=3, combine=True, tasks=24))) == 1


def test_random_network_has_order_strength_without_redundant_arcs() -> None:
    for seed in range(20):
        for strength in (0.0, 0.25, 0.5, 0.9, 1.0):
            arcs = random_precedences(Random(seed), 9, strength)
            closure = {(i, j) for i, j in arcs}
            for _ in range(4):
                closure |= {(i, k) for i, j in closure for j2, k in closure if j == j2}
            assert len(closure) == round(36 * strength)
            assert not any((i, j) in closure and (j, k) in closure for i, k in arcs for j in range(9))


def test_measures_equal_values_computed_by_hand() -> None:
    tool, two = Demand("tool"), Demand("tool", 2)
    actions = (
        Action("a/1", "a", 4, 4, interruptible=True, modes=(Mode((two,)), Mode((tool,)))),
        Action("a/2", "a", 6, 1, modes=(Mode((two,)),)),
        Action("a/3", "a", 2, 2, agents=("x",)),
        Action("b/1", "b", 4, 4, modes=(Mode((Demand("tool", 3),)),)),
        Action("b/2", "b", 4, 0, agents=()),
    )
    lags = (
        Lag("a/1", "a/2", 0, 8),
        Lag("a/2", "a/3"),
        Lag("a/1", "a/3"),
        Lag("b/2", "b/1", None, 4),
        Lag("a/3", "b/1", -12),
    )
    measures = describe(Instance("hand", actions, lags, (Resource("tool", 4), Resource("spare")), ("x", "y")))
    # Ordered: a1 a2, a1 a3, a2 a3; the third arc follows from the others, negative and free lags order nothing.
    assert measures.row() == {
        "tasks": 2,
        "actions": 5,
        "agents": 2,
        "resources": 2,
        "work": 20,
        "network_complexity": 0.4,
        "order_strength": 0.3,
        "task_order_strength": 0.75,
        "parallelism": 0.4,
        "unattended": 0.45,
        "interruptible": 0.3333,
        "windows": 0.4,
        "window_length": 1.5,  # mean of 8 and 4, over mean duration 4
        "resource_factor": 0.3333,  # 4 of 6 modes ask for one of two resources
        "resource_strength": 0.5,  # capacity 4; least 3; peak 5, at the start, by a/1 and b/1
        "eligibility": 0.875,
    }


@pytest.mark.slow
def test_every_bundled_problem_can_be_measured() -> None:
    for name in catalog.bundled():
        if not name.startswith(("robotouille", "kitchens", "paracook/cook")):
            row = describe(catalog.load(name)).row()
            assert row["actions"] > 0
            strength = row["order_strength"]
            assert 0 <= strength <= 1 if row["actions"] > 1 else strength is None


@pytest.mark.parametrize(
    ("name", "parameters", "field"),
    [
        ("generic", {"windows": 1.01}, "windows"),
        ("generic", {"windows": float("nan")}, "windows"),
        ("generic", {"windows": True}, "windows"),
        ("generic", {"tasks": 0}, "tasks"),
        ("generic", {"tasks": 2.0}, "tasks"),
        ("generic", {"actions": 201}, "actions"),
        ("generic", {"actions": None}, "actions"),
        ("generic", {"shortest": 0}, "shortest"),
        ("generic", {"shortest": 5, "longest": 4}, "longest"),
        ("generic", {"attended": 10}, "attended"),
        ("generic", {"feasible": 1}, "feasible"),
        ("generic", {"colour": 1}, "colour"),
        ("generic", {"seed": -1}, "seed"),
        ("generic", {"number": True}, "number"),
        ("generic", {"combine": True}, "combine"),
        ("recipe2plan", {"agents": 2}, "agents"),
        ("recipe2plan", {"combine": True, "tasks": 25}, "tasks"),
        ("recipe2plan", {"combine": True, "windows": 0.5}, "windows"),
        ("timearena", {"combine": True, "tasks": 31}, "tasks"),
        ("asynctool", {"combine": True}, "combine"),
        ("robotouille", {"windows": 0.5}, "windows"),
    ],
)
def test_invalid_parameter_is_rejected(name: str, parameters, field: str) -> None:
    with pytest.raises(InputError) as caught:
        generate(name, **parameters)
    assert caught.value.field == field


def test_unknown_style_is_rejected() -> None:
    with pytest.raises(UnknownNameError, match="generic, paracook, paracook_abstract, recipe2plan"):
        generate("nope")
    assert style("generic").usual == Parameters()
