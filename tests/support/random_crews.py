"""Random small instances for two to four agents, the same for the same seed."""

from __future__ import annotations

from random import Random

from planoracle.instances.model import Action, Demand, Instance, Lag, Mode, Resource


def crewshop(seed: int) -> Instance:
    """Two to five short actions: who may do what, pauses, starts that need somebody free, windows, one bench."""
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
