"""Mutation tests of the core: ``python -m tests.mutation [MODULE ...]``, files or folders.

Each module has a number of mutants, drawn by the seed, which run with the tests of the part of ``modules.toml`` that
has the module. The output folder has the results (``mutants.jsonl``, to which runs append) and the survivors. A mutant
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
    """Return the modules of a part with or below one of the named paths; without names all of them."""
    modules = [f"{part['folder']}/{name}.py" for name in part["modules"]]
    paths = {Path(name) for name in names or ["."]}
    return [module for module in modules if not paths.isdisjoint([Path(module), *Path(module).parents])]


def measure(modules: list[str], tests: list[str], options: argparse.Namespace) -> None:
    """Run the mutants of some modules of a part, print scores and write survivors."""
    tree, result_file = options.out / "tree", options.out / "mutants.jsonl"
    paths = [f"src/planoracle/{module}" for module in modules]
    scratch.build(tree, paths, tests, options.slow)
    order = {"seed": options.seed, "mutants": options.mutants, "retry": options.retry}
    scratch.run(tree, {**order, "paths": paths, "results": str(result_file)})
    outcomes = results.read_results(result_file)
    drawn = json.loads((tree / "drawn.json").read_text("utf-8"))
    for module in modules:
        rows = [outcomes[results.identity(row)] for row in drawn if row["module"] == module]
        survivors = results.explain_survivors(rows)
        results.write_survivors(options.out / "survivors" / f"{module}.diff", survivors)
        print(*results.score(module, rows, survivors), sep="\t", flush=True)


def read_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description="Mutation tests of the core.", prog="python -m tests.mutation")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="file or folder (default: the core)")
    parser.add_argument("--seed", type=int, default=65, help="seed that draws mutants (default: 65)")
    parser.add_argument("--mutants", type=int, default=200, help="maximum number of each module (default: 200)")
    parser.add_argument("--out", type=Path, default=Path(".mutation"), help="folder of results (default: .mutation)")
    parser.add_argument("--retry", action="store_true", help="run survivors again, after tests changed")
    parser.add_argument("--slow", action="store_true", help="with slow tests and all examples of random tests")
    options = parser.parse_args()
    options.out = options.out.resolve()
    return options


def main() -> None:
    """Measure the modules that the command line names."""
    options = read_options()
    print(f"seed {options.seed}, at most {options.mutants} mutants of a module")
    print(*results.COLUMNS, sep="\t")
    for part in parts():
        modules = selected_modules(part, options.modules)
        if modules:
            measure(modules, part["tests"], options)


if __name__ == "__main__":
    main()
