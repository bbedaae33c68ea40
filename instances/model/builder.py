"""Fluent builder of scheduling problems, with the defaults of the file format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, time, timedelta
from operator import index
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, TypeAlias

from planoracle.instances.errors import InputError, in_field
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.clock_times import LocalClock, is_moment, parse_start_time
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.mode_values import ALL, attended_ticks, pause_flags, with_values_of_modes
from planoracle.instances.model.task_calendars import SideTable
from planoracle.instances.model.task_columns import NAME_FIELDS, TableOptions
from planoracle.instances.model.task_model import SideTables, add_rows
from planoracle.instances.model.task_rows import rows_of
from planoracle.instances.model.transitions import Transitions
from planoracle.instances.text import one_of, seconds_of_unit

if TYPE_CHECKING:
    from pandas import DataFrame

_NO_UNIT = (
    "a time span requires seconds_per_tick or a unit such as minute; in a table, a column may name the unit, "
    "as in duration_min"
)

#: Whole number of ticks, also of pandas and NumPy, or a span of time.
Ticks: TypeAlias = SupportsIndex | timedelta
#: Ticks since tick 0, or a date or clock time (a text such as ``2026-03-02 8:30`` or ``8:30``) of a model with a start.
Moment: TypeAlias = Ticks | date | time | str
#: Ticks by pair of places or families.
Ways: TypeAlias = Mapping[tuple[str, str], Ticks] | Iterable[tuple[str, str, Ticks]]


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
    start_time
        Local clock time of tick 0, such as ``2026-03-02 8:00``; requires ``seconds_per_tick``. Releases, deadlines,
        windows and off-times can then be dates and clock times.

    Examples
    --------
    >>> tea = Model("tea", unit="minute").task("tea")
    >>> tea = tea.action("boil", 5, attended=0, uses="stove").action("pour", 1).after("boil", maximum=1)
    >>> tea = tea.task("toast").action("slice", 3, interruptible=True).action("fry", 2, uses="stove", after="slice")
    >>> instance = tea.build()
    >>> [resource.name for resource in instance.resources], instance.lags[0]
    (['stove'], Lag(before='tea/boil', after='tea/pour', minimum=0, maximum=1))

    An oven that has to be hot, and two modes to cut:

    >>> bread = Model("bread").resource("oven", 2, "cold").resource("knife").resource("slicer").task("bread")
    >>> bread = bread.action("heat", 10, attended=0).uses("oven", 2, sets="hot")
    >>> bread = bread.action("bake", 30, attended=1, after="heat").uses("oven", requires="hot")
    >>> bread = bread.action("cut", 5, after="bake").mode("hand").uses("knife").mode("machine").uses("slicer")
    >>> [mode.name for mode in bread.build().by_id["bread/cut"].modes]
    ['hand', 'machine']

    An order that may be left out, a slow and a fast machine, nights, and a deadline:

    >>> shop = Model("shop", unit="hour", seconds_per_tick=3600, agents=[], start_time="2026-03-02 8:00")
    >>> shop = shop.resource("mill").resource("robot").calendar("mill", [("17:00", "8:00")])
    >>> shop = shop.task("gear").optional(weight=3).action("cut", deadline="2026-03-03", pauses="breaks")
    >>> instance = shop.mode(duration=12).uses("mill").mode(duration=5).uses("robot").build()
    >>> instance.calendars
    (Calendar(members=('mill',), off=((9, 24),), period=24),)
    >>> cut = instance.by_id["gear/cut"]
    >>> cut.duration, cut.modes[1].duration, cut.deadline, instance.weights
    (12, 5, 40, {'gear': 3})
    """

    def __init__(
        self,
        name: str = "model",
        *,
        unit: str = "tick",
        seconds_per_tick: SupportsIndex | None = None,
        agents: Iterable[str] = ("agent",),
        time_limit: Ticks | None = None,
        start_time: date | str | None = None,
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
        self._attended: list[Any] = []  # of each action, as it is given
        self._calendars: list[Calendar] = []
        self._transitions: list[Transitions] = []
        self._optional: list[tuple[str, int]] = []
        with in_field("start_time"):
            self.start_time = parse_start_time(start_time)

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
        start_time: date | str | None = None,
        workers: int | None = None,
        calendar: DataFrame | None = None,
        setups: DataFrame | None = None,
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
        start_time
            Local clock time of tick 0, such as ``2026-03-02 8:00``.
        agents
            Agents that are eligible for every task if the frame has no column ``agent``. By default tasks need none.
        workers
            Number of workers, if the frame has a column ``workers`` with the number that a task needs.
        calendar
            Frame with off-times of machines and agents: ``member``, ``begin`` and ``end``.
        setups
            Frame with set-up times of machines between families of tasks: ``before``, ``after`` and ``time``.

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
        model = cls(
            name,
            unit=unit,
            seconds_per_tick=seconds_per_tick,
            agents=agents,
            time_limit=time_limit,
            start_time=start_time,
        )
        literal = frozenset(_names(names))
        for field in sorted(literal.difference(NAME_FIELDS)):
            raise InputError(one_of(field, NAME_FIELDS), field="names", value=field)
        try:
            options = TableOptions(columns or {}, _names(ignore), literal, workers)
            side_tables = SideTables(_side_table(calendar, "calendar"), _side_table(setups, "setups"))
            add_rows(model, rows_of(frame), options, side_tables=side_tables)
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

    @property
    def clock(self) -> LocalClock:
        """Clock that converts dates and clock times of the model."""
        return LocalClock(self.start_time, self.seconds_per_tick)

    def resource(
        self, name: str, capacity: SupportsIndex = 1, state: str | None = None, *, renewable: bool = True
    ) -> Self:
        """Declare a resource with its units and its initial state, if any.

        Parameters
        ----------
        name
            Name, unique in the problem.
        capacity
            Units that can be in use at a time; of a budget, units that all actions may use up together.
        state
            Initial state, if it has states.
        renewable
            False for a budget, whose units are used up.
        """
        self._resources.append(Resource(name, _whole(capacity), state, renewable))
        return self

    def calendar(
        self, members: str | Iterable[str], off: Iterable[tuple[Moment, Moment]], period: Ticks | None = None
    ) -> Self:
        """Add times at which agents or resources are off; several calendars of a member add up.

        Parameters
        ----------
        members
            Names of agents and resources.
        off
            Pairs of begin and end: ticks or dates, sorted and disjoint, or clock times, which repeat every day.
        period
            Ticks after which off-times in ticks or dates repeat.
        """
        names = _names(members)
        pairs = []
        with in_field(f"calendars[{len(self._calendars)}]"):
            for span in off:
                pairs.append(self._moments(span))
            spans, ticks = self.clock.off_times(pairs, self.ticks(period))
        self._calendars.append(Calendar(names, spans, ticks))
        return self

    def travel(self, members: str | Iterable[str], times: Ways, start: str | Mapping[str, str] | None = None) -> Self:
        """Add ways of agents between the places of their actions.

        Parameters
        ----------
        members
            Names of agents, or of resources for `setup`.
        times
            Ticks from one place to another. From a place to itself they are 0 unless given; any other missing pair
            means that there is no way.
        start
            Place at tick 0, of all members or by name; without one, a member begins anywhere.
        """
        names = _names(members)
        entries = []
        for before, after, ticks in _triples(times):
            entries.append((before, after, self.ticks(ticks)))
        if isinstance(start, str):
            start = dict.fromkeys(names, start)
        self._transitions.append(Transitions(names, tuple(entries), tuple((start or {}).items())))
        return self

    def setup(self, members: str | Iterable[str], times: Ways, start: str | Mapping[str, str] | None = None) -> Self:
        """Add set-up times of resources of capacity 1 between the families of their uses.

        Parameters
        ----------
        members
            Names of resources.
        times
            Ticks from one family to another, as in `travel`.
        start
            Family at tick 0, of all members or by name; without one, the first use needs no set-up.
        """
        return self.travel(members, times, start)

    def task(self, name: str) -> Self:
        """Begin a task.

        Parameters
        ----------
        name
            Name of the task; the next actions belong to it.
        """
        self._tasks.append(name)
        return self

    def optional(self, task: str | None = None, weight: SupportsIndex = 1) -> Self:
        """Let a task be left out; the schedule has the greatest total weight, then the smallest makespan.

        Parameters
        ----------
        task
            Name of the task (default: the last one).
        weight
            Whole number above 0.
        """
        if task is None:
            if not self._tasks:
                raise InputError("call .task() before .optional(), or name a task", field="optional")
            task = self._tasks[-1]
        self._optional.append((task, _whole(weight)))
        return self

    def action(
        self,
        name: str,
        duration: Ticks | None = None,
        *,
        attended: Ticks | str | None = None,
        uses: str | Iterable[str] = (),
        after: str | Iterable[str] = (),
        interruptible: bool = False,
        release: Moment = 0,
        agents: str | Iterable[str] | None = None,
        label: str = "",
        deadline: Moment | None = None,
        windows: Iterable[tuple[Moment, Moment]] = (),
        pauses: str | None = None,
        place: str | None = None,
    ) -> Self:
        """Add an action to the task.

        Parameters
        ----------
        name
            Name, unique in the task.
        duration, attended, release, deadline
            Ticks: duration (not needed if each mode has one), time from the start during which it holds an agent
            (default: the duration, also called ``"all"``), earliest start and latest end.
        uses
            Resources of which it uses one unit each; `uses` sets other amounts and states.
        after
            Actions that must be finished before it starts, as names of the same task or ``task/name``; `after` sets
            lags.
        interruptible
            May run in several pieces, as with ``pauses="anywhere"``.
        agents
            Eligible agents (default: all, and nobody in a model without agents); an empty list if it needs none.
        label
            Short description for readers.
        windows
            Pairs of begin and end; each piece lies inside one of them.
        pauses
            ``"never"``, ``"breaks"`` (exactly while its agent or a resource that it uses is off) or ``"anywhere"``.
        place
            Place at which it holds its agent, if its agents travel.
        """
        if not self._tasks:
            raise InputError("call .task() before .action()", field="action", value=name)
        task = self._tasks[-1]
        everybody = None if self.agents else ()
        action_id = f"{task}/{name}"
        field = f"actions[{action_id}]"
        pauses_anywhere, pauses_in_breaks = pause_flags(pauses, interruptible, field)
        with in_field(f"{field}.windows"):
            spans = self.clock.windows(self._moments(span) for span in windows)
        with in_field(f"{field}.release"):
            earliest_start = self.clock.earliest(self._moment(release))
        with in_field(f"{field}.deadline"):
            latest_end = self.clock.latest(self._moment(deadline))
        eligible = everybody if agents is None else _names(agents)
        length = self.ticks(duration)
        stated_attended = attended if attended == ALL else self.ticks(attended)
        action = Action(
            action_id,
            task,
            length,
            attended_ticks(length, stated_attended, eligible),
            interruptible=pauses_anywhere,
            modes=(Mode(tuple(map(Demand, _names(uses)))),),
            agents=eligible,
            release=earliest_start,
            label=label,
            deadline=latest_end,
            windows=spans,
            pauses_in_breaks=pauses_in_breaks,
            place=place,
        )
        self._modes = False
        self._actions.append(action)
        self._attended.append(stated_attended)
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
        self,
        resource: str,
        amount: SupportsIndex = 1,
        *,
        requires: str | None = None,
        sets: str | None = None,
        family: str | None = None,
    ) -> Self:
        """Let the last action or mode use units of a resource, require a state of it or set one.

        Parameters
        ----------
        resource
            Name of the resource.
        amount
            Units in use; of a budget, units that it uses up.
        requires, sets
            State that it must have when the action starts, and state that the action gives it.
        family
            Family of the use, if the resource has set-up times.
        """
        *earlier_modes, mode = self._last("uses").modes
        demand = Demand(resource, _whole(amount), requires, sets, family)
        mode = replace(mode, demands=(*mode.demands, demand))
        return self._with_modes(*earlier_modes, mode)

    def mode(
        self,
        name: str = "",
        after: str | Iterable[str] = (),
        *,
        duration: Ticks | None = None,
        attended: Ticks | None = None,
        agents: str | Iterable[str] | None = None,
    ) -> Self:
        """Add a mode to the last action; if it is selected, the actions in ``after`` must be finished before.

        Parameters
        ----------
        name
            Name of the mode, for readers.
        after
            Actions that must be finished before, if the mode is chosen.
        duration, attended
            Ticks in this mode (default: those of the action; all or none of another duration are attended, as of that
            of the action).
        agents
            Eligible agents in this mode (default: those of the action); an empty list if it needs none.
        """
        last = self._last("mode")
        if not self._modes and last.modes != (Mode(),):
            raise InputError("give either uses or modes, not both", field=f"actions[{last.id}].modes")
        earlier_modes = last.modes if self._modes else ()
        self._modes = True
        predecessors = tuple(_id(last.task, before) for before in _names(after))
        eligible = None if agents is None else _names(agents)
        mode = Mode((), name, predecessors, self.ticks(duration), self.ticks(attended), eligible)
        return self._with_modes(*earlier_modes, mode)

    def build(self) -> Instance:
        """Return the problem, under the general rules.

        Raises
        ------
        InputError
            For invalid values, see `Instance`.
        """
        resources = self._resources or [Resource(name) for name in self._used_resources()]
        actions = []
        for action, attended in zip(self._actions, self._attended, strict=True):
            actions.append(with_values_of_modes(action, attended, self.agents))
        lags = tuple(self._lags)
        return Instance(
            name=self.name,
            actions=tuple(actions),
            lags=lags,
            resources=tuple(resources),
            agents=self.agents,
            unit=self.unit,
            seconds_per_tick=self.seconds_per_tick,
            time_limit=self.time_limit,
            calendars=tuple(self._calendars),
            transitions=tuple(self._transitions),
            optional=tuple(self._optional),
            start_time=self.start_time,
        )

    def _moment(self, value: Any) -> Any:
        """Return a date or clock time as it is, and other values in ticks."""
        return value if is_moment(value) else self.ticks(value)

    def _moments(self, span: Iterable[Any]) -> list[Any]:
        return [self._moment(value) for value in span]

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


def _triples(times: Ways) -> Iterator[tuple[str, str, Ticks]]:
    if isinstance(times, Mapping):
        for (before, after), ticks in times.items():
            yield before, after, ticks
    else:
        yield from times


def _name_row(fault: InputError) -> InputError:
    """Return a fault of a row of a frame with the number of the row in its field."""
    if fault.line is None:
        return fault
    if fault.source:  # of a frame beside that of the tasks
        return fault.at("", f"{fault.source}[{fault.line}]")
    return fault.at("", f"rows[{fault.line}]")


def _side_table(frame: DataFrame | None, name: str) -> SideTable | None:
    return None if frame is None else SideTable(list(rows_of(frame)), name)


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
