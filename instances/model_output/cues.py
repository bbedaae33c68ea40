"""Cues that mark a plan as final, retracted, chosen, an alternative, a summary, or no plan.

The English word lists decide which block of a text is its answer, see `planoracle.instances.model_output.choice`.
"""

from __future__ import annotations

import re
from enum import Flag, auto
from functools import cache, lru_cache

from planoracle.instances.model_output.phrases import PHRASES


class Cue(Flag):
    """Cues of a sentence about the plan before it (``RETRACTED``) or after it (all others)."""

    RETRACTED = auto()
    FINAL = auto()
    NO_PLAN = auto()
    CHOSEN = auto()
    OTHER = auto()
    SUMMARY = auto()


#: Longest sentence that is searched for cues, in characters.
_LONGEST = 400

_RANKS = {
    **dict.fromkeys(("a", "one", "first", "former"), "1"),
    **dict.fromkeys(("b", "two", "second", "latter", "ii"), "2"),
    **dict.fromkeys(("c", "three", "third", "iii"), "3"),
}

_INTRODUCTIONS = (
    ("choices", Cue.CHOSEN),
    ("others", Cue.OTHER),
    ("label", Cue.OTHER),
    ("summaries", Cue.SUMMARY),
)
_AT_START = ("claim", "back", "gives_up", "alone", "others", "no_plans", "finals")
# Label of an alternative before a colon.
_LABEL = (
    r"(?:plan|option|version|variant|alternative|possibility|solution|approach|way|method|answer|schedule|candidate)"
    r"[ #]{1,2}(?:[A-Ha-h1-9]|one|two)"
)
_NAMED_PLAN = re.compile(rf"\W*{_LABEL} (?:is|would be|could be)\s+", re.IGNORECASE)
_LABELLED = re.compile(rf"[\s*_#]*{_LABEL}[\s*_]*:[\s*_]*", re.IGNORECASE)
# Long runs of blanks are tried at their first two positions only, or the time would be quadratic in their length.
_PIECES = re.compile(
    r"(?<=[.!?;])[\"')\]*_`]*\s+|(?<=:)[\"')\]*_`]*\s+|(?<!\s)\s+[\u2013\u2014]\s*|\s--?\s+"
    r"|(?<!\s\s)(?<!\bof)(?<!\bto)(?<!\bin)(?<!\bis)(?<!\bmy)(?<!\bas)(?<!\bfor)(?<!\bthe)(?<!\bthan)(?<!\bfrom)(?<!\ba)"
    rf"\s+(?=[*_]{{0,3}}(?i:{_LABEL})[*_]{{0,3}}:)"
)
_MARKUP = re.compile(r"[*_#`>]+")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of some phrases, compiled at first use: all take 0.1 seconds."""
    return re.compile("|".join(PHRASES[name]), re.IGNORECASE)


def _has(text: str, *names: str) -> bool:
    """Return whether a text contains any of some phrases."""
    return any(_pattern(name).search(text) for name in names)


def pieces_of(text: str) -> list[str]:
    """Return the sentences of a line, also split at colons, dashes and before labels of alternatives.

    >>> pieces_of("Wait, that is wrong. Better: wash cup - now!")
    ['Wait, that is wrong.', 'Better:', 'wash cup', 'now!']
    >>> pieces_of("Plan A: wash cup Plan B: wait")
    ['Plan A:', 'wash cup', 'Plan B:', 'wait']
    """
    return [piece for piece in _PIECES.split(text) if piece and not piece.isspace()]


def cues_of(text: str) -> Cue:
    """Return the cues of a sentence.

    >>> cues_of("Scratch that!"), cues_of("Nothing is wrong with that."), cues_of("For example:")
    (<Cue.RETRACTED: 1>, <Cue: 0>, <Cue.NO_PLAN: 4>)
    """
    return _cues_of(text[:_LONGEST])


@lru_cache(maxsize=4096)  # lines of plans are repeated
def _cues_of(text: str) -> Cue:
    text = _plain(text)
    cues = Cue.RETRACTED if _retracts(text) else Cue(0)
    if _denies_plan(text):
        cues |= Cue.NO_PLAN
    elif _has(text, "finals"):
        cues |= Cue.FINAL
    for name, cue in _INTRODUCTIONS:
        if _has(text, name):
            cues |= cue
    return cues


def _denies_plan(text: str) -> bool:
    """Return whether a sentence introduces an example, a draft or an invalid plan."""
    if _has(text, "reported_example"):
        return True
    no_plan = _pattern("no_plans").search(text)
    if no_plan is None or _has(text, "no_example"):
        return False
    return not _has(text[: no_plan.start()], "unlike")


def begins_with_cue(text: str) -> bool:
    """Return whether a sentence begins with a cue of retraction, of an example or of an alternative.

    >>> begins_with_cue("Wait, that is wrong"), begins_with_cue("or wash cup"), begins_with_cue("wash cup instead")
    (True, True, False)
    """
    statement = _without_opener(_plain(text[:_LONGEST]))
    return any(_pattern(name).match(statement) for name in _AT_START)


def introduces(text: str) -> bool:
    """Return whether a sentence refers to the text after it: a heading, a colon at its end, or a word.

    >>> introduces("Example:"), introduces("The following is no plan."), introduces("Examples helped me a lot.")
    (True, True, False)
    """
    text = text.rstrip("*_ ")
    return text[-1:] not in ".!?" or len(text.split()) < 4 or _has(text, "ahead")


def names_a_plan(text: str) -> bool:
    """Return whether a sentence mentions a plan.

    >>> names_a_plan("Now the schedule:"), names_a_plan("Next:")
    (True, False)
    """
    return _has(text, "noun")


def split_label(piece: str) -> tuple[str, str]:
    """Return the label of an alternative that begins a sentence (or an empty text), and its other words.

    >>> split_label("Plan B is wash cup, wait"), split_label("wash cup")
    (('Plan B is', 'wash cup, wait'), ('', 'wash cup'))
    """
    match = _NAMED_PLAN.match(piece)
    if match is None:
        return "", piece
    return match[0].strip(), piece[match.end() :]


def is_label(piece: str) -> bool:
    """Return whether a piece of a line is the label of an alternative.

    >>> is_label("Plan B:"), is_label("Plan B waits.")
    (True, False)
    """
    return _LABELLED.fullmatch(piece) is not None


def announces_several(text: str) -> bool:
    """Return whether a sentence announces several plans.

    >>> announces_several("There are two ways."), announces_several("There are several ways to do this.")
    (True, False)
    """
    return _has(text, "several")


def is_nothing(text: str) -> bool:
    """Return whether an announced answer is empty.

    >>> is_nothing("None."), is_nothing("no valid plan"), is_nothing("no. 1: wash cup")
    (True, True, False)
    """
    return _pattern("no_answer").fullmatch(text) is not None


def is_interjection(text: str) -> bool:
    """Return whether a sentence begins with ``wait`` as an interjection.

    >>> is_interjection("Wait, let me think."), is_interjection("Wait, then wash cup")
    (True, False)
    """
    return _pattern("interjection").match(text) is not None


def final_level(text: str) -> int:
    """Return the level of an announcement: 2 for a final answer, 1 for a plan, 0 for none.

    >>> final_level("Final answer"), final_level("Plan"), final_level("")
    (2, 1, 0)
    """
    return 2 if _has(text, "strong") else int(text != "")


def label_of(text: str) -> str:
    """Return the number of the alternative in a sentence, empty without one.

    >>> label_of("Plan B is shorter."), label_of("I take the first one"), label_of("Plan:")
    ('2', '1', '')
    """
    match = _pattern("label").search(text) or _pattern("ordinal").search(text)
    if match is None or match.lastindex is None:
        return ""
    name = match[match.lastindex].lower()
    return _RANKS.get(name, name)


def _plain(text: str) -> str:
    """Return a text without markup and repeated blanks."""
    return " ".join(_MARKUP.sub(" ", text).split())


def _without_opener(text: str) -> str:
    """Return a sentence without interjections at its beginning."""
    opener = _pattern("openers").match(text)
    return text[opener.end() :] if opener else text


def _retracts(text: str) -> bool:
    """Return whether a sentence retracts the plan before it, or denies that there is one."""
    if text.endswith("?"):
        return False
    statement = _without_opener(text)
    if _pattern("alone").fullmatch(statement):
        return not statement.endswith(":") or statement.lower().startswith("correction")
    claim = _pattern("claim").search(statement)
    back = _pattern("back").search(text)
    if claim and _applies(statement, claim, statement != text):
        return True
    if back and not _denied(text, back.start()) and not _has(text, "mended"):
        return True
    return _has(text, "gives_up") and not _has(text, "compares")


def _applies(text: str, claim: re.Match[str], has_opener: bool) -> bool:
    """Return whether a claim that a plan is wrong refers to the plan before it."""
    start, words = claim.start(), claim[0]
    if "possible" in words and _has(text, "compares"):
        return False
    if start == 0:
        return has_opener or _has(text, "choices", "others") or not _pattern("introduces").match(text)
    if text.endswith(":") or text[start - 1].isalnum() or _has(words, "would"):
        return False
    if _denied(text, start):
        return False
    return not (_has(words, "past") and _has(text[:start], "before"))


def _denied(text: str, end: int) -> bool:
    """Return whether words before a place negate it, in its clause or as a condition of its sentence."""
    before = text[:end]
    if _has(before, "condition"):
        return True
    clause = re.split(r"[,;:]", before)[-1]
    return _has(clause, "denial")
