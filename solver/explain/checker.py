"""Check a proof that no schedule of a problem is shorter than a bound; Python and this one file are enough.

``python checker.py problem.json proof.json``: a problem as ``planoracle instances --export`` writes it, a proof as
``planoracle explain --out`` does. All is worked out anew from the problem; nothing here knows how a proof is found.
That its schedule, if it has one, takes as long as it says is for ``timetable.py`` beside this file.

How to read it. An *event* is the beginning, the end, or the ``start``, ``finish`` or ``free`` (it no longer holds its
agent) of an action. A *hop* says that one event is at least so many ticks after another, because the problem says so
(`Checker.given`), or a step before. A proof is a list of steps, perhaps on the supposition that all is done sooner:

- ``path``: hops added up; the last reaches the bound, or contradicts itself: an event comes later than itself.
- ``load``: actions that lie between two events and hold the same agents, or a resource: their work has to fit in.
- ``order``: of two ways in which things can go (`Checker.ways`) one holds, since the other contradicts a path.
- ``split``: of two ways one holds, and the bound follows in both.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

__all__ = ["FORMAT", "VERSION", "RefusedError", "check"]

FORMAT, VERSION = "planoracle/certificate", 2

_Event = tuple[str, str]
_BEGIN, _END = ("begin", ""), ("end", "")

#: What objects hold: keys and types; ``?``: may be null, ``=``: may be missing.
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


class RefusedError(Exception):
    """The proof does not hold, or is none of this problem, or one of the files is not what it should be."""


def _read(what: str, found: Any, **usual: Any) -> dict[str, Any]:
    """Return an object if it holds what it should, with what is ``usual`` for keys that are missing, or else null."""
    keys = dict(key.split(":") for key in _OBJECTS[what].split())
    if type(found) is not dict or not {key for key, kind in keys.items() if "=" not in kind} <= found.keys() <= {*keys}:
        raise RefusedError(f"a {what} is no object of {', '.join(keys)}")
    for key, value in found.items():
        kind = type(value).__name__
        if kind != keys[key].rstrip("?=") and not (value is None and "?" in keys[key]):
            raise RefusedError(f"{key} of a {what} is of the type {kind}")
    return dict.fromkeys(keys) | usual | found


def _texts(what: str, found: list[Any]) -> list[str]:
    if any(type(one) is not str for one in found) or len(set(found)) < len(found):
        raise RefusedError(f"{what} are not distinct names")
    return found


class _Use(NamedTuple):
    amount: int
    requires: str | None
    sets: str | None


class _Action(NamedTuple):
    """Runs ``duration`` ticks; holds one of ``agents`` for the first ``attended`` (0: one of them starts it)."""

    id: str
    duration: int
    attended: int
    pausing: bool
    release: int
    agents: frozenset[str]
    modes: list[tuple[dict[str, _Use], set[str]]]  # what each needs of resources, and which actions must be finished

    @property
    def last(self) -> str:
        """The event at which it sets its agent free."""
        return "finish" if self.pausing or self.attended == self.duration else "free"

    def uses(self, resource: str) -> list[_Use]:
        """Return what every mode asks of a resource."""
        return [uses.get(resource, _Use(0, None, None)) for uses, _ in self.modes]

    def amount(self, resource: str) -> int:
        """Return the units it takes in any of its modes."""
        return min(use.amount for use in self.uses(resource))

    def sets(self, resource: str) -> set[str | None]:
        """Return what its modes set a resource to (None: nothing)."""
        return {use.sets for use in self.uses(resource)}

    def needs(self, resource: str) -> str | None:
        """Return the state of a resource that it requires in every mode, if there is one."""
        first, *others = {use.requires for use in self.uses(resource)}
        return None if others else first


class _Problem:
    """A problem; lags are (before, after, minimum, maximum), from the finish of the one to the start of the other."""

    def __init__(self, document: Any) -> None:
        found = _read("problem", document, agents=["agent"], resources=[])
        if (found["format"], found["version"]) != ("planoracle/instance", 1):
            raise RefusedError("the problem is not a planoracle/instance of version 1")
        self.agents = frozenset(_texts("agents", found["agents"]))
        resources = [_read("resource", entry, capacity=1) for entry in found["resources"]]
        _texts("resources", [entry["name"] for entry in resources])
        self.capacity: dict[str, int] = {entry["name"]: entry["capacity"] for entry in resources}
        self.state: dict[str, str | None] = {entry["name"]: entry["state"] for entry in resources}
        self.lags: list[tuple[str, str, int | None, int | None]] = []
        actions = [
            self.action(task["name"], _read("action", entry, interruptible=False, release=0, after=[]))
            for task in (_read("task", one) for one in found["tasks"])
            for entry in task["actions"]
        ]
        _texts("actions", [action.id for action in actions])
        self.actions = {action.id: action for action in actions}
        named = {name for lag in self.lags for name in lag[:2]}
        if not named.union(*(after for action in actions for _, after in action.modes)) <= self.actions.keys():
            raise RefusedError("some lag is from an action that is not there")

    def action(self, task: str, entry: dict[str, Any]) -> _Action:
        name, duration, attended = f"{task}/{entry['name']}", entry["duration"], entry["attended"]
        able = self.agents if entry["agents"] is None else frozenset(_texts("agents", entry["agents"]))
        if attended is None:  # all the time, if anybody has to
            attended = 0 if entry["agents"] == [] else duration
        if not 0 <= attended <= duration or (entry["interruptible"] and 0 < attended < duration):
            raise RefusedError(f"{name} is attended longer than it lasts, or in part though it can be interrupted")
        if not able <= self.agents or (attended and not able) or entry["release"] < 0:
            raise RefusedError(f"agents or release of {name} are wrong")
        if entry["modes"] is not None and (entry["uses"] is not None or not entry["modes"]):
            raise RefusedError(f"{name} has both uses and modes, or none")
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
            raise RefusedError("a use is of no resource, or of more than there is")
        needs = {use["resource"]: _Use(use["amount"], use["requires"], use["sets"]) for use in uses}
        after = _texts("actions to wait for", entry["after"])
        return needs, {name if "/" in name else f"{task}/{name}" for name in after}


class _Hop(NamedTuple):
    """Event ``target`` is at least ``ticks`` after ``source``; ``why``, see `Checker.given`; by step ``line``."""

    source: _Event
    target: _Event
    ticks: int
    why: str
    line: int | None = None


def _hop(found: Any) -> _Hop:
    hop = _read("hop", found)
    if (hop["line"] is None) != (hop["why"] != "line"):
        raise RefusedError("a hop by an earlier step names it, no other one does")
    return _Hop(_event(hop["from"]), _event(hop["to"]), hop["ticks"], hop["why"], hop["line"])


def _event(found: list[Any]) -> _Event:
    if len(found) != 2 or any(type(part) is not str for part in found):
        raise RefusedError("an event is a kind and an action")
    return found[0], found[1]


def check(problem: Any, proof: Any) -> int:
    """Work every step of a proof out anew; return the bound in ticks, which no schedule of the problem is below.

    ``problem`` and ``proof`` are documents as parsed from JSON. Raises a `RefusedError` that names the first step
    that does not hold, or what is wrong with a document.
    """
    read, told = _Problem(problem), _read("proof", proof)
    if (told["format"], told["version"], told["instance"]) != (FORMAT, VERSION, problem["name"]):
        raise RefusedError(f"the proof is not a {FORMAT} of version {VERSION}, or about another problem")
    bound, makespan, supposed = told["bound"], told["makespan"], told["supposed"]
    gap = None if makespan is None else makespan - bound
    if (gap is None) != (told["schedule"] is None) or told["gap"] != gap or (gap or 0) < 0:
        raise RefusedError("its makespan lacks a schedule, or its gap is not what is left between bound and makespan")
    if supposed not in (None, bound - 1):
        raise RefusedError("it supposes something else than that all is done before the bound")
    known = [] if supposed is None else [_Hop(_END, _BEGIN, -supposed, "supposition")]
    Checker(read, bound, known, [0]).steps(told["steps"])
    return int(bound)


@dataclass
class Checker:
    """Checks the steps of one case; ``known`` are the supposition, what is assumed, and results of earlier steps."""

    problem: _Problem
    bound: int
    known: list[_Hop]
    count: list[int]  # of steps so far, in all cases

    def steps(self, found: list[Any]) -> None:
        """Check steps, each of which builds on those before it, and the last of which closes the case."""
        checks = {"path": self.close, "load": self.load, "order": self.order, "split": self.split}
        links = [str(step.get("link")) if type(step) is dict else "" for step in found]
        if [link in ("path", "split") for link in links] != [False] * (len(links) - 1) + [True]:
            raise RefusedError("a path or a split closes every case, and nothing else does")
        for link, row in zip(links, found, strict=True):
            self.count[0] += 1
            if link not in checks or _read(link, row)["number"] != self.count[0]:
                raise RefusedError("a step is of no known kind, or its number is wrong")
            checks[link](row)

    def fail(self, step: Any, why: str) -> NoReturn:
        """Refuse a step."""
        raise RefusedError(f"step {step['number']} does not hold: {why}")

    def close(self, step: Any) -> None:
        """Check that a path reaches the bound, or contradicts itself."""
        source, target, ticks = self.path(step, [_hop(one) for one in step["hops"]])
        reached = (source, target) == (_BEGIN, _END) and ticks >= self.bound
        if ticks != step["ticks"] or not (reached or (source == target and ticks > 0)):
            self.fail(step, "it is added up wrongly, or neither reaches the bound nor contradicts itself")

    def path(self, step: Any, hops: list[_Hop]) -> tuple[_Event, _Event, int]:
        """Check that hops follow on each other and hold; return both ends and the sum."""
        if not hops:
            self.fail(step, "a path without hops")
        if any(one.target != two.source for one, two in pairwise(hops)):
            self.fail(step, "its hops do not follow on each other")
        for hop in hops:
            if not (hop in self.known if hop.why in ("line", "case", "supposition") else self.given(hop)):
                self.fail(step, f"nothing says that {hop.target} is {hop.ticks} after {hop.source} ({hop.why})")
        return hops[0].source, hops[-1].target, sum(hop.ticks for hop in hops)

    def between(self, step: Any, source: _Event, found: Any, target: _Event, least: int) -> None:
        """Check that hops lead from one event to the other in ``least`` ticks; none are needed if both are the same."""
        hops = [_hop(one) for one in found]
        ends = self.path(step, hops) if hops else (source, source, 0)
        if ends[:2] != (source, target) or ends[2] < least:
            self.fail(step, f"no way of {least} ticks from {source} to {target}")

    def given(self, hop: _Hop) -> bool:
        """Whether the problem says at once that the target is so many ticks after the source, for this reason."""
        (kind, name), (then, other), ticks = hop.source, hop.target, hop.ticks
        one, two = self.problem.actions.get(name), self.problem.actions.get(other)
        if hop.why == "order":  # nothing ends after the end
            return (kind == "begin" or (kind == "finish" and one is not None)) and then == "end" and ticks == 0
        if hop.why == "release":
            return two is not None and (kind, then) == ("begin", "start") and ticks == two.release
        if one is None or two is None:
            return False
        if hop.why in ("duration", "attended") and one is two:
            end, lasts = ("finish", one.duration) if hop.why == "duration" else ("free", one.attended)
            if (kind, then, ticks) == ("start", "finish", one.duration) and hop.why == "duration":
                return True  # also in several pieces
            return not one.pausing and (kind, then, ticks) in (("start", end, lasts), (end, "start", -lasts))
        if hop.why == "lag" and (kind, then) == ("finish", "start"):
            least = [0] if all(one.id in after for _, after in two.modes) else []  # whatever its mode
            return ticks in least + [lag[2] for lag in self.problem.lags if lag[:2] == (one.id, two.id)]
        if hop.why == "window" and kind in ("start", "finish") and then == "finish":
            # What is paused goes on within the window for the last time, too.
            rest = one.duration if kind == "finish" else 0
            within = [lag[3] for lag in self.problem.lags if lag[:2] == (two.id, one.id) and lag[3] is not None]
            return (one.pausing or not rest) and -ticks - rest in within
        return hop.why == "state" and self.served(kind, then, ticks, one, two)

    def served(self, kind: str, then: str, ticks: int, setter: _Action, user: _Action) -> bool:
        """Whether a use has to wait for the only setting of a state that it needs and that is not there at first."""
        for resource, first in self.problem.state.items():
            state = user.needs(resource)
            if state in (None, first) or self.setters(user, resource, state) != [setter.id]:
                continue
            if (kind, then, ticks) == ("start", "start", 1):  # a setting at the very instant comes too late
                return True
            if (kind, then, ticks) == ("finish", "start", 0) and self.apart(setter, user, resource):
                return True
        return False

    def setters(self, user: _Action, resource: str, state: str | None) -> list[str]:
        """Return the other actions that may set a state."""
        return [a.id for a in self.problem.actions.values() if a.id != user.id and state in a.sets(resource)]

    def apart(self, one: _Action, two: _Action, resource: str) -> bool:
        """Whether two actions never have room at the same time, unless they coincide."""
        units = one.amount(resource), two.amount(resource)
        return one.duration > 0 < two.duration and min(units) > 0 and sum(units) > self.problem.capacity[resource]

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
            self.fail(step, "its members are no actions, or can be interrupted, or it has no capacity")
        crew = step["machine"] == "agents"
        if crew:
            self.crew(step, members, ticks, on)
        elif step["machine"] == "resource" and len(on) == 1 and on[0] in self.problem.capacity:
            self.room(step, members, ticks, on[0])
        else:
            self.fail(step, "it is about neither agents nor a resource")
        source, target, first, rest = _event(step["from"]), _event(step["to"]), step["first"], step["rest"]
        for row, action in zip(rows, members, strict=True):
            last = action.last if crew else "finish"
            self.between(step, source, row["before"], ("start", action.id), first)
            self.between(step, (last, action.id), row["after"], target, rest)
        turns = -(-len(ticks) // capacity)
        needed = sum(sorted(ticks)[:turns]) if turn else -(-sum(ticks) // capacity)
        if (step["work"], step["needed"], step["ticks"]) != (sum(ticks), needed, first + needed + rest):
            self.fail(step, "it is added up wrongly")
        self.known.append(_Hop(source, target, step["ticks"], "line", step["number"]))

    def crew(self, step: Any, members: list[_Action], ticks: list[int], names: list[str]) -> None:
        """Nobody else may carry out the members, and each holds one of these agents so long."""
        alone = step["in_turn"] and len(names) == 1  # takes no turns
        if alone or step["capacity"] != len(names) or not self.problem.agents.issuperset(names):
            self.fail(step, "wrong agents")
        for action, least in zip(members, ticks, strict=True):
            if not action.agents or not action.agents <= set(names) or least != action.attended:
                self.fail(step, f"{action.id} does not hold these agents so long")

    def room(self, step: Any, members: list[_Action], ticks: list[int], resource: str) -> None:
        """Members take room of the resource so long, and none that of another."""
        capacity, turn, whole = step["capacity"], step["in_turn"], self.problem.capacity[resource]
        units = sorted(action.amount(resource) for action in members)
        if turn:
            if units[0] < 1 or whole == 1 or (len(units) > capacity and sum(units[: capacity + 1]) <= whole):
                self.fail(step, f"more than {capacity} may have room")
        elif capacity != whole:
            self.fail(step, "it has another capacity")
        settings = set()
        for action, least in zip(members, ticks, strict=True):
            if least != (1 if turn else action.amount(resource)) * action.duration:
                self.fail(step, f"{action.id} does not need so much")
            states = action.sets(resource)
            if states != {None}:
                alike = (*states, action.duration)  # settings of one state may run over the same interval
                long = [a for a in self.problem.actions.values() if a.duration >= action.duration]
                hosts = [a for a in long if a.pausing or a.duration == action.duration]  # or in a piece of it
                if len(states) > 1 or alike in settings or any(self.lends(a, action, resource, *states) for a in hosts):
                    self.fail(step, f"{action.id} may share the room of another action")
                settings.add(alike)

    def lends(self, other: _Action, setting: _Action, resource: str, state: Any) -> bool:
        """Whether a use may lend its room to a setting; it needs the state to be there without the setting."""
        if other.id == setting.id or other.id in self.after(setting.id) or setting.id in self.after(other.id):
            return False
        there = self.problem.state[resource] == state or self.setters(setting, resource, state)
        if not there or (other.attended and not setting.attended):  # the use has to be started first: holds the agent
            return False
        uses = [uses[resource] for uses, _ in other.modes if resource in uses]
        return any(use.sets is None and use.requires in (None, state) for use in uses)

    def after(self, name: str) -> set[str]:
        """Return the actions that have to wait for another, by a chain of lags."""
        found, waiting = set[str](), [name]
        while waiting:
            before = waiting.pop()
            more = {
                two for one, two, least, _ in self.problem.lags if one == before and least is not None and least >= 0
            }
            waiting += more - found
            found |= more
        return found

    def order(self, step: Any) -> None:
        """Check that of the two ways of a choice one contradicts a path, so that the other holds."""
        held, excluded = _hop(step["held"]), _hop(step["excluded"])
        if {held[:4], excluded[:4]} != {(*way, "case") for way in self.ways(step)} or held == excluded:
            self.fail(step, "these are not the two ways")
        self.between(step, excluded.target, step["against"], excluded.source, 1 - excluded.ticks)
        self.known.append(_Hop(held.source, held.target, held.ticks, "line", step["number"]))

    def split(self, step: Any) -> None:
        """Check that the bound follows whichever of two ways holds."""
        cases = [_read("case", case) for case in step["cases"]]
        assumed = [_hop(case["assumed"]) for case in cases]
        if len(cases) != 2 or {hop[:4] for hop in assumed} != {(*way, "case") for way in self.ways(step)}:
            self.fail(step, "these are not the two cases")
        for hop, case in zip(assumed, cases, strict=True):
            Checker(self.problem, self.bound, [*self.known, hop], self.count).steps(case["steps"])

    def ways(self, step: Any) -> tuple[Any, Any]:
        """Return the two ways of a choice, one of which holds in any schedule.

        Two actions hold one ``agent``, or he has to ``start`` one while he holds the other; they have no room together
        on a ``resource``, or in any of their ``modes``; the two others are explained at their own places.
        """
        kind, (*names, what) = step["kind"], step["about"] or [""]
        count = 3 if kind in ("state", "mode") else 2
        if len(_texts("actions", names)) != count or {*names} - {*self.problem.actions} or type(what) is not str:
            self.fail(step, "it is not about these actions")
        if kind in ("mode", "modes") and what:
            self.fail(step, "it is about no agent and no resource")
        actions = [self.problem.actions[name] for name in names]
        if count == 3:
            return self.state(step, what, *actions) if kind == "state" else self.mode(step, *actions)
        (one, two), ends = actions, ["finish", "finish"]
        rigid = not (one.pausing or two.pausing)
        if kind == "agent":
            good = rigid and one.attended > 0 < two.attended and one.agents == two.agents == {what}
            ends = [one.last, two.last]
        elif kind == "start":
            good = not one.attended and not two.pausing and two.attended > 0 and one.agents == two.agents == {what}
            ends = ["start", two.last]
        elif kind == "resource":
            known = rigid and what in self.problem.capacity
            good = known and self.apart(one, two, what) and not self.coincide(one, two, what)
        else:
            good = kind == "modes" and rigid and self.collide(one, two)
        if not good:
            self.fail(step, "these can be under way at the same time")
        return ((ends[0], one.id), ("start", two.id), 0), ((ends[1], two.id), ("start", one.id), 0)

    def coincide(self, first: _Action, second: _Action, resource: str) -> bool:
        """Whether two actions may run over the same interval, one in the room of the other."""
        one, two = first.sets(resource), second.sets(resource)
        if first.duration != second.duration or one | two == {None}:
            return False
        if len(one) == len(two) == 1 and None not in one | two:
            return one == two
        if one == {None} and len(two) == 1:
            return self.lends(first, second, resource, *two)
        if two == {None} and len(one) == 1:
            return self.lends(second, first, resource, *one)
        return True

    def collide(self, first: _Action, second: _Action) -> bool:
        """Whether two actions have no room together, whatever their modes, on resources that neither sets."""
        return first.duration > 0 < second.duration and all(
            any(
                one[name].sets is None is two[name].sets
                and one[name].amount > 0 < two[name].amount
                and one[name].amount + two[name].amount > self.problem.capacity[name]
                for name in one.keys() & two.keys()
            )
            for one, _ in first.modes
            for two, _ in second.modes
        )

    def mode(self, step: Any, one: _Action, two: _Action, user: _Action) -> tuple[Any, Any]:
        """Let an action wait for what one of its two modes waits for, or for what the other does."""
        if len(user.modes) != 2 or one.id not in user.modes[0][1] or two.id not in user.modes[1][1]:
            self.fail(step, "these are not what its two modes wait for")
        return (("finish", one.id), ("start", user.id), 0), (("finish", two.id), ("start", user.id), 0)

    def state(self, step: Any, resource: str, other: _Action, setter: _Action, user: _Action) -> tuple[Any, Any]:
        """Let a setting to another state precede the only setting that serves a use, or come after the use."""
        state = user.needs(resource)
        if state is None or {None, state} & other.sets(resource) or self.setters(user, resource, state) != [setter.id]:
            self.fail(step, "other settings may serve")
        early = (("start", other.id), ("start", setter.id), 1)
        if self.apart(other, setter, resource):
            early = (("finish", other.id), ("start", setter.id), 0)
        return early, (("finish", user.id), ("start", other.id), 0)


if __name__ == "__main__":
    try:
        files = [json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:]]
        print(f"No schedule of {files[0]['name']} is shorter than {check(*files)} ticks.")
    except (RefusedError, OSError, ValueError, TypeError, LookupError, RecursionError) as error:
        sys.exit(f"usage: checker.py problem.json proof.json; refused: {error}")
