"""Kitchens: problems in which actions must be chosen, one step at a time; and thirty of our own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from planoracle.instances.benchmarks.robotouille import Robotouille
from planoracle.instances.protocol.capabilities import Catalog
from planoracle.instances.protocol.scoring import Reference

if TYPE_CHECKING:
    from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen


class Kitchens(Robotouille):
    """Kitchens that nobody has published: ours, their variants, and those of our file format that say no more."""

    name = "kitchens"
    title = "Kitchens of our own"
    citation = ""
    rules_as = "robotouille"
    package = "planoracle.instances.benchmarks.robotouille"
    data = ""

    @property
    def shelf(self) -> Catalog:
        """Thirty kitchens of ours, and any number of variants."""
        from planoracle.instances.benchmarks.kitchens import problems

        return problems

    def note(self, name: str) -> str:
        """Say whose the bundled kitchens are."""
        return "kitchens: these are ours, made after Robotouille's paper; its own are robotouille/..."

    @property
    def generator(self) -> None:
        """None: random kitchens are made in the style of Robotouille."""

    @property
    def references(self) -> Sequence[Reference[Kitchen]]:
        """None: no number of steps was published for them."""
        return ()

    def recognises(self, document: object) -> bool:
        """Whether a document claims to be a kitchen of our format."""
        from planoracle.instances.benchmarks.kitchens.problems import FORMAT

        return isinstance(document, dict) and document.get("format") == FORMAT

    def read(self, document: Any, source: str) -> list[Kitchen]:
        """Return the kitchen of a document of our format; it may be one of Robotouille's, and says so."""
        from planoracle.instances.benchmarks.kitchens.problems import kitchen_from_document

        return [kitchen_from_document(document, source)]


benchmark = Kitchens()
