"""Blocking job shops as data: problems, files and the bundled shops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from planoracle.plugin import CacheHolder, InputError, UnknownNameError


class Operation(NamedTuple):
    """Operation of a job on a machine, in ticks."""

    machine: str
    duration: int


class Job(NamedTuple):
    """Job with its operations in order."""

    name: str
    operations: tuple[Operation, ...]


@dataclass(frozen=True, repr=False)
class BlockingShop(CacheHolder):
    """Job shop without buffers; a problem of the kind ``blocking-shop``."""

    name: str
    jobs: tuple[Job, ...]
    kind: ClassVar[str] = "blocking-shop"
    benchmark: ClassVar[str] = "blocking_shop"
    unit: ClassVar[str] = "tick"
    seconds_per_tick: ClassVar[None] = None
    agents: ClassVar[tuple[str, ...]] = ()
    time_limit: ClassVar[None] = None

    @property
    def machines(self) -> tuple[str, ...]:
        """Names of the machines, in the order of their first use."""
        names: dict[str, None] = {}
        for job in self.jobs:
            names |= dict.fromkeys(operation.machine for operation in job.operations)
        return tuple(names)


_SHOPS = (
    # The second job blocks the saw while the paint shop is busy; if jobs could wait elsewhere, 8 ticks would suffice.
    BlockingShop(
        "blocking_shop/line",
        (
            Job("red", (Operation("saw", 1), Operation("paint", 6))),
            Job("blue", (Operation("saw", 2), Operation("paint", 1))),
            Job("raw", (Operation("saw", 5),)),
        ),
    ),
    # If both jobs started at once, each would wait for the machine of the other one for ever.
    BlockingShop(
        "blocking_shop/opposite",
        (
            Job("there", (Operation("lathe", 2), Operation("mill", 3))),
            Job("back", (Operation("mill", 2), Operation("lathe", 3))),
        ),
    ),
)
_BY_NAME = {shop.name: shop for shop in _SHOPS}


def names() -> tuple[str, ...]:
    """Return the names of the bundled shops."""
    return tuple(_BY_NAME)


def covers(name: str) -> bool:
    """Return True for the name of a bundled shop."""
    return name in _BY_NAME


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the set of a shop, and its members."""
    return ("blocking_shop", names()) if covers(name) else ("", ())


def load(name: str) -> BlockingShop:
    """Return a bundled shop; raises `UnknownNameError`."""
    if not covers(name):
        raise UnknownNameError("there is no such shop", value=name)
    return _BY_NAME[name]


def to_document(shop: BlockingShop) -> dict[str, Any]:
    """Return a shop as a document, which `read` accepts."""
    jobs = {job.name: [list(operation) for operation in job.operations] for job in shop.jobs}
    return {"benchmark": shop.benchmark, "name": shop.name, "jobs": jobs}


def recognises(document: object) -> bool:
    """Return True for a document with a shop."""
    return isinstance(document, dict) and document.get("benchmark") == "blocking_shop" and "jobs" in document


def read(document: Any, source: str) -> list[BlockingShop]:
    """Return the shop of a document; raises `InputError`."""
    jobs = []
    for name, rows in document["jobs"].items():
        operations = [Operation(*row) for row in rows if len(row) == 2]
        if len(operations) < len(rows) or not all(type(duration) is int for _, duration in operations):
            raise InputError("must be a list of machines and ticks", source=source, field=f"jobs.{name}", value=rows)
        jobs.append(Job(name, tuple(operations)))
    return [BlockingShop(str(document["name"]), tuple(jobs))]
