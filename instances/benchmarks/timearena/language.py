"""Plans of TimeArena: reader of decisions in lists, logs and free text."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from planoracle.instances.benchmarks.timearena import problems
from planoracle.instances.benchmarks.timearena.problems import Scenario, task_names, world
from planoracle.instances.benchmarks.timearena.rules import EXITS, PROFILES, Profile
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model_output.blocks import Grammar, StepMatch
from planoracle.instances.model_output.characters import without_thinking
from planoracle.instances.model_output.json_values import whole_value
from planoracle.instances.model_output.messages import chat_in, contents, is_log, observed
from planoracle.instances.model_output.reading import as_given as read_list
from planoracle.instances.model_output.reading import read as read_output
from planoracle.instances.protocol.plan import Plan, Reading

#: Characters of a line that are read.
MAX_LINE = 10_000

_EDGES = " \t\r\n.,;:!?\"'`()[]{}*_$"
_PARTS = re.compile(r"[,;|\u2192]|->|=>|\b(?:then|and)\b", re.IGNORECASE)
_SENTENCES = re.compile(r"[,;:.!?](?:\s|$)|\b(?:then|and)\b", re.IGNORECASE)
_NUMBER = re.compile(r"_\d+\Z")
_REMARK = re.compile(r"\s[\u2013\u2014-]\s|\s\(")
_PLAIN = re.compile(r"[^\W\d_]+(?:_\d+)?")
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d]+(?:_\d+)?")
_QUOTES = ("'", '"', "`")
_LINKS = frozenset(("first", "then", "next", "now", "meanwhile", "later", "after", "finally", "lastly", "done", "end"))
_BETWEEN = {"in", "into", "to", "on", "by", "with"}
_ARTICLES = {"the", "a", "an"}


class _Decisions(Grammar[str]):
    """The actions of a world, waits and exits."""

    unique = True

    def __init__(self, world: Scenario) -> None:
        self.world = world
        bases = [thing.base for thing in world.objects.values()]
        self.names = {*world.aliases, *bases}
        self.verbs = {verb.partition(" ")[0] for verb in world.verbs}

    def find(self, text: str) -> list[StepMatch[str]]:
        verb, _, name = text.partition(" ")
        if text == "wait" or (verb in self.world.verbs and name in self.world.objects):  # a command as it is written
            return [StepMatch(len(text), text)]
        text = text[:MAX_LINE]
        named = _decision_in(text, self.world)
        if named is None:
            return []
        steps = self._steps_of_parts(self._parts(text), named)
        begins = text.strip(_EDGES).lower().startswith(named)
        if begins:
            return [StepMatch(len(text), step) for step in steps]
        return [StepMatch(len(step), step) for step in steps]

    def _parts(self, text: str) -> list[str]:
        """Return the parts of a line, without a first one that is about the plan."""
        stripped = (part.strip(_EDGES) for part in _PARTS.split(text))
        parts = [part for part in stripped if part]
        if not parts:
            return []
        words = _words(parts[0])
        is_remark = len(words) > 4 and words[0] not in self.verbs
        if is_remark and not _decision_in(parts[0], self.world):
            return parts[1:]
        return parts

    def _steps_of_parts(self, parts: list[str], named: str) -> list[str]:
        """Return the decisions of the parts of a line, or only the first one if parts are not decisions."""
        steps: list[str] = []
        for part in parts:
            step = _decision_in(part, self.world)
            if step and 2 * len(step) > len(part):
                steps.append(step)
        are_short = all(len(_words(part)) <= 4 for part in parts)
        min_steps = (0.5 if are_short else 0.8) * len(parts)
        if 2 < len(steps) < len(parts) and len(steps) >= min_steps:  # some are wrong
            decisions = []
            for part in parts:
                decision = _decision_in(part, self.world)
                decisions.append(decision or self.interpret(part, "free", True) or part)
            return decisions
        if len(steps) < max(2, len(parts)):  # some part of it is no action
            return [named]
        return steps

    def find_in_prose(self, text: str) -> list[str]:
        parts = _SENTENCES.split(text[:MAX_LINE])
        return [step for part in parts if (step := _decision_in(part, self.world))]

    def looks(self, text: str, free: bool) -> bool:
        words = _words(text)
        if not free < len(words) <= 12 or text.rstrip("*_ ").endswith(":"):
            return False
        if free:
            return words[0] in self.verbs and not self.names.isdisjoint(words)
        if len(words) in (1, 2, 4):
            return True
        return not (self.verbs | self.names).isdisjoint(words)

    def mentions(self, text: str) -> bool:
        words = set(_LETTERS.findall(text[:MAX_LINE].lower()))
        return not (self.verbs | self.names).isdisjoint(words)

    def interpret(self, text: str, kind: str, follows_steps: bool) -> str | None:
        """Return an unknown action, which costs its minute: one of the right form, or a few words.

        Few words stand for a decision only where one stands after the other.
        """
        content = text if kind == "free" else _REMARK.split(text, maxsplit=1)[0]
        words = _words(content)
        if kind != "free" and words[:1] == ["wait"]:
            return "wait"
        if not all(map(_WORD.fullmatch, words)):  # another notation, such as do[wash; cup]
            return None
        is_decision = self._is_action(words)
        if not is_decision and follows_steps and self._is_short(words, text) and _LINKS.isdisjoint(words):
            is_quoted = text[:1] in _QUOTES
            is_decision = kind != "free" or is_quoted or text.rstrip()[-1] not in ".,!?"
        is_heading = text.rstrip("*_ ").endswith(":")
        return " ".join(words) if is_decision and not is_heading else None

    def _is_action(self, words: list[str]) -> bool:
        """Return whether words have the form of an action, with a verb or an object of some task."""
        if len(words) not in (2, 4):
            return False
        verb, name = words[:2]
        return verb in self.verbs or name in self.names or _of_another(words)

    def _is_short(self, words: list[str], text: str) -> bool:
        """Return whether words are few enough for a decision in unknown words."""
        if len(words) == 4:
            return words[2] in _BETWEEN and _ARTICLES.isdisjoint(text.split())
        if len(words) == 3:
            return words[0] in self.verbs
        return len(words) in (1, 2)

    def key(self, step: str) -> str | None:
        return None if step == "wait" else step


def parse(submission: object, world: Scenario, rules: Profile = PROFILES["paper"]) -> list[str]:
    r"""Return the agent's decisions, see `reading`.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.timearena.problems import world
    >>> parse("1. I will wash cup.\n2. Wait", world("timearena/household1"))
    ['wash cup', 'wait']
    """
    return _reading(submission, world, rules).commands


def reading(problem: Instance, submission: object, rules: Profile) -> Reading[list[str]]:
    """Read the agent's decisions; continuations of an occupying action are implied.

    A list of decisions, or a released log, a list of records with an ``"action"``; with ``normalize`` an action is
    extracted from the surrounding text. If records have an observation or a feedback, all of them are decisions, in
    whatever words; else up to four plain words are a decision, and too many other entries count as unread. Or model
    output, see
    `planoracle.instances.model_output`, from which actions are always extracted.

    Raises
    ------
    PlanError
        If it has none of these forms.
    """
    return _reading(submission, world(problem.name, rules), rules)


def _reading(submission: object, world: Scenario, rules: Profile) -> Reading[list[str]]:
    listed = whole_value(submission) if isinstance(submission, str) else None
    if isinstance(listed, list) and all(isinstance(entry, str) for entry in listed):
        return _read_entries([extract(entry, world) for entry in listed], world, rules)
    if isinstance(submission, list) and chat_in(submission) is None:
        decisions = [_decision(entry, f"actions[{i}]") for i, entry in enumerate(submission)]
        commands = [extract(decision, world) for decision in decisions] if rules.normalize else decisions
        return read_list(commands) if is_log(submission) else _read_entries(commands, world, rules)
    if isinstance(submission, str) or chat_in(submission) is not None:
        return read_output(submission, _Decisions(world))
    as_output = read_output(submission, _Decisions(world)) if isinstance(submission, dict) else None
    if as_output is None or not (as_output.commands or as_output.doubtful):
        raise PlanError("must be a list of decisions, a log or text", field="actions", value=submission)
    return as_output


def _read_entries(decisions: list[str], world: Scenario, rules: Profile) -> Reading[list[str]]:
    """Read a list, in which every entry is a decision; too many in another notation count as unread."""
    unknown = 0
    for decision in decisions:
        unknown += _decision_in(decision, world) is None and not _is_plain(decision)
    if unknown < 2 or not rules.refuse_unread:
        return read_list(decisions)
    return read_list(decisions, entries=decisions, grammar=_Decisions(world))


def _is_plain(decision: str) -> bool:
    """Return whether a decision has the form of an action: up to four plain words.

    >>> _is_plain("fly away"), _is_plain("wash(cup)"), _is_plain("wash_cup"), _is_plain("wash cup_2")
    (True, False, False, True)
    """
    words = _words(decision)
    return len(words) <= 4 and all(map(_PLAIN.fullmatch, words))


def logged(decisions: list[str], scene: Scenario) -> list[object]:
    """Return the decisions of a run as its log: several in unknown words have an observation."""
    unknown = set()
    for text in decisions:
        if _decision_in(text, scene) is None and not _is_plain(text):
            unknown.add(text)
    is_doubtful = sum(decision in unknown for decision in decisions) > 1
    return [observed(decision) if is_doubtful and decision in unknown else decision for decision in decisions]


def decision(message: object, scene: Scenario, rules: Profile) -> str:
    """Return the decision in one message of the agent: the first action in it, else its text.

    A record ``{"action": text}`` stands for its decision, as in a list or log. The result has the same meaning in a
    list of decisions.

    >>> from planoracle.instances.benchmarks.timearena.problems import world
    >>> decision("Next: activate kettle!", world("timearena/household1"), PROFILES["paper"])
    'activate kettle'
    """
    if isinstance(message, str) and (message == "wait" or message in scene.commands):  # without the reader of texts
        return message
    action = message.get("action") if isinstance(message, dict) else None
    text = action if isinstance(action, str) else _first(message, scene)
    text = text[:MAX_LINE]
    return extract(text, scene) if rules.normalize else text


def _first(message_or_text: object, scene: Scenario) -> str:
    message = message_or_text
    if isinstance(message_or_text, dict):
        message = {"role": "assistant", **message_or_text}
    try:
        decisions = _reading(message, scene, PROFILES["paper"]).commands
    except PlanError:
        decisions = []
    if decisions:
        return decisions[0]
    parts = contents(message) if isinstance(message, dict) else [message]
    texts = [without_thinking(part)[0] for part in parts if isinstance(part, str)]
    return "\n".join(texts)


def written(problem: Instance, schedule: Schedule) -> list[str]:
    """Write a schedule as decisions."""
    return problems.decisions(problem, schedule.pieces, end=schedule.makespan)


def schedule(problem: Instance, plan: Plan[list[str]]) -> Schedule:
    """Turn decisions into a schedule."""
    return problems.to_schedule(problem, plan.commands)


def _decision(entry: Any, field: str) -> str:
    text = entry.get("action") if isinstance(entry, dict) else entry
    if not isinstance(text, str):
        raise PlanError("must be text or a record with an action", field=field, value=entry)
    return text


def extract(text: str, world: Scenario) -> str:
    """Return the first action of the world that a text names, or the text itself if it names none.

    A wait may have a few words around it; ``exit`` and ``quit``, which end a run, must stand alone.

    >>> from planoracle.instances.benchmarks.timearena.problems import world
    >>> extract("Next I pour kettle into teapot!", world("timearena/household1"))
    'pour kettle into teapot'
    >>> extract("Quit!", world("timearena/household1")), extract("I would quit", world("timearena/household1"))
    ('quit', 'I would quit')
    """
    return _decision_in(text, world) or text


def _words(text: str) -> list[str]:
    parts = text[:MAX_LINE].lower().split()
    stripped = (part.strip(_EDGES) for part in parts)
    return [word for word in stripped if word and word not in _ARTICLES]


@cache
def _vocabulary() -> tuple[frozenset[str], frozenset[str]]:
    """Return the verbs and the objects of all tasks."""
    verbs = set[str]()
    names = set[str]()
    for task in task_names():
        scene = world(f"timearena/{task}")
        verbs.update(verb.partition(" ")[0] for verb in scene.verbs)
        names.update(thing.base for thing in scene.objects.values())
    return frozenset(verbs), frozenset(names)


def _of_another(words: list[str]) -> bool:
    """Return true if two or four words are an action of another task."""
    verbs, names = _vocabulary()
    base_names = [_NUMBER.sub("", word) for word in words[1::2]]
    return words[0] in verbs and names.issuperset(base_names)


def _decision_in(text: str, world: Scenario) -> str | None:
    """Return the first action in a text, a wait with few words around it, or an exit that stands alone."""
    words = [world.aliases.get(word, word) for word in _words(text)]
    for i, verb in enumerate(words):
        following = words[i + 1 : i + 4]
        if len(following) == 3:
            first, preposition, second = following
            if f"{verb} {preposition}" in world.verbs and {first, second} <= world.objects.keys():
                return " ".join((verb, *following))
        if verb in world.verbs and following and following[0] in world.objects:
            return f"{verb} {following[0]}"
    if len(words) == 1 and words[0] in EXITS:
        return words[0]
    return "wait" if "wait" in words and len(words) <= 8 else None
