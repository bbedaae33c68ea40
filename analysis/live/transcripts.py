"""Transcripts: what was said in an episode, one JSON line per message."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planoracle.analysis.live.folder import SUBMISSIONS, described
from planoracle.instances.errors import InputError
from planoracle.instances.visible import to_json

if TYPE_CHECKING:
    from planoracle.analysis.agents.agent import AgentError, Said
    from planoracle.analysis.agents.play import Exchange
    from planoracle.analysis.agents.setting import Call
    from planoracle.analysis.submissions import Intake, Place
    from planoracle.instances.environment import AnyEnvironment

__all__ = ["Line", "Transcript", "transcript_of", "transcripts_of"]

#: One message.
Line = dict[str, Any]


class Transcript:
    """Writes down what is said in an episode that is about to begin.

    Of a model it is what the model was sent and what it answered, also where that was no step of the run; of other
    agents what a model in their place would have been sent. No line has times of a clock on the wall or marks of
    a server: equal words make equal lines.

    A line has ``turn`` (from 1; 0 before the first), ``clock`` (ticks), ``role``, ``content``; perhaps ``tool_calls``,
    ``tool_call_id``, ``purpose`` (of a question to a model: the turn, or what comes before or beside one), ``usage``,
    ``raw`` (what an answer held beyond its text), ``outcomes`` (of a message that was a turn of the run: what became of
    its commands, see `planoracle.instances.environment.Outcome`). If the agent failed, the last line has the role
    ``error``.
    """

    def __init__(self, environment: AnyEnvironment) -> None:
        self._environment = environment
        self._began = environment.observation.clock
        self._heard: list[Line] = []
        self._told: list[Exchange] = []

    @property
    def usages(self) -> list[Mapping[str, object]]:
        """What the turns took, of those where it was counted."""
        return [one.said.usage for one in self._told if one.said.usage is not None]

    def heard(self, call: Call) -> None:
        """Take note of a question to a model, and of its answer."""
        turn, clock = self._environment.state.count + 1, self._environment.observation.clock
        at = {"turn": turn, "clock": clock, "purpose": call.purpose}
        fresh = list(call.messages[call.fresh :])
        if fresh and self._heard and all(fresh[0].get(name) == self._heard[-1][name] for name in ("role", "content")):
            del fresh[0]  # the last answer, which is there already
        self._heard += [at | message for message in fresh]
        self._heard.append(at | {"role": "assistant", "content": call.said.text} | _beside(call.said))

    def told(self, exchange: Exchange) -> None:
        """Take note of a turn."""
        self._told.append(exchange)

    def text(self, failure: AgentError | None = None) -> str:
        """Return the lines of the episode as it stands."""
        lines = [*self._spoken(), *self._last()] if self._heard else list(self._turns())
        if failure is not None:
            error = {"role": "error", "content": str(failure), "kind": failure.kind}
            lines.append(self._now() | error | ({"usage": dict(failure.usage)} if failure.usage else {}))
        return "".join(f"{to_json(line)}\n" for line in lines)

    def _spoken(self) -> list[Line]:
        """Return what was asked and answered; what became of the answers that were turns stands in their lines."""
        lines, at = list(self._heard), len(self._heard)
        for exchange in reversed(self._told):  # other answers than turns come before them
            while at > 0:
                at -= 1
                if lines[at]["role"] == "assistant" and lines[at]["content"] == exchange.said.text:
                    lines[at] = lines[at] | _became(exchange)
                    break
        return lines

    def _now(self) -> Line:
        return {"turn": self._environment.state.count, "clock": self._environment.observation.clock}

    def _last(self) -> Iterator[Line]:
        """Yield what the last message was answered, which no question held."""
        answers: list[Line] = []
        for message in reversed(self._environment.messages()):
            if message["role"] == "assistant" or not self._told:
                break
            answers.insert(0, self._now() | message)
        yield from answers

    def _turns(self) -> Iterator[Line]:
        """Yield all messages of the environment, each with its turn and time."""
        turns = self._environment.turns
        told = {id(one.transition.observation): one for one in self._told}  # of which some may have been taken back
        turn, clock = 0, self._began
        for message in self._environment.messages():
            spoken = message["role"] == "assistant" and turn < len(turns)
            turn += spoken
            exchange = told.get(id(turns[turn - 1].observation)) if spoken else None
            beside = {} if exchange is None else _beside(exchange.said) | _became(exchange)
            yield {"turn": turn, "clock": clock} | message | beside
            if spoken:
                clock = turns[turn - 1].observation.clock


def _became(exchange: Exchange) -> Line:
    """Return what became of the commands in a message."""
    found = [one._asdict() for one in exchange.transition.outcomes]
    kept = ("command", "kind", "start", "end", "violation")
    return {"outcomes": [{name: one[name] for name in kept if one[name] is not None} for one in found]}


def _beside(said: Said) -> Line:
    """Return what is told of a message beside its text."""
    usage = {} if said.usage is None else {"usage": dict(said.usage)}
    return usage | ({} if said.raw is None else {"raw": said.raw})


def transcript_of(submission: Mapping[str, object], folder: Path) -> list[Line]:
    """Return the transcript that a submission of a run names, ``[]`` if it names none.

    Parameters
    ----------
    folder
        That of the run.

    Raises
    ------
    InputError
        If it is not where it should be: in the folder, of a size that is read, a JSON object in each line.
    """
    from planoracle.analysis.intake.lines import read_lines
    from planoracle.analysis.intake.tree import open_file

    place = submission.get("transcript")
    if place is None:
        return []
    parts = place.split("/") if isinstance(place, str) else [".."]
    if len(parts) > 64 or any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise InputError("must be a path in the folder of the run", field="transcript", value=place)
    path = folder.joinpath(*parts)
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError("leads out of the folder of the run", field="transcript", value=place)
    found = []
    with open_file(str(path), str(place)) as stream:
        for number, line in read_lines(stream, str(place)):
            if isinstance(line, InputError):
                raise line.at(str(place), line=number)
            if not isinstance(line, dict) or not isinstance(line.get("role"), str):
                raise InputError("must be an object with role and content", source=str(place), line=number, value=line)
            found.append(line)
    return found


def transcripts_of(intake: Intake) -> Callable[[Place, Mapping[str, object]], list[Line]]:
    """Return what finds the transcript of every submission that comes from the folder of a run."""

    @cache
    def folder_of(path: Path) -> Path | None:
        folder = path.parent.parent
        try:
            return folder if path.parent.name == SUBMISSIONS and described(folder) is not None else None
        except InputError:  # all of it is refused by others
            return None

    def found(place: Place, submission: Mapping[str, object]) -> list[Line]:
        path = intake.path_of(place)
        folder = None if path is None else folder_of(path)
        return [] if folder is None else transcript_of(submission, folder)

    return found
