"""Workshops with every feature of the scheduling model, and schedules of them without a solver."""

from __future__ import annotations

from datetime import datetime

from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.transitions import Transitions

#: Midnight before the first working day, a Monday.
START = datetime(2026, 3, 2)
_HOUR = 60
_DAY = 24 * _HOUR
_HALLS = (("hall A", "hall B", 15), ("hall B", "hall A", 15))
_COLOURS = (("red", "blue", 30), ("blue", "red", 45))


def _machine(*names: str) -> tuple[Mode, ...]:
    return tuple(Mode((Demand(name),), name) for name in names)


def workshop() -> Instance:
    """A workshop of three orders, of which one must be done, in minutes from midnight on.

    Ann and Ben work from 8:00 to 17:00 with a break at noon; welding pauses in it. Their ways between two halls and the
    set-ups of the paint booth take time. The first saw is slower than the second.
    """
    saws = (Mode((Demand("saw 1"),), "saw 1"), Mode((Demand("saw 2"),), "saw 2", duration=90))
    red, blue = Mode((Demand("booth", family="red"),)), Mode((Demand("booth", family="blue"),))
    actions = (
        Action("frame/cut", "frame", 120, 120, modes=saws, pauses_in_breaks=True, place="hall A"),
        Action("frame/weld", "frame", 300, 300, modes=_machine("welder"), pauses_in_breaks=True, place="hall B"),
        Action("frame/paint", "frame", 60, 10, modes=(red,), deadline=2 * _DAY, place="hall A"),
        Action("door/cut", "door", 90, 90, modes=_machine("saw 1"), place="hall A"),
        Action("door/paint", "door", 60, 10, modes=(blue,), place="hall A", windows=((600, 1020), (1920, 2460))),
        Action("sign/cut", "sign", 60, 60, modes=_machine("saw 1"), place="hall A", deadline=600),
        Action("sign/paint", "sign", 60, 10, modes=(blue,), place="hall A", deadline=700),
    )
    orders = (("frame/cut", "frame/weld"), ("frame/weld", "frame/paint"), ("door/cut", "door/paint"))
    lags = (*(Lag(*pair) for pair in orders), Lag("sign/cut", "sign/paint"))
    shifts = Calendar(("Ann", "Ben"), ((12 * _HOUR, 12 * _HOUR + 30), (17 * _HOUR, 32 * _HOUR)), _DAY)
    halls = Transitions(("Ann", "Ben"), _HALLS, (("Ann", "hall A"), ("Ben", "hall A")))
    colours = Transitions(("booth",), _COLOURS, (("booth", "red"),))
    return Instance(
        "workshop",
        actions,
        lags,
        tuple(Resource(name) for name in ("saw 1", "saw 2", "welder", "booth")),
        ("Ann", "Ben"),
        unit="minute",
        seconds_per_tick=60,
        calendars=(shifts, Calendar(("booth",), ((0, 8 * _HOUR),))),
        transitions=(halls, colours),
        optional=(("sign", 3), ("door", 2)),
        start_time=START,
    )


def workshop_schedule(*, with_sign: bool = True) -> Schedule:
    """Return an optimal schedule of `workshop`, or one without the order of the greatest weight."""
    pieces = [
        Piece("frame/cut", 480, 90, "Ben", 1),
        Piece("frame/weld", 570, 150, "Ann"),
        Piece("frame/weld", 750, 150, "Ann"),
        Piece("door/cut", 570, 90, "Ben"),
        Piece("door/paint", 660, 60, "Ben"),
        Piece("frame/paint", 900, 60, "Ben"),
    ]
    if with_sign:
        pieces += [Piece("sign/cut", 480, 60, "Ann"), Piece("sign/paint", 540, 60, "Ann")]
    return Schedule.of(workshop(), pieces)
