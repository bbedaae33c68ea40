"""What the compiled search says of states of a kitchen, beside what the rules and the bound in Python say."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from planoracle.instances.kitchens.compiled import Compiled, State
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.kitchens.profile import Profile
from planoracle.solver.kitchens.compiled.bound import remaining
from planoracle.solver.kitchens.compiled.keys import key_of, reached
from planoracle.solver.kitchens.compiled.numbers import ACTIONS, binding_of, row_of
from planoracle.solver.kitchens.compiled.search import CompiledSearch
from planoracle.solver.kitchens.compiled.step import children, survey
from planoracle.solver.kitchens.context import NEVER
from planoracle.solver.kitchens.heuristic import heuristic

__all__ = ["Both", "Seen", "both"]


class Seen(NamedTuple):
    """A state: texts of its actions and where they lead, a key, whether the goal is reached, the bounds."""

    after: dict[str, list[int]]
    key: Any
    reached: bool
    bounds: list[int]


class Both(NamedTuple):
    """Both ways to look at one kitchen; ``search`` is ``None`` if it is not for the compiled one."""

    engine: Compiled
    guide: Any
    groups: list[Any]
    search: CompiledSearch | None

    def slowly(self, state: State) -> Seen:
        """Look at a state in Python."""
        assert self.search is not None
        view = self.guide._abstraction.view(state)
        rows = {
            self.engine.deeds[deed].text: row_of(
                self.engine, self.search.fixed, self.search.names, self.engine.step(state, deed)
            )
            for deed in self.engine.legal(state)
        }
        return Seen(
            {text: row for text, row in rows.items() if row is not None},
            self.guide._abstraction.key(state, view),
            self.engine.goal(state),
            [min(NEVER, self.guide._bound.remaining(view, group)) for group in self.groups],
        )

    def quickly(self, state: State) -> Seen:
        """Look at a state with compiled code."""
        search = self.search
        assert search is not None
        fixed, names, room, work = search.fixed, search.names, search.room, search.work
        row = row_of(self.engine, fixed, names, state)
        assert row is not None
        short: Any = np.array(row, np.int8)
        count = children(fixed, short, room, work.made, work.deeds)
        by_name = {action.name: action for action in self.engine.kitchen.domain.actions}
        after = {}
        for k in range(count):
            deed = int(work.deeds[k])
            action = by_name[ACTIONS[deed % 16][0]]
            after[action.write(binding_of(action, fixed, names, row, deed))] = work.made[k].tolist()
        survey(fixed, short, room)
        key_of(fixed, short, work.tokens, work.key)
        return Seen(
            after,
            tuple(work.key.tolist()),
            bool(reached(fixed, short, room)),
            [min(NEVER, int(remaining(fixed, short, g, room))) for g in range(len(self.groups))],
        )


def both(problem: Kitchen, rules: Profile) -> Both:
    """Return both ways to look at a kitchen."""
    engine = Compiled(problem, rules)
    guide: Any = heuristic(engine)
    start = engine.start()
    groups = [(0, group) for group in guide._roles.groups()] if guide.familiar else []
    return Both(engine, guide, [group for _, group in groups], guide.compiled(start, tuple(groups)))
