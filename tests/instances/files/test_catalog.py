"""Names of problems: what they stand for, and what becomes of names that stand for nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.samples import some_problems

from planoracle.instances.errors import InputError, UnknownNameError
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
def test_prefix_stands_for_all_below_it(prefix: str, count: int) -> None:
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
def test_glob_or_name_in_any_case_stands_for_what_it_matches(pattern: str, expected: list[str]) -> None:
    assert catalog.expand([pattern]) == expected


def test_a_file_precedes_a_name_in_another_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert catalog.expand(["TimeArena"]) == catalog.expand(["timearena"])
    (tmp_path / "TimeArena").mkdir()
    own = write(tmp_path / "TimeArena" / "lab1", OWN)
    assert catalog.expand(["TimeArena/lab1"]) == ["TimeArena/lab1"]
    assert [one.name for one in catalog.read_problems("TimeArena/lab1")] == [
        one.name for one in catalog.read_problems(own)
    ]


def test_bundled_name_wins_over_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / TIMED).parent.mkdir(parents=True)
    (tmp_path / TIMED).write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert catalog.read_problems(TIMED) == [catalog.load(TIMED)]


def test_repetition_is_dropped_and_order_kept(tmp_path: Path) -> None:
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
def test_unknown_name_brings_a_suggestion(wrong: str, suggestion: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        catalog.expand([TIMED, wrong])
    assert repr(wrong) in str(caught.value)
    assert suggestion in str(caught.value).partition("did you mean")[2]


def test_name_like_no_other_brings_no_suggestion() -> None:
    with pytest.raises(UnknownNameError) as caught:
        catalog.expand(["zzzzzzzz"])
    assert str(caught.value) == "no problem, set or file has this name (got 'zzzzzzzz')"


@each_hostile
def test_hostile_name_is_unknown(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not catalog.is_file(name)
    with pytest.raises(UnknownNameError) as caught:
        catalog.expand([name])
    assert len(str(caught.value)) < 500
    with pytest.raises(UnknownNameError) as caught:
        catalog.load(name)
    assert len(str(caught.value)) < 500


def test_pattern_longer_than_any_name_is_not_matched() -> None:
    assert catalog.expand(["*" * 500]) == list(catalog.bundled())
    with pytest.raises(UnknownNameError):
        catalog.expand(["*" * 501])


@given(st.text(max_size=20) | st.text("recip2lan/*?[]!-_", max_size=20))
def test_any_name_is_expanded_or_unknown(name: str) -> None:
    try:
        found = catalog.expand([name])
    except UnknownNameError:
        assert name not in catalog.bundled()  # either outcome is right
    else:
        assert found
        assert all(one in catalog.bundled() or Path(one).is_file() for one in found)


# --- load and read --------------------------------------------------------------------------------


def test_every_bundled_name_can_be_loaded() -> None:
    assert [catalog.problem(name).name for name in some_problems()] == some_problems()
    assert [catalog.problem(name.upper()).name for name in some_problems()] == some_problems()


@pytest.mark.parametrize("name", ["recipe2plan", "recipe2plan/timed", f"{TIMED}/", f"/{TIMED}"])
def test_what_is_no_full_name_is_not_loaded(name: str) -> None:
    with pytest.raises(UnknownNameError):
        catalog.load(name)


@pytest.mark.parametrize("document", [{}, [], [[]], {"tasks": []}, [{"recipe": "A"}], 5, "text", None])
def test_unrecognised_file_is_named(tmp_path: Path, document: Any) -> None:
    path = write(tmp_path / "k.json", document)
    with pytest.raises(InputError, match="unknown format; accepted are") as caught:
        catalog.read_problems(path)
    assert caught.value.source == path


@pytest.mark.parametrize("cut", ['"tasks": [', '"tasks":', '"unit": "minute",'])
def test_a_document_may_be_broken_into_lines_before_any_object(tmp_path: Path, cut: str) -> None:
    boil = '{"name": "boil", "duration": 5}'
    text = '{"format": "planoracle/instance", "version": 1, "name": "tea", "unit": "minute", "tasks": ['
    text += '{"name": "tea", "actions": [' + boil + "]}]}"
    path = tmp_path / "tea.json"
    path.write_text(text.replace(cut, cut + "\n", 1).replace('"tasks":\n [', '"tasks": [\n'))
    assert [problem.name for problem in catalog.read_problems(str(path))] == ["tea"]
    path.write_text(text + "\n" + text.replace('"name": "tea", "unit"', '"name": "more", "unit"'))
    assert [problem.name for problem in catalog.read_problems(str(path))] == ["tea", "more"]


def test_file_of_another_format_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "k.json", {"format": "something/else"})
    with pytest.raises(InputError) as caught:
        catalog.read_problems(path)
    assert str(caught.value).startswith(f"{path}:1: format: ")
    assert "got 'something/else'" in str(caught.value)


@each_hostile
def test_hostile_name_is_not_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="cannot be read: ") as caught:
        catalog.read_problems(name)
    assert len(str(caught.value).encode("utf-8")) < 500


@pytest.mark.parametrize("name", ["recipe2plan/timed/Soup_Soup", "recipe2plan/timed", "nowhere.json", "../../none"])
def test_reading_what_does_not_exist_is_an_input_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        catalog.read_problems(name)
    assert name in str(caught.value)
