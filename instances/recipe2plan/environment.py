"""Live runs of Recipe2Plan: one step a turn, as in the paper's closed loop, or the whole plan at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from planoracle.instances.brief import brief
from planoracle.instances.environment import Command, Outcome, Reward
from planoracle.instances.errors import PlanError
from planoracle.instances.feedback import sentence
from planoracle.instances.live import ScheduleEnvironment, text_of
from planoracle.instances.manner import Manner
from planoracle.instances.model import Instance
from planoracle.instances.recipe2plan.faults import Fault
from planoracle.instances.recipe2plan.language import Command as Step
from planoracle.instances.recipe2plan.language import first_command
from planoracle.instances.recipe2plan.phrases import told
from planoracle.instances.recipe2plan.profile import Profile
from planoracle.instances.recipe2plan.rules import Log
from planoracle.instances.recipe2plan.state import State
from planoracle.instances.replay import Replay
from planoracle.instances.schedule import Piece
from planoracle.instances.trajectory import wait_words

__all__ = ["Recipe2PlanEnvironment", "World", "live", "moments"]

_TASK = """You are one cook and prepare all recipes, as fast as possible. A step by hand keeps you busy from its start
to its end; a step by itself only has to be started, which you cannot do in the middle of a step by hand. What may be
paused may be done in several parts. An object serves one step at a time. Times are HH:MM:SS and begin at 00:00:00."""
_CLOSED = f"""{_TASK}
Answer with one step at a time, in the order of their starts:
Action: Step(number, recipe, duration, start)
You are told whether it is carried out; a step that is refused changes nothing, but time may have passed. When
everything is prepared, answer:
Action: Finish"""
_OPEN = f"""{_TASK}
Answer with the whole plan, a line for each step in the order of their starts:
Step(number, recipe, duration, start)"""

_FINISH = re.compile(r"^\W{0,9}(?:action\W{1,9})?finish(?:ed)?\W{0,9}$", re.IGNORECASE | re.MULTILINE)


class World(NamedTuple):
    """Where a run stands.

    Attributes
    ----------
    log
        What the rules have seen; never changed in place.
    answers
        The responses of the interactive log that is handed in.
    finished
        Whether the agent has said so.
    """

    log: Log
    answers: tuple[str, ...] = ()
    finished: bool = False


class Recipe2PlanEnvironment(ScheduleEnvironment[Profile, World]):
    """A kitchen with one cook.

    Of a message the first step counts. A refused one ends nothing, but the eleventh does, and so does one that comes
    too late for its time constraint, unless the rules say otherwise.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> print(run.step("Action: Step(0, Cobbler, 00:10:00, 00:00:00)").observation.text)
    Step 0 of Cobbler has begun. It is 00:00:00. Under way: step 0 of Cobbler (until 00:10:00).
    >>> print(run.step("Action: Step(1, Cobbler, 2 min, 00:11:00)").observation.text)
    Step 1 of Cobbler is done. It is 00:13:00.
    >>> print(run.step("Action: Step(3, Cobbler, 1 min, 00:20:00)").observation.text)  # doctest: +NORMALIZE_WHITESPACE
    Refused: Step 3 of Cobbler starts at 00:20:00, but step 2 of Cobbler comes first and has not been done.
    It is 00:20:00.
    >>> [one["response"] for one in run.submission()["plan"]][1:]
    ['Step(1, Cobbler, 00:02:00, 00:11:00)', 'Step(3, Cobbler, 00:01:00, 00:20:00)']
    """

    @property
    def verdict(self) -> Replay:
        """What the rules say of the run so far, of a closed loop; the same as that of `run`."""
        return self.state.world.log.verdict()

    def instructions(self) -> str:
        """Return how steps are written."""
        return _OPEN if self.manner.loop == "open" else _CLOSED

    def introduction(self) -> str:
        """Return the recipes."""
        return brief(self.problem, lambda name: f"Step {name.rpartition('/')[2]}")

    def _begin(self) -> World:
        return World(Log(self.problem, self.rules))

    def _take(self, world: World, said: object) -> tuple[World, tuple[Outcome, ...]]:
        text = text_of(said)
        clock = world.log.state.clock
        try:
            command = first_command(self.problem, text, self.rules)
        except PlanError:
            command = None
        if command is None and _FINISH.search(text):
            return world._replace(finished=True), (Outcome("Finish", "close", clock, clock),)
        log = world.log.copy()
        faults = log.take(() if command is None else (command,))
        after = World(log, (*world.answers, "" if command is None else command.text))
        if command is None:
            words = self._told(faults[0])
            return after, (Outcome(text[:200], "lost", clock, clock, faults[0].kind, words),)
        now = log.state.clock
        outcomes = []
        waited = now if faults else max(clock, command.start)
        if waited > clock:
            outcomes.append(Outcome(wait_words(self.problem, waited - clock), "wait", clock, waited))
        if faults:
            outcomes.append(Outcome(command.text, "lost", now, now, faults[0].kind, self._refused(log, faults[0])))
        else:
            outcomes.append(Outcome(command.text, "act", command.start, now, None, self._done(log, command)))
        return after, tuple(outcomes)

    def _over(self, world: World) -> str | None:
        if world.finished:
            return "finished"
        fatal = world.log.fatal
        if fatal is None:
            return None
        return fatal.kind if world.log.refused <= self.rules.max_failures else "too_many_refusals"

    def _clock(self, world: World) -> int:
        return world.log.state.clock

    def _handed_in(self) -> dict[str, object]:
        return {"plan": [{"response": text} for text in self.state.world.answers]}

    def _legal(self, world: World) -> list[Command]:
        """Return every step in every length, at the clock and wherever something changes, see `moments`.

        Nothing but the start says that the cook waits. Any other start may be said as well. ``Finish`` is offered when
        everything is done, or nothing else is left.
        """
        state = world.log.state
        found = [Command(step.text, "act") for step in _steps(state)]
        return [*found, Command("Finish", "close")] if state.goal_ratio == 1 or not found else found

    def _done(self, log: Log, command: Step) -> str:
        """Say that a step is carried out, what time it is, and what goes on."""
        step = log.state.kitchen.steps[self.problem.index[f"{command.recipe}/{command.step}"]]
        name = self.words.name(step.id)
        if step.autonomous:
            done = f"{name} has begun"
        elif log.state.left[self.problem.index[step.id]]:
            done = f"{name} is done in part, {self.words.span(log.state.left[self.problem.index[step.id]])} are left"
        else:
            done = f"{name} is done"
        return f"{sentence(done)} {self._stands(log)}"

    def _refused(self, log: Log, fault: Fault) -> str:
        return f"Refused: {self._told(fault)} {self._stands(log)}"

    def _told(self, fault: Fault) -> str:
        return sentence(told(self.words, fault))

    def _situation(self, world: World) -> str:
        return self._stands(world.log)

    def _stands(self, log: Log) -> str:
        state, agent = log.state, self.problem.agents[0]
        running = [
            Piece(step.id, begun, finish - begun, agent)
            for step, begun, finish in zip(state.kitchen.steps, state.begun, state.finish, strict=True)
            if begun is not None and finish is not None and finish > state.clock
        ]
        return self._now(state.clock, running)


def moments(state: State) -> list[int]:
    """Return the clock, and when later something changes or a time constraint may want a step to start.

    A step that another must follow closely may have to wait, so that the other can start when what is under way is
    over, and perhaps other prerequisites of it are carried out.
    """
    left = state.left
    over = {finish for finish in state.finish if finish is not None and finish > state.clock}
    found = set(over)
    for step in state.kitchen.steps:
        for before, limit in step.windows:
            if left[before]:
                lead = limit + left[before]
                rest = sum(left[one] for one in step.prerequisites if one != before)
                found.update(end + more - lead for end in over for more in (0, rest))
    return [state.clock, *sorted(one for one in found if one > state.clock)]


def _steps(state: State) -> Iterator[Step]:
    """Yield the steps that the rules allow, by start, step, and length, the longest first."""
    starts, grid = moments(state), state.kitchen.grid
    open_steps = [
        (position, step, step.id.rpartition("/"))
        for position, step in enumerate(state.kitchen.steps)
        if (state.left[position] or state.finish[position] is None)
        and not any(state.left[one] or state.finish[one] is None for one in step.prerequisites)
    ]
    for start in starts:
        for position, step, (recipe, _, number) in open_steps:
            left = state.left[position]
            cuts = range(grid, left, grid) if step.interruptible else ()
            for length in (left, *reversed(cuts)):
                command = Step(int(number), recipe, length, start)
                if not state.check(0, command, position):
                    yield command


def live(problem: Instance, rules: Profile, manner: Manner, reward: Reward | None) -> Recipe2PlanEnvironment:
    """Return a live run."""
    return Recipe2PlanEnvironment(problem, rules, manner, reward)
