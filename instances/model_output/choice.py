"""Choice of the plan among the blocks of a text.

1. Text announced as final wins, however short; a later announcement of the same weight wins over an earlier one.
2. Words of retraction ("that is wrong", "scratch that", "I give up") end the plan before them.
3. A quotation is no plan, nor is text introduced as an example, a draft or invalid.
4. A later block with the commands of the plan repeats it and is ignored.
5. A later block that is offered as an alternative ("or", "Plan B", or after "There are two ways") makes the answer
   ambiguous even if it is a part of the plan, unless the plan was announced as final or a choice follows.
6. Another later block whose commands all stand in the plan, in order, is a summary and ignored.
7. A later block replaces the plan if words of choice or correction stand between them ("instead", "a better plan").
8. Without such words a block that begins like the plan, or repeats most of it, makes the answer ambiguous like rule 5.
9. Any other block continues the plan.

The words are in `planoracle.instances.model_output.cues`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from typing import Generic, NamedTuple, TypeVar

from planoracle.instances.model_output.blocks import Block, Grammar, Remark
from planoracle.instances.model_output.cues import (
    Cue,
    announces_several,
    final_level,
    introduces,
    label_of,
    names_a_plan,
)

S = TypeVar("S")

#: Number of first steps that are compared between two plans.
_HEAD = 3
#: Cues after which announced alternatives are no longer open.
_DECIDED = Cue.CHOSEN | Cue.FINAL


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
            key = self._grammar.key(step)
            command = self._grammar.command(step)
            if key is not None:
                self._counts[key] += 1
                self._places.setdefault(command, []).append(len(self._commands))
                self._keys.append(key)
                self._commands.append(command)

    def goes_on(self, plan: ChosenPlan[S]) -> bool:
        """Return whether this is a single step of the form of the last ones, or of another message."""
        [block] = self.blocks
        last = plan.blocks[-1]
        is_alike = block.kind == last.kind or block.message != last.message
        return len(block.steps) == 1 and is_alike

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

    def equals(self, plan: ChosenPlan[S]) -> bool:
        """Return whether the commands are those of a plan, in order."""
        return self._commands == plan._commands

    def repeats(self, plan: ChosenPlan[S]) -> bool:
        """Return whether these steps repeat a plan, instead of continuing it."""
        if not plan.blocks or self.goes_on(plan):
            return False
        head = min(len(plan._keys), len(self._keys), _HEAD)
        if head > 1 and plan._keys[:head] == self._keys[:head]:
            return True
        common = 0
        for key, count in self._counts.items():
            common += min(plan._counts[key], count)
        lengths = len(plan._keys), len(self._keys)
        shorter_length, longer_length = sorted(lengths)
        if self._grammar.unique and not (plan._repeats_steps() or self._repeats_steps()):
            return common > 0 and 2 * common >= shorter_length
        return common > _HEAD and 5 * common >= 4 * longer_length

    def _repeats_steps(self) -> bool:
        """Return whether a step occurs twice."""
        return len(self._keys) > len(self._counts)


class Introduction(NamedTuple):
    """Remarks before a block.

    Attributes
    ----------
    cues, label
        Their cues, and the label of the alternative that they name, such as ``2``.
    is_offer
        True if they offer the block as an alternative.
    """

    cues: Cue
    label: str
    is_offer: bool


def choose(events: Iterable[Block[S] | Remark], grammar: Grammar[S]) -> ChosenPlan[S]:
    """Return the plan among blocks and remarks, by the rules of this module."""
    selection = _Selection(grammar)
    for event in events:
        selection.enter_message(event.message)
        if isinstance(event, Remark):
            selection.add_remark(event)
        else:
            selection.add_block(event)
    return selection.plan


class _Selection(Generic[S]):
    """Selection of the plan, remark by remark and block by block."""

    def __init__(self, grammar: Grammar[S]) -> None:
        self.plan = ChosenPlan(grammar)
        self._grammar = grammar
        self._offers: dict[str, Block[S]] = {}  # alternatives by their labels
        self._pending: list[Remark] = []  # since the last block
        self._level = self._message = 0
        self._is_choice_open = False  # several plans were announced, and none was chosen since

    def enter_message(self, number: int) -> None:
        """Forget the remarks of the message before."""
        if number != self._message:
            self._pending, self._message = [], number

    def add_remark(self, remark: Remark) -> None:
        """Retract the plan, choose an alternative, or keep a remark for the next block."""
        is_decided = bool(remark.cues & _DECIDED)
        self._is_choice_open = (self._is_choice_open or announces_several(remark.text)) and not is_decided
        label = label_of(remark.text)
        if Cue.RETRACTED in remark.cues:
            earlier_blocks = (block for block in self.plan.blocks if block.message != self._message)
            turns = [block for block in earlier_blocks if len(block.steps) == 1]
            self._replace(ChosenPlan(self._grammar, turns), 0)
            self.plan.is_refused = True
            self._pending = []
        elif Cue.CHOSEN in remark.cues and label in self._offers:
            self._replace(ChosenPlan(self._grammar, [self._offers[label]]), 2)
            self.plan.is_replacement = True
            self._pending = []
        else:
            self._pending.append(remark)

    def add_block(self, block: Block[S]) -> None:
        """Add a block to the plan, replace the plan by it, or ignore it."""
        announced = _level(block, self.plan.blocks)
        if not block.steps and not (announced == 2 and len(block.unread) > 1):
            return
        introduction = _combine(self._pending, self._offers)
        self._pending = []
        if Cue.NO_PLAN in introduction.cues or (block.quoted and not announced):
            return
        if introduction.label:
            self._offers.setdefault(introduction.label, block)
        candidate = ChosenPlan(self._grammar, [block])
        is_repeat = candidate.repeats(self.plan)
        is_better = announced == 2 or announced > self._level
        wins = is_better or (announced == self._level == 1 and not is_repeat)
        if self.plan.blocks and not wins and not self._replaces(block, candidate, introduction, is_repeat):
            return
        self._replace(candidate if block.steps else ChosenPlan(self._grammar), announced)

    def _replaces(self, block: Block[S], candidate: ChosenPlan[S], introduction: Introduction, is_repeat: bool) -> bool:
        """Return whether a block without an announcement replaces the plan; else handle it by the other rules."""
        plan, cues = self.plan, introduction.cues
        is_part = candidate.stands_in(plan)
        if is_part and self._is_offered(introduction):
            plan.is_ambiguous = plan.is_ambiguous or not candidate.equals(plan)
            return False
        if is_part and (Cue.SUMMARY in cues or not (Cue.CHOSEN in cues or candidate.goes_on(plan))):
            return False
        if self._level == 2 and (is_repeat or cues & (Cue.CHOSEN | Cue.OTHER)):
            return False
        if Cue.CHOSEN in cues or (is_repeat and self._message != plan.blocks[-1].message):
            return True
        if Cue.OTHER in cues or is_repeat:
            plan.is_ambiguous = True
        else:
            plan.add(block)
        return False

    def _is_offered(self, introduction: Introduction) -> bool:
        """Return whether a block is one of several plans, among which nothing has chosen so far."""
        if self._level == 2 or Cue.CHOSEN in introduction.cues:
            return False
        return introduction.is_offer or (self._is_choice_open and Cue.SUMMARY not in introduction.cues)

    def _replace(self, plan: ChosenPlan[S], level: int) -> None:
        """Replace the plan by another one."""
        plan.is_replacement = self.plan.is_replacement or bool(self.plan.blocks)
        self.plan, self._level = plan, level


def _combine(remarks: Iterable[Remark], labels: Collection[str]) -> Introduction:
    """Combine the remarks before a block; the last one that introduces the block decides on an offer.

    A summary is an offer only if it names an alternative other than those of the earlier blocks, by their labels.
    """
    cues, label = Cue(0), ""
    is_offer = False
    for remark in remarks:
        ahead = introduces(remark.text)
        new = remark.cues if ahead else remark.cues & ~Cue.NO_PLAN
        if new & (Cue.FINAL | Cue.CHOSEN) or (ahead and names_a_plan(remark.text)):
            cues &= ~Cue.NO_PLAN
        cues |= new
        named = label_of(remark.text)
        label = named or label
        if ahead and new & (Cue.SUMMARY | Cue.OTHER):
            names_another = Cue.OTHER in new and named not in ("", *labels)
            is_offer = Cue.SUMMARY not in new or (names_another and len(labels) > 0)
    return Introduction(cues, label, is_offer)


def _level(block: Block[S], before: list[Block[S]]) -> int:
    """Return the level of a block's announcement; a single step of a chat is a turn, not a final answer."""
    if before and len(block.steps) == 1 and block.message != before[-1].message:
        return 0
    return final_level(block.final)
