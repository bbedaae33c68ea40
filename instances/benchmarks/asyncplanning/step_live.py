"""Live runs of AsyncPlan-XXL: one answer as JSON, or a schedule step by step."""

from __future__ import annotations

from planoracle.instances.benchmarks.asyncplanning.step_tasks import step_origin
from planoracle.instances.benchmarks.generic.live import GenericText
from planoracle.instances.benchmarks.generic.live import action_space as action_space
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.feedback import clean, listed

_OPEN = """All steps are to be carried out. A step has to wait until the steps before it are done; apart from that any
number of steps can run at the same time. How many seconds does everything take at least? A month has 30 days, a year
365. Answer with one JSON object that has three fields. actions: a list with an object for every step, which has the
fields id (step1, step2, ...) and duration (a number of seconds). dependencies: a list with an object for every required
order, which has the fields before and after (ids of steps). final_answer_seconds: the shortest time, a number."""
_CLOSED = """Decide when every step starts, so that all of them are done as soon as possible. A step has to wait until
the steps before it are done; apart from that any number of steps can run at the same time. A month has 30 days, a year
365. Answer with one step at a time, in the order of the starts, as [start, "step1", duration], in seconds from 0. A
step that is refused changes nothing. The run is over when every step has started. To give up, answer: Finish"""


class StepText(GenericText):
    """Texts of live runs: the steps, and questions about their shortest time or their starts.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("asyncplanning/xxl/5/9"))
    >>> print(run.step('[0, "step2", 300]').observation.text)
    step2 has started and ends at 00:05:00.
    It is 00:00:00. Under way: step2 (until 00:05:00).
    """

    def instructions(self) -> str:
        """Return the question, or how steps are written."""
        return _OPEN if self.config.loop == "open" else _CLOSED

    def introduction(self) -> str:
        """Return the steps with durations and orders."""
        return words(self.problem)


#: Class of the texts of live runs.
TEXT = StepText


def words(problem: Instance) -> str:
    """Return the steps of a problem, or the question that the user's file has.

    >>> from planoracle.instances.benchmarks.asyncplanning.step_tasks import load
    >>> print(words(load("xxl/5/1")))
    Task: make eggless chocolate cake
    step1 takes 5 minutes; before it: step3.
    step2 takes 15 minutes.
    step3 takes 3 minutes.
    step4 takes 2 minutes; before it: step2.
    step5 takes 45 minutes; before it: step1.
    """
    facts = step_origin(problem).facts
    if facts.question:
        return facts.question
    lines = [f"Task: {clean(facts.title, 300)}"]
    for number, duration in enumerate(facts.durations, 1):
        before = [f"step{early}" for early, late in facts.edges if late == number]
        order = f"; before it: {listed(before)}" if before else ""
        lines.append(f"step{number} takes {duration}{order}.")
    return "\n".join(lines)
