"""Style check in `.ci/style.py`: each class of fault, accepted code and pages, exit status."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / ".ci" / "style.py"


@pytest.fixture(scope="module")
def style():
    sys.path.insert(0, str(SCRIPT.parent))
    spec = importlib.util.spec_from_file_location("style_check", SCRIPT)
    module = sys.modules["style_check"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(SCRIPT.parent))
    del sys.modules["style_check"]


def module_of(body="", *, lines=100):
    """Return a module of a number of lines with a good docstring."""
    text = f'"""Worker pool for batch jobs."""\n{body}\n'
    return (text + "\n" * (lines - text.count("\n"))).encode()


def faults_of(style, body, path="analysis/pool.py"):
    return {(fault.line, fault.check, fault.name) for fault in style.find_faults([(path, module_of(body))])}


GOOD = '''
class Pool:
    """Worker pool: it keeps what ``told`` or `said` name.

    Parameters
    ----------
    told, floor
        Names of parameters are no prose.

    >>> print("in vain")
    in vain
    """

    size = 3  # workers of one machine
    pattern = r"\\b(?:told|said) so"

    def bounds(self, left, right):
        """Return both bounds."""
        colours = "#said"
        return left, right, colours

    @property
    def started(self):
        """Time of the start in seconds."""
        return 0


def is_sorted(rows):
    """Return whether rows are in order, which cannot be told apart by the eye."""
    return rows == sorted(rows)
'''


def test_good_code_is_accepted(style):
    assert faults_of(style, GOOD) == set()


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('class A:\n    """What the pool does."""', (3, "first word", "A")),
        ('class A:\n    def _f(self):\n        """Whether it is open."""', (4, "first word", "A._f")),
        ('def f():\n    """Of all rows the first."""', (3, "first word", "f")),
        (f'def f():\n    """Return {"a" * 100}."""', (3, "first line", "f")),
        ('def f():\n    """Return a row"""', (3, "full stop", "f")),
        ('def f():\n    """Return a row.\n\n    It was tried in\n    vain.\n    """', (5, "word", "f (in vain)")),
        ("def f():\n    return 1  # nobody was told", (3, "word", "f (told)")),
        ('TEXT = "#"  # an errand', (2, "word", "pool (errand)")),
        ('raise ValueError("judged by the rules")', (2, "word", "pool (judged)")),
        ("def f():\n    for found in ():\n        pass", (3, "local variable", "f.found")),
        ("ROWS = [here for here in ()]", (2, "local variable", "here")),
        ("try:\n    pass\nexcept OSError as known:\n    pass", (4, "local variable", "known")),
        ("def f(*, told=None):\n    pass", (2, "parameter", "f.told")),
        ("def f(floor):\n    pass", (2, "parameter", "f.floor")),
        ("class A:\n    kept: int = 0", (3, "attribute", "A.kept")),
        ("class A:\n    def f(self):\n        self._left = 1", (4, "attribute", "A.f._left")),
        ("class A:\n    def said(self):\n        pass", (3, "function name", "A.said")),
        ("def errand_plans():\n    pass", (2, "function name", "errand_plans")),
        ("class Found:\n    pass", (2, "class name", "Found")),
        ("class _Judged:\n    pass", (2, "class name", "_Judged")),
        ("class FloorEngine:\n    pass", (2, "class name", "FloorEngine")),
        ("class World:\n    pass", (2, "class name", "World")),
    ],
)
def test_fault_is_reported_at_its_line(style, body, fault):
    assert faults_of(style, body) == {fault}


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("def test_rows_are_told():\n    pass", (2, "word", "test_rows_are_told (told)")),
        ("def test_it_runs():\n    pass", (2, "test name", "test_it_runs")),
        ("def test_report_shows_what_differs():\n    pass", (2, "test name", "test_report_shows_what_differs")),
        ('def test_run():\n    """Whether it runs."""', (3, "first word", "test_run")),
        ("def test_run():\n    found = 1  # said", (3, "local variable", "test_run.found")),
    ],
)
def test_names_docstrings_and_comments_of_tests_are_checked(style, body, fault):
    assert fault in faults_of(style, body, "tests/test_pool.py")


def test_strings_and_size_of_tests_are_not_checked(style):
    body = 'def test_message_of_a_run():\n    """Refuse `gold`."""\n    gold = "judged by the rules"'
    sources = [(f"tests/{folder}/test_pool.py", module_of(body, lines=900)) for folder in ("batch", "cli")]
    assert style.find_faults(sources) == []
    assert {fault.check for fault in style.find_faults([("analysis/pool.py", module_of(body))])} == {"word"}


PAGE = """# Rooms

Each agent was told to `wait for the errand`; see [floors](floors.md).

```console
$ echo "judged in vain"
judged in vain
```

  ~~~
  said
  ~~~

A ``gold ` answer`` and `judged
twice`, or a single ` and then gold.
"""


def test_words_of_pages_are_checked_outside_of_code(style):
    faults = style.find_faults([("analysis/README.md", PAGE.encode())])
    assert [(fault.line, fault.check, fault.name) for fault in faults] == [
        (1, "word", "rooms"),
        (3, "word", "floors"),
        (3, "word", "told"),
        (15, "word", "gold"),
    ]


def test_names_of_modules_and_packages_are_checked(style):
    sources = [("analysis/spoken.py", module_of()), ("solver/floors/__init__.py", module_of(lines=2))]
    assert [(fault.path, fault.check) for fault in style.find_faults(sources)] == [
        ("analysis/spoken.py", "module name"),
        ("solver/floors/__init__.py", "module name"),
    ]


def test_one_class_name_has_one_meaning_except_in_modules_of_one_role(style):
    body = "class Pool:\n    pass\n\n\nclass _Private:\n    pass"
    two = [("analysis/pool.py", module_of(body)), ("solver/workers.py", module_of(body))]
    assert [(fault.path, fault.check, fault.name) for fault in style.find_faults(two)] == [
        ("analysis/pool.py", "duplicate class", "Pool"),
        ("solver/workers.py", "duplicate class", "Pool"),
    ]
    roles = [(f"instances/{name}/rules.py", module_of(body)) for name in ("tea", "bread")]
    assert style.find_faults(roles) == []


def test_one_module_name_has_one_meaning_except_roles_and_subcommands(style):
    two = [(f"{folder}/pool.py", module_of()) for folder in ("analysis", "solver")]
    assert {fault.check for fault in style.find_faults(two)} == {"duplicate module"}
    paths = ("instances/tea/run.py", "instances/bread/run.py", "analysis/cli/verify.py", "analysis/verify.py")
    assert style.find_faults((path, module_of()) for path in paths) == []


def test_function_of_a_package_has_no_name_of_its_modules(style):
    function = 'def pool() -> None:\n    """Return nothing."""'
    sources = [("analysis/tea/__init__.py", module_of(function)), ("analysis/tea/pool.py", module_of())]
    faults = [(fault.path, fault.check, fault.name) for fault in style.find_faults(sources)]
    assert faults == [("analysis/tea/__init__.py", "replaced function", "pool")]


@pytest.mark.parametrize(
    ("lines", "checks"), [(59, ["note"]), (60, []), (400, []), (401, ["note"]), (801, ["large module"])]
)
def test_large_modules_are_faults(style, lines, checks):
    assert [fault.check for fault in style.find_faults([("analysis/pool.py", module_of(lines=lines))])] == checks


@pytest.mark.parametrize(("lines", "check"), [(801, "note"), (1101, "large module")])
def test_module_that_has_to_be_one_file_may_be_larger(style, lines, check):
    faults = style.find_faults([("solver/proofs/checker.py", module_of(lines=lines))])
    assert [fault.check for fault in faults] == [check]


def test_more_than_twenty_small_modules_are_faults(style):
    def checks(number):
        sources = [(f"analysis/part_{i}.py", module_of(lines=10)) for i in range(number)]
        return {fault.check for fault in style.find_faults([*sources, ("analysis/__init__.py", module_of(lines=3))])}

    assert checks(20) == {"note"}
    assert checks(21) == {"small module"}


@pytest.fixture
def run(style, tmp_path, monkeypatch, capsys):
    """Function that runs the script on a repository and returns exit status and output."""
    for path, content in {
        "README.md": b"One floor.",
        "analysis/pool.py": module_of("found = 1"),
        "solver/prompts/turns.md": b"You are judged.",
        "solver/workers.py": module_of("def opened():\n    pass"),
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    monkeypatch.setattr(style, "ROOT", tmp_path)

    def run(*paths):
        monkeypatch.setattr(sys, "argv", ["style.py", *(str(tmp_path / path) for path in paths)])
        return style.main(), capsys.readouterr().out.splitlines()

    return run


def test_faults_are_listed_and_fail(run):
    assert run() == (
        1,
        [
            'README.md:1: word: floor: say grid kitchen, not "floor"',
            'analysis/pool.py:2: attribute: found: say match, incumbent, result, not "found"',
            "1 x word, 1 x attribute",
        ],
    )


def test_paths_restrict_the_list_and_add_notes(run):
    assert run("analysis", "README.md")[0] == 1
    status, lines = run("solver")
    assert (status, lines[-1]) == (0, "1 x note")
    assert run("solver/prompts") == (0, [])


@pytest.mark.parametrize(
    ("body", "check"),
    [
        ("for one in range(3):\n    print(one)", "pronoun"),
        ("def add(rest):\n    return rest", "pronoun"),
        ("class Load:\n    def __init__(self):\n        self._most = 3", "pronoun"),
        ("cells = [cell for row in rows for cell in row]", "two for"),
        ("sign = 1 if x > 0 else -1 if x < 0 else 0", "nested conditional"),
        ("start, end, agent = 0, 1, None", "tuple assignment"),
        ("key = lambda row: (min(row), max(row))", "long lambda"),
        ("key = lambda rows: [row.end for row in rows]", "long lambda"),
    ],
)
def test_dense_code_in_packages_is_rejected(style, body, check):
    assert {name for _, name, _ in faults_of(style, body)} == {check}
    assert faults_of(style, body, "tests/test_pool.py") == set()


@pytest.mark.parametrize(
    "body",
    [
        "class Violation:\n    others: tuple[str, ...] = ()",
        "start, end = 0, 1\nfirst, second, third = row",
        "pieces = sorted(pieces, key=lambda piece: (piece.start, piece.name))",
        "ends = [end(piece) for piece in pieces if piece.start]",
    ],
)
def test_plain_code_and_public_names_are_accepted(style, body):
    assert faults_of(style, body) == set()


def test_listed_exceptions_may_only_shrink(style):
    """As many dense expressions as listed pass, more or fewer fail."""
    exceptions = {"analysis/pool.py": {"tuple assignment": 1}}

    def checks(number):
        source = module_of("a, b, c = 1, 2, 3\n" * number)
        return {fault.check for fault in style.find_faults([("analysis/pool.py", source)], exceptions)}

    assert [checks(number) for number in range(3)] == [{"tuple assignment"}, {"note"}, {"tuple assignment"}]


def test_statements_of_many_expressions_are_noted(style):
    total = " + ".join(f"row[{number}]" for number in range(12))
    assert {check for _, check, _ in faults_of(style, f"total = {total}")} == {"note"}
