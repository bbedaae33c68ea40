"""Facts of kitchens: items, orders, candidates, minimum times, stations, robots, arrivals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from planoracle.instances.errors import InputError

#: Ticks of a second: plans state times with three decimals.
TICKS = 1_000
#: Prefix of the names of budgets, so that none is a station.
STOCK = "stock of "
# Most ticks that a time of a record may have.
_MAX_TICKS = 10**9


class ItemAction(NamedTuple):
    """Action that changes the state of an item.

    Attributes
    ----------
    before, after
        State that the item must have, and the state that the action gives it.
    station
        Station that the action occupies.
    traits
        Traits of ingredients, one of which an item needs for the action.
    """

    before: str
    after: str
    station: str
    traits: tuple[str, ...]


#: Action that puts an item on the pile.
STACK = "stack"
#: State of items that need no work.
READY = "ready"
# Actions on items: name, state before, state after, station, traits.
_ACTIONS = (
    "grill raw grilled grill iscookable iscookableifmarinated",
    "cut raw cut cutting_board iscuttable",
    "fry raw fried fryer isfryable isfryableifcut",
    "boil raw boiled boiler isboilable",
    "toast raw toasted toaster istoastable",
    "marinate cut marinated marinator ismarinatable",
    "mash boiled mashed cutting_board mash_requires_boiled",
)


def _item_actions() -> dict[str, ItemAction]:
    """Return the actions on items by name."""
    actions = {}
    for row in _ACTIONS:
        name, before, after, station, *traits = row.split()
        actions[name] = ItemAction(before, after, station, tuple(traits))
    return actions


#: Actions on items by name.
WORK = _item_actions()
#: Names of all actions.
VERBS = (*WORK, STACK)
#: States by the action that leads to them.
ACTION_OF = {work.after: name for name, work in WORK.items()}
#: Flags of an ingredient by action, and the state that the action then needs instead of ``raw``.
PREPARED = {"fry": ("fry_requires_cut", "cut"), "grill": ("grill_requires_marinated", "marinated")}


class Ingredient(NamedTuple):
    """Ingredient; ``traits`` are the predicates and the flags of the record.

    Attributes
    ----------
    name, state
        Name, and first state: ``raw`` or ``ready``.
    traits
        Predicates and flags.
    stage
        Number of the event with which the item arrives; 0 if it is there from the beginning.
    """

    name: str
    state: str
    traits: tuple[str, ...] = ()
    stage: int = 0

    def needed_state(self, action: str) -> str:
        """Return the state that an action needs.

        >>> Ingredient("potato", "raw", ("iscuttable", "isfryableifcut", "fry_requires_cut")).needed_state("fry")
        'cut'
        """
        flag, state = PREPARED.get(action, ("", ""))
        return state if flag in self.traits else WORK[action].before

    def is_fit_for(self, action: str) -> bool:
        """Return True if the ingredient has a trait for an action; all can be stacked."""
        return action == STACK or not set(WORK[action].traits).isdisjoint(self.traits)

    def chain_to(self, state: str) -> tuple[str, ...]:
        """Return the actions that lead from the first state to another one.

        >>> Ingredient("potato", "raw", ("iscuttable", "isfryableifcut", "fry_requires_cut")).chain_to("fried")
        ('cut', 'fry')

        Raises
        ------
        InputError
            If the traits of the item allow no such actions.
        """
        actions: list[str] = []
        while state != self.state:
            action = ACTION_OF.get(state)
            if action is None or action in actions or not self.is_fit_for(action):
                raise InputError(f"cannot be reached from {self.state!r}", field=f"items[{self.name}]", value=state)
            actions.append(action)
            state = self.needed_state(action)
        return tuple(reversed(actions))


class KitchenOrder(NamedTuple):
    """Order: items in their required states, and items to stack from bottom to top.

    Attributes
    ----------
    name
        Name.
    required
        Pairs of item and state.
    stack
        Items from bottom to top.
    stage
        Number of the event with which the order arrives.
    """

    name: str
    required: tuple[tuple[str, str], ...]
    stack: tuple[str, ...]
    stage: int = 0


class Candidate(NamedTuple):
    """Optional goal with a reward, and its cost from the inventory.

    Attributes
    ----------
    name, item, state
        The goal is attained if the item has the state at the end.
    reward, cost
        Reward, and pairs of resource and amount.
    stage
        Number of the event with which the candidate arrives.
    """

    name: str
    item: str
    state: str
    reward: int
    cost: tuple[tuple[str, int], ...]
    stage: int = 0


class MinimumLag(NamedTuple):
    """Minimum time from the end of an action to the start of another one.

    Attributes
    ----------
    before, after
        Pairs of action and item.
    ticks
        Minimum time.
    stage
        Number of the event with which the lag arrives.
    """

    before: tuple[str, str]
    after: tuple[str, str]
    ticks: int
    stage: int = 0


_Entry = TypeVar("_Entry", Ingredient, KitchenOrder, Candidate, MinimumLag)


@dataclass(frozen=True, eq=False)
class RobotTask:
    """Task of the Robo Challenge, or episode of the online part. Times in ticks.

    Attributes
    ----------
    name
        Name of the problem.
    items, orders, candidates, lags
        Parts, each with the event with which it arrives.
    durations
        Ticks by action.
    stations
        Capacities of the stations.
    robots
        Names of the robots; empty if nobody needs to carry out actions.
    inventory
        Amounts in stock by resource.
    deadline
        Latest end; ``None`` without one.
    arrivals
        Times of the events.
    is_online
        True for an episode.
    optimum, best_reward
        Published makespan and reward, if there are any.
    witness
        Published plan: seconds, action and arguments of each line.
    """

    name: str
    items: tuple[Ingredient, ...]
    orders: tuple[KitchenOrder, ...]
    durations: Mapping[str, int]
    stations: Mapping[str, int]
    candidates: tuple[Candidate, ...] = ()
    lags: tuple[MinimumLag, ...] = ()
    robots: tuple[str, ...] = ()
    inventory: Mapping[str, int] | None = None
    deadline: int | None = None
    arrivals: tuple[int, ...] = ()
    is_online: bool = False
    optimum: int | None = None
    best_reward: int | None = None
    witness: tuple[str, ...] = ()

    @cached_property
    def by_name(self) -> dict[str, Ingredient]:
        """Items by name."""
        return {item.name: item for item in self.items}

    @cached_property
    def required(self) -> dict[str, str]:
        """Required states of all orders, by item."""
        return dict(chain.from_iterable(order.required for order in self.orders))

    @cached_property
    def moments(self) -> tuple[int, ...]:
        """Times at which the stages begin: 0, and those of the events."""
        return (0, *self.arrivals)

    def release(self, item: str) -> int:
        """Return the time at which an item arrives."""
        return self.moments[self.by_name[item].stage]

    def until(self, stage: int) -> RobotTask:
        """Return the task with all that has arrived by a stage."""
        if stage >= len(self.arrivals):
            return self
        items = _arrived(self.items, stage)
        orders = _arrived(self.orders, stage)
        candidates = _arrived(self.candidates, stage)
        lags = _arrived(self.lags, stage)
        arrivals = self.arrivals[:stage]
        return replace(self, items=items, orders=orders, candidates=candidates, lags=lags, arrivals=arrivals)


def _arrived(entries: tuple[_Entry, ...], stage: int) -> tuple[_Entry, ...]:
    return tuple(entry for entry in entries if entry.stage <= stage)


def ticks_of(seconds: float | str, field: str) -> int:
    """Return whole ticks of a time in seconds.

    >>> ticks_of(2.29, "trigger_time")
    2290

    Raises
    ------
    InputError
        If the time is negative, too large, or no whole number of ticks.
    """
    exact = float(seconds) * TICKS
    if not 0 <= exact <= _MAX_TICKS or abs(exact - round(exact)) > 1e-6:
        message = f"must be seconds with at most three decimals, up to {_MAX_TICKS // TICKS}"
        raise InputError(message, field=field, value=seconds)
    return round(exact)


def task_of(name: str, facts: Mapping[str, Any]) -> RobotTask:
    """Return the task of bundled facts, in the form of `static_facts`.

    Parameters
    ----------
    name
        Name of the problem.
    facts
        JSON object; ``events`` are those of an episode.
    """
    groups = [facts, *facts.get("events", ())]
    items = _entries(groups, "items", _item)
    orders = _entries(groups, "orders", _order)
    candidates = _entries(groups, "candidates", _candidate)
    lags: list[MinimumLag] = []
    for stage, group in enumerate(groups):
        lags += [_lag(text, stage) for text in group.get("lags", ())]
    durations = {}
    for action, seconds in facts["durations"].items():
        durations[action] = ticks_of(seconds, f"action_durations.{action}")
    task = RobotTask(name, items, orders, durations, facts["stations"], candidates, tuple(lags))
    _check(task)
    return _with_limits(task, facts)


def _entries(
    groups: Sequence[Mapping[str, Any]], field: str, read: Callable[[str, Any, int], _Entry]
) -> tuple[_Entry, ...]:
    """Return the parts of a kind, of the beginning and of all events."""
    entries: list[_Entry] = []
    for stage, group in enumerate(groups):
        for key, value in group.get(field, {}).items():
            entries.append(read(key, value, stage))
    return tuple(entries)


def _with_limits(task: RobotTask, facts: Mapping[str, Any]) -> RobotTask:
    """Return a task with its robots, inventory, deadline and events, and the published values."""
    events = facts.get("events", ())
    arrivals = tuple(ticks_of(event["time"], "trigger_time") for event in events)
    if list(arrivals) != sorted(arrivals):
        raise InputError("must be in order of time", field="events.trigger_time", value=list(arrivals))
    robots = facts.get("robots", "")
    deadline = _optional_ticks(facts, "deadline")
    optimum = _optional_ticks(facts, "optimum")
    witness = tuple(facts.get("witness", ()))
    in_time = replace(task, arrivals=arrivals, is_online="events" in facts, robots=tuple(robots.split()))
    limited = replace(in_time, inventory=facts.get("inventory"), deadline=deadline)
    return replace(limited, optimum=optimum, best_reward=facts.get("reward"), witness=witness)


def _optional_ticks(facts: Mapping[str, Any], field: str) -> int | None:
    """Return the ticks of a field, ``None`` without it."""
    seconds = facts.get(field)
    return None if seconds is None else ticks_of(seconds, field)


def _item(name: str, text: str, stage: int) -> Ingredient:
    state, *traits = text.split()
    return Ingredient(name, state, tuple(traits), stage)


def _order(name: str, value: list[Any], stage: int) -> KitchenOrder:
    required, stack = value
    return KitchenOrder(name, tuple(required.items()), tuple(stack.split()), stage)


def _candidate(name: str, value: list[Any], stage: int) -> Candidate:
    item, state, reward, cost = value
    return Candidate(name, item, state, reward, tuple(cost.items()), stage)


def _lag(text: str, stage: int) -> MinimumLag:
    words = text.split()
    return MinimumLag((words[0], words[1]), (words[2], words[3]), ticks_of(words[4], "min_lag"), stage)


def _check(task: RobotTask) -> None:
    """Raise `InputError` for names that do not exist, and for parts that no instance can state."""
    if len(task.by_name) < len(task.items):
        raise InputError("must be different", field="items", value=_repeated(item.name for item in task.items))
    stacked = list(chain.from_iterable(order.stack for order in task.orders))
    if len(set(stacked)) < len(stacked):
        raise InputError("must be different", field="stack_order", value=_repeated(stacked))
    candidate_items = [candidate.item for candidate in task.candidates]
    if len(set(candidate_items)) < len(candidate_items):
        raise InputError("must be different items", field="candidate_goals", value=_repeated(candidate_items))
    required = chain.from_iterable(order.required for order in task.orders)
    for name in (*stacked, *candidate_items, *(item for item, _ in required)):
        if name not in task.by_name:
            raise InputError("must be one of the items", field="goal", value=name)


def _repeated(names: Iterable[str]) -> list[str]:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return [name for name, count in counts.items() if count > 1]
