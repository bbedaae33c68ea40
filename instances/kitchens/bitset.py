"""Sets of atoms as the bits of one whole number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from threading import Lock

from planoracle.instances.kitchens.kitchen import Atom


class Bits:
    """Atoms and their bits; an atom gets the next bit when it is first asked for.

    Examples
    --------
    >>> bits = Bits()
    >>> bits.mask(("clear", "bread1")), bits.mask(("clear", "bread2")), bits.mask(("clear", "bread1"))
    (1, 2, 1)
    """

    def __init__(self) -> None:
        self.atoms: list[Atom] = []
        self._masks: dict[Atom, int] = {}
        self._lock = Lock()  # several kitchens may use them, in several threads

    def mask(self, atom: Atom) -> int:
        """Return the number with just the bit of an atom."""
        mask = self._masks.get(atom)
        return self._next(atom) if mask is None else mask

    def _next(self, atom: Atom) -> int:
        with self._lock:
            mask = self._masks.get(atom)
            if mask is None:
                mask = 1 << len(self.atoms)
                self.atoms.append(atom)
                self._masks[atom] = mask
            return mask

    def known(self, atom: Atom) -> int:
        """Return the same, but 0 for an atom that has none."""
        return self._masks.get(atom, 0)

    def union(self, atoms: Iterable[Atom]) -> int:
        """Return the number with the bits of all the atoms."""
        found = 0
        for atom in atoms:
            found |= self.mask(atom)
        return found

    def atoms_of(self, facts: int) -> Iterator[Atom]:
        """Yield the atoms whose bits are set."""
        while facts:
            low = facts & -facts
            yield self.atoms[low.bit_length() - 1]
            facts ^= low
