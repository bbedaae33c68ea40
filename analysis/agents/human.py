"""The agent who sits before a terminal."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import Future
from threading import Thread
from typing import TYPE_CHECKING, TextIO

from planoracle.analysis.agents.agent import Said
from planoracle.analysis.agents.knowing import Knowing, Situation
from planoracle.analysis.optimum import WORK
from planoracle.instances.environment import AnyEnvironment, Command, Snapshot
from planoracle.instances.errors import PlanError
from planoracle.instances.feedback import clock_of
from planoracle.instances.visible import visible
from planoracle.solver.live import run_of

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Human"]

# So many commands are listed, and so many of them are priced; the rest is found by a part of its text.
_LISTED = 30

_HELP = "a number or a command · /text finds commands · h hints · u undo · q stop"
_WHOLE = "Write the whole plan, and an empty line at its end."


class Human:
    """Shows how things stand and what is legal, and passes on what is typed: the number of a command, or any text.

    ``h`` shows what every command costs, ``u`` takes the last one back (``u 3`` the last three), ``q`` or the end of
    the input stops.

    Parameters
    ----------
    source, console
        Where it reads, and what it writes to; by default the standard input, and the standard error.
    hints
        Show the costs without being asked.
    """

    name = "human"
    waits = True
    #: Only one run at a time can be played.
    alone = True

    def __init__(
        self, source: TextIO | None = None, console: Console | None = None, *, seed: int = 0, hints: bool = False
    ) -> None:
        self._source = source
        self._console = console
        self._hints = hints
        self._knowing = Knowing(WORK)
        self._states: list[Snapshot[object]] = []  # in which something was asked for, the last one last
        self._shown: Snapshot[object] | None = None
        self._instructed = False

    async def act(self, environment: AnyEnvironment) -> Said | None:
        """Ask until there is something to say; goes back in the run if that is asked for."""
        if environment.manner.loop == "open":
            return await self._plan(environment)
        here: Situation | None = None
        again, priced, part = True, self._hints, ""
        while True:
            if again:
                if not self._states or self._states[-1] is not environment.state:
                    self._states.append(environment.state)
                self._show(environment)
                here, again = None, False
            if priced and here is None:
                here = self._knowing.of(environment)
            self._legal(environment, part, here if priced else None)
            self._say(_HELP, "dim")
            line = await self._line()
            if line is None or line == "q":
                return None
            part = ""
            if line in ("?", "help"):
                continue
            if line in ("h", "hints"):
                priced = not priced
            elif line.startswith("/"):
                part = line[1:].strip()
            elif (back := _steps_back(line)) is not None:
                again = self._undo(environment, back)
                priced = self._hints
            elif line.isdecimal() and len(line) < 6:
                chosen = dict(enumerate(environment.legal(), 1)).get(int(line))
                if chosen is not None:
                    return Said(chosen.text)
                self._say(f"There is no command {line}.", "red")
            elif line:
                return Said(line)

    def over(self, environment: AnyEnvironment) -> None:
        """Show how the run ended."""
        if environment.state is not self._shown:
            self._show(environment)
        try:
            makespan = run_of(environment).makespan
        except PlanError:
            makespan = None
        span = clock_of(environment.problem).span
        ended = "No success." if environment.done else "Stopped before the end."
        self._say(ended if makespan is None else f"Done in {span(makespan)}.", "bold")

    # What is shown

    def _screen(self) -> Console:
        if self._console is None:
            from rich.console import Console

            self._console = Console(stderr=True, highlight=False)
        return self._console

    def _say(self, text: str, style: str = "") -> None:
        from rich.text import Text

        self._screen().print(Text(visible(text, keep="\n"), style))

    def _show(self, environment: AnyEnvironment) -> None:
        """Show what happened last, and how things stand."""
        seen = environment.observation
        self._shown = environment.state
        player = f" · {seen.player}" if seen.player else ""
        name = visible(environment.problem.name)
        self._screen().rule(f"{name}{player} · turn {environment.state.count + 1}", style="dim", characters="-")
        if not self._instructed:
            self._instructed = True
            self._say(environment.instructions() + "\n", "dim")
            self._say(environment.introduction())
        if environment.state.turn is not None:
            self._say(seen.text)

    def _legal(self, environment: AnyEnvironment, part: str, here: Situation | None) -> None:
        """List the legal commands that hold some text, with their costs if wanted."""
        from rich.table import Table
        from rich.text import Text

        legal = [(n, one) for n, one in enumerate(environment.legal(), 1) if part.casefold() in one.text.casefold()]
        if here is not None:
            self._say(self._best(environment, here), "cyan")
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(justify="right", style="bold", no_wrap=True)
        table.add_column(overflow="fold")
        table.add_column(style="cyan", no_wrap=True)
        for number, one in legal[:_LISTED]:
            cost = "" if here is None else self._cost(environment, one, here)
            table.add_row(str(number), Text(visible(one.text)), cost)
        self._screen().print(table)
        if len(legal) > _LISTED:
            self._say(f"... and {len(legal) - _LISTED} more", "dim")
        if not legal:
            self._say("There is no such command." if part else "Nothing is legal.", "dim")

    def _best(self, environment: AnyEnvironment, here: Situation) -> str:
        if here.lost:
            return f"Nothing leads to success any more: {here.lost.replace('_', ' ')}."
        if here.best is None:
            return "The best end within reach is not proved in time."
        return f"The best end within reach: {clock_of(environment.problem).span(here.best)} in all."

    def _cost(self, environment: AnyEnvironment, one: Command, here: Situation) -> str:
        if here.lost:
            return ""
        if self._knowing.keeps(environment, one, here):
            return "keeps it"
        after = self._knowing.after(environment, one, here)
        if after.lost:
            return "leads nowhere"
        if after.best is None or here.best is None:
            return "not proved"
        cost = after.best - here.best
        return f"+{clock_of(environment.problem).span(cost)}" if cost > 0 else "gains"

    # What is typed

    async def _line(self) -> str | None:
        """Read a line; ``None`` at the end of the input."""
        self._screen().print("> ", end="")
        source, typed = self._source or sys.stdin, Future[str]()

        def read() -> None:
            typed.set_running_or_notify_cancel()
            try:
                typed.set_result(source.readline())
            except Exception as error:
                typed.set_exception(error)

        Thread(target=read, daemon=True).start()  # Ctrl-C does not wait for the line to end, as it does for a pool
        try:
            line = await asyncio.wrap_future(typed)
        except asyncio.CancelledError:
            self._screen().print()
            raise
        return line.strip() if line else None

    async def _plan(self, environment: AnyEnvironment) -> Said | None:
        self._show(environment)
        self._say(_WHOLE, "dim")
        lines: list[str] = []
        while line := await self._line():
            lines.append(line)
        return Said("\n".join(lines)) if lines else None

    def _undo(self, environment: AnyEnvironment, back: int) -> bool:
        """Go back by so many turns that this agent played; return whether there was one."""
        back = min(back, len(self._states) - 1)
        if back <= 0:
            self._say("There is nothing to take back.", "red")
            return False
        del self._states[-back:]
        environment.restore(self._states[-1])
        self._say("Taken back.", "green")
        return True


def _steps_back(line: str) -> int | None:
    """Return how many turns are to be taken back, if that is asked for."""
    word, _, rest = line.partition(" ")
    if word not in ("u", "undo") or not (rest == "" or (rest.isdecimal() and len(rest) < 6)):
        return None
    return int(rest or 1)
