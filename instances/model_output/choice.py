"""Choice of the plan among the blocks of a text.

1. Text announced as final wins, however short; a later announcement of the same weight wins over an earlier one.
2. Words of retraction ("that is wrong", "scratch that", "I give up") end the plan before them.
3. A quotation is no plan, nor is text introduced as an example, a draft or invalid.
4. A later block whose commands all stand in the plan, in order, is a summary and ignored.
5. A later block replaces the plan if words of choice or correction stand between them ("instead", "a better plan").
6. Without such words a block that begins like the plan, repeats most of it, or is offered as an alternative
   ("or", "Plan B") makes the answer ambiguous, unless the plan was announced as final or a choice follows.
7. Any other block continues the plan.

The words are in `planoracle.instances.model_output.cues`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

from planoracle.instances.model_output.blocks import Block, Grammar, Remark
from planoracle.instances.model_output.cues import Cue, final_level, introduces, label_of, names_a_plan

S = TypeVar("S")

#: Number of first steps that are compared between two plans.
_HEAD = 3


class ChosenPlan(Generic[S]):
    """Plan of a text: some blocks, and their steps by their keys.

    Every method takes time linear in the added or queried steps.

    Attributes
    ----------
    blocks
        Blocks of the plan.
    is_replacement
        True if they replaced others.
    is_ambiguous
        True if there are two plans and no cue chooses between them.
    is_refused
        True if the last cue says that there is no plan.
    """

    def __init__(self, grammar: Grammar[S], blocks: Iterable[Block[S]] = ()) -> None:
        self.is_replacement = self.is_ambiguous = self.is_refused = False
        self.blocks: list[Block[S]] = []
        self._grammar = grammar
        self._keys: list[Hashable] = []
        self._commands: list[Hashable] = []
        self._counts = Counter[Hashable]()
        self._places: dict[Hashable, list[int]] = {}
        for block in blocks:
            self.add(block)

    def add(self, block: Block[S]) -> None:
        """Add a block."""
        self.blocks.append(block)
        for step in block.steps:
            key, command = self._grammar.key(step), self._grammar.command(step)
            if key is not None:
                self._counts[key] += 1
                self._places.setdefault(command, []).append(len(self._commands))
                self._keys.append(key)
                self._commands.append(command)

    def goes_on(self, plan: ChosenPlan[S]) -> bool:
        """Return whether this is a single step of the form of the last ones, or of another message."""
        (own,), last = self.blocks, plan.blocks[-1]
        return len(own.steps) == 1 and (own.kind == last.kind or own.message != last.message)

    def stands_in(self, plan: ChosenPlan[S]) -> bool:
        """Return whether all commands are in a plan, in order."""
        place = 0
        for command in self._commands:
            places = plan._places.get(command, [])
            index = bisect_left(places, place)
            if index == len(places):
                return False
            place = places[index] + 1
        return self._commands != []

    def repeats(self, plan: ChosenPlan[S]) -> bool:
        """Return whether these steps repeat a plan, instead of continuing it."""
        if not plan.blocks or self.goes_on(plan):
            return False
        head = min(len(plan._keys), len(self._keys), _HEAD)
        if head > 1 and plan._keys[:head] == self._keys[:head]:
            return True
        common = sum(min(plan._counts[key], count) for key, count in self._counts.items())
        least, most = sorted((len(plan._keys), len(self._keys)))
        once = len(plan._keys) == len(plan._counts) and len(self._keys) == len(self._counts)
        if self._grammar.unique and once:
            return common > 0 and 2 * common >= least
        return common > _HEAD and 5 * common >= 4 * most


def choose(events: Iterable[Block[S] | Remark], grammar: Grammar[S]) -> ChosenPlan[S]:
    """Return the plan among blocks and remarks, by the rules of this module."""
    plan = ChosenPlan(grammar)
    offers: dict[str, Block[S]] = {}
    pending: list[Remark] = []  # since the last block
    level = message = 0
    for one in events:
        if one.message != message:
            pending, message = [], one.message
        if isinstance(one, Remark):
            label = label_of(one.text)
            if Cue.RETRACTED in one.cues:
                turns = [block for block in plan.blocks if block.message != message and len(block.steps) == 1]
                is_replacement, plan = bool(plan.blocks), ChosenPlan(grammar, turns)
                plan.is_replacement, plan.is_refused = is_replacement, True
                level, pending = 0, []
            elif Cue.CHOSEN in one.cues and label in offers:
                plan = ChosenPlan(grammar, [offers[label]])
                plan.is_replacement, level, pending = True, 2, []
            else:
                pending.append(one)
            continue
        announced = _level(one, plan.blocks)
        if not one.steps and not (announced == 2 and len(one.unread) > 1):
            continue
        (cues, label), pending = _combine(pending), []
        if Cue.NO_PLAN in cues or (one.quoted and not announced):
            continue
        if label:
            offers.setdefault(label, one)
        own = ChosenPlan(grammar, [one])
        is_repeat = own.repeats(plan)
        if plan.blocks and not (announced == 2 or announced > level or (announced == level == 1 and not is_repeat)):
            if own.stands_in(plan) and (Cue.SUMMARY in cues or not (Cue.CHOSEN in cues or own.goes_on(plan))):
                continue
            if level == 2 and (is_repeat or cues & (Cue.CHOSEN | Cue.OTHER)):
                continue
            if Cue.CHOSEN not in cues and not (is_repeat and message != plan.blocks[-1].message):
                if Cue.OTHER in cues or is_repeat:
                    plan.is_ambiguous = True
                else:
                    plan.add(one)
                continue
        is_replacement = plan.is_replacement or bool(plan.blocks)
        plan, level = own if one.steps else ChosenPlan(grammar), announced
        plan.is_replacement = is_replacement
    return plan


def _combine(remarks: Iterable[Remark]) -> tuple[Cue, str]:
    """Return the cues of remarks before a block, and the alternative they name."""
    cues, label = Cue(0), ""
    for one in remarks:
        ahead = introduces(one.text)
        new = one.cues if ahead else one.cues & ~Cue.NO_PLAN
        if new & (Cue.FINAL | Cue.CHOSEN) or (ahead and names_a_plan(one.text)):
            cues &= ~Cue.NO_PLAN
        cues |= new
        label = label_of(one.text) or label
    return cues, label


def _level(block: Block[S], before: list[Block[S]]) -> int:
    """Return the level of a block's announcement; a single step of a chat is a turn, not a final answer."""
    if before and len(block.steps) == 1 and block.message != before[-1].message:
        return 0
    return final_level(block.final)
