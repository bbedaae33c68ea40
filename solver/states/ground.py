"""What all runs on an instance share: bounds worked out once, models made once, and the value of the beginning.

None of it depends on what has been asked before, so that neither does an answer.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from planoracle.instances import registry
from planoracle.instances.deadline import Limit
from planoracle.instances.memo import Memo
from planoracle.instances.model import Instance
from planoracle.solver.exact.bounds import horizon, lower_bound, windows
from planoracle.solver.exact.model import ScheduleModel
from planoracle.solver.states.progress import Translator

if TYPE_CHECKING:
    from planoracle.solver.states.solver import Value

#: Lower bound of what is impossible.
NEVER = 10**400
# Models kept for one instance and step.
_MODELS = 8


class Built:
    """A model with the domains that it has been made with, and those that are set for some state."""

    def __init__(self, model: ScheduleModel) -> None:
        self.model = model
        self.domains = model.model.domains()
        # The general rules judge a schedule as a whole, those of benchmarks command by command.
        self.joins = model.joins if registry.of(model.instance).stepwise else []
        self.free = [(domain[0], domain[1]) for domain in self.domains]
        place = {id(segment): (i, k) for i, segments in enumerate(model.segments) for k, segment in enumerate(segments)}
        self.goes_on: dict[tuple[int, int], list[int]] = {}
        for _, two, literal in model.runs:
            self.goes_on.setdefault(place[id(two)], []).append(literal)
        self._changed: dict[int, tuple[int, int]] = {}  # domains set that differ from the free ones

    def restrict(self, variable: int, domain: tuple[int, int]) -> None:
        """Set the domain of a variable."""
        values = self.domains[variable]
        values.clear()
        values.extend(domain)

    def become(self, wanted: dict[int, tuple[int, int]]) -> None:
        """Set these domains, and make all others free."""
        for variable in self._changed.keys() - wanted.keys():
            self.restrict(variable, self.free[variable])
            del self._changed[variable]
        for variable, domain in wanted.items():
            if self._changed.get(variable) != domain:
                self.restrict(variable, domain)
                self._changed[variable] = domain


class Ground:
    """What is known of an instance whose times are counted in steps of so many ticks."""

    def __init__(self, instance: Instance, step: int) -> None:
        self.instance = instance
        self.step = step
        self.translator = Translator(instance, step)
        self.windows = windows(instance)
        self.rest = -(-horizon(instance) // step)
        self.least = -(-lower_bound(instance, self.windows) // step) if self.windows.consistent else NEVER
        actions, tails = instance.actions, self.windows.tail
        self.starters = [i for i, action in enumerate(actions) if not action.attended and instance.eligible(action)]
        # Pieces of these cannot be cut by a start if the model is told that they run on.
        self.limited = {instance.index[lag.after] for lag in instance.lags if lag.maximum is not None}
        self.left = [action.duration // step + tail // step for action, tail in zip(actions, tails, strict=True)]
        self.held = [action.attended // step for action in actions]
        self._models: dict[tuple[int, tuple[tuple[str, int], ...]], Built] = {}
        #: Values of the beginning with the work that they took, by the latest time of the model and the limit.
        self.roots: dict[tuple[int, Limit], tuple[Value, int]] = {}

    def built(self, latest: int, room: Counter[str]) -> Built:
        """Return the model for times up to ``latest`` with room for so many given pieces of each crew."""
        key = latest, tuple(sorted(room.items()))
        if key not in self._models:
            if len(self._models) >= _MODELS:
                self._models.clear()
            most = (latest + self.rest) * self.step
            self._models[key] = Built(
                ScheduleModel(self.instance, self.windows, self.step, 0, most, given=dict(key[1]))
            )
        return self._models[key]


@Memo
def ground(instance: Instance, step: int) -> Ground:
    """Return the ground of an instance, kept with it."""
    return Ground(instance, step)
