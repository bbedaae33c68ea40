"""The parts of a text in which a model thinks to itself."""

from __future__ import annotations

import re

_TAG = re.compile(
    r"<(/?)(?:think|thinking|thought|thoughts|reasoning|scratchpad|reflection|analysis|seed:think)>"
    r"|[\[](/?)THINK[\]]|\u25c1(/?)think\u25b7",
    re.IGNORECASE,
)


def spoken(text: str) -> tuple[str, bool]:
    r"""Return a text without its thinking, every line where it was; and whether there is thinking that does not end.

    What stands before a closing tag that was never opened is thinking, too: prompts may open it.

    >>> spoken("<think>wash cup\nor not?</think>wait")
    ('\nwait', False)
    >>> spoken("wash cup</think>wait<think>and then")
    ('wait', True)
    """
    said: list[str] = []
    start = depth = lines = dropped = 0
    for tag in _TAG.finditer(text):
        between = text[start : tag.start()]
        empty = "\n" * between.count("\n")
        closing = bool(tag[1] or tag[2] or tag[3])
        lines += len(empty)
        if depth:
            said.append(empty)
            depth = 0 if closing else 1  # models do not nest them; a forgotten end must not swallow the answer
        elif closing:
            said, dropped = [], lines
        else:
            said.append(between)
            depth = 1
        start = tag.end()
    rest = text[start:]
    said.insert(0, "\n" * dropped)
    return "".join(said if depth else [*said, rest]), bool(depth)
