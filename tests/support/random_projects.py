"""Random project scheduling problems with time windows, and job shops; deterministic for a seed."""

from __future__ import annotations

from random import Random

from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource


def project(actions: int, seed: int) -> Instance:
    """Return a project with three resources and random minimum and maximum lags; it may be infeasible.

    Resources are scarce if ``seed % 3`` is 0 and plentiful if it is 2.
    """
    random = Random(1000 * actions + seed)
    capacities = [random.randint(8, 12) for _ in range(3)]
    rows, lags = [], []
    for i in range(actions):
        used = random.sample(range(3), random.randint(1, 3))
        demands = tuple(Demand(f"r{k}", random.randint(1, capacities[k] // (2 + seed % 3))) for k in sorted(used))
        length = random.randint(1, 10)
        rows.append(Action(f"project/{i}", "project", length, 0, modes=(Mode(demands),), agents=()))
        for j in sorted(random.sample(range(i), min(i, random.randint(0, 2)))):
            minimum = random.randint(-rows[j].duration, 5)
            maximum = minimum + random.randint(2, 20) if random.random() < 0.25 else None
            lags.append(Lag(f"project/{j}", f"project/{i}", minimum, maximum))
    resources = tuple(Resource(f"r{k}", capacity) for k, capacity in enumerate(capacities))
    return Instance(f"made/{actions}/{seed}", tuple(rows), tuple(lags), resources, agents=())


def job_shop(jobs: int, machines: int, seed: int) -> Instance:
    """Return a job shop in which every job visits all machines once, in random order."""
    random = Random(seed)
    rows, lags = [], []
    for j in range(jobs):
        for k, machine in enumerate(random.sample(range(machines), machines)):
            use = (Mode((Demand(f"m{machine}"),)),)
            rows.append(Action(f"j{j}/{k}", f"j{j}", random.randint(1, 20), 0, modes=use, agents=()))
            if k:
                lags.append(Lag(f"j{j}/{k - 1}", f"j{j}/{k}"))
    resources = tuple(Resource(f"m{machine}", 1) for machine in range(machines))
    return Instance(f"made/job shop/{jobs}x{machines}/{seed}", tuple(rows), tuple(lags), resources, agents=())
