"""The paper's sets of TimeArena: per scenario 10 single tasks, 10 consecutive pairs, 10 consecutive triples."""

from __future__ import annotations

from functools import cache

from planoracle.instances.errors import UnknownNameError
from planoracle.instances.timearena.encode import load as load
from planoracle.instances.timearena.world import task_names, world

SCENARIOS = ("cooking", "household", "lab")


def scenario_set(scenario: str, size: int) -> tuple[str, ...]:
    """Return the ten combinations of ``size`` consecutive tasks of a scenario, the tenth followed by the first.

    >>> scenario_set("lab", 2)[-1]
    'timearena/lab10+lab1'
    """
    return tuple(
        "timearena/" + "+".join(f"{scenario}{(first + k) % 10 + 1}" for k in range(size)) for first in range(10)
    )


@cache
def names() -> tuple[str, ...]:
    """Names of all 90 combinations of the paper's Table 2."""
    return tuple(name for scenario in SCENARIOS for size in (1, 2, 3) for name in scenario_set(scenario, size))


def covers(name: str) -> bool:
    """Whether a name combines existing tasks, each once."""
    if len(name) > 1000:
        return False
    try:
        return bool(world(name).tasks) and set(world(name).tasks) <= set(task_names())
    except UnknownNameError:
        return False


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the name and the members of the paper's set that holds a combination, ``("", ())`` if none does.

    >>> set_of("timearena/lab10+lab1")[0]
    'timearena/lab/2'
    """
    if name not in names():
        return "", ()
    tasks = world(name).tasks
    scenario = tasks[0].rstrip("0123456789")
    return f"timearena/{scenario}/{len(tasks)}", scenario_set(scenario, len(tasks))


def members(name: str) -> tuple[str, ...]:
    """Return the members of a set of the paper by its name, ``()`` if there is none.

    >>> len(members("timearena/cooking")), len(members("timearena/cooking/2")), members("timearena/cooking/9")
    (30, 10, ())
    """
    head, _, rest = name.rstrip("/").partition("/")
    scenario, _, size = rest.partition("/")
    if head != "timearena" or scenario not in SCENARIOS or size not in ("", "1", "2", "3"):
        return ()
    sizes = (int(size),) if size else (1, 2, 3)
    return tuple(member for count in sizes for member in scenario_set(scenario, count))
