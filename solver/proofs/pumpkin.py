"""Script that lets the solver Pumpkin refute constraints: ``python pumpkin.py PROOF SECONDS < STATEMENT``.

It runs in a process of its own, since an error in Pumpkin ends the process, and its search ignores signals.
The statement is a JSON object, see `planoracle.solver.proofs.drcp.refute`. The output is ``refuted``, ``satisfiable`` or
``unknown``. The proof is complete in the first case.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pumpkin_solver import Model, SatisfactionResult
from pumpkin_solver import constraints as cp


def refute(statement: Any, path: str, seconds: float) -> str:
    """Search for a solution, and write the proof to a file if there is none."""
    model = Model(proof=path)
    variables = []
    for number, (lower, upper) in enumerate(statement["domains"]):
        variables.append(model.new_integer_variable(lower, upper, name=f"v{number}"))
    for terms, limit, tasks, capacity in statement["constraints"]:
        tag = model.new_constraint_tag()
        if terms:
            scaled = [variables[variable].scaled(coefficient) for variable, coefficient in terms]
            model.add_constraint(cp.LessThanOrEquals(scaled, limit, tag))
            continue
        starts = [variables[variable] for variable, _, _ in tasks]
        durations = [duration for _, duration, _ in tasks]
        amounts = [amount for _, _, amount in tasks]
        model.add_constraint(cp.Cumulative(starts, durations, amounts, capacity, tag))
    result = model.satisfy(timeout=seconds)
    if isinstance(result, SatisfactionResult.Unsatisfiable):
        return "refuted"
    return "satisfiable" if isinstance(result, SatisfactionResult.Satisfiable) else "unknown"


if __name__ == "__main__":
    print(refute(json.load(sys.stdin), sys.argv[1], float(sys.argv[2])))
