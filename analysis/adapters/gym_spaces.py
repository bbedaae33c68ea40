"""What learners see of a live run: its text, or numbers; always of the same form for the same problem."""

from __future__ import annotations

import string
from typing import Any
from zlib import crc32

import numpy as np
from gymnasium import spaces

from planoracle.analysis.adapters.actions import Actions
from planoracle.instances.environment import AnyEnvironment
from planoracle.instances.errors import InputError
from planoracle.instances.visible import visible

#: Forms of observations.
FORMS = ("text", "structured")
#: Longest text of an observation, in characters.
LONGEST = 50_000
_LETTERS = "".join(sorted(string.printable.strip() + " \n"))


def plain(text: str) -> str:
    r"""Return a text in ASCII, what it cannot show escaped, cut where it is too long.

    >>> plain("crème\x1b")
    'cr\\xe8me\\x1b'
    """
    return visible(text, keep="\n").encode("ascii", "backslashreplace").decode()[:LONGEST]


class Seen:
    """Observations of one form.

    Parameters
    ----------
    form
        ``text``: what the agent is told. ``structured``: the ``clock`` in ticks and, of everything that there can be
        to do, how often it was done (``count``), how many ticks that took up (``spent``), and how many ticks ago it was
        begun last (``since``, -1: never); where that is not known beforehand, the legal commands as numbers
        (``command``, the CRC-32 of their texts, 0: none). Both have the ``action_mask``, 1 for legal actions.
    """

    def __init__(self, form: str, actions: Actions) -> None:
        if form not in FORMS:
            raise InputError(f"must be one of {', '.join(FORMS)}", field="observation", value=form)
        self.form = form
        self._actions = actions
        own: dict[str, spaces.Space[Any]]
        if form == "text":
            own = {"text": spaces.Text(LONGEST, min_length=0, charset=_LETTERS)}
        elif actions.names:
            shape = (len(actions.names),)
            ticks = spaces.Box(0, np.iinfo(np.int64).max, shape, np.int64)
            since = spaces.Box(-1, np.iinfo(np.int64).max, shape, np.int64)
            own = {"count": ticks, "spent": ticks, "since": since}
        else:
            own = {"command": spaces.Box(0, 2**32 - 1, (actions.count,), np.int64)}
        if form == "structured":
            own["clock"] = spaces.Box(0, np.iinfo(np.int64).max, (1,), np.int64)
        self.space = spaces.Dict({**own, "action_mask": spaces.Box(0, 1, (actions.count,), np.int8)})

    def of(self, environment: AnyEnvironment, legal: Any, text: str | None = None) -> dict[str, Any]:
        """Return what is seen of a run, given what is legal by number, and the text where it is not the run's own."""
        mask = np.zeros(self._actions.count, np.int8)
        mask[list(legal)] = 1
        seen = environment.observation
        if self.form == "text":
            return {"text": plain(seen.text if text is None else text), "action_mask": mask}
        found: dict[str, Any] = {"clock": np.array([seen.clock], np.int64), "action_mask": mask}
        if self._actions.names:
            return found | self._done(environment, seen.clock)
        codes = np.zeros(self._actions.count, np.int64)
        for number, command in legal.items():
            codes[number] = crc32(command.text.encode())
        return found | {"command": codes}

    def _done(self, environment: AnyEnvironment, clock: int) -> dict[str, Any]:
        count, spent = (np.zeros(len(self._actions.names), np.int64) for _ in range(2))
        since = np.full(len(self._actions.names), -1, np.int64)
        for turn in environment.turns:
            for one in turn.outcomes:
                at = self._actions.place(one.command) if one.kind != "lost" else None
                if at is not None:
                    count[at] += 1
                    spent[at] += one.end - one.start
                    since[at] = max(0, clock - one.start)
        return {"count": count, "spent": spent, "since": since}
