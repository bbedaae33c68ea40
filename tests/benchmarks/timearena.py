"""Measure how the proof time grows with the number of TimeArena tasks, beside the released greedy.

Run ``python tests/benchmarks/timearena.py``; one process, one worker. The released greedy tries all orders of
the autonomous actions; beyond ten thousand orders it is capped here.
"""

from __future__ import annotations

from math import factorial
from time import perf_counter

from planoracle.heuristics.timearena_greedy import released
from planoracle.instances.timearena.encode import load
from planoracle.instances.timearena.world import task_names
from planoracle.solver.exact.solve import solve


def main() -> None:
    print("tasks  actions  optimum  status     seconds  orders of the greedy  greedy s  claim  capped")
    for count in (1, 2, 3, 5, 8, 10, 15, 20, 25, 30):
        instance = load("timearena/" + "+".join(task_names()[:count]))
        began = perf_counter()
        result = solve(instance)
        middle = perf_counter()
        greedy = released(instance)
        ended = perf_counter()
        orders = factorial(sum(action.attended < action.duration for action in instance.actions))
        print(
            f"{count:5}  {len(instance.actions):7}  {result.makespan:7}  {result.status:9}  {middle - began:7.3f}"
            f"  {orders:20.3g}  {ended - middle:8.3f}  {greedy.makespan:5}  {greedy.capped}"
        )


if __name__ == "__main__":
    main()
