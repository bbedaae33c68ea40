"""Prompt settings: prompts, examples, memory and sampling by which a model is asked.

The part ``live`` of a benchmark has its settings as ``SETTINGS``; those in `PLAIN` serve all benchmarks. Prompts are
files in the folder ``prompts`` of a benchmark package; ``{{name}}`` in them stands for the text that `NAMES` describes.
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


#: Earlier turns that are sent again: all of them, or the last message of the agent.
HISTORIES = ("full", "last")


#: Names that prompts can contain, beside the answers to `Ask` and the words of a setting.
NAMES: Mapping[str, str] = {
    "instructions": "syntax of commands and of the answers to them",
    "introduction": "description of the problem",
    "situation": "description of the current state",
    "legal": "legal commands, one per line",
    "answer": "answer to the last message",
    "memory": "part of the last turn that the setting retains",
    "example": "another problem with an optimal plan",
    "command": "in the form of a message: command; with an open loop, whole plan",
    "thought": "in the form of a message: reason for the command",
    "changes": "in the form of a message: changes of the state after the command",
    "rest": "in the form of a message: this command and all later ones",
    "plan": "in an example: plan of the example",
}


class Sampling(NamedTuple):
    """Sampling parameters; ``None`` for the default of the client."""

    temperature: float | None = None
    max_tokens: int | None = None


#: Defaults of the client.
DEFAULT_SAMPLING = Sampling()


class Ask(NamedTuple):
    """Question before the first turn, whose answer replaces its name in all later prompts.

    ``prompt`` and ``example`` are files; the second formats the example in the first.
    """

    name: str
    prompt: str
    sampling: Sampling = DEFAULT_SAMPLING
    example: str = ""


def distinct(example: Problem, problem: Problem) -> bool:
    """Return True if two problems differ in more than their names."""
    if example.name == problem.name:
        return False
    return _digest_without_name(example) != _digest_without_name(problem)


def _digest_without_name(problem: Problem) -> str:
    return digest(replace(cast(Any, problem), name=""))


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
    words
        Further names that prompts can contain.
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
    words: Mapping[str, Callable[[AnyEnvironment], str]] = field(default_factory=dict)

    @property
    def files(self) -> tuple[str, ...]:
        """Names of all its prompt files, each once."""
        files = [self.system, self.task, self.turn, self.form]
        if self.examples:
            files.append(self.example)
        for ask in self.asks:
            files += [ask.prompt, ask.example]
        return tuple(dict.fromkeys(filter(None, files)))

    @property
    def names(self) -> tuple[str, ...]:
        """Names that its prompts can contain."""
        return (*NAMES, *self.words, *(ask.name for ask in self.asks))


def by_name(settings: Sequence[Setting]) -> Mapping[str, Setting]:
    """Return settings by their names."""
    return {setting.name: setting for setting in settings}


#: Package whose folder of prompts serves all benchmarks.
SHARED = "planoracle.instances"


#: Settings of every benchmark: command by command, and the whole plan at once, in the words of the environment.
PLAIN = by_name(
    [
        Setting("closed", "command by command, without further text", SHARED, "task", "system"),
        Setting(
            "open", "the whole plan at once, without further text", SHARED, "task", "system", config=RunConfig("open")
        ),
    ]
)
