"""Live runs of Natural Plan: a plan sentence by sentence, or a whole answer."""

from __future__ import annotations

from collections.abc import Mapping

from planoracle.instances.benchmarks.naturalplan.feedback import describe
from planoracle.instances.benchmarks.naturalplan.rules import PlanAnswer, Profile
from planoracle.instances.benchmarks.naturalplan.run import PlanSimulator, PlanState
from planoracle.instances.benchmarks.naturalplan.task_modules import modules_of
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.feedback import sentence
from planoracle.instances.protocol.live import LiveText
from planoracle.instances.protocol.registry import clock_of
from planoracle.instances.protocol.simulator import CLOSE, Step, Unreadable

_CLOSED = """Answer with one sentence at a time. You are told whether it is carried out; a sentence that is refused
changes nothing. When the plan is complete, answer: Finish"""


class PlanText(LiveText[Instance, Profile, PlanState]):
    """Texts of live runs.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("naturalplan/meeting/6"))
    >>> print(run.step("You travel to Nob Hill in 11 minutes.").observation.text)
    Done.
    It is 9:11AM.
    >>> print(run.step("You meet Kenneth for 90 minutes from 9:11AM to 10:41AM.").observation.text)
    Refused: Kenneth is there from 2:15PM on, after the meeting begins at 9:11AM.
    It is 9:11AM.
    """

    simulator: PlanSimulator

    def instructions(self) -> str:
        """Return the task, and the form of answers."""
        answers = modules_of(self.problem).answers
        text = f"{answers.INSTRUCTIONS}\n{answers.HOW_TO_ANSWER}"
        is_stepwise = answers.IS_STEPWISE and self.config.loop == "closed"
        return f"{text}\n{_CLOSED}" if is_stepwise else text

    def introduction(self) -> str:
        """Return the problem in words."""
        return str(modules_of(self.problem).answers.describe(self.problem))

    def command(self, state: PlanState, message: object) -> str | Unreadable:
        """Return the command of a message."""
        content = message.get("content") if isinstance(message, Mapping) else message
        if not isinstance(content, str):
            return Unreadable("")
        text = content.rpartition("</think>")[2].strip()
        is_closing = text.lower().removeprefix("action:").strip(" .!*\n") == CLOSE.lower()
        return CLOSE if is_closing else text

    def plan_fields(self, message: object) -> dict[str, object]:
        """Return a whole plan as the fields of a submission."""
        return {"plan": message}

    def submission(self, state: PlanState) -> dict[str, object]:
        """Return the run so far as the fields of a submission: a log of the steps, or the answer."""
        if not self.simulator.answers.IS_STEPWISE:
            return {"plan": state.text or []}
        lines = [self.simulator.answers.line_of(step) for step in state.answer.steps]
        if not state.answer.is_open:
            lines.append(CLOSE)
        return {"plan": [{"response": line} for line in lines]}

    def step_text(self, before: PlanState, after: PlanState, step: Step) -> str:
        """Return the effect of a command in detail."""
        if step.violation is not None:
            return f"Refused: {sentence(describe(self.problem, step.violation))}"
        return "" if step.kind == "close" else "Done."

    def situation(self, state: PlanState) -> str:
        """Return the time."""
        moment = clock_of(self.problem).moment(self.simulator.clock(state))
        return f"It is {moment}."

    def answer(self, before: PlanState, after: PlanState, steps: tuple[Step, ...], over: str | None) -> str:  # type: ignore[override]
        """Return the answer to a message, with the situation."""
        text = super().answer(before, after, steps, over)
        has_situation = over is None and self.config.feedback == "detailed"
        return f"{text}\n{self.situation(after)}" if has_situation else text


#: Class of the texts of live runs.
TEXT = PlanText


def action_space(problem: Instance) -> ActionSpace:
    """Return the names of commands, and ``Finish``; legal commands of a state are a selection."""
    answers = modules_of(problem).answers
    if answers.IS_STEPWISE:
        return ActionSpace((*answers.command_names(problem), CLOSE), answers.name_of_command, timed=True)
    whole_answers = answers.choices(problem, PlanAnswer(()), Profile())
    return ActionSpace((*whole_answers, CLOSE), timed=True)
