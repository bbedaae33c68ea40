"""Settings: how a model is asked, as the papers do it: with which prompts, examples and memory, and how often.

A benchmark has its settings in the module ``settings`` of its room, as ``SETTINGS``; the plain ones here are there for
all. Prompts are files in the folder ``prompts`` of the room; in place of ``{{name}}`` they get what `NAMES` says.
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


#: What of the turns so far is sent again: all of them; or, in the message that tells how things stand, nothing, the
#: last command, the last message of the agent, or that and what it was about.
HISTORIES = ("full", "none", "last_action", "last", "last_observed")


#: What prompts can ask for, beside the answers to `Ask` and the words of a room.
NAMES: Mapping[str, str] = {
    "instructions": "how commands are written and what they are answered",
    "introduction": "the problem in words",
    "situation": "how things stand now, in words",
    "legal": "the commands that the rules allow now, a line each",
    "answer": "what the last message was answered",
    "memory": "what the agent remembers of its last turn",
    "example": "a problem that a solver has solved, with its plan",
    "command": "in the form of a message: the command, or with an open loop the whole plan",
    "thought": "in the form of a message: why it is given",
    "changes": "in the form of a message: how things stand differently behind it",
    "rest": "in the form of a message: the commands from here to the end",
    "plan": "in an example: its plan",
}


class Sampling(NamedTuple):
    """How a model is sampled; ``None``: as the client does by itself."""

    temperature: float | None = None
    max_tokens: int | None = None


#: As the client does by itself.
UNSAID = Sampling()


class Ask(NamedTuple):
    """A question before the first turn; its answer stands in place of its name in all later prompts.

    ``prompt`` and ``example`` are files, the second that for the example in the first.
    """

    name: str
    prompt: str
    sampling: Sampling = UNSAID
    example: str = ""


def distinct(example: Problem, problem: Problem) -> bool:
    """Whether two problems are not the same by another name."""
    mine, other = (digest(replace(cast(Any, one), name="")) for one in (example, problem))
    return example.name != problem.name and mine != other


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to ask a model.

    Attributes
    ----------
    name, title
        As on the command line, and in a few words.
    package
        Whose folder ``prompts`` has the files, which are called as here with ``.md`` behind.
    task
        File of the first message of the user.
    system
        File of the system's message; ``""``: there is none.
    turn
        File of the user's message after a turn; ``""``: the answer as it is.
    form
        File that says how a message of the agent looks.
    manner, sampling
        How the run is held, and the model sampled.
    history
        See `HISTORIES`.
    asks
        What is asked first.
    examples
        Problems to choose an example from, the first that is not the problem itself: names, or files of the folder
        ``prompts`` (``NAME.json``). ``apart`` says whether one tells nothing of a problem.
    example, shows
        File that says how the example looks, and what its plan is: what an agent says with an open loop (``plan``),
        what it says and is answered with a closed loop (``dialogue``), or what it says there (``steps``).
    words
        What else prompts can ask for.
    """

    name: str
    title: str
    package: str
    task: str
    system: str = ""
    turn: str = ""
    form: str = "form"
    manner: RunConfig = USUAL
    sampling: Sampling = UNSAID
    history: str = "full"
    asks: tuple[Ask, ...] = ()
    examples: tuple[str, ...] = ()
    example: str = "example"
    shows: str = "plan"
    apart: Callable[[Problem, Problem], bool] = distinct
    words: Mapping[str, Callable[[AnyEnvironment], str]] = field(default_factory=dict)

    @property
    def files(self) -> tuple[str, ...]:
        """Names of all its prompts, each once."""
        named = [self.system, self.task, self.turn, self.form, self.example if self.examples else ""]
        named += [name for ask in self.asks for name in (ask.prompt, ask.example)]
        return tuple(dict.fromkeys(filter(None, named)))

    @property
    def names(self) -> tuple[str, ...]:
        """What its prompts can ask for."""
        return (*NAMES, *self.words, *(ask.name for ask in self.asks))


def by_name(settings: Sequence[Setting]) -> Mapping[str, Setting]:
    """Return settings by their names."""
    return {one.name: one for one in settings}


#: Package whose folder of prompts serves all benchmarks.
SHARED = "planoracle.instances"


#: Command by command, and the whole plan at once, in the environment's own words: for every benchmark.
PLAIN = by_name(
    [
        Setting("closed", "command by command, nothing else said", SHARED, "task", "system"),
        Setting(
            "open", "the whole plan at once, nothing else said", SHARED, "task", "system", manner=RunConfig("open")
        ),
    ]
)
