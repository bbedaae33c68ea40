"""Normalisation of model output: typographic characters, list marks, and thinking tags."""

from __future__ import annotations

import re

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_SIMILAR = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u02bc",
    '"': "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f",
    " ": "\u00a0\u2002\u2003\u2007\u2009\u200a\u202f\u3000",
    "-": "\u2010\u2011\u2012\u2212",
    ",": "\u3001",
    ".": "\u3002",
    "[": "\u3010",
    "]": "\u3011",
}
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"


def _translation_table() -> dict[int, int | str | None]:
    """Return the ASCII characters of wide and of similar characters, ``None`` for invisible ones."""
    table: dict[int, int | str | None] = dict(_WIDE)
    for ascii_letter, similar_letters in _SIMILAR.items():
        table.update(dict.fromkeys(map(ord, similar_letters), ascii_letter))
    table.update(dict.fromkeys(map(ord, _INVISIBLE), None))
    return table


_TABLE = _translation_table()
_ESCAPED = re.compile(r"\\([_*#`~|\[\](){}<>.!$%&-])")
_NUMBER = r"(?:(?:step|minute|min|turn|time|day|action|no|t)\.?[\s=#]{0,3})?\d{1,6}(?::\d{1,2}){0,2}"
_MARK = re.compile(
    rf"[\s*_#>`]{{0,12}}(?:[-*+>\u2022\u2023\u25e6\u25aa\u2013\u2014](?:\s{{1,9}}|(?=\*\*))|\[[ xX]?\]\s{{1,9}}"
    rf"|\[{_NUMBER}\]\s{{0,3}}[:.]?|\({_NUMBER}\)\s{{0,3}}[:.]?|{_NUMBER}\s{{0,3}}(?:[.)\]]|[:=\u2013\u2014-]>?(?!\d))[*_]{{0,3}}\s{{0,9}})",
    re.IGNORECASE,
)


def plain(line: str) -> str:
    r"""Return a line with ASCII quotes, spaces, digits and punctuation, without escapes of Markdown.

    >>> plain("\uff11\uff0e\u201cwash\u00a0cup\u201d \uff08acetic\\_acid\uff09")
    '1."wash cup" (acetic_acid)'
    """
    if not line.isascii():
        line = line.translate(_TABLE)
    return _ESCAPED.sub(r"\1", line) if "\\" in line else line


def unmarked(line: str) -> str | None:
    """Return a line without its bullet, number or time, ``None`` if it has none.

    >>> unmarked("- **2.** wash cup"), unmarked("[3] wait"), unmarked("Minute 4: wait"), unmarked("wait")
    ('wash cup', 'wait', 'wait', None)
    """
    text = line
    if line[:1].isalpha() and not any(map(str.isdigit, line[:24])):
        return None
    for _ in range(3):
        mark = _MARK.match(text)
        if mark is None:
            break
        text = text[mark.end() :]
    return None if text is line else text.strip()


def bare(text: str) -> str:
    """Return a text without surrounding punctuation and markup.

    >>> bare('**"ALL COMPLETED".**')
    'ALL COMPLETED'
    """
    return text.strip(" \t\r\n.,;:!\"'`*_()[]{}")


_TAG = re.compile(
    r"<(/?)(?:think|thinking|thought|thoughts|reasoning|scratchpad|reflection|analysis|seed:think)>"
    r"|[\[](/?)THINK[\]]|\u25c1(/?)think\u25b7",
    re.IGNORECASE,
)


def without_thinking(text: str) -> tuple[str, bool]:
    r"""Return a text without its thinking, lines in place, and whether a thought is unfinished.

    Text before a closing tag without an opening tag is thinking, too: prompts may open it.

    >>> without_thinking("<think>wash cup\nor not?</think>wait")
    ('\nwait', False)
    >>> without_thinking("wash cup</think>wait<think>and then")
    ('wait', True)
    """
    parts: list[str] = []
    start = depth = lines = dropped = 0
    for tag in _TAG.finditer(text):
        between = text[start : tag.start()]
        empty = "\n" * between.count("\n")
        closing = bool(tag[1] or tag[2] or tag[3])
        lines += len(empty)
        if depth:
            parts.append(empty)
            depth = 0 if closing else 1  # models do not nest tags; a missing end tag must not hide the answer
        elif closing:
            parts, dropped = [], lines
        else:
            parts.append(between)
            depth = 1
        start = tag.end()
    parts.insert(0, "\n" * dropped)
    if not depth:
        parts.append(text[start:])
    return "".join(parts), bool(depth)
