"""Mutants of some modules: mutmut makes and runs them in a scratch tree, see ``scratch.py``.

``python -m tests.mutation.mutants ORDER`` runs in that tree. ``ORDER`` is a JSON object with the files, the seed, the
number of mutants of each file, the file of results, and whether mutants that survived run again (``retry``).
"""

from __future__ import annotations

import difflib
import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import libcst as cst
from mutmut import __main__ as mutmut_command
from mutmut.mutation import mutators
from mutmut.mutation.data import MutantLineSpans, SourceFileMutationData
from mutmut.mutation.diff_apply import generated_function_names
from mutmut.utils.format_utils import orig_function_and_class_names_from_key
from mutmut.workers.isolation import ForkServerRunner, MutantResult
from tests.mutation.results import identity, read_results

#: Functions of Python that are exchanged, as in faults of programmers.
EXCHANGED = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "Counter": "set"}
#: Exit codes of pytest and of mutmut for a mutant that no test rejects: passed, no test selected, no test reaches it.
SURVIVAL_CODES = (0, 5, 33)
#: Exit codes of a process that was ended after its limit of processor time.
TIMEOUT_CODES = (-24, -9, 24, 36, 152, 255)


def exchange_function(node: cst.Name) -> Iterator[cst.Name]:
    """Yield the name of the function that a programmer may mistake for this one."""
    if node.value in EXCHANGED:
        yield node.with_changes(value=EXCHANGED[node.value])


def remove_call(node: cst.Expr) -> Iterator[cst.Pass]:
    """Yield an empty statement for a call whose result is not used."""
    if isinstance(node.value, cst.Call):
        yield cst.Pass()


def choose_operators() -> None:
    """Add forgotten cases, forgotten calls and exchanged functions; leave out changes of texts.

    A changed text is a changed message in most cases, and tests of wording are not the tests of a rule.
    """
    operators: Any = mutators.mutation_operators
    operators.remove((cst.BaseString, mutators.operator_string))
    operators.append((cst.If, mutators.operator_if_exp))
    operators.append((cst.CompIf, mutators.operator_if_exp))
    operators.append((cst.Name, exchange_function))
    operators.append((cst.Expr, remove_call))


def rows_by_mutant(path: str) -> dict[str, dict[str, Any]]:
    """Return module, function and diff of all mutants of a file by the name that mutmut gives to the mutant."""
    spans = MutantLineSpans.load(path).span_by_function_name
    lines = (Path("mutants") / path).read_text("utf-8").splitlines()
    data = SourceFileMutationData(path=path)
    data.load()
    rows = {}
    for mutant in data.exit_code_by_key:
        function, class_name = orig_function_and_class_names_from_key(mutant)
        versions = []
        for name in generated_function_names(mutant):
            span = spans[name]
            version = [line.replace(name, function) for line in lines[span.start - 1 : span.end]]
            versions.append(version)
        diff = difflib.unified_diff(*versions, lineterm="", n=3)
        full_name = f"{class_name}.{function}" if class_name else function
        text = "\n".join(list(diff)[2:])
        rows[mutant] = {"module": path.removeprefix("src/planoracle/"), "function": full_name, "diff": text}
    return rows


def draw(rows: dict[str, dict[str, Any]], seed: int, number: int) -> list[str]:
    """Return the names of the first mutants in an order that the seed and the diffs define.

    A larger number adds mutants to those of a smaller one, and a change of the source replaces few.
    """

    def position(mutant: str) -> str:
        row = rows[mutant]
        return hashlib.sha256(f"{seed} {row['function']} {row['diff']}".encode()).hexdigest()

    return sorted(rows, key=position)[:number]


def outcome(exit_code: int | None) -> str:
    """Return *killed*, *survived* or *timeout*."""
    if exit_code in TIMEOUT_CODES:
        return "timeout"
    return "survived" if exit_code in SURVIVAL_CODES else "killed"


def run(mutants: dict[str, dict[str, Any]], results: Path) -> None:
    """Run mutants, and append each result as soon as it is there."""
    register: Callable[[MutantResult, Any], None] = mutmut_command._register_mutant_result

    def append(mutant: str, exit_code: int | None, seconds: float) -> None:
        row = {**mutants.pop(mutant), "outcome": outcome(exit_code), "seconds": round(seconds, 2)}
        with results.open("a", encoding="utf-8") as stream:
            stream.write(f"{json.dumps(row)}\n")

    def register_and_append(result: MutantResult, data: Any) -> None:
        register(result, data)
        append(result.mutant_name, result.exit_code, result.duration)

    mutmut_command._register_mutant_result = register_and_append
    # The tests have passed when mutmut records which functions they reach; a second run would prove nothing.
    ForkServerRunner.run_clean_tests = lambda runner, tests: 0
    mutmut_command.run_forced_fail_test = lambda runner: None
    paths = {f"src/planoracle/{row['module']}" for row in mutants.values()}
    mutmut_command._run(tuple(mutants), 1)
    for path in sorted(paths):
        data = SourceFileMutationData(path=path)
        data.load()
        unreached = [mutant for mutant, code in data.exit_code_by_key.items() if code == 33 and mutant in mutants]
        for mutant in unreached:
            append(mutant, 33, 0)


def main() -> None:
    """Run what the order on the command line asks for."""
    order = json.loads(sys.argv[1])
    choose_operators()
    mutmut_command.copy_src_dir()
    mutmut_command.copy_also_copy_files()
    mutmut_command.create_mutants(1)
    results = Path(order["results"])
    previous = read_results(results)
    drawn = {}
    for path in order["paths"]:
        rows = rows_by_mutant(path)
        drawn |= {mutant: rows[mutant] for mutant in draw(rows, order["seed"], order["mutants"])}
    Path("drawn.json").write_text(json.dumps(list(drawn.values())), "utf-8")
    pending = {}
    for mutant, row in drawn.items():
        last = previous.get(identity(row), {"outcome": None})["outcome"]
        if last is None or (order["retry"] and last == "survived"):
            pending[mutant] = row
    if pending:
        run(pending, results)


if __name__ == "__main__":
    main()
