"""Live runs in kitchens: texts, the step limit of successful runs, and the setting ``react``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import cast

from planoracle.instances.benchmarks.kitchens.descriptions import (
    actions_in_phrases,
    actions_in_words,
    condition_in_words,
    describe,
    goal_in_words,
    refusal_in_words,
)
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen, KitchenRules
from planoracle.instances.benchmarks.kitchens.language import MAX_ACTIONS, finishes, logged, match, reading
from planoracle.instances.benchmarks.kitchens.measures import published_steps, step_limit
from planoracle.instances.benchmarks.kitchens.released_kitchens import request_of
from planoracle.instances.benchmarks.kitchens.simulation import (
    MAX_TEXT,
    KitchenCommand,
    KitchenRunState,
    KitchenSimulator,
)
from planoracle.instances.errors import PlanError
from planoracle.instances.model.problem import Problem
from planoracle.instances.model_output.json_values import whole_value
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.bundled_results import by_key, key_of
from planoracle.instances.protocol.environment import RunConfig
from planoracle.instances.protocol.feedback import clean, quoted
from planoracle.instances.protocol.live import LiveText
from planoracle.instances.protocol.settings import distinct
from planoracle.instances.protocol.simulator import Step, Unreadable

#: Entry of a submission for a message that has no action, or does not say which.
NO_ACTION = "(no action)"
#: Step limit without a known plan: steps for each condition of the goal, and the minimum, for every player. Proved
#: optima, of one player or several, are at most 6.25 for each condition.
STEPS_PER_CONDITION, MIN_STEP_LIMIT = 30, 100


_THINGS = """You are a player in a kitchen. Things in it are
- stations: places where something can be done to items, such as cutting and cooking;
- items: things that can be taken, put down and stacked;
- containers: pots and bowls, which can be taken and put down, too;
- meals: what is in a container;
- players: those who act, you among them."""
_RULES = """The rules of the kitchen:
- A player holds one thing at a time.
- Something can only be done to an item that lies on a station.
- The item has to be the only one on this station.
- Items are stacked on other items only.
- Items can be added to a container only if there is a meal in it.
- A meal can be moved from one container to another."""
_GOAL = """The goal is what a guest asks for, such as "a burger, please". The guest does not say everything, so use \
common sense: which ingredients are necessary, and how is each of them prepared?"""
_DISHES = """How dishes are made here:
- A sandwich is bread, then the prepared ingredients, then bread on top.
- A burger is a bottom bun, then the prepared ingredients, then a top bun.
- For a soup, water is filled into a pot, boiled together with the ingredients, and moved to a bowl."""
_ONE = """Write one action in every message, with names of things for the parameters (p players, s stations, i items, \
c containers):"""
_ALL = """Write the whole plan, one action a line, with names of things for the parameters (p players, s stations, \
i items, c containers):"""
_PARAMETERS = """Different parameters stand for different things. Each action takes time, and so does doing nothing; \
what was started goes on meanwhile."""


class KitchenText(LiveText[Kitchen, KitchenRules, KitchenRunState]):
    """Texts of a run of one or several players in a kitchen.

    A message is text with an action (the first one counts), a record with an ``"action"``, or, with several players, a
    record of their actions by name, also as JSON. Then all players act who have not acted in this round, in their
    order; after a refused action, or without one, they do nothing. A refused action changes nothing and, by default,
    takes a step. A message without an action is a refused action. ``Finish`` ends the run.

    Attributes
    ----------
    step_limit
        Limit of a success, after which a ``bounded`` run ends; ``None`` if the run is not bounded.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("kitchens/synchronous/1_lettuce_sandwich"), feedback="terse")
    >>> print(run.step("I take it. Action: Pick up lettuce1 from table2 using robot1").observation.text)
    "Pick up lettuce1 from table2 using robot1": refused
    robot1 at table1, hands empty
      board1: bread1
      table1: empty
      table2: lettuce1
      table3: bread2
    >>> run.legal()[0].text, run.step(run.legal()[0].text).observation.clock
    ('Move robot1 from table1 to board1', 2)
    """

    simulator: KitchenSimulator

    def __init__(
        self,
        problem: Kitchen,
        rules: KitchenRules,
        config: RunConfig,
        simulator: KitchenSimulator,
    ) -> None:
        kitchen = simulator.engine.kitchen
        super().__init__(kitchen, rules, config, simulator)
        self.step_limit = _step_limit(kitchen, rules) if config.bounded else None
        self._is_whole_plan = config.loop == "open"

    def instructions(self) -> str:
        """Return the rules, and the forms of actions with a phrase each."""
        if self.config.wording == 1:
            return self._rules_in_full()
        unit = self.problem.unit
        form, end = _ONE, "or you write: Finish"
        if self._is_whole_plan:
            form, end = _ALL, "or the plan ends"
        domain = self.problem.domain
        # The rules of a user's domain are in the descriptions of its actions.
        parts = (_THINGS, _RULES, _GOAL, _DISHES, form) if domain.is_standard else (_THINGS, _GOAL, form)
        describe_actions = actions_in_phrases if domain.is_standard else actions_in_words
        lines = ["\n\n".join(parts)]
        lines += [f"- {line}" for line in describe_actions(domain, unit)]
        lines.append(f"{_PARAMETERS} The run ends when the request is met, the time is over, {end}.")
        return "\n".join(lines)

    def _rules_in_full(self) -> str:
        """Return the forms of actions, their conditions and effects, as in the first wording."""
        unit = self.problem.unit
        form, end = "one action in every message", "when you write: Finish"
        if self._is_whole_plan:
            form, end = "the whole plan, one action a line", "with the last action"
        duration = "Every round takes one action of each player" if unit == "round" else "Every action takes one step"
        lines = [
            f"You cook in a kitchen, step by step: write {form}, in these words, "
            "with names of objects for the parameters: p players, s stations, i items, c containers, m meals."
        ]
        lines += [f"- {line}." for line in actions_in_words(self.problem.domain, unit)]
        lines.append(
            f"Different parameters stand for different objects. {duration}, including doing nothing. "
            f"What takes several {unit}s goes on by itself in the meantime. An action that is not "
            f"possible changes nothing. The run ends when the goal holds, or {end}."
        )
        return "\n".join(lines)

    def introduction(self) -> str:
        """Return the goal, the properties of objects, and the initial kitchen."""
        domain = self.problem.domain
        facts: dict[str, list[str]] = {}
        relations = []
        for predicate, name, *partners in sorted(self.problem.facts):
            if predicate in domain.changing or predicate == f"is{name.rstrip('0123456789')}":
                continue
            if partners:
                relations.append(condition_in_words([predicate, name, *partners], "is", domain.sentence_of))
            else:
                facts.setdefault(name, []).append(predicate.removeprefix("is"))
        lines = [f"Goal: {self._goal()}"]
        lines += [f"{name}: {', '.join(words)}." for name, words in facts.items()]
        lines += [f"{relation}." for relation in relations]
        players = self.problem.players
        if len(players) > 1:
            turns = "They act in turns"
            if self.rules.moves == "joint":
                turns = "Every player acts once in every round, in this order"
            names = ", ".join(players)
            lines.append(f"There are {len(players)} players, {names}. {turns}; a star marks the next player.")
            if not self._is_whole_plan:
                example = json.dumps(dict.fromkeys(players, "..."))
                lines.append(f"One message can contain an action of each player: {example}")
        return "\n".join([*lines, *self._kitchen(self.simulator.initial())])

    def _goal(self) -> str:
        """Return the goal as a request, or by its conditions if it has no words."""
        request = "" if self.config.wording == 1 else clean(request_of(self.problem), 500)
        return request or goal_in_words(self.problem)

    def _kitchen(self, state: KitchenRunState, over: str | None = None) -> list[str]:
        """Return the state of the kitchen and, with detailed feedback, the legal actions."""
        lines = [self.situation(state)]
        if over is None and self.config.feedback == "detailed" and not self._is_whole_plan:
            lines += ["Valid actions:", *(f"- {command.text}" for command in self.simulator.legal(state))]
        return lines

    def situation(self, state: KitchenRunState) -> str:
        """Return the positions of all players and things."""
        return describe(self.simulator.engine, state.kitchen)

    def answer(self, before: KitchenRunState, after: KitchenRunState, steps: Sequence[Step], over: str | None) -> str:
        """Return the results of the actions, and the kitchen after them."""
        answer = super().answer(before, after, steps, over)
        return answer if self._is_whole_plan else "\n".join([answer, *self._kitchen(after, over)])

    def step_text(self, before: KitchenRunState, after: KitchenRunState, step: Step) -> str:
        """Return the reason why an action is refused."""
        if step.violation is None:
            return ""
        command = quoted(step.command, 80)
        if step.violation.case == "unreadable":
            return f"{command}: not understood, {step.violation.actual}"
        if self.config.wording > 1:
            return f"{command}: refused, it is not one of the valid actions"
        reason = refusal_in_words(step.violation, self.problem.domain, 300)
        return f"{command}: refused, {clean(reason, 300)}"

    def player(self, state: KitchenRunState) -> str | None:
        """Return the player whose turn it is, if there are several players."""
        return self.simulator.engine.player(state.kitchen) if len(self.problem.players) > 1 else None

    # Actions

    def command(self, state: KitchenRunState, message: object) -> KitchenCommand:
        """Return the first action of a message, in the form of submissions."""
        if isinstance(message, str):
            is_legal = self.simulator.engine.find(state.kitchen, message) is not None
            if is_legal and self._entry(message) == message:
                return message
        submitted = [message] if isinstance(message, Mapping) and "action" in message else message
        try:
            actions = reading(self.problem, submitted, self.rules).commands
        except PlanError as error:
            return self._unreadable(message, quoted(str(error), 300))
        if actions:
            return self._entry(actions[0])
        if isinstance(message, str) and finishes(message, self.problem.domain):
            return None
        return self._unreadable(message, "the message contains no action")

    def _unreadable(self, message: object, reason: str) -> Unreadable:
        """Return the command of a message without an action, in words that are not read back as one."""
        entry = self._entry(message) if isinstance(message, str) else ""
        is_action = bool(match(entry, self.problem.domain))
        return Unreadable(entry if entry and not is_action else NO_ACTION, reason)

    def _entry(self, text: str) -> str:
        """Return the form of an action in a submission, which is read back as the same action."""
        return reading(self.problem, [text[:MAX_TEXT]], self.rules).commands[0]

    def take(self, state: KitchenRunState, message: object) -> tuple[KitchenRunState, tuple[Step, ...]]:
        """Apply the action of a message, or those of all players."""
        joint = self._joint(message)
        return super().take(state, message) if joint is None else self._round(state, joint)

    def _joint(self, message: object) -> Mapping[str, object] | None:
        """Return the actions of a message by players, ``None`` if it has another form."""
        names = self.problem.players
        if len(names) == 1:
            return None
        value = message
        if isinstance(message, str) and message.lstrip()[:1] == "{":
            value = whole_value(message)
        if not isinstance(value, Mapping) or not value:
            return None
        return value if all(name in names for name in value) else None

    def _round(self, state: KitchenRunState, joint: Mapping[str, object]) -> tuple[KitchenRunState, tuple[Step, ...]]:
        """Let all players act who have not acted in this round."""
        players = self.problem.players
        first = players.index(self.simulator.engine.player(state.kitchen))
        early = [name for name in players[:first] if name in joint]
        if early:
            reason = f"{early[0]} has already acted in this round, it is the turn of {players[first]}"
            return self.simulator.apply(state, self._unreadable(joint, reason))
        steps: list[Step] = []
        for player in players[first:]:
            done, entry = state.done, joint.get(player)
            if isinstance(entry, str) and entry.strip() and not self._is_over(state):
                state, caused = self.simulator.apply(state, self._entry(entry))
                steps += caused
            waits = [command.text for command in self.simulator.legal(state) if command.kind == "wait"]
            if state.done == done and waits and not self._is_over(state):
                state, caused = self.simulator.apply(state, waits[0])
                steps += caused
        return state, tuple(steps)

    def _is_over(self, state: KitchenRunState) -> bool:
        return (self.simulator.ended(state) or self.limit_reached(state)) is not None

    def limit_reached(self, state: KitchenRunState) -> str | None:
        """Return the limit of steps or of actions, if it is reached."""
        if self.step_limit is not None and state.ticks >= self.step_limit:
            return "step_limit"
        return "action_limit" if state.tried >= MAX_ACTIONS else None

    # Submission

    @property
    def time_limit(self) -> int | None:
        """Maximum number of steps."""
        return self.step_limit

    def submission(self, state: KitchenRunState) -> dict[str, object]:
        """Return all actions, refused ones included."""
        actions = [step.action for step in self.simulator.record(state).steps]
        return self.plan_fields(logged(actions, self.problem.domain))

    def plan_fields(self, message: object) -> dict[str, object]:
        """Return a whole plan as a submission with the limit of steps, if any."""
        return super().plan_fields(message) | ({} if self.step_limit is None else {"limit": self.step_limit})


#: Class of the texts of live runs.
TEXT = KitchenText


@lru_cache(maxsize=1024)
def _step_limit(kitchen: Kitchen, rules: KitchenRules) -> int:
    """Return the step limit of a success, or a larger one if that is unknown without solving."""
    reference: int | None = None
    if rules.limit == "published":
        reference = published_steps(kitchen.name)
    else:
        entries = registry.of(kitchen).optima.get(kitchen.name, [])
        entry = by_key(entries).get(key_of(kitchen, rules.deciding()), {})
        reference = entry.get("makespan")
    if reference is not None:
        return step_limit(reference)
    rounds = max(MIN_STEP_LIMIT, STEPS_PER_CONDITION * len(kitchen.goal.conditions))
    return rounds if rules.moves == "joint" else rounds * len(kitchen.players)


def is_unrelated(example: Problem, problem: Problem) -> bool:
    """Return whether an example is another kitchen with as many players (one, or several)."""
    return distinct(example, problem) and _has_several_players(example) == _has_several_players(problem)


def _has_several_players(problem: Problem) -> bool:
    return len(cast(Kitchen, problem).players) > 1
