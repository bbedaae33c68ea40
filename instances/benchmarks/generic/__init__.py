"""Problems by the general rules: own files, and instances of the scheduling literature."""

from __future__ import annotations

from collections.abc import Mapping

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.plan import DroppedCommand
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark


class Generic(ScheduleBenchmark[Schedule, Rules]):
    """The general rules; a plan is the list of a schedule's pieces."""

    name = "generic"
    title = "Own problems"
    formerly = "own"
    stepwise = False
    self_contained = True
    profiles: Mapping[str, Rules] = {"paper": Rules(), "released": Rules(refuse_unread=False)}

    def read_data(self, data: bytes, path: str) -> list[Instance]:
        """Read the formats of the literature, see `planoracle.instances.literature`."""
        from planoracle.instances.literature import reader

        return reader.read_data(data, path)

    def salvage(self, problem: Instance, given: object) -> tuple[object, tuple[DroppedCommand, ...]]:
        """Leave the pieces of actions out that do not exist."""
        from planoracle.instances.benchmarks.generic import language

        return language.salvage(given, problem)


benchmark = Generic()
