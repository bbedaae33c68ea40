"""The live environment of kitchens: one action a message, or one of every player's; answered by how things stand."""

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
from planoracle.instances.protocol.environment import (
    USUAL,
    CommandOutcome,
    Environment,
    LegalCommand,
    Reward,
    RunConfig,
)
from planoracle.instances.protocol.feedback import clean, listed, quoted

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


class KitchenEnvironment(Environment[Kitchen, Profile, LiveState]):
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
        manner: RunConfig = USUAL,
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
        super().__init__(problem, rules, manner, reward)

    # What is said

    def instructions(self) -> str:
        """Return how actions are written, what they need and what comes of them."""
        whole = self.manner.loop == "open"
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
            if self.manner.loop == "closed":
                said = json.dumps(dict.fromkeys(self.problem.players, "..."))
                lines.append(f"An action of everybody can be written in one message: {said}")
        return "\n".join([*lines, *self._kitchen(LiveState(self.engine.start()))])

    def _kitchen(self, world: LiveState, over: str | None = None) -> list[str]:
        """Return what the kitchen is like and, in detail, what can be done in it."""
        lines = [self._situation(world)]
        if over is None and self.manner.feedback == "detailed" and self.manner.loop == "closed":
            lines += ["Valid actions:", *(f"- {text}" for text in self.engine.texts(world.state))]
        return lines

    def _situation(self, world: LiveState) -> str:
        return describe(self.engine, world.state)

    def _answer(self, world: LiveState, outcomes: Sequence[CommandOutcome], over: str | None) -> str:
        told = super()._answer(world, outcomes, over)
        return told if self.manner.loop == "open" else "\n".join([told, *self._kitchen(world, over)])

    # What is done

    def _begin(self) -> LiveState:
        return LiveState(self.engine.start())

    def _take(self, world: LiveState, said: object) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        if isinstance(said, str):
            deed = self.engine.find(world.state, said)
            if deed is not None and self._is_entry(said):
                return self._done(world, said, deed)
        joint = self._joint(said)
        after, outcomes = self._single(world, said) if joint is None else self._round(world, joint)
        if after.done == world.done and after.end is None:
            failed = after.streak + 1 >= TRIES
            after = after._replace(streak=0 if failed else after.streak + 1, failures=after.failures + failed)
        return after, outcomes

    def _single(self, world: LiveState, said: object) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        """Take the first action of a message."""
        given = [said] if isinstance(said, Mapping) and "action" in said else said
        try:
            found = reading(self.problem, given, self.rules).commands
        except PlanError as error:
            return world, (self._unreadable(world, said, quoted(str(error), 300)),)
        if found:
            return self._act(world, self._entry(found[0]))
        if isinstance(said, str) and finishes(said, self.problem.domain):
            return world._replace(end="handed_in"), (CommandOutcome("Finish", "close", world.done, world.done),)
        return world, (self._unreadable(world, said, "there is no action in it"),)

    def _round(self, world: LiveState, joint: Mapping[str, object]) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        """Let everybody act who has not acted in this round."""
        players = self.problem.players
        first = players.index(self.engine.player(world.state))
        early = [name for name in players[:first] if name in joint]
        if early:
            told = f"{early[0]} has acted in this round already, it is the turn of {players[first]}"
            return world, (self._unreadable(world, joint, told),)
        outcomes: tuple[CommandOutcome, ...] = ()
        for player in players[first:]:
            if self._over(world):
                break
            said = joint.get(player)
            acted = False
            if isinstance(said, str) and said.strip():
                done = world.done
                world, found = self._act(world, said if self._is_entry(said) else self._entry(said))
                outcomes, acted = outcomes + found, world.done > done
            idle = None if acted or self._over(world) else self._idle(world)
            if idle is not None:
                world, found = self._act(world, idle)
                outcomes += found
        return world, outcomes

    def _act(self, world: LiveState, entry: str) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        """Try an action that is written as in a submission."""
        deed = self.engine.find(world.state, entry)
        if deed is not None:
            return self._done(world, entry, deed)
        refusal = explain(self.engine, world.state, entry)
        why = refusal.message
        if refusal.kind == "precondition" and isinstance(refusal.required, tuple):
            why = f"needs {listed([condition_in_words(part.split()) for part in refusal.required])}"
        told = f"{quoted(entry, 80)}: refused, {clean(why, 300)}"
        outcome = CommandOutcome(entry[:MAX_KEPT], "lost", world.done, world.done, refusal.kind, told)
        return world._replace(past=Past(entry, world.past), tried=world.tried + 1), (outcome,)

    def _done(self, world: LiveState, entry: str, deed: int) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        """Carry out a legal action."""
        engine = self.engine
        state, past, tried, done, steps, _, _, failures = world
        state = engine.step(state, deed)
        steps += engine.deeds[deed].ticks
        end = "completed" if engine.goal(state) else None
        outcome = CommandOutcome(entry[:MAX_KEPT], "act", done, done + 1)
        return LiveState(state, Past(entry, past), tried + 1, done + 1, steps, end, 0, failures), (outcome,)

    def _unreadable(self, world: LiveState, said: object, why: str) -> CommandOutcome:
        """Return what becomes of a message without an action: nothing, not even a refused one."""
        text = said[:MAX_KEPT] if isinstance(said, str) else type(said).__name__
        told = f"{quoted(text, 80)}: not understood, {why}"
        return CommandOutcome(text, "lost", world.done, world.done, "unreadable", told)

    def _idle(self, world: LiveState) -> str | None:
        """Return how to do nothing, if that is possible."""
        return next((one.text for one in self._legal(world) if one.kind == "wait"), None)

    def _joint(self, said: object) -> Mapping[str, object] | None:
        """Return what is said for players by their names, if it is."""
        if self._players == 1:
            return None
        value = whole_value(said) if isinstance(said, str) and said.lstrip()[:1] == "{" else said
        names = self.problem.players
        return value if isinstance(value, Mapping) and value and all(name in names for name in value) else None

    def _entry(self, text: str) -> str:
        """Return how a submission says an action, so that it is read as just that."""
        return reading(self.problem, [text[:MAX_KEPT]], self.rules).commands[0]

    def _is_entry(self, text: str) -> bool:
        """Whether a legal action is written as submissions are read."""
        known = self._entries.get(text)
        if known is None:
            known = self._entries[text] = reading(self.problem, [text], self.rules).commands == [text]
        return known

    def _over(self, world: LiveState) -> str | None:
        if world.end is not None:
            return world.end
        if self.step_limit is not None and world.steps >= self.step_limit:
            return "step_limit"
        if world.tried >= MAX_ACTIONS:
            return "action_limit"
        return "refused" if self.manner.bounded and world.failures >= ATTEMPTS else None

    def _clock(self, world: LiveState) -> int:
        return world.done

    def _player(self, world: LiveState) -> str | None:
        return self.engine.player(world.state) if self._players > 1 else None

    def _legal(self, world: LiveState) -> Sequence[LegalCommand]:
        found, known = self.engine.texts(world.state), self._commands
        try:
            return [known[deed] for deed in found.values()]
        except KeyError:
            for text, deed in found.items():
                kind = "wait" if self.engine.deeds[deed].position in self._waits else "act"
                known.setdefault(deed, LegalCommand(text, kind))
            return self._legal(world)

    # What is handed in

    def _handed_in(self) -> dict[str, object]:
        actions, past = [], self.state.world.past
        while past is not None:
            actions.append(past.action)
            past = past.before
        return self._plan_of(actions[::-1])

    def _plan_of(self, said: object) -> dict[str, object]:
        return super()._plan_of(said) | ({} if self.step_limit is None else {"limit": self.step_limit})
