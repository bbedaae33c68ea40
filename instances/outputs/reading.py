"""Which blocks of what a model wrote are its plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Generic, TypeVar

from planoracle.instances.errors import PlanError
from planoracle.instances.outputs.blocks import Block, Reader
from planoracle.instances.outputs.grammar import Grammar
from planoracle.instances.outputs.messages import chat_in, contents, is_agents
from planoracle.instances.outputs.thinking import spoken
from planoracle.instances.outputs.values import whole_value
from planoracle.instances.plan import Reading

__all__ = ["as_given", "read", "whole_value"]

S = TypeVar("S")

#: So many steps at the beginning tell whether two plans begin alike.
_HEAD = 3
_WORDS = {
    "action": "action line",
    "fence": "fenced block",
    "table": "table",
    "JSON": "JSON value",
    "list": "list",
    "line": "block of lines",
    "prose": "passage",
}


def as_given(commands: list[S], what: str = "list") -> Reading[list[S]]:
    """Return the reading of a list or log, which says itself what its commands are."""
    return Reading(commands, len(commands), f"{what} as given", 0)


def read(given: object, grammar: Grammar[S]) -> Reading[list[S]]:
    """Read what a model wrote: text, a chat, or a JSON value that holds texts.

    Thinking and observations are left out. Of what is left, lines of one form that follow each other are a block:
    lines behind ``Action:``, fenced blocks, tables, JSON, lists, bare lines; sentences count only where there is
    nothing else. Blocks make up the plan together, unless a later one takes the place of those before: it is announced
    as the plan that counts, begins like them or repeats them, or is said to be right where they are wrong.

    Raises
    ------
    PlanError
        If there is too much of it.
    """
    reader = Reader(grammar)
    hidden = ""
    value = given
    if isinstance(given, str):
        text, hidden = spoken(given)
        value = whole_value(text)
        if value is None or isinstance(value, str):
            reader.text(value or text)
            value = None
    if value is not None:
        chat = chat_in(value)
        if chat is None:
            reader.value(value)
        else:
            for message in filter(is_agents, chat):
                parts = [spoken(part)[0] if isinstance(part, str) else part for part in contents(message)]
                reader.message(parts)
    if not reader.whole and any(block.kind == "JSON" and block.steps for block in reader.blocks):
        raise PlanError("holds too much that begins like JSON objects and is none", field="plan")
    found = _chosen(reader, len({block.message for block in reader.blocks}))
    if hidden and not found.read:
        return _hidden(hidden, grammar, found)
    return found


def _hidden(text: str, grammar: Grammar[S], found: Reading[list[S]]) -> Reading[list[S]]:
    """Count the steps in thinking that does not end: perhaps the plan was among them."""
    reader = Reader(grammar)
    reader.text(text)
    lines = sum(block.lines + len(block.unread) for block in reader.blocks if block.kind != "prose")
    lost = Reading(found.commands, 0, "nothing", lines, lines, "in thinking that does not end")
    return lost if lines else found


class _Taken(Generic[S]):
    """The blocks that make up the plan so far, and what steps they hold."""

    def __init__(self, grammar: Grammar[S]) -> None:
        self.grammar = grammar
        self.blocks: list[Block[S]] = []
        self.first: list[Hashable] = []
        self.counts: Counter[Hashable] = Counter()
        self.size = self.told = self.lines = 0
        self._weighed = 0  # blocks whose steps are known

    def add(self, block: Block[S]) -> None:
        self.size += len(block.steps)
        self.lines += block.lines
        self.blocks.append(block)

    def _weigh(self) -> None:
        for block in self.blocks[self._weighed :]:
            told = [key for key in map(self.grammar.key, block.steps) if key is not None]
            self.first += told[: _HEAD - len(self.first)]
            self.counts.update(told)
            self.told += len(told)
        self._weighed = len(self.blocks)

    def alike(self, block: Block[S]) -> bool:
        """Whether a block is about the steps that are there, not about what follows them."""
        self._weigh()
        if len(block.steps) == 1 and block.kind == self.blocks[-1].kind:
            return False
        theirs = [key for key in map(self.grammar.key, block.steps) if key is not None]
        head = min(len(self.first), len(theirs), _HEAD)
        if head > 1 and self.first[:head] == theirs[:head]:
            return True
        common = sum(min(self.counts[key], count) for key, count in Counter(theirs).items())
        if self.grammar.unique and self.told == len(self.counts) and len(set(theirs)) == len(theirs):
            return common > 0 and 2 * common >= min(self.told, len(theirs))
        return common > 3 and 5 * common >= 4 * max(self.told, len(theirs))

    def kept_in(self, block: Block[S]) -> bool:
        """Whether a block makes at least half of the steps again."""
        self._weigh()
        again = {self.grammar.key(step) for step in block.steps}
        return 2 * sum(count for key, count in self.counts.items() if key in again) >= self.told


def _chosen(reader: Reader[S], messages: int) -> Reading[list[S]]:
    grammar = reader.grammar
    formed, bare = _without_sentences(reader)
    so_far = _Taken(grammar)
    ignored = sum(block.lines for block in bare)
    lost = sum(block.lines for block in bare if not block.redo)
    example = next((block.told for block in bare if not block.redo), "")
    later = False
    drafts: set[int] = set()
    for block in formed:
        if not block.steps:
            continue
        if so_far.blocks:
            alike = so_far.alike(block)
            final = bool(block.final) and (len(block.steps) > 1 or block.message == so_far.blocks[-1].message)
            short = 2 * len(block.steps) < so_far.size
            if alike and short:  # a summary
                ignored += block.lines
                continue
            if alike or final or block.redo:
                ignored += so_far.lines
                if so_far.kept_in(block) or (final and not short):
                    drafts |= set(map(id, so_far.blocks))
                    ignored += sum(len(one.unread) for one in so_far.blocks)
                else:
                    lost += so_far.lines
                    example = example or so_far.blocks[0].told
                so_far, later = _Taken(grammar), True
        so_far.add(block)
    taken = so_far.blocks
    steps = [step for block in taken for step in block.steps]
    plain = sum(block.plain for block in taken)
    missed = sorted(one for block in reader.blocks if id(block) not in drafts for one in block.unread)
    if not plain:
        left = [(one.number, one.text) for one in reader.left if not steps and grammar.find(one.text)]
        missed = sorted([*missed, *reader.loose, *left])
    if missed and not example:
        example = f"line {missed[0][0]}: {missed[0][1][:80]!r}"
    where = _where(taken, later, messages) if taken else "nothing"
    return Reading(steps, len(steps), where, ignored + len(missed), lost + len(missed), example)


def _without_sentences(reader: Reader[S]) -> tuple[list[Block[S]], list[Block[S]]]:
    """Leave sentences out of messages that hold anything else, and bare lines where most steps have a better form.

    Returns
    -------
    tuple
        The other blocks, and the bare lines.
    """
    key = reader.grammar.key
    sizes: dict[int, Counter[str]] = {}
    for block in reader.blocks:
        form = block.kind if block.kind in ("prose", "line") else "good"
        sizes.setdefault(block.message, Counter())[form] += len(block.steps)
    formed: list[Block[S]] = []
    bare: list[Block[S]] = []
    for block in reader.blocks:
        size = sizes[block.message]
        if block.kind == "prose" and size["good"] + size["line"]:
            continue
        weak = block.kind == "line" and block.steps and size["good"] >= 2 * size["line"]
        (bare if weak else formed).append(block)
    told = {key(step) for block in formed for step in block.steps} if bare else set()
    for block in bare:  # what says nothing new is no loss
        block.redo = all(key(step) in told for step in block.steps)
    return formed, bare


def _where(taken: list[Block[S]], later: bool, messages: int) -> str:
    """Say which part of the text some blocks are."""
    if messages > 1:
        return f"{len({block.message for block in taken})} of {messages} messages"
    kinds = list(dict.fromkeys(block.kind for block in taken))
    if kinds == ["action"]:
        said = "action lines" if taken[0].lines > 1 else "action line"
    elif len(kinds) == 1:
        word = _WORDS[kinds[0]]
        plural = word.replace("block of lines", "blocks of lines") if " of " in word else f"{word}s"
        said = word if len(taken) == 1 else f"{len(taken)} {plural}"
    else:
        said = " and ".join(_WORDS[kind] for kind in kinds)
    if taken[0].final:
        return f"{said} after '{taken[0].final}'"
    return f"last {said}" if later and len(taken) == 1 else said
