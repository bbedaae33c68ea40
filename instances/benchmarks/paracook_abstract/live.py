"""Live environment of ParaCook's abstract part: one task for an agent a turn, or all lists at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planoracle.instances.benchmarks.paracook.rules import Profile
from planoracle.instances.benchmarks.paracook_abstract.language import ListedTask, steps_in
from planoracle.instances.benchmarks.paracook_abstract.problems import by_name, name_of
from planoracle.instances.benchmarks.paracook_abstract.rules import ExecutedTask, carry_out
from planoracle.instances.benchmarks.paracook_abstract.run import command
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model_output.messages import gives_up, parts
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.describe import brief
from planoracle.instances.protocol.environment import CommandOutcome, Reward, RunConfig
from planoracle.instances.protocol.feedback import Words, listed, quoted, sentence
from planoracle.instances.protocol.live import text_of
from planoracle.instances.protocol.old_environment import OldEnvironment
from planoracle.instances.protocol.settings import Setting
from planoracle.instances.protocol.simulator import LegalCommand

#: As many commands may be refused; the next refusal ends the run.
MAX_REFUSALS = 10

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


@dataclass(frozen=True, slots=True)
class LiveState:
    """The lists so far, how many commands were refused, and whether the agent gave up."""

    lists: tuple[tuple[str, ...], ...]
    refused: int = 0
    finished: bool = False


class ParaCookEnvironment(OldEnvironment[Instance, Profile, LiveState]):
    """A live run in which every command is the next task of an agent.

    Examples
    --------
    >>> from planoracle import environment
    >>> from planoracle.instances.benchmarks.paracook_abstract.problems import instance
    >>> rows = [("fry", 3, {}), ("cut", 2, {}), ("serve", 1, {"fry": 10})]
    >>> run = environment(instance("paracook/abstract/mine~2", rows, 2))
    >>> print(run.step("agent1: serve").observation.text)
    Refused: Serve waits for fry, which nobody has been given.
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

    def __init__(self, problem: Instance, rules: Profile, config: RunConfig, reward: Reward | None = None) -> None:
        self.words = Words(problem)
        super().__init__(problem, rules, config, reward)

    def instructions(self) -> str:
        """Return the instructions: how commands are written."""
        example = command(self.problem.agents[-1], name_of(self.problem.actions[0].id))
        return _OPEN if self.config.loop == "open" else _CLOSED.format(example=example)

    def introduction(self) -> str:
        """Return the problem."""
        return brief(self.problem, name_of)

    def _begin(self) -> LiveState:
        return LiveState(tuple(() for _ in self.problem.agents))

    def _entries(self, world: LiveState) -> tuple[ExecutedTask, ...]:
        return carry_out(self.problem, world.lists).entries

    def _take(self, world: LiveState, message: object) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        clock = self._clock(world)
        text = text_of(message)
        step = self._step(text)
        if step is None and gives_up(text):
            return replace(world, finished=True), (CommandOutcome("Finish", "close", clock, clock),)
        words = text[:200]
        kind, wrong = "unreadable", "no command can be read in your answer"
        if step is not None:
            number = (step.agent or 1) - 1
            words = command(f"agent{number + 1}", step.task)
            kind, wrong = self._wrong(world, step.agent, step.task)
        if wrong:
            lost = CommandOutcome(words, "lost", clock, clock, kind, f"Refused: {sentence(wrong)}")
            return replace(world, refused=world.refused + 1), (lost,)
        lists = [*world.lists]
        lists[number] = (*lists[number], str(step.task if step else ""))
        after = replace(world, lists=tuple(lists))
        entry = next(one for one in self._entries(after) if one.place == (number, len(lists[number]) - 1))
        done = f"{self.problem.agents[number]} does {self.words.name(f'orders/{entry.task}')} from "
        done += f"{self.words.moment(entry.start)} to {self.words.moment(entry.end)}"
        return after, (CommandOutcome(words, "act", entry.start, entry.end, None, sentence(done)),)

    def _step(self, text: str) -> ListedTask | None:
        """Return the first command of a message."""
        for part in parts(text):
            try:
                tasks = steps_in(self.problem, part)
            except PlanError:
                continue
            if tasks:
                return tasks[0]
        return None

    def _wrong(self, world: LiveState, agent: int | None, task: object) -> tuple[str, str]:
        """Return kind and message of the error of a command, ``""`` for none."""
        tasks = by_name(self.problem)
        assigned = {one for row in world.lists for one in row}
        if not isinstance(task, str) or task not in tasks:
            return "unknown_task", f"there is no task {quoted(str(task))}"
        if agent is None and len(self.problem.agents) > 1:
            return "no_agent", f"say which agent does {self.words.name(tasks[task].id)}"
        if not 1 <= (agent or 1) <= len(self.problem.agents):
            return "too_many_lists", f"there are {len(self.problem.agents)} agents"
        if task in assigned:
            return "repeated_task", f"{self.words.name(tasks[task].id)} has been given already"
        needs = [lag.before for lag in self.problem.lags if lag.after == tasks[task].id]
        open_ones = [self.words.name(one) for one in needs if name_of(one) not in assigned]
        if open_ones:
            waits = f"{self.words.name(tasks[task].id)} waits for {listed(open_ones)}"
            return "never_ready", f"{waits}, which nobody has been given"
        return "", ""

    def _over(self, world: LiveState) -> str | None:
        if world.finished:
            return "finished"
        if sum(map(len, world.lists)) == len(self.problem.actions):
            return "completed"
        return "too_many_refusals" if world.refused > MAX_REFUSALS else None

    def _free(self, world: LiveState) -> list[int]:
        """Return when every agent is free."""
        free = [0] * len(world.lists)
        for entry in self._entries(world):
            free[entry.place[0]] = max(free[entry.place[0]], entry.end)
        return free

    def _clock(self, world: LiveState) -> int:
        return min(self._free(world))

    def _situation(self, world: LiveState) -> str:
        """Return when each agent is free."""
        times = zip(self.problem.agents, self._free(world), strict=True)
        (first, since), *others = times
        parts = [f"{first} is free at {self.words.moment(since)}"]
        parts += [f"{agent} at {self.words.moment(since)}" for agent, since in others]
        return sentence(", ".join(parts))

    def _answer(self, world: LiveState, outcomes: Sequence[CommandOutcome], over: str | None) -> str:
        """Return the results of the commands; with detailed feedback also when agents are free."""
        answer = super()._answer(world, outcomes, over)
        return answer if over is not None or self.config.feedback == "terse" else f"{answer}\n{self._situation(world)}"

    def _legal(self, world: LiveState) -> list[LegalCommand]:
        assigned = {one for tasks in world.lists for one in tasks}
        ready = (name for name in by_name(self.problem) if not self._wrong(world, 1, name)[0] and name not in assigned)
        commands = [LegalCommand(command(agent, name), "act") for name in ready for agent in self.problem.agents]
        return commands or [LegalCommand("Finish", "close")]

    def _handed_in(self) -> dict[str, object]:
        return {self.benchmark.plan_fields[0]: [list(one) for one in self.state.world.lists]}


def live(problem: Instance, rules: Profile, config: RunConfig, reward: Reward | None) -> ParaCookEnvironment:
    """Return a live run."""
    return ParaCookEnvironment(problem, rules, config, reward)


def action_space(problem: Instance) -> ActionSpace:
    """Return the commands, and ``Finish``."""
    return ActionSpace((*(command(agent, name) for name in by_name(problem) for agent in problem.agents), "Finish"))


SETTINGS = {"io": Setting("io", "the lists alone", __package__, "tasks", "io", config=RunConfig("open"))}
