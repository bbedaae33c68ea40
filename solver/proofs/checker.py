"""Check the bound and the schedule of a proof; needs Python and this file alone.

``python checker.py problem.json proof.json``: a problem as ``planoracle instances --export`` writes it, a proof as
``planoracle explain --out`` does. `check` checks that no schedule is shorter than the bound, `check_schedule` that the
schedule of the proof holds and has its makespan. The page of `planoracle.instances.model.instance` defines problems.
Problems with optional tasks, ways or set-up times are refused. Of an action with several modes the shortest duration
and the least needs count; windows, calendars and budgets matter for the schedule only.

Form of a proof. An *event* is the beginning, the end, or the ``start``, ``finish`` or ``free`` (it releases its
agent) of an action. A *hop* states that one event is at least so many ticks after another, because the problem says so
(`Checker.is_stated`), or a step before. A proof is a list of steps, possibly on the supposition of a shorter makespan:

- ``path``: hops added up; the last reaches the bound, or contradicts itself: an event comes later than itself.
- ``load``: actions that lie between two events and hold the same agents, or a resource: their work has to fit in.
  Or weighted actions of which no set that may run together (`_Together`) weighs more than a capacity.
- ``order``: of two ways (`Checker.ways`) one holds, since the other contradicts a path.
- ``split``: of two ways one holds, and the bound follows in both.
"""

from __future__ import annotations

import json
import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Set
from dataclasses import dataclass
from itertools import chain, pairwise, product
from math import gcd
from time import process_time
from typing import Any, Final, NamedTuple, NoReturn

FORMAT, VERSION = "planoracle/certificate", 3
#: Versions that are accepted; version 3 added loads of actions ``together``.
VERSIONS = (2, 3)
#: Limits: bytes of a file, absolute value of a number.
MAX_BYTES, MAX_NUMBER = 16 * 2**20, 10**30
#: Limits of one check: cases within each other, comparisons of needs, seconds of processor time.
MAX_DEPTH, MAX_COMPARISONS = 100, 5_000_000
MAX_SECONDS = 60.0
#: Limit of actions in a load ``together``.
MAX_TOGETHER = 200

_Event = tuple[str, str]
_Span = tuple[int, int]
_Way = tuple[_Event, _Event, int]
_BEGIN, _END = ("begin", ""), ("end", "")

#: Keys and types of objects; ``?``: may be null, ``=``: may be missing.
_OBJECTS = {
    "problem": "format:str version:int name:str tasks:list agents:list= resources:list= "
    "$schema:str?= benchmark:str= unit:str= seconds_per_tick:int?= time_limit:int?= start_time:str?= "
    "calendars:list= transitions:list=",
    "resource": "name:str capacity:int= state:str?= renewable:bool=",
    "calendar": "members:list off:list period:int?=",
    "task": "name:str optional:bool= weight:int?= actions:list",
    "action": "name:str label:str= duration:int attended:int?= interruptible:bool= pauses:str?= release:int= "
    "deadline:int?= windows:list= place:str?= agents:list?= uses:list?= modes:list?= after:list=",
    "mode": "name:str= duration:int?= attended:int?= agents:list?= uses:list= after:list=",
    "use": "resource:str amount:int= requires:str?= sets:str?= family:str?=",
    "lag": "action:str min_lag:int?= max_lag:int?=",
    "proof": "format:str version:int instance:str bound:int makespan:int? gap:int? schedule:list? supposed:int? "
    "steps:list",
    "hop": "from:list to:list ticks:int why:str line:int=",
    "path": "number:int link:str ticks:int hops:list",
    "load": "number:int link:str from:list to:list ticks:int machine:str names:list capacity:int in_turn:bool "
    "first:int work:int needed:int rest:int members:list precedences:list?=",
    "member": "action:str ticks:int before:list after:list",
    "order": "number:int link:str kind:str about:list held:dict excluded:dict against:list",
    "split": "number:int link:str kind:str about:list cases:list",
    "case": "assumed:dict steps:list",
    "piece": "action:str start:int duration:int agent:str? mode:int",
}
_KEYS: Final = {name: dict(key.split(":") for key in keys.split()) for name, keys in _OBJECTS.items()}


class RefusedError(Exception):
    """The proof or its schedule does not hold, or a file is malformed or beyond a limit."""


def _read(name: str, row: Any, **usual: Any) -> dict[str, Any]:
    """Return an object with checked keys and types; missing keys have their ``usual`` value or null."""
    keys = _KEYS[name]
    required = {key for key, kind in keys.items() if "=" not in kind}
    if type(row) is not dict or not required <= row.keys() <= keys.keys():
        raise RefusedError(f"a {name} must be an object with the keys {', '.join(keys)}")
    for key, value in row.items():
        kind = type(value).__name__
        accepted_kind = keys[key].rstrip("?=")
        is_accepted_null = value is None and "?" in keys[key]
        if kind != accepted_kind and not is_accepted_null:
            raise RefusedError(f"{key} of a {name} must have the type {accepted_kind} (got {kind})")
        if kind == "int" and abs(value) > MAX_NUMBER:
            raise RefusedError(f"{key} of a {name} must be at most {MAX_NUMBER} in absolute value")
    return dict.fromkeys(keys) | usual | row


def _texts(name: str, texts: list[Any]) -> list[str]:
    if any(type(text) is not str for text in texts) or len(set(texts)) < len(texts):
        raise RefusedError(f"{name} must be distinct texts")
    return texts


class _Use(NamedTuple):
    amount: int
    requires: str | None
    sets: str | None


class _Mode(NamedTuple):
    """Uses by resource, units of budgets, actions to be finished before, times and agents."""

    uses: dict[str, _Use]
    budget: dict[str, int]
    after: list[str]
    duration: int
    attended: int
    agents: frozenset[str]


class _Needs(NamedTuple):
    """Needs of an action on one resource, over all its modes."""

    amount: int = 0  # least units
    requires: str | None = None  # state that every mode requires
    sets: frozenset[str | None] = frozenset({None})  # states that modes set (None: a mode sets nothing)
    lends: frozenset[str | None] = frozenset()  # states that uses which set nothing require (None: any state)


@dataclass
class _Action:
    """Action of at least ``duration`` ticks; holds one of ``agents`` for ``attended`` (0: its start)."""

    id: str
    interruptible: bool
    breaks: bool
    release: int
    windows: list[_Span]
    modes: list[_Mode]

    def __post_init__(self) -> None:
        """Combine the modes: an absent use takes, requires and sets nothing; ``last`` sets the agent free."""
        self.pausing = self.interruptible or self.breaks
        self.durations = {mode.duration for mode in self.modes}
        self.duration, self.longest = min(self.durations), max(self.durations)
        self.attended = min(mode.attended for mode in self.modes)
        self.most_attended = max(mode.attended for mode in self.modes)
        eligible = [mode.agents for mode in self.modes]
        self.agents = frozenset[str]().union(*eligible) if all(eligible) else frozenset[str]()
        is_held = self.pausing or all(mode.attended == mode.duration for mode in self.modes)
        self.last = "finish" if is_held else "free"
        self.holds_agent = all(mode.attended == mode.duration for mode in self.modes)  # as long as it runs
        self.after = set.intersection(*(set(mode.after) for mode in self.modes))
        uses = defaultdict[str, list[_Use]](list)
        for mode in self.modes:
            for name, use in mode.uses.items():
                uses[name].append(use)
        self.needs = defaultdict[str, _Needs](_Needs)
        for name, stated_uses in uses.items():
            lends = frozenset(use.requires for use in stated_uses if use.sets is None)
            absent = [] if len(stated_uses) == len(self.modes) else [_Use(0, None, None)]
            mode_uses = [*stated_uses, *absent]
            amount = min(use.amount for use in mode_uses)
            sets = frozenset(use.sets for use in mode_uses)
            required = {use.requires for use in mode_uses}
            self.needs[name] = _Needs(amount, required.pop() if len(required) == 1 else None, sets, lends)


class _Problem:
    """Problem; lags are (before, after, minimum, maximum), from a finish to a start."""

    def __init__(self, document: Any) -> None:
        problem = _read("problem", document, agents=["agent"], resources=[], calendars=[], transitions=[])
        if problem["format"] != "planoracle/instance" or problem["version"] not in (1, 2):
            raise RefusedError("the problem must have the format planoracle/instance, version 1 or 2")
        if problem["transitions"]:
            raise RefusedError("certificates cannot respect ways and set-up times")
        self.until = process_time() + MAX_SECONDS
        self.comparisons = 0
        self.count = 0  # of steps in all cases
        self.name: str = problem["name"]
        self.time_limit: int | None = problem["time_limit"]
        self.agents = frozenset(_texts("agents", problem["agents"]))
        resources = [_read("resource", entry, capacity=1, renewable=True) for entry in problem["resources"]]
        _texts("resources", [entry["name"] for entry in resources])
        budgets = [entry for entry in resources if not entry["renewable"]]
        if any(entry["state"] is not None for entry in budgets):
            raise RefusedError("a budget must have no state")
        self.budget: dict[str, int] = {entry["name"]: entry["capacity"] for entry in budgets}
        self.capacity: dict[str, int] = {}
        for entry in resources:
            if entry["renewable"]:
                self.capacity[entry["name"]] = entry["capacity"]
        self.calendars = _Calendars([_read("calendar", entry) for entry in problem["calendars"]])
        self.state: dict[str, str | None] = {entry["name"]: entry["state"] for entry in resources}
        self.lags: list[tuple[str, str, int | None, int | None]] = []
        actions: list[_Action] = []
        for task_entry in problem["tasks"]:
            task = _read("task", task_entry)
            if task["optional"] or task["weight"] is not None:
                raise RefusedError("certificates cannot respect optional tasks")
            for entry in task["actions"]:
                row = _read("action", entry, interruptible=False, release=0, after=[], windows=[])
                actions.append(self.action(task["name"], row))
        _texts("actions", [action.id for action in actions])
        self.actions = {action.id: action for action in actions}
        self.check_names(actions)
        self.minima = {lag[:3] for lag in self.lags}
        self.maxima = {(*lag[:2], lag[3]) for lag in self.lags if lag[3] is not None}
        self.setters = defaultdict[tuple[str, str | None], set[str]](set)  # by resource and state
        self.lends = defaultdict[str, set[str | None]](set)  # by resource: see `_Needs`
        for action in actions:
            for name, needs in action.needs.items():
                for state in needs.sets:
                    self.setters[name, state].add(action.id)
                self.lends[name] |= needs.lends

    def check_names(self, actions: list[_Action]) -> None:
        """Check that time lags and modes name actions of the problem."""
        names: set[str] = set()
        for before, name, _, _ in self.lags:
            names |= {before, name}
        for action in actions:
            for mode in action.modes:
                names.update(mode.after)
        unknown = names - self.actions.keys()
        if unknown:
            raise RefusedError(f"a time lag or mode waits for {min(unknown)}, which is not an action of the problem")

    def work(self, comparisons: int = 0) -> None:
        """Count comparisons; refuse a check that takes too many of them or too much time."""
        self.comparisons += comparisons
        if self.comparisons > MAX_COMPARISONS or process_time() > self.until:
            raise RefusedError(f"the check exceeds {MAX_COMPARISONS} comparisons or {MAX_SECONDS} s of processor time")

    def action(self, task: str, entry: dict[str, Any]) -> _Action:
        name = f"{task}/{entry['name']}"
        if entry["pauses"] not in (None, "never", "breaks", "anywhere") or entry["place"] is not None:
            raise RefusedError(f"pauses of {name} must be never, breaks or anywhere, and it must have no place")
        interruptible = entry["interruptible"] or entry["pauses"] == "anywhere"
        breaks = entry["pauses"] == "breaks"
        if (interruptible and breaks) or entry["release"] < 0:
            raise RefusedError(f"{name} must pause in breaks or anywhere, not both, and have a release of at least 0")
        if entry["attended"] is None:  # the whole duration if an agent is eligible
            entry["attended"] = 0 if entry["agents"] == [] else entry["duration"]
        if entry["modes"] is not None and (entry["uses"] is not None or not entry["modes"]):
            raise RefusedError(f"{name} must have either uses or at least one mode")
        for row in entry["after"]:
            lag = _read("lag", {"action": row} if type(row) is str else row, min_lag=0)
            before = lag["action"] if "/" in lag["action"] else f"{task}/{lag['action']}"
            self.lags.append((before, name, lag["min_lag"], lag["max_lag"]))
        mode_entries = entry["modes"] or [{"uses": entry["uses"] or []}]
        rows = [_read("mode", row, uses=[], after=[]) for row in mode_entries]
        modes = [self.mode(task, entry, row, rigid=not (interruptible or breaks)) for row in rows]
        windows = _windows(entry)
        openings = [begin for begin, end in map(_span, entry["windows"]) if end >= entry["release"]]
        earliest = max(entry["release"], min(openings, default=0))
        return _Action(name, interruptible, breaks, earliest, windows, modes)

    def times(self, name: str, action: dict[str, Any], mode: dict[str, Any], *, rigid: bool) -> tuple[int, int, Any]:
        """Return duration, attended ticks and eligible agents of an action in a mode."""
        agents = action["agents"] if mode["agents"] is None else mode["agents"]
        eligible = self.agents if agents is None else frozenset(_texts("agents", agents))
        duration = action["duration"] if mode["duration"] is None else mode["duration"]
        attended = mode["attended"]
        if attended is None:
            attended = action["attended"]
            if mode["agents"] == []:
                attended = 0
            elif mode["duration"] is not None:
                attended = duration if attended else 0
        if not 0 <= attended <= duration or (not rigid and 0 < attended < duration):
            limits = "lie between 0 and the duration" if rigid else "be 0 or the duration"
            raise RefusedError(f"the attended time of {name} must {limits} (got {attended})")
        if not eligible <= self.agents or (attended and not eligible):
            raise RefusedError(f"{name} must have agents of the problem, at least one if it is attended")
        return duration, attended, eligible

    def mode(self, task: str, action: dict[str, Any], entry: dict[str, Any], *, rigid: bool) -> _Mode:
        name = f"{task}/{action['name']}"
        uses = [_read("use", row, amount=1) for row in entry["uses"]]
        _texts("resources used", [use["resource"] for use in uses])
        needs: dict[str, _Use] = {}
        budget: dict[str, int] = {}
        for use in uses:
            resource, amount = use["resource"], use["amount"]
            has_state = use["requires"] is not None or use["sets"] is not None
            is_budget = resource in self.budget
            if amount < 0 or use["family"] is not None or not (is_budget or resource in self.capacity):
                raise RefusedError("a use must name a resource of the problem, an amount of at least 0 and no family")
            if is_budget and has_state:
                raise RefusedError("a use of a budget must require and set no state")
            if is_budget:
                budget[resource] = amount
            else:
                needs[resource] = _Use(amount, use["requires"], use["sets"])
        after = _texts("actions that a mode waits for", entry["after"])
        names = [before if "/" in before else f"{task}/{before}" for before in after]
        return _Mode(needs, budget, names, *self.times(name, action, entry, rigid=rigid))

    def is_only_setter(self, setter: _Action, user: _Action, resource: str, state: str) -> bool:
        """Return whether no other action than the setter, and possibly the user, may set a state."""
        setters = self.setters[resource, state]
        return len(setters) <= 2 and setters - {user.id} == {setter.id}

    def are_exclusive(self, first: _Action, second: _Action, resource: str) -> bool:
        """Return whether two actions never fit into a capacity together, unless they coincide."""
        units = first.needs[resource].amount, second.needs[resource].amount
        take_time = first.duration > 0 and second.duration > 0
        return take_time and min(units) > 0 and sum(units) > self.capacity[resource]


def _windows(entry: dict[str, Any]) -> list[_Span]:
    """Return the spans in which pieces of an action may lie, cut to its release and deadline."""
    rows = entry["windows"] or [[0, MAX_NUMBER]]
    latest = MAX_NUMBER if entry["deadline"] is None else entry["deadline"]
    spans = []
    for begin, end in map(_span, rows):
        opening, closing = max(begin, entry["release"]), min(end, latest)
        if opening <= closing:
            spans.append((opening, closing))
    return sorted(spans)


def _span(row: Any) -> _Span:
    is_pair = type(row) in (list, tuple) and len(row) == 2
    if not is_pair or any(type(tick) is not int for tick in row):
        raise RefusedError("a window or off-time must be a list of two whole numbers")
    return row[0], row[1]


class _Calendars:
    """Off-times of agents and resources; ``rows`` are members, begin, end and period (``None``: once)."""

    def __init__(self, entries: list[dict[str, Any]]) -> None:
        self.rows: list[tuple[frozenset[str], int, int, int | None]] = []
        for entry in entries:
            members = frozenset(_texts("members", entry["members"]))
            period = entry["period"]
            if period is not None and period < 1:
                raise RefusedError("the period of a calendar must be at least 1")
            self.rows += [(members, *_span(row), period) for row in entry["off"]]

    def is_off(self, member: str, begin: int, end: int) -> bool:
        """Return whether a member is off at a tick of a span."""
        return any(start < end for start, _ in self.next(member, begin))

    def end_of(self, member: str | None, tick: int) -> int:
        """Return the last end of the off-times that cover a tick; the tick itself if there are none."""
        return max([tick, *(end for start, end in self.next(member, tick) if start <= tick)])

    def next(self, member: str | None, tick: int) -> list[_Span]:
        """Return, of each off-time of a member, the first repetition that ends after a tick."""
        spans = []
        for members, begin, end, period in self.rows:
            if member in members:
                shift = 0 if period is None else ((tick - end) // period + 1) * period
                if end + shift > tick and begin < end:
                    spans.append((begin + shift, end + shift))
        return spans


class _Hop(NamedTuple):
    """Event ``target`` is at least ``ticks`` after ``source``; reasons: see `Checker.is_stated`."""

    source: _Event
    target: _Event
    ticks: int
    reason: str
    line: int | None = None


def _hop(row: Any) -> _Hop:
    hop = _read("hop", row)
    if (hop["line"] is None) != (hop["why"] != "line"):
        raise RefusedError("a hop must have a line if its reason (why) is 'line', and none otherwise")
    return _Hop(_event(hop["from"]), _event(hop["to"]), hop["ticks"], hop["why"], hop["line"])


def _event(pair: list[Any]) -> _Event:
    if len(pair) != 2 or any(type(part) is not str for part in pair):
        raise RefusedError("an event must be a list of a kind and an action")
    return pair[0], pair[1]


def check(problem: Any, proof: Any) -> int:
    """Check every step of a proof; return the bound in ticks, which no schedule of the problem is below.

    Both are documents as parsed from JSON. Raises a `RefusedError` that names the first step that does not hold.
    """
    checked_problem, document = _Problem(problem), _read("proof", proof)
    is_supported = document["version"] in VERSIONS
    if not is_supported or (document["format"], document["instance"]) != (FORMAT, problem["name"]):
        raise RefusedError(f"the proof must be a {FORMAT} of version {VERSION} for {problem['name']}")
    bound, makespan = document["bound"], document["makespan"]
    gap = None if makespan is None else makespan - bound
    lacks_part = (makespan is None) != (document["schedule"] is None)
    if lacks_part or document["gap"] != gap or (gap or 0) < 0:
        required = "a schedule, and the gap must be the makespan minus the bound, at least 0"
        raise RefusedError(f"a makespan requires {required}")
    supposed = document["supposed"]
    if supposed not in (None, bound - 1):
        raise RefusedError(f"the supposed makespan must be null or {bound - 1}, the bound minus 1 (got {supposed})")
    assumptions = set() if supposed is None else {_Hop(_END, _BEGIN, -supposed, "supposition")}
    Checker(checked_problem, bound, [assumptions]).steps(document["steps"])
    return int(bound)


@dataclass
class Checker:
    """Checker of one case; ``hops`` are the supposition, assumptions and results, a set for each case."""

    problem: _Problem
    bound: int
    hops: list[set[_Hop]]

    def steps(self, rows: list[Any]) -> None:
        """Check steps, each of which builds on those before it, and the last of which closes the case."""
        checks = {"path": self.close, "load": self.load, "order": self.order, "split": self.split}
        links = [str(step.get("link")) if type(step) is dict else "" for step in rows]
        if [link in ("path", "split") for link in links] != [False] * (len(links) - 1) + [True]:
            raise RefusedError("every case must end with a path or a split, and contain neither before")
        for link, row in zip(links, rows, strict=True):
            self.problem.work()
            self.problem.count += 1
            if link not in checks or _read(link, row)["number"] != self.problem.count:
                required = f"must be one of {', '.join(checks)}, and number its position"
                raise RefusedError(f"link of step {self.problem.count} {required}")
            checks[link](row)

    def fail(self, step: Any, reason: str) -> NoReturn:
        """Refuse a step."""
        raise RefusedError(f"step {step['number']} does not hold: {reason}")

    def close(self, step: Any) -> None:
        """Check that a path reaches the bound, or contradicts itself."""
        source, target, ticks = self.path(step, [_hop(row) for row in step["hops"]])
        reaches_bound = (source, target) == (_BEGIN, _END) and ticks >= self.bound
        contradicts_itself = source == target and ticks > 0
        if ticks != step["ticks"] or not (reaches_bound or contradicts_itself):
            reason = "its ticks are not the sum of its hops, or neither reaches the bound nor contradicts itself"
            self.fail(step, reason)

    def path(self, step: Any, path: list[_Hop]) -> tuple[_Event, _Event, int]:
        """Check that hops follow on each other and hold; return both ends and the sum."""
        if not path or any(hop.target != next_hop.source for hop, next_hop in pairwise(path)):
            self.fail(step, "each hop must begin at the event at which the hop before ends")
        for hop in path:
            if hop.reason in ("line", "case", "supposition"):
                holds = any(hop in case for case in self.hops)
            else:
                holds = self.is_stated(hop)
            if not holds:
                least_time = f"{hop.target} is at least {hop.ticks} after {hop.source} ({hop.reason})"
                self.fail(step, f"nothing states that {least_time}")
        return path[0].source, path[-1].target, sum(hop.ticks for hop in path)

    def between(self, step: Any, source: _Event, path: Any, target: _Event, min_ticks: int) -> None:
        """Check that hops lead from one event to the other in ``min_ticks``; equal events need none."""
        hops = [_hop(row) for row in path]
        first_event, last_event, ticks = self.path(step, hops) if hops else (source, source, 0)
        if (first_event, last_event) != (source, target) or ticks < min_ticks:
            self.fail(step, f"its hops are not a path of at least {min_ticks} ticks from {source} to {target}")

    def is_stated(self, hop: _Hop) -> bool:
        """Return whether the problem states the least time of a hop, for the hop's reason."""
        kind, name = hop.source
        target_kind, target_name = hop.target
        kinds, ticks = (kind, target_kind), hop.ticks
        action = self.problem.actions.get(name)
        target_action = self.problem.actions.get(target_name)
        if hop.reason == "order":  # every action finishes before the end
            precedes_end = kind == "begin" or (kind == "finish" and action is not None)
            return precedes_end and target_kind == "end" and ticks == 0
        if hop.reason == "release":
            return target_action is not None and kinds == ("begin", "start") and ticks == target_action.release
        if action is None or target_action is None:
            return False
        if hop.reason in ("duration", "attended") and action is target_action:
            return self.is_part(hop, action)
        if hop.reason == "lag" and kinds == ("finish", "start"):  # or by every mode
            is_minimum = (action.id, target_action.id, ticks) in self.problem.minima
            return is_minimum or (ticks == 0 and action.id in target_action.after)
        if hop.reason == "window" and kind in ("start", "finish") and target_kind == "finish":
            running = action.longest if kind == "finish" else 0  # the last resumption is within the maximum lag, too
            maximum = (target_action.id, action.id, -ticks - running)
            return (action.interruptible or not running) and maximum in self.problem.maxima
        return hop.reason == "state" and self.waits_for_setting((*kinds, ticks), action, target_action)

    def is_part(self, hop: _Hop, action: _Action) -> bool:
        """Return whether an action, or its attended part, takes the time of a hop between its own events."""
        bound = (hop.source[0], hop.target[0], hop.ticks)
        if hop.reason == "duration":
            if bound == ("start", "finish", action.duration):
                return True  # also in several pieces
            return not action.pausing and bound == ("finish", "start", -action.longest)
        part = ("start", "free", action.attended), ("free", "start", -action.most_attended)
        return not action.pausing and bound in part

    def waits_for_setting(self, bound: tuple[str, str, int], setter: _Action, user: _Action) -> bool:
        """Return whether a use waits for the only setting of a state that does not hold at first."""
        problem = self.problem
        problem.work(len(user.needs))
        for resource, needs in user.needs.items():
            state = needs.requires
            if state is None or state == problem.state[resource]:
                continue
            if not problem.is_only_setter(setter, user, resource, state):
                continue
            if bound == ("start", "start", 1):  # a setting at the same instant is too late
                return True
            if bound == ("finish", "start", 0) and problem.are_exclusive(setter, user, resource):
                return True
        return False

    def load(self, step: Any) -> None:
        """Check a load: all members lie between two events, and need their time there.

        Each starts ``first`` after the source and ends ``rest`` before the target. Together they take at least their
        work by the capacity; ``in_turn``, with at most ``capacity`` under way at a time and none interrupted, some
        follow each other: of n at least n / capacity, rounded up, and those take no less than the shortest. Of as many
        rows of successive members, some has the average work, rounded up to what divides all members.
        """
        rows = [_read("member", row) for row in step["members"]]
        names, ticks = _texts("members", [row["action"] for row in rows]), [row["ticks"] for row in rows]
        members = [self.problem.actions[name] for name in names if name in self.problem.actions]
        capacity, in_turn = step["capacity"], step["in_turn"]
        machine_names = _texts("names", step["names"])
        are_actions = 0 < len(names) == len(members)
        if not are_actions or capacity < 1 or (in_turn and any(action.pausing for action in members)):
            self.fail(step, "members must be actions, not interruptible ones if in_turn, and capacity at least 1")
        needs_agents = step["machine"] == "agents"
        if needs_agents:
            self.check_agents(step, members, ticks, machine_names)
        elif step["machine"] == "resource" and len(machine_names) == 1 and machine_names[0] in self.problem.capacity:
            self.check_resource(step, members, ticks, machine_names[0])
        elif step["machine"] == "together" and not machine_names:
            self.check_together(step, members, ticks)
        else:
            self.fail(step, "machine must be 'agents', 'resource' with the name of one resource, or 'together'")
        source, target = _event(step["from"]), _event(step["to"])
        head, tail = step["first"], step["rest"]
        for row, action in zip(rows, members, strict=True):
            release_kind = action.last if needs_agents else "finish"
            self.between(step, source, row["before"], ("start", action.id), head)
            self.between(step, (release_kind, action.id), row["after"], target, tail)
        sums = [-(-sum(ticks) // capacity)]
        if in_turn:
            successive = -(-len(ticks) // capacity)
            divisor = gcd(*ticks) or 1
            sums = [sum(sorted(ticks)[:successive]), -(-sum(ticks) // (capacity * divisor)) * divisor]
        needed = step["needed"]
        is_sum = needed in sums and (step["work"], step["ticks"]) == (sum(ticks), head + needed + tail)
        if not is_sum:
            self.fail(step, "work, needed or ticks is not the sum that its members give")
        self.hops[-1].add(_Hop(source, target, step["ticks"], "line", step["number"]))

    def check_agents(self, step: Any, members: list[_Action], ticks: list[int], names: list[str]) -> None:
        """Check that the members need these agents, and no others, for so long."""
        alone = step["in_turn"] and len(names) == 1  # takes no turns
        if alone or step["capacity"] != len(names) or not self.problem.agents.issuperset(names):
            self.fail(step, "names must be agents of the problem, as many as capacity, at least 2 if in_turn")
        groups = {action.agents for action in members}
        accepted = {agents for agents in groups if agents and agents <= {*names}}
        for action, stated in zip(members, ticks, strict=True):
            if action.agents not in accepted or stated != action.attended:
                self.fail(step, f"{action.id} does not hold one of these agents for {stated} ticks")

    def check_resource(self, step: Any, members: list[_Action], ticks: list[int], resource: str) -> None:
        """Check that members take units of the resource for so long, and share none with another action.

        A member beside which no other one fits may count as the whole capacity.
        """
        capacity, in_turn = step["capacity"], step["in_turn"]
        total_units = self.problem.capacity[resource]
        units = sorted(action.needs[resource].amount for action in members)
        if in_turn:
            more_fit = len(units) > capacity and sum(units[: capacity + 1]) <= total_units
            is_wrong = units[0] < 1 or total_units == 1 or more_fit
            limit = "the number of members that can run at the same time"
        else:
            is_wrong = capacity != total_units
            limit = f"that of {resource}, {total_units}"
        if is_wrong:
            self.fail(step, f"capacity must be {limit} (got {capacity})")
        settings = set[tuple[frozenset[str | None], int]]()
        lends = self.problem.lends[resource]
        for action, stated in zip(members, ticks, strict=True):
            needs = action.needs[resource]
            counts = {1} if in_turn else {needs.amount}
            if not in_turn and total_units - needs.amount < units[0]:
                counts.add(total_units)
            if stated not in {count * action.duration for count in counts}:
                self.fail(step, f"{action.id} does not need {stated} ticks of {resource}")
            if needs.sets != {None}:
                # Settings of one state may run over the same interval.
                new = {(needs.sets, duration) for duration in action.durations}
                if len(needs.sets) > 1 or new & settings or self.may_share(action, resource, lends):
                    self.fail(step, f"{action.id} may share units of {resource} with another action")
                settings |= new

    def check_together(self, step: Any, members: list[_Action], ticks: list[int]) -> None:
        """Check that no members that may run together weigh more than the capacity.

        The weight of a member is its ticks by its duration.
        """
        weights = []
        for action, stated in zip(members, ticks, strict=True):
            if stated < 1 or action.duration < 1 or stated % action.duration:
                self.fail(step, f"the ticks of {action.id} must be its duration times a weight")
            weights.append(stated // action.duration)
        if len(members) > MAX_TOGETHER or (step["in_turn"] and max(weights) > 1):
            self.fail(step, f"at most {MAX_TOGETHER} members are accepted, with weights of 1 if in_turn")
        sets = _Together(self.problem, members, weights, self.following(step))
        if sets.exceed(sets.order, step["capacity"], sets.capacities):
            self.fail(step, f"members that may run together weigh more than {step['capacity']}")

    def following(self, step: Any) -> dict[str, set[str]]:
        """Check the paths of ``precedences``; return what always starts after each action is finished."""
        following = defaultdict[str, set[str]](set)
        for row in step["precedences"] or []:
            source, target, ticks = self.path(step, [_hop(hop) for hop in row])
            if (source[0], target[0]) != ("finish", "start") or ticks < 0:
                self.fail(step, "a path of precedences must lead from a finish to a start, in at least 0 ticks")
            following[source[1]].add(target[1])
        for between in list(following):  # what follows on what follows
            for later in following.values():
                self.problem.work()
                if between in later:
                    later |= following[between]
        return following

    def may_share(self, setting: _Action, resource: str, required: Set[str | None]) -> bool:
        """Return whether a setting may share the units of a use, as the state exists without it."""
        (state,) = setting.needs[resource].sets
        setters = self.problem.setters[resource, state]
        is_set = self.problem.state[resource] == state or len(setters) > (setting.id in setters)
        return is_set and not required.isdisjoint((None, state))

    def order(self, step: Any) -> None:
        """Check that of the two ways of a choice one contradicts a path, so that the other holds."""
        holding, excluded = _hop(step["held"]), _hop(step["excluded"])
        alternatives = {(*way, "case") for way in self.ways(step)}
        if {holding[:4], excluded[:4]} != alternatives or holding == excluded:
            self.fail(step, "held and excluded must be the two alternatives of the choice")
        self.between(step, excluded.target, step["against"], excluded.source, 1 - excluded.ticks)
        self.hops[-1].add(_Hop(holding.source, holding.target, holding.ticks, "line", step["number"]))

    def split(self, step: Any) -> None:
        """Check that the bound follows whichever of two ways holds."""
        cases = [_read("case", case) for case in step["cases"]]
        assumed = [_hop(case["assumed"]) for case in cases]
        accepted = len(self.hops) <= MAX_DEPTH and len(cases) == 2
        if accepted:
            alternatives = {(*way, "case") for way in self.ways(step)}
            accepted = {hop[:4] for hop in assumed} == alternatives
        if not accepted:
            self.fail(step, f"cases must be the two alternatives of the choice, nested at most {MAX_DEPTH} deep")
        for hop, case in zip(assumed, cases, strict=True):
            Checker(self.problem, self.bound, [*self.hops, {hop}]).steps(case["steps"])

    def ways(self, step: Any) -> tuple[_Way, _Way]:
        """Return the two ways of a choice, one of which holds in any schedule.

        See `state` and `mode` for two kinds, and `pair` for the others.
        """
        kind = step["kind"]
        *names, owner = step["about"] or [""]
        count = 3 if kind in ("state", "mode") else 2
        are_actions = len(_texts("actions", names)) == count and {*names} <= self.problem.actions.keys()
        is_named = are_actions and type(owner) is str
        if not is_named or (owner and kind in ("mode", "modes")):  # these two are about no agent and no resource
            required = f"{count} distinct actions and, unless its kind is a mode, an agent or a resource"
            self.fail(step, f"about must name {required}")
        actions = [self.problem.actions[name] for name in names]
        if kind == "state":
            return self.state(step, owner, *actions)
        if kind == "mode":
            return self.mode(step, *actions)
        return self.pair(step, owner, *actions)

    def pair(self, step: Any, owner: str, first: _Action, second: _Action) -> tuple[_Way, _Way]:
        """Let either of two actions come first.

        They hold one ``agent``, or the agent has to ``start`` one during the other; they do not fit together on a
        ``resource``, or in any of their ``modes``.
        """
        kind = step["kind"]
        first_end = second_end = "finish"
        are_rigid = not (first.pausing or second.pausing)
        have_one_agent = first.agents == {owner} == second.agents
        if kind == "agent":
            are_separate = are_rigid and first.attended > 0 < second.attended and have_one_agent
            first_end, second_end = first.last, second.last
        elif kind == "start":
            holds_agent = second.attended > 0 and not second.pausing
            are_separate = not first.attended and holds_agent and have_one_agent
            first_end, second_end = "start", second.last
        elif kind == "resource":
            is_resource = owner in self.problem.capacity
            are_exclusive = are_rigid and is_resource and self.problem.are_exclusive(first, second, owner)
            are_separate = are_exclusive and not self.may_coincide(first, second, owner)
        else:
            are_separate = kind == "modes" and are_rigid and self.always_exceed(first, second)
        if not are_separate:
            self.fail(step, f"{first.id} and {second.id} can run at the same time")
        first_way = ((first_end, first.id), ("start", second.id), 0)
        second_way = ((second_end, second.id), ("start", first.id), 0)
        return first_way, second_way

    def may_coincide(self, first: _Action, second: _Action, resource: str) -> bool:
        """Return whether two actions may run over the same interval, one in the units of the other."""
        first_sets, second_sets = first.needs[resource].sets, second.needs[resource].sets
        all_sets = first_sets | second_sets
        if first.durations.isdisjoint(second.durations) or all_sets == {None}:
            return False
        if first_sets == second_sets or len(first_sets) + len(second_sets) > 2:
            return True
        if None not in all_sets:
            return False
        setting, use = (second, first) if first_sets == {None} else (first, second)
        return self.may_share(setting, resource, use.needs[resource].lends)

    def always_exceed(self, first: _Action, second: _Action) -> bool:
        """Return whether two actions exceed a capacity together in all modes, on resources that neither sets."""
        uses_of_first = sum(1 + len(mode.uses) for mode in first.modes)
        self.problem.work(uses_of_first * len(second.modes))
        if not first.duration > 0 < second.duration:
            return False
        return all(self.exceed(*modes) for modes in product(first.modes, second.modes))

    def exceed(self, first: _Mode, second: _Mode) -> bool:
        """Return whether two modes exceed a capacity together, on a resource that neither sets."""
        for name, use in first.uses.items():
            second_use = second.uses.get(name)
            if second_use is None or use.sets is not None or second_use.sets is not None:
                continue
            amounts = use.amount, second_use.amount
            if min(amounts) > 0 and sum(amounts) > self.problem.capacity[name]:
                return True
        return False

    def mode(self, step: Any, first: _Action, second: _Action, user: _Action) -> tuple[_Way, _Way]:
        """Let an action wait for what one of its two modes waits for, or for what the other does."""
        if len(user.modes) != 2 or first.id not in user.modes[0].after or second.id not in user.modes[1].after:
            self.fail(step, f"the two modes of {user.id} do not wait for {first.id} and {second.id}")
        start = ("start", user.id)
        return (("finish", first.id), start, 0), (("finish", second.id), start, 0)

    def state(self, step: Any, resource: str, rival: _Action, setter: _Action, user: _Action) -> tuple[_Way, _Way]:
        """Let a setting to another state precede the only setting that serves a use, or come after the use."""
        state, sets = user.needs[resource].requires, rival.needs[resource].sets
        if state is None or {None, state} & sets or not self.problem.is_only_setter(setter, user, resource, state):
            self.fail(step, f"{setter.id} is not the only action that can set {resource} as {user.id} requires it")
        early = (("start", rival.id), ("start", setter.id), 1)
        if self.problem.are_exclusive(rival, setter, resource):
            early = (("finish", rival.id), ("start", setter.id), 0)
        return early, (("finish", user.id), ("start", rival.id), 0)


class _Together:
    """Search for weighted actions that may run together.

    Two of them do not if one always starts after the other is finished. The uses of a resource that set no state, and
    the actions that hold an agent of a group as long as they run, never take more than there is.
    """

    def __init__(
        self, problem: _Problem, members: list[_Action], weights: list[int], following: dict[str, set[str]]
    ) -> None:
        self.problem = problem
        self.order = sorted(range(len(members)), key=lambda i: -weights[i])
        self.weights = weights
        self.excluded: list[set[int]] = [set() for _ in members]
        for i, first in enumerate(members):
            later = following.get(first.id, set())
            for j, second in enumerate(members):
                if second.id in later:
                    self.excluded[i].add(j)
                    self.excluded[j].add(i)
        rows = [(units, self.units_of(name, members)) for name, units in problem.capacity.items()]
        holders = {i: action.agents for i, action in enumerate(members) if action.holds_agent and action.agents}
        for group in {problem.agents, *holders.values()}:
            rows.append((len(group), [int(i in holders and holders[i] <= group) for i in range(len(members))]))
        problem.work(len(rows) * len(members))
        self.capacities = [units for units, _ in rows]
        self.amounts = [[amounts[i] for _, amounts in rows] for i in range(len(members))]

    def units_of(self, resource: str, members: list[_Action]) -> list[int]:
        """Return the units of a resource that each member uses and shares with no other action."""
        needs = [action.needs[resource] for action in members]
        return [need.amount if need.sets == {None} else 0 for need in needs]

    def exceed(self, candidates: list[int], room: int, units: list[int]) -> bool:
        """Return whether candidates that may run together, in the remaining units, weigh more than ``room``."""
        if room < 0:
            return True
        remaining = sum(self.weights[i] for i in candidates)
        for position, chosen in enumerate(candidates):
            if remaining <= room:
                return False
            remaining -= self.weights[chosen]
            later = candidates[position + 1 :]
            self.problem.work(1 + len(later))
            unused = [free - used for free, used in zip(units, self.amounts[chosen], strict=True)]
            compatible = [i for i in later if i not in self.excluded[chosen] and self.fits(i, unused)]
            if self.exceed(compatible, room - self.weights[chosen], unused):
                return True
        return False

    def fits(self, member: int, units: list[int]) -> bool:
        """Return whether a member fits into units of all resources and agents."""
        return all(used <= free for used, free in zip(self.amounts[member], units, strict=True))


class _Piece(NamedTuple):
    """Piece of an action, which holds its agent up to ``until``."""

    start: int
    until: int
    end: int
    action: _Action
    agent: str | None
    mode: int


def check_schedule(problem: Any, proof: Any) -> int | None:
    """Return the makespan of the schedule in a proof, ``None`` if the proof has neither.

    Both are documents as parsed from JSON. Raises a `RefusedError` with the reason.
    """
    document = _read("proof", proof)
    makespan, rows = document["makespan"], document["schedule"]
    if makespan is None and rows is None:
        return None
    schedule = _Schedule(_Problem(problem), rows or [])
    name, end = schedule.problem.name, schedule.check()
    if (document["instance"], makespan) != (name, end):
        raise RefusedError(f"the proof must name the problem {name} and the makespan {end} of its schedule")
    return end


class _Schedule:
    """Pieces in order of start, all together and by action."""

    def __init__(self, problem: _Problem, rows: list[Any]) -> None:
        self.problem = problem
        self.runs: dict[str, list[_Piece]] = {name: [] for name in problem.actions}
        self.pieces = sorted(map(self.piece, rows), key=lambda piece: piece[:3])
        for piece in self.pieces:
            self.runs[piece.action.id].append(piece)
        for name, pieces in self.runs.items():
            action = problem.actions[name]
            self.check_action(action, pieces)
            self.check_off_times(action, pieces)
            if action.breaks:  # all that it holds stays reserved while it pauses
                self.runs[name] = [_span_of(pieces)]
        self.pieces = sorted(chain.from_iterable(self.runs.values()), key=lambda piece: piece[:3])

    def piece(self, row: Any) -> _Piece:
        """Read a piece; check its action, mode, agent, start and duration."""
        entry = _read("piece", row)
        name, agent = entry["action"], entry["agent"]
        start, duration = entry["start"], entry["duration"]
        action = self.problem.actions.get(name)
        if action is None:
            raise RefusedError("a piece must name an action of the problem")
        mode = action.modes[entry["mode"]] if 0 <= entry["mode"] < len(action.modes) else None
        is_resumption = action.breaks and agent is None  # see `check_action`
        if mode is None or not (is_resumption or agent in (mode.agents or {None})):
            raise RefusedError(f"{name} has no mode {entry['mode']}, or {agent} is not eligible for it")
        min_duration = min(1, mode.duration)
        if duration < min_duration or start < action.release:
            limits = f"last at least {min_duration} and start at {action.release} or later"
            raise RefusedError(f"a piece of {name} must {limits}")
        if not any(begin <= start and start + duration <= end for begin, end in action.windows):
            raise RefusedError(f"a piece of {name} must lie in one of its windows")
        if any(use.amount > self.problem.capacity[resource] for resource, use in mode.uses.items()):
            raise RefusedError(f"{name} exceeds a capacity in mode {entry['mode']}")
        busy = duration if action.pausing and mode.attended else mode.attended
        return _Piece(start, start + busy, start + duration, action, agent, entry["mode"])

    def check(self) -> int:
        """Return the end of the schedule after a check of all rules."""
        self.check_lags()
        self.check_agents()
        self.check_resources()
        self.check_budgets()
        end = max((piece.end for piece in self.pieces), default=0)
        if self.problem.time_limit is not None and end > self.problem.time_limit:
            raise RefusedError(f"the schedule ends at {end}, after the time limit")
        return end

    def check_action(self, action: _Action, pieces: list[_Piece]) -> None:
        """Check the total duration of an action, and its pieces if it can be interrupted."""
        if not pieces:
            raise RefusedError(f"the pieces of {action.id} are missing")
        mode, agent = action.modes[pieces[0].mode], pieces[0].agent
        agents = {agent} if mode.attended else {agent, None}  # nobody has to resume unattended work
        if agent is None and mode.agents:
            raise RefusedError(f"{action.id} must be started by an agent")
        if sum(piece.end - piece.start for piece in pieces) != mode.duration:
            raise RefusedError(f"the pieces of {action.id} must take {mode.duration} in total")
        if len(pieces) > 1 and not action.pausing:
            raise RefusedError(f"{action.id} has {len(pieces)} pieces, but cannot be interrupted")
        for before, piece in pairwise(pieces):
            if piece.start < before.end or piece.mode != before.mode:
                raise RefusedError(f"pieces of {action.id} overlap or have different modes")
            if action.breaks and piece.agent not in agents:
                raise RefusedError(f"pieces of {action.id} have different agents, but it pauses in breaks")

    def check_off_times(self, action: _Action, pieces: list[_Piece]) -> None:
        """Check that no piece runs while its agent or a resource is off, and that breaks are the only pauses."""
        calendars = self.problem.calendars
        for number, piece in enumerate(pieces):
            self.problem.work(len(calendars.rows))
            mode = action.modes[piece.mode]
            is_start = mode.attended > 0 or not (action.breaks and number)
            members = {name: max(piece.end, piece.start + 1) for name in mode.uses}
            if piece.agent is not None and is_start:
                members[piece.agent] = max(piece.until, piece.start + 1)
            for member, end in members.items():
                if calendars.is_off(member, piece.start, end):
                    raise RefusedError(f"{member} is off while {action.id} needs it at {piece.start}")
        mode = action.modes[pieces[0].mode]
        pausing = {*mode.uses} | ({pieces[0].agent} if mode.attended else set())
        for before, piece in pairwise(pieces):
            if action.breaks and not self.covers(pausing, before.end, piece.start):
                raise RefusedError(f"{action.id} pauses between {before.end} and {piece.start} without a break")

    def covers(self, members: Set[str | None], begin: int, end: int) -> bool:
        """Return whether some member is off at every tick of a span."""
        while begin < end:
            self.problem.work(len(self.problem.calendars.rows))
            ends = [self.problem.calendars.end_of(member, begin) for member in members]
            latest = max(ends, default=begin)
            if latest <= begin:
                return False
            begin = latest
        return True

    def check_lags(self) -> None:
        """Check all time lags from the end of an action to the start and each resumption of another."""
        lags = [*self.problem.lags]
        for name, pieces in self.runs.items():
            mode = pieces[0].action.modes[pieces[0].mode]
            lags += [(before, name, 0, None) for before in mode.after]
        for before, after, min_lag, max_lag in lags:
            finish = self.runs[before][-1].end
            pieces = self.runs[after]
            if min_lag is not None and pieces[0].start - finish < min_lag:
                raise RefusedError(f"{after} starts less than {min_lag} after the end of {before}")
            if max_lag is not None and pieces[-1].start - finish > max_lag:
                raise RefusedError(f"{after} starts or resumes more than {max_lag} after the end of {before}")

    def check_agents(self) -> None:
        """Check that no agent attends to two actions at a time, or starts one while it attends to another."""
        latest: dict[str | None, _Piece] = {}  # by agent
        for piece in self.pieces:
            before = latest.get(piece.agent) if piece.agent is not None else None
            if before is not None and piece.start < before.until and before.start < piece.until:
                both = f"{before.action.id} and {piece.action.id}"
                raise RefusedError(f"{piece.agent} cannot attend to {both} at {piece.start}")
            latest[piece.agent] = piece

    def check_budgets(self) -> None:
        """Check that all actions together use up no more of a budget than there is."""
        used = dict.fromkeys(self.problem.budget, 0)
        for pieces in self.runs.values():
            for name, amount in pieces[0].action.modes[pieces[0].mode].budget.items():
                used[name] += amount
        for name, amount in used.items():
            if amount > self.problem.budget[name]:
                raise RefusedError(f"{amount} units of {name} are used up, but there are {self.problem.budget[name]}")

    def check_resources(self) -> None:
        """Check all uses of all resources."""
        uses = defaultdict[str, list[tuple[_Piece, _Use]]](list)
        for piece in self.pieces:
            for name, use in piece.action.modes[piece.mode].uses.items():
                uses[name].append((piece, use))
        for name in self.problem.capacity:
            self.check_resource(name, uses[name])

    def check_resource(self, name: str, uses: list[tuple[_Piece, _Use]]) -> None:
        """Check that simultaneous uses fit into the capacity and meet the states that they require."""
        times = _SettingTimes(self.problem.state[name])
        lenders: dict[tuple[int, int, bool], int] = {}  # maximum units by interval and attendance
        for piece, use in uses:
            if use.sets is not None:
                times.add(use.sets, piece.start)
            elif not piece.action.pausing:
                key = piece.start, piece.end, piece.action.modes[piece.mode].attended > 0
                lenders[key] = max(lenders.get(key, 0), use.amount)

        loads: list[tuple[int, int, int]] = []
        # Settings of one state over one interval share units: the largest counts.
        shared: dict[tuple[int, int, str], int] = {}
        for piece, use in uses:
            if use.requires is not None and not times.meets(piece, use, use.requires):
                raise RefusedError(f"{piece.action.id} requires {name} to be {use.requires}")
            if use.sets is None:
                loads.append((piece.start, piece.end, use.amount))
                continue
            # A setting may share the interval and the units of a use.
            accepted = {False, piece.action.modes[piece.mode].attended > 0}
            lent = max(lenders.get((piece.start, piece.end, attended), -1) for attended in accepted)
            if piece.action.breaks:  # such an action shares no units
                loads.append((piece.start, piece.end, use.amount))
            elif lent < use.amount or not times.meets(piece, use, use.sets):
                interval = piece.start, piece.end, use.sets
                shared[interval] = max(shared.get(interval, 0), use.amount)
        loads += [(start, end, amount) for (start, end, _), amount in shared.items()]
        _check_capacity(name, self.problem.capacity[name], loads)


def _span_of(pieces: list[_Piece]) -> _Piece:
    """Return all pieces of an action that pauses in breaks as one."""
    first, last = pieces[0], pieces[-1]
    is_attended = first.action.modes[first.mode].attended > 0
    return first._replace(until=last.end if is_attended else first.start, end=last.end)


class _SettingTimes:
    """Start times of the settings of a resource, added in order; ``initial`` is its state at first."""

    def __init__(self, initial: str | None) -> None:
        self.initial = initial
        self.starts: list[int] = []
        self.by_state = defaultdict[str, list[int]](list)

    def add(self, state: str, start: int) -> None:
        """Add a setting."""
        self.starts.append(start)
        self.by_state[state].append(start)

    def count_rivals(self, state: str, begin: int, end: int) -> int:
        """Return the number of settings of other states that start in ``[begin, end)``."""
        return _count_between(self.starts, begin, end) - _count_between(self.by_state[state], begin, end)

    def meets(self, piece: _Piece, use: _Use, state: str) -> bool:
        """Return whether a use meets one state only: set before it, and by no other setting while it runs."""
        position = bisect_left(self.starts, piece.start)
        is_met = self.initial == state
        if position:
            is_met = not self.count_rivals(state, self.starts[position - 1], piece.start)
        sets_rival_state = use.sets not in (None, state)
        end = max(piece.end, piece.start + 1)
        return is_met and self.count_rivals(state, piece.start, end) == sets_rival_state


def _count_between(times: list[int], begin: int, end: int) -> int:
    return bisect_left(times, end) - bisect_left(times, begin)


def _check_capacity(name: str, capacity: int, loads: list[tuple[int, int, int]]) -> None:
    """Check that loads, as (start, end, amount), never exceed a capacity."""
    changes: list[tuple[int, int]] = []
    for start, end, amount in loads:
        if start < end:
            changes += [(start, amount), (end, -amount)]
    load = 0
    for moment, change in sorted(changes):  # ends before starts
        load += change
        if load > capacity:
            raise RefusedError(f"{load} units of {name} are in use at {moment}; its capacity is {capacity}")


if __name__ == "__main__":
    try:
        files = [json.loads(open(name, "rb").read(MAX_BYTES)) for name in sys.argv[1:]]  # noqa: SIM115
        bound, makespan = check(*files), check_schedule(*files)
        print(f"No schedule of {files[0]['name']} is shorter than {bound} ticks.")
        if makespan is not None:
            print(f"There is a schedule of {files[0]['name']} of {makespan} ticks.")
    except (RefusedError, OSError, ValueError, TypeError, LookupError, RecursionError) as error:
        sys.exit(f"refused: {error}\nusage: python checker.py problem.json proof.json")
