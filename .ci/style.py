"""Style check of the four packages: first lines of docstrings, words, names, and sizes of modules.

python .ci/style.py                 exit with 1 on a fault that is no exception, and on an exception without a fault
python .ci/style.py PATH...         list all faults below the paths, exceptions included, with line and better word
python .ci/style.py --write         remove exceptions without a fault; with --force also add new faults as exceptions

`style_words.toml` lists the rejected words. `style_exceptions.txt` lists the exceptions as lines `path: check: name`,
without line numbers, so that edits elsewhere keep them valid.
"""

from __future__ import annotations

import argparse
import ast
import gc
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("instances", "solver", "heuristics", "analysis")
EXCEPTIONS = Path(__file__).with_name("style_exceptions.txt")
TABLES = tomllib.loads(Path(__file__).with_name("style_words.toml").read_text(encoding="utf-8"))
ACCEPTED = TABLES["accepted"]

#: First words with which a docstring alludes to a thing instead of naming it.
VAGUE_START = re.compile(rf"({'|'.join(TABLES['first_words'])})\b")
LONGEST_FIRST_LINE = 100
#: Participles that are no names of modules and classes, beside the vague names of the tables.
PARTICIPLE = re.compile(r"_*([A-Z]?[a-z]*[a-df-z]ed|(?i:broken|built|chosen|done|drawn|hidden|lost|seen|sent|written))")
#: Lines of a module. At most `MOST_SMALL` modules have fewer than `SMALL`; more than `LARGE` are reported only.
SMALL, LARGE, LARGEST, MOST_SMALL = 60, 400, 800, 20

WORDS = re.compile(rf"\b(?:{'|'.join(f'({text})' for text in TABLES['words'])})\b".replace(" ", r"\s+"), re.I)
BETTER_WORDS = tuple(TABLES["words"].values())
#: Code in a docstring: doctests, literals, and lines of names in the sections of numpydoc.
CODE = re.compile(r"^[ \t]*>>>.*(?:\n[ \t]*\S.*)*|``[^`]*``|`[^`]*`|^[ \t]*\**\w+(?:, \**\w+)*[ \t]*$", re.MULTILINE)
REGULAR_EXPRESSION = re.compile(r"\\[bswdW]|\(\?|\|.*\|")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
LOCAL = "local variable"
UNNAMED_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Fault(NamedTuple):
    """One fault. Faults of the check `note` are listed, but need no exception."""

    path: str
    line: int
    check: str
    name: str
    message: str

    def key(self) -> str:
        """Return the line of this fault in the list of exceptions."""
        return f"{self.path}: {self.check}: {self.name}"


class Module:
    """Faults and public classes of one module."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path = path
        self.name = path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
        self.size = source.count(b"\n")
        self.faults: list[Fault] = []
        self._names: list[tuple[int, str, str, str]] = []  # line, kind, scope, name
        self._scopes: list[tuple[int, int, str]] = []  # first line, last line, name
        self._number_signs: list[tuple[tuple[int, int], tuple[int, int]]] = []  # start and end of strings with a "#"
        tree = ast.parse(source)
        self.classes = {node.name: node.lineno for node in tree.body if isinstance(node, ast.ClassDef)}
        self._names.append((1, "module name", "", self.name))
        self._check_docstring(tree, self.name)
        self._visit(tree, "", "attribute")
        self._check_comments(source)
        self._check_names()

    def add(self, line: int, check: str, name: str, message: str) -> None:
        """Add a fault of this module."""
        self.faults.append(Fault(self.path, line, check, name, message))

    def _visit(self, parent: ast.AST, scope: str, binding: str) -> None:
        """Visit the nodes below ``parent``; names that they bind are of the kind ``binding``."""
        for node in ast.iter_child_nodes(parent):
            inner_scope, inner_binding = scope, binding
            if isinstance(node, (ast.Name, ast.expr_context)):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    self._names.append((node.lineno, binding, scope, node.id))
                continue
            if isinstance(node, ast.Attribute):
                if isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id == "self":
                    self._names.append((node.lineno, "attribute", scope, node.attr))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                self._check_string(node, node.value, scope, is_docstring=isinstance(parent, ast.Expr))
            elif isinstance(node, ast.arg):
                self._names.append((node.lineno, binding, scope, node.arg))
            elif isinstance(node, ast.arguments):
                inner_binding = "parameter" if isinstance(parent, FUNCTIONS) else LOCAL
            elif isinstance(node, UNNAMED_SCOPES):
                inner_binding = LOCAL
            elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
                self._names.append((node.lineno, LOCAL, scope, node.name))
            elif isinstance(node, (ast.ClassDef, *FUNCTIONS)):
                is_class = isinstance(node, ast.ClassDef)
                self._names.append((node.lineno, "class name" if is_class else "function name", scope, node.name))
                inner_scope, inner_binding = f"{scope}.{node.name}".lstrip("."), "attribute" if is_class else LOCAL
                self._scopes.append((node.lineno, node.end_lineno or node.lineno, inner_scope))
                self._check_docstring(node, inner_scope)
                if isinstance(node, FUNCTIONS) and PARTICIPLE.fullmatch(node.name) and not _is_adjective(node):
                    self.add(node.lineno, "note", inner_scope, "a function that is no property is named by a verb")
            self._visit(node, inner_scope, inner_binding)

    def _check_docstring(self, node: ast.Module | ast.ClassDef | FunctionNode, name: str) -> None:
        """Check the first line of a docstring."""
        lines = (ast.get_docstring(node) or "").splitlines()
        if lines:
            first, line = lines[0], node.body[0].lineno
            if match := VAGUE_START.match(first):
                better = "an imperative (property: a noun)" if isinstance(node, FUNCTIONS) else "a noun of the field"
                self.add(line, "first word", name, f'begin with {better}, not "{match[0]}": {first}')
            if len(first) > LONGEST_FIRST_LINE:
                self.add(line, "first line", name, f"at most {LONGEST_FIRST_LINE} characters (got {len(first)})")
            if not first.endswith("."):
                self.add(line, "full stop", name, f"end the first line with a full stop: {first}")

    def _check_string(self, node: ast.Constant, text: str, scope: str, *, is_docstring: bool) -> None:
        """Check the words of a docstring, or of a string that is a message as it contains a blank."""
        if "#" in text:
            end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
            self._number_signs.append(((node.lineno, node.col_offset), end))
        if is_docstring:
            text = CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
        if is_docstring or (" " in text and not REGULAR_EXPRESSION.search(text)):
            self._check_words(text, node.lineno, node.end_lineno or node.lineno, scope)

    def _check_comments(self, source: bytes) -> None:
        """Check the words of comments: what is behind a "#" that is in no string."""
        for number, line in enumerate(source.split(b"\n"), 1):
            column = line.find(b"#")
            while column >= 0 and any(start <= (number, column) < end for start, end in self._number_signs):
                column = line.find(b"#", column + 1)
            if column >= 0:
                scopes = [(first, scope) for first, last, scope in self._scopes if first <= number <= last]
                text = CODE.sub("", line[column:].decode())
                self._check_words(text, number, number, max(scopes)[1] if scopes else "")

    def _check_words(self, text: str, first: int, last: int, scope: str) -> None:
        """Check the words of a text that stands in the lines ``first`` to ``last``."""
        for match in WORDS.finditer(text):
            word = " ".join(match[0].lower().split())
            line = min(first + text.count("\n", 0, match.start()), last)
            better = BETTER_WORDS[(match.lastindex or 0) - 1]
            self.add(line, "word", f"{scope or self.name} ({word})", f'say {better}, not "{word}"')

    def _check_names(self) -> None:
        """Check the names that the module binds, and its own."""
        bound = {(scope, name) for _, _, scope, name in self._names}
        for line, kind, scope, name in self._names:
            full_name, is_type = f"{scope}.{name}".lstrip("."), kind in ("module name", "class name")
            plain, parts = name.strip("_").lower(), re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_")
            if name in ACCEPTED["names"] or (plain == "left" and (scope, name.replace("left", "right")) in bound):
                continue
            if better := TABLES["vague_names"].get(plain):
                self.add(line, kind, full_name, f'say {better}, not "{name}"')
            elif is_type and PARTICIPLE.fullmatch(name):
                self.add(line, kind, full_name, f'say what it is, with a noun, not "{name}"')
            for part in parts if kind != LOCAL else ():
                if better := TABLES["glossary"].get(part) or (is_type and TABLES["glossary_types"].get(part)):
                    self.add(line, kind, full_name, f'say {better}, not "{part}"')


def _is_adjective(node: FunctionNode) -> bool:
    """Return whether a function is a property or returns a boolean, so that a participle may name it."""
    decorators = " ".join(map(ast.unparse, node.decorator_list))
    return "property" in decorators or (node.returns is not None and "bool" in ast.unparse(node.returns))


def check_modules(modules: list[Module]) -> None:
    """Add faults that concern several modules: sizes, and names with two meanings."""
    loose = [module for module in modules if not module.path.endswith("__init__.py")]
    number_small = sum(module.size < SMALL for module in loose)
    for module in modules:
        if module.size > LARGE:
            check = "large module" if module.size > LARGEST else "note"
            module.add(1, check, module.name, f"{module.size} lines; usually at most {LARGE}, never over {LARGEST}")
        elif module.size < SMALL and module in loose:
            check = "small module" if number_small > MOST_SMALL else "note"
            message = f"{module.size} lines; {number_small} modules are under {SMALL}, at most {MOST_SMALL} may be"
            module.add(1, check, module.name, message)
    places = defaultdict(list)
    for module in modules:
        for name, line in module.classes.items():
            if not name.startswith("_"):
                places["class", name].append((module, line))
    for module in loose:
        if Path(module.path).parent.name not in ACCEPTED["folders"]:
            places["module", module.name].append((module, 1))
    for (kind, name), defined in places.items():
        names = {module.name for module, _ in defined}
        if len(defined) > 1 and not (len(names) == 1 and names <= set(ACCEPTED["modules"])):
            for module, line in defined:
                others = ", ".join(other.path for other, _ in defined if other is not module)
                module.add(line, f"duplicate {kind}", name, f"one name has one meaning; also in {others}")


def find_faults(sources: Iterable[tuple[str, bytes]]) -> list[Fault]:
    """Return all faults of the modules, given by path and source."""
    modules = [Module(path, source) for path, source in sources]
    check_modules(modules)
    return sorted(fault for module in modules for fault in module.faults)


def print_faults(faults: list[Fault]) -> None:
    """Print faults as a list, and their number by check."""
    for fault in faults:
        print(f"{fault.path}:{fault.line}: {fault.check}: {fault.name}: {fault.message}")
    print(", ".join(f"{number} x {check}" for check, number in Counter(fault.check for fault in faults).most_common()))


def main() -> int:
    """Run the check and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="list all faults below these paths")
    parser.add_argument("--write", action="store_true", help="remove exceptions without a fault from the list")
    parser.add_argument("--force", action="store_true", help="with --write: add new faults as exceptions")
    options = parser.parse_args()
    gc.disable()  # syntax trees of some hundred modules: collecting takes longer than parsing
    files = sorted(file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    faults = find_faults((file.relative_to(ROOT).as_posix(), file.read_bytes()) for file in files)
    if roots := [path.resolve(strict=True) for path in options.paths]:
        print_faults([fault for fault in faults if any((ROOT / fault.path).is_relative_to(root) for root in roots)])
        return 0
    by_key = {fault.key(): fault for fault in reversed(faults) if fault.check != "note"}
    exceptions = set(EXCEPTIONS.read_text(encoding="utf-8").splitlines()) if EXCEPTIONS.exists() else set()
    if options.write:
        exceptions = set(by_key) if options.force else exceptions & set(by_key)
        EXCEPTIONS.write_text("".join(f"{key}\n" for key in sorted(exceptions)), encoding="utf-8")
    for key in (obsolete := sorted(exceptions - set(by_key))):
        print(f"{key}: no fault any more; remove the exception with: python .ci/style.py --write")
    if new := sorted(fault for key, fault in by_key.items() if key not in exceptions):
        print_faults(new)
    return 1 if new or obsolete else 0


if __name__ == "__main__":
    sys.exit(main())
