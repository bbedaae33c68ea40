"""Random tours of agents between places, and the shortest tour of an agent; deterministic for a seed."""

from __future__ import annotations

from itertools import product
from random import Random

from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.transitions import Transitions

DEPOT = "depot"


def tour(seed: int, places: int, *, agents: int = 1, windows: bool = False, missing: float = 0.0) -> Instance:
    """Return an action at each of some places, and ways between the places.

    Times are rounded distances in a square, with up to 3 ticks more in each direction, so that they need not be
    symmetric or obey the triangle inequality.

    Parameters
    ----------
    windows
        Restrict half of the actions to a window in which a visit of a random tour takes place.
    missing
        Share of pairs of places without a way.
    """
    random = Random(f"tour {seed} {places} {agents} {windows}")
    names = [DEPOT, *(f"place {number}" for number in range(1, places + 1))]
    points = {name: (random.randint(0, 60), random.randint(0, 60)) for name in names}
    times = []
    for origin, target in product(names, repeat=2):
        if origin == target or random.random() < missing:
            continue
        across = abs(points[origin][0] - points[target][0])
        along = abs(points[origin][1] - points[target][1])
        times.append((origin, target, round((across**2 + along**2) ** 0.5) + random.randint(0, 3)))
    crew = tuple(f"agent {number}" for number in range(1, agents + 1))
    ways = Transitions(crew, tuple(times), tuple((agent, DEPOT) for agent in crew))
    durations = [random.randint(1, 20) for _ in range(places)]
    allowed = _windows(random, names[1:], durations, ways, agents) if windows else [()] * places
    actions = []
    for number, (place, duration, spans) in enumerate(zip(names[1:], durations, allowed, strict=True), 1):
        actions.append(Action(f"tour/{number}", "tour", duration, duration, windows=spans, place=place))
    name = f"tour-{places}{'-windows' if windows else ''}-{agents}-{seed}"
    return Instance(name, tuple(actions), agents=crew, transitions=(ways,))


def _windows(
    random: Random, places: list[str], durations: list[int], ways: Transitions, agents: int
) -> list[tuple[tuple[int, int], ...]]:
    """Return windows around the visits of a random tour of every agent, for half of the places."""
    times = ways.ways()
    order = random.sample(range(len(places)), len(places))
    windows: list[tuple[tuple[int, int], ...]] = [()] * len(places)
    for first in range(agents):
        clock = 0
        before = DEPOT
        for number in order[first::agents]:
            start = clock + times[before, places[number]]
            clock = start + durations[number]
            before = places[number]
            if random.random() < 0.5:
                windows[number] = ((max(0, start - random.randint(10, 60)), clock + random.randint(10, 60)),)
    return windows


def shortest_tour(instance: Instance) -> int | None:
    """Return the least makespan of a single agent's tour by dynamic programming over sets of visits.

    The agent has no calendar, and all actions are attended for all of their duration.

    Notes
    -----
    Held and Karp, "A dynamic programming approach to sequencing problems", 1962, with windows: to be at a place earlier
    is never worse.
    """
    [transitions] = instance.transitions
    [(_, depot)] = transitions.start
    ways = transitions.ways()
    count = len(instance.actions)
    ends: list[dict[int, int]] = [{} for _ in range(1 << count)]  # by the set of visits made, and the last of them
    for number in range(count):
        _arrive(instance, ends, 0, number, ways.get((depot, _place(instance, number))))
    for visited in range(1, 1 << count):
        for last, end in list(ends[visited].items()):
            for number in range(count):
                if not visited >> number & 1:
                    way = ways.get((_place(instance, last), _place(instance, number)))
                    _arrive(instance, ends, visited, number, None if way is None else end + way)
    return min(ends[-1].values(), default=None)


def _place(instance: Instance, number: int) -> str:
    place = instance.actions[number].place
    assert place is not None
    return place


def _arrive(instance: Instance, ends: list[dict[int, int]], visited: int, number: int, arrival: int | None) -> None:
    """Record the earliest end of a visit after a set of visits."""
    if arrival is None:
        return
    action = instance.actions[number]
    for begin, close in action.windows or ((action.release, 10**9),):
        end = max(arrival, begin) + action.duration
        if end <= close:
            reached = ends[visited | 1 << number]
            reached[number] = min(reached.get(number, end), end)
            return
