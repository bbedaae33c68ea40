"""Mutation tests of the core: ``python -m tests.mutation [MODULE ...]``, a folder or file such as ``solver/proofs``.

Each module has a number of mutants, drawn by the seed, which run with the tests of the part of ``modules.toml`` that has
the module. The output folder has all results (``mutants.jsonl``, to which runs append), scores and survivors. A mutant
with a result is not run again, unless its code changes.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path
from typing import Any

from tests.mutation import results, scratch

TABLE = Path(__file__).with_name("modules.toml")


def parts() -> list[dict[str, Any]]:
    """Return the parts of the core: a folder, modules and tests."""
    entries: list[dict[str, Any]] = tomllib.loads(TABLE.read_text("utf-8"))["part"]
    return entries


def selected_modules(part: dict[str, Any], names: list[str]) -> list[str]:
    """Return the modules of a part that are, or are below, one of the named paths; without names all of them."""
    modules = [f"{part['folder']}/{name}.py" for name in part["modules"]]
    if not names:
        return modules
    prefixes = tuple(name.removesuffix(".py").rstrip("/") for name in names)
    return [module for module in modules if any(module.startswith((f"{start}/", f"{start}.py")) for start in prefixes)]


def measure(modules: list[str], tests: list[str], options: argparse.Namespace) -> None:
    """Run the mutants of modules of a part, and print and store the scores."""
    tree = options.out / "tree"
    paths = [f"src/planoracle/{module}" for module in modules]
    order = {
        "paths": paths,
        "seed": options.seed,
        "mutants": options.mutants,
        "retry": options.retry,
        "results": str(options.out / "mutants.jsonl"),
    }
    scratch.build(tree, paths, tests, options.slow)
    scratch.run(tree, order)
    outcomes = results.read_results(options.out / "mutants.jsonl")
    drawn = [outcomes[results.identity(row)] for row in json.loads((tree / "drawn.json").read_text("utf-8"))]
    reasons = results.explanations()
    scores = []
    for module in modules:
        rows = [row for row in drawn if row["module"] == module]
        scores.append(results.score(module, rows, reasons))
        results.write_survivors(options.out / "survivors" / f"{module}.diff", rows, reasons)
        print(*scores[-1].values(), sep="\t", flush=True)
    results.write_scores(options.out / "scores.csv", scores)


def main() -> None:
    """Measure the modules that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog="python -m tests.mutation")
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE", help="file or folder of the packages (default: the core)"
    )
    parser.add_argument("--seed", type=int, default=65, help="seed that draws mutants (default: 65)")
    parser.add_argument("--mutants", type=int, default=200, help="maximum number of mutants of a module (default: 200)")
    parser.add_argument("--out", type=Path, default=Path(".mutation"), help="folder of results (default: .mutation)")
    parser.add_argument("--retry", action="store_true", help="run survivors again, after tests changed")
    parser.add_argument("--slow", action="store_true", help="with slow tests and all examples of random tests")
    options = parser.parse_args()
    options.out = options.out.resolve()
    selections = [(selected_modules(part, options.modules), part["tests"]) for part in parts()]
    if not any(modules for modules, _ in selections):
        parser.error(f"no module of {TABLE.name} has one of these names: {options.modules}")
    print(f"seed {options.seed}, at most {options.mutants} mutants of a module")
    print(*results.COLUMNS, sep="\t")
    for modules, tests in selections:
        if modules:
            measure(modules, tests, options)


if __name__ == "__main__":
    main()
