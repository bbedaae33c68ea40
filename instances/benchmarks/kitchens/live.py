"""Live environment of kitchens: one action a message, or one of every player."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import State, compiled
from planoracle.instances.benchmarks.kitchens.descriptions import (
    actions_in_words,
    condition_in_words,
    describe,
    goal_in_words,
)
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.benchmarks.kitchens.language import MAX_ACTIONS, finishes, reading
from planoracle.instances.benchmarks.kitchens.rules import Profile
from planoracle.instances.benchmarks.kitchens.run import explain
from planoracle.instances.errors import PlanError
from planoracle.instances.model_output.json_values import whole_value
from planoracle.instances.protocol.environment import USUAL, CommandOutcome, Reward, RunConfig
from planoracle.instances.protocol.feedback import clean, listed, quoted
from planoracle.instances.protocol.old_environment import OldEnvironment
from planoracle.instances.protocol.simulator import LegalCommand

#: With ``Manner.bounded``, so many refused messages in a row are a failed attempt to get an action, and the run ends
#: with so many failed attempts, as in the released harness of ReAct.
TRIES, ATTEMPTS = 5, 3

#: Of an action that is none of the kitchen's, so many characters are kept.
MAX_KEPT = 200


@dataclass(slots=True, eq=False, repr=False)
class Past:
    """The last action of a run, carried out or refused, and those before it; never changed."""

    action: str
    before: Past | None


class LiveState(NamedTuple):
    """A kitchen, and how it came to be like that.

    Attributes
    ----------
    state
        Of the compiled rules, see `KitchenEnvironment.engine`.
    past, tried
        The actions so far, and how many; with those that were refused.
    done, steps
        Actions that were carried out; steps as the rules count them: with joint moves, whole rounds.
    end
        ``completed``, or ``handed_in`` by ``Finish``.
    streak, failures
        Messages in a row without an action that was carried out, in the attempt under way; attempts that failed.
    """

    state: State
    past: Past | None = None
    tried: int = 0
    done: int = 0
    steps: int = 0
    end: str | None = None
    streak: int = 0
    failures: int = 0


class KitchenEnvironment(OldEnvironment[Kitchen, Profile, LiveState]):
    """One run of an agent, or of several, in a kitchen.

    A message is text with an action (of several the first one counts), a record with an ``"action"``, or, where there
    are several players, a record of their actions by their names, also as JSON: then all who have not acted in this
    round act, in their order; those whose action is refused or missing do nothing. An action that is refused changes
    nothing and costs no step. ``Finish`` ends the run.

    Attributes
    ----------
    engine
        The rules, which know what the states of a `LiveState` mean.
    step_limit
        Steps after which the run ends; ``None`` if there is no such limit.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.kitchens.problems import kitchen
    >>> place = kitchen("kitchens/synchronous/1_lettuce_sandwich")
    >>> run = KitchenEnvironment(place, Profile(), RunConfig(feedback="terse"))
    >>> print(run.step("I take it. Action: Pick up lettuce1 from table2 using robot1").observation.text)
    "Pick up lettuce1 from table2 using robot1": refused
    robot1 at table1, hands empty
      board1: bread1
      table1: empty
      table2: lettuce1
      table3: bread2
    >>> run.legal()[0], run.step(run.legal()[0].text).observation.clock
    (LegalCommand(text='Move robot1 from table1 to board1', kind='act'), 1)
    """

    def __init__(
        self,
        problem: Kitchen,
        rules: Profile,
        config: RunConfig = USUAL,
        reward: Reward | None = None,
        step_limit: int | None = None,
    ) -> None:
        self.engine = compiled(problem, rules)
        self.step_limit = step_limit
        self._players = len(problem.players)
        domain = problem.domain
        self._waits = {at for at, action in enumerate(domain.actions) if not (action.changes or action.effects)}
        self._entries: dict[str, bool] = {}
        self._commands: dict[int, LegalCommand] = {}
        super().__init__(problem, rules, config, reward)

    # Texts

    def instructions(self) -> str:
        """Return how actions are written, what they need and what comes of them."""
        whole = self.config.loop == "open"
        return "\n".join(
            (
                "You cook in a kitchen, step by step: write "
                f"{'the whole plan, one action a line' if whole else 'one action in every message'}, in these words, "
                "with names of objects for the parameters: p players, s stations, i items, c containers, m meals.",
                *(f"- {line}." for line in actions_in_words(self.problem.domain)),
                "Different parameters stand for different objects. Every action takes one step, also to do nothing. "
                "What takes several steps goes on by itself in the meantime. An action that is not possible changes "
                "nothing. The run ends when the goal holds, or "
                f"{'with the last action' if whole else 'when you write: Finish'}.",
            )
        )

    def introduction(self) -> str:
        """Return the goal, what the objects are like, and the kitchen at the beginning."""
        facts: dict[str, list[str]] = {}
        for predicate, name, *others in sorted(fact for fact in self.problem.facts if len(fact) > 1):
            constant = predicate not in self.problem.domain.changing and not others
            if constant and predicate != f"is{name.rstrip('0123456789')}":
                facts.setdefault(name, []).append(predicate.removeprefix("is"))
        lines = [f"Goal: {goal_in_words(self.problem)}"]
        lines += [f"{name}: {', '.join(words)}." for name, words in facts.items()]
        if self._players > 1:
            names = ", ".join(self.problem.players)
            turns = (
                "Everybody acts once in every step, in this order" if self.rules.moves == "joint" else "They take turns"
            )
            lines.append(f"There are {self._players} players, {names}. {turns}; who is next has a star.")
            if self.config.loop == "closed":
                example = json.dumps(dict.fromkeys(self.problem.players, "..."))
                lines.append(f"An action of everybody can be written in one message: {example}")
        return "\n".join([*lines, *self._kitchen(LiveState(self.engine.start()))])

    def _kitchen(self, world: LiveState, over: str | None = None) -> list[str]:
        """Return what the kitchen is like and, in detail, what can be done in it."""
        lines = [self._situation(world)]
        if over is None and self.config.feedback == "detailed" and self.config.loop == "closed":
            lines += ["Valid actions:", *(f"- {text}" for text in self.engine.texts(world.state))]
        return lines

    def _situation(self, world: LiveState) -> str:
        return describe(self.engine, world.state)

    def _answer(self, world: LiveState, outcomes: Sequence[CommandOutcome], over: str | None) -> str:
        answer = super()._answer(world, outcomes, over)
        return answer if self.config.loop == "open" else "\n".join([answer, *self._kitchen(world, over)])

    # Actions

    def _begin(self) -> LiveState:
        return LiveState(self.engine.start())

    def _take(self, world: LiveState, message: object) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        if isinstance(message, str):
            deed = self.engine.find(world.state, message)
            if deed is not None and self._is_entry(message):
                return self._carry_out(world, message, deed)
        joint = self._joint(message)
        after, outcomes = self._single(world, message) if joint is None else self._round(world, joint)
        if after.done == world.done and after.end is None:
            failed = after.streak + 1 >= TRIES
            after = after._replace(streak=0 if failed else after.streak + 1, failures=after.failures + failed)
        return after, outcomes

    def _single(self, world: LiveState, message: object) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        """Take the first action of a message."""
        submitted = [message] if isinstance(message, Mapping) and "action" in message else message
        try:
            actions = reading(self.problem, submitted, self.rules).commands
        except PlanError as error:
            return world, (self._unreadable(world, message, quoted(str(error), 300)),)
        if actions:
            return self._act(world, self._entry(actions[0]))
        if isinstance(message, str) and finishes(message, self.problem.domain):
            return world._replace(end="handed_in"), (CommandOutcome("Finish", "close", world.done, world.done),)
        return world, (self._unreadable(world, message, "there is no action in it"),)

    def _round(self, world: LiveState, joint: Mapping[str, object]) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        """Let everybody act who has not acted in this round."""
        players = self.problem.players
        first = players.index(self.engine.player(world.state))
        early = [name for name in players[:first] if name in joint]
        if early:
            reason = f"{early[0]} has acted in this round already, it is the turn of {players[first]}"
            return world, (self._unreadable(world, joint, reason),)
        outcomes: tuple[CommandOutcome, ...] = ()
        for player in players[first:]:
            if self._over(world):
                break
            entry = joint.get(player)
            acted = False
            if isinstance(entry, str) and entry.strip():
                done = world.done
                world, results = self._act(world, entry if self._is_entry(entry) else self._entry(entry))
                outcomes, acted = outcomes + results, world.done > done
            idle = None if acted or self._over(world) else self._idle(world)
            if idle is not None:
                world, results = self._act(world, idle)
                outcomes += results
        return world, outcomes

    def _act(self, world: LiveState, entry: str) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        """Try an action that is written as in a submission."""
        deed = self.engine.find(world.state, entry)
        if deed is not None:
            return self._carry_out(world, entry, deed)
        refusal = explain(self.engine, world.state, entry)
        reason = refusal.message
        if refusal.kind == "precondition" and isinstance(refusal.required, tuple):
            reason = f"needs {listed([condition_in_words(part.split()) for part in refusal.required])}"
        text = f"{quoted(entry, 80)}: refused, {clean(reason, 300)}"
        outcome = CommandOutcome(entry[:MAX_KEPT], "lost", world.done, world.done, refusal.kind, text)
        return world._replace(past=Past(entry, world.past), tried=world.tried + 1), (outcome,)

    def _carry_out(self, world: LiveState, entry: str, deed: int) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        """Carry out a legal action."""
        engine = self.engine
        state, past, tried, done, steps, _, _, failures = world
        state = engine.step(state, deed)
        steps += engine.deeds[deed].ticks
        end = "completed" if engine.goal(state) else None
        outcome = CommandOutcome(entry[:MAX_KEPT], "act", done, done + 1)
        return LiveState(state, Past(entry, past), tried + 1, done + 1, steps, end, 0, failures), (outcome,)

    def _unreadable(self, world: LiveState, message: object, reason: str) -> CommandOutcome:
        """Return what becomes of a message without an action: nothing, not even a refused one."""
        text = message[:MAX_KEPT] if isinstance(message, str) else type(message).__name__
        answer = f"{quoted(text, 80)}: not understood, {reason}"
        return CommandOutcome(text, "lost", world.done, world.done, "unreadable", answer)

    def _idle(self, world: LiveState) -> str | None:
        """Return how to do nothing, if that is possible."""
        return next((one.text for one in self._legal(world) if one.kind == "wait"), None)

    def _joint(self, message: object) -> Mapping[str, object] | None:
        """Return the actions of a message by players, ``None`` if it has another form."""
        if self._players == 1:
            return None
        value = whole_value(message) if isinstance(message, str) and message.lstrip()[:1] == "{" else message
        names = self.problem.players
        return value if isinstance(value, Mapping) and value and all(name in names for name in value) else None

    def _entry(self, text: str) -> str:
        """Return how a submission says an action, so that it is read as just that."""
        return reading(self.problem, [text[:MAX_KEPT]], self.rules).commands[0]

    def _is_entry(self, text: str) -> bool:
        """Return whether a legal action is written as submissions are read."""
        is_entry = self._entries.get(text)
        if is_entry is None:
            is_entry = self._entries[text] = reading(self.problem, [text], self.rules).commands == [text]
        return is_entry

    def _over(self, world: LiveState) -> str | None:
        if world.end is not None:
            return world.end
        if self.step_limit is not None and world.steps >= self.step_limit:
            return "step_limit"
        if world.tried >= MAX_ACTIONS:
            return "action_limit"
        return "refused" if self.config.bounded and world.failures >= ATTEMPTS else None

    def _clock(self, world: LiveState) -> int:
        return world.done

    def _player(self, world: LiveState) -> str | None:
        return self.engine.player(world.state) if self._players > 1 else None

    def _legal(self, world: LiveState) -> Sequence[LegalCommand]:
        texts, commands = self.engine.texts(world.state), self._commands
        try:
            return [commands[deed] for deed in texts.values()]
        except KeyError:
            for text, deed in texts.items():
                kind = "wait" if self.engine.deeds[deed].position in self._waits else "act"
                commands.setdefault(deed, LegalCommand(text, kind))
            return self._legal(world)

    # Submission

    def _handed_in(self) -> dict[str, object]:
        actions, past = [], self.state.world.past
        while past is not None:
            actions.append(past.action)
            past = past.before
        return self._plan_of(actions[::-1])

    def _plan_of(self, message: object) -> dict[str, object]:
        return super()._plan_of(message) | ({} if self.step_limit is None else {"limit": self.step_limit})
