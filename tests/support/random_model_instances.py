"""Random small instances that mix all features of the scheduling model; deterministic for a seed."""

from __future__ import annotations

from dataclasses import replace
from math import comb, prod
from random import Random

from support.model_horizon import horizon

from planoracle.instances.errors import InputError
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.transitions import Transitions

AGENTS = ("ann", "bob", "cem")
PLACES = ("home", "shop", "yard")
FAMILIES = ("red", "blue")
STATES = ("hot", "cold")
#: Draws of one seed that may be invalid before it is an error of this module.
MAX_DRAWS = 500
#: Sizes of instances whose exhaustive search is quick, see `is_small`.
MAX_HORIZON, MAX_PLACEMENTS, MAX_SCHEDULES = 18, 500, 1_000_000
#: Groups of draws, and how often an instance has each.
SHARES = {
    "agents differ": 0.4,
    "modes": 0.45,
    "budget": 0.3,
    "excess": 0.15,
    "windows": 0.4,
    "calendars": 0.45,
    "breaks": 0.4,
    "interruptible": 0.45,
    "travel": 0.4,
    "setup": 0.3,
    "states": 0.4,
    "optional": 0.4,
    "lags": 0.7,
    "releases": 0.3,
    "time limit": 0.15,
    "no length": 0.3,
    "partly attended": 0.2,
}


def model_mix(seed: int) -> Instance:
    """Return two to five short actions with some features of the scheduling model.

    Each instance draws about six of the groups in `SHARES`; draws that validation refuses are repeated.
    """
    random = Random(f"model mix {seed}")
    error: InputError | None = None
    for _ in range(MAX_DRAWS):
        try:
            instance = _Draw(random).instance(f"mix-{seed}")
        except InputError as refusal:  # a cycle of lags, a window that is too short
            error = refusal
            continue
        if is_small(instance):
            return instance
    raise AssertionError(f"seed {seed} draws no valid instance: {error}")


def is_small(instance: Instance) -> bool:
    """Return whether an instance has so few placements that its exhaustive search is quick."""
    latest = horizon(instance)
    if latest > MAX_HORIZON:
        return False
    sizes = [_placements_of(instance, action, latest) for action in instance.actions]
    return max(sizes) <= MAX_PLACEMENTS and prod(sizes) <= MAX_SCHEDULES


def _placements_of(instance: Instance, action: Action, latest: int) -> int:
    """Return the number of runs of an action up to a horizon."""
    count = 0
    for variant in instance.variants[action.id]:
        agents = max(len(variant.agents), 1)
        if action.interruptible and variant.duration > 1:
            count += comb(latest, variant.duration) * agents**variant.duration
        else:
            count += max(latest + 1 - variant.duration, 0) * agents
    return count


class _Draw:
    """Draws of one instance.

    Attributes
    ----------
    groups
        Groups of features that the instance may have.
    travellers
        Agents with ways between places.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.groups = {name for name, share in SHARES.items() if random.random() < share}
        self.agents = AGENTS[: random.choice((1, 1, 2, 2, 2, 3))]
        self.travellers: tuple[str, ...] = ()
        if "travel" in self.groups:
            self.travellers = self.agents[: random.randint(1, len(self.agents))]
        self.resources = self.draw_resources()
        self.settable = random.sample(STATES, random.randint(1, 2)) if "states" in self.groups else []
        self.count = random.choice((2, 3, 3, 4, 4, 5))
        self.tasks = self.draw_tasks()

    def has(self, group: str, share: float = 1.0) -> bool:
        """Return whether the instance has a group of features and one draw of it succeeds."""
        return group in self.groups and self.random.random() < share

    def draw_resources(self) -> dict[str, Resource]:
        """Return the resources of the instance, by name."""
        random = self.random
        resources = [Resource("bench", random.choice((1, 1, 2)))]
        if "states" in self.groups:
            resources.append(Resource("kiln", random.choice((1, 2)), random.choice((None, "hot"))))
        if "budget" in self.groups:
            resources.append(Resource("money", random.choice((0, 1, 2, 3, 3)), renewable=False))
        if "setup" in self.groups:
            resources.append(Resource("press"))
        return {resource.name: resource for resource in resources}

    def draw_tasks(self) -> list[str]:
        """Return the task of every action; tasks are not mixed up."""
        count = self.random.choice((1, 2, 3)) if "optional" in self.groups else 1
        return sorted(self.random.choice("tuv"[:count]) for _ in range(self.count))

    def instance(self, name: str) -> Instance:
        """Return an instance.

        Raises
        ------
        InputError
            If the draws do not fit together.
        """
        random = self.random
        actions = tuple(self.draw_action(number) for number in range(self.count))
        return Instance(
            name=name,
            actions=actions,
            lags=tuple(self.draw_lags(actions)),
            resources=tuple(self.resources.values()),
            agents=self.agents,
            time_limit=random.randint(4, 9) if "time limit" in self.groups else None,
            calendars=tuple(self.draw_calendars()),
            transitions=tuple(self.draw_transitions(actions)),
            optional=tuple(self.draw_optional()),
        )

    def name_of(self, number: int) -> str:
        """Return the id of an action."""
        return f"{self.tasks[number]}/{number}"

    def draw_duration(self) -> int:
        """Return a duration."""
        return self.random.choice((0, 1)) if self.has("no length", 0.4) else self.random.choice((1, 1, 2, 2, 3))

    def draw_action(self, number: int) -> Action:
        """Return one action with its modes."""
        random = self.random
        duration = self.draw_duration()
        attended = duration if random.random() < 0.6 else 0
        if self.has("partly attended", 0.5):
            attended = random.randint(0, duration)
        eligible = self.draw_agents(attended)
        pauses = self.draw_pauses(duration, attended)
        action = Action(
            id=self.name_of(number),
            task=self.tasks[number],
            duration=duration,
            attended=attended,
            interruptible=pauses == "anywhere",
            agents=eligible,
            release=random.choice((0, 1, 2, 3)) if self.has("releases", 0.5) else 0,
            pauses_in_breaks=pauses == "breaks",
        )
        modes = [self.draw_mode(action, number, position) for position in range(random.choice((1, 2, 2, 3)))]
        if "modes" not in self.groups:
            modes = modes[: random.choice((1, 1, 1, 2))]
        action = self.with_windows(replace(action, modes=tuple(dict.fromkeys(modes))))
        if set(self.travellers) & self.agents_of(action):
            action = replace(action, place=random.choice(PLACES[: random.choice((2, 3))]))
        return action

    def draw_agents(self, attended: int) -> tuple[str, ...] | None:
        """Return the eligible agents of an action or a mode."""
        random = self.random
        if not attended and random.random() < 0.25:
            return ()
        if not self.has("agents differ", 0.6):
            return None
        return tuple(random.sample(self.agents, random.randint(1, len(self.agents))))

    def draw_pauses(self, duration: int, attended: int) -> str:
        """Return where an action may pause."""
        if attended not in (0, duration):
            return "never"
        if self.has("breaks", 0.4):
            return "breaks"
        return "anywhere" if duration and self.has("interruptible", 0.5) else "never"

    def agents_of(self, action: Action) -> set[str]:
        """Return the agents that may do an action in some mode."""
        eligible: set[str] = set()
        for mode in action.modes:
            choice = action.agents if mode.agents is None else mode.agents
            eligible.update(self.agents if choice is None else choice)
        return eligible

    def draw_mode(self, action: Action, number: int, position: int) -> Mode:
        """Return one mode; values that leaving out would give as well are left out."""
        random = self.random
        mode = Mode(after=self.draw_after(number) if position else ())
        if self.has("modes", 0.6):
            mode = self.with_times(action, mode)
        if mode.agents == action.agents or (mode.agents == self.agents and action.agents is None):
            mode = replace(mode, agents=None)
        demands = tuple(self.draw_demands(action, mode))
        if random.random() < 0.1:
            mode = replace(mode, name=f"way {position}")
        return replace(mode, demands=demands)

    def draw_after(self, number: int) -> tuple[str, ...]:
        """Return actions that one mode waits for."""
        if self.random.random() < 0.7:
            return ()
        before = self.random.randrange(self.count)
        return (self.name_of(before),) if before != number else ()

    def with_times(self, action: Action, mode: Mode) -> Mode:
        """Return a mode with a duration, attended ticks and agents of its own."""
        random = self.random
        duration = self.draw_duration()
        is_partial = action.attended not in (0, action.duration)
        can_pause = action.interruptible or action.pauses_in_breaks
        if can_pause:
            attended = random.choice((0, duration))
        else:
            attended = random.choice((0, duration, duration, random.randint(0, duration)))
        agents = self.draw_agents(attended) if random.random() < 0.5 else action.agents
        if attended and agents == ():
            agents = self.agents[:1]
        mode = replace(mode, agents=agents, duration=None if duration == action.duration else duration)
        plain = replace(mode, agents=None if agents == action.agents else agents)
        needs_attended = duration > 0 and agents != () and mode.duration is not None
        needs_attended = needs_attended and (is_partial or not action.duration)
        if action.attended_in(plain) != attended or needs_attended:
            mode = replace(mode, attended=attended)
        return mode

    def draw_demands(self, action: Action, mode: Mode) -> list[Demand]:
        """Return the resources that a mode uses."""
        random = self.random
        demands = []
        duration = action.duration_in(mode)
        attended = action.attended_in(mode)
        if random.random() < 0.35:
            capacity = self.resources["bench"].capacity
            amount = random.choice((0, 1, 1, 1, capacity))
            demands.append(Demand("bench", capacity + 1 if self.has("excess", 0.3) else amount))
        if self.has("budget", 0.6):
            capacity = self.resources["money"].capacity
            demands.append(Demand("money", capacity + 1 if self.has("excess", 0.3) else random.choice((0, 1, 1, 2))))
        if duration and self.has("setup", 0.6):
            demands.append(Demand("press", family=random.choice(FAMILIES)))
        if self.has("states", 0.6) and (attended or not action.interruptible):
            sets = random.choice((None, *self.settable)) if not action.interruptible else None
            kiln = self.resources["kiln"]
            reachable = [state for state in (*self.settable, kiln.state) if state is not None]
            requires = random.choice((None, *reachable)) if sets is None or random.random() < 0.3 else None
            amount = random.choice((1, 1, kiln.capacity))
            demands.append(Demand("kiln", amount, requires, sets))
        return demands

    def with_windows(self, action: Action) -> Action:
        """Return an action with a deadline or windows, or without."""
        random = self.random
        if self.has("windows", 0.35):
            action = replace(action, deadline=random.randint(1, 8))
        if not self.has("windows", 0.4):
            return action
        windows = []
        begin = random.choice((0, 0, 1, 2))
        for _ in range(random.choice((1, 2, 2))):
            end = begin + random.choice((0, 1, 2, 3, 4))
            windows.append((begin, end))
            begin = end + random.choice((1, 1, 2, 3))
        return replace(action, windows=tuple(windows))

    def draw_lags(self, actions: tuple[Action, ...]) -> list[Lag]:
        """Return time lags of every sign, most from an earlier action to a later one."""
        random = self.random
        lags: list[Lag] = []
        if "lags" not in self.groups:
            return lags
        for i, before in enumerate(actions):
            for j, after in enumerate(actions):
                if i == j or random.random() > (0.3 if i < j else 0.06):
                    continue
                minimum = random.choice((0, 0, 0, 1, 2, -1, -2, None) if i < j else (-1, -2, -3, None))
                maximum = random.randint(-3, 3) if minimum is None or random.random() < 0.3 else None
                if minimum is not None and maximum is not None:
                    maximum = max(minimum, maximum)
                lags.append(Lag(before.id, after.id, minimum, maximum))
        return lags

    def draw_calendars(self) -> list[Calendar]:
        """Return calendars of agents and resources, single and periodic."""
        random = self.random
        if "calendars" not in self.groups:
            return []
        members = [*self.agents, *(name for name, resource in self.resources.items() if resource.renewable)]
        if random.random() < 0.05:  # a member that is always off
            member = random.choice(members)
            return [Calendar((member,), ((0, 1),), 2), Calendar((member,), ((1, 2),), 2)]
        calendars = []
        periods = random.choice(((None, 2), (None, 3), (None, 4), (2, 4), (None,), (3,), (2, 3)))
        for _ in range(random.choice((1, 1, 2, 3))):
            share = tuple(random.sample(members, random.randint(1, min(2, len(members)))))
            period = random.choice(periods)
            calendars.append(Calendar(share, self.draw_off_times(period), period))
        return calendars

    def draw_off_times(self, period: int | None) -> tuple[tuple[int, int], ...]:
        """Return spans; those of a period may reach into the next."""
        random = self.random
        begin = random.randint(0, 3 if period is None else period - 1)
        length = random.randint(1, 3 if period is None else max(1, period - 2))
        spans = [(begin, begin + length)]
        if period is None and random.random() < 0.4:
            begin += length + random.randint(1, 2)
            spans.append((begin, begin + random.randint(1, 2)))
        return tuple(spans)

    def draw_transitions(self, actions: tuple[Action, ...]) -> list[Transitions]:
        """Return ways of agents between places, and set-up times of the press."""
        entries = []
        paused_places: set[str | None] = {action.place for action in actions if action.interruptible}
        paused_families: set[str | None] = set()
        for action in actions:
            for mode in action.modes:
                for demand in mode.demands:
                    if action.interruptible and demand.family is not None:
                        paused_families.add(demand.family)
        if self.travellers and any(action.place for action in actions):
            entries.append(self.draw_ways(self.travellers, PLACES, paused_places))
        if "press" in self.resources:
            entries.append(self.draw_ways(("press",), FAMILIES, paused_families))
        return entries

    def draw_ways(
        self, members: tuple[str, ...], nodes: tuple[str, ...], paused: set[str] | set[str | None]
    ) -> Transitions:
        """Return ticks between nodes: some are missing, asymmetric, or longer than a way through another node."""
        random = self.random
        times = []
        for node in nodes:
            for target in nodes:
                if node == target:
                    if node not in paused and random.random() < 0.2:
                        times.append((node, node, random.randint(1, 2)))
                elif random.random() < 0.88:
                    times.append((node, target, random.choice((0, 1, 1, 2, 3))))
        start = [(member, random.choice(nodes)) for member in members if random.random() < 0.5]
        return Transitions(members, tuple(times), tuple(start))

    def draw_optional(self) -> list[tuple[str, int]]:
        """Return the optional tasks and their weights."""
        if "optional" not in self.groups:
            return []
        tasks = sorted(set(self.tasks))
        chosen = [task for task in tasks if len(tasks) == 1 or self.random.random() < 0.7]
        return [(task, self.random.randint(1, 3)) for task in chosen]
