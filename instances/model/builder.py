"""Fluent builder of scheduling problems, with the defaults of the file format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from operator import index
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, TypeAlias

from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.task_columns import NAME_FIELDS, TableOptions
from planoracle.instances.model.task_model import add_rows
from planoracle.instances.model.task_rows import rows_of
from planoracle.instances.text import one_of, seconds_of_unit

if TYPE_CHECKING:
    from pandas import DataFrame

_NO_UNIT = (
    "a time span requires seconds_per_tick or a unit such as minute; in a table, a column may name the unit, "
    "as in duration_min"
)

#: Whole number of ticks, also of pandas and NumPy, or a span of time.
Ticks: TypeAlias = SupportsIndex | timedelta


class Model:
    """Builder of an `Instance` from tasks, actions, lags and resources.

    Every method returns the model, so that calls can be chained; `after`, `uses` and `mode` refer to the last action.
    Undeclared resources have one unit and no state; once one is declared, all must be. Times are ticks, or spans of
    time (``timedelta``, also of pandas and NumPy) if the length of a tick is known.

    Parameters
    ----------
    name
        Name of the problem.
    unit, seconds_per_tick
        Name of a tick, and its length if it is fixed.
    agents
        Names of the agents, in a fixed order; an empty list if no action needs one.
    time_limit
        Last tick at which an action may end.

    Examples
    --------
    >>> tea = Model("tea", unit="minute").task("tea")
    >>> tea = tea.action("boil", 5, attended=0, uses="stove").action("pour", 1).after("boil", maximum=1)
    >>> tea = tea.task("toast").action("slice", 3, interruptible=True).action("fry", 2, uses="stove", after="slice")
    >>> instance = tea.build()
    >>> instance.resources, instance.lags[0]
    ((Resource(name='stove', capacity=1, state=None),), Lag(before='tea/boil', after='tea/pour', minimum=0, maximum=1))

    An oven that has to be hot, and two modes to cut:

    >>> bread = Model("bread").resource("oven", 2, "cold").resource("knife").resource("slicer").task("bread")
    >>> bread = bread.action("heat", 10, attended=0).uses("oven", 2, sets="hot")
    >>> bread = bread.action("bake", 30, attended=1, after="heat").uses("oven", requires="hot")
    >>> bread = bread.action("cut", 5, after="bake").mode("hand").uses("knife").mode("machine").uses("slicer")
    >>> [mode.name for mode in bread.build().by_id["bread/cut"].modes]
    ['hand', 'machine']
    """

    def __init__(
        self,
        name: str = "model",
        *,
        unit: str = "tick",
        seconds_per_tick: SupportsIndex | None = None,
        agents: Iterable[str] = ("agent",),
        time_limit: Ticks | None = None,
    ) -> None:
        self.name = name
        self.unit = unit
        self.seconds_per_tick = _whole(seconds_per_tick)
        self.agents = _names(agents)
        self.time_limit = self.ticks(time_limit)
        self._resources: list[Resource] = []
        self._tasks: list[str] = []
        self._actions: list[Action] = []
        self._lags: list[Lag] = []
        self._modes = False  # whether the last action has explicit modes

    @classmethod
    def from_frame(
        cls,
        frame: DataFrame,
        name: str = "tasks",
        *,
        columns: Mapping[str, str] | None = None,
        ignore: Iterable[str] = (),
        names: Iterable[str] = (),
        unit: str = "tick",
        seconds_per_tick: SupportsIndex | None = None,
        agents: Iterable[str] = (),
        time_limit: Ticks | None = None,
    ) -> Self:
        """Return the model of a frame with a row for each task.

        Parameters
        ----------
        frame
            Frame with a row for each task.
        name
            Name of the problem.
        columns
            Column of each field whose column has an unusual name, ``{"task": "Vorgang"}``. Fields and usual names of
            columns are in ``.docs/problem_files.md``.
        ignore
            Columns that are not read.
        names
            Fields (``machine``, ``agent``, ``after``) in whose cells a text is one name, whatever it contains.
        unit, seconds_per_tick
            Name of a tick, and its length in seconds if it is fixed.
        time_limit
            Last tick at which an action may end (default: none).
        agents
            Agents that are eligible for every task if the frame has no column ``agent``. By default tasks need none.

        Raises
        ------
        InputError
            With row, column and value of every fault.

        Examples
        --------
        >>> from pandas import DataFrame
        >>> frame = DataFrame({"task": ["saw", "glue"], "duration": [3, 5], "after": ["", "saw"]})
        >>> Model.from_frame(frame, agents=["ann"]).build().lags
        (Lag(before='tasks/saw', after='tasks/glue', minimum=0, maximum=None),)
        """
        model = cls(name, unit=unit, seconds_per_tick=seconds_per_tick, agents=agents, time_limit=time_limit)
        literal = frozenset(_names(names))
        for field in sorted(literal.difference(NAME_FIELDS)):
            raise InputError(one_of(field, NAME_FIELDS), field="names", value=field)
        try:
            options = TableOptions(columns or {}, _names(ignore), literal)
            add_rows(model, rows_of(frame), options)
        except InputError as error:
            raise error.each(_name_row) from None
        return model

    def ticks(self, value: Any) -> Any:
        """Return whole ticks of a number or a span of time; `build` refuses other values.

        Parameters
        ----------
        value
            Whole number of ticks, or a span of time: ``timedelta``, ``numpy.timedelta64`` or ``pandas.Timedelta``.
        """
        if not isinstance(value, timedelta) and type(value).__name__ != "timedelta64":
            return _whole(value)
        seconds = self.seconds_per_tick or seconds_of_unit(self.unit)
        if seconds is None:
            raise InputError(_NO_UNIT, value=value)
        if not isinstance(value, timedelta):
            from pandas import Timedelta

            value = Timedelta(value)
        ticks, remainder = divmod(value, timedelta(seconds=seconds))
        if remainder:
            raise InputError(f"must be a multiple of the tick length, {seconds} seconds", value=value)
        return index(ticks)

    def resource(self, name: str, capacity: SupportsIndex = 1, state: str | None = None) -> Self:
        """Declare a resource with its units and its initial state, if any.

        Parameters
        ----------
        name
            Name, unique in the problem.
        capacity
            Units that can be in use at a time.
        state
            Initial state, if it has states.
        """
        self._resources.append(Resource(name, _whole(capacity), state))
        return self

    def task(self, name: str) -> Self:
        """Begin a task.

        Parameters
        ----------
        name
            Name of the task; the next actions belong to it.
        """
        self._tasks.append(name)
        return self

    def action(
        self,
        name: str,
        duration: Ticks,
        *,
        attended: Ticks | None = None,
        uses: str | Iterable[str] = (),
        after: str | Iterable[str] = (),
        interruptible: bool = False,
        release: Ticks = 0,
        agents: str | Iterable[str] | None = None,
        label: str = "",
    ) -> Self:
        """Add an action to the task.

        Parameters
        ----------
        name
            Name, unique in the task.
        duration, attended, release
            Ticks: duration, time from the start during which it holds an agent (default: the duration), and earliest
            start.
        uses
            Resources of which it uses one unit each; `uses` sets other amounts and states.
        after
            Actions that must be finished before it starts, as names of the same task or ``task/name``; `after` sets
            lags.
        interruptible
            May run in several pieces.
        agents
            Eligible agents (default: all, and nobody in a model without agents); an empty list if it needs none.
        label
            Short description for readers.
        """
        if not self._tasks:
            raise InputError("call .task() before .action()", field="action", value=name)
        task = self._tasks[-1]
        everybody = None if self.agents else ()
        eligible = everybody if agents is None else _names(agents)
        length = self.ticks(duration)
        attended_ticks = self.ticks(attended)
        if attended_ticks is None:
            attended_ticks = 0 if eligible == () else length
        modes = (Mode(tuple(map(Demand, _names(uses)))),)
        self._modes = False
        earliest_start = self.ticks(release)
        action_id = f"{task}/{name}"
        action = Action(action_id, task, length, attended_ticks, interruptible, modes, eligible, earliest_start, label)
        self._actions.append(action)
        for before in _names(after):
            self.after(before)
        return self

    def after(self, before: str, minimum: Ticks | None = 0, maximum: Ticks | None = None) -> Self:
        """Add a time lag in ticks from the finish of another action to the start of the last action.

        A ``minimum`` of ``None`` leaves the order free.

        Parameters
        ----------
        before
            The other action: its name in the same task, or ``task/name``.
        minimum, maximum
            Bounds of the lag in ticks; ``None``: no bound.
        """
        last = self._last("after")
        lower_bound = self.ticks(minimum)
        upper_bound = self.ticks(maximum)
        before_id = _id(last.task, before)
        self._lags.append(Lag(before_id, last.id, lower_bound, upper_bound))
        return self

    def uses(
        self, resource: str, amount: SupportsIndex = 1, *, requires: str | None = None, sets: str | None = None
    ) -> Self:
        """Let the last action or mode use units of a resource, require a state of it or set one.

        Parameters
        ----------
        resource
            Name of the resource.
        amount
            Units in use.
        requires, sets
            State that it must have when the action starts, and state that the action gives it.
        """
        *earlier_modes, mode = self._last("uses").modes
        demand = Demand(resource, _whole(amount), requires, sets)
        mode = replace(mode, demands=(*mode.demands, demand))
        return self._with_modes(*earlier_modes, mode)

    def mode(self, name: str = "", after: str | Iterable[str] = ()) -> Self:
        """Add a mode to the last action; if it is selected, the actions in ``after`` must be finished before.

        Parameters
        ----------
        name
            Name of the mode, for readers.
        after
            Actions that must be finished before, if the mode is chosen.
        """
        last = self._last("mode")
        if not self._modes and last.modes != (Mode(),):
            raise InputError("give either uses or modes, not both", field=f"actions[{last.id}].modes")
        earlier_modes = last.modes if self._modes else ()
        self._modes = True
        predecessors = tuple(_id(last.task, before) for before in _names(after))
        return self._with_modes(*earlier_modes, Mode((), name, predecessors))

    def build(self) -> Instance:
        """Return the problem, under the general rules.

        Raises
        ------
        InputError
            For invalid values, see `Instance`.
        """
        resources = self._resources or [Resource(name) for name in self._used_resources()]
        return Instance(
            name=self.name,
            actions=tuple(self._actions),
            lags=tuple(self._lags),
            resources=tuple(resources),
            agents=self.agents,
            unit=self.unit,
            seconds_per_tick=self.seconds_per_tick,
            time_limit=self.time_limit,
        )

    def _used_resources(self) -> list[str]:
        """Return the names of the resources in use, in the order of their first use."""
        names: dict[str, None] = {}
        for action in self._actions:
            for mode in action.modes:
                names.update(dict.fromkeys(demand.resource for demand in mode.demands))
        return list(names)

    def _last(self, method: str) -> Action:
        if not self._actions or self._actions[-1].task != self._tasks[-1]:
            raise InputError(f"call .action() before .{method}()", field=method)
        return self._actions[-1]

    def _with_modes(self, *modes: Mode) -> Self:
        self._actions[-1] = replace(self._actions[-1], modes=modes)
        return self


def _name_row(fault: InputError) -> InputError:
    """Return a fault of a row of a frame with the number of the row in its field."""
    if fault.line is None:
        return fault
    return fault.at("", f"rows[{fault.line}]")


def _names(names: str | Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _id(task: str, name: str) -> str:
    return name if "/" in name else f"{task}/{name}"


def _whole(value: Any) -> Any:
    """Return a whole number as ``int``; other values, which `Model.build` refuses, as they are."""
    try:
        return value if isinstance(value, bool) else index(value)
    except TypeError:
        return value
