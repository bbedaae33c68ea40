"""Script that lets the solver Pumpkin refute constraints: ``python pumpkin.py SECONDS < STATEMENT``.

It runs in a process of its own, since an error in Pumpkin ends the process, and its search ignores signals. Standard
input is a JSON object, see `refute`. The output is a JSON object with the ``outcome``, and the ``lines`` of the proof.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pumpkin_solver import Model, SatisfactionResult
from pumpkin_solver import constraints as cp


def refute(statement: Any, path: str, seconds: float) -> str:
    """Search for a solution, and write the proof to a file if there is none.

    Parameters
    ----------
    statement
        ``domains``: least and greatest value of each variable. ``constraints``, each a list of four: terms (variable,
        coefficient) and a limit of their sum; tasks (variable, duration, amount) and their capacity. A constraint has
        either terms or tasks.
    path
        File of the proof, which is complete when the function returns.
    seconds
        Limit of wall time.

    Returns
    -------
    str
        ``refuted``, ``satisfiable`` or ``unknown``.
    """
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
    with TemporaryDirectory() as folder:
        proof_path = Path(folder) / "proof.drcp"
        outcome = refute(json.load(sys.stdin), str(proof_path), float(sys.argv[1]))
        proof_lines = proof_path.read_text().splitlines() if outcome == "refuted" else []
    json.dump({"outcome": outcome, "lines": proof_lines}, sys.stdout)
