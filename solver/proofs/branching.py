"""Search for proofs of a bound: direct, by contradiction, or by a few cases.

Afterwards every argument and every case that the proof does not need is removed.

"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from planoracle.solver.proofs.axioms import BEGIN, END, Alternative
from planoracle.solver.proofs.derivations import Arguments, Fact, Node
from planoracle.solver.proofs.steps import Hop

#: Number of cases that a person can follow.
LEAVES = 4

# Effort of the search for cases, in cells of tables.
_EFFORT = 400_000_000
# Number of choices, best first, whose ways are both explored; it grows with the number of cases.
_BRANCHES, _LEAVES_EACH = 6, 16
# Largest number of events for the search for loads between any two of them.
EVERYWHERE = 200

_Forced = tuple[Alternative, int]  # a choice, and which of its ways is impossible


class Prover:
    """Search for proofs that the makespan is at least ``target``.

    ``base`` holds the bounds of the instance. A proof has at most ``leaves`` cases; the effort grows with their number.
    ``infers``: also infer what may run together under the supposition.
    """

    def __init__(self, base: Arguments, target: int, leaves: int = LEAVES, *, infers: bool = False) -> None:
        self.base = base
        self.target = target
        self.leaves = leaves
        self.infers = infers
        self.branches = max(_BRANCHES, _BRANCHES * leaves // _LEAVES_EACH)
        self.limit = base.effort[0] + _EFFORT * (leaves if leaves > LEAVES else 1)

    def closed(self, arguments: Arguments) -> bool:
        """Return whether the bound or a contradiction is reached."""
        return arguments.contradictory or arguments.bound >= self.target

    def supposing(self) -> Node | None:
        """Prove the bound by contradiction."""
        arguments = self._contrary()
        return self._cut(Node(arguments.facts)) if self.closed(arguments) else None

    def by_cases(self) -> Node | None:
        """Prove the bound by contradiction with at most ``leaves`` cases."""
        arguments = self._contrary()
        options = [choice for choice in arguments.choices if self._open(arguments, choice)]
        options.sort(key=lambda choice: -self._tension(arguments, choice))
        proof = self._refute(arguments, options, self.leaves)
        return None if proof is None else self._cut(proof)

    def supposition_of(self, proof: Node) -> int | None:
        """Return the tick by which a proof supposes that all is done, ``None`` if it is direct."""
        return None if self._used_facts(self.base, proof) is not None else self.target - 1

    def _contrary(self) -> Arguments:
        arguments = self._supposing()
        everywhere = len(arguments.event) <= EVERYWHERE
        arguments.grow(everywhere=everywhere, target=self.target)
        if self.infers and not self.closed(arguments):
            arguments.infer()
            arguments.grow(everywhere=everywhere, target=self.target)
        return arguments

    def _supposing(self) -> Arguments:
        return self.base.fork(Hop(END, BEGIN, 1 - self.target, "supposition"))

    def _grow(self, arguments: Arguments) -> None:
        arguments.grow(everywhere=False, target=self.target)

    def _open(self, arguments: Arguments, choice: Alternative) -> bool:
        """Return whether neither way of a choice is proved."""
        return all(arguments.time(way.source, way.target) < way.ticks for way in choice.ways)

    def _tension(self, arguments: Arguments, choice: Alternative) -> int:
        """Return how close both ways are to a contradiction."""
        return min(arguments.time(way.target, way.source) + way.ticks for way in choice.ways)

    def _assume(self, arguments: Arguments, choice: Alternative, way: int) -> Arguments:
        fork = arguments.fork(choice.ways[way])
        self._grow(fork)
        return fork

    def _spent(self) -> bool:
        return self.base.effort[0] > self.limit

    # --- cases -----------------------------------------------------------------------------------

    def _refute(self, start: Arguments, options: Sequence[Alternative], leaves: int) -> Node | None:
        """Return a proof with at most so many cases; its first loads are those of ``start``."""
        if self.closed(start):
            return Node(start.facts)
        if leaves < 2:
            return None
        sequence: list[_Forced] = []
        now = start
        while True:
            forced: list[_Forced] = []
            both: list[tuple[int, Alternative]] = []
            for choice in options:
                if self._spent():
                    return None
                if not self._open(now, choice):
                    continue
                ways = [self._assume(now, choice, way) for way in (0, 1)]
                shut = [self.closed(way) for way in ways]
                if all(shut):
                    return self._shorten(start, [*sequence, (choice, 0)], leaves)
                if any(shut):
                    forced.append((choice, shut.index(True)))
                else:
                    gain = min(int((way.times > now.times).sum()) for way in ways)
                    both.append((gain, choice))
            if not forced:
                break
            now = now.fork(*(choice.ways[1 - bad] for choice, bad in forced))
            self._grow(now)
            sequence += forced
            if self.closed(now):
                return self._shorten(start, sequence, leaves)
        if leaves < 4:
            return None
        both.sort(key=lambda entry: -entry[0])
        for _, choice in both[: self.branches]:
            proof = self._branch(start, choice, options, leaves)
            if proof is not None:
                return proof
        return None

    def _branch(
        self, start: Arguments, choice: Alternative, options: Sequence[Alternative], leaves: int
    ) -> Node | None:
        below: list[Node] = []
        for way in (0, 1):
            limit = leaves - sum(node.leaves for node in below) - (way == 0)
            proof = self._refute(self._assume(start, choice, way), options, limit)
            if proof is None:
                return None
            below.append(proof)
        return Node(start.facts, choice, below)

    def _shorten(self, start: Arguments, sequence: list[_Forced], leaves: int) -> Node | None:
        """Remove unneeded choices, from the last to the first."""
        needed = self._closing_prefix(start, sequence)
        if needed is None:
            return None
        for position in range(len(needed) - 1, -1, -1):
            if self._spent():
                break
            if position < len(needed):
                fewer = self._closing_prefix(start, needed[:position] + needed[position + 1 :])
                needed = needed if fewer is None else fewer
        return self._as_node(start, needed) if len(needed) < leaves else None

    def _closing_prefix(self, start: Arguments, sequence: list[_Forced]) -> list[_Forced] | None:
        """Return the shortest prefix of forced choices that closes the proof, ``None`` if none does."""
        now = start
        for number, (choice, bad) in enumerate(sequence):
            if not self.closed(self._assume(now, choice, bad)):
                return None
            now = self._assume(now, choice, 1 - bad)
            if self.closed(now):
                return sequence[: number + 1]
        return None

    def _as_node(self, start: Arguments, sequence: list[_Forced]) -> Node:
        if not sequence:
            return Node(start.facts)
        choice, bad = sequence[0]
        ways = [self._assume(start, choice, way) for way in (0, 1)]
        below = [Node(way.facts) for way in ways]
        below[1 - bad] = self._as_node(ways[1 - bad], sequence[1:])
        return Node(start.facts, choice, below)

    # --- cutting down ----------------------------------------------------------------------------

    def direct(self, arguments: Arguments) -> Node:
        """Return the loads that reach the target without a supposition; others are removed."""
        return self._cut(Node(arguments.facts), supposing=False) or Node(arguments.facts)

    def _cut(self, proof: Node, *, supposing: bool = True) -> Node | None:
        """Remove unneeded arguments; also the supposition, if the proof holds without it."""
        root = self.base
        needed = self._used_facts(root, proof)
        if needed is None and supposing:
            root = self._supposing()
            needed = self._used_facts(root, proof)
        if needed is None:
            return None
        size = ceil(len(needed) / 2)
        while size:
            loads, low = sorted(needed), 0
            while low < len(loads):
                fewer = self._used_facts(root, proof, needed - set(loads[low : low + size]))
                if fewer is not None and len(fewer) < len(needed):
                    needed = fewer
                low += size
            size = size // 2 if size > 1 else 0
        return self._restrict(root.fork(), proof, needed)

    def _used_facts(self, root: Arguments, proof: Node, allowed: set[int] | None = None) -> set[int] | None:
        """Return the facts (numbered depth-first) that a proof uses, ``None`` if it is no proof.

        ``allowed`` limits the facts.
        """
        used: set[int] = set()
        return used if self._walk(root.fork(), proof, allowed, used, [0]) else None

    def _walk(self, now: Arguments, proof: Node, allowed: set[int] | None, used: set[int], number: list[int]) -> bool:
        for load in proof.facts:
            if (allowed is None or number[0] in allowed) and not self.closed(now) and now.take(load):
                used.add(number[0])
            number[0] += 1
        shut = self.closed(now)
        if proof.choice is None:
            return shut
        ways = []
        for way, below in zip(proof.choice.ways, proof.below, strict=True):
            # Closed nodes are visited too, so that their loads are counted.
            ways.append(self._walk(now.fork(way), below, set() if shut else allowed, used, number))
        return shut or all(ways)

    def _restrict(self, now: Arguments, proof: Node, retained: set[int]) -> Node:
        number = [0]

        def reduce(node: Node) -> Node:
            loads: list[Fact] = []
            for load in node.facts:
                if number[0] in retained:
                    loads.append(load)
                number[0] += 1
            return Node(loads, node.choice, [reduce(child) for child in node.below])

        return reduce(proof)
