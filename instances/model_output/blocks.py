"""Blocks: lines of one form that follow each other and hold steps."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, NamedTuple, TypeVar

from planoracle.instances.model_output.cues import Cue, begins_with_cue, cues_of, is_interjection, is_nothing, pieces_of
from planoracle.instances.model_output.json_values import leaves
from planoracle.instances.model_output.layout import TextLine, lines_of

S = TypeVar("S")


class StepMatch(NamedTuple, Generic[S]):
    """A step in a line: how many of its characters it takes, and the step."""

    length: int
    step: S


class Grammar(Generic[S]):
    """How the steps of a benchmark look; by itself one that knows none.

    Attributes
    ----------
    unique
        Whether a plan makes every step once, so that steps which come again belong to another plan.
    """

    unique = False

    def find(self, text: str) -> list[StepMatch[S]]:
        """Return the steps in a line, from left to right."""
        return []

    def told(self, text: str) -> list[S]:
        """Return the steps in sentences."""
        return [one.step for one in self.find(text)]

    def of(self, value: object) -> list[S] | None:
        """Return the steps that a JSON object or list stands for, ``None`` if it is not itself a step."""
        return None

    def row(self, cells: Mapping[str, str]) -> list[S] | None:
        """Return the steps of a row of a table, by the heads of its columns in lower case."""
        return self.of(dict(cells))

    def looks(self, text: str, free: bool) -> bool:
        """Whether a line that holds no step looks as if it should; ``free`` if it stands in no list, block or table."""
        return False

    def meant(self, text: str, kind: str, among: bool) -> S | None:
        """Return the command that a line is meant as although it is none of the benchmark's, if there is such a thing.

        ``kind`` is that of `planoracle.instances.model_output.layout.TextLine`; ``among``: whether it follows steps
        that
        are.
        """
        return None

    def ends(self, text: str) -> bool:
        """Whether a line says that the plan is over."""
        return False

    def key(self, step: S) -> Hashable:
        """Return what is equal for equal steps; ``None`` for one that plans repeat, such as a wait."""
        return step if isinstance(step, Hashable) else repr(step)

    def command(self, step: S) -> Hashable:
        """Return what is equal for the same command at the same time, where that is more than `key` says."""
        return self.key(step)


_WORD = re.compile(r"[^\W\d_]")
_RULE = re.compile(r"(?:[-*_=~] ?){3,80}")
# Of a sentence over several lines, in characters.
_LONGEST = 2_000


@dataclass(slots=True)
class Block(Generic[S]):
    """Steps of one form.

    Attributes
    ----------
    kind
        ``action``, ``fence``, ``table``, ``JSON``, ``list``, ``line`` or ``prose``.
    steps, lines
        The steps, and how many lines hold them.
    plain
        How many of the steps are commands of the benchmark, not only meant as such.
    unread
        Lines that look like steps and are none: number and text.
    number, first
        Where it begins, and with what.
    final
        What announced it as the plan that counts, if anything did.
    message
        Number of the message that it is in.
    quoted
        Whether it is a quotation.
    """

    kind: str
    group: int = 0
    steps: list[S] = field(default_factory=list)
    lines: int = 0
    plain: int = 0
    unread: list[tuple[int, str]] = field(default_factory=list)
    number: int = 0
    first: str = ""
    final: str = ""
    message: int = 0
    quoted: bool = False

    @property
    def told(self) -> str:
        """Where it begins, and with what."""
        return f"line {self.number}: {self.first!r}"


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence before, between or behind blocks, and what it says of them."""

    cues: Cue
    text: str
    message: int


class Reader(Generic[S]):
    """Gathers blocks and remarks, line by line."""

    def __init__(self, grammar: Grammar[S]) -> None:
        self.grammar = grammar
        self.blocks: list[Block[S]] = []
        self.events: list[Block[S] | Remark] = []  # the blocks, and the remarks among them
        self.whole, self.over = True, False
        self.loose: list[tuple[int, str]] = []  # lines of lists, blocks and tables in which nothing is read
        self.left: list[TextLine] = []  # items in thoughts and observations
        self._final, self._message, self._quoted = "", 0, False
        self._last = self._stride = 0  # line of the last step, and how far behind the one before
        self._values = 0  # JSON values up to now
        self._plain = False  # whether there has been a command of the benchmark
        self._announced = 0  # line of the last announcement
        self._gap = False  # words since the last step
        self._irrevocable = False  # whether actions have been answered by observations
        self._cut = False  # whether the actions before have been taken back
        self._open: TextLine | None = None  # a sentence with steps that goes on in the next line

    def text(self, text: str) -> None:
        """Read a text without thinking."""
        lines, left, whole = lines_of(text)
        self.left += left
        self.whole = self.whole and whole
        self._final, self._gap = "", False
        for table, group in _tables(lines):
            if self.over:
                return
            self._quoted = group[0].quoted
            line = self._continued(group[0])
            if table:
                self._table(group)
            elif line is not None:
                self._line(line)
        self._close()

    def value(self, value: object, line: int = 1, kind: str = "JSON", group: int = 0) -> None:
        """Read a JSON value that is no chat."""
        alone = _holds_list(value) and self.grammar.of(value) is None  # no part of what is around it
        self._values += alone
        for leaf in leaves(value, self.grammar.of):
            if self.over:
                return
            if isinstance(leaf, list):
                self._add(kind, group or self._values, line, leaf, leaf)
            elif isinstance(leaf, str) and "\n" in leaf:
                inner = Reader(self.grammar)
                inner.text(leaf)
                self.blocks += inner.blocks
                self.events += inner.events
                self.loose += inner.loose
                self.over = inner.over
            else:
                text = leaf if isinstance(leaf, str) else repr(leaf)
                self._said(kind, group or self._values, line, text, free=False)
        self._values += alone

    def message(self, parts: list[object]) -> None:
        """Read one message of a chat: texts, and values of tool calls."""
        self._message += 1
        for part in parts:
            if isinstance(part, str):
                self.text(part)
            else:
                self.value(part, self._message)

    def _continued(self, line: TextLine) -> TextLine | None:
        """Return a line with the sentence before that ended in a comma; ``None`` if it is one that goes on itself."""
        free = line.kind == "free" and not line.values
        joined = 0
        if self._open is not None:
            joined = self._open.group + 1  # lines of it so far
            if free and line.number == self._open.number + joined and not self.grammar.ends(line.text):
                line = replace(self._open, text=f"{self._open.text} {line.text}", group=joined)
                self._open = None
            else:
                self._close()
        if not free or not line.text.endswith(",") or len(line.text) > _LONGEST or not self._prose(line.text):
            return replace(line, group=0) if free and joined else line
        self._open = line
        return None

    def _close(self) -> None:
        """Read a sentence that did not go on."""
        held, self._open = self._open, None
        if held is not None:
            self._line(replace(held, group=0))

    def _prose(self, text: str) -> bool:
        found = self.grammar.find(text)
        return bool(found) and 2 * sum(one.length for one in found) < len(text)

    def _line(self, line: TextLine) -> None:
        free = line.kind == "free"
        if line.kind == "final":
            self._final, self._announced = line.text, line.number
            self._remark(Cue.FINAL, line.text)
        elif line.kind == "observed":
            self._irrevocable = True
        elif line.kind == "note":
            for piece in pieces_of(line.text):
                self._remark(cues_of(piece) & Cue.RETRACTED, piece)
        elif line.kind in ("said", "break"):
            pass
        elif not line.values:
            self._words(line)
        else:
            before = len(self.blocks), self.blocks[-1].lines if self.blocks else 0
            for value in line.values:
                self.value(value, line.number, "JSON" if free else line.kind, 0 if free else line.group)
            if before == (len(self.blocks), self.blocks[-1].lines if self.blocks else 0):
                self._said(line.kind, line.group, line.number, line.text, free=free)

    def _words(self, line: TextLine) -> None:
        """Read a line without JSON: its sentences one by one if any of them says something about a plan."""
        free = line.kind == "free"
        pieces = pieces_of(line.text)
        cues = [cues_of(piece) for piece in pieces]
        if line.number == self._announced and is_nothing(line.text):
            cues[0] |= Cue.RETRACTED
        spoken_to_oneself = free and any(map(is_interjection, pieces))
        if not (any(cues) or spoken_to_oneself) or not (free or self._is_remark(line.text, cues[0])):
            self._said(line.kind, line.group, line.number, line.text, free=free)
            return
        for piece, said in zip(pieces, cues, strict=True):
            remark = self._is_remark(piece, said)
            if remark:
                self._remark(said, piece)
            elif free and is_interjection(piece):
                self._gap = True
                continue
            if not remark or (Cue.RETRACTED not in said and self.grammar.find(piece)):
                self._said(line.kind, line.group, line.number, piece, free=free)

    def _is_remark(self, text: str, cues: Cue) -> bool:
        """Whether words are about a plan; in a line that is little but steps only those that take one back are."""
        found = self.grammar.find(text) if cues else []
        return bool(cues) and (2 * sum(one.length for one in found) < len(text) or begins_with_cue(text))

    def _remark(self, cues: Cue, text: str) -> None:
        if not cues or self._quoted:  # nobody takes back what another one said
            return
        self.events.append(Remark(cues, text, self._message))
        self._gap = True
        if Cue.RETRACTED in cues:
            self._final, self._cut = "", not self._irrevocable
        elif Cue.FINAL in cues:
            self._final = self._final or text[:40]

    def _said(self, kind: str, group: int, number: int, text: str, *, free: bool) -> None:
        grammar = self.grammar
        if grammar.ends(text):
            self.over = kind == "action" or free
            return
        found = grammar.find(text)
        if found:
            if free:
                kind = "line" if 2 * sum(one.length for one in found) >= len(text) else "prose"
            steps = grammar.told(text) if kind == "prose" else [one.step for one in found]
            self._add(kind, group, number, text, steps)
            return
        meant = grammar.meant(text, kind, self._follows("line" if free else kind, group, number))
        if meant is not None:
            self._add("line" if free else kind, group, number, text, [meant], plain=0)
        elif grammar.looks(text, free):
            self._block("line" if free else kind, group, number, text).unread.append((number, text))
        elif free:
            self._gap = self._gap or _RULE.fullmatch(text) is not None
            if _WORD.search(text):
                self._gap = True
                self.events.append(Remark(Cue(0), text, self._message))
        elif _WORD.search(text):
            self.loose.append((number, text))

    def _follows(self, kind: str, group: int, number: int) -> bool:
        """Whether a line would stand in a block behind commands; of bare lines, as near as they are."""
        last = self.blocks[-1] if self.blocks else None
        if last is None or not self._plain or self._final or self._gap:
            return False
        if (last.kind, last.group) != (kind, group):
            return False
        if last.message != self._message:
            return number == 1
        return kind != "line" or number - self._last in (1, self._stride)

    def _add(
        self, kind: str, group: int, number: int, text: str | list[S], steps: list[S], plain: int | None = None
    ) -> None:
        block = self._block(kind, group, number, text)
        block.steps += steps
        block.lines += 1
        self._stride, self._last = number - self._last, number
        block.plain += len(steps) if plain is None else plain
        self._plain = self._plain or plain is None

    def _block(self, kind: str, group: int, number: int, text: str | list[S]) -> Block[S]:
        """Return the block that a line belongs to, perhaps a new one that begins with this text, or these steps."""
        last = self.blocks[-1] if self.blocks else None
        if kind == "action" and not self._cut:  # whatever is between them
            last = next((one for one in reversed(self.blocks) if one.kind == "action"), last)
        mine = kind, group, self._message, self._quoted
        same = last is not None and (last.kind, last.group, last.message, last.quoted) == mine
        if last is None or not same or self._final or self._cut or (self._gap and kind != "action"):
            first = text if isinstance(text, str) else repr(text[:1])
            last = Block(kind, group, number=number, first=first[:80], message=self._message)
            last.final, last.quoted = self._final, self._quoted
            self.blocks.append(last)
            self.events.append(last)
            self._final = ""
        self._gap = self._cut = False
        return last

    def _table(self, rows: list[TextLine]) -> None:
        heads = [cell.lower().strip("*_` ") for cell in rows[0].cells]
        read = [self.grammar.row(dict(zip(heads, row.cells, strict=False))) for row in rows[1:]]
        if any(read):
            for row, steps in zip(rows[1:], read, strict=True):
                if steps:
                    self._add("table", row.group, row.number, row.text, steps)
                elif self.grammar.looks(row.text, False):
                    self._block("table", row.group, row.number, row.text).unread.append((row.number, row.text))
            return
        if any(row.values for row in rows):
            for row in rows:
                if row.values:
                    self._line(row)
            return
        width = max(len(row.cells) for row in rows)
        hits = [
            sum(bool(self.grammar.find(row.cells[i])) for row in rows if i < len(row.cells))
            for i in range(min(width, 20))
        ]
        column = hits.index(max(hits))
        for row in rows[0 if len(rows) == 1 or (column < len(heads) and self.grammar.find(heads[column])) else 1 :]:
            if column < len(row.cells):
                self._said("table", row.group, row.number, row.cells[column], free=False)


def _holds_list(value: object) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and any(isinstance(one, list) for one in value.values()))


def _tables(lines: list[TextLine]) -> Iterator[tuple[bool, list[TextLine]]]:
    """Yield rows of one table together, other lines one by one."""
    rows: list[TextLine] = []
    for line in lines:
        if rows and (line.kind != "table" or line.group != rows[0].group):
            yield True, rows
            rows = []
        if line.kind == "table":
            rows.append(line)
        else:
            yield False, [line]
    if rows:
        yield True, rows
