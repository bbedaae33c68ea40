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
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from planoracle.instances.model_output.blocks import Block, Grammar, Remark
from planoracle.instances.model_output.cues import Cue, final_level, introduces, label_of, names_a_plan

S = TypeVar("S")

#: Number of first steps that are compared between two plans.
_HEAD = 3


@dataclass(slots=True)
class ChosenPlan(Generic[S]):
    """Plan of a text.

    Attributes
    ----------
    blocks
        Blocks of the plan.
    replaced
        True if they replaced others.
    ambiguous
        True if there are two plans and no cue chooses between them.
    refused
        True if the last cue says that there is no plan.
    """

    blocks: list[Block[S]] = field(default_factory=list)
    replaced: bool = False
    ambiguous: bool = False
    refused: bool = False


class _Pending:
    """Cues since the last block, and the alternative they name."""

    def __init__(self) -> None:
        self.cues, self.label = Cue(0), ""

    def add(self, remark: Remark) -> None:
        ahead = introduces(remark.text)
        cues = remark.cues if ahead else remark.cues & ~Cue.NO_PLAN
        if cues & (Cue.FINAL | Cue.CHOSEN) or (ahead and names_a_plan(remark.text)):
            self.cues &= ~Cue.NO_PLAN
        self.cues |= cues
        self.label = label_of(remark.text) or self.label


def choose(events: Iterable[Block[S] | Remark], grammar: Grammar[S]) -> ChosenPlan[S]:
    """Return the plan among blocks and remarks, by the rules of this module."""
    chosen: ChosenPlan[S] = ChosenPlan()
    plan = _Steps(grammar, ())
    offers: dict[str, list[Block[S]]] = {}
    pending, level, message = _Pending(), 0, 0
    for one in events:
        if one.message != message:
            pending, message = _Pending(), one.message
        if isinstance(one, Remark):
            label = label_of(one.text)
            if Cue.RETRACTED in one.cues:
                turns = [block for block in chosen.blocks if block.message != message and len(block.steps) == 1]
                chosen, level, pending = ChosenPlan(turns, bool(chosen.blocks), refused=True), 0, _Pending()
                plan = _Steps(grammar, turns)
            elif Cue.CHOSEN in one.cues and label in offers:
                chosen, level, pending = ChosenPlan(list(offers[label]), True), 2, _Pending()
                plan = _Steps(grammar, chosen.blocks)
            else:
                pending.add(one)
            continue
        announced = _level(one, chosen.blocks)
        if not one.steps and not (announced == 2 and len(one.unread) > 1):
            continue
        cues, label, pending = pending.cues, pending.label, _Pending()
        if Cue.NO_PLAN in cues or (one.quoted and not announced):
            continue
        if label:
            offers.setdefault(label, [one])
        own = _Steps(grammar, [one])
        is_repeat = bool(chosen.blocks) and own.repeats(plan)
        if chosen.blocks and not (announced == 2 or announced > level or (announced == level == 1 and not is_repeat)):
            if own.stands_in(plan) and (Cue.SUMMARY in cues or not (Cue.CHOSEN in cues or own.goes_on(plan))):
                continue
            if level == 2 and (is_repeat or cues & (Cue.CHOSEN | Cue.OTHER)):
                continue
            if Cue.CHOSEN not in cues and not (is_repeat and message != plan.message):
                if Cue.OTHER in cues or is_repeat:
                    chosen.ambiguous = True
                else:
                    chosen.blocks.append(one)
                    plan.add(one)
                continue
        replaced = chosen.replaced or bool(chosen.blocks)
        chosen, level, plan = ChosenPlan([one] if one.steps else [], replaced), announced, own
    return chosen


def _level(block: Block[S], before: list[Block[S]]) -> int:
    """Return the level of a block's announcement; a single step of a chat is a turn, not a final answer."""
    if before and len(block.steps) == 1 and block.message != before[-1].message:
        return 0
    return final_level(block.final)


class _Steps(Generic[S]):
    """Steps of some blocks by their keys; every method takes time linear in the added or queried steps."""

    def __init__(self, grammar: Grammar[S], blocks: Iterable[Block[S]]) -> None:
        self.grammar = grammar
        self.count, self.kind, self.message = 0, "", 0
        self.first: list[Hashable] = []
        self.counts = Counter[Hashable]()
        self.commands: list[Hashable] = []
        self._places: dict[Hashable, list[int]] = {}
        for block in blocks:
            self.add(block)

    def add(self, block: Block[S]) -> None:
        """Add the steps of one more block."""
        self.count, self.kind, self.message = self.count + len(block.steps), block.kind, block.message
        for step in block.steps:
            key, command = self.grammar.key(step), self.grammar.command(step)
            if key is None:
                continue
            self.first += [key] if len(self.first) < _HEAD else []
            self.counts[key] += 1
            self._places.setdefault(command, []).append(len(self.commands))
            self.commands.append(command)

    def goes_on(self, plan: _Steps[S]) -> bool:
        """Return whether this is a single step of the form of the last ones, or of another message."""
        return self.count == 1 and (self.kind == plan.kind or self.message != plan.message)

    def stands_in(self, plan: _Steps[S]) -> bool:
        """Return whether all commands are in a plan, in order."""
        place = 0
        for command in self.commands:
            places = plan._places.get(command, [])
            index = bisect_left(places, place)
            if index == len(places):
                return False
            place = places[index] + 1
        return self.commands != []

    def repeats(self, plan: _Steps[S]) -> bool:
        """Return whether these steps repeat a plan, instead of continuing it."""
        if self.goes_on(plan):
            return False
        head = min(len(plan.first), len(self.first))
        if head > 1 and plan.first[:head] == self.first[:head]:
            return True
        common = sum(min(plan.counts[key], count) for key, count in self.counts.items())
        least, most = sorted((len(plan.commands), len(self.commands)))
        if self.grammar.unique and plan.each_once and self.each_once:
            return common > 0 and 2 * common >= least
        return common > _HEAD and 5 * common >= 4 * most

    @property
    def each_once(self) -> bool:
        """True if no step is repeated."""
        return len(self.counts) == len(self.commands)
