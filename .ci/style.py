"""Style check of code and Markdown pages: first lines of docstrings, words, names, sizes of modules.

python .ci/style.py             list all faults with line and better word; the exit status is 1 if there are any
python .ci/style.py PATH...     list the faults below the paths only, and notes
python .ci/style.py --record    write the numbers of dense expressions that the packages still have

In tests and tools only names, docstrings and comments are checked: their strings are data, and their modules may have
any size. In pages the words outside of code are checked. `style_words.toml` lists the rejected words and names, and
names that are right although they look like rejected ones. `density_exceptions.toml` has the number of dense
expressions that a module still has: a number that grows is a fault, and so is one that is higher than today's.
"""

from __future__ import annotations

import argparse
import ast
import gc
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from density import DENSE, density_faults, number_of_faults, read_exceptions, write_exceptions

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("instances", "solver", "heuristics", "analysis")
#: Folders with tests, tools and lists of public names.
OTHERS = (".ci", ".docs", ".namespace", "tests")
#: Folders with Markdown pages, in addition to the pages at the top. Prompts have the wording of the benchmarks.
PAGES = (*PACKAGES, ".docs", ".github", "changelog", "notebooks", "tests")
PROMPTS = "prompts"
TABLES = tomllib.loads(Path(__file__).with_name("style_words.toml").read_text(encoding="utf-8"))
ACCEPTED = TABLES["accepted"]
ACCEPTED_NAMES = {*ACCEPTED["names"], *ACCEPTED["fields"]}

#: First words with which a docstring alludes to a thing instead of naming it.
VAGUE_START = re.compile(rf"({'|'.join(TABLES['first_words'])})\b")
LONGEST_FIRST_LINE = 100
#: Participles, which do not name modules and classes, in addition to the vague names of the tables.
PARTICIPLE = re.compile(r"_*([A-Z]?[a-z]*[a-df-z]ed|(?i:broken|built|chosen|done|drawn|hidden|lost|seen|sent|written))")
#: Lines of a module. At most `MOST_SMALL` modules have fewer than `SMALL`; more than `LARGE` are reported only.
SMALL, LARGE, LARGEST, MOST_SMALL = 60, 400, 800, 20
#: Lines of modules that have to be one file: users copy the stand-alone checker of proofs.
LARGER = {"solver/proofs/checker.py": 1100}

WORDS = re.compile(rf"\b(?:{'|'.join(f'({text})' for text in TABLES['words'])})\b".replace(" ", r"\s+"), re.I)
BETTER_WORDS = tuple(TABLES["words"].values())
#: Code in a page: blocks and literals, and targets of links.
PAGE_CODE = re.compile(
    r"^([ \t]*)(```+|~~~+).*?^[ \t]*\2[ \t]*$|(?<!`)(`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)\3(?!`)|\]\([^)\s]*\)|<[^>\n]*>",
    re.M | re.S,
)
#: Code in a docstring: doctests, literals, and lines of names in the sections of numpydoc.
CODE = re.compile(r"^[ \t]*>>>.*(?:\n[ \t]*\S.*)*|``[^`]*``|`[^`]*`|^[ \t]*\**\w+(?:, \**\w+)*[ \t]*$", re.MULTILINE)
REGULAR_EXPRESSION = re.compile(r"\\[bswdW]|\(\?|\|.*\|")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
LOCAL = "local variable"
UNNAMED_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Fault(NamedTuple):
    """One fault; those of the check `note` do not fail the check."""

    path: str
    line: int
    check: str
    name: str
    message: str


class Module:
    """Faults and public classes of one module."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path = path
        self.name = path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
        self.size = source.count(b"\n")
        self.in_package = path.partition("/")[0] in PACKAGES
        self.faults: list[Fault] = []
        self._names: list[tuple[int, str, str, str]] = []  # line, kind, scope, name
        self._scopes: list[tuple[int, int, str]] = []  # first line, last line, name
        self._number_signs: list[tuple[tuple[int, int], tuple[int, int]]] = []  # start and end of strings with a "#"
        tree = ast.parse(source)
        self.classes = {node.name: node.lineno for node in tree.body if isinstance(node, ast.ClassDef)}
        self.functions = {node.name: node.lineno for node in tree.body if isinstance(node, FUNCTIONS)}
        self._names.append((1, "module name", "", self.name))
        self._check_docstring(tree, self.name)
        self._visit(tree, "", "attribute")
        self.density = list(density_faults(tree)) if self.in_package else []
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
                if isinstance(node, FUNCTIONS):
                    self._check_function_name(node, inner_scope)
            self._visit(node, inner_scope, inner_binding)

    def _check_function_name(self, node: FunctionNode, scope: str) -> None:
        """Check that a verb names a function, and the words in the name of a test."""
        if self.in_package and PARTICIPLE.fullmatch(node.name) and not _is_adjective(node):
            self.add(node.lineno, "note", scope, "the name of a function that is not a property is a verb")
        if node.name.startswith("test_"):
            behaviour = node.name.removeprefix("test_").replace("_", " ")
            self._check_words(behaviour, node.lineno, node.lineno, scope)
            for pattern, better in TABLES["test_names"].items():
                if match := re.search(rf"\b(?:{pattern})\b", behaviour):
                    self.add(node.lineno, "test name", scope, f'say {better}, not "{match[0]}"')

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
        """Check the words of a docstring, or of a message of a package: a string with a blank."""
        if "#" in text:
            end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
            self._number_signs.append(((node.lineno, node.col_offset), end))
        if is_docstring:
            text = CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
        if is_docstring or (self.in_package and " " in text and not REGULAR_EXPRESSION.search(text)):
            self._check_words(text, node.lineno, node.end_lineno or node.lineno, scope)

    def _check_comments(self, source: bytes) -> None:
        """Check the words of comments, after a "#" outside of strings."""
        for number, line in enumerate(source.split(b"\n"), 1):
            column = line.find(b"#")
            while column >= 0 and any(start <= (number, column) < end for start, end in self._number_signs):
                column = line.find(b"#", column + 1)
            if column >= 0:
                scopes = [(first, scope) for first, last, scope in self._scopes if first <= number <= last]
                text = CODE.sub("", line[column:].decode())
                self._check_words(text, number, number, max(scopes)[1] if scopes else "")

    def _check_words(self, text: str, first: int, last: int, scope: str) -> None:
        """Check the words of a text in the lines ``first`` to ``last``."""
        for lines, word, better in rejected_words(text):
            self.add(min(first + lines, last), "word", f"{scope or self.name} ({word})", f'say {better}, not "{word}"')

    def _check_names(self) -> None:
        """Check the names that the module binds, and its own."""
        bound = {(scope, name) for _, _, scope, name in self._names}
        for line, kind, scope, name in self._names:
            full_name, is_type = f"{scope}.{name}".lstrip("."), kind in ("module name", "class name")
            plain, parts = name.strip("_").lower(), re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_")
            if name in ACCEPTED_NAMES or (plain == "left" and (scope, name.replace("left", "right")) in bound):
                continue
            if better := TABLES["vague_names"].get(plain):
                self.add(line, kind, full_name, f'say {better}, not "{name}"')
            elif is_type and PARTICIPLE.fullmatch(name):
                self.add(line, kind, full_name, f'say what it is, with a noun, not "{name}"')
            for part in parts if kind != LOCAL else ():
                if better := TABLES["glossary"].get(part) or (is_type and TABLES["glossary_types"].get(part)):
                    self.add(line, kind, full_name, f'say {better}, not "{part}"')


def rejected_words(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the rejected words of a text: number of lines before it, the word, and what to say instead."""
    for match in WORDS.finditer(text):
        word = " ".join(match[0].lower().split())
        yield text.count("\n", 0, match.start()), word, BETTER_WORDS[(match.lastindex or 0) - 1]


def page_faults(path: str, text: str) -> list[Fault]:
    """Return the rejected words of a Markdown page, outside of code."""
    prose = PAGE_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    words = rejected_words(prose)
    return [Fault(path, lines + 1, "word", word, f'say {better}, not "{word}"') for lines, word, better in words]


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
            largest = LARGER.get(module.path, LARGEST)
            check = "large module" if module.size > largest else "note"
            module.add(1, check, module.name, f"{module.size} lines; usually at most {LARGE}, never over {largest}")
        elif module.size < SMALL and module in loose:
            check = "small module" if number_small > MOST_SMALL else "note"
            message = f"{module.size} lines; {number_small} modules are under {SMALL}, at most {MOST_SMALL} may be"
            module.add(1, check, module.name, message)
    check_packages(modules)
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


def check_packages(modules: list[Module]) -> None:
    """Add functions of packages with the name of a module, whose import replaces them."""
    packages = {str(Path(module.path).parent): module for module in modules if module.path.endswith("__init__.py")}
    for module in modules:
        package = packages.get(str(Path(module.path).parent))
        if package is not None and module.name in package.functions:
            message = f"the import of {module.path} replaces this function"
            package.add(package.functions[module.name], "replaced function", module.name, message)


def check_density(modules: Iterable[Module], exceptions: Mapping[str, Mapping[str, int]]) -> None:
    """Add dense expressions of modules that have more or fewer of a kind than the exceptions say."""
    numbers = density_numbers(modules)
    for module in modules:
        remaining = exceptions.get(module.path, {})
        present = numbers.get(module.path, {})
        for check in present.keys() | remaining.keys():
            if present.get(check, 0) < remaining.get(check, 0):
                module.add(1, check, module.name, "fewer than in the list of exceptions; run `style.py --record`")
        for fault in module.density:
            is_listed = fault.check == DENSE.check or present[fault.check] <= remaining.get(fault.check, 0)
            module.add(fault.line, "note" if is_listed else fault.check, fault.scope or module.name, fault.message)


def density_numbers(modules: Iterable[Module]) -> dict[str, dict[str, int]]:
    """Return the number of dense expressions by module and check."""
    faults = []
    for module in modules:
        faults += [(module.path, fault.check) for fault in module.density if fault.check != DENSE.check]
    return number_of_faults(faults)


def find_faults(
    sources: Iterable[tuple[str, bytes]], exceptions: Mapping[str, Mapping[str, int]] | None = None
) -> list[Fault]:
    """Return all faults of modules and pages, by path and source; ``exceptions`` concern density."""
    modules, faults = [], []
    for path, source in sources:
        if path.endswith(".md"):
            faults += page_faults(path, source.decode())
        else:
            modules.append(Module(path, source))
    in_packages = [module for module in modules if module.in_package]
    check_modules(in_packages)
    check_density(in_packages, exceptions or {})
    return sorted([*faults, *(fault for module in modules for fault in module.faults)])


def find_files() -> list[Path]:
    """Return all modules and pages that are checked."""
    files = [file for folder in (*PACKAGES, *OTHERS) for file in (ROOT / folder).rglob("*.py")]
    files += ROOT.glob("*.md")
    files += (page for folder in PAGES for page in (ROOT / folder).rglob("*.md") if page.parent.name != PROMPTS)
    return sorted(files)


def print_faults(faults: list[Fault]) -> None:
    """Print faults as a list, and their number by check."""
    for fault in faults:
        print(f"{fault.path}:{fault.line}: {fault.check}: {fault.name}: {fault.message}")
    print(", ".join(f"{number} x {check}" for check, number in Counter(fault.check for fault in faults).most_common()))


def main() -> int:
    """Run the check and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="list only the faults below these paths")
    parser.add_argument("--record", action="store_true", help="write the list of exceptions from density")
    options = parser.parse_args()
    gc.disable()  # syntax trees of many modules: collecting takes longer than parsing
    if options.record:
        files = [file for file in find_files() if file.relative_to(ROOT).parts[0] in PACKAGES and file.suffix == ".py"]
        modules = [Module(file.relative_to(ROOT).as_posix(), file.read_bytes()) for file in files]
        write_exceptions(density_numbers(modules))
    sources = ((file.relative_to(ROOT).as_posix(), file.read_bytes()) for file in find_files())
    faults = find_faults(sources, read_exceptions())
    if roots := [path.resolve(strict=True) for path in options.paths]:
        faults = [fault for fault in faults if any((ROOT / fault.path).is_relative_to(root) for root in roots)]
    else:
        faults = [fault for fault in faults if fault.check != "note"]
    if faults:
        print_faults(faults)
    return 1 if any(fault.check != "note" for fault in faults) else 0


if __name__ == "__main__":
    sys.exit(main())
