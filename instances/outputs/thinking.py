"""The parts of a text in which a model thinks to itself."""

from __future__ import annotations

import re

__all__ = ["spoken"]

_TAG = re.compile(
    r"<(/?)(?:think|thinking|thought|thoughts|reasoning|scratchpad|reflection|analysis|seed:think)>"
    r"|[\[](/?)THINK[\]]|\u25c1(/?)think\u25b7",
    re.IGNORECASE,
)


def spoken(text: str) -> tuple[str, str]:
    r"""Return a text without its thinking, every line where it was; and thinking that does not end.

    What stands before a closing tag that was never opened is thinking, too: prompts may open it.

    >>> spoken("<think>wash cup\nor not?</think>wait")
    ('\nwait', '')
    >>> spoken("wash cup</think>wait<think>and then")
    ('wait', 'and then')
    """
    said: list[str] = []
    start, depth = 0, 0
    for tag in _TAG.finditer(text):
        between = text[start : tag.start()]
        closing = bool(tag[1] or tag[2] or tag[3])
        if depth:
            said.append("\n" * between.count("\n"))
            depth = 0 if closing else 1  # models do not nest them; a forgotten end must not swallow the answer
        elif closing:
            lines = "".join(said).count("\n") + between.count("\n") if said or between else 0
            said = ["\n" * lines]
        else:
            said.append(between)
            depth = 1
        start = tag.end()
    rest = text[start:]
    return ("".join(said), rest) if depth else ("".join([*said, rest]), "")
