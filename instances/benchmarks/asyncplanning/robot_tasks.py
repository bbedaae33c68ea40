"""Problems of the Robo Challenge and of its online part, by name and from the released records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from planoracle.instances.benchmarks.asyncplanning.robot_documents import document_of
from planoracle.instances.benchmarks.asyncplanning.robot_facts import (
    STACK,
    STOCK,
    WORK,
    Candidate,
    Ingredient,
    KitchenOrder,
    RobotTask,
    task_of,
)
from planoracle.instances.benchmarks.asyncplanning.robot_records import facts_of, is_episode, is_static, name_of
from planoracle.instances.benchmarks.asyncplanning.rules import PROFILES, Profile
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource

_PREFIX = "asyncplanning/"
# Facts of a task that its episode does not have.
_STATIC_ONLY = ("optimum", "reward", "witness", "deadline")


class RobotOrigin(NamedTuple):
    """Facts of a problem, and the rules that it is encoded for.

    Attributes
    ----------
    task
        Facts.
    rules
        Rules, of which those on stacks, selection and lags decide the encoding.
    """

    task: RobotTask
    rules: Profile

    @property
    def has_selection(self) -> bool:
        """True for a task with candidates of which the published selection is demanded."""
        return bool(self.task.candidates) and not self.task.is_online and self.rules.selection == "published"

    @property
    def is_free_choice(self) -> bool:
        """True for a task with candidates of which any may be chosen."""
        return bool(self.task.candidates) and not self.task.is_online and not self.has_selection


ORIGIN = RobotOrigin


@cache
def _bundled(kind: str) -> dict[str, dict[str, Any]]:
    """Return the facts in a bundled file by name."""
    data = files(__package__).joinpath(f"data/robot_{kind}.json")
    tasks: dict[str, dict[str, Any]] = load_json(data.read_text("utf-8"), data.name)["tasks"]
    return tasks


@cache
def names() -> tuple[str, ...]:
    """Names such as ``robo/easy/easy_02_fried_fish_plate``, tasks before episodes."""
    return (*_bundled("tasks"), *_bundled("episodes"))


@cache
def bundled_task(name: str) -> RobotTask:
    """Return the facts of a bundled problem, by a name without that of the benchmark.

    >>> bundled_task("online/easy/online_easy_02_fried_fish_plate").arrivals
    (2000, 4140)
    """
    tasks = _bundled("tasks")
    if name in tasks:
        return task_of(f"{_PREFIX}{name}", tasks[name])
    episode = _bundled("episodes")[name]
    initial = {key: value for key, value in tasks[episode["initial"]].items() if key not in _STATIC_ONLY}
    if "candidates" in initial:
        del initial["orders"]  # the published selection
    return task_of(f"{_PREFIX}{name}", {**initial, "events": episode["events"]})


def load(name: str) -> Instance:
    """Return a bundled problem by a name such as ``robo/easy/easy_02_fried_fish_plate``.

    >>> [action.id for action in load("robo/easy/easy_02_fried_fish_plate").actions]
    ['fish/fry', 'fish/stack', 'plate/stack']
    """
    return instance(bundled_task(name))


def instance(task: RobotTask, rules: Profile = PROFILES["paper"]) -> Instance:
    """Return a task as some rules change it."""
    return _encoded(RobotOrigin(task, rules.deciding()))


def under(problem: Instance, rules: Profile) -> Instance:
    """Return a problem as some rules change it."""
    origin = robot_origin(problem)
    return problem if origin.rules == rules.deciding() else instance(origin.task, rules)


def robot_origin(problem: Instance) -> RobotOrigin:
    """Return the facts of a problem, and the rules of its encoding."""
    origin = (problem.rest_of or problem).origin
    assert isinstance(origin, RobotOrigin)
    return origin


@lru_cache(maxsize=2048)
def _encoded(origin: RobotOrigin) -> Instance:
    """Encode a task: a chain of actions for each item, which robots or nobody carry out."""
    task = origin.task
    goals = _goals(origin)
    candidates = _candidates(origin)
    actions: list[Action] = []
    for item in task.items:
        if item.name in goals:
            actions += _chain(task, item, goals[item.name], candidates.get(item.name))
    weights = [(item, candidate.reward) for item, candidate in candidates.items()]
    lags = _longest_lags(origin, actions)
    resources = _resources(task, actions)
    return Instance(
        task.name,
        tuple(actions),
        lags,
        resources,
        task.robots,
        benchmark="asyncplanning",
        unit="millisecond",
        time_limit=task.deadline,
        origin=origin,
        optional=tuple(weights),
    )


def _longest_lags(origin: RobotOrigin, actions: list[Action]) -> tuple[Lag, ...]:
    """Return one lag for each pair of actions, with the longest minimum time."""
    ids = {action.id for action in actions}
    minimums: dict[tuple[str, str], int] = {}
    for before, after, minimum in _lags(origin, actions):
        for name in (before, after):
            if name not in ids:
                raise InputError("is not needed for any order", field="temporal_constraints", value=name)
        minimums[before, after] = max(minimum, minimums.get((before, after), minimum))
    return tuple(Lag(before, after, minimum) for (before, after), minimum in minimums.items())


def _candidates(origin: RobotOrigin) -> Mapping[str, Candidate]:
    """Return the optional goals by item."""
    if origin.has_selection:
        return {}
    return {candidate.item: candidate for candidate in origin.task.candidates}


def _goals(origin: RobotOrigin) -> dict[str, str | None]:
    """Return the wanted state of each item that is needed, ``None`` if it is only stacked."""
    task = origin.task
    goals: dict[str, str | None] = {}
    for order in task.orders:
        goals |= dict.fromkeys(order.stack)
    if not origin.is_free_choice:
        goals |= task.required
    for item, candidate in _candidates(origin).items():
        if goals.get(item) is not None:
            raise InputError("must not be required by an order", field="candidate_goals", value=item)
        goals[item] = candidate.state
    return goals


def _chain(task: RobotTask, item: Ingredient, state: str | None, candidate: Candidate | None) -> Iterator[Action]:
    """Yield the actions of an item in order; the last one takes the cost of a candidate."""
    verbs = list(item.chain_to(state or item.state))
    if any(item.name in order.stack for order in task.orders):
        verbs.append(STACK)
    for verb in verbs:
        demands: list[Demand] = []
        if verb in WORK:
            demands.append(Demand(WORK[verb].station))
        if candidate is not None and verb == verbs[-1]:
            demands += _stock_demands(task, candidate)
        duration = task.durations.get(verb)
        if duration is None:
            raise InputError("is missing", field=f"action_durations.{verb}")
        mode = Mode(tuple(demands))
        release = task.release(item.name)
        action = Action(f"{item.name}/{verb}", item.name, duration, duration, modes=(mode,), release=release)
        yield action if task.robots else replace(action, attended=0, agents=())


def _stock_demands(task: RobotTask, candidate: Candidate) -> Iterator[Demand]:
    """Yield what a candidate takes from the inventory."""
    inventory = task.inventory or {}
    for resource, amount in candidate.cost:
        if resource in inventory:
            yield Demand(f"{STOCK}{resource}", amount)


def _lags(origin: RobotOrigin, actions: list[Action]) -> Iterator[tuple[str, str, int]]:
    """Yield the pairs of actions with their minimum time in between."""
    task = origin.task
    for before, after in pairwise(actions):
        if before.task == after.task:
            yield before.id, after.id, 0
    for order in task.orders:
        yield from _pile(origin, order)
    has_lags = origin.rules.online_lags or not task.is_online
    for lag in task.lags if has_lags else ():
        before_verb, before_item = lag.before
        after_verb, after_item = lag.after
        yield f"{before_item}/{before_verb}", f"{after_item}/{after_verb}", lag.ticks


def _pile(origin: RobotOrigin, order: KitchenOrder) -> Iterator[tuple[str, str, int]]:
    """Yield the order of stacks: of ends, or each after the end of the one below."""
    for below, above in pairwise(order.stack):
        minimum = 0
        if origin.rules.stacks == "order":
            minimum = -origin.task.durations[STACK]
            # Episodes sort stacks that start together by their arguments.
            is_tie_wrong = origin.task.is_online and (bool(origin.task.robots) or above < below)
            minimum += int(is_tie_wrong)
        yield f"{below}/{STACK}", f"{above}/{STACK}", minimum


def _resources(task: RobotTask, actions: list[Action]) -> tuple[Resource, ...]:
    """Return the stations and the stock that actions use."""
    used: dict[str, None] = {}
    for action in actions:
        used |= dict.fromkeys(demand.resource for demand in action.modes[0].demands)
    resources: list[Resource] = []
    for name in used:
        if name.startswith(STOCK):
            amount = (task.inventory or {})[name.removeprefix(STOCK)]
            resources.append(Resource(name, amount, renewable=False))
        else:
            resources.append(Resource(name, task.stations.get(name, 1)))
    return tuple(resources)


def document(problem: Instance) -> dict[str, Any]:
    """Return a problem as a record like the released ones."""
    return document_of(robot_origin(problem).task)


def file_of(name: str, folder: Path) -> str | None:
    """Return the file of a problem in a copy of the repository, ``None`` if there is none."""
    part, difficulty, identifier = name.split("/")
    subfolder = "robo_async_online/episodes" if part == "online" else f"robo_async_challenge_v2/{difficulty}"
    path = folder / "data" / subfolder / f"{identifier}.json"
    return str(path) if path.is_file() else None


# --- released records -----------------------------------------------------------------------------


def recognises(document: object) -> bool:
    """Return True for a released record, or a list of them."""
    rows = document if isinstance(document, list) else [document]
    first = rows[0] if rows else None
    return is_static(first) or is_episode(first)


def read(document: object, source: str) -> list[Instance]:
    """Return the problems of released records."""
    is_list = isinstance(document, list)
    rows = document if isinstance(document, list) else [document]
    problems: list[Instance] = []
    try:
        for position, row in enumerate(rows):
            field = f"[{position}]" if is_list else "record"
            if not is_static(row) and not is_episode(row):
                raise InputError("must be a record of a task or an episode", field=field, value=row)
            facts = facts_of(row, field)
            name = row.get("name") or f"{Path(source).name}/{name_of(row)}"
            problems.append(instance(task_of(name, facts)))
    except InputError as error:
        raise error.at(source) from None
    return problems
