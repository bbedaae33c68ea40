"""Conflicts: infeasible and minimal; without any one constraint the rules accept a schedule."""

from dataclasses import replace
from random import Random

import pytest
from support.exhaustive import count_schedules, general_optimum
from support.model_distance import plain_mix
from support.model_search import ModelSearch
from support.random_instances import kitchen, workshop
from support.random_model_instances import is_small
from support.samples import sample

from planoracle.instances.errors import InputError
from planoracle.instances.files.catalog import load
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece
from planoracle.instances.model.state import NOW, PartialSchedule
from planoracle.instances.protocol.schedule_benchmark import remaining_problem
from planoracle.solver.exact.bounds import horizon
from planoracle.solver.exact.search import solve
from planoracle.solver.proofs import conflict as conflicts
from planoracle.solver.proofs.conflict import find_conflict
from planoracle.solver.proofs.constraints import Constraint, constraints
from planoracle.solver.proofs.weakening import only, without

MOST_SCHEDULES = 20_000


def tightened(seed: int, base: Instance) -> Instance:
    """Make an instance probably infeasible: by a time limit, maximum lags or executed pieces."""
    random = Random(seed)
    instance = replace(base, benchmark="generic", origin=base)
    best = solve(instance)
    if best.schedule is None:
        return instance
    draw = random.random()
    if draw < 0.35:
        return replace(instance, time_limit=max(0, best.makespan - random.randint(1, 3)))
    if draw < 0.65 and len(instance.actions) > 1:
        lags = {(lag.before, lag.after): lag for lag in instance.lags}
        for _ in range(4):
            pair = tuple(random.sample(sorted(instance.by_id), 2))
            lag = lags.get(pair, Lag(*pair, None, 0))
            lags[pair] = replace(lag, maximum=max(lag.minimum or 0, random.randint(0, 1)))
        return replace(instance, lags=tuple(lags.values()))
    pieces = best.schedule.pieces[: random.randrange(len(best.schedule.pieces))]
    pieces = tuple(piece._replace(start=piece.start + random.randint(0, 1)) for piece in pieces)
    clock = max((piece.start for piece in pieces), default=0) + random.randint(0, 3)
    if random.random() < 0.7:
        limit = max(clock, best.makespan - random.randint(-1, 1))
        instance = replace(instance, time_limit=limit)
    return remaining_problem(instance, PartialSchedule(pieces, clock))


def examples(first: int, step: int, number: int) -> list[Instance]:
    seeds = range(first, number, step)
    return [tightened(seed, base) for seed in seeds for base in (workshop(seed), kitchen(seed, 7))]


def smaller(conflict: conflicts.Conflict, instance: Instance) -> list[Instance]:
    """Return the instances with all constraints of the conflict but one."""
    return [
        only(instance, [other for other in conflict.constraints if other is not one]) for one in conflict.constraints
    ]


def weakened_with_status(conflict: conflicts.Conflict, instance: Instance) -> list[tuple[str, Instance]]:
    """Return the instances with all constraints of a conflict, and with all but one, and their status."""
    feasible = [("optimal", weaker) for weaker in smaller(conflict, instance)]
    return [("infeasible", only(instance, conflict.constraints)), *feasible]


@pytest.mark.slow
@pytest.mark.parametrize("block", sample(range(8), 8))
def test_random_conflicts_are_infeasible_and_minimal(block):
    count = 0
    for instance in examples(block, 8, 160):
        conflict = find_conflict(instance)
        status = solve(instance, exact_grid=True).status
        if conflict is None:
            assert status == "optimal", instance.name
            continue
        count += 1
        assert (status, conflict.status, conflict.minimal, conflict.grid) == ("infeasible", "infeasible", True, 1)
        assert solve(only(instance, conflict.constraints), exact_grid=True).status == "infeasible", instance.name
        for weaker in smaller(conflict, instance):
            assert solve(weaker, exact_grid=True).status == "optimal", (instance.name, conflict.lines())
    assert count > 15


@pytest.mark.slow
@pytest.mark.parametrize("block", sample(range(12), 12))
def test_conflicts_agree_with_exhaustive_search_through_the_rules(block):
    checked = 0
    for instance in examples(block, 12, 120):
        conflict = find_conflict(instance)
        if conflict is None:
            continue
        for status, weakened in weakened_with_status(conflict, instance):
            latest = horizon(weakened) if weakened.time_limit is None else min(horizon(weakened), weakened.time_limit)
            if count_schedules(weakened, latest) <= MOST_SCHEDULES:
                has_schedule = general_optimum(weakened, latest) is not None
                assert has_schedule == (status == "optimal"), conflict.lines()
                checked += 1
    assert checked > 10


@pytest.mark.slow
@pytest.mark.parametrize("block", sample(range(4), 4))
def test_dropping_constraints_never_raises_the_optimum(block):
    for seed in range(block, 120, 4):
        for instance in (workshop(seed), kitchen(seed, 7), tightened(seed, workshop(seed))):
            random, shuffled = Random(seed), list(constraints(instance))
            random.shuffle(shuffled)
            best = solve(instance).makespan
            for k in sorted({0, *(random.randint(0, len(shuffled)) for _ in range(3)), len(shuffled)}):
                weaker = solve(without(instance, shuffled[:k])).makespan
                assert best is None or weaker <= best, (instance.name, shuffled[:k])
                best = weaker
            assert best is not None  # without constraints there is a schedule


def texts(instance: Instance) -> list[str]:
    conflict = find_conflict(instance)
    assert conflict is not None
    assert conflict.minimal
    assert solve(only(instance, conflict.constraints)).status == "infeasible"
    return [constraint.text for constraint in conflict.constraints]


def _kitchen(actions, lags=(), **options) -> Instance:
    options = {"resources": (Resource("oven"),), "unit": "minute", "seconds_per_tick": 60, **options}
    return Instance("k", tuple(actions), tuple(lags), **options)


def _baking(name: str, minutes: int, **options) -> Action:
    return Action(f"t/{name}", "t", minutes, 0, modes=(Mode((Demand("oven", **options),)),))


def test_conflict_over_an_occupied_oven():
    actions = [Action("t/knead", "t", 5, 5), _baking("bake", 30), _baking("roast", 40)]
    lags = [Lag("t/knead", "t/bake", 0, 2), Lag("t/knead", "t/roast", 0, 20)]
    assert find_conflict(_kitchen(actions, [lags[0], replace(lags[1], maximum=30)])) is None
    assert texts(_kitchen(actions, lags)) == [
        "t/bake cannot start before t/knead is finished",
        "t/bake must start within 2 min after t/knead is finished",
        "t/bake occupies the oven for 30 min",
        "t/roast cannot start before t/knead is finished",
        "t/roast must start within 20 min after t/knead is finished",
        "t/roast occupies the oven for 40 min",
    ]
    conflict = find_conflict(_kitchen(actions, time_limit=69))
    assert conflict is not None
    assert conflict.lines()[1:] == [
        "- t/bake occupies the oven for 30 min",
        "- t/roast occupies the oven for 40 min",
        "- all actions must be finished within 1 h 9 min",
        "30 min (t/bake) + 40 min (t/roast) = 1 h 10 min of work, but the oven has 1 h 9 min for it",
    ]


def test_conflict_of_times_is_printed_as_a_sum():
    actions = [Action("t/a", "t", 10, 0), Action("t/b", "t", 20, 0), Action("t/c", "t", 5, 5)]
    lags = [Lag("t/a", "t/b"), Lag("t/b", "t/c", 3), Lag("t/a", "t/c", None, 15)]
    conflict = find_conflict(_kitchen(actions, lags, time_limit=60))
    assert conflict is not None
    assert conflict.lines() == [
        "k is infeasible: these 3 constraints cannot all be met, but any 2 of them can be met together:",
        "- t/b cannot start before t/a is finished",
        "- t/c cannot start earlier than 3 min after t/b is finished",
        "- t/c must start within 15 min after t/a is finished",
        "20 min (t/b) + 3 min (from t/b to t/c) = 23 min, more than 15 min (from t/a to t/c)",
    ]
    assert conflict.as_dict() == {
        "instance": "k",
        "status": "infeasible",
        "minimal": True,
        "constraints": [
            {"kind": one.kind, "subject": list(one.subject), "text": one.text} for one in conflict.constraints
        ],
        "arithmetic": conflict.lines()[-1],
        "proof": "the time lags contradict each other",
        "grid": 1,
    }


def test_conflict_of_work_is_printed_as_a_sum_with_head_and_tail():
    actions = [Action("t/a", "t", 10, 10, release=4), Action("t/b", "t", 20, 20, release=5), Action("t/c", "t", 6, 0)]
    conflict = find_conflict(_kitchen(actions, [Lag("t/a", "t/c"), Lag("t/b", "t/c", 1)], time_limit=39))
    assert conflict is not None
    assert conflict.arithmetic == (
        "10 min (t/a) + 20 min (t/b) = 30 min of work, but the agent has 29 min for it, "
        "as none of these actions can start in the first 4 min and at least 6 min must pass after the last of them"
    )
    five = [Action(f"t/{k}", "t", 10, 10) for k in range(5)]
    conflict = find_conflict(_kitchen(five, agents=("a", "b"), time_limit=24))
    assert conflict is not None
    assert conflict.arithmetic.endswith(" = 50 min of work, but the 2 agents together have 48 min for it")


def test_conflict_contains_states_and_the_actions_that_set_them():
    heat = replace(_baking("heat", 5, sets="hot"), attended=5)
    cool = replace(_baking("cool", 5, sets="cold"), attended=5)
    bake = _baking("bake", 10, requires="hot")
    freeze = _baking("freeze", 10, requires="cold")
    lags = [Lag("t/bake", "t/freeze", 0, 3), Lag("t/heat", "t/cool"), Lag("t/cool", "t/bake")]
    assert texts(_kitchen([heat, cool, bake, freeze], lags)) == [
        "t/heat occupies the oven for 5 min and sets it to hot",
        "t/cool cannot start before t/heat is finished",
        "t/cool occupies the oven for 5 min and sets it to cold",
        "t/bake cannot start before t/cool is finished",
        "t/bake needs the oven to be hot",
        "t/bake occupies the oven for 10 min",
    ]


def test_conflict_contains_the_eligibility_of_agents():
    slow = [Action(f"t/{k}", "t", 10, 10, agents=("a",)) for k in range(2)]
    assert texts(Instance("k", tuple(slow), agents=("a", "b"), time_limit=15)) == [
        "t/0 holds an agent for 10 ticks",
        "only a may carry out t/0",
        "t/1 holds an agent for 10 ticks",
        "only a may carry out t/1",
        "all actions must be finished within 15 ticks",
    ]


def test_conflict_contains_the_agent_that_starts_an_unattended_action():
    actions = [Action("t/knead", "t", 10, 10), Action("t/boil", "t", 4, 0)]
    lags = [Lag("t/knead", "t/boil", -3, -1)]
    assert texts(_kitchen(actions, lags)) == [
        "t/knead holds the agent for 10 min",
        "t/boil cannot start earlier than 3 min before t/knead is finished",
        "t/boil must start at least 1 min before t/knead is finished",
        "the agent must be free to start t/boil",
    ]


def test_attendance_of_an_interruptible_action_can_be_dropped():
    """An interruptible attended action that needs a state cannot simply become unattended."""
    bake = replace(_baking("bake", 4, requires="hot"), attended=4, interruptible=True)
    stir = Action("t/stir", "t", 3, 3)
    instance = _kitchen([bake, stir], resources=(Resource("oven", state="hot"),), time_limit=6)
    freed = without(instance, [one for one in constraints(instance) if one.kind == "attendance"])
    assert solve(freed).makespan == 4
    assert solve(without(instance, [one for one in constraints(instance) if one.kind == "limit"])).makespan == 7
    assert texts(instance) == [
        "t/bake holds the agent for 4 min, interruptions not counted",
        "t/stir holds the agent for 3 min",
        "all actions must be finished within 6 min",
    ]


def test_conflict_contains_a_reason_for_each_mode():
    ways = Mode((Demand("oven"),), "oven"), Mode((), "pan", after=("t/wash",))
    actions = [Action("t/cook", "t", 4, 0, modes=ways), Action("t/wash", "t", 6, 0), _baking("bake", 6)]
    assert texts(_kitchen(actions, time_limit=9)) == [
        "t/cook with pan cannot start before t/wash is finished",
        "t/cook occupies the oven for 4 min (in the modes that need it)",
        "t/bake occupies the oven for 6 min",
        "all actions must be finished within 9 min",
    ]


def _cobbler(*pieces: Piece, clock: int) -> Instance:
    return remaining_problem(load("recipe2plan/timed/Cobbler_Pancakes"), PartialSchedule(pieces, clock))


def test_conflict_of_a_failed_run_contains_its_decisions():
    start = Piece("Cobbler/1", 0, 120, "agent")
    assert texts(_cobbler(start, Piece("Pancakes/7", 120, 120, "agent"), clock=240)) == [
        "step 7 of Pancakes was started at 00:02:00",
        "step 7 of Pancakes cannot start before step 6 of Pancakes is finished",
    ]
    broken = _cobbler(start._replace(duration=60), Piece("Cobbler/2", 30, 60, "agent"), clock=180)
    conflict = find_conflict(broken)
    assert conflict is not None
    assert conflict.arithmetic == (
        "1 min (part 1 of step 1 of Cobbler) + 1 min (the last part of step 1 of Cobbler) = 2 min, "
        "more than 30 s (until step 2 of Cobbler starts)"
    )


def test_dropping_constraints_does_not_delay_the_start_of_the_run():
    """Without a fixed start of the run, a delay would make room for the released action."""
    actions = Action("t/a", "t", 5, 5), Action("t/b", "t", 2, 2)
    instance = Instance("run", actions, (Lag("t/a", "t/b"),))
    residual = remaining_problem(instance, PartialSchedule((Piece("t/b", 3, 2, "agent"),), 3))
    freed = without(residual, [one for one in constraints(residual) if one.kind in ("clock", "attendance")])
    assert solve(freed).status == "infeasible"
    assert texts(residual) == ["t/b was started at tick 3", "t/b cannot start before t/a is finished"]


def test_conflict_contains_a_state_that_cannot_be_set_any_more():
    heat, cool = _baking("heat", 5, sets="hot"), _baking("cool", 5, sets="cold")
    instance = _kitchen([heat, cool, _baking("bake", 10, requires="hot")])
    residual = remaining_problem(
        instance, PartialSchedule((Piece("t/heat", 0, 5, "agent"), Piece("t/cool", 5, 5, "agent")), 10)
    )
    conflict_texts = texts(residual)
    assert "t/bake needs the oven to be hot" in conflict_texts
    assert "t/cool was started at minute 5" in conflict_texts


def test_clock_of_a_run_is_one_constraint():
    actions = Action("t/a", "t", 5, 5), Action("t/b", "t", 2, 2, release=9), Action("t/c", "t", 1, 1, release=2)
    residual = remaining_problem(Instance("run", actions, time_limit=12), PartialSchedule((), 8))
    assert [one.text for one in constraints(residual) if one.kind in ("clock", "release")] == [
        "the clock is at tick 8; no open action can start earlier",
        "t/b cannot start before tick 9",
        "t/c cannot start before tick 2",
    ]
    assert texts(residual) == [
        "the clock is at tick 8; no open action can start earlier",
        "all actions must be finished within 12 ticks",
    ]
    clock = [one for one in constraints(residual) if one.kind == "clock"]
    rest = without(residual, clock)
    assert {lag.after: lag.minimum for lag in rest.lags if lag.before == NOW} == {"t/a": 0, "t/b": 9, "t/c": 2}
    assert solve(rest).makespan == 11


def test_feasible_instances_have_no_conflict():
    for name in ("recipe2plan/timed/Cobbler_Pancakes", "timearena/household1", "asynctool/files_1"):
        assert find_conflict(load(name)) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", sample(["recipe2plan/timed/Cobbler_Pancakes", "timearena/household1", "asynctool/files_1"], 3)
)
def test_time_limit_one_tick_below_the_optimum_has_a_conflict(name):
    problem = load(name)
    tight = replace(problem, benchmark="generic", origin=problem, time_limit=solve(problem).makespan - 1)
    conflict = find_conflict(tight)
    assert conflict is not None
    assert conflict.minimal
    assert "limit" in {constraint.kind for constraint in conflict.constraints}
    assert solve(only(tight, conflict.constraints)).status == "infeasible"
    assert all(solve(weaker).schedule is not None for weaker in smaller(conflict, tight))
    assert find_conflict(replace(tight)) == conflict  # deterministic


def test_timeout_is_not_a_proof_of_infeasibility(monkeypatch):
    impossible = _kitchen([Action("t/a", "t", 3, 3), Action("t/b", "t", 4, 4)], time_limit=6)
    conflict = find_conflict(
        impossible, time_limit=0.0
    )  # the bound proves infeasibility at once, but no constraint is tested
    assert conflict is not None
    assert (conflict.status, conflict.minimal, len(conflict.constraints)) == ("infeasible", False, 3)
    assert conflict.lines()[0] == "k is infeasible: these 3 constraints cannot all be met:"
    monkeypatch.setattr(conflicts, "decide", lambda *_, **__: conflicts.Verdict("unknown", "time limit"))
    conflict = find_conflict(impossible)
    assert conflict is not None
    assert (conflict.status, conflict.constraints, conflict.minimal) == ("unknown", (), False)
    assert "feasibility unknown" in conflict.lines()[0]


def test_constraint_is_retained_if_its_test_is_not_settled(monkeypatch):
    impossible = _kitchen([Action("t/a", "t", 3, 3), Action("t/b", "t", 4, 4)], time_limit=6)
    decide = conflicts.decide

    def undecided(instance, seconds, *, exact_grid):
        attended_count = sum(action.attended > 0 for action in instance.actions)
        return conflicts.Verdict("unknown") if attended_count == 1 else decide(instance, seconds, exact_grid=exact_grid)

    monkeypatch.setattr(conflicts, "decide", undecided)
    conflict = find_conflict(impossible)
    assert conflict is not None
    assert not conflict.minimal
    assert {one.kind for one in conflict.constraints} == {"attendance", "limit"}


def test_a_constraint_of_another_instance_is_refused():
    instance = load("timearena/household1")
    with pytest.raises(InputError, match="is not a constraint of timearena/household1"):
        without(instance, [Constraint("release", ("household1/wash cup",), "")])


def test_copies_of_an_instance_do_not_share_cached_constraints():
    instance = _kitchen([Action("t/a", "t", 3, 3)], time_limit=5)
    assert [one.kind for one in constraints(instance)] == ["attendance", "limit"]
    assert [one.kind for one in constraints(replace(instance, time_limit=None))] == ["attendance"]
    assert [one.kind for one in constraints(instance)] == ["attendance", "limit"]


def test_actions_named_like_internal_ones_have_correct_conflicts():
    actions = Action(NOW, "now", 2, 2), Action("t/a", "t", 3, 3), Action("t/b", "t", 3, 3), Action("t/a#1", "t", 1, 1)
    lags = Lag(NOW, "t/a", 3), Lag(NOW, "t/b", 5, 7), Lag("t/a#1", "t/a", 4), Lag(NOW, "t/a#1", 2, 2)
    instance = Instance("odd", actions, lags, time_limit=10)
    conflict = find_conflict(instance)
    assert conflict is not None
    assert solve(only(instance, conflict.constraints)).status == "infeasible"
    assert all(solve(weaker).schedule is not None for weaker in smaller(conflict, instance))


def test_conflict_with_a_time_limit_that_is_no_multiple_of_the_durations():
    stew = Action("t/stew", "t", 4, 0, modes=(Mode((Demand("stove", 2),)),))
    fry = Action("t/fry", "t", 2, 2, modes=(Mode((Demand("stove", 3),)),))
    conflict = find_conflict(Instance("p", (stew, fry), resources=(Resource("stove", 3),), time_limit=5))
    assert (conflict.status, conflict.minimal) == ("infeasible", True)
    assert {constraint.kind for constraint in conflict.constraints} == {"use", "limit"}


def test_arithmetic_is_left_out_without_time():
    actions = tuple(Action(f"t/{n}", "t", 1, 0, agents=()) for n in range(9))
    chain = _kitchen(actions, [Lag(f"t/{n}", f"t/{n + 1}") for n in range(8)], time_limit=8)
    assert find_conflict(chain).arithmetic.endswith("more than 8 min (time limit)")
    conflict = find_conflict(chain, time_limit=0.0)
    assert (conflict.status, conflict.minimal, conflict.arithmetic) == ("infeasible", False, "")


def _lines(instance: Instance) -> list[str]:
    conflict = find_conflict(instance)
    assert conflict is not None
    assert conflict.minimal
    assert solve(only(instance, conflict.constraints)).status == "infeasible"
    for weaker in smaller(conflict, instance):
        assert solve(weaker).status == "optimal"
    return conflict.lines()[1:]


def _shop(*actions: Action, **fields: object) -> Instance:
    fields = {"unit": "hour", "seconds_per_tick": 3600, **fields}
    return Instance("shop", actions, **fields)


#: Somebody works from 8:00 to 16:00.
WORKING_DAY = Calendar(("agent",), ((0, 8), (16, 24)), 24)


def test_conflict_of_a_deadline_counts_the_time_off():
    actions = [
        Action(f"order 7/{name}", "order 7", hours, hours, deadline=30) for name, hours in [("cut", 4), ("sew", 6)]
    ]
    shop = _shop(*actions, Action("order 8/cut", "order 8", 8, 8), calendars=(WORKING_DAY,))
    assert _lines(shop) == [
        "- order 7/cut must be finished by hour 30",
        "- order 7/cut holds the agent for 4 h",
        "- order 7/sew must be finished by hour 30",
        "- order 7/sew holds the agent for 6 h",
        "- the agent is off from hour 0 to hour 8 and from hour 16 to hour 24, every 24 h",
        "4 h (order 7/cut) + 6 h (order 7/sew) = 10 h of work, but the agent has 8 h for it, "
        "as the last of their deadlines is at hour 30 and the agent is off for 22 h of that time",
    ]


def test_calendar_that_decides_pauses_is_a_fact_of_the_conflict():
    sew = Action("order 7/sew", "order 7", 10, 10, deadline=30, pauses_in_breaks=True)
    assert _lines(_shop(sew, calendars=(WORKING_DAY,))) == [
        "- order 7/sew must be finished by hour 30",
        "  (order 7/sew takes 10 h and pauses while the agent is off "
        "from hour 0 to hour 8 and from hour 16 to hour 24, every 24 h)",
    ]


def test_dropped_attendance_keeps_the_pauses_of_an_action():
    boil = Action("t/boil", "t", 3, 3, pauses_in_breaks=True)
    serve = Action("t/serve", "t", 1, 0, agents=())
    cook = _shop(boil, serve, lags=(Lag("t/boil", "t/serve", 2),), calendars=(Calendar(("agent",), ((1, 6),)),))
    (attendance,) = [constraint for constraint in constraints(cook) if constraint.kind == "attendance"]
    weakened = without(cook, [attendance])
    assert weakened.variants["t/boil"][0].agents != ("agent",)
    assert solve(weakened).makespan == solve(cook).makespan == 11


def test_conflict_of_windows_is_printed_as_a_sum():
    paint = Action("t/paint", "t", 2, 0, agents=(), windows=((1, 4), (8, 12)))
    dry = Action("t/dry", "t", 6, 0, agents=(), deadline=8)
    assert _lines(_shop(paint, dry, lags=(Lag("t/paint", "t/dry"),))) == [
        "- t/paint can only run from hour 1 to hour 4 or from hour 8 to hour 12",
        "- t/dry must be finished by hour 8",
        "- t/dry cannot start before t/paint is finished",
        "1 h (the first window of t/paint) + 2 h (t/paint) + 6 h (t/dry) = 9 h, more than 8 h (the deadline of t/dry)",
    ]


def test_conflict_of_a_budget_names_the_amounts_of_all_modes():
    modes = Mode((Demand("money", 2),)), Mode((Demand("money", 3),), duration=1)
    cuts = [Action(f"t/{name}", "t", 4, 0, modes=modes, agents=()) for name in "ab"]
    shop = _shop(*cuts, resources=(Resource("money", 4, renewable=False),), time_limit=3)
    assert _lines(shop) == [
        "- t/a uses up 2 or 3 of the 4 units of money",
        "- t/b uses up 2 or 3 of the 4 units of money",
        "- all actions must be finished within 3 h",
    ]


def test_conflict_of_modes_names_every_attended_time():
    cut = Action("t/cut", "t", 4, 4, modes=(Mode(), Mode(duration=6, attended=5)))
    assert _lines(_shop(cut, calendars=(Calendar(("agent",), ((3, 4),), 4),))) == [
        "- t/cut holds the agent for 4 h or for the first 5 h of its 6 h",
        "- the agent is off from hour 3 to hour 4, every 4 h",
    ]


def test_weakened_interruptible_action_may_still_use_several_windows():
    wait = Action("t/wait", "t", 2, 0, interruptible=True, agents=(), windows=((0, 1), (3, 4)))
    assert solve(only(_shop(wait), constraints(_shop(wait)))).makespan == 4


def _of_mix(seed: int) -> Instance | None:
    """Return a random instance of the larger model that a conflict can be about, probably infeasible."""
    try:
        instance = plain_mix(seed, pauses=True)
    except InputError:  # an action of an optional task fits in none of its windows
        return None
    best = solve(instance)
    return instance if best.makespan is None else replace(instance, time_limit=max(0, best.makespan - 1 - seed % 2))


@pytest.mark.slow
@pytest.mark.parametrize("block", sample(range(6), 6))
def test_conflicts_of_the_larger_model_agree_with_exhaustive_search(block):
    checked = 0
    for seed in range(block, 180, 6):
        instance = _of_mix(seed)
        if instance is None:
            continue
        conflict = find_conflict(instance)
        if conflict is None:
            assert ModelSearch(instance).best().status == "optimal"
            continue
        assert conflict.minimal, instance.name
        for status, weakened in weakened_with_status(conflict, instance):
            assert solve(weakened).status == status, (instance.name, conflict.lines())
            if is_small(weakened):
                assert ModelSearch(weakened).best().status == status, (instance.name, conflict.lines())
                checked += 1
    assert checked > 20


@pytest.mark.slow
@pytest.mark.parametrize("block", sample(range(4), 4))
def test_dropping_constraints_of_the_larger_model_never_raises_the_optimum(block):
    for seed in range(block, 80, 4):
        instance = _of_mix(seed)
        if instance is None:
            continue
        random, shuffled = Random(seed), list(constraints(instance))
        random.shuffle(shuffled)
        best = None
        for k in sorted({*(random.randint(0, len(shuffled)) for _ in range(4)), len(shuffled)}):
            makespan = solve(without(instance, shuffled[:k])).makespan
            assert best is None or (makespan is not None and makespan <= best), (instance.name, shuffled[:k])
            best = makespan


#: The agent is off until tick 10.
LATE = Calendar(("agent",), ((0, 10),))


def test_deadline_of_a_beginning_at_tick_0_is_no_constraint():
    """Without it, calendars could not count from the beginning."""
    actions = Action("s/begin", "s", 0, 0, agents=(), deadline=0), Action("t/work", "t", 2, 2)
    conflict = find_conflict(Instance("day", actions, (Lag("s/begin", "t/work", 0, 3),), calendars=(LATE,)))
    kinds = [constraint.kind for constraint in conflict.constraints]
    assert kinds == ["maximum", "attendance", "calendar"]


def test_action_that_needs_no_agent_any_more_is_no_beginning():
    actions = Action("s/sign", "s", 0, 0), Action("t/work", "t", 2, 2, deadline=5)
    conflict = find_conflict(Instance("day", actions, (Lag("s/sign", "t/work", 0, 3),), calendars=(LATE,)))
    kinds = [constraint.kind for constraint in conflict.constraints]
    assert kinds == ["deadline", "attendance", "calendar"]
