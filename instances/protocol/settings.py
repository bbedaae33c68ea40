"""Prompt settings: prompts, examples, memory and sampling by which a model is asked.

Settings are files in the folders ``settings`` of benchmark packages, see `planoracle.instances.protocol.setting_files`;
those of `SHARED` serve all benchmarks. Prompts are files in the folder ``prompts``; ``{{name}}`` in them stands for the
text that `NAMES` describes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from planoracle.instances.model.cache import digest
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol.environment import USUAL, RunConfig

if TYPE_CHECKING:
    from planoracle.instances.protocol.environment import AnyEnvironment


#: Package whose folders of settings and prompts serve all benchmarks.
SHARED = "planoracle.instances"


#: Parts of earlier turns that are sent again, and their description for the model (placeholder ``remembered``).
HISTORIES: Mapping[str, str] = {
    "full": "",
    "none": ", and nothing of what you wrote",
    "action": ", only your last action",
    "last": ", only your last reasoning and action",
    "observed": ", only your last observation, reasoning and action",
}

#: Names that prompts can contain, beside the answers to `Ask` and the words of a setting.
NAMES: Mapping[str, str] = {
    "instructions": "syntax of commands and of the answers to them",
    "introduction": "description of the problem",
    "situation": "description of the current state",
    "legal": "legal commands, one per line",
    "answer": "answer to the last message",
    "memory": "part of the last turn that the setting retains",
    "remembered": "description of that part",
    "example": "another problem with an optimal plan",
    "command": "in the form of a message: command; with an open loop, whole plan",
    "thought": "in the form of a message: reason for the command",
    "changes": "in the form of a message: changes of the state after the command",
    "rest": "in the form of a message: this command and all later ones",
    "plan": "in an example: plan of the example; in the text of a critic: plan of the model",
    "critique": "in the text of a critic: report on the plan",
    "name_of_task": "in a question for each task: name of the task",
}


class Sampling(NamedTuple):
    """Sampling parameters; ``None`` for the default of the client."""

    temperature: float | None = None
    max_tokens: int | None = None


#: Defaults of the client.
DEFAULT_SAMPLING = Sampling()


class Ask(NamedTuple):
    """Question before the first turn, whose answer replaces its name in all later prompts.

    ``prompt`` and ``example`` are files; the second formats the example in the first. With ``each_task``, the question
    is asked for every task of the problem, and its answer has a line or more for each.
    """

    name: str
    prompt: str
    sampling: Sampling = DEFAULT_SAMPLING
    example: str = ""
    each_task: bool = False


#: Goals of a critic: a success, or a plan that the model does not want to improve.
CRITIC_GOALS = ("fix", "improve")


class Critic(NamedTuple):
    """Critic of whole plans, which the model writes again until the goal is reached.

    Attributes
    ----------
    rounds
        Number of critiques at most.
    goal
        See `CRITIC_GOALS`.
    prompt
        File with the request for another plan, with ``{{plan}}`` and ``{{critique}}``.
    """

    rounds: int
    goal: str
    prompt: str


def distinct(example: Problem, problem: Problem) -> bool:
    """Return True if two problems differ in more than their names."""
    if example.name == problem.name:
        return False
    return _digest_without_name(example) != _digest_without_name(problem)


def _digest_without_name(problem: Problem) -> str:
    return digest(replace(cast(Any, problem), name=""))


#: Function that returns a text about a problem and its run, and such a function for one task.
Word = Callable[["AnyEnvironment"], str]
TaskWord = Callable[["AnyEnvironment", str], str]


@dataclass(frozen=True, slots=True)
class Setting:
    """Setting: prompts, options and sampling of the runs of a model.

    Attributes
    ----------
    name, title
        Name on the command line, and description in a few words.
    package
        Package whose folder ``prompts`` has the files named here, with the suffix ``.md``.
    task
        File of the first message of the user.
    system
        File of the system's message; ``""``: there is none.
    turn
        File of the user's message after a turn; ``""``: the answer as it is.
    form
        File with the form of a message of the agent.
    config, sampling
        Options of the run, and sampling of the model.
    history
        See `HISTORIES`.
    asks
        Questions before the first turn.
    examples
        Problems to choose an example from, by name or as files of the folder ``prompts`` (``NAME.json``). The first is
        chosen for which ``is_unrelated(example, problem)`` is true.
    example, shows
        File with the form of the example, and form of its plan: the message of an open loop (``plan``), messages and
        answers of a closed loop (``dialogue``), or the messages alone (``steps``).
    is_unrelated
        Function that is true for an example that shares nothing with the problem.
    words, task_words
        Further names that prompts can contain; the second ones in questions for each task.
    critic
        Critic of whole plans, with an open loop.
    version
        Version of the setting, which rises with every change.
    texts
        Texts of the setting's file, by name; they replace files of the folder ``prompts``.
    document
        Text of the setting's file.
    """

    name: str
    title: str
    package: str
    task: str
    system: str = ""
    turn: str = ""
    form: str = "form"
    config: RunConfig = USUAL
    sampling: Sampling = DEFAULT_SAMPLING
    history: str = "full"
    asks: tuple[Ask, ...] = ()
    examples: tuple[str, ...] = ()
    example: str = "example"
    shows: str = "plan"
    is_unrelated: Callable[[Problem, Problem], bool] = distinct
    words: Mapping[str, Word] = field(default_factory=dict)
    task_words: Mapping[str, TaskWord] = field(default_factory=dict)
    critic: Critic | None = None
    version: int = 1
    texts: Mapping[str, str] = field(default_factory=dict)
    document: str = ""

    @property
    def files(self) -> Mapping[str, str]:
        """Names of all its prompt files, each with the first field of a setting file that names it."""
        names = {"system": self.system, "task": self.task, "turn": self.turn, "form": self.form}
        if self.examples:
            names["example.text"] = self.example
        for position, ask in enumerate(self.asks):
            names[f"questions[{position}].text"] = ask.prompt
            names[f"questions[{position}].example"] = ask.example
        if self.critic is not None:
            names["critic.text"] = self.critic.prompt
        files: dict[str, str] = {}
        for place, name in names.items():
            if name:
                files.setdefault(name, place)
        return files

    @property
    def names(self) -> tuple[str, ...]:
        """Names that its prompts can contain."""
        return (*NAMES, *self.words, *self.task_words, *(ask.name for ask in self.asks))


def by_name(settings: Sequence[Setting]) -> Mapping[str, Setting]:
    """Return settings by their names."""
    return {setting.name: setting for setting in settings}
