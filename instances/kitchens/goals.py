"""The goal over facts as bits."""

from __future__ import annotations

from collections import Counter
from itertools import product

from planoracle.instances.kitchens.kitchen import Atom, Bits, Kitchen, can_be_cast

#: Answers after which the memory is emptied.
MAX_ANSWERS = 100_000


class GoalTest:
    """Whether facts reach the goal of a kitchen, and how far they are.

    Parameters
    ----------
    always
        Facts that never change.
    """

    def __init__(self, kitchen: Kitchen, bits: Bits, always: frozenset[Atom]) -> None:
        self._possible = all(kitchen.candidates.values())
        self._options: list[tuple[Atom, list[tuple[int, Atom]]]] = []  # atoms that make a condition true; 0: always
        alike: Counter[Atom] = Counter()
        masks: dict[Atom, int] = {}
        for condition in kitchen.goal.conditions:
            predicate, *parts = condition
            domains = [kitchen.candidates[part] if "#" in part else (part,) for part in parts]
            atoms = [(predicate, *arguments) for arguments in product(*domains)]
            if predicate in kitchen.domain.changing:
                found = [(bits.mask(atom), atom) for atom in atoms]
                self._options.append((condition, found))
                pattern = (predicate, *[part.partition("#")[0] for part in parts])
                alike[pattern] += 1
                mask = 0
                for bit, _ in found:
                    mask |= bit
                masks[pattern] = mask
            else:
                self._options.append((condition, [(0, atom) for atom in atoms if atom in always]))
        #: Conditions that differ in their roles only are made true by different facts: so many of the mask, at least.
        self._needed = sorted((count, masks[pattern]) for pattern, count in alike.items())
        self._total = sum(alike.values())
        self._mask = 0
        for mask in masks.values():
            self._mask |= mask
        self._answers: dict[int, bool] = {}
        self._shares: dict[int, float] = {}

    def met(self, facts: int) -> list[tuple[Atom, list[Atom]]]:
        """Return the conditions, each with the true atoms that make it true for some objects."""
        return [
            (condition, [atom for bit, atom in options if not bit or facts & bit])
            for condition, options in self._options
        ]

    def relevant(self, facts: int) -> int:
        """Return the facts that decide about the goal."""
        return facts & self._mask

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
            answer = self._answers[key] = self._possible and can_be_cast(self.met(facts))
        return answer

    def share(self, facts: int) -> float:
        """Return the share of the changing conditions that hold, each for some objects or other.

        Whether they are the same objects throughout is not asked, so this is an upper bound; it is 1 only if the goal
        is reached.
        """
        key = facts & self._mask
        share = self._shares.get(key)
        if share is None:
            if len(self._shares) >= MAX_ANSWERS:
                self._shares.clear()
            share = self._shares[key] = self._share(facts)
        return share

    def _share(self, facts: int) -> float:
        if self.reached(facts):
            return 1.0
        met = sum(min(count, (facts & mask).bit_count()) for count, mask in self._needed)
        return min(met, self._total - 1) / self._total if self._total else 0.0
