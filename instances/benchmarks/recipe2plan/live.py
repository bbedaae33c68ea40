"""Texts of live runs of Recipe2Plan, and its prompt setting with beliefs on implicit knowledge."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from planoracle.instances.benchmarks.recipe2plan.beliefs import true_items, written
from planoracle.instances.benchmarks.recipe2plan.feedback import SENTENCES
from planoracle.instances.benchmarks.recipe2plan.language import first_command
from planoracle.instances.benchmarks.recipe2plan.rules import Profile
from planoracle.instances.benchmarks.recipe2plan.simulation import Answer, CookingState, Recipe2PlanSimulator
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.model.schedule import Piece
from planoracle.instances.model.violations import ReplayEvent
from planoracle.instances.model_output.messages import gives_up
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.describe import brief
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.feedback import clean, listed, sentence, span
from planoracle.instances.protocol.live import ScheduleText, text_of
from planoracle.instances.protocol.settings import distinct
from planoracle.instances.protocol.simulator import CLOSE, Step, Unreadable

_TASK = """You are one cook and prepare all recipes, as fast as possible. A step by hand keeps you busy from its start
to its end; a step by itself only has to be started, which you cannot do in the middle of a step by hand. What may be
paused may be done in several parts. An object serves one step at a time. Times are HH:MM:SS and begin at 00:00:00."""
_CLOSED = f"""{_TASK}
Answer with one step at a time, in the order of their starts:
Action: Step(number, recipe, duration, start)
You are told whether it is carried out; a step that is refused changes nothing{{clock}}. When everything is prepared,
answer:
Action: Finish"""
# Longest sentence of a step in the user's files, in characters.
_LONGEST = 300
#: Words on the clock after a refusal, by the rule ``reject_advances_clock``.
_CLOCK = {True: ", but time may have passed", False: ""}
_OPEN = f"""{_TASK}
Answer with the whole plan, a line for each step in the order of their starts:
Step(number, recipe, duration, start)"""


class Recipe2PlanText(ScheduleText[Profile, CookingState]):
    """Texts of a run in a kitchen with one cook.

    The first step of a message counts. By default the eleventh refusal ends the run, and so do three refusals of one
    command and a missed time constraint.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> print(run.step("Action: Step(0, Cobbler, 00:10:00, 00:00:00)").observation.text)
    Step 0 of Cobbler has begun.
    It is 00:00:00. Under way: step 0 of Cobbler (until 00:10:00). Oven in use, at 350; microwave free; stove free.
    >>> print(run.step("Action: Step(1, Cobbler, 2 min, 00:11:00)").observation.text)
    Step 1 of Cobbler is done.
    It is 00:13:00. Complete: 0 and 1 of Cobbler. Oven free, at 350; microwave free; stove free.
    >>> print(run.step("Action: Step(3, Cobbler, 1 min, 00:20:00)").observation.text)
    Refused: Step 3 of Cobbler starts at 00:20:00, but step 2 of Cobbler comes first and has not been done.
    It is 00:13:00. Complete: 0 and 1 of Cobbler. Oven free, at 350; microwave free; stove free.
    >>> [one["response"] for one in run.submission()["plan"]][1:]
    ['Step(1, Cobbler, 00:02:00, 00:11:00)', 'Step(3, Cobbler, 00:01:00, 00:20:00)']
    """

    simulator: Recipe2PlanSimulator

    def instructions(self) -> str:
        """Return the form of steps."""
        if self.config.loop == "open":
            return _OPEN
        return _CLOSED.format(clock=_CLOCK[self.rules.reject_advances_clock])

    def introduction(self) -> str:
        """Return the recipes; in the first wording with their implicit knowledge."""
        if self.config.wording > 1:
            return _recipes(self.problem)

        def name_of_step(action: str) -> str:
            number = action.rpartition("/")[2]
            return f"Step {number}"

        return brief(self.problem, name_of_step)

    def command(self, state: CookingState, message: object) -> Answer:
        """Return the first step of a message."""
        text = text_of(message)
        try:
            command = first_command(self.problem, text, self.rules)
        except PlanError:
            command = None
        if command is not None:
            return (command,)
        return CLOSE if gives_up(text) else Unreadable(text)

    def step_text(self, before: CookingState, after: CookingState, step: Step) -> str:
        """Return the result of a step."""
        if step.violation is not None:
            reason = sentence(SENTENCES.describe(self.words, step.violation))
            return reason if step.violation.kind == "no_action" else f"Refused: {reason}"
        if step.kind == "close" or after.history is None or after.history.event is None:
            return ""
        action = self.problem.by_id[after.history.event.subject]
        remaining = after.remaining[self.problem.index[action.id]]
        name = self.words.name(action.id)
        if not action.attended:
            return sentence(f"{name} has begun")
        if remaining:
            return sentence(f"{name} is done in part, {self.words.span(remaining)} are left")
        return sentence(f"{name} is done")

    def situation(self, state: CookingState) -> str:
        """Return the time, the running and the completed steps, and the state of the objects."""
        text = super().situation(state)
        if self.config.wording == 1:
            return text
        completed = list(self._completed(state))
        if completed:
            text += f" Complete: {'; '.join(completed)}."
        objects = [self._object_text(state, resource.name) for resource in self.problem.resources]
        return f"{text} {sentence('; '.join(objects))}" if objects else text

    def _completed(self, state: CookingState) -> Iterator[str]:
        """Yield the complete steps of each recipe."""
        for recipe in self.problem.tasks:
            steps = []
            for action, remaining, end in zip(self.problem.actions, state.remaining, state.finish, strict=True):
                if action.task == recipe and not remaining and end is not None and end <= state.clock:
                    steps.append(_number(action.id))
            if steps:
                yield f"{listed(steps)} of {clean(recipe)}"

    def _object_text(self, state: CookingState, name: str) -> str:
        """Return whether an object is in use, and its temperature or contents."""
        span_of_use = state.objects.get(name)
        is_used = span_of_use is not None and span_of_use.reach > state.clock
        parts = [f"{clean(name)} {'in use' if is_used else 'free'}"]
        if name in state.temperature:
            parts.append(f"at {clean(state.temperature[name][0])}")
        if name in state.volume:
            parts.append(f"contents {state.volume[name]}")
        return ", ".join(parts)

    def running(self, state: CookingState) -> Iterator[Piece]:
        """Yield the running steps."""
        agent = self.problem.agents[0]
        for action, begin, finish in zip(self.problem.actions, state.begins, state.finish, strict=True):
            if begin is not None and finish is not None and finish > state.clock:
                yield Piece(action.id, begin, finish - begin, agent)

    def submission(self, state: CookingState) -> dict[str, object]:
        """Return the answers as an interactive log; an answer without a step is empty."""
        responses = [{"response": _response(entry.event)} for entry in state.past]
        return {"plan": responses}


def _response(event: ReplayEvent | None) -> str:
    """Return the text of a command; ``""`` for an answer without one."""
    if event is None:
        return ""
    return StepCommand.of(event.subject, event.start, event.end - event.start).text


#: Class of the texts of live runs.
TEXT = Recipe2PlanText


_STEP = re.compile(r"Step\((\d+), ([^,]+), ")


def action_space(problem: Instance) -> ActionSpace:
    """Return the steps, and ``Finish``."""
    return ActionSpace((*problem.index, "Finish"), _name_of, timed=True)


def _name_of(command: str) -> str:
    match = _STEP.match(command)
    if match is None:
        return command
    return f"{match[2]}/{match[1]}"


def _recipes(problem: Problem) -> str:
    """Return the recipes: steps with durations, interruptible steps, and time constraints."""
    kitchen = of_kind(problem, Instance)
    return "\n\n".join(_recipe(kitchen, recipe) for recipe in kitchen.tasks)


def _recipe(kitchen: Instance, recipe: str) -> str:
    """Return one recipe."""
    lines = [f"Recipe {clean(recipe)}"]
    steps = [action for action in kitchen.actions if action.task == recipe]
    for step in steps:
        number = _number(step.id)
        duration = span(kitchen, step.duration)
        lines.append(f"Step {number} ({duration}): {clean(step.label, _LONGEST)}")
    pauses = [_number(step.id) for step in steps if step.interruptible]
    if pauses:
        lines.append(f"May be paused and gone on with later: {listed(pauses)}.")
    for lag in kitchen.lags:
        if lag.maximum is not None and kitchen.by_id[lag.after].task == recipe:
            limit = span(kitchen, lag.maximum)
            before = _number(lag.before)
            after = _number(lag.after)
            lines.append(f"Step {after} must start within {limit} after the end of step {before}.")
    return "\n".join(lines)


def _implicit(kind: str) -> Callable[[AnyEnvironment], str]:
    """Return the function that lists implicit facts of the recipes, of one kind.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> print(_implicit("concurrency")(run))
    Cobbler: 0, 2, 7
    Pancakes: 8, 12, 15
    >>> print(_implicit("dependency")(run).splitlines()[0])
    Cobbler: 1 -> 2, 2 -> 3, 3 -> 5, 4 -> 5, 5 -> 6, 0 -> 7, 6 -> 7
    """
    of_recipe = _implicit_of_recipe(kind)

    def text(environment: AnyEnvironment) -> str:
        return "\n".join(of_recipe(environment, recipe) for recipe in environment.problem.tasks)

    return text


def _implicit_of_recipe(kind: str) -> Callable[[AnyEnvironment, str], str]:
    """Return the function that lists implicit facts of one recipe, of one kind."""

    def text(environment: AnyEnvironment, recipe: str) -> str:
        kitchen = of_kind(environment.problem, Instance)
        items = true_items(kitchen, recipe, kind)
        text_of_items = ", ".join(map(written, items))
        return f"{clean(recipe)}: {text_of_items or 'none'}"

    return text


def _executable(environment: AnyEnvironment) -> str:
    """Return for every executable step the command that starts it first and as a whole."""
    commands: dict[str, str] = {}
    for command in environment.legal():
        step = _name_of(command.text)
        if step != command.text:
            commands.setdefault(step, command.text)
    return "\n".join(commands.values())


def _number(action: str) -> str:
    return action.rpartition("/")[2]


def is_unrelated(example: Problem, problem: Problem) -> bool:
    """Return True if an example is another problem, with time constraints if the problem has any."""
    return distinct(example, problem) and _is_timed(example) == _is_timed(problem)


def _is_timed(problem: Problem) -> bool:
    return any(lag.maximum is not None for lag in of_kind(problem, Instance).lags)


#: Texts of prompts by placeholder.
WORDS: Mapping[str, Callable[[AnyEnvironment], str]] = {
    "recipes": lambda environment: _recipes(environment.problem),
    "autonomous": _implicit("concurrency"),
    "order": _implicit("dependency"),
    "objects": _implicit("resources"),
    "ready": _executable,
}
#: Texts of questions about one recipe, by placeholder.
TASK_WORDS: Mapping[str, Callable[[AnyEnvironment, str], str]] = {
    "recipe": lambda environment, recipe: _recipe(environment.problem, recipe),
    "recipe_autonomous": _implicit_of_recipe("concurrency"),
    "recipe_order": _implicit_of_recipe("dependency"),
    "recipe_objects": _implicit_of_recipe("resources"),
}
