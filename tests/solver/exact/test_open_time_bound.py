"""Bound by work between off-times: valid for every schedule, and exact if work fills all open time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from time import process_time

import pytest
from support.model_search import ModelSearch, TooManyChecksError, best_schedule
from support.random_model_instances import model_mix
from support.samples import sample

from planoracle.instances.errors import InputError
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.solver.exact.bounds import lower_bound, windows
from planoracle.solver.exact.open_time_bound import open_time_bound

#: Blocks of random seeds, of which a run tries some.
BLOCKS = 20
#: Checks of the exhaustive search after which a seed is left out.
MAX_CHECKS = 20_000
#: A horizon that no schedule of this module reaches.
FAR = 1000


def bound_of(instance: Instance, until: int = FAR) -> int:
    return open_time_bound(instance, windows(instance), until)


def use(*names: str) -> Mode:
    return Mode(tuple(Demand(name) for name in names))


def shop(actions: list[Action], machines: str, *calendars: Calendar, agents: tuple[str, ...] = ("ann",)) -> Instance:
    """Return an instance with machines of one unit, which have one letter each."""
    return Instance("shop", tuple(actions), (), tuple(map(Resource, machines)), agents, calendars=calendars)


def jobs(count: int, duration: int, *modes: Mode, agents: tuple[str, ...] | None = None) -> list[Action]:
    """Return equal actions that pause in breaks, and hold an agent unless none is eligible."""
    attended = 0 if agents == () else duration
    action = Action("t/0", "t", duration, attended, modes=modes, agents=agents, pauses_in_breaks=True)
    return [replace(action, id=f"t/{number}") for number in range(count)]


def test_work_goes_around_lunch_and_night() -> None:
    lunch = Calendar(("ann",), ((4, 5),), 24)
    night = Calendar(("ann",), ((8, 24),), 24)
    office = shop(jobs(3, 3, Mode()), "", lunch, night)
    assert bound_of(office) == 26  # 7 ticks on the first day, 2 on the second
    assert best_schedule(office, 30).makespan == 26
    assert bound_of(office, 24) == 24
    assert bound_of(office, 5) == 5


def test_night_before_the_first_morning_counts() -> None:
    office = shop(jobs(1, 3, Mode()), "", Calendar(("ann",), ((20, 30),), 24))
    assert bound_of(office) == 9


def test_tail_follows_the_last_work() -> None:
    night = Calendar(("ann",), ((8, 24),), 24)
    dry = Action("t/dry", "t", 3, 0, agents=())
    office = shop([*jobs(3, 3, Mode()), dry], "", night)
    office = replace(office, lags=tuple(Lag(f"t/{number}", "t/dry") for number in range(3)))
    assert bound_of(office) == 28  # 9 ticks until 25, then 3
    assert best_schedule(office, 30).makespan == 28


def test_machines_that_are_off_at_different_times_share_their_work() -> None:
    work = jobs(2, 3, use("A"), use("B"), agents=())
    instance = shop(work, "AB", Calendar(("A",), ((0, 4),)), Calendar(("B",), ((3, 9),)))
    assert bound_of(instance) == 7  # B has 3 ticks until 3, A has 3 from 4 on
    assert best_schedule(instance, 12).makespan == 7


def test_machine_rests_while_all_eligible_agents_are_off() -> None:
    off = Calendar(("ann",), ((2, 6),)), Calendar(("bob",), ((4, 9),))
    instance = shop(jobs(2, 2, use("A"), agents=("ann", "bob")), "A", *off, agents=("ann", "bob", "cem"))
    assert bound_of(instance) == 4
    on_another_machine = Action("t/other", "t", 1, 1, modes=(use("B"),), agents=("ann", "bob"))
    actions = *instance.actions, on_another_machine
    both_off = Calendar(("ann", "bob"), ((2, 6),))
    instance = replace(instance, actions=actions, resources=(Resource("A"), Resource("B")), calendars=(both_off,))
    assert bound_of(instance) == 8
    assert best_schedule(instance, 10).makespan == 8


def test_machine_works_without_agents_if_an_action_needs_none() -> None:
    alone = Action("t/alone", "t", 3, 0, modes=(use("A"),), agents=())
    instance = shop([alone, *jobs(1, 1, use("A"))], "A", Calendar(("ann",), ((1, 9),)))
    assert bound_of(instance) == 4
    assert best_schedule(instance, 12).makespan == 4


def test_agents_of_all_modes_are_eligible() -> None:
    modes = replace(use("A"), agents=("ann",)), replace(use("A"), agents=("bob",))
    instance = shop(jobs(1, 2, *modes), "A", Calendar(("ann",), ((0, 5),)), agents=("ann", "bob"))
    assert bound_of(instance) == 2
    assert best_schedule(instance, 8).makespan == 2


def test_work_that_others_may_do_is_not_that_of_an_agent() -> None:
    own = Action("t/own", "t", 3, 3, agents=("ann",))
    instance = shop([own, *jobs(1, 3, Mode())], "", agents=("ann", "bob"))
    assert bound_of(instance) == 3


def test_agents_rest_while_all_machines_are_off() -> None:
    instance = shop([*jobs(1, 2, use("A")), Action("t/b", "t", 2, 2, modes=(use("B"),))], "AB")
    instance = replace(instance, calendars=(Calendar(("A", "B"), ((3, 7),)),))
    assert bound_of(instance) == 8
    assert best_schedule(instance, 10).makespan == 8


def test_unattended_ticks_follow_the_attended_ones_and_need_no_agent() -> None:
    bake = Action("t/bake", "t", 6, 2)
    instance = shop([bake, replace(bake, id="t/more")], "", Calendar(("ann",), ((2, 5),)))
    assert bound_of(instance) == 11  # attended until 2, and from 5 to 7
    assert best_schedule(instance, 12).makespan == 11
    instance = shop([replace(bake, attended=0)], "", Calendar(("ann",), ((1, 9),)))
    assert bound_of(instance) == 0


def test_mode_with_the_least_work_counts() -> None:
    modes = replace(use("A"), duration=5), replace(use("A"), duration=2, attended=1)
    instance = shop([Action("t/a", "t", 5, 5, modes=modes)], "A", Calendar(("A",), ((0, 1),)))
    assert bound_of(instance) == 3
    modes = *modes, Mode(duration=0)
    instance = replace(instance, actions=(replace(instance.actions[0], modes=modes),))
    assert bound_of(instance) == 0
    instance = replace(instance, actions=(*instance.actions, Action("t/b", "t", 4, 0, modes=(use("A"),))))
    assert bound_of(instance) == 5  # whatever the first action does


def test_shared_settings_budgets_and_amounts_of_zero_take_no_room() -> None:
    heat = Mode((Demand("oven", 1, sets="hot"), Demand("money", 1), Demand("bench", 0)))
    actions = tuple(Action(f"t/{number}", "t", 4, 0, modes=(heat,), agents=()) for number in range(3))
    resources = Resource("oven", 1, "cold"), Resource("money", 3, renewable=False), Resource("bench")
    instance = Instance("kitchen", actions, (), resources)
    assert bound_of(instance) == 0
    assert best_schedule(instance, 12).makespan == 4
    instance = shop(jobs(2, 3, Mode((Demand("A", 0),))), "A", agents=("ann", "bob"))
    assert bound_of(instance) == 3


def test_optional_tasks_have_no_bound() -> None:
    instance = replace(shop(jobs(2, 3, use("A")), "A"), optional=(("t", 1),))
    assert bound_of(instance) == 0


def test_work_that_never_ends_reaches_the_horizon() -> None:
    always = Calendar(("A",), ((0, 1),), 2), Calendar(("A",), ((1, 2),), 2)
    assert bound_of(shop(jobs(1, 3, use("A"), agents=()), "A", *always)) == FAR


def test_large_shop_takes_little_time_and_counts_some_off_times() -> None:
    random = Random(1)
    machines = [f"m{number}" for number in range(50)]
    actions = []
    for number in range(5000):
        modes = tuple(map(use, random.sample(machines, 2)))
        actions.append(Action(f"t/{number}", "t", 35, 0, modes=modes, release=number // 5, agents=()))
    resources = tuple(map(Resource, machines))
    instance = Instance("large", tuple(actions), (), resources, calendars=(Calendar(tuple(machines), ((3, 5),), 7),))
    start = process_time()
    bound = open_time_bound(instance, windows(instance), 10**6)
    assert process_time() - start < 10  # less than a second on an idle machine
    without_breaks = bound_of(replace(instance, calendars=()), 10**6)
    assert without_breaks == 3500
    assert without_breaks < bound <= without_breaks * 7 // 5


def random_instances(block: int) -> Iterator[tuple[int, Instance, int]]:
    """Yield seeds, instances without optional tasks, and their optima; half of them have many off-times."""
    for seed in range(block, 80 * BLOCKS, BLOCKS):
        try:
            instance = replace(model_mix(seed), optional=())
            if seed // BLOCKS % 2:
                instance = with_off_times(instance, seed)
            makespan = ModelSearch(instance, max_checks=MAX_CHECKS).best().makespan
        except (InputError, TooManyChecksError):
            continue
        if makespan is not None:
            yield seed, instance, makespan


def with_off_times(instance: Instance, seed: int) -> Instance:
    """Return an instance with short off-times of many members instead of its calendars and ways."""
    random = Random(seed)
    members = [*instance.agents, *(resource.name for resource in instance.resources if resource.renewable)]
    calendars = []
    for _ in range(random.choice((1, 2, 3))):
        begin = random.randint(0, 3)
        off = ((begin, begin + random.randint(1, 2)),)
        calendars.append(Calendar(tuple(random.sample(members, 2)), off, random.choice((None, None, 3, 4, 5))))
    actions = tuple(map(without_places, instance.actions))
    return replace(instance, actions=actions, calendars=tuple(calendars), transitions=())


def without_places(action: Action) -> Action:
    modes = []
    for mode in action.modes:
        demands = tuple(replace(demand, family=None) for demand in mode.demands)
        modes.append(replace(mode, demands=demands))
    return replace(action, place=None, modes=tuple(modes))


@pytest.mark.parametrize("block", sample(range(BLOCKS)))
def test_bound_never_exceeds_the_optimum(block: int) -> None:
    checked = tight = 0
    for seed, instance, makespan in random_instances(block):
        bounds = windows(instance)
        for until in (FAR, makespan, makespan - 1, seed % 10):
            assert open_time_bound(instance, bounds, until) <= min(until, makespan), f"seed {seed}"
        checked += 1
        bound = open_time_bound(instance, bounds, FAR)
        tight += lower_bound(instance, bounds) < bound == makespan
    assert checked > 25
    assert tight > 3
