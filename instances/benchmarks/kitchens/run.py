"""Runs in kitchens: replay of a plan step by step, and its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from planoracle.instances.benchmarks.kitchens import language
from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State, compiled
from planoracle.instances.benchmarks.kitchens.domain import ACTOR, ActionSchema
from planoracle.instances.benchmarks.kitchens.effects import GroundEffect, Running
from planoracle.instances.benchmarks.kitchens.kitchen import Atom, Kitchen
from planoracle.instances.benchmarks.kitchens.rules import PROFILES, Profile
from planoracle.instances.model.violations import Replay, ReplayEvent, Violation
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.run import Run
from planoracle.instances.protocol.simulator import Step

#: Why an action is refused: no action of the domain, or on no objects of the kitchen; somebody else's turn; a
#: condition of the action does not hold.
REFUSALS = ("unknown_action", "unknown_object", "not_your_turn", "precondition")


class KitchenStep(NamedTuple):
    """One action: whether it was legal and reached the goal; its place in the deeds; the state before it."""

    action: str
    valid: bool
    reached: bool
    deed: int | None
    before: State
    rules: CompiledKitchen

    @property
    def choices(self) -> int:
        """Number of legal actions before it, computed on demand."""
        return len(self.rules.legal(self.before))


_MESSAGES: dict[str, Callable[[Violation], str]] = {
    "unknown_action": lambda _: "is not written like any action",
    "unknown_object": lambda v: f"there is no {v.resource}",
    "unfit": lambda _: "it cannot be done with objects like these",
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


@dataclass(frozen=True)
class StepRecord:
    """Verdict on one list of actions.

    Attributes
    ----------
    steps
        One per action reached.
    states
        The state before each of them, and the last one; `rules` knows what they mean.
    end
        ``completed`` (goal reached), ``limit`` (so many steps taken) or ``exhausted`` (no actions left).
    steps_taken
        Legal actions: a refused one changes nothing and costs nothing. With joint moves, complete rounds.
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


def replay(
    kitchen: Kitchen, actions: Iterable[str], rules: Profile = PROFILES["released"], limit: int | None = None
) -> StepRecord:
    """Run actions until the goal is reached, ``limit`` steps are taken or there are none left.

    Nothing an action holds can make this raise.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.kitchens.problems import kitchen_from_document
    >>> kitchen = kitchen_from_document(
    ...     {"format": "planoracle/kitchen", "version": 1, "name": "tiny", "stations": {"table1": ["bread1"]},
    ...      "players": {"robot1": {"at": "table1"}}, "goal": [["has_item", "robot1", "bread#1"]]}, "example")
    >>> run = replay(kitchen, ["Cut bread1 on table1 using robot1", "Pick up bread1 from table1 using robot1"])
    >>> run.end, run.steps_taken, run.refusals[0].message
    ('completed', 1, 'needs isboard table1, iscuttable bread1')
    """
    engine = compiled(kitchen, rules)
    state = engine.start()
    steps: list[KitchenStep] = []
    states = [state]
    refusals = []
    steps_taken = 0
    end = "exhausted"
    for position, text in enumerate(actions):
        if limit is not None and steps_taken >= limit:
            break
        before, action = state, engine.find(state, text)
        reached = False
        if action is None:
            refusals.append(explain(engine, state, text, position, steps_taken))
        else:
            state = engine.step(state, action)
            steps_taken += engine.deeds[action].ticks
            reached = engine.goal(state)
        steps.append(KitchenStep(text, action is not None, reached, action, before, engine))
        states.append(state)
        if reached:
            end = "completed"
            break
    if end == "exhausted" and limit is not None and steps_taken >= limit:
        end = "limit"
    return StepRecord(engine, tuple(steps), tuple(states), tuple(refusals), end, steps_taken)


def explain(engine: CompiledKitchen, state: State, text: str, position: int = 0, clock: int = 0) -> Refusal:
    """Return why an action is not legal."""
    kind, facts = _reason(engine, state, text)
    return Refusal(position, kind, text[:80], start=clock, end=clock, **facts)


def _reason(engine: CompiledKitchen, state: State, text: str) -> tuple[str, dict[str, Any]]:
    """Return one of `REFUSALS`, and the fields of the violation that say more."""
    readings = language.match(text, engine.kitchen.domain)
    if not readings:
        return "unknown_action", {}
    objects = engine.objects(state)
    missing = [name for _, binding in readings for name in binding.values() if name not in objects]
    if missing:
        return "unknown_object", {"resource": missing[0][:40]}
    fitting = [(action, named) for action, named in readings if _fits(action, named, objects)]
    if not fitting:
        return "unknown_object", {"case": "unfit"}
    player = engine.player(state)
    for _, named in fitting:
        others = [name for name in named.values() if objects[name] == ACTOR]
        if others and player not in others:
            return "not_your_turn", {"required": player}
    facts = engine.facts(state)
    missing = min((_missing(action, named, objects, facts) for action, named in fitting), key=len)
    return "precondition", {"required": tuple(missing)}


def _fits(action: ActionSchema, named: Mapping[str, str], objects: Mapping[str, str]) -> bool:
    types = dict(action.params)
    distinct = len(set(named.values())) == len(named)
    return distinct and all(objects[name] == types[param] for param, name in named.items())


def _missing(
    action: ActionSchema, named: Mapping[str, str], objects: Mapping[str, str], facts: frozenset[Atom]
) -> list[str]:
    """Return the unmet conditions, for the choice of open objects with the fewest of them."""
    hidden = [(param, kind) for param, kind in action.params if param not in named]
    choices = [[name for name, its_type in objects.items() if its_type == kind] or ["?"] for _, kind in hidden]
    best: list[str] | None = None
    for names in product(*choices):
        binding = {**named, **dict(zip((param for param, _ in hidden), names, strict=True))}
        broken = []
        for predicate, params, value in action.conditions:
            atom = (predicate, *(binding[param] for param in params))
            if (atom in facts) != value:
                broken.append(("" if value else "not ") + " ".join(atom))
        if best is None or len(broken) < len(best):
            best = broken
    return best or ["different objects"]


def as_replay(run: StepRecord) -> Replay:
    """Return a run in the common form: refused actions are its violations, a tick is a step.

    Progress is the share of the goal's conditions that hold for some objects; what remains are the ticks and
    repetitions that effects under way still need.
    """
    actions = run.rules.kitchen.domain.actions
    events, idle = [], []
    clock = 0
    for position, step in enumerate(run.steps):
        deed = run.rules.deeds[step.deed] if step.deed is not None else None
        after = clock + (deed is not None and deed.ticks)
        share = run.rules.share(run.states[position + 1])
        events.append(ReplayEvent(position, step.action[:80], clock, after, step.valid, share))
        if deed is not None and not actions[deed.position].changes and not actions[deed.position].effects:
            idle.append((clock, after))
        clock = after
    return Replay(
        events=tuple(events),
        violations=run.refusals,
        fatal=None,
        executed=sum(step.valid for step in run.steps),
        progress=events[-1].progress if events else run.rules.share(run.states[0]),
        goal_ratio=float(run.success),
        success=run.success,
        makespan=run.steps_taken,
        remaining=_remaining(run.rules.running(run.states[-1])),
        idle=tuple(idle),
    )


def _remaining(effects: Iterable[Running]) -> dict[str, int]:
    remaining_ticks: dict[str, int] = {}
    for running in effects:
        if running.effect.count and not running.done:
            remaining = running.effect.count - running.count
            remaining_ticks[_label(running.effect)] = min(
                remaining, remaining_ticks.get(_label(running.effect), remaining)
            )
        else:
            remaining_ticks |= _remaining(running.nested)
    return remaining_ticks


def _label(effect: GroundEffect) -> str:
    """Name an effect by what it makes true, or creates."""
    if effect.creates is not None:
        return f"{effect.creates[1]} in {effect.argument}"
    created = sorted(" ".join(atom) for atom, value in effect.changes if value)
    return ", ".join(created) if created or not effect.effects else _label(effect.effects[0])


class KitchenRun(Run[Kitchen, list[str], Profile]):
    """A run in a kitchen: every action is a decision; a refused one changes nothing and takes no time.

    Attributes
    ----------
    record
        What became of every action, and the states before them.
    """

    def __init__(self, problem: Kitchen, plan: Plan[list[str]], rules: Profile) -> None:
        self.record = replay(problem, plan.commands, rules, plan.limit)
        super().__init__(problem, plan, rules, as_replay(self.record))

    @property
    def makespan(self) -> int | None:
        """Legal actions of a run that is a success, those of all players; else ``None``."""
        return len(self.legal) if self.success else None

    def in_time(self, ticks: int) -> bool:
        """Return whether so many legal actions keep the limit, which counts rounds with joint moves."""
        players = len(self.problem.players) if self.rules.moves == "joint" else 1
        return super().in_time(-(-ticks // players))

    @property
    def legal(self) -> list[str]:
        """The actions that were carried out."""
        return [act.action for act in self.record.steps if act.valid]

    @property
    def steps(self) -> list[Step]:
        """All actions that the run reached."""
        refusals = {refusal.position: refusal for refusal in self.record.refusals}
        decisions: list[Step] = []
        clock = 0
        for n, act in enumerate(self.record.steps):
            kind = "act" if act.valid else "lost"
            decisions.append(Step(n, act.action[:200], kind, clock, clock + act.valid, refusals.get(n)))
            clock += act.valid
        return decisions
