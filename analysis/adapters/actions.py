"""The commands of a live run as numbers from 0, as many as a problem has, for learners that want it so.

Where a benchmark knows beforehand what there can be to do (`Benchmark.repertoire`), a number means the same thing in
every state of the problem: one of these, and of several ways to do it (earlier or later, whole or in part) the first,
which is the earliest and longest, the second and so on, in the order of `Environment.legal`. Elsewhere it is a place in
the list of the legal commands.
"""

from __future__ import annotations

from collections.abc import Mapping

from planoracle.instances.environment import AnyEnvironment, Command
from planoracle.instances.errors import InputError
from planoracle.instances.repertoire import Repertoire


class Actions:
    """Numbers for the commands of a problem.

    Parameters
    ----------
    ways
        Numbers for each thing that can be done, where commands say when or how long; of more ways some are left out,
        evenly.
    places
        Numbers where it is not known beforehand what there can be to do; what is legal beyond is left out.

    Attributes
    ----------
    count
        How many numbers there are.
    names, name_of
        See `planoracle.instances.repertoire.Repertoire`; no names where they are not known.
    ways
        How many numbers each of these has.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("timearena/household1"))
    >>> actions = Actions(run)
    >>> actions.count, {number: command.text for number, command in actions.legal(run).items()}
    (9, {1: 'activate kettle', 4: 'wash teapot', 7: 'wash cup', 8: 'wait'})
    """

    def __init__(self, environment: AnyEnvironment, ways: int = 8, places: int = 128) -> None:
        for field, value in (("ways", ways), ("places", places)):
            if not isinstance(value, int) or not 1 <= value <= 10_000:
                raise InputError("must be a whole number from 1 to 10000", field=field, value=value)
        known = environment.benchmark.repertoire(environment.problem) or Repertoire(())
        self.names, self.name_of = known.names, known.name_of
        self.ways = ways if known.timed else 1
        self.count = len(self.names) * self.ways if self.names else places
        self._first = {name: number * self.ways for number, name in enumerate(self.names)}

    def legal(self, environment: AnyEnvironment) -> Mapping[int, Command]:
        """Return what is legal now, by number, in their order."""
        commands = environment.legal()
        if not self.names:
            return dict(zip(range(self.count), commands, strict=False))
        same: dict[str, list[Command]] = {}
        for command in commands:
            same.setdefault(self.name_of(command.text), []).append(command)
        found: dict[int, Command] = {}
        for name, ways in same.items():
            count = min(len(ways), self.ways)
            found.update((self._first[name] + way, ways[way * len(ways) // count]) for way in range(count))
        return dict(sorted(found.items()))

    def place(self, command: str) -> int | None:
        """Return which of the `names` a command has, ``None`` if it is none."""
        first = self._first.get(self.name_of(command))
        return None if first is None else first // self.ways
