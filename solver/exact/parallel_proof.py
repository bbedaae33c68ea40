"""Proof in one thread, and local search in another: with several workers neither waits for the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from planoracle.solver.exact.cp_model import CpOutcome, run
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.strategies import CpRun

if TYPE_CHECKING:
    from planoracle.solver.exact.search_state import SearchState


def prove_beside_local_search(search: SearchState, model: ScheduleModel, cp_run: CpRun) -> CpOutcome:
    """Run CP-SAT once, and improve the incumbent until it ends; an incumbent that is optimal ends the run.

    CP-SAT leaves Python to the local search while it runs.
    """
    proof_limit, local_limit = search.deadline.separate(), search.deadline.separate()
    settings = cp_run.settings
    if "workers" in settings:
        settings = settings | {"workers": max(1, search.workers - search.local_workers)}
    with ThreadPoolExecutor(1) as executor:
        proof = executor.submit(
            run, model.model, deadline=proof_limit, deterministic=cp_run.effort, seed=search.seed, **settings
        )
        proof.add_done_callback(lambda _: local_limit.stopped.set())
        try:
            while not local_limit.over() and search.can_improve:
                search.search_around(search.params.effort.local_turn, local_limit)
            if search.incumbent.is_optimal:
                proof_limit.stopped.set()
        except BaseException:  # such as Ctrl-C; the executor waits for its thread
            proof_limit.stopped.set()
            raise
    return proof.result()
