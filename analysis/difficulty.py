"""How hard a problem is: what greedy scheduling loses, and what the proof takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from planoracle.heuristics.registry import run
from planoracle.instances import registry
from planoracle.instances.generate.styles import Generated
from planoracle.instances.model import Instance
from planoracle.instances.problem import of_kind
from planoracle.instances.status import Status
from planoracle.solver.exact.solve import solve

__all__ = ["GREEDY", "Difficulty", "Drawn", "measure", "sift", "summarize"]

#: Schedulers that build one schedule by a fixed rule, in the order in which they are named.
GREEDY: Final = ("parallel-lpt", "parallel-lst", "parallel-wait", "serial-lst")


@dataclass(frozen=True, slots=True)
class Difficulty:
    """What is known about how hard a problem is.

    Attributes
    ----------
    optimum
        Least makespan in ticks, ``None`` unless it is proved for pauses at every tick.
    makespans
        Makespan of every heuristic, ``None`` where it failed.
    seconds, proof
        Wall time of the exact solve, and in which step the proof was found.
    """

    instance: str
    actions: int
    status: Status
    optimum: int | None
    lower_bound: int | None
    makespans: dict[str, int | None]
    seconds: float
    proof: str

    @property
    def greedy(self) -> int | None:
        """Makespan of the best of the heuristics, ``None`` if all failed."""
        return min((makespan for makespan in self.makespans.values() if makespan is not None), default=None)

    @property
    def failed(self) -> tuple[str, ...]:
        """Heuristics without an answer."""
        return tuple(name for name, makespan in self.makespans.items() if makespan is None)

    @property
    def losses(self) -> dict[str, float | None]:
        """What each heuristic loses, as a share of the optimum; ``None`` if it failed or the optimum is not proved."""
        return {name: self._loss(makespan) for name, makespan in self.makespans.items()}

    @property
    def loss(self) -> float | None:
        """What the best of the heuristics loses: all others lose at least as much."""
        return self._loss(self.greedy)

    def _loss(self, makespan: int | None) -> float | None:
        return None if makespan is None or not self.optimum else (makespan - self.optimum) / self.optimum

    def row(self) -> dict[str, Any]:
        """Return a flat row, but for the losses by heuristic."""
        return {
            "instance": self.instance,
            "actions": self.actions,
            "status": self.status,
            "optimum": self.optimum,
            "lower_bound": self.lower_bound,
            "greedy": self.greedy,
            "loss_gap": self.loss,
            "failed": len(self.failed),
            "seconds": round(self.seconds, 6),
            "proof": self.proof,
            "losses": self.losses,
        }


def measure(instance: Instance, heuristics: Sequence[str] | None = None, *, time_limit: float = 10.0) -> Difficulty:
    """Solve a problem, and see what heuristics make of it.

    Parameters
    ----------
    heuristics
        Names of the registry; default: `GREEDY`, and the greedy algorithm of the benchmark's paper.
    time_limit
        Seconds for the exact solve. Which problems are proved in it depends on the machine.

    Examples
    --------
    >>> from planoracle.instances.catalogue import load
    >>> found = measure(load("recipe2plan/timed/Leche-Asada_Banana-Fry"))
    >>> found.optimum, found.makespans["recipe2plan-dfs"], round(found.losses["recipe2plan-dfs"], 3)
    (4020, 5400, 0.343)
    """
    if heuristics is None:
        heuristics = GREEDY + registry.of(instance).greedy
    best = solve(instance, time_limit=time_limit, finest=True)
    proved = best.status == Status.optimal and best.grid == 1
    return Difficulty(
        instance=instance.name,
        actions=len(instance.actions),
        status=best.status,
        optimum=best.makespan if proved else None,
        lower_bound=best.lower_bound,
        makespans={name: run(instance, name).makespan for name in heuristics},
        seconds=best.seconds,
        proof=best.proof,
    )


def summarize(found: Sequence[Difficulty]) -> list[dict[str, Any]]:
    """Say for every heuristic, and for the best of them, what it loses.

    Returns
    -------
    list of dict
        ``method``; ``problems`` with a proved optimum; ``failed``: on how many of these it has no answer; ``above``: on
        how many it loses; ``mean_gap, max_gap``: loss, over those with an answer.
    """
    proved = [one for one in found if one.optimum is not None]
    names = dict.fromkeys(name for one in proved for name in one.makespans)
    losses = {name: [one.losses[name] for one in proved if name in one.makespans] for name in names}
    losses["best of these"] = [one.loss for one in proved]
    rows = []
    for method, values in losses.items():
        known = [loss for loss in values if loss is not None]
        rows.append(
            {
                "method": method,
                "problems": len(values),
                "failed": len(values) - len(known),
                "above": sum(loss > 0 for loss in known),
                "mean_gap": sum(known) / len(known) if known else None,
                "max_gap": max(known, default=None),
            }
        )
    return rows


class Drawn:
    """A random problem, measured when asked."""

    def __init__(self, generated: Generated, heuristics: Sequence[str] | None, time_limit: float) -> None:
        self.generated = generated
        self.heuristics = heuristics
        self.time_limit = time_limit

    @cached_property
    def difficulty(self) -> Difficulty:
        """How hard it is; raises `InputError` for another kind."""
        return measure(of_kind(self.generated.problem, Instance), self.heuristics, time_limit=self.time_limit)

    @cached_property
    def selected(self) -> bool:
        """Whether it meets its benchmark's criteria; raises `InputError` if that tells none."""
        problem = self.generated.problem
        return registry.of(problem).selected(problem, lambda one, method: run(one, method).makespan)


def sift(
    draws: Iterable[Generated],
    *,
    min_loss: float | None = None,
    select: bool = False,
    heuristics: Sequence[str] | None = None,
    time_limit: float = 10.0,
) -> Iterator[Drawn]:
    """Keep the random problems that are hard enough.

    Parameters
    ----------
    min_loss
        Keep those with a proved optimum of which the best greedy schedule loses at least so much. Where all
        greedy schedulers fail nothing is measured, and the problem is dropped.
    select
        Keep those that meet the criteria of their benchmark.
    heuristics, time_limit
        As for `measure`.
    """
    for generated in draws:
        drawn = Drawn(generated, heuristics, time_limit)
        keep = not select or drawn.selected
        if keep and min_loss is not None:
            loss = drawn.difficulty.loss
            keep = loss is not None and loss >= min_loss
        if keep:
            yield drawn
