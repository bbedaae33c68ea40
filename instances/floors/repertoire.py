"""What there can be to do on a floor: by cook, without the ticks of waits."""

from __future__ import annotations

from collections.abc import Iterator

from planoracle.instances.errors import InputError
from planoracle.instances.floors.acts import FINISH, INTERACT, MOVE, PROCESS, WAIT
from planoracle.instances.floors.floor import Floor
from planoracle.instances.floors.geometry import beside, tiles
from planoracle.instances.reading import load_json
from planoracle.instances.repertoire import Repertoire


def repertoire(floor: Floor) -> Repertoire:
    """Return what there can be to do; walks lead to where something can be used."""
    return Repertoire(tuple(_names(floor)), _name, timed=True)


def _names(floor: Floor) -> Iterator[str]:
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
