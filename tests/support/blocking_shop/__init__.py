"""Benchmark of another package: job shops without buffers, whose problems are a kind of their own.

It is an example of a package with a benchmark and a kind. Its tests register both, and install it as a package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from planoracle.plugin import Benchmark, InputError, Rules, RuleSet, lazy

if TYPE_CHECKING:
    from .shop import BlockingShop


class BlockingShops(Benchmark["BlockingShop", list[str], Rules]):
    """Job shops in which a job stays on its machine until the next machine is free.

    A plan names the job of each operation, in the order in which the operations start.
    """

    name = "blocking_shop"
    title = "Blocking job shops"

    catalog = lazy(f"{__name__}.shop")
    reader = lazy(f"{__name__}.shop")
    language = lazy(f"{__name__}.language")
    rules = RuleSet("blocking_shop", {"paper": Rules(), "released": Rules(refuse_unread=False)})
    runs = lazy(f"{__name__}.rules")
    metrics = lazy(f"{__name__}.metrics:METRICS")
    feedback = lazy(f"{__name__}.texts")
    live = lazy(f"{__name__}.texts")

    def document(self, problem: BlockingShop) -> dict[str, Any]:
        """Return a shop as a document."""
        document: dict[str, Any] = self.reader.to_document(problem)
        return document

    def with_agents(self, problem: BlockingShop, crew: str) -> NoReturn:
        """Refuse: shops have machines and no agents."""
        raise InputError("has machines and no agents", field="agents", value=crew)


benchmark = BlockingShops()
