"""Critic of kitchens: which conditions an action lacked, and what the goal still lacks at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from planoracle.analysis.critics.common import (
    Best,
    Clock,
    Examined,
    Finding,
    Topic,
    clean,
    given_plan,
    listed,
    sentence,
)
from planoracle.analysis.efficiency import joined
from planoracle.analysis.judges.common import steps_limit
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.kitchens.language import parse
from planoracle.instances.kitchens.profile import PROFILES, Profile
from planoracle.instances.kitchens.run import Refusal, Run, as_replay, replay
from planoracle.instances.robotouille.failures import Lack, lacks
from planoracle.instances.status import Status

__all__ = ["TOPICS", "RobotouilleCritic"]

TOPICS = (
    Topic("reading", "Actions that do not exist", ("unknown_action",), "Write actions exactly as they are listed."),
    Topic("unknown", "Objects that do not fit", ("unknown_object",), "Use the objects that there are."),
    Topic("turns", "Turns", ("not_your_turn",), "Act only with the player whose turn it is."),
    Topic("conditions", "Conditions", ("precondition",), "Make these conditions true first."),
    Topic("completeness", "Goal", (), "Go on until the goal holds."),
)

_UNREACHED = {
    "unprepared": "{objects} is not yet {predicate}",
    "wrong_stack": "the order of the stack is wrong: {condition} does not hold",
    "wrong_place": "{condition} does not hold",
    "missing": "{condition} does not hold, nothing of the kind is there",
}

# How conditions of the usual domains are written; others are written as they are.
_WORDS = {
    "loc": "{0} at {1}",
    "item_at": "{0} at {1}",
    "item_on": "{0} directly on {1}",
    "container_at": "{0} at {1}",
    "atop": "{0} on top of {1}",
    "has_item": "{0} holding {1}",
    "has_container": "{0} holding {1}",
    "nothing": "{0} with empty hands",
    "clear": "nothing on top of {0}",
    "station_empty": "nothing on {0}",
    "container_empty": "nothing in {0}",
    "vacant": "nobody at {0}",
    "in": "{0} in {1}",
    "addedto": "{0} added to {1}",
}


class RobotouilleCritic:
    """Critic under one profile; kitchens are solved for ``seconds`` at most, each once."""

    topics = TOPICS

    def __init__(self, rules: Profile = PROFILES["paper"], seconds: float = 10.0) -> None:
        self.rules = rules
        self.seconds = seconds

    def examine(self, kitchen: Kitchen, submission: Any) -> Examined:
        """Examine ``submission["actions"]`` (or ``"plan"``) within its ``limit`` of steps, or the plan itself."""
        limit = steps_limit(submission)
        made = parse(given_plan(submission, "actions", "plan"), kitchen.domain, self.rules)
        run = replay(kitchen, made, self.rules, limit)
        missing = () if run.success else lacks(run.rules, run.states[-1])
        judged = as_replay(run)
        over = ("The steps were over.",) if run.end == "limit" else ()
        return Examined(
            replay=judged,
            findings=tuple(_finding(run, refusal, judged.events[refusal.position].start) for refusal in run.refusals),
            clock=Clock(
                lambda tick: f"step {tick + 1}", lambda ticks: f"{ticks} step{'' if ticks == 1 else 's'}", slots=True
            ),
            command=lambda index: f"command {index + 1}",
            remarks={"completeness": tuple(map(_remark, missing))} if missing else {},
            notes=over,
            aim="goal",
        )

    def name(self, problem: Kitchen) -> Callable[[str], str]:
        """Return the function that names the subjects of findings."""
        return clean

    def best(self, problem: Kitchen) -> Best:
        """Return what the planner knows about the fewest steps."""
        return _best(problem, self.rules, self.seconds)


@lru_cache(maxsize=256)
def _best(kitchen: Kitchen, rules: Profile, seconds: float) -> Best:
    from planoracle.solver.kitchens.planner import plan

    found = plan(kitchen, time_limit=seconds, rules=rules)
    if found.status != Status.optimal:
        return Best(found.status, None, found.lower_bound)
    steps = found.rounds if rules.moves == "joint" else found.makespan
    return Best(Status.optimal, steps, steps, joined(as_replay(replay(kitchen, found.actions, rules)).idle))


def _finding(run: Run, refusal: Refusal, start: int) -> Finding:
    action = run.steps[refusal.position].action
    number = refusal.position + 1
    required: tuple[str, ...] | None = None
    if refusal.kind == "precondition":
        required = tuple(refusal.message.removeprefix("needs ").split(", "))
        why = f"needs {listed([_condition(part.split()) for part in required])}"
    else:
        why = clean(refusal.message)
    text = sentence(f'command {number} ("{clean(action, 70)}"): {why}')
    return Finding(refusal.kind, action[:80], text, refusal.position, start, start, required=required)


def _remark(lack: Lack) -> Finding:
    words = _condition(lack.objects)
    names = [clean(name) for name in lack.objects[1:]]
    text = _UNREACHED[lack.kind].format(
        objects=listed(names) or "it", predicate=clean(lack.objects[0]).removeprefix("is"), condition=words
    )
    return Finding(lack.kind, " ".join(lack.objects), sentence(text), required=(" ".join(lack.condition),))


def _condition(words: Sequence[str]) -> str:
    """Write a condition in words."""
    if words[0] == "not":
        return f"that it is not so: {_condition(words[1:])}"
    predicate, *names = (clean(word) for word in words)
    if predicate in _WORDS and len(names) == _WORDS[predicate].count("{"):
        return _WORDS[predicate].format(*names)
    if len(names) == 1 and predicate.startswith("is"):
        return f"{names[0]} to be {predicate.removeprefix('is')}"
    return " ".join((predicate, *names))
