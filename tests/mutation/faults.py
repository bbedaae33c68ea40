"""Planted faults: ``python -m tests.mutation.faults [NAME ...]`` tries ``faults/NAME.patch``.

The first line of a patch is ``# test: `` with the name of a test, the second ``# fault: `` with a sentence. The exit
status is 1 if the test passes although the fault is there.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.scratch import ROOT, environment

FOLDER = Path(__file__).with_name("faults")
#: Nothing that a test of a fault reads.
IGNORED = (".git", ".mutation", ".venv", "__pycache__", ".hypothesis", ".*_cache")
#: Exit codes of pytest.
PASSED, FAILED = 0, 1


@dataclass(frozen=True)
class Fault:
    """A patch, the test that fails with it, and the fault in a sentence."""

    patch: Path
    test: str
    sentence: str


def read_fault(patch: Path) -> Fault:
    """Return the fault of a patch file."""
    lines = patch.read_text("utf-8").splitlines()
    return Fault(patch, lines[0].removeprefix("# test: "), lines[1].removeprefix("# fault: "))


def apply(fault: Fault, folder: Path, *options: str) -> int:
    """Apply a patch in a folder, and return the exit status of git."""
    command = ["git", "apply", *options, str(fault.patch)]
    return subprocess.run(command, cwd=folder, check=False).returncode


def run_tests(folder: Path, tests: list[str], stdout: int | None = subprocess.DEVNULL) -> int:
    """Run tests in a copy of the repository, with output or without, and return the exit status of pytest."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    variables = environment(folder, ".namespace")
    return subprocess.run(command, cwd=folder, env=variables, stdout=stdout, check=False).returncode


def try_fault(fault: Fault, folder: Path) -> bool:
    """Return whether the test of a fault fails with the fault."""
    if apply(fault, folder):
        sys.exit(f"{fault.patch.name} does not apply")
    status = run_tests(folder, [fault.test])
    apply(fault, folder, "--reverse")
    if status not in (PASSED, FAILED):
        sys.exit(f"{fault.patch.name}: pytest cannot run {fault.test}")
    return status == FAILED


def main() -> None:
    """Try the named faults, default: all, and print the result of each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog="python -m tests.mutation.faults")
    parser.add_argument("names", nargs="*", metavar="NAME", help="name of a patch without .patch (default: all)")
    names = parser.parse_args().names
    patches = [FOLDER / f"{name}.patch" for name in names] or sorted(FOLDER.glob("*.patch"))
    faults = [read_fault(patch) for patch in patches]
    survivors = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / ROOT.name
        (Path(scratch) / "shared").symlink_to(ROOT.parent / "shared")
        shutil.copytree(ROOT, folder, symlinks=True, ignore=shutil.ignore_patterns(*IGNORED))
        if run_tests(folder, [fault.test for fault in faults], stdout=None) != PASSED:
            sys.exit("a test fails without its fault")
        for fault in faults:
            is_detected = try_fault(fault, folder)
            survivors += not is_detected
            print("found" if is_detected else "survived", fault.patch.stem, fault.test, fault.sentence, sep="\t")
    sys.exit(survivors > 0)


if __name__ == "__main__":
    main()
