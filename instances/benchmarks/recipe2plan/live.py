"""Live runs of Recipe2Plan: one step a turn, as in the paper's closed loop, or the whole plan at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import NamedTuple

from planoracle.instances.benchmarks.recipe2plan import implicit_knowledge
from planoracle.instances.benchmarks.recipe2plan.feedback import describe
from planoracle.instances.benchmarks.recipe2plan.language import check_reading, first_command
from planoracle.instances.benchmarks.recipe2plan.replay import Log
from planoracle.instances.benchmarks.recipe2plan.rules import CookingState, Profile
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand as Step
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.schedule import Piece
from planoracle.instances.model.violations import Replay
from planoracle.instances.model_output.messages import gives_up
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.describe import brief
from planoracle.instances.protocol.environment import AnyEnvironment, CommandOutcome, Reward, RunConfig
from planoracle.instances.protocol.feedback import sentence
from planoracle.instances.protocol.live import text_of
from planoracle.instances.protocol.old_environment import ScheduleEnvironment
from planoracle.instances.protocol.settings import Ask, Sampling, Setting, by_name, distinct
from planoracle.instances.protocol.simulator import LegalCommand
from planoracle.instances.protocol.start_times import lengths, moments
from planoracle.instances.protocol.trajectory import wait_words

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


class LiveState(NamedTuple):
    """State of a live run.

    Attributes
    ----------
    log
        What the rules have seen; never changed in place.
    answers
        The responses of the interactive log that is handed in.
    finished
        True once the agent has ended the run.
    """

    log: Log
    answers: tuple[str, ...] = ()
    finished: bool = False


class Recipe2PlanEnvironment(ScheduleEnvironment[Profile, LiveState]):
    """A kitchen with one cook.

    Of a message the first step counts. A refused one ends nothing, but the eleventh does, and so does one that comes
    too late for its time constraint, unless the rules say otherwise.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> print(run.step("Action: Step(0, Cobbler, 00:10:00, 00:00:00)").observation.text)
    Step 0 of Cobbler has begun.
    It is 00:00:00. Under way: step 0 of Cobbler (until 00:10:00).
    >>> print(run.step("Action: Step(1, Cobbler, 2 min, 00:11:00)").observation.text)
    Step 1 of Cobbler is done.
    It is 00:13:00.
    >>> print(run.step("Action: Step(3, Cobbler, 1 min, 00:20:00)").observation.text)
    Refused: Step 3 of Cobbler starts at 00:20:00, but step 2 of Cobbler comes first and has not been done.
    It is 00:20:00.
    >>> [one["response"] for one in run.submission()["plan"]][1:]
    ['Step(1, Cobbler, 00:02:00, 00:11:00)', 'Step(3, Cobbler, 00:01:00, 00:20:00)']
    """

    @property
    def verdict(self) -> Replay:
        """Verdict on a closed-loop run so far; the same as that of `run`."""
        return self.state.world.log.verdict()

    def instructions(self) -> str:
        """Return how steps are written."""
        return _OPEN if self.config.loop == "open" else _CLOSED

    def introduction(self) -> str:
        """Return the recipes."""
        return brief(self.problem, lambda name: f"Step {name.rpartition('/')[2]}")

    def _begin(self) -> LiveState:
        return LiveState(Log(self.problem, self.rules))

    def _take(self, world: LiveState, message: object) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        text = text_of(message)
        clock = world.log.state.clock
        try:
            command = first_command(self.problem, text, self.rules)
        except PlanError:
            command = None
        if command is None and gives_up(text):
            return world._replace(finished=True), (CommandOutcome("Finish", "close", clock, clock),)
        log = world.log.copy()
        faults = log.take(() if command is None else (command,))
        after = LiveState(log, (*world.answers, "" if command is None else command.text))
        if command is None:
            words = sentence(describe(self.words, faults[0]))
            return after, (CommandOutcome(text[:200], "lost", clock, clock, faults[0].kind, words),)
        now = log.state.clock
        outcomes = []
        waited = now if faults else max(clock, command.start)
        if waited > clock:
            outcomes.append(CommandOutcome(wait_words(self.problem, waited - clock), "wait", clock, waited))
        if faults:
            text = f"Refused: {sentence(describe(self.words, faults[0]))}"
            outcomes.append(CommandOutcome(command.text, "lost", now, now, faults[0].kind, text))
        else:
            outcomes.append(CommandOutcome(command.text, "act", command.start, now, None, self._done(log, command)))
        return after, tuple(outcomes)

    def _over(self, world: LiveState) -> str | None:
        if world.finished:
            return "finished"
        fatal = world.log.fatal
        if fatal is None:
            return None
        return fatal.kind if world.log.refused <= self.rules.max_failures else "too_many_refusals"

    def _clock(self, world: LiveState) -> int:
        return world.log.state.clock

    def _handed_in(self) -> dict[str, object]:
        return {"plan": [{"response": text} for text in self.state.world.answers]}

    def _legal(self, world: LiveState) -> list[LegalCommand]:
        """Return every step in every length, at the clock and at later `moments`.

        A later start is the only wait. Other starts are accepted as well. ``Finish`` is offered when
        everything is done, or nothing else is left.
        """
        state = world.log.state
        over = [finish for finish in state.finish if finish is not None]
        starts = moments(self.problem, state.clock, over, state.remaining)
        commands = [LegalCommand(step.text, "act") for step in _steps(state, starts)]
        return [*commands, LegalCommand("Finish", "close")] if state.goal_ratio == 1 or not commands else commands

    def _done(self, log: Log, command: Step) -> str:
        """Say what became of a step that is carried out."""
        position = self.problem.index[f"{command.recipe}/{command.step}"]
        step, remaining = log.state.kitchen.steps[position], log.state.remaining[position]
        if step.autonomous:
            done = "has begun"
        else:
            done = f"is done in part, {self.words.span(remaining)} are left" if remaining else "is done"
        return sentence(f"{self.words.name(step.id)} {done}")

    def _running(self, world: LiveState) -> Iterator[Piece]:
        state, agent = world.log.state, self.problem.agents[0]
        for step, begin, finish in zip(state.kitchen.steps, state.begins, state.finish, strict=True):
            if begin is not None and finish is not None and finish > state.clock:
                yield Piece(step.id, begin, finish - begin, agent)


def _steps(state: CookingState, starts: Iterable[tuple[int, Container[int] | None]]) -> Iterator[Step]:
    """Yield the steps that the rules allow, by start, step, and length, the longest first."""
    grid = state.kitchen.grid
    open_steps = [
        (position, step, step.id.rpartition("/"))
        for position, step in enumerate(state.kitchen.steps)
        if (state.remaining[position] or state.finish[position] is None)
        and not any(state.remaining[one] or state.finish[one] is None for one in step.prerequisites)
    ]
    for start, concerned in starts:
        for position, step, (recipe, _, number) in open_steps:
            if concerned is not None and position not in concerned:
                continue
            remaining = state.remaining[position]
            for length in lengths(remaining, grid) if step.interruptible else (remaining,):
                command = Step(int(number), recipe, length, start)
                if not state.check(0, command, position):
                    yield command


def live(problem: Instance, rules: Profile, config: RunConfig, reward: Reward | None) -> Recipe2PlanEnvironment:
    """Return a live run; raises `InputError` if the rules contradict each other."""
    check_reading(rules)
    return Recipe2PlanEnvironment(problem, rules, config, reward)


_STEP = re.compile(r"Step\((\d+), ([^,]+), ")


def action_space(problem: Instance) -> ActionSpace:
    """Return the steps, and ``Finish``."""
    return ActionSpace((*problem.index, "Finish"), _name_of, timed=True)


def _name_of(command: str) -> str:
    match = _STEP.match(command)
    return command if match is None else f"{match[2]}/{match[1]}"


# The paper asks for each recipe with 128 tokens, we ask for both.
_BELIEFS = tuple(
    Ask(name, name, Sampling(0, 256), f"{name}-example") for name in ("concurrency", "dependency", "resources")
)
_WORDS: Mapping[str, Callable[[AnyEnvironment], str]] = {
    "recipes": lambda environment: implicit_knowledge.recipes(environment.problem),
    "autonomous": lambda environment: implicit_knowledge.concurrency(environment.problem),
    "order": lambda environment: implicit_knowledge.dependency(environment.problem),
    "objects": lambda environment: implicit_knowledge.resources(environment.problem),
}


def _is_other_example(example: Problem, problem: Problem) -> bool:
    """Return true if an example is another problem, with time constraints if the problem has any."""
    return distinct(example, problem) and implicit_knowledge.has_time_constraints(
        example
    ) == implicit_knowledge.has_time_constraints(problem)


SETTINGS = by_name(
    [
        Setting(
            "react",
            "beliefs, then ReAct: a thought and a step",
            __package__,
            "believed",
            "react",
            form="react-form",
            sampling=Sampling(0, 512),
            asks=_BELIEFS,
            examples=("timed.json", "untimed.json"),
            shows="dialogue",
            is_unrelated=_is_other_example,
            words=_WORDS,
        )
    ]
)
