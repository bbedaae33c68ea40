"""The closed loop: a kitchen is run piece by piece, and set up anew after an error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from planoracle.instances.floors.clock import Clock, Fault
from planoracle.instances.floors.floor import Floor, FloorRules

#: With so many errors in all a run has failed.
ERRORS: Final = 3


class Loop(NamedTuple):
    """A run between two submissions; `gone_on` makes the next one, and changes neither this nor its clock.

    Attributes
    ----------
    clock
        The kitchen, at a moment at which somebody needs a decision or at its end; with an error as that left it.
    errors
        How many there have been, in earlier kitchens too.
    """

    clock: Clock
    errors: int = 0

    @property
    def over(self) -> str:
        """How the run has ended: ``done``, ``all_finished``, ``error``; ``""`` if it goes on."""
        if self.clock.error is not None:
            return "error" if self.errors >= ERRORS else ""
        return self.clock.end

    @property
    def here(self) -> Clock:
        """The kitchen as the next submission finds it, a fresh one after an error; not to be changed."""
        return self.clock if self.clock.error is None or self.over else Clock(self.clock.ground, self.clock.keep)


def begun(floor: Floor, rules: FloorRules, keep: bool = True) -> Loop:
    """Return a run in which nothing has been said; ``keep`` is the clock's."""
    return Loop(Clock.of(floor, rules, keep))


def gone_on(loop: Loop, submission: object) -> Loop:
    """Let a run go on with a submission, actions of cooks by their names, up to the next decision.

    What is no such thing, or empty, is an error like any other. Nothing that it holds can make this raise.
    """
    return loop if loop.over else _gone_on(loop, loop.here.fork(), submission)


def _gone_on(loop: Loop, clock: Clock, submission: object) -> Loop:
    """Let a clock, which is the loop's or like it, go on with a submission."""
    if isinstance(submission, Mapping) and submission:
        clock.submit(submission)
        clock.until_decision()
    else:
        clock.error = Fault("empty" if isinstance(submission, Mapping) else "unreadable", None, None)
    return Loop(clock, loop.errors + (clock.error is not None))


def played(floor: Floor, rules: FloorRules, submissions: Iterable[object]) -> Loop:
    """Return a run after some submissions, see `gone_on`; a long one takes no longer than the sum of its parts."""
    loop = begun(floor, rules)
    for one in submissions:
        if loop.over:
            break
        loop = _gone_on(loop, loop.here, one)
    return loop


def last_of(floor: Floor, rules: FloorRules, submissions: Iterable[object]) -> list[Mapping[str, object]]:
    """Return the submissions that the last kitchen of a run has got, but for one that is none."""
    loop, last = begun(floor, rules, keep=False), list[Mapping[str, object]]()
    for one in submissions:
        if loop.over:
            break
        last = [] if loop.clock.error is not None else last
        loop = _gone_on(loop, loop.here, one)
        if isinstance(one, Mapping):
            last.append(one)
    return last
