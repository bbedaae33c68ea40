"""Diagnoses of the action at which a run on a grid kitchen ended: message, required and actual value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from planoracle.instances.benchmarks.grid_kitchens.descriptions import thing_in_words, tile_in_words
from planoracle.instances.benchmarks.grid_kitchens.kitchen_state import DIRTY, Food, Thing, Ware
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
from planoracle.instances.benchmarks.grid_kitchens.simulation import RunError, Simulation
from planoracle.instances.benchmarks.grid_kitchens.tiles import WALL
from planoracle.instances.model.violations import Measure, Other, Violation
from planoracle.instances.protocol.feedback import clean, listed
from planoracle.instances.text import did_you_mean


class GridKitchenViolation(Violation):
    """Violation that ended a run; ``case`` is its message, ``resource`` the cook.

    Attributes
    ----------
    required, actual
        Tiles, things or names: what the action needs, and what there is.
    """

    __slots__ = ()

    @property
    def message(self) -> str:
        """Description of the violation."""
        return self.case


class _Scene:
    """A cook's action that failed, and the kitchen at that moment."""

    def __init__(self, clock: Simulation, cook: int, act: CookAction) -> None:
        self.clock, self.world, self.ground, self.cook, self.act = clock, clock.world, clock.ground, cook, act
        self.name = self.ground.names[act.station] if act.station >= 0 else ""
        self.target = clean(act.target, 40)
        self.tile = self.world.tiles[cook]
        self.in_hand = self.world.hands[cook]
        self.lying = self.world.on[act.station] if 0 <= act.station < len(self.world.on) else None

    @property
    def hands_text(self) -> str:
        return f"the cook holds {_a(self.in_hand)}" if self.in_hand is not None else "the cook's hands are empty"

    @property
    def station_text(self) -> str:
        return f"{_a(self.lying)} is on {self.name}" if self.lying is not None else f"nothing is on {self.name}"


#: Message, what would be right, and what there is instead.
_Diagnosis = tuple[str, Measure, Measure]


def _a(thing: Thing) -> str:
    words = thing_in_words(thing) or "nothing"
    article = "" if thing is None or isinstance(thing, Food) else "an " if words[0] in "aeiou" else "a "
    return article + words


def _diagnose_malformed(at: _Scene) -> _Diagnosis:
    needs = {
        MOVE: '"target" must be a tile, [x, y]',
        INTERACT: '"target" must be the name of a station',
        PROCESS: '"target" must be the name of a station',
        WAIT: '"duration" must be a number of ticks',
    }
    right = needs.get(at.act.word, f'an action is an object with "action": {listed(WORDS[:-1])} or {FINISH}')
    return right, None, clean(at.act.text)


def _diagnose_unreachable(at: _Scene) -> _Diagnosis:
    kitchen, tile = at.ground.kitchen, at.act.tile
    if at.act.fault:
        size = f"free tiles are [0, 0] to [{kitchen.width - 1}, {kitchen.height - 1}] without stations and walls"
        target = clean(at.act.target.replace("[", "(").replace("]", ")"))
        return f'the target "{target}" is no free tile; {size}', None, target
    return f"no way leads from {tile_in_words(at.tile)} to {tile_in_words(tile)}", None, tile_in_words(tile)


def _diagnose_not_a_station(at: _Scene) -> _Diagnosis:
    target = at.target
    if target in at.ground.cook_numbers:
        return f"{target} is a cook; things are handed over by putting them on a station", None, target
    stations = [
        name
        for name, thing in zip(at.ground.names, at.world.on, strict=False)
        if isinstance(thing, Ware) and thing.kind == target
    ]
    examples = f", such as {listed(stations)}" if stations else ""
    return f"{target} is no station; name the station that it stands on{examples}", tuple(stations) or None, target


def _diagnose_process_unsupported(at: _Scene) -> _Diagnosis:
    places = [at.ground.names[number] for number in (*at.ground.boards, *at.ground.sinks)]
    return f"nothing can be processed at {at.name}, only at {listed(places)}", tuple(places), at.name


def _diagnose_not_adjacent(at: _Scene) -> _Diagnosis:
    if at.ground.kinds[at.act.station] == WALL:
        return (
            f"{_wall(at)[0]}, and the cook is at {tile_in_words(at.tile)}, not next to it",
            None,
            tile_in_words(at.tile),
        )
    kitchen = at.ground.kitchen
    around = at.ground.near[at.act.station]
    free = sorted(tile for tile in around if kitchen.inside(tile) and tile not in kitchen.blocked)
    far = at.ground.walks(at.tile)
    near = sorted((tile for tile in free if tile in far), key=lambda tile: far[tile]) or free
    from_where = f"it is used from {' or '.join(map(tile_in_words, near))}" if near else "no free tile is next to it"
    message = f"the cook is at {tile_in_words(at.tile)}, which is not next to {at.name}; {from_where}"
    return message, tuple(map(tile_in_words, near)) or None, tile_in_words(at.tile)


def _diagnose_station_in_use(at: _Scene) -> _Diagnosis:
    others = zip(at.ground.cooks, at.clock.acts, at.clock.ends, strict=True)
    name, end = next((name, end) for name, act, end in others if act is not None and act.station == at.act.station)
    message = f"{name} is working at {at.name} until tick {json_number(end)}, and one cook at a time can use it"
    return message, whole(end), whole(at.world.clock)


def _diagnose_wrong_for_cookware(at: _Scene) -> _Diagnosis:
    ware, food = (at.in_hand, at.lying) if isinstance(at.in_hand, Ware) else (at.lying, at.in_hand)
    assert isinstance(ware, Ware)
    vessel = at.ground.facts.vessel(ware.kind)
    assert vessel is not None
    takes = f"{vessel.takes} {listed(vessel.ingredients)}"
    return f"{thing_in_words(food)} cannot go into a {ware.kind}, which takes {takes}", takes, thing_in_words(food)


def _diagnose_cannot_place(at: _Scene) -> _Diagnosis:
    rule = "only an ingredient and a vessel, or a plate and another vessel, go together"
    return f"{at.hands_text} and {at.station_text}; {rule}", None, thing_in_words(at.in_hand)


def _diagnose_stove_refuses(at: _Scene) -> _Diagnosis:
    kinds = listed([one.name for one in at.ground.facts.cookware]).replace(" and ", " or ")
    if at.lying is None:
        return f"{at.hands_text}; on a stove only a {kinds} can be put", kinds, thing_in_words(at.in_hand)
    rule = "only an ingredient can be put in, or the contents taken with a plate"
    return f"{at.hands_text} and {at.station_text}; {rule}", None, thing_in_words(at.in_hand)


def _diagnose_dish(at: _Scene) -> _Diagnosis:
    order = at.ground.kitchen.orders[at.world.served]
    needs = [f"{need.ingredient} ({need.state})" for need in order.needs]
    contents = at.in_hand.contents if isinstance(at.in_hand, Ware) else ()
    foods = [f"{food.name} ({food.state})" for food in contents]
    plate = f"on the plate is {listed(foods) or 'nothing'}"
    return f"the next order is {order.name}, that is {listed(needs)}, and {plate}", tuple(needs), tuple(foods)


def _diagnose_no_clean_plate(at: _Scene) -> _Diagnosis:
    reason = "the plate in it is not washed yet" if at.lying == DIRTY else "no plate is in it"
    return f"the cook's hands are empty and {reason}; a clean plate is what can be taken from {at.name}", None, None


def _diagnose_sink_refuses(at: _Scene) -> _Diagnosis:
    if at.in_hand == DIRTY:
        return f"{at.station_text} already", None, thing_in_words(at.lying)
    return f"{at.hands_text}; only a dirty plate can be put into {at.name}", "dirty plate", thing_in_words(at.in_hand)


def _diagnose_no_dirty_plate(at: _Scene) -> _Diagnosis:
    coming = at.world.coming
    if coming:
        return f"no dirty plate is there; the next one comes at tick {json_number(coming[0])}", None, None
    return "no dirty plate is there; they come when dishes have been served", None, None


def _wall(at: _Scene) -> _Diagnosis:
    return f"{at.name} is a wall, which is of no use", None, None


_DIAGNOSES: Final[dict[str, Callable[[_Scene], _Diagnosis]]] = {
    "malformed": _diagnose_malformed,
    "unknown_action": lambda at: (
        f"actions are {listed(WORDS)}, written just so",
        tuple(WORDS),
        clean(at.act.text),
    ),
    "unreachable": _diagnose_unreachable,
    "negative_wait": lambda at: (
        "nobody can wait less than 0 ticks",
        0,
        str(json_number(at.act.duration)),
    ),
    "unknown_target": lambda at: (
        f'there is no "{at.target}" here{did_you_mean(at.target, at.ground.names)}',
        None,
        at.target,
    ),
    "not_a_station": _diagnose_not_a_station,
    "stove_empty": lambda at: (
        f"no cookware is on {at.name}; what is in cookware on a stove cooks by itself, without Process",
        None,
        None,
    ),
    "process_unsupported": _diagnose_process_unsupported,
    "not_adjacent": _diagnose_not_adjacent,
    "station_in_use": _diagnose_station_in_use,
    "after_finish": lambda at: (
        "the cook has done Finish, after which there are no further actions",
        None,
        at.act.word,
    ),
    "nothing_here": lambda at: (f"the cook's hands are empty and {at.station_text}", None, None),
    "wrong_for_cookware": _diagnose_wrong_for_cookware,
    "cannot_place": _diagnose_cannot_place,
    "stove_refuses": _diagnose_stove_refuses,
    "serve_at_zero": lambda _: ("nothing can be served at moment 0", None, None),
    "serve_no_plate": lambda at: (
        f"{at.hands_text}; dishes are served on a plate",
        "plate",
        thing_in_words(at.in_hand) or None,
    ),
    "no_order_left": lambda _: ("everything that was ordered is served already", None, None),
    "dish_wrong_count": _diagnose_dish,
    "dish_mismatch": _diagnose_dish,
    "no_clean_plate": _diagnose_no_clean_plate,
    "sink_refuses": _diagnose_sink_refuses,
    "hands_full": lambda at: (
        f"{at.hands_text}; a dirty plate is taken from {at.name} with empty hands",
        None,
        thing_in_words(at.in_hand),
    ),
    "no_dirty_plate": _diagnose_no_dirty_plate,
    "nothing_to_discard": lambda _: ("the cook's hands are empty", None, None),
    "wall": _wall,
    "nothing_to_chop": lambda at: (
        f"{at.station_text}, and only an ingredient can be chopped",
        None,
        thing_in_words(at.lying) or None,
    ),
    "not_raw": lambda at: (
        f"{at.station_text}, and only what is raw can be chopped",
        "raw",
        thing_in_words(at.lying),
    ),
    "nothing_to_wash": lambda at: (
        f"{at.station_text}, and only a dirty plate can be washed",
        "dirty plate",
        thing_in_words(at.lying) or None,
    ),
    "stove_process": lambda at: (
        f"nobody can process at a stove: what is in cookware on {at.name} cooks by itself",
        None,
        None,
    ),
}
#: Messages of faults of a whole submission.
_WHOLE: Final = {
    "unknown_agent": 'there is no cook "{name}"; there are {cooks}',
    "plan_not_a_list": "what {name} does must be a list of actions",
    "empty": "no cook has actions; there are {cooks}",
    "unreadable": "an object of lists of actions, by the names of cooks, is needed; there are {cooks}",
}
#: Every kind of fault.
KINDS: Final = (*_DIAGNOSES, *_WHOLE)


def fault_of(clock: Simulation) -> GridKitchenViolation | None:
    """Return the violation that ended a run, ``None`` if there is none.

    Its position is that of the action in order of starts.
    """
    fault = clock.error
    if fault is None:
        return None
    if fault.cook is None or fault.position is None:
        return _of_all(fault, clock)
    of, act = clock.ground, clock.queues[fault.cook][fault.position]
    is_started = fault.position < clock.started[fault.cook]
    last = len(clock.deeds) - 1
    at = next((n for n in range(last, -1, -1) if _is(clock, n, fault)), last) if is_started else last + 1
    start, now = (clock.deeds[at].start if is_started else clock.time), clock.time
    message, required, actual = _DIAGNOSES[fault.kind](_Scene(clock, fault.cook, act))
    rivals = (cook for cook, other in enumerate(clock.acts) if other is not None and other.station == act.station >= 0)
    others = tuple(_other(clock, cook) for cook in rivals) if fault.kind == "station_in_use" else ()
    return GridKitchenViolation(
        at, fault.kind, action_text(clock, fault.cook, act), message, whole(start), whole(now), others,
        of.cooks[fault.cook], required, actual,
    )  # fmt: skip


def _is(clock: Simulation, number: int, fault: RunError) -> bool:
    return clock.deeds[number][:2] == (fault.cook, fault.position)


def _other(clock: Simulation, cook: int) -> Other:
    number = next(n for n in range(len(clock.deeds) - 1, -1, -1) if clock.deeds[n].cook == cook)
    deed = clock.deeds[number]
    return Other(action_text(clock, cook, deed.act), whole(deed.start), whole(deed.end))


def _of_all(fault: RunError, clock: Simulation) -> GridKitchenViolation:
    cooks = listed(clock.ground.cooks)
    message = _WHOLE[fault.kind].format(name=clean(fault.name, 40), cooks=cooks)
    return GridKitchenViolation(None, fault.kind, clean(fault.name, 40) or "plan", message, required=clock.ground.cooks)


def action_text(clock: Simulation, cook: int, act: CookAction) -> str:
    """Name an action in a line: ``agent1: MoveTo [3, 4]``."""
    name = clock.ground.cooks[cook]
    if act.fault:
        return f'{name}: "{clean(act.text, 70)}"'
    if act.word == MOVE:
        return f"{name}: {act.word} {tile_in_words(act.tile)}"
    if act.word == WAIT:
        return f"{name}: {act.word} {json_number(act.duration)}"
    return f"{name}: {act.word}" if act.station < 0 else f"{name}: {act.word} {clock.ground.names[act.station]}"
