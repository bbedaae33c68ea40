"""The style check finds each class of fault, and accepts good code."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / ".ci" / "style.py"


@pytest.fixture(scope="module")
def style():
    spec = importlib.util.spec_from_file_location("style_check", SCRIPT)
    module = sys.modules["style_check"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["style_check"]


def module_of(body="", *, lines=100):
    """Return a module with a good docstring and as many lines."""
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


def test_names_of_modules_and_packages_are_checked(style):
    sources = [("analysis/spoken.py", module_of()), ("solver/floors/__init__.py", module_of(lines=2))]
    assert [(fault.path, fault.check) for fault in style.find_faults(sources)] == [
        ("analysis/spoken.py", "module name"),
        ("solver/floors/__init__.py", "module name"),
    ]


def test_one_class_name_has_one_meaning_except_in_modules_of_one_role(style):
    body = "class Pool:\n    pass\n\n\nclass _Private:\n    pass"
    two = [("analysis/pool.py", module_of(body)), ("solver/workers.py", module_of(body))]
    assert [fault.key() for fault in style.find_faults(two)] == [
        "analysis/pool.py: duplicate class: Pool",
        "solver/workers.py: duplicate class: Pool",
    ]
    roles = [(f"instances/{name}/rules.py", module_of(body)) for name in ("tea", "bread")]
    assert style.find_faults(roles) == []


def test_one_module_name_has_one_meaning_except_roles_and_subcommands(style):
    two = [(f"{folder}/pool.py", module_of()) for folder in ("analysis", "solver")]
    assert {fault.check for fault in style.find_faults(two)} == {"duplicate module"}
    paths = ("instances/tea/run.py", "instances/bread/run.py", "analysis/cli/verify.py", "analysis/verify.py")
    assert style.find_faults((path, module_of()) for path in paths) == []


@pytest.mark.parametrize(
    ("lines", "checks"), [(59, ["note"]), (60, []), (400, []), (401, ["note"]), (801, ["large module"])]
)
def test_large_modules_are_faults(style, lines, checks):
    assert [fault.check for fault in style.find_faults([("analysis/pool.py", module_of(lines=lines))])] == checks


def test_more_than_twenty_small_modules_are_faults(style):
    def checks(number):
        sources = [(f"analysis/part_{i}.py", module_of(lines=10)) for i in range(number)]
        return {fault.check for fault in style.find_faults([*sources, ("analysis/__init__.py", module_of(lines=3))])}

    assert checks(20) == {"note"}
    assert checks(21) == {"small module"}


@pytest.fixture
def run(style, tmp_path, monkeypatch, capsys):
    """Run the script on a repository with one fault; return exit status, output and exceptions afterwards."""
    (tmp_path / "analysis").mkdir()
    (tmp_path / "analysis" / "pool.py").write_bytes(module_of("found = 1"))
    exceptions = tmp_path / "exceptions.txt"
    monkeypatch.setattr(style, "ROOT", tmp_path)
    monkeypatch.setattr(style, "EXCEPTIONS", exceptions)

    def run(*arguments, excepted=()):
        exceptions.write_text("".join(f"{key}\n" for key in excepted), encoding="utf-8")
        monkeypatch.setattr(sys, "argv", ["style.py", *arguments])
        return style.main(), capsys.readouterr().out, exceptions.read_text(encoding="utf-8").splitlines()

    return run


FAULT, OTHER = "analysis/pool.py: attribute: found", "analysis/pool.py: attribute: kept"


def test_new_faults_and_obsolete_exceptions_fail(run):
    assert run(excepted=[FAULT]) == (0, "", [FAULT])
    status, text, _ = run()
    assert status == 1
    assert text.startswith('analysis/pool.py:2: attribute: found: say match, incumbent, result, not "found"\n')
    status, text, _ = run(excepted=[FAULT, OTHER])
    assert status == 1
    assert text.startswith(f"{OTHER}: no fault any more")


def test_write_only_removes_exceptions_unless_forced(run):
    assert run("--write", excepted=[FAULT, OTHER]) == (0, "", [FAULT])
    assert run("--write", excepted=[OTHER])[::2] == (1, [])
    assert run("--write", "--force", excepted=[OTHER]) == (0, "", [FAULT])


def test_paths_list_exceptions_too(run, tmp_path):
    status, text, _ = run(str(tmp_path / "analysis"), excepted=[FAULT])
    assert (status, text.count("found")) == (0, 2)
    assert run(str(tmp_path / "exceptions.txt"))[1].strip() == ""
