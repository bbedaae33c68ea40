"""Extraction of the plan from model output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from planoracle.instances.errors import PlanError
from planoracle.instances.model_output.blocks import Block, Grammar, Reader, UnreadLine
from planoracle.instances.model_output.characters import without_thinking
from planoracle.instances.model_output.choice import choose
from planoracle.instances.model_output.cues import Cue
from planoracle.instances.model_output.json_values import whole_value
from planoracle.instances.model_output.messages import chat_in, contents, is_agents, is_cut
from planoracle.instances.protocol.plan import AMBIGUOUS, CUT_OFF, NO_PLAN, Reading

S = TypeVar("S")

_WORDS = {
    "action": "action line",
    "fence": "fenced block",
    "table": "table",
    "JSON": "JSON value",
    "list": "list",
    "line": "block of lines",
    "prose": "passage",
}


def as_given(
    commands: list[S], form: str = "list", entries: Sequence[str] = (), grammar: Grammar[S] | None = None
) -> Reading[list[S]]:
    """Return the reading of a list or log that consists of commands.

    Parameters
    ----------
    commands
        Commands in order.
    form
        Words for the part of the submission that has them.
    entries, grammar
        Texts of the entries, and the plan language. Entries that could not be read in a text count as unread here,
        too, so that a list and the same lines as text have the same verdict.
    """
    reading = Reading(commands, len(commands), f"{form} as given", 0)
    as_text = None if grammar is None else read(list(entries), grammar)
    if as_text is None or not as_text.doubtful:
        return reading
    example = as_text.example.partition(": ")[2]
    return replace(reading, read=as_text.read, ignored=as_text.ignored, unread=as_text.unread, example=example)


def read(output: object, grammar: Grammar[S]) -> Reading[list[S]]:
    """Read the plan in model output: a text, a chat, or a JSON value that contains texts.

    Thinking and observations are omitted. Consecutive lines of one form are a block: lines after ``Action:``, fenced
    blocks, tables, JSON, lists, bare lines; sentences count only in a text without other forms.
    `planoracle.instances.model_output.choice` defines which blocks are the plan.

    Parameters
    ----------
    output
        Text, chat or JSON value.
    grammar
        Plan language.

    Raises
    ------
    PlanError
        For too many incomplete JSON objects.
    """
    reader = Reader(grammar)
    cut = False
    value = output
    if isinstance(output, str):
        text, cut = without_thinking(output)
        value = whole_value(text)
        if value is None or isinstance(value, str):
            reader.text(value or text)
            value = None
    if value is not None:
        chat = chat_in(value)
        if chat is None:
            reader.value(value)
        else:
            cut = is_cut(value)
            for message in filter(is_agents, chat):
                parts, is_unfinished = _without_thinking(contents(message))
                reader.message(parts)
                cut = cut or (message is chat[-1] and is_unfinished)
    if not reader.is_complete and any(block.kind == "JSON" and block.steps for block in reader.blocks):
        raise PlanError("contains too many incomplete JSON objects", field="plan")
    reading = _select(reader, len({block.message for block in reader.blocks}))
    return replace(reading, commands=[], read=0, read_from="nothing", fault=CUT_OFF) if cut else reading


def _without_thinking(parts: list[object]) -> tuple[list[object], bool]:
    """Return the parts of a message without thinking, and whether a thought is unfinished."""
    texts: list[object] = []
    is_unfinished = False
    for part in parts:
        if isinstance(part, str):
            text, is_open = without_thinking(part)
            texts.append(text)
            is_unfinished = is_unfinished or is_open
        else:
            texts.append(part)
    return texts, is_unfinished


def _select(reader: Reader[S], messages: int) -> Reading[list[S]]:
    """Return the plan of a reader's blocks, and count the other lines."""
    grammar = reader.grammar
    bare, omitted = _weak(reader)
    events = (event for event in reader.events if id(event) not in omitted)
    chosen = choose(events, grammar)
    plan = [] if chosen.is_ambiguous else chosen.blocks
    in_plan = set(map(id, plan))
    steps = list(chain.from_iterable(block.steps for block in plan))
    in_prose_or_plan = in_plan | {id(block) for block in reader.blocks if block.kind == "prose"}
    other_blocks = [block for block in reader.blocks if id(block) not in in_prose_or_plan]
    missed = _missed_lines(reader, plan)
    ignored = sum(block.lines for block in other_blocks) + len(missed)
    unread = sum(block.lines for block in bare) + len(missed)
    example = ""
    if bare:
        example = f"line {bare[0].number}: {bare[0].first!r}"
    elif missed:
        first_line = missed[0]
        example = f"line {first_line.number}: {first_line.text[:80]!r}"
    source = _describe_source(plan, chosen.is_replacement, messages) if plan else "nothing"
    reading = Reading(steps, len(steps), source, ignored, unread, example)
    if chosen.is_ambiguous:
        return replace(reading, fault=AMBIGUOUS)
    is_plan = bool(steps) or (reading.doubtful and not chosen.is_refused)
    return reading if is_plan else replace(reading, fault=NO_PLAN)


def _missed_lines(reader: Reader[S], plan: list[Block[S]]) -> list[UnreadLine]:
    """Return the lines that look like steps of the plan but are none, in the order of the text."""
    in_plan = set(map(id, plan))
    missed: list[UnreadLine] = []
    for block in reader.blocks:
        if not block.steps or id(block) in in_plan:
            missed += block.unread
    if not any(block.plain for block in plan):
        missed += [*reader.loose, *reader.unknown]
        if not any(block.steps for block in plan):
            skipped = [line for line in reader.skipped if reader.grammar.find(line.text)]
            missed += [UnreadLine(line.number, 0, line.text) for line in skipped]
    return sorted(missed)


def _weak(reader: Reader[S]) -> tuple[list[Block[S]], set[int]]:
    """Find weak blocks: sentences beside other forms, and bare lines beside many steps of a better form.

    Retracted plans, and plans announced as final, stay as they are.

    Returns
    -------
    tuple
        The bare lines with new steps, and the identities of all omitted blocks.
    """
    key = reader.grammar.key
    parts: dict[tuple[int, int], list[Block[S]]] = {}
    retractions = 0
    for event in reader.events:
        if isinstance(event, Block):
            parts.setdefault((event.message, retractions), []).append(event)
        else:
            retractions += Cue.RETRACTED in event.cues
    bare: list[Block[S]] = []
    omitted: set[int] = set()
    for blocks in parts.values():
        sizes = Counter[str]()
        for block in blocks:
            kind = block.kind if block.kind in ("prose", "line") else "good"
            sizes[kind] += len(block.steps)
        prose = []
        if sizes["good"] + sizes["line"]:
            prose = [block for block in blocks if block.kind == "prose"]
        weak = sizes["good"] >= 2 * sizes["line"]
        lines = []
        if weak:
            lines = [block for block in blocks if block.kind == "line" and block.steps and not block.final]
        omitted |= set(map(id, (*prose, *lines)))
        if lines:
            retained = [block for block in blocks if id(block) not in omitted]
            steps = chain.from_iterable(block.steps for block in retained)
            keys = {key(step) for step in steps}
            for block in lines:
                if not all(key(step) in keys for step in block.steps):
                    bare.append(block)
    return bare, omitted


def _describe_source(plan: list[Block[S]], later: bool, messages: int) -> str:
    """Return which part of the text the blocks of a plan are."""
    if messages > 1:
        return f"{len({block.message for block in plan})} of {messages} messages"
    kinds = list(dict.fromkeys(block.kind for block in plan))
    source = " and ".join(_WORDS[kind] for kind in kinds)
    if kinds == ["action"]:
        source += "s" * (plan[0].lines > 1)
    elif len(kinds) == 1 and len(plan) > 1:
        first, *qualifiers = source.split(" of ")
        blocks_of_kind = f"{len(plan)} {first}s"
        source = " of ".join([blocks_of_kind, *qualifiers])
    if plan[0].final:
        return f"{source} after '{plan[0].final}'"
    return f"last {source}" if later and len(plan) == 1 else source
