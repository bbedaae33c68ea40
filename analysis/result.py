"""What solving gives at the front door: the solver's result together with its problem, as a frame and as a picture."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from planoracle.instances.errors import InputError
from planoracle.instances.problem import Problem
from planoracle.solver.result import Result as Solved

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Result(Solved):
    """What is known about a problem; ``print`` says it in three lines. See `planoracle.solver.result.Result`.

    Attributes
    ----------
    problem
        The problem itself.
    method
        ``optimum``, or the name of the heuristic that made the schedule.
    """

    problem: Problem = field(kw_only=True, repr=False)
    method: str = "optimum"

    @classmethod
    def of(cls, problem: Problem, solved: Solved) -> Result:
        """Put a problem and its result together."""
        return cls(**{one.name: getattr(solved, one.name) for one in fields(Solved)}, problem=problem)

    def to_frame(self) -> pd.DataFrame:
        """Return the plan, a row per piece or action; the columns are those of the frame ``schedules``.

        Raises
        ------
        InputError
            If there is no plan.
        """
        from planoracle.analysis.frames.problems import schedules

        self._check()
        return schedules([(self.problem, self.method, self)]).frame

    def gantt(self, ax: Axes | None = None) -> Axes:
        """Draw the plan, on axes of a new figure if there are none given.

        Raises
        ------
        InputError
            If there is no plan, or it is too long to draw.
        """
        from planoracle.analysis.figures.plan import draw

        self._check()
        return draw(self.problem, self.plan, ax)

    def _check(self) -> None:
        if self.plan is None:
            raise InputError(f"has no plan; the status is {self.status}", field=self.instance)
