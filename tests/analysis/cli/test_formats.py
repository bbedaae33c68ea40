"""Tables in Markdown and LaTeX: any text of a cell stays one text in one cell."""

from __future__ import annotations

import io
import re

import pytest

from planoracle.analysis.cli.output import Format, Table
from planoracle.analysis.cli.table_markup import latex, markdown
from planoracle.instances.text import visible
from tests.support.payloads import MARKUP, PROMPTS, STEERING, TABLES

TEXTS = [*TABLES, *MARKUP, *PROMPTS, *STEERING]
#: LaTeX commands of tables, and those that replace signs.
COMMANDS = {
    "begin",
    "end",
    "toprule",
    "midrule",
    "bottomrule",
    "textbackslash",
    "textasciitilde",
    "textasciicircum",
} | {*("textless", "textgreater", "textbar", "textquotedbl", "textminus", "caption", "centering", "label")}
LIVE = re.compile(r"(?<![0-9A-Za-z])@\w|[\w.+-]@[\w-]+\.\w|#[0-9]|://|www\.\w", re.IGNORECASE)


@pytest.mark.slow
def test_markdown_cells_contain_exactly_their_text() -> None:
    reader = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for text in map(visible, TEXTS):
        tokens = reader.parse(markdown([text or "x", "b"], [[text, "1"], ["c", text]], text))
        kinds = [token.type for token in tokens]
        assert (kinds.count("table_open"), kinds.count("tr_open"), kinds.count("heading_open")) == (1, 3, 0)
        cells = [(token, tokens[at - 1].type) for at, token in enumerate(tokens) if token.type == "inline"]
        for token, _ in cells:
            inside = {(one.type, one.content if one.type == "html_inline" else "") for one in token.children or ()}
            assert {kind for kind, _ in inside} <= {"text", "strong_open", "strong_close", "html_inline"}
            assert {html for kind, html in inside if kind == "html_inline"} <= {"<!-- -->"}
            nodes = [one.content for one in token.children or () if one.type in ("text", "html_inline")]
            assert not any(map(LIVE.search, "".join(nodes).split("<!-- -->")))
        texts = ["".join(one.content for one in token.children or () if one.type == "text") for token, _ in cells]
        expected = [text or "x", "b", text, "1", "c", text]
        assert texts[-6:] == [one.strip(" ") for one in expected]


def test_markdown_escapes_only_markup() -> None:
    names = ["asynctool/cross2@0-1", "gpt-4.1", "a: b", "half of #", "recipe2plan/timed/A"]
    assert "<!--" not in markdown(["name"], [[name] for name in names])


def test_latex_cells_contain_exactly_their_text() -> None:
    for text in map(visible, TEXTS):
        for cells in ([text, "1"], ["c", text]):
            source = latex([text, "b"], [cells, [text, text]], text)
            bare = re.sub(r"\\(\\|[&%$#_{}]|[a-z]+)", lambda match: match[1] if match[1].isalpha() else "", source)
            assert set(re.findall(r"\\([A-Za-z]+)", source)) <= COMMANDS
            assert not re.search(r"[$#%~^\\]", bare)
            assert "_" not in bare
            depth = 0
            for sign in bare:
                depth += (sign == "{") - (sign == "}")
                assert depth >= 0
            assert depth == 0
            rows = [line for line in source.split("\n") if line.endswith(r"\\")]
            assert len(rows) == 3
            assert all(len(re.findall(r"(?<!\\)&", row)) == 1 for row in rows)
            assert not any(row.lstrip().startswith(("[", "*")) for row in rows)  # arguments of the line before


def test_latex_has_minus_signs_only_before_numbers() -> None:
    source = latex(["gap", "name"], [["-17.9 %", "-x"], ["-", "a-1"]])
    assert source.splitlines()[8:10] == [r"\textminus{}17.9 \% & -x \\", r"- & a-1 \\"]


@pytest.mark.parametrize("form", [Format.markdown, Format.latex])
def test_each_row_is_one_line(form: Format) -> None:
    stream = io.StringIO()
    table = Table(form, ["x"], stream=stream)
    for text in TEXTS:
        table.add({"x": text})
    table.close()
    ends = "|" if form is Format.markdown else r"\\"
    rows = [line for line in stream.getvalue().splitlines() if line.endswith(ends)]
    assert len(rows) == len(TEXTS) + (2 if form is Format.markdown else 1)
    assert all(letter.isprintable() or letter == "\n" for letter in stream.getvalue())
