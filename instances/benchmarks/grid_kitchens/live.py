"""The live environment of floors: actions of cooks, handed in whenever one has nothing to do; or a whole plan."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from planoracle.instances.benchmarks.grid_kitchens.descriptions import (
    act_in_words,
    actions_in_words,
    cooking_left,
    describe,
    floor_in_words,
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
    spoken,
    written,
)
from planoracle.instances.benchmarks.grid_kitchens.rules import Time
from planoracle.instances.benchmarks.grid_kitchens.run import carry_out
from planoracle.instances.benchmarks.grid_kitchens.simulation import (
    Loop,
    RunError,
    Simulation,
    StartedAction,
    begun,
    gone_on,
)
from planoracle.instances.benchmarks.grid_kitchens.tiles import StationMap, beside, tiles
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.environment import CommandOutcome, Environment, LegalCommand, Reward, RunConfig
from planoracle.instances.protocol.feedback import quoted

#: With ``Manner.bounded`` a run ends after so many ticks for each order, most plans take a tenth of it.
LATEST = 500
#: Actions in all after which any run ends.
MAX_ACTIONS = 10_000
_KINDS: Final = {WAIT: "wait", FINISH: "close"}
# Of a message that cannot be read, so many characters are kept.
_KEPT = 200


class Past(NamedTuple):
    """What was handed in last, and before it."""

    said: object
    before: Past | None


class LiveState(NamedTuple):
    """A run, what was handed in so far, and how many actions these were; never changed."""

    loop: Loop
    past: Past | None = None
    actions: int = 0


class GridKitchenEnvironment(Environment[GridKitchen, GridKitchenRules, LiveState]):
    """One run on a floor.

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

    # What is said

    def instructions(self) -> str:
        """Return how actions are written and what comes of them."""
        if self.manner.loop == "open":
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
        return "\n".join(floor_in_words(self.problem))

    def _situation(self, world: LiveState) -> str:
        return describe(world.loop.here)

    def _answer(self, world: LiveState, outcomes: Sequence[CommandOutcome], over: str | None) -> str:
        lines = [super()._answer(world, outcomes, over)]
        failed = next((one for one in outcomes if one.violation is not None), None)
        if failed is not None and over is None:
            if self.manner.feedback == "detailed" and world.loop.clock.time > 0:
                lines.append(f"When that happened:\n{describe(world.loop.clock)}")
            lines.append("Everything begins anew, in a fresh kitchen.")
        if self.manner.loop == "closed" and over is None:
            clock = world.loop.here
            free = ", ".join(clock.ground.cooks[cook] for cook in clock.decide)
            lines += [describe(clock), f"What is to be done next by: {free}?"]
        return "\n".join(line for line in lines if line)

    # What is done

    def _begin(self) -> LiveState:
        return LiveState(begun(self.problem, self.rules))

    def _read(self, said: object) -> Any:
        """Return what is handed in; raises `PlanError` also for text that holds none of it."""
        found = self.benchmark.reading(self.problem, _plain(said), self.rules)
        if not found.commands and isinstance(said, str):
            raise PlanError("holds no action", field="plan", value=said)
        return found.commands

    def _take(self, world: LiveState, said: object) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        given, why = None, ""
        try:
            given = self._read(said)
        except PlanError as error:
            why = quoted(str(error), 300)
        before = len(world.loop.here.deeds)
        loop = gone_on(world.loop, given)
        made = LiveState(loop, Past(given, world.past), world.actions + _count(given))
        if loop.clock.error is not None and loop.clock.error.cook is None:
            return made, (_refused(said, loop.clock, why),)
        return made, tuple(_outcomes(loop.clock, before))

    def _whole(self, world: LiveState, said: object) -> tuple[LiveState, tuple[CommandOutcome, ...]]:
        try:
            plan = self._read(said)
            if not isinstance(plan, Mapping):  # a run with several tries, which are said one by one
                raise PlanError("must be an object of lists of actions, by the names of cooks", field="plan")
        except PlanError as error:
            loop = gone_on(world.loop, None)
            return world._replace(loop=loop), (_refused(said, loop.clock, quoted(str(error), 300)),)
        clock = carry_out(self.problem, plan, self.rules).clock
        loop = Loop(clock, world.loop.errors + (clock.error is not None))
        if clock.error is not None and clock.error.cook is None:
            return world._replace(loop=loop), (_refused(said, clock, ""),)
        return world._replace(loop=loop), tuple(_outcomes(clock, 0))

    def _counts(self, world: LiveState) -> bool:
        return world.loop.clock.error is None or bool(world.loop.over)

    def _over(self, world: LiveState) -> str | None:
        if world.loop.over:
            return world.loop.over
        if world.actions >= MAX_ACTIONS:
            return "action_limit"
        late = self.manner.bounded and world.loop.clock.time >= LATEST * max(1, len(self.problem.orders))
        return "too_late" if late else None

    def _clock(self, world: LiveState) -> int:
        return spoken(world.loop.here.time)  # type: ignore[return-value]  # a fraction only where a plan waits for one

    # What can be done

    def _legal(self, world: LiveState) -> Sequence[LegalCommand]:
        clock = world.loop.here
        of = clock.ground
        return [
            LegalCommand(submitted(of, cook, act), _KINDS.get(act.word, "act"))
            for cook in clock.decide
            for act in choices(clock, cook)
        ]

    # What is handed in

    def _plan_of(self, said: object) -> dict[str, object]:
        return {"plan": said}

    def _handed_in(self) -> dict[str, object]:
        found, past = [], self.state.world.past
        while past is not None:
            found.append(past.said)
            past = past.before
        return {"submissions": found[::-1]}


def live(
    problem: GridKitchen, rules: GridKitchenRules, manner: RunConfig, reward: Reward | None
) -> GridKitchenEnvironment:
    """Return one run on a floor."""
    return GridKitchenEnvironment(problem, rules, manner, reward)


def _outcomes(clock: Simulation, since: int) -> Iterator[CommandOutcome]:
    """Yield what became of the actions begun in a turn; the one that failed is the last."""
    error = clock.error
    for deed in clock.deeds[since:]:
        failed = error is not None and (deed.cook, deed.position) == (error.cook, error.position)
        if not failed:
            yield _outcome(clock, deed)
    if error is not None and (fault := fault_of(clock)) is not None:
        yield _failed(clock, error, fault)


def _outcome(clock: Simulation, deed: StartedAction) -> CommandOutcome:
    start, end = spoken(deed.start), spoken(deed.end)
    said = f"{clock.ground.cooks[deed.cook]} {act_in_words(clock, deed.act)}"
    told = f"{said}, {f'from {start} to {end}' if deed.end > deed.start else f'at {start}'}"
    kind = "wait" if deed.act.word == WAIT else "act"
    return CommandOutcome(submitted(clock.ground, deed.cook, deed.act), kind, start, end, None, told)  # type: ignore[arg-type]


def _failed(clock: Simulation, error: RunError, fault: GridKitchenViolation) -> CommandOutcome:
    assert error.cook is not None
    assert error.position is not None
    act = clock.queues[error.cook][error.position]
    now: Any = spoken(clock.time)
    begun = error.position < clock.taken[error.cook]
    command = submitted(clock.ground, error.cook, act) if begun else fault.subject[:_KEPT]
    told = f"{fault.subject} at {now}: refused, {fault.message}"
    return CommandOutcome(command, "lost", now, now, error.kind, told)


def _refused(said: object, clock: Simulation, why: str) -> CommandOutcome:
    """Return what becomes of a message that is no submission."""
    assert clock.error is not None
    text = said[:_KEPT] if isinstance(said, str) else type(said).__name__
    now: Any = spoken(clock.time)
    fault = fault_of(clock)
    told = f"not understood, {why or (fault.message if fault else '')}"
    return CommandOutcome(text, "lost", now, now, clock.error.kind, told)


def _plain(said: object) -> object:
    """Return a message as JSON has it, so that it can be kept; what is no JSON as text."""
    if isinstance(said, str):
        return said
    try:
        return json.loads(json.dumps(said))
    except (TypeError, ValueError, RecursionError):
        return repr(type(said))


def _count(given: object) -> int:
    """Return how many actions are handed in; a message counts as one at least."""
    each = given.values() if isinstance(given, Mapping) else ()
    return max(1, sum(len(actions) for actions in each if isinstance(actions, list | tuple)))


def repertoire(floor: GridKitchen) -> ActionSpace:
    """Return what there can be to do; walks lead to where something can be used."""
    return ActionSpace(tuple(_names(floor)), _name, timed=True)


def _names(floor: GridKitchen) -> Iterator[str]:
    useful = {tile for one in floor.stations for tile in beside(floor, one.name)}
    for cook in floor.agents:
        yield from (f"{cook}: {INTERACT} {one.name}" for one in floor.stations)
        yield from (f"{cook}: {PROCESS} {one.name}" for one in floor.stations if one.kind in ("chopping_board", "sink"))
        yield from (f"{cook}: {MOVE} [{x}, {y}]" for x, y in tiles(floor) if (x, y) in useful)
        yield from (f"{cook}: {WAIT}", f"{cook}: {FINISH}")


def _name(command: str) -> str:
    """Return the name of a command that hands in one action of one cook; of others the command."""
    try:
        ((cook, (action,)),) = load_json(command, "command").items()
        word, target = action["action"], action.get("target")
    except (InputError, TypeError, ValueError, KeyError, AttributeError):
        return command
    return f"{cook}: {word}" if target is None or word in (WAIT, FINISH) else f"{cook}: {word} {_shown(target)}"


def _shown(target: object) -> str:
    return f"[{target[0]}, {target[1]}]" if isinstance(target, list) and len(target) == 2 else str(target)


def choices(clock: Simulation, cook: int) -> Iterator[CookAction]:
    """Yield what a cook can do that is no error as things stand.

    Of walks those to where something can be used, of waits those up to something that is under way, and of a tick.
    """
    world, of = clock.world, clock.ground
    here = world.tiles[cook]
    beside = [number for number, near in enumerate(of.near) if here in near]
    if not (clock.finished[cook] and of.rules.finish == "final"):
        acts = [CookAction(word, station=number) for word in (INTERACT, PROCESS) for number in beside]
        yield from (act for act in acts if not clock.refusal(cook, act))
        useful = set().union(*of.near[: len(world.on)])
        for tile in sorted(tile for tile in of.walks(here) if tile in useful and tile != here):
            yield CookAction(MOVE, tile)
        for duration in _waits(clock):
            yield CookAction(WAIT, duration=duration)
    yield CookAction(FINISH)


def _waits(clock: Simulation) -> list[Time]:
    """Return a tick, and the ticks until each thing that is under way has happened."""
    world = clock.world
    until = [end - world.clock for end, act in zip(clock.ends, clock.acts, strict=True) if act is not None]
    until += [moment - world.clock for moment in world.coming]
    until += [left for number in clock.ground.stoves if (left := cooking_left(clock, number)) is not None]
    return sorted({1, *(ticks for ticks in until if ticks > 0)})


def submitted(of: StationMap, cook: int, act: CookAction) -> str:
    """Return an action as a submission of its own."""
    return json.dumps({of.cooks[cook]: [written(of, act)]})
