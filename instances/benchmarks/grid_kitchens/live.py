"""Live environment of grid kitchens: closed loop of single actions, or open loop of whole plans."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from planoracle.instances.benchmarks.grid_kitchens.descriptions import (
    act_in_words,
    actions_in_words,
    cooking_left,
    describe,
    kitchen_in_words,
)
from planoracle.instances.benchmarks.grid_kitchens.diagnostics import GridKitchenViolation, fault_of
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen, GridKitchenRules
from planoracle.instances.benchmarks.grid_kitchens.language import (
    FINISH,
    INTERACT,
    MOVE,
    PROCESS,
    WAIT,
    CookAction,
    json_number,
    written,
)
from planoracle.instances.benchmarks.grid_kitchens.kitchen_state import Time
from planoracle.instances.benchmarks.grid_kitchens.run import carry_out
from planoracle.instances.benchmarks.grid_kitchens.simulation import (
    Loop,
    RunError,
    Simulation,
    StartedAction,
    continue_loop,
    new_loop,
)
from planoracle.instances.benchmarks.grid_kitchens.tiles import StationMap, access_tiles, tiles
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.environment import CommandOutcome, Reward, RunConfig
from planoracle.instances.protocol.feedback import quoted
from planoracle.instances.protocol.old_environment import OldEnvironment
from planoracle.instances.protocol.simulator import LegalCommand

#: With ``Manner.bounded`` a run ends after so many ticks for each order, most plans take a tenth of it.
LATEST = 500
#: Actions in all after which any run ends.
MAX_ACTIONS = 10_000
_KINDS: Final = {WAIT: "wait", FINISH: "close"}
# Of a message that cannot be read, so many characters are kept.
_MAX_EXCERPT = 200


class Past(NamedTuple):
    """Last submission of a run, and those before it."""

    message: object
    before: Past | None


class LiveState(NamedTuple):
    """A run, what was handed in so far, and how many actions these were; never changed."""

    loop: Loop
    past: Past | None = None
    actions: int = 0


class GridKitchenEnvironment(OldEnvironment[GridKitchen, GridKitchenRules, LiveState]):
    """One run on a grid kitchen.

    Closed loop: a message is an object of actions by the names of cooks, as it is or as text; cooks who have nothing to
    do begin at once, and time passes until one needs a decision. An error begins anew in a fresh kitchen, the third one
    ends the run. Open loop: a message is the whole plan; a plan with an error may be followed by another one, three are
    the most, and the last one counts.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import problem
    >>> from planoracle.instances.protocol import registry
    >>> place = problem("paracook/cook/own/seed_1/agent_num_2/orders_num_1")
    >>> run = registry.of(place).environment(place)
    >>> run.legal()[0].kind, run.step({"agent1": [{"action": "Wait", "duration": 3}]}).observation.clock
    ('act', 0)
    """

    # Texts

    def instructions(self) -> str:
        """Return how actions are written and what comes of them."""
        if self.config.loop == "open":
            form = "Say for every cook all actions from the beginning to the end, as one JSON object:"
        else:
            form = (
                "You are asked whenever a cook has nothing to do. Say what the cooks do next, as one JSON object; the "
                "actions of a cook follow those it has left. Time passes as soon as every cook has something to do:"
            )
        plan = json.dumps({name: ["..."] for name in self.problem.agents})
        return "\n".join(
            (
                "Cooks walk about in a kitchen and prepare what is ordered, as soon as can be. Time is in ticks.",
                f"{form} {plan}",
                "Actions are objects:",
                *actions_in_words(self.problem, self.rules),
            )
        )

    def introduction(self) -> str:
        """Return the map, the cooks and the orders."""
        return "\n".join(kitchen_in_words(self.problem))

    def _situation(self, world: LiveState) -> str:
        return describe(world.loop.kitchen)

    def _answer(self, world: LiveState, outcomes: Sequence[CommandOutcome], over: str | None) -> str:
        lines = [super()._answer(world, outcomes, over)]
        failed = next((one for one in outcomes if one.violation is not None), None)
        if failed is not None and over is None:
            if self.config.feedback == "detailed" and world.loop.clock.time > 0:
                lines.append(f"When that happened:\n{describe(world.loop.clock)}")
            lines.append("Everything begins anew, in a fresh kitchen.")
        if self.config.loop == "closed" and over is None:
            clock = world.loop.kitchen
            free = ", ".join(clock.ground.cooks[cook] for cook in clock.decide)
            lines += [describe(clock), f"What is to be done next by: {free}?"]
        return "\n".join(line for line in lines if line)

    # Actions

    def _begin(self) -> LiveState:
        return LiveState(new_loop(self.problem, self.rules))

    def _read(self, message: object) -> Any:
        """Return what is handed in; raises `PlanError` also for text that holds none of it."""
        reading = self.benchmark.reading(self.problem, _plain(message), self.rules)
        if not reading.commands and isinstance(message, str):
            raise PlanError("holds no action", field="plan", value=message)
        return reading.commands

    def _take(self, world: LiveState, message: object) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        submission, reason = None, ""
        try:
            submission = self._read(message)
        except PlanError as error:
            reason = quoted(str(error), 300)
        before = len(world.loop.kitchen.deeds)
        loop = continue_loop(world.loop, submission)
        after = LiveState(loop, Past(submission, world.past), world.actions + _count(submission))
        if loop.clock.error is not None and loop.clock.error.cook is None:
            return after, (_refused(message, loop.clock, reason),)
        return after, tuple(_outcomes(loop.clock, before))

    def _whole(self, world: LiveState, message: object) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        try:
            plan = self._read(message)
            if not isinstance(plan, Mapping):  # a run with several tries, which are handed in one by one
                raise PlanError("must be an object of lists of actions, by the names of cooks", field="plan")
        except PlanError as error:
            loop = continue_loop(world.loop, None)
            return world._replace(loop=loop), (_refused(message, loop.clock, quoted(str(error), 300)),)
        clock = carry_out(self.problem, plan, self.rules).clock
        loop = Loop(clock, world.loop.errors + (clock.error is not None))
        if clock.error is not None and clock.error.cook is None:
            return world._replace(loop=loop), (_refused(message, clock, ""),)
        return world._replace(loop=loop), tuple(_outcomes(clock, 0))

    def _counts(self, world: LiveState) -> bool:
        return world.loop.clock.error is None or bool(world.loop.over)

    def _over(self, world: LiveState) -> str | None:
        if world.loop.over:
            return world.loop.over
        if world.actions >= MAX_ACTIONS:
            return "action_limit"
        late = self.config.bounded and world.loop.clock.time >= LATEST * max(1, len(self.problem.orders))
        return "too_late" if late else None

    def _clock(self, world: LiveState) -> int:
        return json_number(world.loop.kitchen.time)  # type: ignore[return-value]  # a fraction only where a plan waits for one

    # Legal actions

    def _legal(self, world: LiveState) -> Sequence[LegalCommand]:
        clock = world.loop.kitchen
        of = clock.ground
        return [
            LegalCommand(submitted(of, cook, act), _KINDS.get(act.word, "act"))
            for cook in clock.decide
            for act in choices(clock, cook)
        ]

    # Submission

    def _plan_of(self, message: object) -> dict[str, object]:
        return {"plan": message}

    def _handed_in(self) -> dict[str, object]:
        messages, past = [], self.state.world.past
        while past is not None:
            messages.append(past.message)
            past = past.before
        return {"submissions": messages[::-1]}


def live(
    problem: GridKitchen, rules: GridKitchenRules, config: RunConfig, reward: Reward | None
) -> GridKitchenEnvironment:
    """Return one run on a grid kitchen."""
    return GridKitchenEnvironment(problem, rules, config, reward)


def _outcomes(clock: Simulation, since: int) -> Iterator[CommandOutcome]:
    """Yield what became of the actions started in a turn; the one that failed is the last."""
    error = clock.error
    for deed in clock.deeds[since:]:
        failed = error is not None and (deed.cook, deed.position) == (error.cook, error.position)
        if not failed:
            yield _outcome(clock, deed)
    if error is not None and (fault := fault_of(clock)) is not None:
        yield _failed(clock, error, fault)


def _outcome(clock: Simulation, deed: StartedAction) -> CommandOutcome:
    start, end = json_number(deed.start), json_number(deed.end)
    action = f"{clock.ground.cooks[deed.cook]} {act_in_words(clock, deed.act)}"
    text = f"{action}, {f'from {start} to {end}' if deed.end > deed.start else f'at {start}'}"
    kind = "wait" if deed.act.word == WAIT else "act"
    return CommandOutcome(submitted(clock.ground, deed.cook, deed.act), kind, start, end, None, text)  # type: ignore[arg-type]


def _failed(clock: Simulation, error: RunError, fault: GridKitchenViolation) -> CommandOutcome:
    assert error.cook is not None
    assert error.position is not None
    act = clock.queues[error.cook][error.position]
    now: Any = json_number(clock.time)
    is_started = error.position < clock.started[error.cook]
    command = submitted(clock.ground, error.cook, act) if is_started else fault.subject[:_MAX_EXCERPT]
    text = f"{fault.subject} at {now}: refused, {fault.message}"
    return CommandOutcome(command, "lost", now, now, error.kind, text)


def _refused(message: object, clock: Simulation, reason: str) -> CommandOutcome:
    """Return what becomes of a message that is no submission."""
    assert clock.error is not None
    text = message[:_MAX_EXCERPT] if isinstance(message, str) else type(message).__name__
    now: Any = json_number(clock.time)
    fault = fault_of(clock)
    answer = f"not understood, {reason or (fault.message if fault else '')}"
    return CommandOutcome(text, "lost", now, now, clock.error.kind, answer)


def _plain(message: object) -> object:
    """Return a message as JSON has it, so that it can be kept; what is no JSON as text."""
    if isinstance(message, str):
        return message
    try:
        return json.loads(json.dumps(message))
    except (TypeError, ValueError, RecursionError):
        return repr(type(message))


def _count(submission: object) -> int:
    """Return how many actions are handed in; a message counts as one at least."""
    each = submission.values() if isinstance(submission, Mapping) else ()
    return max(1, sum(len(actions) for actions in each if isinstance(actions, list | tuple)))


def action_space(kitchen: GridKitchen) -> ActionSpace:
    """Return what there can be to do; walks lead to where something can be used."""
    return ActionSpace(tuple(_names(kitchen)), _name, timed=True)


def _names(kitchen: GridKitchen) -> Iterator[str]:
    useful = {tile for one in kitchen.stations for tile in access_tiles(kitchen, one.name)}
    for cook in kitchen.agents:
        yield from (f"{cook}: {INTERACT} {one.name}" for one in kitchen.stations)
        yield from (
            f"{cook}: {PROCESS} {one.name}" for one in kitchen.stations if one.kind in ("chopping_board", "sink")
        )
        yield from (f"{cook}: {MOVE} [{x}, {y}]" for x, y in tiles(kitchen) if (x, y) in useful)
        yield from (f"{cook}: {WAIT}", f"{cook}: {FINISH}")


def _name(command: str) -> str:
    """Return the name of a command that hands in one action of one cook; of others the command."""
    try:
        ((cook, (action,)),) = load_json(command, "command").items()
        word, target = action["action"], action.get("target")
    except (InputError, TypeError, ValueError, KeyError, AttributeError):
        return command
    return f"{cook}: {word}" if target is None or word in (WAIT, FINISH) else f"{cook}: {word} {_target_text(target)}"


def _target_text(target: object) -> str:
    return f"[{target[0]}, {target[1]}]" if isinstance(target, list) and len(target) == 2 else str(target)


def choices(clock: Simulation, cook: int) -> Iterator[CookAction]:
    """Yield what a cook can do that is no error as things stand.

    Of walks those to where something can be used, of waits those up to something that is under way, and of a tick.
    """
    world, of = clock.world, clock.ground
    position = world.tiles[cook]
    adjacent = [number for number, near in enumerate(of.near) if position in near]
    if not (clock.finished[cook] and of.rules.finish == "final"):
        acts = [CookAction(word, station=number) for word in (INTERACT, PROCESS) for number in adjacent]
        yield from (act for act in acts if not clock.refusal(cook, act))
        useful = set().union(*of.near[: len(world.on)])
        for tile in sorted(tile for tile in of.walks(position) if tile in useful and tile != position):
            yield CookAction(MOVE, tile)
        for duration in _waits(clock):
            yield CookAction(WAIT, duration=duration)
    yield CookAction(FINISH)


def _waits(clock: Simulation) -> list[Time]:
    """Return a tick, and the ticks until each thing that is under way has happened."""
    world = clock.world
    until = [end - world.clock for end, act in zip(clock.ends, clock.acts, strict=True) if act is not None]
    until += [moment - world.clock for moment in world.coming]
    until += [remaining for number in clock.ground.stoves if (remaining := cooking_left(clock, number)) is not None]
    return sorted({1, *(ticks for ticks in until if ticks > 0)})


def submitted(of: StationMap, cook: int, act: CookAction) -> str:
    """Return an action as a submission of its own."""
    return json.dumps({of.cooks[cook]: [written(of, act)]})
