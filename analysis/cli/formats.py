"""Tables for papers and pages: Markdown as GitHub shows it, and LaTeX with booktabs."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["latex", "markdown"]

_NUMBER = re.compile(r"-|[+-]?[0-9][0-9.,]*( %)?")
_LESS = re.compile(r"-[0-9][0-9.,]*( \\%)?")
_MARKDOWN = {"&": "&amp;", "<": "&lt;", ">": "&gt;"} | {sign: f"\\{sign}" for sign in r"\`*_[]|~#"}
# What pages make links, mentions and references of, also behind a backslash: something must stand in its middle.
_LIVE = re.compile(r"(?<![0-9A-Za-z])@(?=\w)|@(?=[\w-]+\.)|\\#(?=[0-9])|:(?=//)|www\.(?=\w)", re.IGNORECASE)
_LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> str:
    r"""Return a table of texts; no text of a cell is markup.

    Examples
    --------
    >>> print(markdown(["model", "score"], [["a_b", "0.5"]], "Models"), end="")
    **Models**
    <BLANKLINE>
    | model | score |
    |---|---:|
    | a\_b | 0.5 |
    """
    lines = [f"**{_marked(title)}**", ""] if title.strip() else []
    lines += [_piped(columns), "|" + "|".join("---:" if right else "---" for right in _right(columns, rows)) + "|"]
    return "\n".join([*lines, *map(_piped, rows), ""])


def _piped(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_marked, cells))} |"


def _marked(text: str) -> str:
    return _LIVE.sub(r"\g<0><!-- -->", _escaped(text, _MARKDOWN))


def latex(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> str:
    r"""Return a table of texts for ``\usepackage{booktabs}``; no text of a cell is a command.

    Examples
    --------
    >>> print(latex(["model", "score"], [["a_b", "0.5"]], "Models"), end="")
    \begin{table}
    \caption{Models}
    \centering
    \begin{tabular}{lr}
    \toprule
    model & score \\
    \midrule
    a\_b & 0.5 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    shape = "".join("r" if right else "l" for right in _right(columns, rows))
    head = [r"\begin{table}", rf"\caption{{{_escaped(title, _LATEX)}}}", r"\centering"] if title else []
    body = [r"\toprule", _row(columns), r"\midrule", *map(_row, rows), r"\bottomrule"]
    foot = [r"\end{tabular}", *([r"\end{table}"] if title else []), ""]
    return "\n".join([*head, rf"\begin{{tabular}}{{{shape}}}", *body, *foot])


def _row(cells: Sequence[str]) -> str:
    texts = [_signed(_escaped(cell, _LATEX)) for cell in cells]
    # A bracket at the beginning would be an argument of the end of the row before.
    first = f"{{}}{texts[0]}" if texts and texts[0].lstrip().startswith(("[", "*")) else "".join(texts[:1])
    return rf"{' & '.join([first, *texts[1:]])} \\"


def _signed(text: str) -> str:
    """Write a minus sign before a number, not a hyphen."""
    return rf"\textminus{{}}{text[1:]}" if len(text) > 1 and _LESS.fullmatch(text) else text


def _right(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[bool]:
    """Say of every column whether it holds numbers only."""
    return [bool(rows) and all(_NUMBER.fullmatch(row[i]) for row in rows) for i in range(len(columns))]


def _escaped(text: str, signs: dict[str, str]) -> str:
    return "".join(signs.get(letter, letter) for letter in text)
