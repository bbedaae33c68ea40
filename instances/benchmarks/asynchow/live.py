"""Live runs of AsyncHow: one answer in words as in the paper, or a schedule step by step."""

from __future__ import annotations

from planoracle.instances.benchmarks.asynchow.problems import origin_of
from planoracle.instances.benchmarks.generic.live import GenericText
from planoracle.instances.benchmarks.generic.live import action_space as action_space
from planoracle.instances.protocol.describe import brief
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.feedback import clean, listed

_OPEN = """Some steps have to wait until others are done; all others can be done at the same time, there are enough
people for all of them. What is the shortest time in which everything can be done? Put the time in double quotes, with
its units, such as "2 hours 30 min"."""
_CLOSED = """Plan when each step begins, so that everything is done as soon as possible. Some steps have to wait until
others are done; all others can be done at the same time, there are enough people for all of them.
Answer with one step at a time, in the order of their starts; time is in {unit}s from 0. You are told whether it is
accepted; what is refused changes nothing. The run is over when every step has begun. To give up, answer: Finish"""


class AsyncHowText(GenericText):
    """Texts of live runs: questions that are answered in words, or by pieces of a schedule.

    With an open loop the answer is a time in words, or a whole schedule; with a closed loop pieces of a schedule.
    Pieces need no agent.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("asynchow/async/829"))
    >>> print(run.step('{"action": "step/4", "start": 0, "duration": 1209600}').observation.text)
    Step 4 has started and ends at 336:00:00.
    It is 00:00:00. Under way: step 4 (until 336:00:00).
    >>> print(run.step('{"action": "step/2", "start": 3600, "duration": 4838400}').observation.text)
    Refused: Step 2 at 01:00:00 must start after step 4, which ends at 336:00:00.
    It is 00:00:00. Under way: step 4 (until 336:00:00).
    """

    def instructions(self) -> str:
        """Return the question, or how steps are written."""
        return _OPEN if self.config.loop == "open" else _CLOSED.format(unit=self.problem.unit)

    def introduction(self) -> str:
        """Return the steps; with a closed loop also a command as an example."""
        if self.config.loop == "open":
            return brief(self.simulator.problem, hands=False)
        return super().introduction()


#: Class of the texts of live runs.
TEXT = AsyncHowText


def _steps(environment: AnyEnvironment) -> str:
    """Return the steps and their order, with durations in the benchmark's words, such as ``1 months``."""
    facts, lines = origin_of(environment.problem).facts, []
    for number, duration in enumerate(facts.durations, 1):
        step = f"Step {number}"
        if facts.sentences:
            sentence = clean(facts.sentences[number - 1], 300)
            step = f"{step}: {sentence}"
        lines.append(f"{step} ({duration})")
        early_steps = [early for early, late in facts.edges if late == number]
        predecessors = [f"step {early}" for early in early_steps]
        if predecessors:
            lines.append(f"Step {number} must wait until {listed(predecessors)} is done.")
    return "\n".join(lines)


#: Texts of prompts by placeholder.
WORDS = {"steps": _steps}
