"""Style of docstrings and names: neither may get worse."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("instances", "heuristics", "solver", "analysis")

#: Docstrings and names from before the style guide. Lower the numbers when some are corrected.
VAGUE_DOCSTRINGS = 495
VAGUE_NAMES = 1_326

#: First words with which a docstring alludes to a thing instead of naming it.
VAGUE_START = re.compile(r"(What|Who|Whoever|How|Whether|That|Where|Of)\b")
#: Participles and adverbs that do not say what a value is.
PARTICIPLES = {"found", "known", "said", "left", "told", "kept", "held", "here", "made", "given", "there", "gone"}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class Measures:
    vague_docstrings: list[str] = field(default_factory=list)
    vague_names: list[str] = field(default_factory=list)


@cache
def measure(folder: str) -> Measures:
    """List the vague docstrings and names below a folder."""
    measures = Measures()
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, DOCUMENTED) and VAGUE_START.match(text := ast.get_docstring(node) or ""):
                measures.vague_docstrings.append(f"{path.relative_to(ROOT)}: {text.splitlines()[0]}")
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in PARTICIPLES:
                measures.vague_names.append(f"{path.relative_to(ROOT)}:{node.lineno}: {node.id}")
    return measures


@pytest.mark.slow
def test_no_more_docstrings_begin_with_a_riddle() -> None:
    """Style guide, section 1: say first what a thing is, with a noun of the field."""
    vague = [text for folder in PACKAGES for text in measure(folder).vague_docstrings]
    assert len(vague) <= VAGUE_DOCSTRINGS, "\n".join(vague)


@pytest.mark.slow
def test_no_more_variables_are_bare_participles() -> None:
    """Style guide, section 2: a name says what the value is."""
    vague = [name for folder in PACKAGES for name in measure(folder).vague_names]
    assert len(vague) <= VAGUE_NAMES, "\n".join(vague)
