"""Problems by the general rules: own files, and instances of the scheduling literature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from planoracle.instances.benchmark import Generator, ScheduleBenchmark
from planoracle.instances.feedback import Examined, Topic
from planoracle.instances.model import Instance
from planoracle.instances.plan import Plan
from planoracle.instances.profiles import Rules
from planoracle.instances.run import Run
from planoracle.instances.schedule import Schedule
from planoracle.instances.scoring import Average, Measured, Oracle
from planoracle.instances.targets import Dropped

if TYPE_CHECKING:
    from planoracle.instances.generic.run import GenericRun

__all__ = ["Generic", "benchmark"]


class Generic(ScheduleBenchmark[Schedule, Rules]):
    """The general rules; a plan is the list of a schedule's pieces."""

    name = "generic"
    title = "Own problems"
    stepwise = False
    self_contained = True
    profiles: Mapping[str, Rules] = {"paper": Rules(), "released": Rules()}

    def recognises(self, document: object) -> bool:
        """Whether a document is in our own format."""
        return isinstance(document, dict) and document.get("format") == "planoracle/instance"

    def read(self, document: object, source: str) -> list[Instance]:
        """Read our own format, see `planoracle.instances.files`."""
        from planoracle.instances.files import instance_from_document

        return [instance_from_document(document, source)]

    def read_data(self, data: bytes, path: str) -> list[Instance]:
        """Read the formats of the literature, see `planoracle.instances.literature`."""
        from planoracle.instances.literature import reader

        return reader.read_data(data, path)

    def marks_folder(self, folder: Path) -> bool:
        """Whether a folder holds the tables of an S-LAB problem."""
        return (folder / "operations.tsv").is_file()

    def read_folder(self, folder: Path) -> list[Instance]:
        """Read the tables of an S-LAB problem."""
        if not self.marks_folder(folder):
            return []
        from planoracle.instances.literature import reader

        return [reader.read_folder(str(folder))]

    @property
    def generator(self) -> Generator:
        """Random problems of the general model."""
        from planoracle.instances.generate.parameters import Knobs
        from planoracle.instances.generic import generator

        return Generator(tuple(Knobs.__dataclass_fields__), Knobs(), generator.generate, salt="own")

    def commands(self, problem: Instance, given: object, rules: Rules) -> Schedule:
        """Read a list of pieces."""
        from planoracle.instances.generic import language

        return language.parse(given, problem)

    def salvage(self, problem: Instance, given: object) -> tuple[object, tuple[Dropped, ...]]:
        """Leave the pieces of actions out that do not exist."""
        from planoracle.instances.generic import language

        return language.salvage(given, problem)

    def replay(self, problem: Instance, plan: Plan[Schedule], rules: Rules | None = None) -> GenericRun:
        """Replay by `planoracle.instances.referee`."""
        from planoracle.instances.generic.run import GenericRun
        from planoracle.instances.referee import referee

        return GenericRun(problem, plan, rules or self.profiles["paper"], referee(problem, plan.commands))

    def written(self, problem: Instance, schedule: Schedule) -> list[dict[str, object]]:
        """Write the pieces."""
        return [piece._asdict() for piece in schedule.pieces]

    def render(self, problem: Instance, schedule: Schedule) -> str:
        """Write the pieces as JSON."""
        from planoracle.instances.generic import language

        return language.render(schedule)

    def schedule(self, problem: Instance, plan: Plan[Schedule]) -> Schedule:
        """Return the schedule that the plan is."""
        return plan.commands

    def averages(self, rules: Rules) -> Sequence[Average]:
        """Sum grades up."""
        from planoracle.instances.generic import scores

        return scores.averages(rules)

    def measure(self, run: Run[Instance, Schedule, Rules], oracle: Oracle) -> Measured:
        """Compute the metrics of a run."""
        from planoracle.instances.generic import scores

        return scores.measure(cast("GenericRun", run), oracle)

    @property
    def topics(self) -> Sequence[Topic]:
        """The sections of a critique."""
        from planoracle.instances.generic.phrases import TOPICS

        return TOPICS

    def examine(self, run: Run[Instance, Schedule, Rules]) -> Examined:
        """Look closely at what is wrong with a run."""
        from planoracle.instances.generic import phrases

        return phrases.examine(cast("GenericRun", run))


benchmark = Generic()
