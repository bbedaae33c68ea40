"""What a model writes when it is asked for one command at a time: the command, perhaps behind a thought."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ACTION = re.compile(r"^[\s*_#>`-]{0,9}action[*_`]{0,3}\s{0,3}:", re.IGNORECASE | re.MULTILINE)
_INLINE = re.compile(r"(?<![\w\"'])action[*_`]{0,3}\s{0,3}:", re.IGNORECASE)
_FINISH = re.compile(r"^\W{0,9}(?:action\W{1,9})?finish(?:ed)?\W{0,9}$", re.IGNORECASE | re.MULTILINE)


def parts(text: str) -> Iterator[str]:
    r"""Yield the parts of a message in which to look for its command, one after the other.

    >>> list(parts("Thought: a or b?\nAction: a\nObservation: done\nAction: b"))[:2]
    ['a', 'a\nObservation: done\nAction: b']
    >>> next(parts("Thought: not a again. Action: b"))
    'b'
    >>> list(parts('{"action": "tea/boil"}'))
    ['{"action": "tea/boil"}']
    """
    marked = _ACTION.search(text) or _INLINE.search(text)
    if marked:
        behind = text[marked.end() :].strip()
        line = behind.partition("\n")[0]
        yield line
        if _FINISH.search(line):
            return
        yield behind
    yield text


def gives_up(text: str) -> bool:
    r"""Whether a message that holds no command says that nothing more will come.

    >>> gives_up("Thought: that was all.\n**Action:** Finish."), gives_up("I finish the soup now.")
    (True, False)
    """
    return any(map(_FINISH.search, parts(text)))
