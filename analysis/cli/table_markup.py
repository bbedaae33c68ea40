"""Tables in Markdown and LaTeX, in which no text of a cell is markup."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Captions of the results of commands in LaTeX.
_CAPTIONS = {
    "solve": "Schedules",
    "compare": "Methods compared with the proved optimum",
    "grade": "Grades",
    "audit": "Published references compared with the proved optimum",
    "instances": "Problems",
    "regret": "Regret of decisions",
}
_NUMBER = re.compile(r"-|[+-]?[0-9][0-9.,:]*( %)?")
_LESS = re.compile(r"-[0-9][0-9.,]*( \\%)?")
_MARKDOWN = {"&": "&amp;", "<": "&lt;", ">": "&gt;"} | {sign: f"\\{sign}" for sign in r"\`*_[]|~#"}
# Texts that pages turn into links, mentions and references, even after a backslash: a comment must split them.
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
    r"""Return a Markdown table as on GitHub; no text of a cell is markup.

    Examples
    --------
    >>> print(markdown(["model", "score"], [["a_b", "0.5"]], "Models"), end="")
    **Models**
    <BLANKLINE>
    | model | score |
    |---|---:|
    | a\_b | 0.5 |
    """
    head = [f"**{_escape_markdown(title)}**", ""] if title.strip() else []
    rule = "|".join("---:" if is_numeric else "---" for is_numeric in _numeric_columns(columns, rows))
    lines = [_markdown_row(cells) for cells in rows]
    return "\n".join([*head, _markdown_row(columns), f"|{rule}|", *lines, ""])


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_escape_markdown, cells))} |"


def _escape_markdown(text: str) -> str:
    return _LIVE.sub(r"\g<0><!-- -->", _replace_all(text, _MARKDOWN))


def latex(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str = "", command: str = "") -> str:
    r"""Return a LaTeX table for ``\usepackage{booktabs}``, with caption and label.

    No text of a cell is a command. Without a title, the caption is that of the results of the command.

    Examples
    --------
    >>> print(latex(["model", "score"], [["a_b", "0.5"]], "Models"), end="")
    \begin{table}
    \centering
    \caption{Models}
    \label{tab:models}
    \begin{tabular}{lr}
    \toprule
    model & score \\
    \midrule
    a\_b & 0.5 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    shape = "".join("r" if is_numeric else "l" for is_numeric in _numeric_columns(columns, rows))
    caption = title[:1].upper() + title[1:] or _CAPTIONS.get(command, f"Results of planoracle {command}")
    label = "-".join(re.findall("[a-z0-9]+", f"{command} {title}".lower()))
    lines = [r"\begin{table}", r"\centering"]
    lines += [rf"\caption{{{_replace_all(caption, _LATEX)}}}", rf"\label{{tab:{label}}}"]
    lines += [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", _latex_row(columns), r"\midrule"]
    lines += map(_latex_row, rows)
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}", ""]
    return "\n".join(lines)


def _latex_row(cells: Sequence[str]) -> str:
    texts = [_minus_sign(_replace_all(cell, _LATEX)) for cell in cells]
    if texts and texts[0].lstrip().startswith(("[", "*")):
        # A bracket at the start would be read as an argument of the previous row's end.
        texts[0] = f"{{}}{texts[0]}"
    return rf"{' & '.join(texts)} \\"


def _minus_sign(text: str) -> str:
    """Replace the hyphen before a number by a minus sign."""
    return rf"\textminus{{}}{text[1:]}" if len(text) > 1 and _LESS.fullmatch(text) else text


def _numeric_columns(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[bool]:
    """Return for each column whether it holds numbers only."""
    if not rows:
        return [False] * len(columns)
    return [all(map(_NUMBER.fullmatch, cells)) for cells in zip(*rows, strict=True)]


def _replace_all(text: str, signs: dict[str, str]) -> str:
    return "".join(signs.get(letter, letter) for letter in text)
