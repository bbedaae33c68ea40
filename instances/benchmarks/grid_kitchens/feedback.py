"""Feedback on plans for grid kitchens: one sentence for each kind of violation, and the open orders."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING, Final

from planoracle.instances.benchmarks.grid_kitchens.descriptions import (
    dish_in_words,
    thing_in_words,
    ticks_in_words,
    tile_in_words,
)
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import WALL, OrderedDish, access_tiles
from planoracle.instances.benchmarks.grid_kitchens.kitchen_state import DIRTY, Early, Food, Thing, Ware
from planoracle.instances.benchmarks.grid_kitchens.language import (
    FINISH,
    INTERACT,
    MOVE,
    PROCESS,
    WAIT,
    WORDS,
    CookAction,
    json_number,
    whole,
)
from planoracle.instances.benchmarks.grid_kitchens.simulation import Simulation, StartedAction
from planoracle.instances.model.violations import Measure, Other, Violation
from planoracle.instances.protocol.feedback import Examination, FeedbackItem, Topic, clean, listed
from planoracle.instances.protocol.run import MismatchEvidence
from planoracle.instances.text import did_you_mean

if TYPE_CHECKING:
    from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenRun


class GridKitchenViolation(Violation):
    """Violation that ended a run; ``case`` is its message, ``resource`` the cook.

    Attributes
    ----------
    required, actual
        Tiles, things or names that the action needs, and the actual ones.
    """

    __slots__ = ()

    @property
    def message(self) -> str:
        """Description of the violation."""
        return self.case


class _Scene:
    """Failed action of a cook, and the kitchen at that moment."""

    def __init__(self, kitchen: Simulation, cook: int, act: CookAction) -> None:
        ground, world = kitchen.ground, kitchen.world
        self.kitchen = kitchen
        self.world = world
        self.ground = ground
        self.cook = cook
        self.act = act
        self.name = ground.names[act.station] if act.station >= 0 else ""
        self.target = clean(act.target, 40)
        self.tile = tile_in_words(world.tiles[cook])
        self.in_hand = world.hands[cook]
        is_on_map = 0 <= act.station < len(world.on)
        self.lying = world.on[act.station] if is_on_map else None
        self.hands = "the cook's hands are empty"
        if self.in_hand is not None:
            self.hands = f"the cook holds {_a(self.in_hand)}"
        self.station = f"nothing is on {self.name}"
        if self.lying is not None:
            self.station = f"{_a(self.lying)} is on {self.name}"
        self.carried = thing_in_words(self.in_hand) or None
        self.on_station = thing_in_words(self.lying) or None
        vessels = listed([cookware.name for cookware in ground.facts.cookware])
        self.vessels = vessels.replace(" and ", " or ")
        workplaces = (*ground.boards, *ground.sinks)
        self.workplaces = tuple(ground.names[number] for number in workplaces)


#: Message, required value, and actual value.
_Diagnosis = tuple[str, Measure, Measure]


def _a(thing: Thing) -> str:
    words = thing_in_words(thing) or "nothing"
    if thing is None or isinstance(thing, Food):
        return words
    article = "an" if words[0] in "aeiou" else "a"
    return f"{article} {words}"


def _unreachable(at: _Scene) -> _Diagnosis:
    kitchen = at.ground.kitchen
    tile = tile_in_words(at.act.tile)
    if at.act.fault:
        last_tile = f"[{kitchen.width - 1}, {kitchen.height - 1}]"
        size = f"free tiles are [0, 0] to {last_tile} without stations and walls"
        without_brackets = at.act.target.replace("[", "(").replace("]", ")")
        target = clean(without_brackets)
        return f'the target "{target}" is not a free tile; {size}', None, target
    return f"there is no path from {at.tile} to {tile}", None, tile


def _not_a_station(at: _Scene) -> _Diagnosis:
    target = at.target
    if target in at.ground.cook_numbers:
        return f"{target} is a cook; things are handed over by putting them on a station", None, target
    stations: tuple[str, ...] = ()
    for name, thing in zip(at.ground.names, at.world.on, strict=False):
        if isinstance(thing, Ware) and thing.kind == target:
            stations += (name,)
    examples = f", such as {listed(stations)}" if stations else ""
    return f"{target} is not a station; name the station that it stands on{examples}", stations or None, target


def _not_adjacent(at: _Scene) -> _Diagnosis:
    if at.ground.kinds[at.act.station] == WALL:
        message = f"{at.name} is a wall, which has no use, and the cook is at {at.tile}, not next to it"
        return message, None, at.tile
    free = access_tiles(at.ground.kitchen, at.name)
    far = at.ground.walks(at.world.tiles[at.cook])
    reachable = [tile for tile in free if tile in far]
    near = sorted(reachable, key=lambda tile: far[tile]) or free
    tiles = tuple(map(tile_in_words, near))
    from_where = f"it is used from {' or '.join(tiles)}" if tiles else "no free tile is next to it"
    message = f"the cook is at {at.tile}, which is not next to {at.name}; {from_where}"
    return message, tiles or None, at.tile


def _station_in_use(at: _Scene) -> _Diagnosis:
    number, rival = _rival(at.kitchen, at.act)
    name = at.ground.cooks[number]
    message = f"{name} is working at {at.name} until tick {json_number(rival.end)}, and one cook at a time can use it"
    return message, whole(rival.end), whole(at.world.clock)


def _wrong_for_cookware(at: _Scene) -> _Diagnosis:
    ware, food = at.lying, at.in_hand
    if isinstance(at.in_hand, Ware):
        ware, food = at.in_hand, at.lying
    kind = ware.kind if isinstance(ware, Ware) else ""
    contents = []
    for cookware in at.ground.facts.cookware:
        if cookware.name == kind:
            contents.append(f"{cookware.takes} {listed(cookware.ingredients)}")
    takes, food_in_words = listed(contents), thing_in_words(food)
    return f"{food_in_words} cannot go into a {kind}, which takes {takes}", takes, food_in_words


def _stove_refuses(at: _Scene) -> _Diagnosis:
    if at.lying is None:
        message = f"{at.hands}; on a stove only a {at.vessels} can be put"
        return message, at.vessels, at.carried
    rule = "only an ingredient can be put in, or the contents taken with a plate"
    message = f"{at.hands} and {at.station}; {rule}"
    return message, None, at.carried or ""


def _dish(at: _Scene) -> _Diagnosis:
    order = at.ground.kitchen.orders[at.world.served]
    needs = tuple(f"{need.ingredient} ({need.state})" for need in order.needs)
    contents = at.in_hand.contents if isinstance(at.in_hand, Ware) else ()
    foods = tuple(f"{food.name} ({food.state})" for food in contents)
    on_plate = listed(foods) or "nothing"
    message = f"the next order is {order.name}, that is {listed(needs)}, and on the plate is {on_plate}"
    return message, needs, foods


def _sink_refuses(at: _Scene) -> _Diagnosis:
    if at.in_hand == DIRTY:
        return f"{at.station} already", None, at.on_station
    return f"{at.hands}; only a dirty plate can be put into {at.name}", "dirty plate", at.carried


_MALFORMED: Final = {
    MOVE: '"target" must be a tile, [x, y]',
    INTERACT: '"target" must be the name of a station',
    PROCESS: '"target" must be the name of a station',
    WAIT: '"duration" must be a number of ticks',
    "": f'an action must be an object whose "action" is {", ".join(WORDS[:-1])} or {FINISH}',
}


def _malformed_action(at: _Scene) -> _Diagnosis:
    return _MALFORMED[at.act.word], None, clean(at.act.text)


def _unknown_action(at: _Scene) -> _Diagnosis:
    message = f"the action must be one of {listed(WORDS)}, in this spelling"
    return message, tuple(WORDS), clean(at.act.text)


def _negative_wait(at: _Scene) -> _Diagnosis:
    return "the duration of a wait must be at least 0 ticks", 0, str(json_number(at.act.duration))


def _unknown_target(at: _Scene) -> _Diagnosis:
    hint = did_you_mean(at.target, at.ground.names)
    return f'there is no "{at.target}" in the kitchen{hint}', None, at.target


def _not_processed(at: _Scene) -> _Diagnosis:
    message = f"nothing can be processed at {at.name}, only at {listed(at.workplaces)}"
    return message, at.workplaces, at.name


def _cannot_place(at: _Scene) -> _Diagnosis:
    rule = "only an ingredient and a vessel, or a plate and another vessel, go together"
    message = f"{at.hands} and {at.station}; {rule}"
    return message, None, at.carried


def _no_clean_plate(at: _Scene) -> _Diagnosis:
    state = "the plate in it is not washed yet" if at.on_station else "no plate is in it"
    return f"the cook's hands are empty and {state}; only a clean plate can be taken from {at.name}", None, None


def _hands_full(at: _Scene) -> _Diagnosis:
    return f"{at.hands}; a dirty plate is taken from {at.name} with empty hands", None, at.carried


def _no_dirty_plate(at: _Scene) -> _Diagnosis:
    if not at.world.coming:
        return "no dirty plate is there; dirty plates return after dishes are served", None, None
    return f"no dirty plate is there; the next one comes at tick {json_number(at.world.coming[0])}", None, None


def _stove_empty(at: _Scene) -> _Diagnosis:
    message = f"no cookware is on {at.name}; food in cookware on a stove cooks by itself, without Process"
    return message, None, None


def _after_finish(at: _Scene) -> _Diagnosis:
    return "the cook has finished; no action may follow Finish", None, at.act.word


def _nothing_here(at: _Scene) -> _Diagnosis:
    return f"the cook's hands are empty and {at.station}", None, None


def _no_plate(at: _Scene) -> _Diagnosis:
    return f"{at.hands}; dishes are served on a plate", "plate", at.carried


def _wall(at: _Scene) -> _Diagnosis:
    return f"{at.name} is a wall, which has no use", None, None


def _nothing_to_chop(at: _Scene) -> _Diagnosis:
    return f"{at.station}, and only an ingredient can be chopped", None, at.on_station


def _not_raw(at: _Scene) -> _Diagnosis:
    return f"{at.station}, and only what is raw can be chopped", "raw", at.on_station


def _nothing_to_wash(at: _Scene) -> _Diagnosis:
    return f"{at.station}, and only a dirty plate can be washed", "dirty plate", at.on_station


def _process_at_stove(at: _Scene) -> _Diagnosis:
    return f"Process is not possible at a stove: food in cookware on {at.name} cooks by itself", None, None


_DIAGNOSES: Final[dict[str, Callable[[_Scene], _Diagnosis]]] = {
    "malformed": _malformed_action,
    "unknown_action": _unknown_action,
    "unreachable": _unreachable,
    "negative_wait": _negative_wait,
    "unknown_target": _unknown_target,
    "not_a_station": _not_a_station,
    "stove_empty": _stove_empty,
    "process_unsupported": _not_processed,
    "not_adjacent": _not_adjacent,
    "station_in_use": _station_in_use,
    "after_finish": _after_finish,
    "nothing_here": _nothing_here,
    "wrong_for_cookware": _wrong_for_cookware,
    "cannot_place": _cannot_place,
    "stove_refuses": _stove_refuses,
    "serve_at_zero": lambda _: ("nothing can be served at tick 0", None, None),
    "serve_no_plate": _no_plate,
    "no_order_left": lambda _: ("all orders are already served", None, None),
    "dish_wrong_count": _dish,
    "dish_mismatch": _dish,
    "no_clean_plate": _no_clean_plate,
    "sink_refuses": _sink_refuses,
    "hands_full": _hands_full,
    "no_dirty_plate": _no_dirty_plate,
    "nothing_to_discard": lambda _: ("the cook's hands are empty", None, None),
    "wall": _wall,
    "nothing_to_chop": _nothing_to_chop,
    "not_raw": _not_raw,
    "nothing_to_wash": _nothing_to_wash,
    "stove_process": _process_at_stove,
}
#: Messages of violations by a whole submission.
_WHOLE: Final = {
    "unknown_agent": 'there is no cook "{name}"; the cooks are {cooks}',
    "plan_not_a_list": "the actions of {name} must be a list",
    "empty": "no cook has actions; the cooks are {cooks}",
    "unreadable": "the plan must be an object with a list of actions for each cook; the cooks are {cooks}",
}
#: All kinds of violations.
KINDS: Final = (*_DIAGNOSES, *_WHOLE)


def fault_of(kitchen: Simulation) -> GridKitchenViolation | None:
    """Return the violation that ended a run, ``None`` if there is none.

    Its position is the index of the action in order of starts.
    """
    error, cooks = kitchen.error, kitchen.ground.cooks
    if error is None:
        return None
    if error.cook is None or error.position is None:
        name = clean(error.name, 40)
        message = _WHOLE[error.kind].format(name=name, cooks=listed(cooks))
        return GridKitchenViolation(None, error.kind, name or "plan", message, required=cooks)
    act = kitchen.queues[error.cook][error.position]
    now = whole(kitchen.time)
    position, start = len(kitchen.started_actions), now
    if error.position < kitchen.started[error.cook]:
        position, last_action = kitchen.last_action(error.cook)
        start = whole(last_action.start)
    scene = _Scene(kitchen, error.cook, act)
    message, required, actual = _DIAGNOSES[error.kind](scene)
    rivals: tuple[Other, ...] = ()
    if error.kind == "station_in_use":
        number, rival = _rival(kitchen, act)
        rival_action = action_text(kitchen, number, rival.act)
        rivals = (Other(rival_action, whole(rival.start), whole(rival.end)),)
    subject = action_text(kitchen, error.cook, act)
    cook = cooks[error.cook]
    return GridKitchenViolation(
        position, error.kind, subject, message, start, now, rivals, cook, required, actual
    )  # fmt: skip


def _rival(kitchen: Simulation, act: CookAction) -> tuple[int, StartedAction]:
    """Return the cook at work at the station of an action, and the cook's action."""

    def is_rival(running: CookAction | None) -> bool:
        return running is not None and running.station == act.station

    cook = next(number for number, running in enumerate(kitchen.acts) if is_rival(running))
    return cook, kitchen.last_action(cook)[1]


def action_text(kitchen: Simulation, cook: int, act: CookAction) -> str:
    """Name an action in a line: ``agent1: MoveTo [3, 4]``."""
    name = kitchen.ground.cooks[cook]
    if act.fault:
        return f'{name}: "{clean(act.text, 70)}"'
    if act.word == MOVE:
        return f"{name}: {act.word} {tile_in_words(act.tile)}"
    if act.word == WAIT:
        return f"{name}: {act.word} {json_number(act.duration)}"
    if act.station < 0:
        return f"{name}: {act.word}"
    station = kitchen.ground.names[act.station]
    return f"{name}: {act.word} {station}"


TOPICS = (
    Topic(
        "reading",
        "Form of the plan",
        ("unreadable", "empty", "unknown_agent", "plan_not_a_list", "malformed", "unknown_action"),
        'Write {"agent1": [action, ...], ...} with the names of the cooks in the problem.',
    ),
    Topic(
        "places",
        "Paths and places",
        ("unreachable", "unknown_target", "not_a_station", "not_adjacent", "wall"),
        "Walk to a free tile next to the station first; walls and stations cannot be entered.",
    ),
    Topic(
        "time",
        "Time and turns",
        ("negative_wait", "station_in_use", "serve_at_zero", "no_dirty_plate", "after_finish"),
        "Wait until things are available and the station is free.",
    ),
    Topic(
        "hands",
        "Hands and stations",
        (
            *("nothing_here", "wrong_for_cookware", "cannot_place", "stove_refuses", "no_clean_plate"),
            *("sink_refuses", "hands_full", "nothing_to_discard"),
        ),
        "Keep track of the things in the hands of every cook and on every station.",
    ),
    Topic(
        "work",
        "Work at stations",
        ("stove_empty", "process_unsupported", "stove_process", "nothing_to_chop", "not_raw", "nothing_to_wash"),
        "Process only raw ingredients on a chopping board and dirty plates in a sink.",
    ),
    Topic(
        "dishes",
        "Dishes",
        ("serve_no_plate", "no_order_left", "dish_wrong_count", "dish_mismatch"),
        "Serve on a plate exactly what the next order needs, each ingredient in its state.",
    ),
    Topic("cooking", "Cooking", (), "Leave food in the cookware on a stove until it is cooked."),
    Topic("completeness", "Orders", (), "Continue until every order is served."),
)


def examine(run: GridKitchenRun) -> Examination:
    """Return the violation and the open orders of a run as feedback."""
    fault = run.verdict.fatal
    served = run.outcome.world.served
    remarks: dict[str, tuple[FeedbackItem, ...]] = {}
    if not run.success:
        untimely = run.outcome.world.early
        remarks["cooking"] = tuple(_too_early(run, early) for early in untimely)
    open_orders = enumerate(run.problem.orders[served:], served + 1)
    remarks["completeness"] = tuple(_open_order(run, number, dish) for number, dish in open_orders)
    findings = () if fault is None else (_finding(run, fault),)
    return Examination(
        replay=run.verdict,
        findings=findings,
        clock=run.benchmark.clock(run.problem),
        command=lambda index: _place(run),
        remarks=remarks,
        notes=tuple(_notes(run)),
        aim="orders",
    )


def _open_order(run: GridKitchenRun, number: int, dish: OrderedDish) -> FeedbackItem:
    words = dish_in_words(dish)
    violation = Violation(None, "not_served", dish.name, required=words)
    orders = len(run.problem.orders)
    return FeedbackItem.of(violation, f"order {number} of {orders} is not served: {words}")


def foreign(run: GridKitchenRun) -> MismatchEvidence:
    """Return the stations and cooks that a plan names and the grid kitchen does not contain."""
    acts = list(chain.from_iterable(run.outcome.queues))
    names = [clean(act.target, 40) for act in acts if act.fault == "unknown_target"]
    error = run.outcome.error
    if error is not None and error.kind == "unknown_agent":
        names.append(clean(error.name, 40))
    return MismatchEvidence(tuple(names), len(acts) or len(names))


def _place(run: GridKitchenRun) -> str:
    """Name the action at which the run ended."""
    error, fault = run.outcome.error, run.verdict.fatal
    if error is None or fault is None or error.position is None:
        return "the plan"
    _, _, action = fault.subject.partition(": ")
    moment = f"tick {json_number(run.outcome.time)}"
    return f"action {error.position + 1} of {fault.resource} ({action}, {moment})"


def _finding(run: GridKitchenRun, fault: Violation) -> FeedbackItem:
    place = _place(run)
    text = fault.message if place == "the plan" else f"{place}: {fault.message}"
    return FeedbackItem.of(fault, text)


def _too_early(run: GridKitchenRun, early: Early) -> FeedbackItem:
    """Describe food that was taken out before it was cooked."""
    ground, ware = run.outcome.ground, early.ware
    food = listed([food.name for food in ware.contents if food.state != "cooked"])
    station = ground.names[early.station]
    ticks = ticks_in_words(ware.remaining)
    cook = ground.cooks[early.cook]
    moment = json_number(early.clock)
    position = f"{cook} at {station}, tick {moment}"
    reason = f"it needed {ticks} more on a stove"
    text = f"{food} was taken from the {ware.kind} ({position}) before it was cooked: {reason}"
    now = whole(early.clock)
    fault = Violation(
        None, "too_early", food, start=now, end=now, resource=station, required=whole(ware.remaining), actual=0
    )
    return FeedbackItem.of(fault, text)


def _notes(run: GridKitchenRun) -> list[str]:
    notes = []
    outcome = run.outcome
    before = run.errors - (outcome.error is not None)
    if before:
        times = "once" if before == 1 else f"{before} times"
        notes.append(f"The run was restarted {times} after an error.")
    if outcome.served_at:
        moments = listed([str(json_number(moment)) for moment in outcome.served_at])
        several = len(outcome.served_at) > 1
        served = "Dishes were served at ticks" if several else "A dish was served at tick"
        notes.append(f"{served} {moments}.")
        late = outcome.time - outcome.served_at[-1]
        if outcome.done and late > 0:
            notes.append(f"The run continues for {ticks_in_words(late)} after the last dish; these ticks count.")
    return notes
