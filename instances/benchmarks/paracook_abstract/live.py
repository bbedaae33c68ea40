"""Texts of live runs of ParaCook's abstract part: one task for an agent a turn, or all lists at once."""

from __future__ import annotations

from planoracle.instances.benchmarks.paracook.rules import Profile
from planoracle.instances.benchmarks.paracook_abstract.feedback import SENTENCES
from planoracle.instances.benchmarks.paracook_abstract.language import steps_in
from planoracle.instances.benchmarks.paracook_abstract.problems import by_name, name_of
from planoracle.instances.benchmarks.paracook_abstract.rules import Assignment, ListState, command_text
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model_output.messages import gives_up, parts
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.describe import brief
from planoracle.instances.protocol.feedback import sentence
from planoracle.instances.protocol.live import ScheduleText, text_of
from planoracle.instances.protocol.simulator import CLOSE, Step, Unreadable

_TASK = """Several tasks are to be done by agents who are all alike, so that everything is done as soon as possible. An
agent does one task at a time, without a break. A task can begin when all tasks that it waits for are done, by whomever;
where stated, only some time after the end of one, and agents are free meanwhile."""
_CLOSED = f"""{_TASK}
Answer with one command at a time, an agent and its next task, such as {{example}}. The agent begins as soon as it can.
A task whose predecessors have not been given yet is refused, which changes nothing. The run is over when every task has
been given. To give up, answer: Finish"""
_OPEN = f"""{_TASK}
Answer with a JSON list that holds a list for every agent: the names of its tasks, in the order in which it does them,
without times."""


class ListText(ScheduleText[Profile, ListState]):
    """Texts of a live run in which every command is the next task of an agent.

    Examples
    --------
    >>> from planoracle import environment
    >>> from planoracle.instances.benchmarks.paracook_abstract.problems import instance
    >>> rows = [("fry", 3, {}), ("cut", 2, {}), ("serve", 1, {"fry": 10})]
    >>> run = environment(instance("paracook/abstract/mine~2", rows, 2))
    >>> print(run.step("agent1: serve").observation.text)
    Refused: Serve waits for fry, which is not assigned yet.
    agent1 is free at tick 0, agent2 at tick 0.
    >>> for message in ("agent1: fry", "agent2: cut", "agent2: serve"):
    ...     print(run.step(message).observation.text)
    agent1 does fry from tick 0 to tick 3.
    agent1 is free at tick 3, agent2 at tick 0.
    agent2 does cut from tick 0 to tick 2.
    agent1 is free at tick 3, agent2 at tick 2.
    agent2 does serve from tick 13 to tick 14.
    The run is over: completed.
    """

    def instructions(self) -> str:
        """Return the instructions: how commands are written."""
        if self.config.loop == "open":
            return _OPEN
        first_task = name_of(self.problem.actions[0].id)
        return _CLOSED.format(example=command_text(self.problem.agents[-1], first_task))

    def introduction(self) -> str:
        """Return the problem."""
        return brief(self.problem, name_of)

    def command(self, state: ListState, message: object) -> Assignment | Unreadable | str:
        """Return the first command of a message."""
        text = text_of(message)
        for part in parts(text):
            try:
                tasks = steps_in(self.problem, part)
            except PlanError:
                continue
            if tasks:
                agent = tasks[0].agent
                number = None if agent is None else max(agent - 1, 0)
                return Assignment(number, tasks[0].task)
        return CLOSE if gives_up(text) else Unreadable(text)

    def step_text(self, before: ListState, after: ListState, step: Step) -> str:
        """Return the effect of a command."""
        if step.violation is not None:
            return f"Refused: {sentence(SENTENCES.describe(self.words, step.violation))}"
        if step.kind == "close":
            return ""
        entry = after.entries[-1]
        name = self.words.name(f"orders/{entry.task}")
        agent = self.problem.agents[entry.place[0]]
        start = self.words.moment(entry.start)
        end = self.words.moment(entry.end)
        return sentence(f"{agent} does {name} from {start} to {end}")

    def situation(self, state: ListState) -> str:
        """Return when each agent is free."""
        moments = [self.words.moment(clock) for clock in state.clocks]
        (first, moment), *further = zip(self.problem.agents, moments, strict=True)
        times = [f"{first} is free at {moment}"]
        times += [f"{agent} at {moment}" for agent, moment in further]
        return sentence(", ".join(times))

    def submission(self, state: ListState) -> dict[str, object]:
        """Return the lists so far."""
        return {self.benchmark.plan_fields[0]: [list(tasks) for tasks in state.lists]}


#: Class of the texts of live runs.
TEXT = ListText


def action_space(problem: Instance) -> ActionSpace:
    """Return the commands, and ``Finish``."""
    commands: list[str] = []
    for name in by_name(problem):
        commands += [command_text(agent, name) for agent in problem.agents]
    return ActionSpace((*commands, "Finish"))
