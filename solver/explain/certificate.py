"""Why no schedule is shorter: a proof that a person can check by hand, every step with its arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from planoracle.instances.errors import InputError
from planoracle.instances.model import Instance

__all__ = ["KINDS", "Case", "Certificate", "Hop", "Load", "Order", "Path", "Split", "Step", "Via", "certificate"]

#: From simple to less simple; ``search``: the bound falls short of the makespan.
KINDS = ("critical path", "busy time", "chain", "supposition", "cases", "search")


class Hop(NamedTuple):
    """Event ``target`` is at least ``ticks`` (perhaps negative) after ``source``.

    Events are pairs (kind, action): ``begin`` and ``end`` without an action; ``start`` and ``finish`` of one, and
    ``free``, when it no longer holds its agent.

    ``why`` it is so: ``order`` (nothing ends after the end), ``release``, ``duration``, ``attended``, ``lag``
    (a minimum), ``window`` (a maximum lag), ``state`` (a setting comes before its use), ``supposition``, ``case``, or
    ``line``: the step of number ``line`` says so.
    """

    source: tuple[str, str]
    target: tuple[str, str]
    ticks: int
    why: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Path:
    """Times between events, added up. One from an event to itself of more than 0 ticks is a contradiction."""

    number: int
    hops: tuple[Hop, ...]

    @property
    def ticks(self) -> int:
        """Least time from the first to the last event."""
        return sum(hop.ticks for hop in self.hops)


class Via(NamedTuple):
    """What a member of a load needs, and why it lies between the two events of the load."""

    action: str
    ticks: int
    before: tuple[Hop, ...]
    after: tuple[Hop, ...]


@dataclass(frozen=True, slots=True)
class Load:
    """Actions that hold agents, or a resource, and must all lie between two events, need their time.

    The first member starts at least ``first`` ticks after ``source``; from the last one's end to ``target`` at
    least ``rest`` pass. ``names``: the agents or the resource, ``capacity``: how many there are, or its units.
    ``in_turn``: at most ``capacity`` members are ever under way at a time, and none can be interrupted, so that some of
    them follow each other.
    """

    number: int
    source: tuple[str, str]
    target: tuple[str, str]
    machine: str
    names: tuple[str, ...]
    capacity: int
    in_turn: bool
    members: tuple[Via, ...]
    first: int
    rest: int

    @property
    def work(self) -> int:
        """Ticks (times units) of the members."""
        return sum(member.ticks for member in self.members)

    @property
    def turns(self) -> int:
        """How many members at least follow each other, if they go in turn."""
        return -(-len(self.members) // self.capacity)

    @property
    def needed(self) -> int:
        """Ticks that all members need together: their work by the capacity, or the shortest ones in turn."""
        if self.in_turn:
            return sum(sorted(member.ticks for member in self.members)[: self.turns])
        return -(-self.work // self.capacity)

    @property
    def ticks(self) -> int:
        """Least time from source to target."""
        return self.first + self.needed + self.rest


@dataclass(frozen=True, slots=True)
class Order:
    """One of two ways holds (``held``), since the other (``excluded``) contradicts ``against``.

    ``kind`` and ``about`` say why there are but two: ``agent`` (two actions, the agent whom both need), ``resource``
    (two actions, the resource on which they have no room together), ``start`` (an action that the agent has to
    start, one that holds the agent, the agent), ``state`` (a setting, the only setting that serves a use, the use,
    the resource), ``modes`` (two actions that have no room together in any of their modes, and nothing), ``mode`` (what
    one mode of an action waits for, what its other mode does, the action, and nothing).
    """

    number: int
    kind: str
    about: tuple[str, ...]
    held: Hop
    excluded: Hop
    against: tuple[Hop, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One way in which things can go, and what follows."""

    assumed: Hop
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """One of two cases holds, see `Order` for ``kind`` and ``about``; in each the bound follows."""

    number: int
    kind: str
    about: tuple[str, ...]
    cases: tuple[Case, ...]


Step = Path | Load | Order | Split


@dataclass(frozen=True, slots=True)
class Certificate:
    """A lower bound with its proof.

    Attributes
    ----------
    kind
        One of `KINDS`.
    bound, makespan, gap
        Ticks; the gap is what the proof leaves open, ``None`` if the makespan is not known.
    supposed
        The proof supposes that all is done by this tick, ``bound - 1``, and ends in a contradiction; ``None``
        if it is direct.
    steps
        In order; each builds on the instance and on steps before it. The last is a `Path` that reaches the bound or
        contradicts itself, or a `Split` whose cases end so.
    """

    instance: str
    kind: str
    bound: int
    makespan: int | None
    steps: tuple[Step, ...]
    supposed: int | None = None

    @property
    def gap(self) -> int | None:
        """What the proof leaves open, in ticks."""
        return None if self.makespan is None else self.makespan - self.bound

    @property
    def explained(self) -> bool:
        """Whether the proof reaches the makespan."""
        return self.gap == 0

    @property
    def size(self) -> int:
        """Number of steps, those of the cases included."""
        return sum(1 for _ in _all(self.steps))

    def lines(self, instance: Instance) -> list[str]:
        """Tell the proof in plain words, one line for each step."""
        from planoracle.solver.explain.text import tell

        return tell(instance, self)

    def as_dict(self) -> dict[str, Any]:
        """Return the certificate for JSON."""
        return {
            "instance": self.instance,
            "kind": self.kind,
            "bound": self.bound,
            "makespan": self.makespan,
            "gap": self.gap,
            "explained": self.explained,
            "supposed": self.supposed,
            "steps": [_plain(step) for step in self.steps],
        }


def _all(steps: tuple[Step, ...]) -> Iterator[Step]:
    for step in steps:
        yield step
        if isinstance(step, Split):
            for case in step.cases:
                yield from _all(case.steps)


def _hop(hop: Hop) -> dict[str, Any]:
    found = {"from": list(hop.source), "to": list(hop.target), "ticks": hop.ticks, "why": hop.why}
    return found if hop.line is None else found | {"line": hop.line}


def _hops(hops: tuple[Hop, ...]) -> list[dict[str, Any]]:
    return [_hop(hop) for hop in hops]


def _plain(step: Step) -> dict[str, Any]:
    if isinstance(step, Path):
        return {"number": step.number, "link": "path", "ticks": step.ticks, "hops": _hops(step.hops)}
    if isinstance(step, Load):
        return {
            "number": step.number,
            "link": "load",
            "from": list(step.source),
            "to": list(step.target),
            "ticks": step.ticks,
            "machine": step.machine,
            "names": list(step.names),
            "capacity": step.capacity,
            "in_turn": step.in_turn,
            "first": step.first,
            "work": step.work,
            "needed": step.needed,
            "rest": step.rest,
            "members": [
                {"action": via.action, "ticks": via.ticks, "before": _hops(via.before), "after": _hops(via.after)}
                for via in step.members
            ],
        }
    told = {"number": step.number, "kind": step.kind, "about": list(step.about)}
    if isinstance(step, Order):
        held, excluded = _hop(step.held), _hop(step.excluded)
        return told | {"link": "order", "held": held, "excluded": excluded, "against": _hops(step.against)}
    cases = [{"assumed": _hop(case.assumed), "steps": [_plain(one) for one in case.steps]} for case in step.cases]
    return told | {"link": "split", "cases": cases}


def certificate(instance: Instance, makespan: int | None = None) -> Certificate:
    """Return the best lower bound on the makespan that can be shown by a proof to follow by hand.

    Tried are, in this order: the longest path of the time lags; the time that agents or a resource are bound to be
    busy (any set of actions, with the least time before and after them); several such arguments built on each
    other; the same after supposing that all is done before ``makespan``; and a few cases told apart as well.

    Parameters
    ----------
    makespan
        What is to be explained, in ticks: the optimum, or the best that is known.

    Raises
    ------
    InputError
        If the time lags contradict each other, or no schedule can be as short as ``makespan``.
    InternalError
        If the proof does not stand up to `planoracle.solver.explain.checker.verify`.

    Examples
    --------
    >>> from planoracle.instances.catalogue import load
    >>> problem = load("recipe2plan/timed/Cobbler_Pancakes")
    >>> shown = certificate(problem, 4080)
    >>> shown.kind, shown.bound, shown.explained
    ('busy time', 4080, True)
    >>> shown.steps[0].work, shown.steps[0].rest
    (3060, 1020)
    """
    from planoracle.solver.explain.branching import EVERYWHERE, Prover
    from planoracle.solver.explain.checker import verify
    from planoracle.solver.explain.derivations import Arguments
    from planoracle.solver.explain.writer import written

    base = Arguments(instance)
    if base.contradictory:
        raise InputError("has time lags that contradict each other", field="instance", value=instance.name)
    simple, arguments = base.fork(), base.fork()
    simple.engage()
    arguments.grow(everywhere=len(arguments.event) <= EVERYWHERE, target=makespan)
    if arguments.contradictory or (makespan is not None and arguments.bound > makespan):
        raise InputError("no schedule is as short as that", field="makespan", value=makespan)
    if simple.bound >= arguments.bound:
        arguments = simple
    bound, supposed, kind = arguments.bound, None, ""
    proof = Prover(base, bound).direct(arguments)
    if makespan is not None and bound < makespan:
        prover = Prover(base, makespan)
        found = prover.supposing() or prover.by_cases()
        low, high = bound, makespan
        while found is None and high - low > 1:  # how far does the simpler kind reach?
            middle = (low + high) // 2
            shorter = Prover(base, middle)
            better = shorter.supposing()
            if better is None:
                high = middle
            else:
                low, proof, supposed, bound = middle, better, shorter.supposed(better), middle
        if found is not None:
            bound, proof, supposed = makespan, found, prover.supposed(found)
    steps = written(instance, proof, bound, supposed)
    if bound != makespan and makespan is not None:
        kind = "search"
    elif proof.choice is not None:
        kind = "cases"
    elif supposed is not None:
        kind = "supposition"
    else:
        kind = _kind(steps)
    shown = Certificate(instance.name, kind, bound, makespan, steps, supposed)
    verify(instance, shown)
    return shown


def _kind(steps: tuple[Step, ...]) -> str:
    if len(steps) == 1:
        return "critical path"
    loads = [step for step in steps if isinstance(step, Load)]
    last = steps[-1]
    whole = len(steps) == 2 and loads and isinstance(last, Path) and len(last.hops) == 1
    return "busy time" if whole else "chain"
