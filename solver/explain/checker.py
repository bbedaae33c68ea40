"""Check a certificate line by line against its instance, independently of how it was found."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from planoracle.instances.errors import InternalError
from planoracle.instances.model import Action, Demand, Instance, Mode
from planoracle.solver.explain.steps import Hop, Load, Order, Path, Proof, Split, Step

__all__ = ["verify"]

_Event = tuple[str, str]
_BEGIN, _END = ("begin", ""), ("end", "")


def verify(instance: Instance, proof: Proof) -> None:
    """Recompute every step of a certificate.

    A certificate that passes is a proof: no schedule of the instance is shorter than its bound.

    Raises
    ------
    InternalError
        Naming the first step that does not hold.
    """
    known = []
    if proof.supposed is not None:
        if proof.supposed != proof.bound - 1:
            raise InternalError(f"{instance.name}: a wrong supposition")
        known.append(Hop(_END, _BEGIN, -proof.supposed, "supposition"))
    _Checker(instance, proof.bound, known).check(proof.steps)


class _Checker:
    """Checks the steps of one case; ``known`` are supposition, assumptions and the results of earlier steps."""

    def __init__(self, instance: Instance, bound: int, known: list[Hop]) -> None:
        self.instance = instance
        self.bound = bound
        self.known = known

    def check(self, steps: Sequence[Step]) -> None:
        if not steps:
            raise InternalError(f"{self.instance.name}: a proof without steps")
        for step in steps[:-1]:
            if isinstance(step, Load):
                self.load(step)
            elif isinstance(step, Order):
                self.order(step)
            else:
                self.fail(step, "only the last step may close a case")
        self.close(steps[-1])

    def fail(self, step: Step, why: str) -> None:
        raise InternalError(f"{self.instance.name}: step {step.number} of the certificate does not hold: {why}")

    def close(self, step: Step) -> None:
        if isinstance(step, Split):
            ways = self.ways(step)
            if len(step.cases) != 2 or {_fact(case.assumed) for case in step.cases} != {_fact(way) for way in ways}:
                self.fail(step, "these are not the two cases")
            for case in step.cases:
                _Checker(self.instance, self.bound, [*self.known, case.assumed]).check(case.steps)
        elif isinstance(step, Path):
            source, target, ticks = self.path(step, step.hops)
            reached = (source, target) == (_BEGIN, _END) and ticks >= self.bound
            if not reached and not (source == target and ticks > 0):
                self.fail(step, "it neither reaches the bound nor contradicts itself")
        else:
            self.fail(step, "it does not close the case")

    # --- hops and paths --------------------------------------------------------------------------

    def path(self, step: Step, hops: Sequence[Hop]) -> tuple[_Event, _Event, int]:
        """Check that hops follow on each other and hold; return both ends and the sum."""
        if not hops:
            self.fail(step, "a path without hops")
        for one, two in pairwise(hops):
            if one.target != two.source:
                self.fail(step, f"{two.source} does not follow {one.target}")
        for hop in hops:
            if not (hop in self.known if hop.why in ("line", "case", "supposition") else self.given(hop)):
                self.fail(step, f"{hop}")
        return hops[0].source, hops[-1].target, sum(hop.ticks for hop in hops)

    def between(self, step: Step, source: _Event, hops: Sequence[Hop], target: _Event) -> None:
        """Check that hops lead from one event to the other; none are needed if both are the same."""
        ends = self.path(step, hops)[:2] if hops else (source, source)
        if ends != (source, target):
            self.fail(step, f"no way from {source} to {target}")

    def given(self, hop: Hop) -> bool:
        """Whether the instance says at once that ``target`` is at least ``ticks`` after ``source``."""
        (kind, name), (then, other) = hop.source, hop.target
        one, two = self.instance.by_id.get(name), self.instance.by_id.get(other)
        if hop.why == "order":
            return hop.ticks <= 0 and then == "end" and kind in ("begin", "finish")
        if hop.why == "release":
            return two is not None and kind == "begin" and then == "start" and hop.ticks <= two.release
        if one is None or two is None:
            return False
        if hop.why == "duration" and one is two:
            there = (kind, then) == ("start", "finish") and hop.ticks <= one.duration
            back = (kind, then) == ("finish", "start") and hop.ticks <= -one.duration
            return there or (back and not one.interruptible)
        if hop.why == "attended" and one is two and not one.interruptible:
            there = (kind, then) == ("start", "free") and hop.ticks <= one.attended
            back = (kind, then) == ("free", "start") and hop.ticks <= -one.attended
            return there or back
        if hop.why == "lag" and (kind, then) == ("finish", "start"):
            return any(hop.ticks <= least for least in self.minima(one, two))
        if hop.why == "window" and (kind, then) == ("start", "finish"):
            lags = [lag for lag in self.instance.lags if (lag.before, lag.after) == (two.id, one.id)]
            return any(lag.maximum is not None and hop.ticks <= -lag.maximum for lag in lags)
        if hop.why == "state":
            return self.served(hop, one, two)
        return False

    def minima(self, one: Action, two: Action) -> list[int]:
        lags = [lag for lag in self.instance.lags if (lag.before, lag.after) == (one.id, two.id)]
        found = [lag.minimum for lag in lags if lag.minimum is not None]
        return [*found, 0] if all(one.id in mode.after for mode in two.modes) else found

    def served(self, hop: Hop, setter: Action, user: Action) -> bool:
        """Whether a use has to wait for the only setting of a state that it needs."""
        for resource in self.instance.resources:
            for state in {demand.requires for demand in _demands(user, resource.name)} - {None, resource.state}:
                every = all(_requires(mode, resource.name) == state for mode in user.modes)
                if every and self.setters(user, resource.name, state) == [setter.id]:
                    if (hop.source[0], hop.target[0]) == ("start", "start") and hop.ticks <= 1:
                        return True
                    ends = (hop.source[0], hop.target[0]) == ("finish", "start") and hop.ticks <= 0
                    if ends and self.apart(setter, user, resource.name):
                        return True
        return False

    def setters(self, user: Action, resource: str, state: str | None) -> list[str]:
        return [
            action.id
            for action in self.instance.actions
            if action.id != user.id and any(demand.sets == state for demand in _demands(action, resource))
        ]

    def apart(self, one: Action, two: Action, resource: str) -> bool:
        """Whether two actions never have room at the same time, unless they coincide."""
        units = [_amount(action, resource) for action in (one, two)]
        lasting = one.duration > 0 and two.duration > 0
        return lasting and min(units) > 0 and sum(units) > self.instance.resource[resource].capacity

    # --- loads -----------------------------------------------------------------------------------

    def load(self, step: Load) -> None:
        names = [via.action for via in step.members]
        if not names or len(set(names)) < len(names) or not set(names) <= set(self.instance.by_id):
            self.fail(step, "its members are not distinct actions")
        if step.in_turn and any(self.instance.by_id[name].interruptible for name in names):
            self.fail(step, "some members can be interrupted")
        if step.machine == "agents":
            self.crew(step)
        elif step.machine == "resource":
            self.room(step)
        else:
            self.fail(step, "it is about neither agents nor a resource")
        for via in step.members:
            action = self.instance.by_id[via.action]
            last = "free" if step.machine == "agents" and not self.holds_throughout(action) else "finish"
            self.between(step, step.source, via.before, ("start", via.action))
            self.between(step, (last, via.action), via.after, step.target)
            if sum(hop.ticks for hop in via.before) < step.first or sum(hop.ticks for hop in via.after) < step.rest:
                self.fail(step, f"{via.action} does not lie in between")
        self.known.append(Hop(step.source, step.target, step.ticks, "line", step.number))

    def holds_throughout(self, action: Action) -> bool:
        return action.interruptible or action.attended == action.duration

    def crew(self, step: Load) -> None:
        """Nobody else may carry out the members, and each holds one of these agents."""
        if step.capacity != len(set(step.names)) or not set(step.names) <= set(self.instance.agents):
            self.fail(step, "wrong agents")
        for via in step.members:
            action = self.instance.by_id[via.action]
            able = self.instance.eligible(action)
            if not able or not set(able) <= set(step.names) or via.ticks > action.attended:
                self.fail(step, f"{via.action} does not hold these agents so long")

    def room(self, step: Load) -> None:
        """Members take room of the resource, and none that of another."""
        resource = self.instance.resource.get(step.names[0]) if len(step.names) == 1 else None
        if resource is None or (step.capacity != resource.capacity and not step.in_turn):
            self.fail(step, "wrong resource")
            return
        units = sorted(_amount(self.instance.by_id[via.action], resource.name) for via in step.members)
        some = units[: step.capacity + 1]
        if step.in_turn and (step.capacity < 1 or (len(some) > step.capacity and sum(some) <= resource.capacity)):
            self.fail(step, f"more than {step.capacity} may have room")
        settings = set()
        for via in step.members:
            action = self.instance.by_id[via.action]
            if via.ticks > (bool(units[0]) if step.in_turn else _amount(action, resource.name)) * action.duration:
                self.fail(step, f"{via.action} does not need so much")
            states = {_sets(mode, resource.name) for mode in action.modes}
            if states != {None}:
                alike = (*states, action.duration)
                if len(states) > 1 or alike in settings or self.hosts(action, resource.name, *states):
                    self.fail(step, f"{via.action} may share the room of another action")
                settings.add(alike)

    def hosts(self, setting: Action, resource: str, state: str | None) -> bool:
        """Whether some use that sets nothing may lend its room to a setting: one that can run just as long."""
        return any(
            self.lends(other, setting, resource, state)
            for other in self.instance.actions
            if other.duration == setting.duration or (other.interruptible and other.duration > setting.duration)
        )

    def lends(self, other: Action, setting: Action, resource: str, state: str | None) -> bool:
        """Whether a use may lend its room to a setting; it needs the state to be there without the setting."""
        if other.id == setting.id or self.apart_in_time(setting.id, other.id):
            return False
        if self.instance.resource[resource].state != state and not self.setters(setting, resource, state):
            return False
        if other.attended and not setting.attended:  # the use would have to be started first, and holds the agent
            return False
        return any(d.sets is None and d.requires in (None, state) for d in _demands(other, resource))

    def coincide(self, first: Action, second: Action, resource: str) -> bool:
        """Whether two actions may run over the same interval, one in the room of the other."""
        one, two = ({_sets(mode, resource) for mode in action.modes} for action in (first, second))
        if first.duration != second.duration or one | two == {None}:
            return False
        if len(one) == len(two) == 1 and None not in one | two:
            return one == two
        if one == {None} and len(two) == 1:
            return self.lends(first, second, resource, *two)
        if two == {None} and len(one) == 1:
            return self.lends(second, first, resource, *one)
        return True

    def apart_in_time(self, one: str, two: str) -> bool:
        """Whether one of two actions has to wait for the other, by a chain of lags."""
        return two in self.after(one) or one in self.after(two)

    def after(self, name: str) -> set[str]:
        found: set[str] = set()
        waiting = [name]
        while waiting:
            before = waiting.pop()
            for lag in self.instance.lags:
                if lag.before == before and lag.minimum is not None and lag.minimum >= 0 and lag.after not in found:
                    found.add(lag.after)
                    waiting.append(lag.after)
        return found

    # --- orders ----------------------------------------------------------------------------------

    def order(self, step: Order) -> None:
        held, excluded = _fact(step.held), _fact(step.excluded)
        if {held, excluded} != {_fact(way) for way in self.ways(step)} or held == excluded:
            self.fail(step, "these are not the two ways")
        source, target, ticks = self.path(step, step.against)
        if (source, target) != (step.excluded.target, step.excluded.source) or ticks + step.excluded.ticks <= 0:
            self.fail(step, "the other way is not excluded")
        self.known.append(step.held._replace(why="line", line=step.number))

    def ways(self, step: Order | Split) -> tuple[Hop, Hop]:
        """Return the two ways of a choice, one of which holds in any schedule, by its kind."""
        *names, what = step.about
        actions = [self.instance.by_id[name] for name in names if name in self.instance.by_id]
        if (
            len(actions) != len(names)
            or len(set(names)) < len(names)
            or len(names) != 2 + (step.kind in ("state", "mode"))
        ):
            self.fail(step, "it is not about these actions")
        first, second = actions[0], actions[-1]
        ends = [("finish" if self.holds_throughout(a) else "free", a.id) for a in (first, second)]
        if step.kind == "agent":
            self.alone(step, what, first, second)
            if first.interruptible or second.interruptible or not (first.attended and second.attended):
                self.fail(step, "these can be under way at the same time")
        elif step.kind == "start":
            self.alone(step, what, first, second)
            if first.attended or second.interruptible or not second.attended:
                self.fail(step, "the start can lie inside")
            ends[0] = ("start", first.id)
        elif step.kind == "resource":
            rigid = not (first.interruptible or second.interruptible)
            if not rigid or not self.apart(first, second, what) or self.coincide(first, second, what):
                self.fail(step, "these can be under way at the same time")
            ends = [("finish", first.id), ("finish", second.id)]
        elif step.kind == "modes":
            if first.interruptible or second.interruptible or not self.collide(first, second):
                self.fail(step, "these can be under way at the same time")
            ends = [("finish", first.id), ("finish", second.id)]
        elif step.kind == "mode":
            return self.mode(step, actions)
        else:
            return self.state(step, actions, what)
        return _hop(ends[0], ("start", second.id), 0), _hop(ends[1], ("start", first.id), 0)

    def collide(self, first: Action, second: Action) -> bool:
        """Whether two actions have no room together, whatever their modes: uses that set nothing keep their room."""
        if not (first.duration and second.duration):
            return False
        for one in first.modes:
            room = {demand.resource: demand.amount for demand in one.demands if demand.sets is None and demand.amount}
            for two in second.modes:
                rivals = [demand for demand in two.demands if demand.sets is None and demand.amount]
                if not any(
                    rival.resource in room
                    and room[rival.resource] + rival.amount > self.instance.resource[rival.resource].capacity
                    for rival in rivals
                ):
                    return False
        return True

    def mode(self, step: Order | Split, actions: list[Action]) -> tuple[Hop, Hop]:
        """Let an action wait for what one of its two modes waits for, or for what the other does."""
        one, two, action = actions
        if len(action.modes) != 2 or one.id not in action.modes[0].after or two.id not in action.modes[1].after:
            self.fail(step, "these are not what its two modes wait for")
        start = ("start", action.id)
        return _hop(("finish", one.id), start, 0), _hop(("finish", two.id), start, 0)

    def alone(self, step: Step, agent: str, *actions: Action) -> None:
        if any(self.instance.eligible(action) != (agent,) for action in actions):
            self.fail(step, f"not only {agent} may do these")

    def state(self, step: Order | Split, actions: list[Action], resource: str) -> tuple[Hop, Hop]:
        """Let a setting to another state precede the only setting that serves a use, or come after the use."""
        other, setter, user = actions
        needs = {_requires(mode, resource) for mode in user.modes}
        made = {_sets(mode, resource) for mode in other.modes}
        if step.kind != "state" or len(needs) != 1 or None in needs or None in made or needs & made:
            self.fail(step, "no such settings")
        if self.setters(user, resource, *needs) != [setter.id]:
            self.fail(step, "other settings may serve")
        early = _hop(("start", other.id), ("start", setter.id), 1)
        if self.apart(other, setter, resource):
            early = _hop(("finish", other.id), ("start", setter.id), 0)
        return early, _hop(("finish", user.id), ("start", other.id), 0)


def _hop(source: _Event, target: _Event, ticks: int) -> Hop:
    return Hop(source, target, ticks, "case")


def _fact(hop: Hop) -> tuple[_Event, _Event, int]:
    return hop.source, hop.target, hop.ticks


def _demands(action: Action, resource: str) -> list[Demand]:
    return [demand for mode in action.modes for demand in mode.demands if demand.resource == resource]


def _amount(action: Action, resource: str) -> int:
    """Return the units of a resource that an action takes in any of its modes."""
    return min(sum(d.amount for d in mode.demands if d.resource == resource) for mode in action.modes)


def _sets(mode: Mode, resource: str) -> str | None:
    return next((demand.sets for demand in mode.demands if demand.resource == resource), None)


def _requires(mode: Mode, resource: str) -> str | None:
    return next((demand.requires for demand in mode.demands if demand.resource == resource), None)
