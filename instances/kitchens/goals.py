"""The goal over facts as bits."""

from __future__ import annotations

from collections import Counter
from itertools import product

from planoracle.instances.kitchens.bitset import Bits
from planoracle.instances.kitchens.kitchen import Atom, Kitchen, can_be_cast

__all__ = ["GoalTest"]

#: Answers after which the memory is emptied.
MAX_ANSWERS = 100_000


class GoalTest:
    """Whether facts reach the goal of a kitchen, and how far they are.

    Parameters
    ----------
    names
        The objects there are, or may be by now.
    always
        Facts that never change.
    """

    def __init__(self, kitchen: Kitchen, bits: Bits, names: frozenset[str], always: frozenset[Atom]) -> None:
        self._possible = all(kitchen.candidates.values())
        self._options: list[tuple[Atom, list[tuple[int, Atom]]]] = []  # atoms that make a condition true; 0: always
        alike: Counter[Atom] = Counter()
        masks: dict[Atom, int] = {}
        for condition in kitchen.goal.conditions:
            domains = [kitchen.candidates[part] if "#" in part else (part,) for part in condition[1:]]
            atoms = [(condition[0], *arguments) for arguments in product(*domains) if names.issuperset(arguments)]
            if condition[0] in kitchen.domain.changing:
                self._options.append((condition, [(bits.mask(atom), atom) for atom in atoms]))
                pattern = (condition[0], *(part.partition("#")[0] for part in condition[1:]))
                alike[pattern] += 1
                masks[pattern] = bits.union(atoms)
            else:
                self._options.append((condition, [(0, atom) for atom in atoms if atom in always]))
        #: Conditions that differ in their roles only are made true by different facts: so many of the mask, at least.
        self._needed = sorted((count, masks[pattern]) for pattern, count in alike.items())
        self._mask = 0
        for mask in masks.values():
            self._mask |= mask
        self._answers: dict[int, bool] = {}

    def reached(self, facts: int) -> bool:
        """Whether some choice of different objects makes all conditions true."""
        for count, mask in self._needed:
            if (facts & mask).bit_count() < count:
                return False
        key = facts & self._mask
        answer = self._answers.get(key)
        if answer is None:
            if len(self._answers) >= MAX_ANSWERS:
                self._answers.clear()
            answer = self._answers[key] = self._possible and can_be_cast(
                (condition, [atom for bit, atom in options if not bit or facts & bit])
                for condition, options in self._options
            )
        return answer

    def share(self, facts: int) -> float:
        """Return the share of the changing conditions that hold, each for some objects or other.

        Whether they are the same objects throughout is not asked, so this is an upper bound; it is 1 only if the goal
        is reached.
        """
        if self.reached(facts):
            return 1.0
        total = sum(count for count, _ in self._needed)
        met = sum(min(count, (facts & mask).bit_count()) for count, mask in self._needed)
        return min(met, total - 1) / total if total else 0.0
