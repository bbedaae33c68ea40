"""Writer of proofs whose steps name everything that they build on."""

from __future__ import annotations

from collections.abc import Sequence

from planoracle.instances.errors import InternalError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import NO_LIMIT, Deadline
from planoracle.solver.proofs import derivations
from planoracle.solver.proofs.axioms import BEGIN, END, ProofEvent, release_event, stated_bounds
from planoracle.solver.proofs.derivations import Node
from planoracle.solver.proofs.steps import Case, Hop, Load, Order, Path, Split, Step, Via

# Counted work (seconds) of a hop.
_HOP = 2e-7


def critical_path(instance: Instance, deadline: Deadline = NO_LIMIT) -> Path:
    """Return the longest path from beginning to end, or a cycle if the lags are contradictory.

    Raises
    ------
    TimeOverError
        Soon after the deadline.
    """
    deadline.check(_HOP * len(instance.actions))
    hops = list(stated_bounds(instance))
    writer = _Writer(instance, 0, hops, len(hops), [0], deadline)
    return Path(1, writer.closing())


def write_steps(
    instance: Instance, proof: Node, bound: int, supposed: int | None, deadline: Deadline = NO_LIMIT
) -> tuple[Step, ...]:
    """Return the steps of a proof that no schedule is shorter than ``bound``.

    Raises
    ------
    InternalError
        If an argument does not follow from those before it.
    TimeOverError
        Soon after the deadline.
    """
    hops = list(stated_bounds(instance))
    plain = len(hops)
    if supposed is not None:
        hops.append(Hop(END, BEGIN, -supposed, "supposition"))
    return _Writer(instance, bound, hops, plain, [0], deadline).write(proof)


class _Writer:
    """Writer of one case; ``hops`` hold in it, the first ``plain`` of them by the instance alone."""

    def __init__(
        self, instance: Instance, bound: int, hops: list[Hop], plain: int, count: list[int], deadline: Deadline
    ) -> None:
        self.instance = instance
        self.bound = bound
        self.hops = hops
        self.plain = plain
        self.count = count
        self.deadline = deadline
        self.steps: list[Step] = []

    def write(self, proof: Node) -> tuple[Step, ...]:
        for fact in proof.facts:
            if isinstance(fact, derivations.DerivedLoad):
                self.load(fact)
            else:
                self.order(fact)
        if proof.choice is None:
            self.steps.append(Path(self.number(), self.closing()))
            return tuple(self.steps)
        number = self.number()
        cases = []
        for way, below in zip(proof.choice.ways, proof.below, strict=True):
            hops = [*self.hops, way]
            writer = _Writer(self.instance, self.bound, hops, self.plain, self.count, self.deadline)
            cases.append(Case(way, writer.write(below)))
        choice = proof.choice
        self.steps.append(Split(number, choice.kind, choice.about, tuple(cases)))
        return tuple(self.steps)

    def number(self) -> int:
        self.count[0] += 1
        return self.count[0]

    def load(self, load: derivations.DerivedLoad) -> None:
        number = self.number()
        starts: list[tuple[str, str]] = []
        ends: list[tuple[str, str]] = []
        for name, _ in load.members:
            starts.append(ProofEvent("start", name))
            if load.machine == "agents":
                ends.append(release_event(self.instance.by_id[name]))
            else:
                ends.append(ProofEvent("finish", name))
        paths_before = self.paths(load.source, starts, load.head)
        paths_after = self.paths(load.target, ends, load.tail, backwards=True)
        members = []
        for (name, ticks), before, after in zip(load.members, paths_before, paths_after, strict=True):
            members.append(Via(name, ticks, before, after))
        step = Load(
            number=number,
            source=load.source,
            target=load.target,
            machine=load.machine,
            names=load.names,
            capacity=load.capacity,
            in_turn=load.in_turn,
            members=tuple(members),
            head=load.head,
            tail=load.tail,
            precedences=self.precedences(load.precedences),
        )
        self.steps.append(step)
        hop = Hop(load.source, load.target, step.ticks, "line", number)
        self.hops.append(hop)

    def precedences(self, pairs: Sequence[tuple[str, str]]) -> tuple[tuple[Hop, ...], ...]:
        """Return a path from the finish of the first action of each pair to the start of the second."""
        by_first: dict[str, list[tuple[str, str]]] = {}
        for first, second in pairs:
            by_first.setdefault(first, []).append(ProofEvent("start", second))
        paths: list[tuple[Hop, ...]] = []
        for first, starts in by_first.items():
            paths += self.paths(ProofEvent("finish", first), starts, 0)
        return tuple(paths)

    def order(self, order: derivations.DerivedOrder) -> None:
        number = self.number()
        excluded, holding = order.excluded, order.holding
        (against,) = self.paths(excluded.target, [excluded.source], 1 - excluded.ticks)
        kind, about = order.choice.kind, order.choice.about
        self.steps.append(Order(number, kind, about, holding, excluded, against))
        self.hops.append(holding._replace(reason="line", line=number))

    def paths(
        self, end: tuple[str, str], events: list[tuple[str, str]], ticks: int, *, backwards: bool = False
    ) -> list[tuple[Hop, ...]]:
        """Return paths of at least so many ticks from (or to) the event ``end`` to (or from) others.

        Hops of the instance alone are preferred.
        """
        plain_hops = self.hops[: self.plain]
        direct, _ = _longest(plain_hops, end, self.deadline, backwards=backwards)
        missing = [event for event in events if event not in direct or direct[event][0] < ticks]
        indirect: _Longest = {}
        if missing:
            indirect, _ = _longest(self.hops, end, self.deadline, backwards=backwards)
        rows = []
        for event in events:
            row = indirect if event in missing else direct
            if event not in row or row[event][0] < ticks:
                raise InternalError(f"{self.instance.name}: a step of the proof does not follow from earlier ones")
            rows.append(_path(row, event, end, backwards=backwards))
        return rows

    def closing(self) -> tuple[Hop, ...]:
        """Return a path that reaches the bound, or one of positive length from an event to itself."""
        direct = [hop for hop in self.hops if hop.reason != "supposition"]
        for hops in (direct, self.hops):
            longest, cycle = _longest(hops, BEGIN, self.deadline, backwards=False)
            if cycle:
                return cycle
            if longest[END][0] >= self.bound:
                return _path(longest, END, BEGIN, backwards=False)
        raise InternalError(f"{self.instance.name}: the steps of the proof do not reach its bound")


_Longest = dict[tuple[str, str], tuple[int, Hop | None]]


def _longest(
    hops: list[Hop], end: tuple[str, str], deadline: Deadline, *, backwards: bool
) -> tuple[_Longest, tuple[Hop, ...]]:
    """Return the longest times from (or to) an event with their last hops, or a cycle of positive length."""
    longest: _Longest = {end: (0, None)}
    for _ in range(len({hop.source for hop in hops} | {hop.target for hop in hops}) + 1):
        deadline.check(_HOP * len(hops))
        changed = False
        for hop in hops:
            near, far = (hop.target, hop.source) if backwards else (hop.source, hop.target)
            if near in longest:
                ticks = longest[near][0] + hop.ticks
                if far not in longest or ticks > longest[far][0]:
                    longest[far] = ticks, hop
                    changed = True
        if not changed:
            return longest, ()
    return longest, _cycle(longest)


def _cycle(longest: _Longest) -> tuple[Hop, ...]:
    """Return a cycle among the last hops of paths from an event, whose times grow without end."""
    for start in longest:
        seen: list[tuple[str, str]] = []
        at, hop = start, longest[start][1]
        while hop is not None and at not in seen:
            seen.append(at)
            at = hop.source
            hop = longest[at][1]
        if hop is None:
            continue
        loop: list[Hop] = []
        for event in seen[seen.index(at) :]:
            hop = longest[event][1]
            assert hop is not None
            loop.append(hop)
        return tuple(reversed(loop))
    raise InternalError("the longest paths have no cycle, although their lengths grow without limit")


def _path(longest: _Longest, event: tuple[str, str], end: tuple[str, str], *, backwards: bool) -> tuple[Hop, ...]:
    path: list[Hop] = []
    at: tuple[str, str] = event
    while at != end:
        hop = longest[at][1]
        assert hop is not None
        path.append(hop)
        at = hop.target if backwards else hop.source
    return tuple(path if backwards else path[::-1])
