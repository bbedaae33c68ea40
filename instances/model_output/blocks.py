"""Blocks of a text: consecutive lines of one form that contain steps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, islice
from typing import Generic, NamedTuple, TypeVar

from planoracle.instances.model_output.cues import (
    Cue,
    begins_with_cue,
    cues_of,
    is_interjection,
    is_label,
    is_nothing,
    pieces_of,
    split_label,
)
from planoracle.instances.model_output.json_values import leaves
from planoracle.instances.model_output.layout import TextLine, lines_of

S = TypeVar("S")


class StepMatch(NamedTuple, Generic[S]):
    """Step in a line, and the number of its characters.

    Attributes
    ----------
    length
        Number of characters of the step.
    step
        The step.
    """

    length: int
    step: S


class Grammar(Generic[S]):
    """Syntax of the steps of a benchmark; this base class recognises none.

    Attributes
    ----------
    unique
        True if a plan contains every step once, so that repeated steps belong to another plan.
    """

    unique = False

    def find(self, text: str) -> list[StepMatch[S]]:
        """Return the steps in a line, from left to right."""
        return []

    def find_in_prose(self, text: str) -> list[S]:
        """Return the steps in sentences."""
        return [match.step for match in self.find(text)]

    def of(self, value: object) -> list[S] | None:
        """Return the steps of a JSON object or list, ``None`` if it is no step itself."""
        return None

    def row(self, cells: Mapping[str, str]) -> list[S] | None:
        """Return the steps of a row of a table; its cells by the lower-case headers of their columns."""
        return self.of(dict(cells))

    def looks(self, text: str, free: bool) -> bool:
        """Return whether a line without a step looks like one; ``free`` if it is in no list, block or table."""
        return False

    def mentions(self, text: str) -> bool:
        """Return whether a line mentions an action or an object, as steps in an unknown form do.

        It decides about bare lines of a text in which no step was found.
        """
        return self.looks(text, False)

    def interpret(self, text: str, kind: str, follows_steps: bool) -> S | None:
        """Return the command that a line stands for, if it is none of the benchmark but can be read as one.

        Parameters
        ----------
        kind
            Kind of the `planoracle.instances.model_output.layout.TextLine`.
        follows_steps
            True if it follows commands of the benchmark.
        """
        return None

    def ends(self, text: str) -> bool:
        """Return whether a line ends the plan."""
        return False

    def key(self, step: S) -> Hashable:
        """Return a key that is equal for equal steps; ``None`` for steps that plans repeat, such as a wait."""
        return step if isinstance(step, Hashable) else repr(step)

    def command(self, step: S) -> Hashable:
        """Return a key that is equal for the same command at the same time; by default `key`."""
        return self.key(step)


_WORD = re.compile(r"[^\W\d_]")
_EITHER = re.compile(r"\W*(?:\w+\W+){0,4}either\b", re.IGNORECASE)
_OR = re.compile(r"[,;]?\s{1,9}or\b", re.IGNORECASE)
#: Number of words "or" of a sentence that are tried as its border between two plans.
_MAX_SEPARATORS = 4
_WORDS = re.compile(r"[^\W\d_]+")
_RULE = re.compile(r"(?:[-*_=~] ?){3,80}")
# Longest sentence over several lines, in characters.
_LONGEST = 2_000
# Words that steps do not have, in whatever form they are written: those of refusals, remarks and explanations.
_TALK = re.compile(
    r"\b(?:i|we|you|it|sorry|please|cannot|can't|not|unable|is|are|was|will|would|should|could|because|but)\b|[?:]$",
    re.IGNORECASE,
)
# Words of the longest bare line that may be a step in an unknown form.
_MAX_STEP_WORDS = 12
# Columns of a table that are searched for steps.
_MAX_COLUMNS = 20


class UnreadLine(NamedTuple):
    """Line that looks like a step but is none, in the order of the text.

    Attributes
    ----------
    number
        Number of the line.
    position
        Number of the entry in the order of reading, since the entries of a JSON list share a line.
    text
        The line.
    """

    number: int
    position: int
    text: str


@dataclass(slots=True)
class Block(Generic[S]):
    """Consecutive steps of one form.

    Attributes
    ----------
    kind
        ``action``, ``fence``, ``table``, ``JSON``, ``list``, ``line`` or ``prose``.
    steps, lines
        The steps, and the number of their lines.
    plain
        Number of the steps that are commands of the benchmark, as opposed to interpretations.
    unread
        Lines that look like steps but are none.
    number, first
        Number of the first line, and its beginning.
    final
        Announcement of the block as the final plan, if any.
    message
        Number of its message.
    quoted
        True for a quotation.
    """

    kind: str
    group: int = 0
    steps: list[S] = field(default_factory=list)
    lines: int = 0
    plain: int = 0
    unread: list[UnreadLine] = field(default_factory=list)
    number: int = 0
    first: str = ""
    final: str = ""
    message: int = 0
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Remark:
    """Sentence before, between or after blocks, and its cues about them."""

    cues: Cue
    text: str
    message: int


class Reader(Generic[S]):
    """Collector of blocks and remarks, line by line."""

    def __init__(self, grammar: Grammar[S]) -> None:
        self.grammar = grammar
        self.blocks: list[Block[S]] = []
        self.events: list[Block[S] | Remark] = []  # blocks and remarks in order
        self.is_complete = True  # all JSON values were found
        self.over = False  # a line has ended the plan
        self.loose: list[UnreadLine] = []  # lines of lists, blocks and tables without steps
        self.unknown: list[UnreadLine] = []  # bare lines that name actions or objects
        self._position = 0  # number of unread lines
        self.skipped: list[TextLine] = []  # items in thoughts and observations
        self._final = ""  # announcement of the next block
        self._message = 0
        self._quoted = False
        self._last = self._stride = 0  # line of the last step, and its distance to the step before
        self._values = 0  # number of JSON values
        self._plain = False  # a command of the benchmark was read
        self._announced = 0  # line of the last announcement
        self._gap = False  # words since the last step
        self._irrevocable = False  # observations have answered actions
        self._cut = False  # the earlier actions were retracted

    def text(self, text: str) -> None:
        """Read a text without thinking."""
        lines, skipped, is_complete = lines_of(text)
        self.skipped += skipped
        self.is_complete = self.is_complete and is_complete
        self._final, self._gap = "", False
        for table, group in groupby(self._join_sentences(lines), _table_of):
            rows = list(group) if table is not None else []
            for line in rows[:1] or group:
                if self.over:
                    return
                self._quoted = line.quoted
                if rows:
                    self._table(rows)
                else:
                    self._line(line)

    def value(self, value: object, line: int = 1, kind: str = "JSON", group: int = 0) -> None:
        """Read a JSON value other than a chat."""
        alone = _holds_list(value) and self.grammar.of(value) is None  # separate from its surroundings
        self._values += alone
        for leaf in leaves(value, self.grammar.of):
            if self.over:
                return
            if isinstance(leaf, list):
                self._add(kind, group or self._values, line, leaf, leaf)
            elif isinstance(leaf, str) and "\n" in leaf:
                self.text(leaf)
            else:
                text = leaf if isinstance(leaf, str) else repr(leaf)
                self._read_text(kind, group or self._values, line, text)
        self._values += alone

    def message(self, parts: list[object]) -> None:
        """Read one message of a chat: its texts and the values of its tool calls."""
        self._message += 1
        for part in parts:
            if isinstance(part, str):
                self.text(part)
            else:
                self.value(part, self._message)

    def _join_sentences(self, lines: Iterable[TextLine]) -> Iterator[TextLine]:
        """Join sentences with steps over several lines, each of which ends with a comma."""
        sentence: TextLine | None = None
        last = 0
        for line in lines:
            number = line.number
            free = line.kind == "free" and not line.values
            if sentence is not None and free and number == last + 1 and not self.grammar.ends(line.text):
                line = replace(sentence, text=f"{sentence.text} {line.text}")
            elif sentence is not None:
                yield sentence
            is_open = free and self._continues(line.text)
            sentence, last = line if is_open else None, number
            if not is_open:
                yield line
        if sentence is not None:
            yield sentence

    def _continues(self, text: str) -> bool:
        """Return whether a sentence with steps continues on the next line."""
        return text.endswith(",") and len(text) <= _LONGEST and self._is_prose(text)

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
            size_before = self._size()
            kind, group = ("JSON", 0) if free else (line.kind, line.group)
            for value in line.values:
                self.value(value, line.number, kind, group)
            if self._size() == size_before:
                self._read_text(line.kind, line.group, line.number, line.text)

    def _size(self) -> tuple[int, int]:
        """Return the number of lines of the last block, and the number of blocks."""
        return sum(block.lines for block in self.blocks[-1:]), len(self.blocks)

    def _words(self, line: TextLine) -> None:
        """Read a line without JSON, by sentences if one of them has a cue."""
        free = line.kind == "free"
        sentences = map(self._alternatives, pieces_of(line.text))
        pieces = list(chain.from_iterable(sentences))
        if not pieces:
            self._read_text(line.kind, line.group, line.number, line.text)
            return
        cues = [cues_of(piece) for piece in pieces]
        if line.number == self._announced and is_nothing(line.text):
            cues[0] |= Cue.RETRACTED
        interjection = free and any(map(is_interjection, pieces))
        has_remark = free or self._is_remark(line.text, cues[0]) or any(map(is_label, pieces))
        if not (any(cues) or interjection) or not has_remark:
            self._read_text(line.kind, line.group, line.number, line.text)
            return
        for piece, cue in zip(pieces, cues, strict=True):
            remark = self._is_remark(piece, cue)
            if remark:
                self._remark(cue, piece)
            elif free and is_interjection(piece):
                self._gap = True
                continue
            if not remark or (Cue.RETRACTED not in cue and self.grammar.find(piece)):
                self._read_text(line.kind, line.group, line.number, piece)

    def _alternatives(self, piece: str) -> list[str]:
        """Split a sentence "either ... or ..." or "plan B is ..." before a plan of several steps."""
        label, text = split_label(piece)
        if label and len(self.grammar.find(text)) > 1:
            return [label, text]
        if _EITHER.match(piece) is None:
            return [piece]
        for separator in islice(_OR.finditer(piece), _MAX_SEPARATORS):
            start, end = separator.span()
            before = piece[:start]
            after = piece[end:]
            if len(self.grammar.find(before)) > 1 and len(self.grammar.find(after)) > 1:
                return [before, "or", after]
        return [piece]

    def _is_prose(self, text: str) -> bool:
        """Return whether a text has steps, but consists mostly of other words."""
        matches = self.grammar.find(text)
        return bool(matches) and _is_mostly_words(text, matches)

    def _is_remark(self, text: str, cues: Cue) -> bool:
        """Return whether words are about a plan; in a line of mostly steps only those at its beginning are."""
        if not cues:
            return False
        return _is_mostly_words(text, self.grammar.find(text)) or begins_with_cue(text)

    def _remark(self, cues: Cue, text: str) -> None:
        if not cues or self._quoted:  # a quotation is no statement of the model
            return
        self.events.append(Remark(cues, text, self._message))
        self._gap = True
        if Cue.RETRACTED in cues:
            self._final, self._cut = "", not self._irrevocable
        elif Cue.FINAL in cues:
            self._final = self._final or text[:40]

    def _read_text(self, kind: str, group: int, number: int, text: str) -> None:
        grammar, free = self.grammar, kind == "free"
        if grammar.ends(text):
            self.over = kind == "action" or free
            return
        matches = grammar.find(text)
        if matches:
            if free:
                kind = "prose" if _is_mostly_words(text, matches) else "line"
            if kind == "prose":
                steps = grammar.find_in_prose(text)
            else:
                steps = [match.step for match in matches]
            self._add(kind, group, number, text, steps)
            return
        block_kind = "line" if free else kind
        step = grammar.interpret(text, kind, self._follows(block_kind, group, number))
        if step is not None:
            self._add(block_kind, group, number, text, [step], plain=0)
        elif grammar.looks(text, free):
            block = self._block(block_kind, group, number, text)
            block.unread.append(self._unread(number, text))
        elif free:
            if self._is_unknown_step(text):
                self.unknown.append(self._unread(number, text))
            self._gap = self._gap or _RULE.fullmatch(text) is not None
            if _WORD.search(text):
                self._gap = True
                self.events.append(Remark(Cue(0), text, self._message))
        elif _WORD.search(text):
            self.loose.append(self._unread(number, text))

    def _unread(self, number: int, text: str) -> UnreadLine:
        self._position += 1
        return UnreadLine(number, self._position, text)

    def _is_unknown_step(self, text: str) -> bool:
        """Return whether a bare line may be a step in an unknown form."""
        if self._quoted or len(text) > _LONGEST or len(_WORDS.findall(text)) > _MAX_STEP_WORDS:
            return False
        return _TALK.search(text) is None and self.grammar.mentions(text)

    def _follows(self, kind: str, group: int, number: int) -> bool:
        """Return whether a line follows commands in a block; of bare lines, at the same distance."""
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
        """Return the block of a line, if needed a new one that begins with this text or these steps."""
        last = self.blocks[-1] if self.blocks else None
        if kind == "action" and not self._cut:  # actions belong together across other text
            actions = (block for block in reversed(self.blocks) if block.kind == "action")
            last = next(actions, last)
        place = kind, group, self._message, self._quoted
        is_same_place = last is not None and (last.kind, last.group, last.message, last.quoted) == place
        is_interrupted = self._final or self._cut or (self._gap and kind != "action")
        if last is None or not is_same_place or is_interrupted:
            first = text if isinstance(text, str) else repr(text[:1])
            last = Block(
                kind,
                group,
                number=number,
                first=first[:80],
                final=self._final,
                message=self._message,
                quoted=self._quoted,
            )
            self.blocks.append(last)
            self.events.append(last)
            self._final = ""
        self._gap = self._cut = False
        return last

    def _table(self, rows: list[TextLine]) -> None:
        headers = [cell.lower().strip("*_` ") for cell in rows[0].cells]
        cells_of_rows = [row.cells for row in rows[1:]]
        cells_by_header = (dict(zip(headers, cells, strict=False)) for cells in cells_of_rows)
        steps_by_row = [self.grammar.row(cells) for cells in cells_by_header]
        if any(steps_by_row):
            for row, steps in zip(rows[1:], steps_by_row, strict=True):
                self._row(row, steps)
            return
        if any(row.values for row in rows):
            for row in rows:
                if row.values:
                    self._line(row)
            return
        column = self._column_of_steps(rows)
        has_header = column < len(headers)
        has_step_in_header = has_header and bool(self.grammar.find(headers[column]))
        for row in rows if len(rows) == 1 or has_step_in_header else rows[1:]:
            if column < len(row.cells):
                self._read_text("table", row.group, row.number, row.cells[column])

    def _row(self, row: TextLine, steps: list[S] | None) -> None:
        """Add the steps of a row, or the row itself if it looks like a step."""
        if steps:
            self._add("table", row.group, row.number, row.text, steps)
        elif self.grammar.looks(row.text, False):
            block = self._block("table", row.group, row.number, row.text)
            block.unread.append(self._unread(row.number, row.text))

    def _column_of_steps(self, rows: list[TextLine]) -> int:
        """Return the column with the most cells with steps; without any, the one with the most letters."""
        width = max(len(row.cells) for row in rows)
        hits = []
        for column in range(min(width, _MAX_COLUMNS)):
            cells = [row.cells[column] for row in rows if column < len(row.cells)]
            matches = [self.grammar.find(cell) for cell in cells]
            hits.append(sum(map(bool, matches)))
        return hits.index(max(hits)) if any(hits) else _column_of_words(rows)


def _table_of(line: TextLine) -> int | None:
    """Return the number of the table of a row, ``None`` for other lines."""
    return line.group if line.kind == "table" else None


def _column_of_words(rows: list[TextLine]) -> int:
    """Return the column with the most letters, which contains the steps of a table in an unknown form."""
    letters = Counter[int]()
    for row in rows[1:] or rows:
        for column, cell in enumerate(row.cells[:_MAX_COLUMNS]):
            letters[column] += sum(map(str.isalpha, cell[:_LONGEST]))
    return letters.most_common(1)[0][0] if letters else 0


def _is_mostly_words(text: str, matches: list[StepMatch[S]]) -> bool:
    return 2 * sum(match.length for match in matches) < len(text)


def _holds_list(value: object) -> bool:
    if isinstance(value, dict):
        return any(isinstance(entry, list) for entry in value.values())
    return isinstance(value, list)
