"""Messages for a model: the prompts of a setting, filled in for one moment of a run, and its memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from planoracle.instances.environment import AnyEnvironment, Message, Turn
from planoracle.instances.prompted import Prompted

#: What stands in the places of prompts, worked out when it is wanted.
Values = Mapping[str, Callable[[], str]]

_GO_ON = "Go on."


def values(prompted: Prompted, environment: AnyEnvironment, given: Mapping[str, str]) -> Values:
    """Return what stands in the places of prompts now; ``given`` is what the environment does not know."""
    turn = environment.state.turn
    words = {name: partial(word, environment) for name, word in prompted.setting.words.items()}
    known: dict[str, Callable[[], str]] = {
        "instructions": environment.instructions,
        "introduction": environment.introduction,
        "situation": environment.situation,
        "legal": lambda: "\n".join(command.text for command in environment.legal()),
        "answer": lambda: "" if turn is None else turn.observation.text,
        "memory": lambda: memory(prompted.setting.history, turn),
        "example": str,
    }
    return {**known, **words, **{name: partial(str, text) for name, text in given.items()}}


def messages(prompted: Prompted, environment: AnyEnvironment, filling: Values) -> list[Message]:
    """Return the messages that ask for the next one of the agent, as the setting's history wants them."""
    setting = prompted.setting
    chat = [{"role": "system", "content": prompted.fill(setting.system, filling)}] if setting.system else []
    chat.append(of_user(prompted.fill(setting.task, filling)))
    now = prompted.fill(setting.turn, filling) if setting.turn else ""
    if setting.history != "full" or not environment.state.count:
        return [*chat[:-1], of_user(f"{chat[-1]['content']}\n\n{now}")] if now else chat
    chat += environment.messages()[len(environment.opening()) :]
    if now and chat[-1]["role"] == "user":
        chat[-1] = of_user(now)
    elif now or chat[-1]["role"] == "assistant":
        chat.append(of_user(now or _GO_ON))
    return chat


def of_user(text: str) -> Message:
    """Return a message of the user."""
    return {"role": "user", "content": text}


def memory(history: str, turn: Turn | None) -> str:
    r"""Return what an agent remembers of its last turn.

    Examples
    --------
    >>> from planoracle.instances.environment import Observation, Outcome
    >>> turn = Turn("Thought: why not?\nAction: boil", (Outcome("boil", "act", 0, 1),), Observation("boils", 1), None)
    >>> print(memory("last_action", turn))
    Your last action: boil
    >>> memory("none", turn)
    ''
    """
    if turn is None or history in ("full", "none"):
        return ""
    if history == "last_action":
        return "Your last action: " + ", ".join(one.command for one in turn.outcomes)
    said = f"Your last message:\n{turn.said}"
    if history == "last_observed" and turn.before is not None:
        return f"What you knew then:\n{turn.before.observation.text}\n\n{said}"
    return said
