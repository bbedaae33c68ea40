"""Mutants of some modules: mutmut makes and runs them in a scratch tree, see ``scratch.py``.

``python -m tests.mutation.mutants ORDER`` runs in that tree. ``ORDER`` is a JSON object with the files, the seed, the
number of mutants of each file, the file of results, and whether mutants that survived run again (``retry``).
"""

from __future__ import annotations

import difflib
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import libcst as cst
from mutmut import __main__ as mutmut_command
from mutmut.mutation import file_mutation, mutators
from mutmut.mutation.data import MutantLineSpans, SourceFileMutationData
from mutmut.mutation.diff_apply import generated_function_names
from mutmut.runners.harness import BadTestExecutionCommandsException, PytestRunner
from mutmut.utils.format_utils import orig_function_and_class_names_from_key
from mutmut.workers.isolation import ForkServerRunner, MutantResult

from tests.mutation.results import Row, identity, read_results

#: Folder of the packages in the tree.
SOURCES = "src/planoracle"
#: Functions of Python that are exchanged, as in faults of programmers.
EXCHANGED = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "Counter": "set"}
#: Exit code of mutmut for a mutant that no test reaches.
NO_TESTS = 33
#: Exit codes of mutants that no test rejects: those of pytest are 0 (passed) and 5 (no test was selected).
SURVIVAL_CODES = (0, 5, NO_TESTS)
#: Exit codes of a process that was ended after its limit of processor time.
TIMEOUT_CODES = (-24, -9, 24, 36, 152)


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
    # Types that `cast` names have no effect.
    file_mutation.NEVER_MUTATE_FUNCTION_CALLS.add("cast")
    operators: Any = mutators.mutation_operators
    operators.remove((cst.BaseString, mutators.operator_string))
    operators.append((cst.If, mutators.operator_if_exp))
    operators.append((cst.CompIf, mutators.operator_if_exp))
    operators.append((cst.Name, exchange_function))
    operators.append((cst.Expr, remove_call))


def rows_by_mutant(path: str) -> dict[str, Row]:
    """Return module, function and diff of all mutants of a file by their names in mutmut."""
    spans = MutantLineSpans.load(path).span_by_function_name
    lines = (Path("mutants") / path).read_text("utf-8").splitlines()
    data = SourceFileMutationData(path=path)
    data.load()
    rows = {}
    for mutant in data.exit_code_by_key:
        function, class_name = orig_function_and_class_names_from_key(mutant)
        original, mutated = generated_function_names(mutant)
        versions = []
        for name in (original, mutated):
            text = lines[spans[name].start - 1 : spans[name].end]
            versions.append([line.replace(name, function) for line in text])
        diff = list(difflib.unified_diff(*versions, lineterm=""))
        rows[mutant] = {
            "module": path.removeprefix(f"{SOURCES}/"),
            "function": f"{class_name}.{function}" if class_name else function,
            "diff": "\n".join(diff[2:]),
        }
    return rows


def draw(rows: dict[str, Row], seed: int, number: int) -> list[str]:
    """Return the names of the first mutants in an order that the seed and the diffs define.

    A larger number adds mutants to those of a smaller one, and a change of the source replaces few.
    """

    def position(mutant: str) -> str:
        row = rows[mutant]
        text = f"{seed} {row['function']} {row['diff']}"
        return hashlib.sha256(text.encode()).hexdigest()

    return sorted(rows, key=position)[:number]


def outcome(exit_code: int | None) -> str:
    """Return *killed*, *survived* or *timeout*."""
    if exit_code in TIMEOUT_CODES:
        return "timeout"
    return "survived" if exit_code in SURVIVAL_CODES else "killed"


def test_function(test: str) -> str:
    """Return the name of a test without that of its example."""
    return test.partition("[")[0]


def run(mutants: dict[str, Row], results: Path) -> None:
    """Run mutants, and append each result as soon as it is there."""
    register: Callable[[MutantResult, Any], None] = mutmut_command._register_mutant_result
    run_tests = PytestRunner.run_tests

    def append(mutant: str, exit_code: int | None) -> None:
        row = {**mutants.pop(mutant), "outcome": outcome(exit_code)}
        with results.open("a", encoding="utf-8") as stream:
            stream.write(f"{json.dumps(row)}\n")

    def register_and_append(result: MutantResult, data: Any) -> None:
        register(result, data)
        append(result.mutant_name, result.exit_code)

    def run_selectable_tests(runner: PytestRunner, *, mutant_name: str | None, tests: Iterable[str]) -> int:
        # pytest doubles backslashes in names of examples that it collects again.
        names = dict.fromkeys(test_function(test) if "\\" in test else test for test in tests)
        try:
            return run_tests(runner, mutant_name=mutant_name, tests=names)
        except BadTestExecutionCommandsException:
            # The mutant changes names of examples.
            return run_tests(runner, mutant_name=mutant_name, tests=dict.fromkeys(map(test_function, names)))

    mutmut_command._register_mutant_result = register_and_append
    PytestRunner.run_tests = run_selectable_tests
    # The tests have passed when mutmut records which functions they reach; a second run would prove nothing.
    ForkServerRunner.run_clean_tests = lambda runner, tests: 0
    mutmut_command.run_forced_fail_test = lambda runner: None
    mutmut_command._run(tuple(mutants), 1)
    # mutmut stores, but does not report, that no test reaches a mutant.
    for mutant, row in list(mutants.items()):
        data = SourceFileMutationData(path=f"{SOURCES}/{row['module']}")
        data.load()
        if data.exit_code_by_key[mutant] == NO_TESTS:
            append(mutant, NO_TESTS)


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
        names = draw(rows, order["seed"], order["mutants"])
        drawn |= {mutant: rows[mutant] for mutant in names}
    Path("drawn.json").write_text(json.dumps(list(drawn.values())), "utf-8")
    pending = {}
    for mutant, row in drawn.items():
        last = previous.get(identity(row))
        if last is None or (order["retry"] and last["outcome"] == "survived"):
            pending[mutant] = row
    if pending:
        run(pending, results)


if __name__ == "__main__":
    main()
