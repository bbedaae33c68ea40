"""Measure how many near-identical problems of 24 actions one process solves in a second.

Run ``PYTHONPATH=. python tests/benchmarks/again.py`` on a quiet machine; one process, one worker. The problems are

- *states*: the situations along the released reference plans of all Recipe2Plan problems of 24 actions, in random
  order, each valued by itself (`StateSolver`), with what the solver remembers of the problem's other situations;
- *releases*: one such problem with three of its actions released later at random;
- *durations*: one such problem with three of its durations a step longer or shorter;

the latter two as other numbers for a `ChangeSolver`, one for each problem, in random order; and as instances of their
own, made off the clock and solved by `solve`, and by the direct CP-SAT model. What `solve` and `ChangeSolver` say is
certified.
"""

from __future__ import annotations

import argparse
import gc
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from time import process_time

from planoracle.instances import registry
from planoracle.instances.catalogue import load
from planoracle.instances.model import Instance
from planoracle.instances.recipe2plan import facts
from planoracle.instances.recipe2plan.profile import PROFILES
from planoracle.instances.trajectory import DecisionPoint
from planoracle.solver.changes.numbers import Numbers
from planoracle.solver.changes.solver import ChangeSolver
from planoracle.solver.exact.bounds import common_tick
from planoracle.solver.exact.solve import solve
from planoracle.solver.states.values import Solvers, state_solver, step_of, value_of
from tests.benchmarks.peers.answer import Answer, UnsupportedError
from tests.benchmarks.peers.direct import core, direct

ACTIONS = 24
LIMIT = 10.0


def kitchens() -> list[Instance]:
    """All bundled problems of 24 actions."""
    return [instance for instance in map(load, facts.names()) if len(instance.actions) == ACTIONS]


def situations(instance: Instance) -> Iterator[tuple[DecisionPoint, int]]:
    """Situations along the released reference plan, with the ticks per step of the run."""
    plan = facts.reference_plan(*instance.name.split("/")[1:])
    if plan:
        text = ", ".join(command.text for command in plan)
        run = registry.of(instance).run(instance, text, PROFILES["released"])
        if run.impossible is None:
            yield from ((situation, step_of(run)) for situation in run.points)


def states(some: Sequence[Instance]) -> None:
    """Value situations one by one; tell those apart for which no search was needed."""
    single = [pair for instance in some for pair in situations(instance)]
    solvers: Solvers = {}
    for situation, step in single:
        if not situation.state.pieces:
            value_of(situation, step, solvers=solvers)  # builds the model, and proves the optimum of the whole
    Random(0).shuffle(single)
    spent = {True: [0, 0.0], False: [0, 0.0]}  # searched: count, seconds
    for situation, step in single:
        solver = state_solver(solvers, situation.instance, step)
        before, began = solver.solves, process_time()
        value = value_of(situation, step, solvers=solvers)
        seconds = process_time() - began
        assert value.status in ("optimal", "infeasible"), value
        entry = spent[solver.solves > before]
        entry[0] += 1
        entry[1] += seconds
    total = [a + b for a, b in zip(spent[True], spent[False], strict=True)]
    for label, (count, seconds) in (("all", total), ("no search", spent[False]), ("search", spent[True])):
        print(f"{'states, ' + label:40} {count:6} {count / seconds if count else 0:8.0f} /s")


def later(instance: Instance, random: Random) -> Instance:
    """Release three actions later, by up to a third of all work."""
    step = common_tick(instance)
    most = sum(action.duration for action in instance.actions) // (3 * step)
    chosen = set(random.sample(range(ACTIONS), 3))
    actions = [
        replace(action, release=step * random.randint(1, most)) if i in chosen else action
        for i, action in enumerate(instance.actions)
    ]
    return replace(instance, actions=tuple(actions), benchmark="generic")


def longer(instance: Instance, random: Random) -> Instance:
    """Make three actions a step longer or shorter."""
    step = common_tick(instance)
    chosen = set(random.sample(range(ACTIONS), 3))
    actions = []
    for i, action in enumerate(instance.actions):
        if i in chosen:
            length = max(step, action.duration + random.choice((-step, step)))
            action = replace(action, duration=length, attended=length if action.attended else 0)
        actions.append(action)
    return replace(instance, actions=tuple(actions))


def _ours(instance: Instance, seconds: float) -> Answer:
    found = solve(instance, time_limit=seconds)
    return Answer(found.status, found.makespan, found.lower_bound)


def numbers(instance: Instance, made: Instance) -> Numbers:
    """What is other in an instance than in the one it was made of."""
    pairs = list(zip(instance.actions, made.actions, strict=True))
    return Numbers(
        {two.id: two.duration for one, two in pairs if one.duration != two.duration},
        {two.id: two.release for one, two in pairs if one.release != two.release},
    )


def again(some: Sequence[Instance], made: Sequence[Instance], kind: str) -> list[int | None]:
    """Solve the changed instances as other numbers of the problems they were made of."""
    solvers = [ChangeSolver(instance) for instance in some]
    for solver in solvers:
        solver.solve()
    asked = [numbers(some[n % len(some)], one) for n, one in enumerate(made)]
    gc.collect()
    seconds, values = [], []
    for n, given in enumerate(asked):
        began = process_time()
        found = solvers[n % len(some)].solve(given, time_limit=LIMIT)
        seconds.append(process_time() - began)
        values.append(found.makespan)
        assert found.status in ("optimal", "infeasible")
    row = f"{f'{kind} (all), ChangeSolver':40} {len(made):6} {len(made) / sum(seconds):8.0f} /s"
    print(f"{row}   median {1000 * statistics.median(seconds):6.2f} ms   {len(values)} proved")
    return values


def variants(some: Sequence[Instance], count: int) -> None:
    """Solve changed instances by every method that can state them."""
    methods: dict[str, Callable[[Instance, float], Answer]] = {"solve": _ours, "direct": direct, "direct, core": core}
    plain = [instance for instance in some if _stated(instance)]
    for kind, change in (("releases", later), ("durations", longer)):
        for family, members in (("all", some), ("direct can state", plain)):
            made = [change(members[n % len(members)], Random(n)) for n in range(count)]
            # Proved makespans, None for what is not.
            values = [again(members, made, kind)] if family == "all" else []
            for name, method in methods.items():
                if family == "all" and name != "solve":
                    continue
                copies = [replace(instance) for instance in made]
                method(replace(made[0]), LIMIT)
                gc.collect()
                seconds, answers = [], []
                for copy in copies:
                    began = process_time()
                    answers.append(method(copy, LIMIT))
                    seconds.append(process_time() - began)
                values.append([answer.makespan if answer.status == "optimal" else None for answer in answers])
                proved = sum(answer.status in ("optimal", "infeasible") for answer in answers)
                row = f"{f'{kind} ({family}), {name}':40} {count:6} {count / sum(seconds):8.0f} /s"
                print(f"{row}   median {1000 * statistics.median(seconds):6.2f} ms   {proved} proved")
            wrong = sum(len(set(row) - {None}) > 1 for row in zip(*values, strict=True))
            if wrong:
                print(f"CONTRADICTION: {wrong} {kind} with different optima")


def _stated(instance: Instance) -> bool:
    try:
        direct(replace(instance), LIMIT)
    except UnsupportedError:
        return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=300, help="changed instances per kind")
    options = parser.parse_args()
    some = kitchens()
    print(f"{len(some)} problems of {ACTIONS} actions")
    states(some)
    variants(some, options.count)


if __name__ == "__main__":
    main()
