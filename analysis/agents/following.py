"""Script of messages that is followed while the run goes as expected."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from planoracle.instances.environment import AnyEnvironment, Turn


class Script:
    """Messages for the turns to come, forgotten as soon as a turn is none of them, or was not carried out."""

    def __init__(self) -> None:
        self._left: deque[str] = deque()
        self._before: Turn | None = None  # the turn after which the last message was said
        self._said: str | None = None
        #: Whether the run has not gone as expected.
        self.broken = False

    def follow(self, messages: Iterable[str]) -> None:
        """Take messages for the turns to come, from now on."""
        self._left = deque(messages)
        self._said = None
        self.broken = False

    def next(self, environment: AnyEnvironment) -> str | None:
        """Say the next message; ``None`` if there is none, or the run has not gone as expected."""
        turn = environment.state.turn
        if self._said is not None and not self._agrees(turn):
            self._left.clear()
            self.broken = True
        if not self._left:
            return None
        self._before, self._said = turn, self._left.popleft()
        return self._said

    def _agrees(self, turn: Turn | None) -> bool:
        """Whether the last turn is what was said last, and went well."""
        if turn is None or turn.before is not self._before or turn.said != self._said:
            return False
        return not any(one.kind == "lost" or one.violation for one in turn.outcomes)
