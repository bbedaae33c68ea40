"""The CP-SAT interval model of an instance.

Times are in steps of ``step`` ticks. An action that cannot be interrupted is one interval; an
interruptible one is a chain of intervals of one step each, which proves optimality far sooner than a few
intervals of variable length. Consecutive pieces that touch count as one run.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from planoracle.instances.model import Action, Instance
from planoracle.instances.schedule import Piece, Schedule
from planoracle.solver.bounds import Windows
from planoracle.solver.cp import Model, negated
from planoracle.solver.parts import Part, literals, negations
from planoracle.solver.resources import ResourceConstraints

__all__ = ["ScheduleModel"]


class ScheduleModel:
    """Variables and constraints for one instance.

    Parameters
    ----------
    bounds
        Earliest starts and tails in ticks.
    step
        Ticks per step of the model; must divide all times (but the time limit).
    least, most
        Domain of the makespan, in ticks.
    relaxed
        Let one step of every interruptible action that is bound by a maximum lag hold nobody, if it starts
        at the last moment that the lag allows: a relaxation of the same problem in continuous time, see
        ``solver/README.md``.
    """

    def __init__(
        self, instance: Instance, bounds: Windows, step: int, least: int, most: int, *, relaxed: bool = False
    ) -> None:
        self.instance = instance
        self.step = step
        self.model = Model()
        self._most = most // step
        self.makespan = self.model.integer(-(-least // step), self._most)
        self.parts: list[list[Part]] = []
        self.modes: list[list[int | None]] = []
        self._relaxed = relaxed
        #: Parts that must go on from the one before them if a literal holds, and are new starts otherwise.
        self.runs: list[tuple[Part, Part, int]] = []
        self._heads = [-(-head // step) for head in bounds.head]
        self._tails = [-(-tail // step) for tail in bounds.tail]
        for i, action in enumerate(instance.actions):
            self._add_action(i, action)
        self._add_lags()
        #: Whether agents are alike: then they are counted, not told apart.
        self.pooled = self._agents_are_pooled()
        self._add_agents()
        self._add_starts()
        resources = ResourceConstraints(instance, self.model, self.parts, self.modes, self._ordered)
        resources.add()
        #: Uses, settings that may share their room, and the literals that they do.
        self.joins = resources.joins
        self.model.minimize(self.makespan)

    # --- actions and lags ------------------------------------------------------------------------

    def _add_action(self, i: int, action: Action) -> None:
        model, step = self.model, self.step
        length = action.duration // step
        head, latest = self._heads[i], self._most - self._tails[i] - length
        if action.interruptible and length > 1:
            held = 1 if action.attended else 0
            parts = [Part(model.integer(head + k, max(head + k, latest + k)), 1, held) for k in range(length)]
            for one, two in pairwise(parts):
                model.difference(two.start, one.start, 1)
        else:
            parts = [Part(model.integer(head, max(head, latest)), length, action.attended // step)]
        self.parts.append(parts)
        self.modes.append([None] if len(action.modes) == 1 else [model.boolean() for _ in action.modes])
        if len(action.modes) > 1:
            model.exactly_one([literal for literal in self.modes[i] if literal is not None])
        model.difference(self.makespan, parts[-1].start, parts[-1].size + self._tails[i])

    def _add_lags(self) -> None:
        model, index = self.model, self.instance.index
        for lag in self.instance.lags:
            last, after = self.parts[index[lag.before]][-1], self.parts[index[lag.after]]
            if lag.minimum is not None:
                model.difference(after[0].start, last.start, last.size + lag.minimum // self.step)
            if lag.maximum is not None:
                reach = last.size + lag.maximum // self.step
                model.difference(last.start, after[0].start, -reach)
                for one, two in pairwise(after):
                    in_time = model.boolean()
                    model.difference(last.start, two.start, -reach, in_time)
                    self._continue_run(one, two, negated(in_time))
                if self._relaxed and self.instance.by_id[lag.after].interruptible:
                    for part in after:
                        last_moment = model.boolean()
                        model.difference(part.start, last.start, reach, last_moment)
                        part.yielding.append(last_moment)
        for i, action in enumerate(self.instance.actions):
            for mode, literal in zip(action.modes, self.modes[i], strict=True):
                for before in mode.after:
                    last = self.parts[index[before]][-1]
                    model.difference(self.parts[i][0].start, last.start, last.size, *literals(literal))
        for parts in self.parts if self._relaxed else ():
            self._add_yields([part for part in parts if part.yielding])

    def _add_yields(self, parts: list[Part]) -> None:
        for part in parts:
            part.yields = self.model.boolean()
            self.model.clause(negated(part.yields), *part.yielding)
        if parts:
            self.model.at_most_sum([part.yields for part in parts if part.yields is not None], 1)

    def _continue_run(self, one: Part, two: Part, literal: int) -> None:
        """If ``literal``, let ``two`` follow ``one`` as part of the same run."""
        self.model.difference(one.start, two.start, -1, literal)
        self.runs.append((one, two, literal))

    # --- agents ----------------------------------------------------------------------------------

    def _agents_are_pooled(self) -> bool:
        """Whether all agents are alike, so that counting them suffices."""
        everybody = set(self.instance.agents)
        alike = all(set(self.instance.eligible(a)) in (set(), everybody) for a in self.instance.actions)
        return alike and (len(everybody) == 1 or not self.runs)

    def _add_agents(self) -> None:
        model = self.model
        for i, action in enumerate(self.instance.actions):
            eligible = self.instance.eligible(action)
            for part in self.parts[i]:
                if self.pooled or len(eligible) <= 1:
                    part.agents = dict.fromkeys(self.instance.agents[:1] if eligible and self.pooled else eligible)
                else:
                    assigned = {agent: model.boolean() for agent in eligible}
                    model.exactly_one(assigned.values())
                    part.agents = dict(assigned)
        for agent in self.instance.agents[:1] if self.pooled else self.instance.agents:
            held = [
                (model.interval(part.start, part.held, *literals(part.agents[agent]), *negations(part.yields)), 1)
                for parts in self.parts
                for part in parts
                if part.held and agent in part.agents
            ]
            model.capacity(held, len(self.instance.agents) if self.pooled else 1)
        for parts in self.parts:  # what cannot be paused never overlaps a step that yields
            if any(part.yields is not None for part in parts):
                rigid = [
                    (model.interval(part.start, part.held), 1)
                    for action, others in zip(self.instance.actions, self.parts, strict=True)
                    for part in others
                    if part.held and (others is parts or not action.interruptible)
                ]
                model.capacity(rigid, 1)

    def _add_starts(self) -> None:
        """Actions that hold nobody: somebody must be free to start them."""
        starters = [i for i, a in enumerate(self.instance.actions) if not a.attended and self.instance.eligible(a)]
        blockers = [i for i in range(len(self.parts)) if any(part.held > 1 for part in self.parts[i])]
        for i in starters:
            for one, two in pairwise(self.parts[i]):  # a step that follows its predecessor at once is no new start
                touches = self.model.boolean()
                self._continue_run(one, two, touches)
                two.starts_if = (negated(touches),)
            for part in self.parts[i]:
                self._add_start(i, part, blockers)
        for one, two, literal in self.runs:
            self._keep_agent(one, two, literal)
            if two.held:  # starting something would cut the run
                self._forbid_cuts(two, literal, starters)

    def _add_start(self, i: int, part: Part, blockers: list[int]) -> None:
        model = self.model
        inside: list[int] = []
        for j in blockers:
            block = self.parts[j][0]
            if i == j or self._never_inside(i, j):
                continue
            for agent in (a for a in part.agents if a in block.agents):
                both = (*part.starts_if, *literals(part.agents[agent]), *literals(block.agents[agent]))
                early = model.boolean()
                if self.pooled and len(self.instance.agents) > 1:
                    within, late = model.boolean(), model.boolean()
                    model.clause(early, late, within, *map(negated, part.starts_if))
                    inside.append(within)
                else:
                    late = negated(early)
                model.difference(block.start, part.start, 0, early, *both)
                model.difference(part.start, block.start, block.held, late, *both)
        if inside:
            model.at_most_sum(inside, len(self.instance.agents) - 1)

    def _never_inside(self, i: int, j: int) -> bool:
        """Whether a start of action ``i`` cannot fall strictly inside action ``j`` anyway."""
        first_i, last_i = self._heads[i], self._most - self._tails[i]
        first_j, last_j = self._heads[j], self._most - self._tails[j]
        return last_j <= first_i or last_i <= first_j or self._ordered(i, j)

    def _ordered(self, i: int, j: int) -> bool:
        before = self.instance.cache.get("closure")
        if before is None:
            before = self.instance.cache["closure"] = _closure(self.instance)
        assert isinstance(before, list)
        return bool(before[i] >> j & 1 or before[j] >> i & 1)

    def _keep_agent(self, one: Part, two: Part, literal: int) -> None:
        for agent, now in one.agents.items():
            then = two.agents[agent]
            if now is not None and then is not None:
                self.model.clause(negated(literal), negated(now), then)

    def _forbid_cuts(self, two: Part, literal: int, starters: list[int]) -> None:
        model = self.model
        for i in starters:
            for part in self.parts[i]:
                for agent in (a for a in part.agents if a in two.agents):
                    both = (literal, *part.starts_if, *literals(part.agents[agent]), *literals(two.agents[agent]))
                    early = model.boolean()
                    model.difference(two.start, part.start, 1, early, *both)
                    model.difference(part.start, two.start, 1, negated(early), *both)

    # --- answers ---------------------------------------------------------------------------------

    @property
    def decisions(self) -> list[int]:
        """Variables that fix a schedule, in the order in which the canonical one makes them small.

        Starts come first, of the action with the longest way to go to the end first.
        """
        left = [tail + sum(part.size for part in parts) for tail, parts in zip(self._tails, self.parts, strict=True)]
        urgent = sorted(range(len(left)), key=lambda i: (-left[i], i))
        starts = [part.start for i in urgent for part in self.parts[i]]
        modes = [literal for choices in self.modes for literal in reversed(choices) if literal is not None]
        agents = [
            literal
            for parts in self.parts
            for part in parts
            for literal in reversed(part.agents.values())
            if literal is not None
        ]
        return starts + modes + agents

    def schedule(self, solution: list[int]) -> Schedule:
        """Read a schedule off a solution of the model."""
        return Schedule.of(self.instance, (piece for _, _, piece in self.pieces(solution, {})))

    def pieces(self, solution: list[int], known: Mapping[tuple[int, int], str | None]) -> list[tuple[int, int, Piece]]:
        """Read off every part as (action, number of the part, piece), in order of time.

        ``known`` holds the agents of some parts; where agents are alike the others are dealt out around them.
        """
        rows = []
        for i, parts in enumerate(self.parts):
            mode = next((m for m, literal in enumerate(self.modes[i]) if literal is None or solution[literal]), 0)
            rows += [
                (solution[part.start], (i, k) not in known, part.held > 0, i, k, part, mode)
                for k, part in enumerate(parts)
            ]
        rows.sort(key=lambda row: row[:5])
        free = dict.fromkeys(self.instance.agents, 0)
        since = dict.fromkeys(self.instance.agents, -1)  # start of the last piece that holds the agent
        last: dict[int, tuple[int, str | None]] = {}
        pieces = []
        for start, unknown, _, i, k, part, mode in rows:
            agent: str | None
            if self.pooled and part.agents:
                touching, same = last.get(i, (-1, None))
                if not unknown:
                    same = known[i, k]
                elif touching != start or same is None or (part.held and free[same] > start):
                    same = next(
                        name
                        for name, until in free.items()
                        if until <= start or (not part.held and since[name] == start)
                    )
                agent = same
                if part.held and same is not None:
                    free[same], since[same] = start + part.held, start
            else:
                agent = next((a for a, literal in part.agents.items() if literal is None or solution[literal]), None)
            last[i] = (start + part.size, agent)
            piece = Piece(self.instance.actions[i].id, start * self.step, part.size * self.step, agent, mode)
            pieces.append((i, k, piece))
        return pieces


def _closure(instance: Instance) -> list[int]:
    """For every action a bit set of the actions that must finish before it starts."""
    before = [0] * len(instance.actions)
    for i in instance.order:
        for j, lag in instance.predecessors[i]:
            if lag >= 0:
                before[i] |= before[j] | 1 << j
    return before
