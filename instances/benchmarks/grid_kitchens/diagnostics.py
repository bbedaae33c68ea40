"""What is wrong with an action at which a run ended, told with where it was and what would have been right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from planoracle.instances.benchmarks.grid_kitchens.descriptions import thing_in_words
from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import Tile
from planoracle.instances.benchmarks.grid_kitchens.language import (
    FINISH,
    INTERACT,
    MOVE,
    PROCESS,
    WAIT,
    WORDS,
    CookAction,
    spoken,
    whole,
)
from planoracle.instances.benchmarks.grid_kitchens.rules import DIRTY, Food, Thing, Ware
from planoracle.instances.benchmarks.grid_kitchens.simulation import RunError, Simulation
from planoracle.instances.benchmarks.grid_kitchens.tiles import WALL
from planoracle.instances.model.violations import Measure, Other, Violation
from planoracle.instances.protocol.feedback import clean, listed
from planoracle.instances.text import did_you_mean


class GridKitchenViolation(Violation):
    """Why a run ended; ``case`` says it in words, ``resource`` is the cook.

    Attributes
    ----------
    required, actual
        Tiles, things or names: what the action needs, and what there is.
    """

    __slots__ = ()

    @property
    def message(self) -> str:
        """What is said of it."""
        return self.case


class _Scene:
    """A cook's action that failed, and the kitchen at that moment."""

    def __init__(self, clock: Simulation, cook: int, act: CookAction) -> None:
        self.clock, self.world, self.ground, self.cook, self.act = clock, clock.world, clock.ground, cook, act
        self.station = act.station
        self.name = self.ground.names[act.station] if act.station >= 0 else ""
        self.tile = self.world.tiles[cook]
        self.held = self.world.hands[cook]
        self.lying = self.world.on[act.station] if 0 <= act.station < len(self.world.on) else None

    @property
    def hands(self) -> str:
        return f"the cook holds {_a(self.held)}" if self.held is not None else "the cook's hands are empty"

    @property
    def there(self) -> str:
        return f"{_a(self.lying)} is on {self.name}" if self.lying is not None else f"nothing is on {self.name}"


#: What is told, what would be right, and what there is instead.
_Told = tuple[str, Measure, Measure]


def _a(thing: Thing) -> str:
    words = thing_in_words(thing) or "nothing"
    article = "" if thing is None or isinstance(thing, Food) else "an " if words[0] in "aeiou" else "a "
    return article + words


def _tile(tile: Tile) -> str:
    return f"[{tile[0]}, {tile[1]}]"


def _malformed(at: _Scene) -> _Told:
    needs = {
        MOVE: '"target" must be a tile, [x, y]',
        INTERACT: '"target" must be the name of a station',
        PROCESS: '"target" must be the name of a station',
        WAIT: '"duration" must be a number of ticks',
    }
    right = needs.get(at.act.word, f'an action is an object with "action": {listed(WORDS[:-1])} or {FINISH}')
    return right, None, clean(at.act.given)


def _unknown_action(at: _Scene) -> _Told:
    return f"actions are {listed(WORDS)}, written just so", tuple(WORDS), clean(at.act.given)


def _unreachable(at: _Scene) -> _Told:
    floor, tile = at.ground.floor, at.act.tile
    if at.act.fault:
        size = f"free tiles are [0, 0] to [{floor.width - 1}, {floor.height - 1}] without stations and walls"
        target = clean(at.act.target.replace("[", "(").replace("]", ")"))
        return f'the target "{target}" is no free tile; {size}', None, target
    return f"no way leads from {_tile(at.tile)} to {_tile(tile)}", None, _tile(tile)


def _negative_wait(at: _Scene) -> _Told:
    return "nobody can wait less than 0 ticks", 0, str(spoken(at.act.duration))


def _unknown_target(at: _Scene) -> _Told:
    target = _target(at)
    return f'there is no "{target}" here{did_you_mean(target, at.ground.names)}', None, target


def _not_a_station(at: _Scene) -> _Told:
    target = _target(at)
    if target in at.ground.cook_numbers:
        return f"{target} is a cook; things are handed over by putting them on a station", None, target
    there = [
        name
        for name, thing in zip(at.ground.names, at.world.on, strict=False)
        if isinstance(thing, Ware) and thing.kind == target
    ]
    where = f", such as {listed(there)}" if there else ""
    return f"{target} is no station; name the station that it stands on{where}", tuple(there) or None, target


def _target(at: _Scene) -> str:
    return clean(at.act.target, 40)


def _stove_empty(at: _Scene) -> _Told:
    return f"no cookware is on {at.name}; what is in cookware on a stove cooks by itself, without Process", None, None


def _process_unsupported(at: _Scene) -> _Told:
    places = [at.ground.names[number] for number in (*at.ground.boards, *at.ground.sinks)]
    return f"nothing can be processed at {at.name}, only at {listed(places)}", tuple(places), at.name


def _not_adjacent(at: _Scene) -> _Told:
    if at.ground.kinds[at.station] == WALL:
        return f"{_wall(at)[0]}, and the cook is at {_tile(at.tile)}, not next to it", None, _tile(at.tile)
    floor = at.ground.floor
    free = sorted(tile for tile in at.ground.near[at.station] if floor.inside(tile) and tile not in floor.blocked)
    far = at.ground.walks(at.tile)
    near = sorted((tile for tile in free if tile in far), key=lambda tile: far[tile]) or free
    from_where = f"it is used from {' or '.join(map(_tile, near))}" if near else "no free tile is next to it"
    told = f"the cook is at {_tile(at.tile)}, which is not next to {at.name}; {from_where}"
    return told, tuple(map(_tile, near)) or None, _tile(at.tile)


def _station_in_use(at: _Scene) -> _Told:
    others = zip(at.ground.cooks, at.clock.acts, at.clock.ends, strict=True)
    name, end = next((name, end) for name, act, end in others if act is not None and act.station == at.station)
    told = f"{name} is working at {at.name} until tick {spoken(end)}, and one cook at a time can use it"
    return told, whole(end), whole(at.world.clock)


def _after_finish(at: _Scene) -> _Told:
    return "the cook has done Finish, after which there are no further actions", None, at.act.word


def _nothing_here(at: _Scene) -> _Told:
    return f"the cook's hands are empty and {at.there}", None, None


def _wrong_for_cookware(at: _Scene) -> _Told:
    ware, food = (at.held, at.lying) if isinstance(at.held, Ware) else (at.lying, at.held)
    assert isinstance(ware, Ware)
    vessel = at.ground.facts.vessel(ware.kind)
    assert vessel is not None
    takes = f"{vessel.takes} {listed(vessel.ingredients)}"
    return f"{thing_in_words(food)} cannot go into a {ware.kind}, which takes {takes}", takes, thing_in_words(food)


def _cannot_place(at: _Scene) -> _Told:
    told = f"{at.hands} and {at.there}; only an ingredient and a vessel, or a plate and another vessel, go together"
    return told, None, thing_in_words(at.held)


def _stove_refuses(at: _Scene) -> _Told:
    kinds = listed([one.name for one in at.ground.facts.cookware]).replace(" and ", " or ")
    if at.lying is None:
        return f"{at.hands}; on a stove only a {kinds} can be put", kinds, thing_in_words(at.held)
    told = f"{at.hands} and {at.there}; only an ingredient can be put in, or the contents taken with a plate"
    return told, None, thing_in_words(at.held)


def _serve_at_zero(at: _Scene) -> _Told:
    return "nothing can be served at moment 0", None, None


def _serve_no_plate(at: _Scene) -> _Told:
    return f"{at.hands}; dishes are served on a plate", "plate", thing_in_words(at.held) or None


def _no_order_left(at: _Scene) -> _Told:
    return "everything that was ordered is served already", None, None


def _wrong_dish(at: _Scene) -> _Told:
    order = at.ground.floor.orders[at.world.served]
    wanted = [f"{need.ingredient} ({need.state})" for need in order.needs]
    contents = at.held.contents if isinstance(at.held, Ware) else ()
    there = [f"{food.name} ({food.state})" for food in contents]
    told = f"the next order is {order.name}, that is {listed(wanted)}, and on the plate is {listed(there) or 'nothing'}"
    return told, tuple(wanted), tuple(there)


def _no_clean_plate(at: _Scene) -> _Told:
    why = "the plate in it is not washed yet" if at.lying == DIRTY else "no plate is in it"
    return f"the cook's hands are empty and {why}; a clean plate is what can be taken from {at.name}", None, None


def _sink_refuses(at: _Scene) -> _Told:
    if at.held == DIRTY:
        return f"{at.there} already", None, thing_in_words(at.lying)
    return f"{at.hands}; only a dirty plate can be put into {at.name}", "dirty plate", thing_in_words(at.held)


def _hands_full(at: _Scene) -> _Told:
    return f"{at.hands}; a dirty plate is taken from {at.name} with empty hands", None, thing_in_words(at.held)


def _no_dirty_plate(at: _Scene) -> _Told:
    coming = at.world.coming
    when = f"; the next one comes at tick {spoken(coming[0])}" if coming else "; they come when dishes have been served"
    return f"no dirty plate is there{when}", None, None


def _nothing_to_discard(at: _Scene) -> _Told:
    return "the cook's hands are empty", None, None


def _wall(at: _Scene) -> _Told:
    return f"{at.name} is a wall, which is of no use", None, None


def _nothing_to_chop(at: _Scene) -> _Told:
    return f"{at.there}, and only an ingredient can be chopped", None, thing_in_words(at.lying) or None


def _not_raw(at: _Scene) -> _Told:
    return f"{at.there}, and only what is raw can be chopped", "raw", thing_in_words(at.lying)


def _nothing_to_wash(at: _Scene) -> _Told:
    return f"{at.there}, and only a dirty plate can be washed", "dirty plate", thing_in_words(at.lying) or None


def _stove_process(at: _Scene) -> _Told:
    return f"nobody can process at a stove: what is in cookware on {at.name} cooks by itself", None, None


_WHY: Final[dict[str, Callable[[_Scene], _Told]]] = {
    "malformed": _malformed,
    "unknown_action": _unknown_action,
    "unreachable": _unreachable,
    "negative_wait": _negative_wait,
    "unknown_target": _unknown_target,
    "not_a_station": _not_a_station,
    "stove_empty": _stove_empty,
    "process_unsupported": _process_unsupported,
    "not_adjacent": _not_adjacent,
    "station_in_use": _station_in_use,
    "after_finish": _after_finish,
    "nothing_here": _nothing_here,
    "wrong_for_cookware": _wrong_for_cookware,
    "cannot_place": _cannot_place,
    "stove_refuses": _stove_refuses,
    "serve_at_zero": _serve_at_zero,
    "serve_no_plate": _serve_no_plate,
    "no_order_left": _no_order_left,
    "dish_wrong_count": _wrong_dish,
    "dish_mismatch": _wrong_dish,
    "no_clean_plate": _no_clean_plate,
    "sink_refuses": _sink_refuses,
    "hands_full": _hands_full,
    "no_dirty_plate": _no_dirty_plate,
    "nothing_to_discard": _nothing_to_discard,
    "wall": _wall,
    "nothing_to_chop": _nothing_to_chop,
    "not_raw": _not_raw,
    "nothing_to_wash": _nothing_to_wash,
    "stove_process": _stove_process,
}
# What is wrong with what was handed in as a whole.
_WHOLE: Final = {
    "unknown_agent": 'there is no cook "{name}"; there are {cooks}',
    "plan_not_a_list": "what {name} does must be a list of actions",
    "empty": "nothing is said of any cook; there are {cooks}",
    "unreadable": "an object of lists of actions, by the names of cooks, is needed; there are {cooks}",
}
#: Every kind of fault.
KINDS: Final = (*_WHY, *_WHOLE)


def fault_of(clock: Simulation) -> GridKitchenViolation | None:
    """Return why a run has ended, ``None`` if by no fault; its position is that of the action in order of beginning."""
    fault = clock.error
    if fault is None:
        return None
    if fault.cook is None or fault.position is None:
        return _of_all(fault, clock)
    of, act = clock.ground, clock.queues[fault.cook][fault.position]
    begun = fault.position < clock.taken[fault.cook]
    last = len(clock.deeds) - 1
    at = next((n for n in range(last, -1, -1) if _is(clock, n, fault)), last) if begun else last + 1
    start, now = (clock.deeds[at].start if begun else clock.time), clock.time
    why, required, actual = _WHY[fault.kind](_Scene(clock, fault.cook, act))
    rivals = (cook for cook, other in enumerate(clock.acts) if other is not None and other.station == act.station >= 0)
    others = tuple(_other(clock, cook) for cook in rivals) if fault.kind == "station_in_use" else ()
    return GridKitchenViolation(
        at, fault.kind, told(clock, fault.cook, act), why, whole(start), whole(now), others, of.cooks[fault.cook],
        required, actual,
    )  # fmt: skip


def _is(clock: Simulation, number: int, fault: RunError) -> bool:
    return clock.deeds[number][:2] == (fault.cook, fault.position)


def _other(clock: Simulation, cook: int) -> Other:
    number = next(n for n in range(len(clock.deeds) - 1, -1, -1) if clock.deeds[n].cook == cook)
    deed = clock.deeds[number]
    return Other(told(clock, cook, deed.act), whole(deed.start), whole(deed.end))


def _of_all(fault: RunError, clock: Simulation) -> GridKitchenViolation:
    cooks = listed(clock.ground.cooks)
    why = _WHOLE[fault.kind].format(name=clean(fault.name, 40), cooks=cooks)
    return GridKitchenViolation(None, fault.kind, clean(fault.name, 40) or "plan", why, required=clock.ground.cooks)


def told(clock: Simulation, cook: int, act: CookAction) -> str:
    """Name an action in a line: ``agent1: MoveTo [3, 4]``."""
    name = clock.ground.cooks[cook]
    if act.fault:
        return f'{name}: "{clean(act.given, 70)}"'
    if act.word == MOVE:
        return f"{name}: {act.word} {_tile(act.tile)}"
    if act.word == WAIT:
        return f"{name}: {act.word} {spoken(act.duration)}"
    return f"{name}: {act.word}" if act.station < 0 else f"{name}: {act.word} {clock.ground.names[act.station]}"
