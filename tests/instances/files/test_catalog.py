"""Names of problems: expansion, precedence, and errors for unknown names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.samples import some_problems

from planoracle.instances.errors import InputError, InputNote, UnknownNameError
from planoracle.instances.files import catalog

TIMED = "recipe2plan/timed/Cobbler_Pancakes"
#: A problem file of a user.
OWN = {
    "format": "planoracle/instance",
    "version": 1,
    "name": "own",
    "unit": "minute",
    "tasks": [{"name": "tea", "actions": [{"name": "boil", "duration": 5}]}],
}
UNTIMED = "recipe2plan/untimed/Cobbler_Pancakes"
HOSTILE = ["", "\0", f"{TIMED}\0", "x" * 10_000, f"{TIMED}/" * 300, "../../etc/passwd", ".", "..", "\ud800", "\n"]

each_hostile = pytest.mark.parametrize("name", HOSTILE, ids=lambda name: ascii(name)[:30])


def write(path: Path, document: Any) -> str:
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


# --- expand ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prefix", "count"),
    [("recipe2plan", 130), ("recipe2plan/", 130), ("recipe2plan/timed", 65), ("recipe2plan/untimed/", 65)],
)
def test_prefix_expands_to_all_names_below(prefix: str, count: int) -> None:
    assert catalog.expand([prefix]) == [name for name in catalog.bundled() if name.startswith(prefix.rstrip("/") + "/")]
    assert len(catalog.expand([prefix])) == count


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("recipe2plan/*/Cobbler_Pancakes", [TIMED, UNTIMED]),
        ("*/timed/Cobbler_Pancake?", [TIMED]),
        ("*/timed/[C]obbler_Pancakes", [TIMED]),
        ("Recipe2Plan/*/cobbler_PANCAKES", [TIMED, UNTIMED]),
        (TIMED.upper(), [TIMED]),
        ("TimeArena/Lab1+lab2~3", ["timearena/lab1+lab2~3"]),
    ],
)
def test_globs_and_names_match_in_any_case(pattern: str, expected: list[str]) -> None:
    assert catalog.expand([pattern]) == expected


def test_file_precedes_a_name_in_another_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert catalog.expand(["TimeArena"]) == catalog.expand(["timearena"])
    (tmp_path / "TimeArena").mkdir()
    own = write(tmp_path / "TimeArena" / "lab1", OWN)
    assert catalog.expand(["TimeArena/lab1"]) == ["TimeArena/lab1"]
    assert [one.name for one in catalog.read_problems("TimeArena/lab1")] == [
        one.name for one in catalog.read_problems(own)
    ]


def test_bundled_name_precedes_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / TIMED).parent.mkdir(parents=True)
    (tmp_path / TIMED).write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert catalog.read_problems(TIMED) == [catalog.load(TIMED)]


def test_expansion_removes_duplicates_and_preserves_order(tmp_path: Path) -> None:
    path = write(tmp_path / "k.json", {})
    names = [UNTIMED, path, "recipe2plan/*/Cobbler_Pancakes", path, UNTIMED]
    assert catalog.expand(names) == [UNTIMED, path, TIMED]


@pytest.mark.parametrize(
    ("wrong", "suggestion"),
    [
        ("recipe2plan/timed/Cobbler_Pancake", TIMED),
        ("recipe2plan/untimd", "recipe2plan/untimed"),
        ("recipe2pln", "recipe2plan"),
    ],
)
def test_unknown_name_has_a_suggestion(wrong: str, suggestion: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        catalog.expand([TIMED, wrong])
    assert repr(wrong) in str(caught.value)
    assert suggestion in str(caught.value).partition("did you mean")[2]


def test_unknown_name_without_similar_names_has_no_suggestion() -> None:
    with pytest.raises(UnknownNameError) as caught:
        catalog.expand(["zzzzzzzz"])
    assert str(caught.value) == "no problem, set or file has this name (got 'zzzzzzzz')"


@each_hostile
def test_hostile_name_is_not_expanded(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not catalog.is_file(name)
    with pytest.raises(UnknownNameError) as caught:
        catalog.expand([name])
    assert len(str(caught.value)) < 500
    with pytest.raises(UnknownNameError) as caught:
        catalog.load(name)
    assert len(str(caught.value)) < 500


def test_pattern_above_the_length_limit_is_unknown() -> None:
    assert catalog.expand(["*" * 500]) == list(catalog.bundled())
    with pytest.raises(UnknownNameError):
        catalog.expand(["*" * 501])


@given(st.text(max_size=20) | st.text("recip2lan/*?[]!-_", max_size=20))
def test_any_name_is_expanded_or_unknown(name: str) -> None:
    try:
        names = catalog.expand([name])
    except UnknownNameError:
        assert name not in catalog.bundled()  # either outcome is right
    else:
        assert names
        assert all(one in catalog.bundled() or Path(one).is_file() for one in names)


# --- load and read --------------------------------------------------------------------------------


def test_every_bundled_name_can_be_loaded() -> None:
    assert [catalog.problem(name).name for name in some_problems()] == some_problems()
    assert [catalog.problem(name.upper()).name for name in some_problems()] == some_problems()


@pytest.mark.parametrize("name", ["recipe2plan", "recipe2plan/timed", f"{TIMED}/", f"/{TIMED}"])
def test_incomplete_name_is_not_loaded(name: str) -> None:
    with pytest.raises(UnknownNameError):
        catalog.load(name)


@pytest.mark.parametrize("document", [{}, [], [[]], {"tasks": []}, [{"name": "A"}], 5, "text", None])
def test_file_of_unknown_format_is_rejected(tmp_path: Path, document: Any) -> None:
    path = write(tmp_path / "k.json", document)
    with pytest.raises(InputError, match="unknown format; accepted are") as caught:
        catalog.read_problems(path)
    assert caught.value.source == path


@pytest.mark.parametrize("cut", ['"tasks": [', '"tasks":', '"unit": "minute",'])
def test_line_breaks_in_a_document_do_not_split_it(tmp_path: Path, cut: str) -> None:
    boil = '{"name": "boil", "duration": 5}'
    text = '{"format": "planoracle/instance", "version": 1, "name": "tea", "unit": "minute", "tasks": ['
    text += '{"name": "tea", "actions": [' + boil + "]}]}"
    path = tmp_path / "tea.json"
    path.write_text(text.replace(cut, cut + "\n", 1).replace('"tasks":\n [', '"tasks": [\n'))
    assert [problem.name for problem in catalog.read_problems(str(path))] == ["tea"]
    path.write_text(text + "\n" + text.replace('"name": "tea", "unit"', '"name": "more", "unit"'))
    assert [problem.name for problem in catalog.read_problems(str(path))] == ["tea", "more"]


def test_error_about_another_format_names_line_and_value(tmp_path: Path) -> None:
    path = write(tmp_path / "k.json", {"format": "something/else"})
    with pytest.raises(InputError) as caught:
        catalog.read_problems(path)
    assert str(caught.value).startswith(f"{path}, line 1: format: ")
    assert "got 'something/else'" in str(caught.value)


@each_hostile
def test_hostile_name_is_not_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="cannot be read: ") as caught:
        catalog.read_problems(name)
    assert len(str(caught.value).encode("utf-8")) < 500


@pytest.mark.parametrize("name", ["recipe2plan/timed/Soup_Soup", "recipe2plan/timed", "nowhere.json", "../../none"])
def test_reading_a_missing_problem_raises_input_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        catalog.read_problems(name)
    assert name in str(caught.value)


def test_folder_of_tables_and_problem_files_is_a_set_of_problems(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("task,duration\na,2\n")
    (tmp_path / "two.jss").write_text("1 1\n0 3\n")
    (tmp_path / "three.fjs").write_text("1 1 1\n1 1 1 3\n")
    (tmp_path / "README.md").write_text("about")
    (tmp_path / "sub").mkdir()
    with pytest.warns(InputNote, match=r"not read: README.md, sub/$"):
        paths = catalog.expand([str(tmp_path)])
    assert [Path(path).name for path in paths] == ["one.csv", "three.fjs", "two.jss"]


def test_empty_folder_beside_others_is_an_error_when_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    path = write(tmp_path / "own.json", OWN)
    empty = str(tmp_path / "empty")
    assert catalog.expand([empty, path]) == [empty, path]
    with pytest.raises(InputError, match="the folder contains no problem files"):
        catalog.read_problems(empty)
    with pytest.raises(UnknownNameError, match="the folder contains no problem files"):
        catalog.expand([empty])


def test_file_without_agents_needs_none(tmp_path: Path) -> None:
    document = {"format": "planoracle/instance", "version": 1, "name": "k", "agents": []}
    steps = [{"name": "chop", "duration": 2}, {"name": "boil", "duration": 3, "after": ["chop"]}]
    path = write(tmp_path / "k.json", document | {"tasks": [{"name": "soup", "actions": steps}]})
    (problem,) = catalog.read_problems(path)
    assert [(action.agents, action.attended) for action in problem.actions] == [((), 0), ((), 0)]
    steps[0]["attended"] = 1
    path = write(tmp_path / "k.json", document | {"tasks": [{"name": "soup", "actions": steps}]})
    with pytest.raises(InputError, match="an attended action needs an eligible agent"):
        catalog.read_problems(path)
