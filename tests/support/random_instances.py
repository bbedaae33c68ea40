"""Random small instances; deterministic for a seed."""

from __future__ import annotations

from dataclasses import fields, replace
from random import Random
from typing import Any

from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource

OBJECTS = ("oven", "microwave", "stove")


def kitchen(seed: int, most: int = 6) -> Instance:
    """Return two recipes with at most ``most`` steps in total, with all features of Recipe2Plan.

    Unattended steps are not interruptible, since `Instance` rejects such recipes: see `kitchen_arguments`.
    """
    random = Random(seed)
    sizes = [random.randint(1, most // 2), random.randint(1, most - most // 2)]
    actions: list[Action] = []
    lags: list[Lag] = []
    preheats = random.random() < 0.6
    degrees = [random.choice(("350", "450")) for _ in sizes]
    length = random.randint(1, 3)  # the same for all preheats, so that two can be shared
    for r, size in enumerate(sizes):
        recipe = f"R{r}"
        for number in range(size):
            autonomous = random.random() < 0.45
            demands: list[Demand] = []
            duration = random.randint(1, 3)
            interruptible = not autonomous and random.random() < 0.5
            baking = preheats and number == size - 1 and size > 1
            if preheats and number == 0 and size > 1:
                demands, duration, interruptible = [Demand("oven", sets=degrees[r])], length, False
                autonomous = random.random() < 0.8
            elif baking:
                demands = [Demand("oven", requires=degrees[r])]
            elif random.random() < 0.35:
                demands = [Demand(random.choice(OBJECTS))]
            actions.append(
                Action(
                    id=f"{recipe}/{number}",
                    task=recipe,
                    duration=duration,
                    attended=0 if autonomous else duration,
                    interruptible=interruptible,
                    modes=(Mode(tuple(demands)),),
                )
            )
            before = {0} if baking else set()
            before |= {earlier for earlier in range(number) if random.random() < 0.45}
            for earlier in sorted(before):
                limit = random.randint(0, 2) if random.random() < 0.4 else None
                lags.append(Lag(f"{recipe}/{earlier}", f"{recipe}/{number}", 0, limit))
            others = [e for e in range(number) if e not in before and not actions[-number - 1 + e].interruptible]
            if others and random.random() < 0.2:  # a maximum lag without a minimum lag
                earlier = random.choice(others)
                lags.append(Lag(f"{recipe}/{earlier}", f"{recipe}/{number}", None, random.randint(0, 2)))
    return Instance(
        name=f"kitchen-{seed}",
        actions=tuple(actions),
        lags=tuple(lags),
        resources=tuple(Resource(name) for name in OBJECTS),
        benchmark="recipe2plan",
        unit="second",
        seconds_per_tick=1,
    )


def kitchen_arguments(seed: int, most: int = 6) -> tuple[dict[str, Any], list[str]]:
    """Return arguments of `Instance` for a kitchen, and the ids of its invalid interruptible steps.

    An unattended step must not be interruptible: by the rules of Recipe2Plan its pieces might overlap.
    """
    random, plain = Random(f"pausable {seed}"), kitchen(seed, most)
    wrong = [
        action.id
        for action in plain.actions
        if not action.attended and not any(d.sets for d in action.modes[0].demands) and random.random() < 0.3
    ]
    actions = tuple(
        replace(action, interruptible=action.interruptible or action.id in wrong) for action in plain.actions
    )
    # Interruptible steps get no maximum lag without a minimum lag.
    lags = tuple(lag for lag in plain.lags if lag.minimum is not None or lag.before not in wrong)
    parts = {field.name: getattr(plain, field.name) for field in fields(Instance) if field.init}
    return parts | {"actions": actions, "lags": lags}, wrong


def workshop(seed: int) -> Instance:
    """Return up to four actions with all features: agents, modes, capacities, states, lags."""
    random = Random(seed)
    agents = ("a", "b")[: random.randint(1, 2)]
    resources = (
        Resource("bench", capacity=2),
        Resource("kiln", capacity=random.randint(1, 2), state=random.choice((None, "hot"))),
    )
    count = random.randint(2, 4)
    settable = ["hot", "cold"] if random.random() < 0.6 else []
    plans = []
    for _ in range(count):
        duration = random.randint(1, 3)
        kind = random.random()
        attended = duration if kind < 0.5 else 0 if kind < 0.8 else random.randint(0, duration)
        interruptible = attended in (0, duration) and random.random() < 0.35
        sets = random.choice(settable) if settable and not interruptible and random.random() < 0.5 else None
        plans.append((duration, attended, interruptible, sets))
    reachable = {state for *_, state in plans} | {resources[1].state}
    actions, lags = [], []
    for number, (duration, attended, interruptible, sets) in enumerate(plans):
        requires = random.choice(("hot", "cold")) if random.random() < 0.4 else None
        if requires not in reachable:
            requires = None
        uses: list[Demand] = []
        if sets or requires or random.random() < 0.2:
            uses.append(Demand("kiln", amount=1, requires=requires, sets=sets))
        if uses and not attended:
            interruptible = False
        modes = [Mode(tuple(uses))]
        if random.random() < 0.4:
            modes[0] = Mode((*uses, Demand("bench", amount=random.randint(1, 2))))
        if random.random() < 0.25:
            modes.append(Mode((Demand("bench", amount=2),)))
        if number and random.random() < 0.3:
            modes[-1] = replace(modes[-1], after=(f"t/{random.randrange(number)}",))
        eligible = None if random.random() < 0.5 else tuple(a for a in agents if random.random() < 0.6)
        if attended and eligible == ():
            eligible = agents[:1]
        if eligible and random.random() < 0.3:
            eligible = eligible[::-1]
        actions.append(
            Action(
                id=f"t/{number}",
                task="t",
                duration=duration,
                attended=attended,
                interruptible=interruptible,
                modes=tuple(modes),
                agents=eligible,
                release=random.choice((0, 0, 0, 1, 2)),
            )
        )
        for earlier in range(number):
            if random.random() < 0.35:
                least = random.choice((0, 0, 1, None))
                most = random.choice((None, 0, 1, 2)) if least is not None else random.randint(0, 2)
                if least is not None and most is not None:
                    most = max(least, most)
                lags.append(Lag(f"t/{earlier}", f"t/{number}", least, most))
    return Instance(
        name=f"workshop-{seed}",
        actions=tuple(actions),
        lags=tuple(lags),
        resources=resources,
        agents=agents,
        time_limit=random.choice((None, None, 7)),
    )


def ovens(seed: int) -> Instance:
    """Return three or four uses of one resource with a state that share its capacity or not."""
    random = Random(seed)
    alike = random.random() < 0.7  # uses that share capacity have the same interval
    agents = ("a", "b", "c")[: random.choice((1, 2, 3, 3))]
    capacity, first = random.choice((1, 2, 2, 3)), random.choice((None, "hot", "hot", "hot"))
    states = [None, "hot", random.choice(("hot", "cold")), random.choice((None, "hot", "hot", "cold"))]
    states = random.sample(states, random.choice((3, 4, 4)))
    actions = []
    for number, state in enumerate(states):
        duration = 2 if alike else random.randint(0, 2)
        attended = random.choice((0, duration, min(1, duration)))
        reachable = {first, *states[:number], *states[number + 1 :]} - {None}
        requires = random.choice([None, None, *sorted(map(str, reachable))])
        use = Demand("oven", random.choice((1, 1, capacity)), requires, state)
        free = attended == 0 and random.random() < 0.4
        pausable = state is None and attended == duration > 1 and random.random() < 0.3
        actions.append(
            Action(f"t/{number}", "t", duration, attended, pausable, (Mode((use,)),), agents=() if free else None)
        )
    return Instance(f"ovens-{seed}", tuple(actions), (), (Resource("oven", capacity, first),), agents)


def presses(seed: int) -> Instance:
    """Return three or four uses of one resource of three to six units, many of half of it or more."""
    random = Random(seed)
    capacity, state, plain = random.randint(3, 6), random.choice((None, "hot")), random.random() < 0.3
    actions = []
    for number in range(random.randint(3, 4)):
        amount = random.choice((1, capacity // 2, (capacity + 1) // 2, capacity // 2 + 1, capacity - 1, capacity))
        sets = None if plain else random.choice((None, None, "hot", "hot", "cold"))
        duration = random.choice((1, 2, 2, 3))
        pausable = plain and random.random() < 0.3
        modes = (Mode((Demand("press", amount, sets=sets),)),)
        release = random.choice((0, 0, 1))
        actions.append(Action(f"t/{number}", "t", duration, 0, pausable, modes, release=release, agents=()))
    lags = (Lag("t/0", "t/1", 0),) if random.random() < 0.3 else ()
    return Instance(
        f"presses-{seed}", tuple(actions), lags, (Resource("press", capacity, None if plain else state),), agents=()
    )


def kilns(seed: int) -> Instance:
    """Return six to ten uses of one resource with a state that often changes."""
    random = Random(seed)
    agents, actions, lags = ("a", "b")[: random.randint(1, 2)], [], []
    for number in range(random.randint(6, 10)):
        duration, kind, amount = random.choice((0, 1, 1, 2, 2, 3)), random.random(), random.choice((1, 1, 2))
        sets = random.choice("hc") if kind < 0.35 else None
        requires = random.choice("hc") if 0.3 < kind < 0.85 else None
        uses = [Demand("kiln", amount, requires, sets)] if kind < 0.95 else []
        if random.random() < 0.2:
            uses.append(Demand("bench"))
        attended = random.choice((0, 0, duration, min(1, duration)))
        free = not attended and random.random() < 0.4
        actions.append(
            Action(f"t/{number}", "t", duration, attended, modes=(Mode(tuple(uses)),), agents=() if free else None)
        )
        if number and random.random() < 0.3:
            most = random.choice((None, None, 3, 6))
            lags.append(Lag(f"t/{random.randrange(number)}", f"t/{number}", 0, most))
    kiln = Resource("kiln", random.choice((2, 2, 3)), random.choice("hc"))
    return Instance(f"kilns-{seed}", tuple(actions), tuple(lags), (kiln, Resource("bench")), agents)


def job_shop(jobs: int = 20, machines: int = 15) -> Instance:
    """Return a job shop with durations from 1 to 99; the default size is too large to solve in a test."""
    random = Random(jobs)
    actions, lags = [], []
    for job in range(jobs):
        for step, machine in enumerate(random.sample(range(machines), machines)):
            mode = Mode((Demand(f"m{machine}"),))
            actions.append(Action(f"j{job}/{step}", f"j{job}", random.randint(1, 99), 0, modes=(mode,), agents=()))
            lags += [Lag(f"j{job}/{step - 1}", f"j{job}/{step}")] if step else []
    return Instance("shop", tuple(actions), tuple(lags), tuple(Resource(f"m{n}") for n in range(machines)))


def scale(instance: Instance, factor: int) -> Instance:
    """Return an instance with all times multiplied by a factor and without a time limit."""

    def ticks(time: int | None) -> int | None:
        return None if time is None else time * factor

    def spans(pairs: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
        return tuple((begin * factor, end * factor) for begin, end in pairs)

    actions = []
    for action in instance.actions:
        modes = tuple(replace(m, duration=ticks(m.duration), attended=ticks(m.attended)) for m in action.modes)
        times = {name: ticks(getattr(action, name)) for name in ("duration", "attended", "release", "deadline")}
        actions.append(replace(action, modes=modes, windows=spans(action.windows), **times))
    lags = tuple(replace(lag, minimum=ticks(lag.minimum), maximum=ticks(lag.maximum)) for lag in instance.lags)
    calendars = tuple(replace(c, off=spans(c.off), period=ticks(c.period)) for c in instance.calendars)
    transitions = []
    for ways in instance.transitions:
        times_of_ways = tuple((begin, end, time * factor) for begin, end, time in ways.times)
        transitions.append(replace(ways, times=times_of_ways))
    return replace(
        instance,
        actions=tuple(actions),
        lags=lags,
        calendars=calendars,
        transitions=tuple(transitions),
        time_limit=None,
    )
