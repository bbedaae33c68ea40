"""Which blocks of what a model wrote are its plan."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TypeVar

from planoracle.instances.errors import PlanError
from planoracle.instances.model_output.blocks import Block, Grammar, Reader
from planoracle.instances.model_output.characters import spoken
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


def as_given(commands: list[S], what: str = "list") -> Reading[list[S]]:
    """Return the reading of a list or log, which says itself what its commands are."""
    return Reading(commands, len(commands), f"{what} as given", 0)


def read(given: object, grammar: Grammar[S]) -> Reading[list[S]]:
    """Read what a model wrote: text, a chat, or a JSON value that holds texts.

    Thinking and observations are left out. Of what is left, lines of one form that follow each other are a block:
    lines behind ``Action:``, fenced blocks, tables, JSON, lists, bare lines; sentences count only where there is
    nothing else. Which blocks are the plan is told in `planoracle.instances.model_output.choice`.

    Raises
    ------
    PlanError
        If there is too much of it.
    """
    reader = Reader(grammar)
    cut = False
    value = given
    if isinstance(given, str):
        text, cut = spoken(given)
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
                said = [spoken(part) if isinstance(part, str) else (part, False) for part in contents(message)]
                reader.message([part for part, _ in said])
                cut = cut or (message is chat[-1] and any(open_ended for _, open_ended in said))
    if not reader.whole and any(block.kind == "JSON" and block.steps for block in reader.blocks):
        raise PlanError("holds too much that begins like JSON objects and is none", field="plan")
    found = _taken(reader, len({block.message for block in reader.blocks}))
    return replace(found, commands=[], read=0, read_from="nothing", fault=CUT_OFF) if cut else found


def _taken(reader: Reader[S], messages: int) -> Reading[list[S]]:
    """Return the plan of what a reader has gathered, and count what is left out."""
    grammar = reader.grammar
    bare, left_out = _weak(reader)
    chosen = choose((one for one in reader.events if id(one) not in left_out), grammar)
    taken = [] if chosen.ambiguous else chosen.blocks
    own = set(map(id, taken))
    steps = [step for block in taken for step in block.steps]
    ignored = sum(block.lines for block in reader.blocks if block.kind != "prose" and id(block) not in own)
    lost = sum(block.lines for block in bare)
    missed = sorted(one for block in reader.blocks if not block.steps or id(block) in own for one in block.unread)
    if not any(block.plain for block in taken):
        left = [(one.number, one.text) for one in reader.left if not steps and grammar.find(one.text)]
        missed = sorted([*missed, *reader.loose, *left])
    example = next((block.told for block in bare), "") or next((f"line {n}: {text[:80]!r}" for n, text in missed), "")
    where = _where(taken, chosen.replaced, messages) if taken else "nothing"
    found = Reading(steps, len(steps), where, ignored + len(missed), lost + len(missed), example)
    if chosen.ambiguous:
        return replace(found, fault=AMBIGUOUS)
    return found if steps or (found.doubtful and not chosen.refused) else replace(found, fault=NO_PLAN)


def _weak(reader: Reader[S]) -> tuple[list[Block[S]], set[int]]:
    """Find sentences in messages that hold anything else, and bare lines where most steps have a better form.

    What has been taken back, and what is announced as final, is left as it is.

    Returns
    -------
    tuple
        The bare lines that say something new, and the identities of all blocks that are left out.
    """
    key = reader.grammar.key
    parts: dict[tuple[int, int], list[Block[S]]] = {}
    retractions = 0
    for one in reader.events:
        if isinstance(one, Block):
            parts.setdefault((one.message, retractions), []).append(one)
        else:
            retractions += Cue.RETRACTED in one.cues
    bare: list[Block[S]] = []
    left_out: set[int] = set()
    for blocks in parts.values():
        sizes = Counter[str]()
        for block in blocks:
            sizes[block.kind if block.kind in ("prose", "line") else "good"] += len(block.steps)
        prose = [block for block in blocks if block.kind == "prose" and sizes["good"] + sizes["line"]]
        weak = sizes["good"] >= 2 * sizes["line"]
        lines = [block for block in blocks if weak and block.kind == "line" and block.steps and not block.final]
        left_out |= set(map(id, (*prose, *lines)))
        told = {key(step) for block in blocks if id(block) not in left_out for step in block.steps} if lines else set()
        bare += [block for block in lines if not all(key(step) in told for step in block.steps)]
    return bare, left_out


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
