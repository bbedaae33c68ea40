"""Search for arguments that reach a bound: direct ones, by supposing the contrary, by telling a few cases apart.

What is found is cut down afterwards: every argument, and every case, that is not needed goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from planoracle.solver.proofs.axioms import BEGIN, END, Alternative, StatedBound
from planoracle.solver.proofs.derivations import Arguments, Fact, Node

#: Cases that a person can still follow.
LEAVES = 4

# Effort to look for cases, in cells of the tables built.
_EFFORT = 400_000_000
# Choices, most telling first, after which both ways are looked into further; as many more for every so many cases.
_BRANCHES, _LEAVES_EACH = 6, 16
# Events up to which loads between any two of them are looked for.
EVERYWHERE = 200

_Forced = tuple[Alternative, int]  # a choice, and which of its ways is impossible


class Prover:
    """Looks for proofs that the makespan is at least ``target``; ``base`` is what the instance says at once.

    At most so many ``leaves`` are told apart as cases; for more there is more effort.
    """

    def __init__(self, base: Arguments, target: int, leaves: int = LEAVES) -> None:
        self.base = base
        self.target = target
        self.leaves = leaves
        self.branches = max(_BRANCHES, _BRANCHES * leaves // _LEAVES_EACH)
        self.limit = base.effort[0] + _EFFORT * (leaves if leaves > LEAVES else 1)

    def closed(self, arguments: Arguments) -> bool:
        """Whether nothing is left to show."""
        return arguments.contradictory or arguments.bound >= self.target

    def supposing(self) -> Node | None:
        """Show the bound by supposing the contrary."""
        arguments = self._contrary()
        return self._cut(Node(arguments.facts)) if self.closed(arguments) else None

    def by_cases(self) -> Node | None:
        """Show the bound by supposing the contrary and telling at most ``leaves`` cases apart."""
        arguments = self._contrary()
        options = [choice for choice in arguments.choices if self._open(arguments, choice)]
        options.sort(key=lambda choice: -self._tension(arguments, choice))
        found = self._refute(arguments, options, self.leaves)
        return None if found is None else self._cut(found)

    def supposed(self, proof: Node) -> int | None:
        """Return what a proof has to suppose: that all is done by this tick, ``None`` if nothing."""
        return None if self._needed(self.base, proof) is not None else self.target - 1

    def _contrary(self) -> Arguments:
        arguments = self._supposing()
        arguments.grow(everywhere=len(arguments.event) <= EVERYWHERE, target=self.target)
        return arguments

    def _supposing(self) -> Arguments:
        return self.base.fork(StatedBound(END, BEGIN, 1 - self.target, "supposition"))

    def _grow(self, arguments: Arguments) -> None:
        arguments.grow(everywhere=False, target=self.target)

    def _open(self, arguments: Arguments, choice: Alternative) -> bool:
        node = arguments.node
        return not any(arguments.least[node[way.source], node[way.target]] >= way.ticks for way in choice.ways)

    def _tension(self, arguments: Arguments, choice: Alternative) -> int:
        """Return how near both ways are to a contradiction."""
        node = arguments.node
        return min(int(arguments.least[node[way.target], node[way.source]]) + way.ticks for way in choice.ways)

    def _taken(self, arguments: Arguments, choice: Alternative, way: int) -> Arguments:
        found = arguments.fork(choice.ways[way])
        self._grow(found)
        return found

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
                ways = [self._taken(now, choice, way) for way in (0, 1)]
                shut = [self.closed(way) for way in ways]
                if all(shut):
                    return self._shortened(start, [*sequence, (choice, 0)], leaves)
                if any(shut):
                    forced.append((choice, shut.index(True)))
                else:
                    both.append((min(int((way.least > now.least).sum()) for way in ways), choice))
            if not forced:
                break
            now = now.fork(*(choice.ways[1 - bad] for choice, bad in forced))
            self._grow(now)
            sequence += forced
            if self.closed(now):
                return self._shortened(start, sequence, leaves)
        if leaves < 4:
            return None
        both.sort(key=lambda entry: -entry[0])
        for _, choice in both[: self.branches]:
            found = self._branch(start, choice, options, leaves)
            if found is not None:
                return found
        return None

    def _branch(
        self, start: Arguments, choice: Alternative, options: Sequence[Alternative], leaves: int
    ) -> Node | None:
        below: list[Node] = []
        for way in (0, 1):
            room = leaves - sum(node.leaves for node in below) - (way == 0)
            found = self._refute(self._taken(start, choice, way), options, room)
            if found is None:
                return None
            below.append(found)
        return Node(start.facts, choice, below)

    def _shortened(self, start: Arguments, sequence: list[_Forced], leaves: int) -> Node | None:
        """Leave out choices that are not needed, from the last to the first."""
        kept = self._checked(start, sequence)
        if kept is None:
            return None
        for position in range(len(kept) - 1, -1, -1):
            if self._spent():
                break
            if position < len(kept):
                fewer = self._checked(start, kept[:position] + kept[position + 1 :])
                kept = kept if fewer is None else fewer
        return self._written(start, kept) if len(kept) < leaves else None

    def _checked(self, start: Arguments, sequence: list[_Forced]) -> list[_Forced] | None:
        """Return the part of a sequence of forced choices that ends the proof, ``None`` if it does not."""
        now = start
        for number, (choice, bad) in enumerate(sequence):
            if not self.closed(self._taken(now, choice, bad)):
                return None
            now = self._taken(now, choice, 1 - bad)
            if self.closed(now):
                return sequence[: number + 1]
        return None

    def _written(self, start: Arguments, sequence: list[_Forced]) -> Node:
        if not sequence:
            return Node(start.facts)
        (choice, bad), rest = sequence[0], sequence[1:]
        ways = [self._taken(start, choice, way) for way in (0, 1)]
        below = [Node(way.facts) for way in ways]
        below[1 - bad] = self._written(ways[1 - bad], rest)
        return Node(start.facts, choice, below)

    # --- cutting down ----------------------------------------------------------------------------

    def direct(self, arguments: Arguments) -> Node:
        """Return the loads that reach the target without any supposition, the others cut away."""
        return self._cut(Node(arguments.facts), supposing=False) or Node(arguments.facts)

    def _cut(self, proof: Node, *, supposing: bool = True) -> Node | None:
        """Cut away what is not needed; also the supposition, if it can be done without."""
        root = self.base
        kept = self._needed(root, proof)
        if kept is None and supposing:
            root = self._supposing()
            kept = self._needed(root, proof)
        if kept is None:
            return None
        size = ceil(len(kept) / 2)
        while size:
            loads, low = sorted(kept), 0
            while low < len(loads):
                fewer = self._needed(root, proof, kept - set(loads[low : low + size]))
                if fewer is not None and len(fewer) < len(kept):
                    kept = fewer
                low += size
            size = size // 2 if size > 1 else 0
        return self._reduced(root.fork(), proof, kept)

    def _needed(self, root: Arguments, proof: Node, kept: set[int] | None = None) -> set[int] | None:
        """Return those of the loads (numbered in depth-first order) that hold and are new, ``None`` if no proof."""
        used: set[int] = set()
        return used if self._walk(root.fork(), proof, kept, used, [0]) else None

    def _walk(self, now: Arguments, proof: Node, kept: set[int] | None, used: set[int], number: list[int]) -> bool:
        for load in proof.facts:
            if (kept is None or number[0] in kept) and not self.closed(now) and now.take(load):
                used.add(number[0])
            number[0] += 1
        shut = self.closed(now)
        if proof.choice is None:
            return shut
        ways = []
        for way, below in zip(proof.choice.ways, proof.below, strict=True):
            # Also walked through if nothing is left to show, to count its loads.
            ways.append(self._walk(now.fork(way), below, set() if shut else kept, used, number))
        return shut or all(ways)

    def _reduced(self, now: Arguments, proof: Node, kept: set[int]) -> Node:
        number = [0]

        def reduce(node: Node) -> Node:
            loads: list[Fact] = []
            for load in node.facts:
                if number[0] in kept:
                    loads.append(load)
                number[0] += 1
            return Node(loads, node.choice, [reduce(child) for child in node.below])

        return reduce(proof)
