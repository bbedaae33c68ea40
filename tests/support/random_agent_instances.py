"""Random small instances for one to four agents; deterministic for a seed."""

from __future__ import annotations

from random import Random

from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource


def agent_workshop(seed: int) -> Instance:
    """Return two to five short actions with eligible agents, interruptions, unattended starts and lags."""
    random = Random(seed)
    agents = ("a", "b", "c", "d")[: random.choice((2, 2, 2, 3, 3, 4))]
    differ = random.random() < 0.5
    groups = [agents[: random.randint(1, len(agents))], agents[random.randrange(len(agents)) :]]
    actions: list[Action] = []
    lags: list[Lag] = []
    for number in range(random.randint(2, 5)):
        kind = random.random()
        duration = random.choice((1, 2, 2, 3))
        attended = duration if kind < 0.65 else 0 if kind < 0.92 else random.randint(0, duration)
        eligible = random.choice(groups) if differ and random.random() < 0.6 else None
        if not attended and random.random() < 0.1:
            eligible = ()
        actions.append(
            Action(
                id=f"t/{number}",
                task="t",
                duration=duration,
                attended=attended,
                interruptible=attended in (0, duration) and random.random() < 0.4,
                modes=(Mode((Demand("bench"),) if random.random() < 0.15 else ()),),
                agents=eligible,
                release=random.choice((0, 0, 0, 1)),
            )
        )
        for earlier in range(number):
            if random.random() < 0.3:
                least = random.choice((0, 0, 0, 1, None))
                most = random.randint(0, 2) if least is None or random.random() < 0.4 else None
                lags.append(Lag(f"t/{earlier}", f"t/{number}", least, most if most is None else max(least or 0, most)))
    return Instance(
        f"crewshop-{seed}",
        tuple(actions),
        tuple(lags),
        (Resource("bench"),),
        agents,
        time_limit=random.choice((None, 6)),
    )


def interruption_workshop(seed: int) -> Instance:
    """Return two to four short actions in conflict: starts fall into the interruptions of other actions.

    The instance has one to four agents, interchangeable or not; actions that are unattended or need no agent, of length
    0, with releases, modes, resources and one state; lags of every sign that point forwards or backwards.
    """
    random = Random(seed)
    while True:
        try:
            return _interruption_workshop(random, f"pauseshop-{seed}")
        except InputError:  # a cycle of lags, a state that nothing sets
            continue


def _interruption_workshop(random: Random, name: str) -> Instance:
    agents = ("a", "b", "c", "d")[: random.choice((1, 1, 2, 2, 2, 3, 4))]
    crew = agents[: random.choice((1, len(agents)))]  # eligible for most actions
    kinds = ["paused", random.choice(("started", "started", "soaked"))]
    kinds += random.choices(("paused", "started", "soaked", "busy", "mixed"), k=random.choice((0, 0, 1, 1, 2)))
    random.shuffle(kinds)
    actions = []
    for number, kind in enumerate(kinds):
        duration = random.choice({"paused": (2, 2, 3, 4), "started": (0, 1, 2, 3)}.get(kind, (1, 2, 3)))
        attended = {"paused": duration, "busy": duration, "mixed": random.randint(0, duration)}.get(kind, 0)
        eligible = crew if random.random() < 0.7 else random.choice((None, agents[random.randrange(len(agents)) :]))
        if not attended and random.random() < 0.15:
            eligible = ()
        uses = (Demand("bench", random.randint(1, 2)),) if random.random() < 0.2 else ()
        if kind in ("busy", "mixed", "started") and random.random() < 0.15:
            uses += (Demand("kiln", sets=random.choice(("hot", "cold"))),)
        elif kind != "soaked" and random.random() < 0.15:
            uses += (Demand("kiln", requires=random.choice(("hot", "cold"))),)
        modes = [Mode(uses)]
        if random.random() < 0.15:
            after = (f"t/{random.randrange(len(kinds))}",) if random.random() < 0.5 else ()
            modes.append(Mode((Demand("bench"),), after=after))
        actions.append(
            Action(
                id=f"t/{number}",
                task="t",
                duration=duration,
                attended=attended,
                interruptible=kind in ("paused", "soaked"),
                modes=tuple(modes),
                agents=eligible,
                release=random.choice((0, 0, 1, 1, 2, 3) if not attended else (0, 0, 0, 1)),
            )
        )
    lags = []
    for number in range(len(actions)):
        for other in range(len(actions)):
            if other != number and random.random() < (0.25 if other < number else 0.08):
                least = random.choice((0, 0, 1, -1, -2, None, None) if other < number else (-1, -2, -3, None))
                most = random.randint(-3, 2) if least is None or random.random() < 0.3 else None
                lags.append(
                    Lag(f"t/{other}", f"t/{number}", least, most if None in (least, most) else max(least, most))
                )
    tools = (Resource("bench", capacity=2), Resource("kiln", state=random.choice((None, "hot"))))
    return Instance(name, tuple(actions), tuple(lags), tools, agents, time_limit=random.choice((None, None, 7)))
