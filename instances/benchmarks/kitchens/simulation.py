"""Simulator of kitchens, records of actions, and reasons of refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from planoracle.instances.benchmarks.kitchens import language
from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State, compiled
from planoracle.instances.benchmarks.kitchens.domain import ACTOR, ActionSchema
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Atom, Kitchen, KitchenRules
from planoracle.instances.model.violations import Replay, ReplayEvent, Violation
from planoracle.instances.protocol.simulator import CLOSE, LegalCommand, Simulator, Step, Unreadable, entries_of, fold

#: Reasons of refusals: not an action of the domain, unknown objects, another player's turn, an unmet condition.
REFUSALS = ("unknown_action", "unknown_object", "not_your_turn", "precondition")

#: Maximum number of characters of an action in a step.
MAX_TEXT = 200

#: Text of an action, a message without one (a refused action, see `KitchenText`), or ``None``: the agent ends the run.
KitchenCommand: TypeAlias = str | Unreadable | None

_MESSAGES: dict[str, Callable[[Violation], str]] = {
    "unknown_action": lambda _: "does not match any action",
    "unknown_object": lambda v: f"there is no {v.resource}",
    "unfit": lambda _: "is not possible with objects of these types",
    "unreadable": lambda v: str(v.actual),
    "not_your_turn": lambda v: f"it is {v.required}'s turn",
    "precondition": lambda v: f"needs {v.names}",
}


class Refusal(Violation):
    """Refused action; the kind is one of `REFUSALS`, ``required`` are the unmet conditions."""

    __slots__ = ()

    position: int

    @property
    def message(self) -> str:
        """Description of the violation."""
        return _MESSAGES[self.case or self.kind](self)


@dataclass(slots=True, eq=False, repr=False)
class KitchenStep:
    """One action of a run; immutable.

    Attributes
    ----------
    action
        Text of the action.
    action_number
        Number of the ground action; ``None`` if the action was refused.
    reached
        True if the action reached the goal.
    state, rules
        State before the action, and the rules that interpret the state.
    refusal
        Reason of the refusal.
    before
        Previous action of the run.
    """

    action: str
    action_number: int | None
    reached: bool
    state: State
    rules: CompiledKitchen
    refusal: Refusal | None
    before: KitchenStep | None

    @property
    def valid(self) -> bool:
        """True if the action was carried out."""
        return self.action_number is not None

    @property
    def choices(self) -> int:
        """Number of legal actions before it, computed on demand."""
        return len(self.rules.legal(self.state))


class KitchenRunState(NamedTuple):
    """State of a run; immutable.

    Attributes
    ----------
    kitchen
        State of the compiled rules, see `KitchenSimulator.engine`.
    last, tried
        Last action, linked to the previous ones, and number of all actions, refused ones included.
    done, ticks
        Numbers of actions that were carried out, and of steps as the rules count them, see `StepRecord.steps_taken`.
    end
        ``completed``, or ``handed_in`` by the agent.
    """

    kitchen: State
    last: KitchenStep | None = None
    tried: int = 0
    done: int = 0
    ticks: int = 0
    end: str | None = None


@dataclass(frozen=True)
class StepRecord:
    """Record of one list of actions.

    Attributes
    ----------
    steps
        One per executed or refused action.
    states
        State before each action, and the last state; `rules` interprets them.
    end
        ``completed`` (goal reached), ``limit`` (step limit reached) or ``exhausted`` (no further action).
    steps_taken
        Legal actions, with joint moves complete rounds; and refused actions if the rules count them.
    """

    rules: CompiledKitchen
    steps: tuple[KitchenStep, ...]
    states: tuple[State, ...]
    refusals: tuple[Refusal, ...]
    end: str
    steps_taken: int

    @property
    def success(self) -> bool:
        """True if the goal was reached."""
        return self.end == "completed"


class KitchenSimulator(Simulator[KitchenRunState, KitchenCommand]):
    """Rules of a kitchen: a refused action changes nothing, and takes a step only if the rules say so.

    Parameters
    ----------
    limit
        Steps after which a run ends; ``None``: no limit.

    Attributes
    ----------
    engine
        Compiled rules.
    """

    def __init__(self, kitchen: Kitchen, rules: KitchenRules, limit: int | None = None) -> None:
        self.engine = compiled(kitchen, rules)
        self.limit = limit

    def initial(self) -> KitchenRunState:
        """Return the state before the first action."""
        return KitchenRunState(self.engine.start())

    def apply(self, state: KitchenRunState, command: KitchenCommand) -> tuple[KitchenRunState, tuple[Step, ...]]:
        """Return the state after an action."""
        kitchen, last, tried, done, ticks, _ = state
        if command is None:
            return state._replace(end="handed_in"), (Step(tried, CLOSE, "close", ticks, ticks),)
        if isinstance(command, Unreadable):
            state, refusal = self._refused(state, command.text, "unknown_action", {})
            unread = refusal._replace(case="unreadable", actual=command.reason)
            return state, (Step(tried, command.text, "lost", ticks, state.ticks, unread),)
        engine = self.engine
        number = engine.find(kitchen, command)
        if number is None:
            kind, facts = _reason(engine, kitchen, command)
            state, refusal = self._refused(state, command, kind, facts)
            return state, (Step(tried, command[:MAX_TEXT], "lost", ticks, state.ticks, refusal),)
        next_kitchen = engine.step(kitchen, number)
        reached = engine.goal(next_kitchen)
        last = KitchenStep(command, number, reached, kitchen, engine, None, last)
        end = ticks + engine.actions[number].ticks
        reason = "completed" if reached else None
        next_state = KitchenRunState(next_kitchen, last, tried + 1, done + 1, end, reason)
        return next_state, (Step(tried, command[:MAX_TEXT], "act", ticks, end),)

    def _refused(
        self, state: KitchenRunState, text: str, kind: str, facts: dict[str, Any]
    ) -> tuple[KitchenRunState, Refusal]:
        """Return the state after a refused action, and the refusal; ``facts`` are further fields of it."""
        end = state.ticks + self.engine.rules.count_refused
        refusal = Refusal(state.tried, kind, text[:80], start=state.ticks, end=end, **facts)
        last = KitchenStep(text, None, False, state.kitchen, self.engine, refusal, state.last)
        return state._replace(last=last, tried=state.tried + 1, ticks=end), refusal

    def legal(self, state: KitchenRunState) -> Sequence[LegalCommand]:
        """Return every legal action; of actions with the same text only the first one."""
        return self.engine.commands(state.kitchen)

    def ended(self, state: KitchenRunState) -> str | None:
        """Return the reason for the end of the run."""
        return "step_limit" if state.end is None and self._is_over(state) else state.end

    def _is_over(self, state: KitchenRunState) -> bool:
        return self.limit is not None and state.ticks >= self.limit

    def success(self, state: KitchenRunState) -> bool:
        """Return True if the goal was reached."""
        return state.end == "completed"

    def clock(self, state: KitchenRunState) -> int:
        """Return the steps as the rules count them, see `StepRecord.steps_taken`."""
        return state.ticks

    def record(self, state: KitchenRunState) -> StepRecord:
        """Return all actions so far, and the states before them."""
        steps: list[KitchenStep] = entries_of(state.last)
        end = "limit" if self._is_over(state) else "exhausted"
        if state.end == "completed":
            end = "completed"
        states = (*(step.state for step in steps), state.kitchen)
        refusals = tuple(step.refusal for step in steps if step.refusal is not None)
        return StepRecord(self.engine, tuple(steps), states, refusals, end, state.ticks)

    def verdict(self, state: KitchenRunState) -> Replay:
        """Return the verdict on all actions so far."""
        return as_replay(self.record(state))


def as_replay(run: StepRecord) -> Replay:
    """Return a record as a verdict: refused actions are its violations, a tick is a step.

    Progress is the share of the goal's conditions that hold for some objects.
    """
    engine = run.rules
    events: list[ReplayEvent] = []
    idle: list[tuple[int, int]] = []
    clock, share = 0, engine.share(run.states[0])
    for position, step in enumerate(run.steps):
        if step.action_number is None:
            end = clock + engine.rules.count_refused
        else:
            action = engine.actions[step.action_number]
            end = clock + action.ticks
            if action.is_wait:
                idle.append((clock, end))
            share = engine.share(run.states[position + 1])
        events.append(ReplayEvent(position, step.action[:80], clock, end, step.valid, share))
        clock = end
    return Replay(
        events=tuple(events),
        violations=run.refusals,
        fatal=None,
        executed=len(run.steps) - len(run.refusals),
        progress=share,
        goal_ratio=float(run.success),
        success=run.success,
        makespan=run.steps_taken,
        remaining={},
        idle=tuple(idle),
    )


def trace(
    kitchen: Kitchen, actions: Iterable[str], rules: KitchenRules = PROFILES["released"], limit: int | None = None
) -> StepRecord:
    """Run actions until the goal is reached, ``limit`` steps are taken or there are none left.

    Never raises for the content of an action.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.kitchens.problems import kitchen_from_document
    >>> kitchen = kitchen_from_document(
    ...     {"format": "planoracle/kitchen", "version": 1, "name": "tiny", "stations": {"table1": ["bread1"]},
    ...      "players": {"robot1": {"at": "table1"}}, "goal": [["has_item", "robot1", "bread#1"]]}, "example")
    >>> run = trace(kitchen, ["Cut bread1 on table1 using robot1", "Pick up bread1 from table1 using robot1"])
    >>> run.end, run.steps_taken, run.refusals[0].message
    ('completed', 1, 'needs isboard table1, iscuttable bread1')
    """
    simulator = KitchenSimulator(kitchen, rules, limit)
    return simulator.record(fold(simulator, actions)[0])


def reaches_goal(
    kitchen: Kitchen, actions: Iterable[KitchenCommand], rules: KitchenRules, limit: int | None = None
) -> bool:
    """Return True if a `trace` of the actions is a success, without computing reasons of refusals."""
    engine = compiled(kitchen, rules)
    state, ticks = engine.start(), 0
    for command in actions:
        if command is None or (limit is not None and ticks >= limit):
            return False
        number = None if isinstance(command, Unreadable) else engine.find(state, command)
        if number is None:
            ticks += engine.rules.count_refused
            continue
        state = engine.step(state, number)
        ticks += engine.actions[number].ticks
        if engine.goal(state):
            return True
    return False


def _reason(engine: CompiledKitchen, state: State, text: str) -> tuple[str, dict[str, Any]]:
    """Return one of `REFUSALS`, and further fields of the violation."""
    readings = language.match(text, engine.kitchen.domain)
    if not readings:
        return "unknown_action", {}
    objects = engine.objects(state)
    for _, binding in readings:
        for name in binding.values():
            if name not in objects:
                return "unknown_object", {"resource": name[:40]}
    fitting = [(action, named) for action, named in readings if language.suits(action, named, objects)]
    if not fitting:
        return "unknown_object", {"case": "unfit"}
    player = engine.player(state)
    for _, named in fitting:
        actors = [name for name in named.values() if objects[name] == ACTOR]
        if actors and player not in actors:
            return "not_your_turn", {"required": player}
    facts = engine.facts(state)
    missing = min((_missing(action, named, objects, facts) for action, named in fitting), key=len)
    return "precondition", {"required": tuple(missing)}


def _missing(
    action: ActionSchema, named: Mapping[str, str], objects: Mapping[str, str], facts: frozenset[Atom]
) -> list[str]:
    """Return the unmet conditions, for the choice of open objects with the fewest of them."""
    open_params = {param: param_type for param, param_type in action.params if param not in named}
    choices = []
    for param_type in open_params.values():
        names_of_type = [name for name, object_type in objects.items() if object_type == param_type]
        choices.append(names_of_type or ["?"])
    best: list[str] | None = None
    for names in product(*choices):
        binding = {**named, **dict(zip(open_params, names, strict=True))}
        broken = []
        for predicate, params, value in action.conditions:
            atom = (predicate, *(binding[param] for param in params))
            if (atom in facts) != value:
                broken.append(("" if value else "not ") + " ".join(atom))
        if best is None or len(broken) < len(best):
            best = broken
    return best or ["different objects"]
