"""Action numbers and observations of Gymnasium environments."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any
from zlib import crc32

import numpy as np
from gymnasium import spaces

from planoracle.instances.errors import InputError
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.environment import AnyEnvironment, Turn
from planoracle.instances.protocol.simulator import LegalCommand, Step
from planoracle.instances.text import visible


class Actions:
    """Numbering of the commands of a problem.

    Parameters
    ----------
    ways
        Numbers per command name where commands have a start or duration; of more variants an even selection is taken.
    places
        Size of the action space where the commands are not known beforehand; further legal commands are left out.

    Attributes
    ----------
    count
        Size of the action space.
    names, name_of
        See `planoracle.instances.protocol.capabilities.ActionSpace`; ``names`` is empty where they are not known.
    ways
        Numbers per name.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("timearena/household1"))
    >>> actions = Actions(run.problem)
    >>> actions.count, {number: command.text for number, command in actions.legal(run).items()}
    (9, {1: 'activate kettle', 4: 'wash teapot', 7: 'wash cup', 8: 'wait'})
    """

    def __init__(self, problem: Problem, ways: int = 8, places: int = 128) -> None:
        for field, value in (("ways", ways), ("places", places)):
            if not isinstance(value, int) or not 1 <= value <= 10_000:
                raise InputError("must be a whole number from 1 to 10000", field=field, value=value)
        space = registry.of(problem).action_space(problem) or ActionSpace(())
        self.names, self.name_of = space.names, space.name_of
        self.ways = ways if space.timed else 1
        self.count = len(self.names) * self.ways if self.names else places
        self._first = {name: number * self.ways for number, name in enumerate(self.names)}

    def legal(self, environment: AnyEnvironment) -> Mapping[int, LegalCommand]:
        """Return the legal commands by number, in ascending order."""
        commands = environment.legal()
        if not self.names:
            return dict(zip(range(self.count), commands, strict=False))
        same: dict[str, list[LegalCommand]] = {}
        for command in commands:
            same.setdefault(self.name_of(command.text), []).append(command)
        legal: dict[int, LegalCommand] = {}
        for name, ways in same.items():
            count = min(len(ways), self.ways)
            first = self._first[name]
            for way in range(count):
                legal[first + way] = ways[way * len(ways) // count]
        return dict(sorted(legal.items()))

    def place(self, command: str) -> int | None:
        """Return the index in `names` of the name of a command, ``None`` if it has none of these."""
        first = self._first.get(self.name_of(command))
        return None if first is None else first // self.ways


#: Forms of observations.
FORMS = ("text", "structured")
#: Longest text of an observation, in characters.
LONGEST = 50_000
_MOST_TICKS = np.iinfo(np.int64).max
_LETTERS = "".join(sorted(string.printable.strip() + " \n"))


def plain(text: str) -> str:
    r"""Return a text in ASCII with other characters escaped, cut to `LONGEST` characters.

    >>> plain("crème\x1b")
    'cr\\xe8me\\x1b'
    """
    return visible(text, keep="\n").encode("ascii", "backslashreplace").decode()[:LONGEST]


class _Tally:
    """Executions of commands up to a turn, by name; the next turns are added to it.

    Attributes
    ----------
    turn
        Last turn that has been counted.
    count, spent, start
        Number of executions, their ticks, and the last start.
    """

    def __init__(self, names: int) -> None:
        self.turn: Turn | None = None
        self.count = np.zeros(names, np.int64)
        self.spent = np.zeros(names, np.int64)
        self.start = np.zeros(names, np.int64)

    def add(self, place: int | None, outcome: Step) -> None:
        """Count the execution of the command at a place; a command without a place does not count."""
        if place is not None:
            self.count[place] += 1
            self.spent[place] += outcome.end - outcome.start
            self.start[place] = outcome.start

    def at(self, clock: int) -> dict[str, Any]:
        """Return the parts of the observation at a time."""
        elapsed = np.maximum(0, clock - self.start)
        since = np.where(self.count > 0, elapsed, -1)
        return {"count": self.count.copy(), "spent": self.spent.copy(), "since": since}


class ObservationForm:
    """Observations of one form, for problems of one benchmark.

    Parameters
    ----------
    form
        ``text``: the observation of the agent. ``structured``: the ``clock`` in ticks and, per name of a command, the
        number of executions (``count``), their ticks (``spent``), and the ticks since the last start (``since``, -1:
        never); where the names are not known beforehand, the CRC-32 of the texts of the legal commands (``command``,
        0: none). Both have the ``action_mask``, 1 for legal actions.
    actions
        Actions of all problems; the largest number of actions and of names is the size of all observations.

    Attributes
    ----------
    count
        Size of the action space.
    """

    def __init__(self, form: str, actions: Sequence[Actions]) -> None:
        if form not in FORMS:
            raise InputError(f"must be one of {', '.join(FORMS)}", field="observation", value=form)
        self.form = form
        self.count = max(actions_of_problem.count for actions_of_problem in actions)
        self._names = max(len(actions_of_problem.names) for actions_of_problem in actions)
        self._tally = _Tally(self._names)
        parts: dict[str, spaces.Space[Any]]
        if form == "text":
            parts = {"text": spaces.Text(LONGEST, min_length=0, charset=_LETTERS)}
        elif self._names:
            ticks = spaces.Box(0, _MOST_TICKS, (self._names,), np.int64)
            since = spaces.Box(-1, _MOST_TICKS, (self._names,), np.int64)
            parts = {"count": ticks, "spent": ticks, "since": since}
        else:
            parts = {"command": spaces.Box(0, 2**32 - 1, (self.count,), np.int64)}
        if form == "structured":
            parts["clock"] = spaces.Box(0, _MOST_TICKS, (1,), np.int64)
        parts["action_mask"] = spaces.Box(0, 1, (self.count,), np.int8)
        self.space = spaces.Dict(parts)

    def mask(self, legal: Iterable[int]) -> Any:
        """Return the action mask of the legal numbers."""
        mask = np.zeros(self.count, np.int8)
        mask[list(legal)] = 1
        return mask

    def of(self, environment: AnyEnvironment, actions: Actions, legal: Mapping[int, LegalCommand]) -> dict[str, Any]:
        """Return the observation of a run with its actions and the legal ones among them."""
        observation = environment.observation
        if self.form == "text":
            return {"text": plain(observation.text), "action_mask": self.mask(legal)}
        values = {"clock": np.array([observation.clock], np.int64), "action_mask": self.mask(legal)}
        if self._names:
            return values | self._counts(environment, actions, observation.clock)
        codes = np.zeros(self.count, np.int64)
        for number, command in legal.items():
            codes[number] = crc32(command.text.encode())
        return values | {"command": codes}

    def _counts(self, environment: AnyEnvironment, actions: Actions, clock: int) -> dict[str, Any]:
        last = turn = environment.state.turn
        later_turns: list[Turn] = []
        while turn is not None and turn is not self._tally.turn:
            later_turns.append(turn)
            turn = turn.before
        if turn is None:  # another run, or an earlier state
            self._tally = _Tally(self._names)
        self._tally.turn = last
        for outcome in chain.from_iterable(later.outcomes for later in reversed(later_turns)):
            if outcome.kind != "lost":
                self._tally.add(actions.place(outcome.command), outcome)
        return self._tally.at(clock)
