"""Certificates: bounds never above the optimum, every step checked, most bundled problems explained."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from support.random_instances import kitchen, workshop
from support.samples import sample

from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.files.catalog import expand, load
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece
from planoracle.instances.model.state import PartialSchedule
from planoracle.instances.protocol.schedule_benchmark import remaining_problem
from planoracle.solver.exact.search import solve
from planoracle.solver.proofs.certificate import certificate, verify
from planoracle.solver.proofs.steps import Case, Hop, Load, Order, Split


def job(name, duration, attended=None, **more):
    return Action(f"t/{name}", "t", duration, duration if attended is None else attended, **more)


def uses(*demands):
    return (Mode(demands),)


def shop(*actions, lags=(), **more):
    return Instance("shop", actions, tuple(Lag(f"t/{a}", f"t/{b}", *rest) for a, b, *rest in lags), **more)


# --- kinds of proof ------------------------------------------------------------------------------


def explained(instance, kind):
    best = solve(instance).makespan
    proof = certificate(instance, best)
    assert (proof.kind, proof.bound, proof.gap, proof.explained) == (kind, best, 0, True)
    return proof


def test_critical_path_contains_minimum_and_maximum_lags_and_releases():
    instance = shop(
        job("a", 3, 0),
        job("b", 2, 0),
        job("c", 9, 0, release=4),
        lags=[("a", "b", 5, None), ("c", "b", None, 0), ("b", "c", None, -6)],
    )
    # c starts 6 before b is finished at the latest: with b from 8 to 10 at 4; it runs until 13.
    proof = explained(instance, "critical path")
    assert proof.bound == 13
    assert len(proof.steps) == 1


def test_maximum_lag_delays_its_predecessor():
    # b must start within 1 of the finish of a, and comes after c, so a cannot start before 6.
    instance = shop(job("a", 3, 0), job("b", 2, 0), job("c", 10, 0), job("d", 9, 0),
                    lags=[("a", "b", 0, 1), ("c", "b"), ("a", "d")])  # fmt: skip
    assert explained(instance, "critical path").bound == 9 + 9


def test_interrupted_action_resumes_within_its_maximum_lag():
    # The last piece of b starts within 1 of the finish of a, so all of it is done 4 after that, and c comes after it.
    # If b could be interrupted for longer, it would fit beside the end of d.
    jobs = [job("a", 2, 0), job("b", 3, interruptible=True), job("c", 6), job("d", 9, 0)]
    lags = [("a", "b", 0, 1), ("a", "c"), ("c", "d")]
    instance = shop(*jobs, lags=lags)
    assert solve(instance).makespan == 2 + 3 + 6 + 9
    proof = explained(instance, "busy time")
    hops = [hop for step in proof.steps for via in getattr(step, "members", ()) for hop in (*via.before, *via.after)]
    hops += [hop for step in proof.steps for hop in getattr(step, "hops", ()) + getattr(step, "against", ())]
    assert Hop(("finish", "t/b"), ("finish", "t/a"), -4, "window") in hops
    assert "maximum lag from t/a to the finish of t/b" in " ".join(proof.lines(instance))


def test_busy_time_of_a_subset_has_head_and_tail():
    work = [f"work{k}" for k in range(4)]
    lags = [("wait", name) for name in work] + [(name, "bake") for name in work]
    jobs = [job("early", 1), job("bake", 20, 0), *(job(name, 3) for name in work), job("wait", 5, 0)]
    instance = shop(*jobs, lags=lags)
    proof = explained(instance, "busy time")
    (load_, _) = proof.steps
    assert (load_.head, load_.work, load_.tail) == (5, 12, 20)
    assert {via.action for via in load_.members} == {f"t/{name}" for name in work}


def test_busy_time_is_divided_among_several_agents():
    instance = shop(*(job(str(k), 3, interruptible=True) for k in range(5)), agents=("a", "b"))
    proof = explained(instance, "busy time")
    assert (proof.steps[0].capacity, proof.steps[0].work, proof.bound) == (2, 15, 8)


def test_busy_time_of_the_only_eligible_agent():
    instance = shop(*(job(str(k), 3, agents=("a",)) for k in range(3)), job("x", 1), agents=("a", "b"))
    proof = explained(instance, "busy time")
    assert (proof.steps[0].names, proof.bound) == (("a",), 9)


def test_busy_time_counts_only_the_attended_part():
    instance = shop(*(job(str(k), 6, attended=1) for k in range(3)))
    proof = explained(instance, "busy time")
    assert (proof.steps[0].work, proof.steps[0].tail, proof.bound) == (3, 5, 8)


def test_busy_time_counts_minimum_units_over_all_modes():
    ways = (Mode((Demand("kiln", 2),)), Mode((Demand("kiln", 3),)))
    instance = shop(*(job(str(k), 4, 0, modes=ways) for k in range(4)), resources=(Resource("kiln", 4),))
    proof = explained(instance, "busy time")
    assert (proof.steps[0].names, proof.steps[0].work, proof.bound) == (("kiln",), 4 * 8, 8)
    assert "t/0 2 x 4 ticks" in proof.lines(instance)[0]


def test_uninterruptible_uses_run_one_after_another():
    three = [job(str(k), 4 + k, 0, modes=uses(Demand("kiln", 2))) for k in range(3)]
    instance = shop(*three, resources=(Resource("kiln", 5),))
    proof = explained(instance, "busy time")
    assert (proof.steps[0].in_turn, proof.steps[0].turns, proof.bound) == (True, 2, 9)
    assert "At most 2 of these 3 run at the same time, so 2 run one after another" in proof.lines(instance)[0]
    crew = shop(*(job(str(k), 3) for k in range(3)), job("last", 2, 0), agents=("a", "b"),
                lags=[(str(k), "last") for k in range(3)])  # fmt: skip
    assert explained(crew, "busy time").bound == 3 + 3 + 2
    pausing = shop(*(job(str(k), 4, interruptible=True) for k in range(3)), agents=("a", "b"))
    assert certificate(pausing).bound == solve(pausing).makespan == 6


def test_uses_of_more_than_half_the_capacity_never_overlap():
    instance = shop(*(job(str(k), 4, 0, modes=uses(Demand("kiln", 3))) for k in range(2)),
                    resources=(Resource("kiln", 5),))  # fmt: skip
    assert explained(instance, "busy time").bound == 8


def halves():
    """Return two uses of more than half of a kiln, two of half of it and a small one."""
    sizes = [(4, 4), (4, 4), (5, 3), (5, 3), (2, 2)]
    jobs = [job(str(k), ticks, 0, modes=uses(Demand("kiln", units))) for k, (ticks, units) in enumerate(sizes)]
    return shop(*jobs, resources=(Resource("kiln", 6),))


def test_uses_of_more_than_half_count_as_the_whole_capacity():
    proof = explained(halves(), "busy time")
    assert (proof.bound, proof.steps[0].work) == (4 + 4 + 5, 6 * 4 + 6 * 4 + 3 * 5 + 3 * 5)
    text = "t/0 6 x 4 ticks + t/1 6 x 4 ticks + t/2 3 x 5 ticks + t/3 3 x 5 ticks = 78 ticks; divided by 6, at least"
    assert (
        f"{text} 13 ticks. No other of these fits beside t/0 and t/1, so they count as all 6 units"
        in (proof.lines(halves())[0])
    )
    pausing = [job(str(k), 3, 0, modes=uses(Demand("kiln", 3)), interruptible=True) for k in range(2)]
    assert explained(shop(*pausing, resources=(Resource("kiln", 5),)), "busy time").bound == 6


def test_use_beside_which_another_fits_does_not_count_as_the_whole_capacity():
    instance = halves()
    proof = certificate(instance, 13)
    (load_, last) = proof.steps
    small = load_.members[-1]._replace(action="t/4", ticks=2 * 2)
    half = load_.members[2]._replace(ticks=6 * 5)
    for members, bound in [((*load_.members, small), 14), ((*load_.members[:2], half, load_.members[3]), 16)]:
        step = replace(load_, members=members)
        path = replace(last, hops=(last.hops[0]._replace(ticks=step.ticks),))
        assert step.ticks == bound
        with pytest.raises(InternalError, match=r"step 1 does not hold: t/[02] does not need [0-9]+ ticks of kiln"):
            verify(instance, replace(proof, bound=bound, makespan=bound, steps=(step, path)))


def test_chain_of_two_busy_times():
    # The agent works 6 before x, which runs 10 alone, and 5 after it.
    before = [job(f"b{k}", 2) for k in range(3)]
    after = [job(f"a{k}", 2) for k in range(3)]
    lags = [(f"b{k}", "x") for k in range(3)] + [("x", f"a{k}") for k in range(3)]
    proof = explained(shop(*before, job("x", 10, 0), *after, lags=lags), "chain")
    assert proof.bound == 6 + 10 + 6
    assert sum(isinstance(step, Load) for step in proof.steps) == 2


def test_proof_by_supposition_forces_an_order():
    problem = load("recipe2plan/timed/Vada_Leche-Asada")
    proof = explained(problem, "supposition")
    assert proof.supposed == proof.bound - 1
    assert any(isinstance(step, Order) for step in proof.steps)


def test_proof_by_two_cases():
    proof = explained(load("timearena/lab4+lab5"), "cases")
    assert isinstance(proof.steps[-1], Split)
    assert all(isinstance(case, Case) for case in proof.steps[-1].cases)


def test_bound_without_an_explanation_has_kind_search():
    # Two agents share 22 ticks of work, but no part of it takes 11.
    instance = shop(*(job(str(k), ticks) for k, ticks in enumerate([7, 5, 5, 5])), agents=("a", "b"))
    assert solve(instance).makespan == 12
    proof = certificate(instance, 12)
    assert (proof.kind, proof.explained, proof.bound, proof.gap) == ("search", False, 11, 1)


def test_shares_of_work_are_rounded_to_the_common_divisor():
    # Two agents share 10 ticks of work in parts of 2: no share takes 5.
    instance = shop(*(job(str(k), ticks) for k, ticks in enumerate([2, 2, 2, 4])), agents=("a", "b"))
    proof = explained(instance, "busy time")
    assert (proof.steps[0].is_share, proof.steps[0].divisor, proof.bound) == (True, 2, 6)
    assert "of 2 shares, the largest takes at least 6 ticks" in proof.lines(instance)[0]


def test_equal_settings_that_may_share_the_oven_count_once():
    heat = [job(f"heat{k}", 10, 0, modes=uses(Demand("oven", sets="hot"))) for k in range(2)]
    instance = shop(*heat, resources=(Resource("oven"),))
    assert certificate(instance).bound == solve(instance).makespan == 10
    other = shop(heat[0], job("heat1", 10, 0, modes=uses(Demand("oven", sets="cold"))), resources=(Resource("oven"),))
    assert certificate(other).bound == solve(other).makespan == 20


def test_setting_that_may_share_units_of_another_use_does_not_count():
    heat = job("heat", 10, 0, modes=uses(Demand("oven", sets="hot")))
    bake = job("bake", 10, 0, modes=uses(Demand("oven")))
    instance = shop(heat, bake, resources=(Resource("oven", state="hot"),))
    assert certificate(instance).bound == solve(instance).makespan == 10
    ordered = shop(heat, bake, lags=[("heat", "bake")], resources=(Resource("oven", state="hot"),))
    assert certificate(ordered).bound == solve(ordered).makespan == 20


def test_a_use_waits_for_the_only_setting_that_serves_it():
    heat = job("heat", 4, 0, modes=uses(Demand("oven", sets="hot")))
    bake = job("bake", 5, 0, modes=uses(Demand("oven", requires="hot")))
    assert explained(shop(heat, bake, resources=(Resource("oven"),)), "critical path").bound == 9
    hot_at_first = shop(heat, bake, resources=(Resource("oven", 2, state="hot"),))
    assert certificate(hot_at_first).bound <= solve(hot_at_first).makespan == 5


def test_actions_that_conflict_in_all_modes_are_ordered():
    either = (Mode((Demand("pan"),)), Mode((Demand("pot"),)))
    both = uses(Demand("pan"), Demand("pot"))
    instance = shop(job("a", 4, 0, modes=either), job("b", 3, 0, modes=both), job("c", 2, 0), job("d", 2, 0),
                    lags=[("c", "a"), ("a", "d")], resources=(Resource("pan"), Resource("pot")))  # fmt: skip
    proof = explained(instance, "supposition")
    assert (proof.steps[0].kind, proof.bound) == ("modes", 9)


def test_order_is_derived_from_predecessors_of_both_modes():
    two = (Mode(after=("t/a",)), Mode(after=("t/b",)))
    instance = shop(job("a", 5, 0), job("b", 4, 0), job("c", 3, 0, modes=two))
    proof = explained(instance, "supposition")
    assert (proof.steps[0].kind, proof.bound) == ("mode", 7)
    assert "t/c has to wait for t/a or for t/b, depending on its mode." in proof.lines(instance)[1]


def test_busy_time_of_interruptible_work_is_tight():
    instance = shop(job("a", 4, interruptible=True), job("b", 2, release=1), job("c", 2, 0), lags=[("b", "c")])
    assert explained(instance, "busy time").bound == 6


# --- never above the optimum ---------------------------------------------------------------------


def checked_certificate(instance):
    best = solve(instance).makespan
    if best is None:
        return None
    assert certificate(instance).bound <= best
    for claim in (best, best + 1, best + 3):
        proof = certificate(instance, claim)
        assert proof.bound <= best, (instance.name, claim)
        verify(instance, proof)
        assert proof.lines(instance)
    return certificate(instance, best)


@pytest.mark.slow
@pytest.mark.parametrize("block", sample(range(5), 5))
def test_certified_bounds_never_exceed_the_optimum_of_solve(block):
    kitchens = [kitchen(seed, most) for seed in range(block, 75, 5) for most in (6, 10)]
    for instances in (kitchens, [workshop(seed) for seed in range(block, 150, 5)]):
        proofs = [one for one in map(checked_certificate, instances) if one is not None]
        assert sum(one.explained for one in proofs) > 0.8 * len(proofs)


# --- bundled problems ----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "least"),
    sample([("asynctool", 120), ("timearena", 90), ("recipe2plan", 130)], 3, several=True),
)
def test_most_bundled_problems_are_explained(name, least):
    count = 0
    for member in expand([name]):
        instance = load(member)
        proof = certificate(instance, solve(instance).makespan)
        assert proof.gap >= 0
        assert proof.size <= 25, member
        assert json.loads(json.dumps(proof.as_dict()))["bound"] == proof.bound
        assert all(line.rstrip().endswith((".", ":")) for line in proof.lines(instance))
        count += proof.explained
    assert count >= least


# --- the audit -----------------------------------------------------------------------------------


SAMPLES = [
    "recipe2plan/timed/Cobbler_Pancakes",
    "recipe2plan/timed/Tacos_Smore-Bars",
    "recipe2plan/timed/Vada_Leche-Asada",
    "recipe2plan/untimed/Vada_Chicken-Rice",
    "timearena/household1",
    "timearena/lab4+lab5",
    "asynctool/files_1",
]


def test_a_certificate_of_another_problem_is_refused():
    problem = load(SAMPLES[0])
    proof = certificate(problem, 4080)
    hasty = tuple(replace(a, duration=a.duration - 1, attended=a.attended and a.duration - 1) for a in problem.actions)
    with pytest.raises(InternalError):
        verify(replace(problem, actions=hasty), proof)


# --- answers -------------------------------------------------------------------------------------


def test_contradictory_lags_have_no_bound():
    with pytest.raises(InputError, match="contradict"):
        certificate(shop(job("a", 1), job("b", 1), job("c", 5), lags=[("a", "b", 0, 1), ("a", "c"), ("c", "b")]))


def test_a_makespan_that_is_too_short_is_refused():
    with pytest.raises(InputError, match="short"):
        certificate(load(SAMPLES[0]), 4079)


def test_without_a_makespan_there_is_a_bound_but_no_gap():
    proof = certificate(load(SAMPLES[0]))
    assert (proof.bound, proof.gap, proof.explained) == (4080, None, False)


@pytest.mark.slow
def test_makespan_above_the_optimum_leaves_a_gap():
    proof = certificate(load(SAMPLES[0]), 4200)
    assert proof.kind == "search"
    assert proof.bound + proof.gap == 4200
    assert proof.bound <= 4080


@pytest.mark.parametrize("name", sample(SAMPLES, 7))
def test_certificate_is_deterministic(name):
    instance = load(name)
    best = solve(instance).makespan
    one, two = (json.dumps(certificate(replace(instance), best).as_dict()) for _ in range(2))
    assert one == two


def test_bounds_stop_growing_at_the_first_contradiction():
    demands = {"0": (4, {"a": 6, "c": 2}), "1": (8, {}), "2": (7, {"a": 5}), "4": (3, {"c": 5}), "5": (4, {"c": 4}),
               "7": (2, {"a": 6, "b": 5})}  # fmt: skip
    jobs = [
        job(name, duration, 0, modes=uses(*(Demand(*use) for use in own.items())))
        for name, (duration, own) in demands.items()
    ]
    lags = [("1", "4"), ("2", "5"), ("4", "7"), ("5", "7")]
    instance = shop(*jobs, lags=lags, resources=tuple(Resource(name, 9) for name in "abc"))
    best = solve(instance).makespan
    assert certificate(instance, best).bound <= best  # was an OverflowError


def test_explanation_names_the_steps_and_their_sums():
    problem = load("recipe2plan/timed/Cobbler_Pancakes")
    (line,) = certificate(problem, 4080).lines(problem)
    assert "step 1 of Cobbler 2 min + step 3 of Cobbler 1 min" in line
    assert "= 51 min." in line
    assert "after steps 1, 3, 4, 5 and 6 of Cobbler: step 7 of Cobbler 30 min" in line
    assert line.endswith("So 51 min + 17 min = 1 h 8 min: the makespan is at least 1 h 8 min.")


def test_rest_of_a_partially_executed_plan_is_explained():
    problem = load("recipe2plan/timed/Cobbler_Pancakes")
    late = remaining_problem(problem, PartialSchedule((Piece("Cobbler/0", 300, 600, "agent"),), clock=300))
    proof = certificate(late, 4380)
    assert (proof.kind, proof.explained) == ("busy time", True)
    (line,) = proof.lines(late)
    assert "At least 5 min pass from the beginning to each of these: before each: clock 5 min." in line
