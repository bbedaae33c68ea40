"""JSON values one a line, over several lines, in a list, and damaged ones among them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.samples import examples

from planoracle.analysis.intake import byte_streams
from planoracle.analysis.intake.json_sequence import json_values
from planoracle.analysis.intake.submissions import Intake
from planoracle.instances.errors import InputError

FIRST = {"instance": "a", "plan": ["x", {"k": "}]"}]}
SECOND = {"instance": "b", "plan": []}
PLANS = [
    {"instance": "timearena/household1", "plan": "wait"},
    {"instance": "timearena/lab1", "plan": ["wait", "wait"]},
]


def indented(value: Any, indent: int | str = 2) -> str:
    return json.dumps(value, indent=indent)


def entries_of(text: str, longest: int = 10_000) -> list[tuple[int, Any]]:
    """Return the line of each entry, and its value, or ``"error"``."""
    lines = enumerate(text.encode().splitlines(keepends=True), 1)
    return [(line, "error" if isinstance(value, InputError) else value) for line, value in json_values(lines, longest)]


A, B = indented(FIRST), indented(SECOND)
LINES = json.dumps(FIRST), json.dumps(SECOND)


@pytest.mark.parametrize(
    ("text", "second_line"),
    [
        (f"{A}\n{B}\n", 10),
        (f"\ufeff{A}\r\n\r\n{B}", 11),
        (f"{A}{B}", 9),
        (f"{A},\n{B},\n", 10),
        (f"[\n{A},\n{B}\n]", 11),
        (f"[{A}, {B}]", 9),
        (indented([FIRST, SECOND]), 11),
        (f"{indented(FIRST, 0)}\n{indented(SECOND, 0)}", 10),
        (f"{indented(FIRST, 0)},\n{indented(SECOND, 0)}", 10),
        (indented(FIRST, "\t") + indented(SECOND, "\t"), 9),
        (f"{LINES[0]}\n{B}\n", 2),
        (f"{A}\n{LINES[1]}", 10),
        (f"{LINES[0]},\n{LINES[1]},\n", 2),
        (f"[{LINES[0]}, {LINES[1]},\n]", 1),
        (LINES[0].replace(', "plan"', ',\n"plan"') + f"\n{LINES[1]}", 3),
        ('{"instance": "a", "plan": ["x",\n{"k": "}]"}\n]}\n' + LINES[1], 4),
    ],
)
def test_objects_over_several_lines_are_read(text: str, second_line: int) -> None:
    entries = entries_of(text)
    assert [value for _, value in entries] == [FIRST, SECOND]
    assert entries[1][0] == second_line


@pytest.mark.parametrize(
    "damaged",
    [
        A.replace('"x",', '"x"'),
        A.replace('"x",', '"x,'),
        A.replace('"a"', "a"),
        A.replace("]\n}", "\n}"),
        A[:-2],
        A[:40],
        f"{A[:-1]},",
        A.replace('"plan": [', '"plan": ['[:-1]),
        A.replace('"instance": "a",', '"instance": "a"},'),
        indented(FIRST, 2).replace("{\n", "", 1),
    ],
)
def test_damaged_object_is_one_error_and_the_next_is_read(damaged: str) -> None:
    entries = entries_of(f"{B}\n{damaged}\n{B}\n{A}")
    values = [value for _, value in entries]
    assert values[0] == SECOND
    assert values[-2:] == [SECOND, FIRST]
    assert values.count("error") == 1
    (line,) = (line for line, value in entries if value == "error")
    assert 5 <= line <= 7


words = st.text('{}[]",: \\ab', max_size=5)
objects = st.dictionaries(words, words | st.integers() | st.lists(words | st.dictionaries(words, words), max_size=3))


@examples(300)
@given(st.lists(objects.filter(bool), min_size=1, max_size=4), st.sampled_from([None, 1, 4]), st.booleans())
def test_written_objects_are_read_in_any_layout(written: list[dict[str, Any]], indent: int | None, glued: bool) -> None:
    """An object over several lines may begin on the last line of the one before."""
    glued = glued and indent is not None
    texts = [json.dumps(value, indent=indent) for value in written]
    starts = [1]
    for text in texts[:-1]:
        starts.append(starts[-1] + text.count("\n") + (not glued))
    text = ("" if glued else "\n").join(texts)
    assert entries_of(text) == list(zip(starts, written, strict=True))
    in_list = entries_of("[" + ",\n".join(texts) + "]\n")
    assert [value for _, value in in_list] in (written, [written])


def test_error_names_the_line_in_the_file() -> None:
    text = f"{B}\n" + A.replace('"x",', '"x"')
    lines = enumerate(text.encode().splitlines(keepends=True), 1)
    (_, (line, error)) = json_values(lines, 1000)
    assert (line, str(error)) == (5, "is not JSON: Expecting ',' delimiter in line 9, column 5")


@pytest.mark.parametrize("copies", [1, 2])
def test_line_that_is_cut_anywhere_is_one_error(copies: int) -> None:
    first, second = LINES
    for length in range(1, len(first)):
        text = "\n".join([*[first[:length]] * copies, second, first])
        expected = [*["error"] * copies, SECOND, FIRST]
        assert [value for _, value in entries_of(text)] == expected, first[:length]


@pytest.mark.parametrize(
    "bad", ["foo", "{", "{}}", f"{LINES[0]} x", LINES[0] * 2, '{"instance": nonsense}', '{"a": NaN}', "}", "[1"]
)
def test_bad_line_of_json_lines_is_one_error(bad: str) -> None:
    entries = entries_of(f"{LINES[1]}\n{bad}\n{LINES[0]}")
    assert entries == [(1, SECOND), (2, "error"), (3, FIRST)]


def test_list_without_an_end_is_an_error() -> None:
    assert entries_of(f"[\n{A},\n{B},\n")[-1] == (1, "error")
    assert [value for _, value in entries_of(f"[\n{A},\n{B[:20]}")] == [FIRST, "error"]


def test_object_above_the_size_limit_is_one_error() -> None:
    long = indented({"instance": "a", "plan": ["x"] * 300})
    assert [value for _, value in entries_of(f"{long}\n{B}", longest=1000)] == ["error", SECOND]


@pytest.mark.parametrize("layout", ["objects", "list", "list in one line", "JSON objects"])
def test_indented_submissions_are_read(tmp_path: Path, layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        "objects": "\n".join(map(indented, PLANS)),
        "list": indented(PLANS),
        "list in one line": json.dumps(PLANS),
        "JSON objects": "".join(map(indented, PLANS)),
    }
    path = tmp_path / ("x.json" if layout == "JSON objects" else "x.jsonl")
    path.write_text(texts[layout] + "\n")
    rows = [row for _, row in Intake([path])]
    assert [(row["instance"], row["plan"]) for row in rows] == [(one["instance"], one["plan"]) for one in PLANS]
    monkeypatch.setattr(byte_streams, "MAX_LINE", 20)
    assert all(isinstance(row, InputError) for _, row in Intake([path]))


@pytest.mark.parametrize("plan", [["wait", "wait"], [{"role": "assistant", "content": "wait"}]])
def test_indented_list_in_a_file_of_one_problem_is_a_plan(tmp_path: Path, plan: list[Any]) -> None:
    (tmp_path / "gpt").mkdir()
    (tmp_path / "gpt" / "timearena__lab1.jsonl").write_text(indented(plan))
    ((_, row),) = Intake([tmp_path])
    assert (row["instance"], row["plan"]) == ("timearena/lab1", plan)
