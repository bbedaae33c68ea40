"""Steps of a proof that no schedule is shorter than a bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any, NamedTuple


def least_time(lengths: Sequence[int], capacity: int, *, in_turn: bool) -> int:
    """Return the least time of members of which ``capacity`` (or so many units) run at a time.

    Members that cannot be interrupted fill ``capacity`` rows, in which they follow each other: some row gets at least
    the average number of them, and some row at least the average work, a multiple of what divides all lengths.

    >>> least_time([3, 3, 3], 2, in_turn=False), least_time([3, 3, 3], 2, in_turn=True)
    (5, 6)
    >>> least_time([8, 4, 2], 2, in_turn=False), least_time([8, 4, 2], 2, in_turn=True)
    (7, 8)
    """
    if in_turn:
        return max(_shortest_in_turn(lengths, capacity), _whole_share(lengths, capacity))
    return -(-sum(lengths) // capacity)


def _shortest_in_turn(lengths: Sequence[int], capacity: int) -> int:
    """Return the least time of the members that follow each other in the row with most of them."""
    successive = -(-len(lengths) // capacity)
    return sum(sorted(lengths)[:successive])


def _whole_share(lengths: Sequence[int], capacity: int) -> int:
    """Return the least work of the row with most work, a multiple of the common divisor of all lengths."""
    divisor = gcd(*lengths) or 1
    return -(-sum(lengths) // (capacity * divisor)) * divisor


class Hop(NamedTuple):
    """Event ``target`` is at least ``ticks`` (perhaps negative) after ``source``.

    Events are pairs (kind, action): ``begin`` and ``end`` without an action; ``start`` and ``finish`` of one, and
    ``free``, when it releases its agent.

    ``reason``: ``order`` (the end comes last), ``release``, ``duration``, ``attended``, ``lag``
    (a minimum), ``window`` (a maximum lag), ``state`` (a setting comes before its use), ``supposition``, ``case``, or
    ``line``: proved by the step of number ``line``.
    """

    source: tuple[str, str]
    target: tuple[str, str]
    ticks: int
    reason: str
    line: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the hop for JSON."""
        row = {"from": list(self.source), "to": list(self.target), "ticks": self.ticks, "why": self.reason}
        return row if self.line is None else row | {"line": self.line}


def _hops_to_json(hops: tuple[Hop, ...]) -> list[dict[str, Any]]:
    return [hop.to_json() for hop in hops]


@dataclass(frozen=True, slots=True)
class Path:
    """Times between events, added up.

    A path of positive length from an event to itself is a contradiction.
    """

    number: int
    hops: tuple[Hop, ...]

    @property
    def ticks(self) -> int:
        """Least time from the first to the last event."""
        return sum(hop.ticks for hop in self.hops)

    def to_json(self) -> dict[str, Any]:
        """Return the step for JSON."""
        return {"number": self.number, "link": "path", "ticks": self.ticks, "hops": _hops_to_json(self.hops)}


class Via(NamedTuple):
    """Member of a load: what it needs, and the paths that place it between the load's two events."""

    action: str
    ticks: int
    before: tuple[Hop, ...]
    after: tuple[Hop, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the member for JSON."""
        before, after = _hops_to_json(self.before), _hops_to_json(self.after)
        return {"action": self.action, "ticks": self.ticks, "before": before, "after": after}


@dataclass(frozen=True, slots=True)
class Load:
    """Actions that hold agents or a resource and lie between two events: their work needs its time.

    The first member starts at least ``head`` ticks after ``source``; from the last one's end to ``target`` at
    least ``tail`` pass. ``names``: the agents or the resource, ``capacity``: how many there are, or its units.
    A use of a resource beside which no other member fits may count as all units.
    ``in_turn``: at most ``capacity`` members are ever under way at a time, and none can be interrupted, so that some of
    them follow each other.
    ``together`` (a ``machine`` without names): members that may run at the same time never weigh more than the
    capacity, and each counts its ticks times its weight. Each path of ``precedences`` shows that a member finishes
    before another one starts.
    """

    number: int
    source: tuple[str, str]
    target: tuple[str, str]
    machine: str
    names: tuple[str, ...]
    capacity: int
    in_turn: bool
    members: tuple[Via, ...]
    head: int
    tail: int
    precedences: tuple[tuple[Hop, ...], ...] = ()

    @property
    def work(self) -> int:
        """Ticks (times units) of the members."""
        return sum(member.ticks for member in self.members)

    @property
    def turns(self) -> int:
        """Least number of members that follow each other, if they go in turn."""
        return -(-len(self.members) // self.capacity)

    @property
    def needed(self) -> int:
        """Ticks that all members need together: their work by the capacity, or the shortest ones in turn."""
        return least_time([member.ticks for member in self.members], self.capacity, in_turn=self.in_turn)

    @property
    def is_share(self) -> bool:
        """True if members go in turn, and the share of work needs more time than the shortest ones."""
        lengths = [member.ticks for member in self.members]
        return self.in_turn and self.needed > _shortest_in_turn(lengths, self.capacity)

    @property
    def divisor(self) -> int:
        """Greatest common divisor of the ticks of the members."""
        return gcd(*(member.ticks for member in self.members))

    @property
    def ticks(self) -> int:
        """Least time from source to target."""
        return self.head + self.needed + self.tail

    def to_json(self) -> dict[str, Any]:
        """Return the step for JSON."""
        pairs = {}
        if self.machine == "together":
            pairs["precedences"] = [_hops_to_json(path) for path in self.precedences]
        return {
            "number": self.number,
            "link": "load",
            "from": list(self.source),
            "to": list(self.target),
            "ticks": self.ticks,
            "machine": self.machine,
            "names": list(self.names),
            "capacity": self.capacity,
            "in_turn": self.in_turn,
            "first": self.head,
            "work": self.work,
            "needed": self.needed,
            "rest": self.tail,
            "members": [member.to_json() for member in self.members],
            **pairs,
        }


@dataclass(frozen=True, slots=True)
class Order:
    """One of two ways holds (``holding``), since the other (``excluded``) contradicts ``against``.

    ``kind`` and ``about`` are the reason why there are only two: ``agent`` (two actions, the agent whom both need),
    ``resource`` (two actions, the resource whose capacity they exceed together), ``start`` (an action that the agent
    has to start, one that holds the agent, the agent), ``state`` (a setting, the only setting that serves a use, the
    use, the resource), ``modes`` (two actions that exceed a capacity together in any of their modes, and an empty
    text), ``mode`` (a predecessor of one mode of an action, one of its other mode, the action, and an empty text).
    """

    number: int
    kind: str
    about: tuple[str, ...]
    holding: Hop
    excluded: Hop
    against: tuple[Hop, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the step for JSON."""
        return {
            "number": self.number,
            "kind": self.kind,
            "about": list(self.about),
            "link": "order",
            "held": self.holding.to_json(),
            "excluded": self.excluded.to_json(),
            "against": _hops_to_json(self.against),
        }


@dataclass(frozen=True, slots=True)
class Case:
    """One of two ways, and the steps that follow from it."""

    assumed: Hop
    steps: tuple[Step, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the case for JSON."""
        return {"assumed": self.assumed.to_json(), "steps": [step.to_json() for step in self.steps]}


@dataclass(frozen=True, slots=True)
class Split:
    """One of two cases holds, see `Order` for ``kind`` and ``about``; in each the bound follows."""

    number: int
    kind: str
    about: tuple[str, ...]
    cases: tuple[Case, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the step for JSON."""
        return {
            "number": self.number,
            "kind": self.kind,
            "about": list(self.about),
            "link": "split",
            "cases": [case.to_json() for case in self.cases],
        }


Step = Path | Load | Order | Split


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Steps that lead to a lower bound.

    Attributes
    ----------
    bound
        Ticks.
    supposed
        The proof supposes a makespan of at most this tick, ``bound - 1``, and ends in a contradiction; ``None``
        if it is direct.
    steps
        In order; each builds on the instance and on steps before it. The last is a `Path` that reaches the bound or
        contradicts itself, or a `Split` whose cases end so.
    """

    bound: int
    steps: tuple[Step, ...]
    supposed: int | None = None

    @property
    def size(self) -> int:
        """Number of steps, those of the cases included."""
        return sum(1 for _ in _all(self.steps))


def _all(steps: tuple[Step, ...]) -> Iterator[Step]:
    for step in steps:
        yield step
        if isinstance(step, Split):
            for case in step.cases:
                yield from _all(case.steps)
