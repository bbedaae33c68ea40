"""Runs in kitchens with a proved optimum: none may be shorter.

``python tests/benchmarks/kitchen_runs.py --runs 1000 --seed 0`` plays so many in each bundled kitchen that is proved:
at random, greedily by the bound, and along a plan of fewest steps with some steps exchanged.
"""

from __future__ import annotations

import argparse
import sys
from random import Random

from planoracle.instances.deadline import Work
from planoracle.instances.kitchens.compiled import Compiled, State
from planoracle.instances.kitchens.sets import kitchen, names
from planoracle.solver.kitchens.context import NEVER
from planoracle.solver.kitchens.heuristic import heuristic
from planoracle.solver.kitchens.planner import plan


class Player:
    """Somebody who tries to be quicker than the plan, in one kitchen."""

    def __init__(self, engine: Compiled, actions: tuple[str, ...], seed: int) -> None:
        self.engine = engine
        self.actions = actions
        self.random = Random(seed)
        self.guide = heuristic(engine)
        self.choices = tuple((0, group) for _, group in self.guide.root(engine.start()))

    def run(self, way: int) -> int | None:
        """Return the steps of a run that reaches the goal before the plan does; ``None`` if it does not.

        ``way``: 0 greedily, 1 at random, else as the plan but for some steps.
        """
        state = self.engine.start()
        astray = self.random.randrange(len(self.actions))
        for step in range(len(self.actions) - 1):
            deed = self.engine.find(state, self.actions[step]) if way > 1 else None
            if deed is None or step == astray or self.random.random() < 0.05:
                legal = self.engine.legal(state)
                deed = self._best(state, legal) if way == 0 else self.random.choice(legal)
            state = self.engine.step(state, deed)
            if self.engine.goal(state):
                return step + 1
        return None

    def _best(self, state: State, legal: list[int]) -> int:
        """Return the action after which least seems to be left, seldom another."""
        if self.random.random() < 0.1:
            return self.random.choice(legal)
        after = [self.guide.look(self.engine.step(state, deed), self.choices, 0, NEVER).groups for deed in legal]
        left = [groups[0][0] + self.random.random() if groups else NEVER for groups in after]
        return legal[left.index(min(left))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000, help="in each kitchen; every fiftieth is greedy")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=float, default=10.0, help="seconds of work for each proof")
    given = parser.parse_args()
    total = shorter = proved = 0
    for name in names():
        problem = kitchen(name)
        found = plan(problem, time_limit=Work(given.work))
        if found.status != "optimal":
            continue
        proved += 1
        player = Player(Compiled(problem), found.actions, given.seed)
        for number in range(given.runs):
            way = 0 if number % 50 == 0 else 1 + number % 2
            steps = player.run(way)
            total += 1
            if steps is not None:
                shorter += 1
                print(f"{name}: {steps} steps, fewer than {found.makespan}")
    print(f"{total} runs in {proved} kitchens with a proved optimum: {shorter} shorter")
    return int(shorter > 0)


if __name__ == "__main__":
    sys.exit(main())
