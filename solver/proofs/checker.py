"""Check a proof that no schedule is shorter than a bound; needs Python and this file alone.

``python checker.py problem.json proof.json``: a problem as ``planoracle instances --export`` writes it, a proof as
``planoracle explain --out`` does. ``schedule_checker.py`` beside this file checks the schedule of a proof.

Form of a proof. An *event* is the beginning, the end, or the ``start``, ``finish`` or ``free`` (it releases its
agent) of an action. A *hop* states that one event is at least so many ticks after another, because the problem says so
(`Checker.is_stated`), or a step before. A proof is a list of steps, possibly on the supposition of a shorter makespan:

- ``path``: hops added up; the last reaches the bound, or contradicts itself: an event comes later than itself.
- ``load``: actions that lie between two events and hold the same agents, or a resource: their work has to fit in.
- ``order``: of two ways (`Checker.ways`) one holds, since the other contradicts a path.
- ``split``: of two ways one holds, and the bound follows in both.

"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Set
from dataclasses import dataclass
from itertools import pairwise
from time import process_time
from typing import Any, Final, NamedTuple, NoReturn

FORMAT, VERSION = "planoracle/certificate", 2
#: Limits: bytes of a file, absolute value of a number, cases within each other, comparisons of needs, processor time.
MAX_BYTES, MAX_NUMBER, MAX_DEPTH, MAX_COMPARISONS, MAX_SECONDS = 16 * 2**20, 10**30, 100, 5_000_000, 60.0

_Event = tuple[str, str]
_BEGIN, _END = ("begin", ""), ("end", "")

#: Keys and types of objects; ``?``: may be null, ``=``: may be missing.
_OBJECTS = {
    "problem": "format:str version:int name:str tasks:list agents:list= resources:list= "
    "$schema:str?= benchmark:str= unit:str= seconds_per_tick:int?= time_limit:int?=",
    "resource": "name:str capacity:int= state:str?=",
    "task": "name:str actions:list",
    "action": "name:str label:str= duration:int attended:int?= interruptible:bool= release:int= agents:list?= "
    "uses:list?= modes:list?= after:list=",
    "mode": "name:str= uses:list= after:list=",
    "use": "resource:str amount:int= requires:str?= sets:str?=",
    "lag": "action:str min_lag:int?= max_lag:int?=",
    "proof": "format:str version:int instance:str bound:int makespan:int? gap:int? schedule:list? supposed:int? "
    "steps:list",
    "hop": "from:list to:list ticks:int why:str line:int=",
    "path": "number:int link:str ticks:int hops:list",
    "load": "number:int link:str from:list to:list ticks:int machine:str names:list capacity:int in_turn:bool "
    "first:int work:int needed:int rest:int members:list",
    "member": "action:str ticks:int before:list after:list",
    "order": "number:int link:str kind:str about:list held:dict excluded:dict against:list",
    "split": "number:int link:str kind:str about:list cases:list",
    "case": "assumed:dict steps:list",
}
_KEYS: Final = {name: dict(key.split(":") for key in keys.split()) for name, keys in _OBJECTS.items()}


class RefusedError(Exception):
    """The proof does not hold or is of another problem, or a file is malformed or beyond a limit."""


def _read(name: str, row: Any, **usual: Any) -> dict[str, Any]:
    """Return an object with checked keys and types; missing keys have their ``usual`` value or null."""
    keys = _KEYS[name]
    if type(row) is not dict or not {key for key, kind in keys.items() if "=" not in kind} <= row.keys() <= keys.keys():
        raise RefusedError(f"a {name} must be an object with the keys {', '.join(keys)}")
    for key, value in row.items():
        kind = type(value).__name__
        if kind != keys[key].rstrip("?=") and not (value is None and "?" in keys[key]):
            raise RefusedError(f"{key} of a {name} must have the type {keys[key].rstrip('?=')} (got {kind})")
        if kind == "int" and abs(value) > MAX_NUMBER:
            raise RefusedError(f"{key} of a {name} must be at most {MAX_NUMBER} in absolute value")
    return dict.fromkeys(keys) | usual | row


def _texts(name: str, texts: list[Any]) -> list[str]:
    if any(type(one) is not str for one in texts) or len(set(texts)) < len(texts):
        raise RefusedError(f"{name} must be distinct texts")
    return texts


class _Use(NamedTuple):
    amount: int
    requires: str | None
    sets: str | None


class _Needs(NamedTuple):
    """Needs of an action on one resource, over all its modes."""

    amount: int = 0  # least units
    requires: str | None = None  # state that every mode requires
    sets: frozenset[str | None] = frozenset({None})  # states that modes set (None: a mode sets nothing)
    lends: frozenset[str | None] = frozenset()  # states that uses which set nothing require (None: any state)


@dataclass
class _Action:
    """Action of ``duration`` ticks that holds one of ``agents`` for ``attended`` ticks (0: its start)."""

    id: str
    duration: int
    attended: int
    pausing: bool
    release: int
    agents: frozenset[str]
    modes: list[tuple[dict[str, _Use], set[str]]]  # needs of resources, and actions that must be finished

    def __post_init__(self) -> None:
        """Combine the modes: an absent use takes, requires and sets nothing; ``last`` sets the agent free."""
        self.last = "finish" if self.pausing or self.attended == self.duration else "free"
        self.after = set.intersection(*(after for _, after in self.modes))
        uses = defaultdict[str, list[_Use]](list)
        for mode, _ in self.modes:
            for name, use in mode.items():
                uses[name].append(use)
        self.needs = defaultdict[str, _Needs](_Needs)
        for name, own in uses.items():
            lends = frozenset(use.requires for use in own if use.sets is None)
            every = own if len(own) == len(self.modes) else [*own, _Use(0, None, None)]
            amount, sets = min(use.amount for use in every), frozenset(use.sets for use in every)
            first, *others = {use.requires for use in every}
            self.needs[name] = _Needs(amount, None if others else first, sets, lends)


class _Problem:
    """Problem; lags are (before, after, minimum, maximum), from a finish to a start."""

    def __init__(self, document: Any) -> None:
        problem = _read("problem", document, agents=["agent"], resources=[])
        if (problem["format"], problem["version"]) != ("planoracle/instance", 1):
            raise RefusedError("the problem must have the format planoracle/instance, version 1")
        self.until, self.comparisons, self.count = process_time() + MAX_SECONDS, 0, 0  # of steps in all cases
        self.agents = frozenset(_texts("agents", problem["agents"]))
        resources = [_read("resource", entry, capacity=1) for entry in problem["resources"]]
        _texts("resources", [entry["name"] for entry in resources])
        self.capacity: dict[str, int] = {entry["name"]: entry["capacity"] for entry in resources}
        self.state: dict[str, str | None] = {entry["name"]: entry["state"] for entry in resources}
        self.lags: list[tuple[str, str, int | None, int | None]] = []
        actions = [
            self.action(task["name"], _read("action", entry, interruptible=False, release=0, after=[]))
            for task in (_read("task", one) for one in problem["tasks"])
            for entry in task["actions"]
        ]
        _texts("actions", [action.id for action in actions])
        self.actions = {action.id: action for action in actions}
        named = {name for lag in self.lags for name in lag[:2]}
        if unknown := named.union(*(after for action in actions for _, after in action.modes)) - self.actions.keys():
            raise RefusedError(f"a time lag or mode waits for {min(unknown)}, which is not an action of the problem")
        self.minima = {lag[:3] for lag in self.lags}
        self.maxima = {(*lag[:2], lag[3]) for lag in self.lags if lag[3] is not None}
        self.setters = defaultdict[tuple[str, str | None], set[str]](set)  # by resource and state
        self.lends = defaultdict[str, set[str | None]](set)  # by resource: see `_Needs`
        for action in actions:
            for name, needs in action.needs.items():
                for state in needs.sets:
                    self.setters[name, state].add(action.id)
                self.lends[name] |= needs.lends

    def work(self, comparisons: int = 0) -> None:
        """Count comparisons; refuse a check that takes too many of them or too much time."""
        self.comparisons += comparisons
        if self.comparisons > MAX_COMPARISONS or process_time() > self.until:
            raise RefusedError(f"the check exceeds {MAX_COMPARISONS} comparisons or {MAX_SECONDS} s of processor time")

    def action(self, task: str, entry: dict[str, Any]) -> _Action:
        name, duration, attended = f"{task}/{entry['name']}", entry["duration"], entry["attended"]
        able = self.agents if entry["agents"] is None else frozenset(_texts("agents", entry["agents"]))
        if attended is None:  # the whole duration if an agent is eligible
            attended = 0 if entry["agents"] == [] else duration
        if not 0 <= attended <= duration or (entry["interruptible"] and 0 < attended < duration):
            limits = "be 0 or the duration" if entry["interruptible"] else "lie between 0 and the duration"
            raise RefusedError(f"the attended time of {name} must {limits} (got {attended})")
        if (able is not self.agents and not able <= self.agents) or (attended and not able) or entry["release"] < 0:
            needed = "agents of the problem, at least one if it is attended, and a release of at least 0"
            raise RefusedError(f"{name} must have {needed}")
        if entry["modes"] is not None and (entry["uses"] is not None or not entry["modes"]):
            raise RefusedError(f"{name} must have either uses or at least one mode")
        for row in entry["after"]:
            lag = _read("lag", {"action": row} if type(row) is str else row, min_lag=0)
            before = lag["action"] if "/" in lag["action"] else f"{task}/{lag['action']}"
            self.lags.append((before, name, lag["min_lag"], lag["max_lag"]))
        rows = [_read("mode", row, uses=[], after=[]) for row in entry["modes"] or [{"uses": entry["uses"] or []}]]
        modes = [self.mode(task, row) for row in rows]
        return _Action(name, duration, attended, entry["interruptible"], entry["release"], able, modes)

    def mode(self, task: str, entry: dict[str, Any]) -> tuple[dict[str, _Use], set[str]]:
        uses = [_read("use", row, amount=1) for row in entry["uses"]]
        _texts("resources used", [use["resource"] for use in uses])
        if any(not 0 <= use["amount"] <= self.capacity.get(use["resource"], -1) for use in uses):
            raise RefusedError("a use must name a resource of the problem and an amount between 0 and its capacity")
        needs = {use["resource"]: _Use(use["amount"], use["requires"], use["sets"]) for use in uses}
        after = _texts("actions that a mode waits for", entry["after"])
        return needs, {name if "/" in name else f"{task}/{name}" for name in after}

    def is_only_setter(self, setter: _Action, user: _Action, resource: str, state: str) -> bool:
        """Return whether no other action than the setter, and possibly the user, may set a state."""
        setters = self.setters[resource, state]
        return len(setters) <= 2 and setters - {user.id} == {setter.id}

    def are_exclusive(self, one: _Action, two: _Action, resource: str) -> bool:
        """Return whether two actions never fit into a capacity together, unless they coincide."""
        units = one.needs[resource].amount, two.needs[resource].amount
        return one.duration > 0 < two.duration and min(units) > 0 and sum(units) > self.capacity[resource]


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
    if (document["format"], document["version"], document["instance"]) != (FORMAT, VERSION, problem["name"]):
        raise RefusedError(f"the proof must be a {FORMAT} of version {VERSION} for {problem['name']}")
    bound, makespan, supposed = document["bound"], document["makespan"], document["supposed"]
    gap = None if makespan is None else makespan - bound
    if (gap is None) != (document["schedule"] is None) or document["gap"] != gap or (gap or 0) < 0:
        raise RefusedError(
            "a makespan requires a schedule, and the gap must be the makespan minus the bound, at least 0"
        )
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
                raise RefusedError(
                    f"link of step {self.problem.count} must be one of {', '.join(checks)}, and number its position"
                )
            checks[link](row)

    def fail(self, step: Any, reason: str) -> NoReturn:
        """Refuse a step."""
        raise RefusedError(f"step {step['number']} does not hold: {reason}")

    def close(self, step: Any) -> None:
        """Check that a path reaches the bound, or contradicts itself."""
        source, target, ticks = self.path(step, [_hop(one) for one in step["hops"]])
        reached = (source, target) == (_BEGIN, _END) and ticks >= self.bound
        if ticks != step["ticks"] or not (reached or (source == target and ticks > 0)):
            self.fail(
                step, "its ticks are not the sum of its hops, or neither reaches the bound nor contradicts itself"
            )

    def path(self, step: Any, path: list[_Hop]) -> tuple[_Event, _Event, int]:
        """Check that hops follow on each other and hold; return both ends and the sum."""
        if not path or any(one.target != two.source for one, two in pairwise(path)):
            self.fail(step, "each hop must begin at the event at which the hop before ends")
        for hop in path:
            earlier = hop.reason in ("line", "case", "supposition")
            if not (any(hop in case for case in self.hops) if earlier else self.is_stated(hop)):
                self.fail(
                    step, f"nothing states that {hop.target} is at least {hop.ticks} after {hop.source} ({hop.reason})"
                )
        return path[0].source, path[-1].target, sum(hop.ticks for hop in path)

    def between(self, step: Any, source: _Event, path: Any, target: _Event, least: int) -> None:
        """Check that hops lead from one event to the other in ``least`` ticks; equal events need none."""
        steps = [_hop(one) for one in path]
        ends = self.path(step, steps) if steps else (source, source, 0)
        if ends[:2] != (source, target) or ends[2] < least:
            self.fail(step, f"its hops are not a path of at least {least} ticks from {source} to {target}")

    def is_stated(self, hop: _Hop) -> bool:
        """Return whether the problem states the least time of a hop, for the hop's reason."""
        (kind, name), (target_kind, other), ticks = hop.source, hop.target, hop.ticks
        one, two = self.problem.actions.get(name), self.problem.actions.get(other)
        if hop.reason == "order":  # every action finishes before the end
            return (kind == "begin" or (kind == "finish" and one is not None)) and target_kind == "end" and ticks == 0
        if hop.reason == "release":
            return two is not None and (kind, target_kind) == ("begin", "start") and ticks == two.release
        if one is None or two is None:
            return False
        if hop.reason in ("duration", "attended") and one is two:
            end, lasts = ("finish", one.duration) if hop.reason == "duration" else ("free", one.attended)
            if (kind, target_kind, ticks) == ("start", "finish", one.duration) and hop.reason == "duration":
                return True  # also in several pieces
            return not one.pausing and (kind, target_kind, ticks) in (("start", end, lasts), (end, "start", -lasts))
        if hop.reason == "lag" and (kind, target_kind) == ("finish", "start"):  # or by every mode
            return (one.id, two.id, ticks) in self.problem.minima or (ticks == 0 and one.id in two.after)
        if hop.reason == "window" and kind in ("start", "finish") and target_kind == "finish":
            rest = one.duration if kind == "finish" else 0  # the last resumption is within the maximum lag, too
            return (one.pausing or not rest) and (two.id, one.id, -ticks - rest) in self.problem.maxima
        return hop.reason == "state" and self.waits_for_setting(kind, target_kind, ticks, one, two)

    def waits_for_setting(self, kind: str, target_kind: str, ticks: int, setter: _Action, user: _Action) -> bool:
        """Return whether a use waits for the only setting of a state that does not hold at first."""
        self.problem.work(len(user.needs))
        for resource, needs in user.needs.items():
            state, is_only_setter = needs.requires, self.problem.is_only_setter
            if state not in (None, self.problem.state[resource]) and is_only_setter(setter, user, resource, state):
                hop, exclusive = (kind, target_kind, ticks), self.problem.are_exclusive(setter, user, resource)
                if (hop == ("finish", "start", 0) and exclusive) or hop == (
                    "start",
                    "start",
                    1,
                ):  # a setting at the same instant is too late
                    return True
        return False

    def load(self, step: Any) -> None:
        """Check a load: all members lie between two events, and need their time there.

        Each starts ``first`` after the source and ends ``rest`` before the target. Together they take at least their
        work by the capacity; ``in_turn``, with at most ``capacity`` under way at a time and none interrupted, some
        follow each other: of n at least n / capacity, rounded up, and those take no less than the shortest.
        """
        rows = [_read("member", row) for row in step["members"]]
        names, ticks = _texts("members", [row["action"] for row in rows]), [row["ticks"] for row in rows]
        members = [self.problem.actions[name] for name in names if name in self.problem.actions]
        capacity, turn, on = step["capacity"], step["in_turn"], _texts("names", step["names"])
        if not 0 < len(names) == len(members) or capacity < 1 or (turn and any(action.pausing for action in members)):
            self.fail(step, "members must be actions, not interruptible ones if in_turn, and capacity at least 1")
        needs_agents = step["machine"] == "agents"
        if needs_agents:
            self.check_agents(step, members, ticks, on)
        elif step["machine"] == "resource" and len(on) == 1 and on[0] in self.problem.capacity:
            self.check_resource(step, members, ticks, on[0])
        else:
            self.fail(step, "machine must be 'agents', or 'resource' with the name of one resource")
        source, target, first, rest = _event(step["from"]), _event(step["to"]), step["first"], step["rest"]
        for row, action in zip(rows, members, strict=True):
            last = action.last if needs_agents else "finish"
            self.between(step, source, row["before"], ("start", action.id), first)
            self.between(step, (last, action.id), row["after"], target, rest)
        needed = sum(sorted(ticks)[: -(-len(ticks) // capacity)]) if turn else -(-sum(ticks) // capacity)
        if (step["work"], step["needed"], step["ticks"]) != (sum(ticks), needed, first + needed + rest):
            self.fail(step, "work, needed or ticks is not the sum that its members give")
        self.hops[-1].add(_Hop(source, target, step["ticks"], "line", step["number"]))

    def check_agents(self, step: Any, members: list[_Action], ticks: list[int], names: list[str]) -> None:
        """Check that the members need these agents, and no others, for so long."""
        alone = step["in_turn"] and len(names) == 1  # takes no turns
        if alone or step["capacity"] != len(names) or not self.problem.agents.issuperset(names):
            self.fail(step, "names must be agents of the problem, as many as capacity, at least 2 if in_turn")
        able = {agents for agents in {action.agents for action in members} if agents and agents <= {*names}}
        for action, least in zip(members, ticks, strict=True):
            if action.agents not in able or least != action.attended:
                self.fail(step, f"{action.id} does not hold one of these agents for {least} ticks")

    def check_resource(self, step: Any, members: list[_Action], ticks: list[int], resource: str) -> None:
        """Check that members take units of the resource for so long, and share none with another action.

        A member beside which no other one fits may count as the whole capacity.
        """
        capacity, in_turn, whole = step["capacity"], step["in_turn"], self.problem.capacity[resource]
        units = sorted(action.needs[resource].amount for action in members)
        more = units[0] < 1 or whole == 1 or (len(units) > capacity and sum(units[: capacity + 1]) <= whole)
        if more if in_turn else capacity != whole:
            limit = "the number of members that can run at the same time" if in_turn else f"that of {resource}, {whole}"
            self.fail(step, f"capacity must be {limit} (got {capacity})")
        settings, lends = set(), self.problem.lends[resource]
        for action, least in zip(members, ticks, strict=True):
            needs = action.needs[resource]
            counts = {1} if in_turn else {needs.amount}
            if not in_turn and whole - needs.amount < units[0]:
                counts.add(whole)
            if least not in {count * action.duration for count in counts}:
                self.fail(step, f"{action.id} does not need {least} ticks of {resource}")
            if needs.sets != {None}:
                setting = (needs.sets, action.duration)  # settings of one state may run over the same interval
                if len(needs.sets) > 1 or setting in settings or self.may_share(action, resource, lends):
                    self.fail(step, f"{action.id} may share units of {resource} with another action")
                settings.add(setting)

    def may_share(self, setting: _Action, resource: str, required: Set[str | None]) -> bool:
        """Return whether a setting may share the units of a use, as the state exists without it."""
        (state,) = setting.needs[resource].sets
        setters = self.problem.setters[resource, state]
        is_set = self.problem.state[resource] == state or len(setters) > (setting.id in setters)
        return is_set and not required.isdisjoint((None, state))

    def order(self, step: Any) -> None:
        """Check that of the two ways of a choice one contradicts a path, so that the other holds."""
        holding, excluded = _hop(step["held"]), _hop(step["excluded"])
        if {holding[:4], excluded[:4]} != {(*way, "case") for way in self.ways(step)} or holding == excluded:
            self.fail(step, "held and excluded must be the two alternatives of the choice")
        self.between(step, excluded.target, step["against"], excluded.source, 1 - excluded.ticks)
        self.hops[-1].add(_Hop(holding.source, holding.target, holding.ticks, "line", step["number"]))

    def split(self, step: Any) -> None:
        """Check that the bound follows whichever of two ways holds."""
        cases = [_read("case", case) for case in step["cases"]]
        assumed = [_hop(case["assumed"]) for case in cases]
        if (
            len(self.hops) > MAX_DEPTH
            or len(cases) != 2
            or {hop[:4] for hop in assumed} != {(*way, "case") for way in self.ways(step)}
        ):
            self.fail(step, f"cases must be the two alternatives of the choice, nested at most {MAX_DEPTH} deep")
        for hop, case in zip(assumed, cases, strict=True):
            Checker(self.problem, self.bound, [*self.hops, {hop}]).steps(case["steps"])

    def ways(self, step: Any) -> tuple[Any, Any]:
        """Return the two ways of a choice, one of which holds in any schedule.

        Two actions hold one ``agent``, or the agent has to ``start`` one during the other; they do not fit together
        on a ``resource``, or in any of their ``modes``; see `state` and `mode` for the two other kinds.
        """
        kind, (*names, owner) = step["kind"], step["about"] or [""]
        count = 3 if kind in ("state", "mode") else 2
        actions_by_name = self.problem.actions.keys()
        named = len(_texts("actions", names)) == count and {*names} <= actions_by_name and type(owner) is str
        if not named or (owner and kind in ("mode", "modes")):  # these two are about no agent and no resource
            self.fail(
                step,
                f"about must name {count} distinct actions and, unless its kind is a mode, an agent or a resource",
            )
        actions = [self.problem.actions[name] for name in names]
        if count == 3:
            return self.state(step, owner, *actions) if kind == "state" else self.mode(step, *actions)
        (one, two), ends = actions, ["finish", "finish"]
        rigid = not (one.pausing or two.pausing)
        if kind == "agent":
            good = rigid and one.attended > 0 < two.attended and one.agents == {owner} == two.agents
            ends = [one.last, two.last]
        elif kind == "start":
            good = not one.attended and not two.pausing and two.attended > 0 and one.agents == {owner} == two.agents
            ends = ["start", two.last]
        elif kind == "resource":
            rigid = rigid and owner in self.problem.capacity
            good = rigid and self.problem.are_exclusive(one, two, owner) and not self.may_coincide(one, two, owner)
        else:
            good = kind == "modes" and rigid and self.always_exceed(one, two)
        if not good:
            self.fail(step, f"{one.id} and {two.id} can run at the same time")
        return ((ends[0], one.id), ("start", two.id), 0), ((ends[1], two.id), ("start", one.id), 0)

    def may_coincide(self, first: _Action, second: _Action, resource: str) -> bool:
        """Return whether two actions may run over the same interval, one in the units of the other."""
        one, two = first.needs[resource].sets, second.needs[resource].sets
        if first.duration != second.duration or one | two == {None}:
            return False
        if one == two or len(one) + len(two) > 2 or None not in one | two:
            return one == two or len(one) + len(two) > 2
        setting, use = (second, first) if one == {None} else (first, second)
        return self.may_share(setting, resource, use.needs[resource].lends)

    def always_exceed(self, first: _Action, second: _Action) -> bool:
        """Return whether two actions exceed a capacity together in all modes, on resources that neither sets."""
        self.problem.work(sum(1 + len(uses) for uses, _ in first.modes) * len(second.modes))
        return first.duration > 0 < second.duration and all(
            any(
                use.sets is None is two[name].sets
                and use.amount > 0 < two[name].amount
                and use.amount + two[name].amount > self.problem.capacity[name]
                for name, use in one.items()
                if name in two
            )
            for one, _ in first.modes
            for two, _ in second.modes
        )

    def mode(self, step: Any, one: _Action, two: _Action, user: _Action) -> tuple[Any, Any]:
        """Let an action wait for what one of its two modes waits for, or for what the other does."""
        if len(user.modes) != 2 or one.id not in user.modes[0][1] or two.id not in user.modes[1][1]:
            self.fail(step, f"the two modes of {user.id} do not wait for {one.id} and {two.id}")
        return (("finish", one.id), ("start", user.id), 0), (("finish", two.id), ("start", user.id), 0)

    def state(self, step: Any, resource: str, other: _Action, setter: _Action, user: _Action) -> tuple[Any, Any]:
        """Let a setting to another state precede the only setting that serves a use, or come after the use."""
        state, sets = user.needs[resource].requires, other.needs[resource].sets
        if state is None or {None, state} & sets or not self.problem.is_only_setter(setter, user, resource, state):
            self.fail(step, f"{setter.id} is not the only action that can set {resource} as {user.id} requires it")
        early = (("start", other.id), ("start", setter.id), 1)
        if self.problem.are_exclusive(other, setter, resource):
            early = (("finish", other.id), ("start", setter.id), 0)
        return early, (("finish", user.id), ("start", other.id), 0)


if __name__ == "__main__":
    try:
        files = [json.loads(open(name, "rb").read(MAX_BYTES)) for name in sys.argv[1:]]  # noqa: SIM115
        print(f"No schedule of {files[0]['name']} is shorter than {check(*files)} ticks.")
    except (RefusedError, OSError, ValueError, TypeError, LookupError, RecursionError) as error:
        sys.exit(f"refused: {error}\nusage: python checker.py problem.json proof.json")
